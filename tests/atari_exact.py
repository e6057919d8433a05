"""Compare the Atari emulator with ale-py, frame by frame.

Both play the same actions (random, held, scripted), with resets in mid-game, after the end and
later; now and then ours goes on from a saved state. After each frame and each reset RAM, screen,
reward, lives and game over must be equal. The first difference ends a game's comparison and is
printed with the actions that lead there, and the command that plays them again.

    python -m tests.atari_exact --games all --frames 20000 --jobs 2
    python -m tests.atari_exact --games pong,breakout --modes all --frames 1000
    python -m tests.atari_exact --games pong --modes 1/0 --frames 1000 --sticky 0.25
"""

from __future__ import annotations

import argparse
import difflib
import itertools
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

import ale_py
import numpy as np
from ale_py import roms
from poolkit._core import Emulator
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

REFUSED = {"combat", "joust", "maze_craze", "warlords"}  # ALE wants more than one player there
GAMES = tuple(sorted(set(roms.get_all_rom_ids()) - REFUSED))
ACTIONS = range(18)
STEPS = (1, 1, 1, 4)  # frames that are played at once

# Per frame.
RESET_CHANCE = 1 / 2000  # of a reset in mid-game
LATE_RESET_CHANCE = 1 / 4  # after the end
LOAD_CHANCE = 1 / 1000  # of going on from a saved state


@dataclass(frozen=True)
class Job:
    """A comparison of one game; it depends on nothing else."""

    game: str
    frames: int
    """In each setting."""
    seed: int = 0
    settings: tuple[tuple[int, int] | None, ...] = (None,)
    """Modes and difficulties, one after the other; None leaves them as they are."""
    sticky: float = 0.0
    """ALE's repeat_action_probability; `seed` is its random_seed, too."""

    def command(self) -> str:
        """What to run to see it again."""
        words = ["python -m tests.atari_exact --games", self.game, "--frames", str(self.frames)]
        words += ["--seed", str(self.seed)]
        if self.settings != (None,):
            words += ["--modes", ",".join(f"{s[0]}/{s[1]}" for s in self.settings if s)]
        if self.sticky:
            words += ["--sticky", str(self.sticky)]
        return " ".join(words)


@dataclass(frozen=True)
class Result:
    """What a comparison came to, and what it has seen."""

    job: Job
    frames: int = 0
    resets: int = 0
    ends: int = 0
    rewards: int = 0
    """Frames with a reward other than 0."""
    difference: str = ""
    """Empty if there is none."""
    setting: tuple[int, int] | None = None
    """In which it is."""
    actions: tuple[int, ...] = ()
    """That lead there, since the last reset."""

    def explanation(self) -> str:
        runs = [(action, len(list(run))) for action, run in itertools.groupby(self.actions)]
        played = [f"{action}x{times}" if times > 1 else f"{action}" for action, times in runs]
        where = "mode {}, difficulty {}, ".format(*self.setting) if self.setting else ""
        return (
            f"{self.job.game}: {where}frame {self.frames}: {self.difference}\n"
            f"  after {self.resets} resets and then the actions: {' '.join(played) or 'none'}\n"
            f"  again: {self.job.command()}"
        )


def make_pair(
    game: str, seed: int = 0, sticky: float = 0.0
) -> tuple[Emulator, ale_py.ALEInterface]:
    """The game in both emulators, freshly started."""
    path = roms.get_rom_path(game)
    assert path is not None, game
    ours = Emulator(game, path.read_bytes())
    ours.reboot(seed, sticky)
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    ale = ale_py.ALEInterface()
    ale.setFloat("repeat_action_probability", sticky)
    ale.setInt("random_seed", seed)
    ale.loadROM(path)
    return ours, ale


def difference(ours: Emulator, ale: ale_py.ALEInterface, rewards: tuple[int, int] = (0, 0)) -> str:
    """What differs between the two, or an empty string."""
    values = [
        ("reward", *rewards),
        ("lives", ours.lives, ale.lives()),
        ("game over", ours.game_over, ale.game_over()),
    ]
    found = [f"{name} {mine}, not {theirs}" for name, mine, theirs in values if mine != theirs]
    found += arrays_differ("RAM", ours.ram(), ale.getRAM())
    found += arrays_differ("screen", ours.screen(), ale.getScreen())
    return "; ".join(found)


