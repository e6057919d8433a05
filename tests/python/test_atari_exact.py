"""The emulator shows what ale-py shows, bit for bit, in every game, mode and difficulty."""

import pytest

from tests.atari_exact import GAMES, Job, compare, settings_of


def test_all_games_are_there() -> None:
    assert len(GAMES) == 104


@pytest.mark.parametrize("game", GAMES)
def test_atari_exact(game: str) -> None:
    result = compare(Job(game, frames=1000, seed=1))
    assert not result.difference, result.explanation()


# All of them, except in the four games that have more than 50.
@pytest.mark.parametrize("game", GAMES)
def test_atari_exact_in_modes_and_difficulties(game: str) -> None:
    settings = settings_of(game, "all")
    some = settings[:: max(1, len(settings) // 25)]
    result = compare(Job(game, frames=20, seed=2, settings=some))
    assert not result.difference, result.explanation()


# Those whose start draws random numbers, and one that does not.
@pytest.mark.parametrize("game", ["adventure", "berzerk", "double_dunk", "video_cube", "pong"])
def test_atari_exact_with_sticky_actions(game: str) -> None:
    result = compare(Job(game, frames=500, seed=3, sticky=0.25))
    assert not result.difference, result.explanation()
