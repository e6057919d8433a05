"""An Atari emulator's saved state continues exactly, and nothing else is accepted as one."""

import random

import numpy as np
import pytest
from poolkit._core import Emulator

from tests.atari_exact import make_pair, roms


def new(game: str) -> Emulator:
    return Emulator(game, roms.get_rom_path(game).read_bytes())


def play(emulator: Emulator, frames: int, seed: int) -> list[int]:
    choose = random.Random(seed)
    return [emulator.act(choose.choice(emulator.minimal_actions)) for _ in range(frames)]


def assert_same(one: Emulator, other: Emulator) -> None:
    np.testing.assert_array_equal(one.ram(), other.ram())
    np.testing.assert_array_equal(one.screen(), other.screen())
    assert (one.lives, one.game_over) == (other.lives, other.game_over)


@pytest.mark.parametrize("game", ["air_raid", "breakout", "qbert", "pitfall2"])
def test_a_loaded_state_continues_exactly(game: str) -> None:
    played = new(game)
    played.reboot(7, 0.25)
    play(played, 200, seed=1)
    loaded = new(game)
    loaded.load(played.save())
    assert_same(loaded, played)
    assert loaded.save() == played.save()
    assert play(loaded, 200, seed=2) == play(played, 200, seed=2)
    played.reset()  # a console starts with random numbers
    loaded.reset()
    assert_same(loaded, played)


def test_a_rebooted_emulator_is_a_new_one() -> None:
    played = new("pong")
    play(played, 300, seed=3)
    played.reboot()
    fresh = new("pong")
    assert_same(played, fresh)
    assert play(played, 200, seed=4) == play(fresh, 200, seed=4)
    played.reset()
    fresh.reset()
    assert_same(played, fresh)


def test_states_that_are_damaged_or_of_another_game_are_refused() -> None:
    pong = new("pong")
    state = bytearray(pong.save())
    for place in (0, 9, 20, 5000, len(state) - 1):
        damaged = bytearray(state)
        damaged[place] ^= 1
        with pytest.raises(ValueError, match="pong"):
            pong.load(bytes(damaged))
    for wrong in (b"", bytes(state[:-1]), bytes(state) + b"\0", new("breakout").save()):
        with pytest.raises(ValueError, match="pong"):
            pong.load(wrong)
    assert_same(pong, new("pong"))


def test_wrong_rom_and_wrong_action_name_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="pong"):
        Emulator("pong", b"\0" * 4095)
    with pytest.raises(ValueError, match="no_such_game"):
        Emulator("no_such_game", b"\0" * 4096)
    with pytest.raises(ValueError, match="18"):
        new("pong").act(18)


def test_rgb_screen_is_ales() -> None:
    ours, ale = make_pair("breakout")
    np.testing.assert_array_equal(ours.screen_rgb(), ale.getScreenRGB())
