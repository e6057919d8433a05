"""Time per emulated frame, beside ALE's: the two alternate, medians are shown.

python -m tests.bench.atari_emulator --games pong,breakout --rounds 15
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable

from tests.atari_exact import GAMES, make_pair

FRAMES_PER_ROUND = 400


def time_frames(act: Callable[[int], int], actions: list[int]) -> float:
    """Microseconds of this thread per frame."""
    start = time.thread_time()
    for action in actions:
        act(action)
    return (time.thread_time() - start) / len(actions) * 1e6


def time_game(game: str, rounds: int) -> tuple[float, float]:
    """Medians of ours and of ALE's, over the same actions."""
    ours, ale = make_pair(game)
    minimal = [action.value for action in ale.getMinimalActionSet()]
    choose = random.Random(game)
    times: list[tuple[float, float]] = []
    for _ in range(rounds):
        actions = [a for _ in range(FRAMES_PER_ROUND // 4) for a in [choose.choice(minimal)] * 4]
        times.append((time_frames(ours.act, actions), time_frames(ale.act, actions)))
        if ale.game_over():
            ours.reset()
            ale.reset_game()
            times.pop()
    return statistics.median(t[0] for t in times), statistics.median(t[1] for t in times)


def main() -> None:
    """Print one line a game, and what they come to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", default="all", help="names of ROMs, or all (default)")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    games = GAMES if options.games == "all" else options.games.split(",")
    print(f"{'game':20}{'ours, us':>10}{'ALE, us':>10}{'ratio':>8}")
    ratios = {}
    for game in games:
        ours, ale = time_game(game, options.rounds)
        ratios[game] = ale / ours
        print(f"{game:20}{ours:10.1f}{ale:10.1f}{ratios[game]:8.1f}", flush=True)
    least = min(ratios, key=lambda game: ratios[game])
    print(
        f"\n{len(ratios)} games: ratio {statistics.median(ratios.values()):.1f} in the median, "
        f"{ratios[least]:.1f} at least ({least})"
    )


if __name__ == "__main__":
    main()
