"""Frames that nobody looks at are not drawn; what is looked at does not tell."""

import random

import numpy as np
import pytest
from ale_py import roms
from poolkit._core import Emulator


def emulator(game: str) -> Emulator:
    path = roms.get_rom_path(game)
    assert path is not None
    return Emulator(game, path.read_bytes())


# Pictures of journey_escape, tic_tac_toe_3d and qbert are now and then short: they show old lines.
@pytest.mark.parametrize("frames", [2, 3, 4, 7])
@pytest.mark.parametrize("game", ["journey_escape", "tic_tac_toe_3d", "qbert", "kaboom", "pong"])
def test_frames_at_once_are_the_same_as_one_by_one(game: str, frames: int) -> None:
    at_once, one_by_one = emulator(game), emulator(game)
    choose = random.Random(game)
    for _ in range(3_000 // frames):
        action = choose.choice(at_once.minimal_actions)
        reward = at_once.act(action, frames)
        rewards = [one_by_one.act(action) for _ in range(frames) if not one_by_one.game_over]
        assert reward == sum(rewards)
        assert at_once.lives == one_by_one.lives
        assert at_once.game_over == one_by_one.game_over
        assert np.array_equal(at_once.ram(), one_by_one.ram())
        assert np.array_equal(at_once.screen(), one_by_one.screen())
        if at_once.game_over:
            at_once.reset()
            one_by_one.reset()


def test_refuses_less_than_a_frame() -> None:
    with pytest.raises(ValueError, match="frames: must be at least 1"):
        emulator("pong").act(0, 0)