def arrays_differ(name: str, ours: np.ndarray, theirs: np.ndarray) -> list[str]:
    """Where two arrays differ first, in words."""
    if ours.shape != theirs.shape:
        return [f"{name} of shape {ours.shape}, not {theirs.shape}"]
    if np.array_equal(ours, theirs):
        return []
    places = np.argwhere(ours != theirs)
    first = tuple(int(i) for i in places[0])
    return [f"{len(places)} of {name}, first {first}: {ours[first]}, not {theirs[first]}"]


def facts_differ(ours: Emulator, ale: ale_py.ALEInterface) -> str:
    """What differs between what both say of the game before it is played."""
    facts = [
        ("minimal actions", ours.minimal_actions, [x.value for x in ale.getMinimalActionSet()]),
        ("modes", ours.modes, list(ale.getAvailableModes())),
        ("difficulties", ours.difficulties, list(ale.getAvailableDifficulties())),
    ]
    return "; ".join(f"{name} {mine}, not {its}" for name, mine, its in facts if mine != its)


def play(choose: random.Random, minimal: Sequence[int]) -> Iterator[int]:
    """Actions without end, in stretches: random, held for a short or a long time, scripted."""
    while True:
        actions = choose.choice((minimal, minimal, ACTIONS))
        style = choose.choice(("random", "short", "long", "script"))
        if style == "random":
            yield from choose.choices(actions, k=choose.randint(1, 60))
        elif style == "short":
            for action in choose.choices(actions, k=choose.randint(1, 20)):
                yield from [action] * choose.randint(1, 8)
        elif style == "long":
            yield from [choose.choice(actions)] * choose.randint(30, 120)
        else:
            script = [
                action
                for action in choose.choices(actions, k=choose.randint(2, 5))
                for _ in range(choose.randint(1, 8))
            ]
            yield from script * choose.randint(2, 12)


def step(
    ours: Emulator, ale: ale_py.ALEInterface, action: int, frames: int
) -> tuple[list[int], tuple[int, int]]:
    """Play an action for some frames, in ours at once; return what was played, and the rewards."""
    rewards = []
    while len(rewards) < frames and not (rewards and ale.game_over()):
        rewards.append(ale.act(ale_py.Action(action)))
    return [action] * len(rewards), (ours.act(action, frames), sum(rewards))


def compare(job: Job) -> Result:
    """Play one game in both emulators."""
    ours, ale = make_pair(job.game, job.seed, job.sticky)
    choose = random.Random(f"{job.game} {job.seed}")
    stream = play(choose, ours.minimal_actions)
    found = facts_differ(ours, ale) or difference(ours, ale)
    frames = resets = ends = seen_rewards = 0
    actions: list[int] = []
    setting = None
    for setting in job.settings:
        if setting:
            ours.set_mode(setting[0])
            ale.setMode(setting[0])
            ours.set_difficulty(setting[1])
            ale.setDifficulty(setting[1])
        reset = setting is not None
        until = frames + job.frames
        while frames < until and not found:
            rewards = (0, 0)
            if reset:
                ours.reset()
                ale.reset_game()
                actions.clear()
                frames += 1
                resets += 1
            else:
                if choose.random() < LOAD_CHANCE:
                    state = ours.save()
                    ours.act(choose.choice(ACTIONS), 5)
                    ours.load(state)
                    found = difference(ours, ale)
                    if found:
                        break
                was_over = ours.game_over
                played, rewards = step(ours, ale, next(stream), choose.choice(STEPS))
                actions += played
                frames += len(played)
                ends += ours.game_over and not was_over
                seen_rewards += rewards[1] != 0
            found = difference(ours, ale, rewards)
            reset = choose.random() < (LATE_RESET_CHANCE if ours.game_over else RESET_CHANCE)
        if found:
            break
    return Result(job, frames, resets, ends, seen_rewards, found, setting, tuple(actions))


