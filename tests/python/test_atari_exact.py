"""The emulator shows what ale-py shows, bit for bit."""

import pytest

from tests.atari_exact import TEN_GAMES, compare


@pytest.mark.parametrize("game", TEN_GAMES)
def test_atari_exact(game: str) -> None:
    result = compare(game, frames=10_000, seed=1)
    assert not result.difference, f"{result.difference}; actions {result.actions}"