def planned(job: Job) -> int:
    return job.frames * len(job.settings)


def run(jobs: Sequence[Job], processes: int, console: Console) -> list[Result]:
    """Do the jobs, several at once, and report each game when it is done."""
    results: list[Result] = []
    columns = (
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} frames"),
        TextColumn("{task.fields[rate]:,.0f}/s"),
        TimeRemainingColumn(),
    )
    with ProcessPoolExecutor(processes) as pool, Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=sum(map(planned, jobs)), rate=0)
        futures = [pool.submit(compare, job) for job in jobs]
        try:
            for future in as_completed(futures):
                result = future.result()
                results.append(result)
                if result.difference:
                    console.print(result.explanation(), highlight=False, markup=False)
                console.print(summary(result.job.game, [result]), highlight=False)
                progress.update(task, advance=planned(result.job))
                progress.update(task, rate=progress.tasks[task].speed or 0)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return results


def summary(name: str, results: Sequence[Result]) -> str:
    """One line about some comparisons."""
    differ = sum(bool(result.difference) for result in results)
    counts = [
        f"{sum(getattr(result, what) for result in results):,} {what}"
        for what in ("frames", "resets", "ends", "rewards")
    ]
    settings = sum(len(result.job.settings) for result in results)
    verdict = f"{differ} differ" if differ else "equal"
    return f"{name}: {settings} settings, {', '.join(counts)}: {verdict}"


def settings_of(game: str, modes: str) -> tuple[tuple[int, int] | None, ...]:
    """What --modes asks for; raises ValueError, with those there are, for what the game lacks."""
    if modes == "default":
        return (None,)
    ours = make_pair(game)[0]
    known = {f"{m}/{d}": (m, d) for m, d in itertools.product(ours.modes, ours.difficulties)}
    wanted = known if modes == "all" else modes.split(",")
    for setting in wanted:
        if setting not in known:
            raise ValueError(f"--modes: {game} has no {setting!r}; it has {', '.join(known)}")
    return tuple(known[setting] for setting in wanted)


def games_of(names: str) -> Sequence[str]:
    """What --games asks for; raises ValueError, with near ones, for an unknown game."""
    if names == "all":
        return GAMES
    for game in names.split(","):
        if game not in GAMES:
            near = difflib.get_close_matches(game, GAMES) or [*GAMES[:3], "..."]
            raise ValueError(f"--games: no game {game!r}; there are {', '.join(near)}, and all")
    return names.split(",")


def at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is less than {least}")
        return int(text)

    return number


def probability(text: str) -> float:
    if not 0 <= float(text) <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not in 0 .. 1")
    return float(text)


def main() -> int:
    """Run the comparison named on the command line; 0 if there is no difference, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.atari_exact",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--games", default="all", help="names of ROMs, or all (default)")
    parser.add_argument("--frames", type=at_least(1), default=1000, help="of each setting (1000)")
    parser.add_argument(
        "--modes",
        default="default",
        help="settings of each game: default, all, or a list of MODE/DIFFICULTY",
    )
    parser.add_argument("--seed", type=at_least(0), default=0, help="of all that is random (0)")
    parser.add_argument(
        "--sticky", type=probability, default=0.0, help="ALE's repeat_action_probability (0)"
    )
    parser.add_argument("--jobs", type=at_least(1), default=2, help="processes (2)")
    options = parser.parse_args()
    try:
        jobs = [
            Job(
                game, options.frames, options.seed, settings_of(game, options.modes), options.sticky
            )
            for game in games_of(options.games)
        ]
    except ValueError as error:
        parser.error(str(error))
    console = Console()
    start = time.monotonic()
    try:
        results = run(jobs, options.jobs, console)
    except KeyboardInterrupt:
        return 130
    console.print(summary(f"{len(jobs)} games, {time.monotonic() - start:.0f} s", results))
    return int(any(result.difference for result in results))


if __name__ == "__main__":
    sys.exit(main())
