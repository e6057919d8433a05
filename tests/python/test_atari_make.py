"""Atari by name: ROMs, presets and options."""

from pathlib import Path

import ale_py
import gymnasium
import numpy as np
import poolkit
import pytest
from poolkit import _core
from poolkit.atari import read_rom
from poolkit.rom_digests import ROM_DIGESTS

PONG = f"the ROM of pong, MD5 {ROM_DIGESTS['pong']}"


def test_each_game_has_gymnasiums_name_and_a_short_one() -> None:
    gymnasium.register_envs(ale_py)
    names = {name for name in gymnasium.registry if name.startswith("ALE/")}
    short = {name.removeprefix("ALE/") for name in names}
    assert len(names) == 104
    known = set(poolkit.list_all_envs())
    assert {name for name in known if name.startswith("ALE/")} == names
    assert short <= known


@pytest.mark.parametrize("option", ["game", "rom"])
def test_only_the_name_says_what_is_played(option: str) -> None:
    with pytest.raises(TypeError, match=f"Pong-v5 has no option '{option}'"):
        poolkit.make("Pong-v5", **{option: "breakout"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "game=None: which ROM is it?"),
        ({"game": "pong"}, "rom=None: must be the content of a ROM"),
        ({"game": "pong", "rom": b"\0"}, "pong: a ROM of 2048 bytes is expected, not 1"),
    ],
    ids=str,
)
def test_the_bare_environment_needs_a_game_and_its_rom(
    options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        _core.EnvType(_core.envs.Atari, options)


def test_unknown_game_tells_the_near_ones() -> None:
    with pytest.raises(ValueError, match="unknown environment 'Pnog-v5'; did you mean 'Pong-v5'"):
        poolkit.make("Pnog-v5")


def test_missing_rom_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match=f"{tmp_path}/x.bin: cannot read {PONG}"):
        poolkit.make("Pong-v5", rom_path=tmp_path / "x.bin")
    monkeypatch.setenv("ALE_ROMS_DIR", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=f"{tmp_path}/pong.bin: cannot read {PONG}"):
        poolkit.make("Pong-v5")


def test_altered_rom_is_named(tmp_path: Path) -> None:
    rom = bytearray(read_rom("pong"))
    rom[7] ^= 1
    file = tmp_path / "pong.bin"
    file.write_bytes(rom)
    with pytest.raises(ValueError, match=f"{file}: has MD5 [0-9a-f]+; it must be {PONG}"):
        poolkit.make("Pong-v5", rom_path=file)


def test_rom_of_ones_own_folder_plays(tmp_path: Path) -> None:
    file = tmp_path / "game.bin"
    file.write_bytes(read_rom("pong"))
    with poolkit.make("Pong-v5", rom_path=str(file)) as envs:
        assert envs.reset()[0].shape == (1, 4, 84, 84)


@pytest.mark.parametrize(
    ("name", "options", "actions"),
    [
        ("Pong-v5", {}, 6),
        ("Pong-v5", {"preset": "machado"}, 18),
        ("Pong-v5", {"preset": "machado", "full_action_space": False}, 6),
        ("ALE/Pong-v5", {"preset": "dqn"}, 6),
    ],
)
def test_preset_stands_between_defaults_and_options(
    name: str, options: dict[str, object], actions: int
) -> None:
    with poolkit.make(name, **options) as envs:
        assert envs.single_action_space.n == actions


def test_presets_set_what_was_published() -> None:
    def chosen(preset: str) -> list[object]:
        spec = poolkit.make_spec("ALE/Breakout-v5", preset=preset)
        options = {option.name: option.default for option in spec.options}
        names = "episodic_life", "reward_clip", "repeat_action_probability", "full_action_space"
        return [options[name] for name in names]

    assert chosen("dqn") == [True, True, 0.0, False]
    assert chosen("machado") == [False, False, 0.25, True]


def trajectory(name: str, **options: object) -> np.ndarray:
    with poolkit.make(name, noop_max=0, use_fire_reset=False, **options) as envs:
        envs.reset(seed=3)
        return np.concatenate([envs.step([2 + t // 9 % 2])[0] for t in range(60)])


def test_sticky_actions_by_name_and_preset() -> None:
    plain = trajectory("Pong-v5")
    sticky = trajectory("ALE/Pong-v5")
    assert not np.array_equal(plain, sticky)
    same_as_plain = trajectory("ALE/Pong-v5", preset="dqn")
    np.testing.assert_array_equal(same_as_plain, plain)
    by_option = trajectory("Pong-v5", repeat_action_probability=0.25)
    np.testing.assert_array_equal(by_option, sticky)


def test_unknown_preset_tells_the_accepted_ones() -> None:
    with pytest.raises(ValueError, match=r"preset: 'rainbow' must be one of \[None, 'dqn', "):
        poolkit.make("Pong-v5", preset="rainbow")


def test_unknown_option_tells_the_near_ones() -> None:
    with pytest.raises(TypeError, match="has no option 'frame_skips'; did you mean 'frame_skip'"):
        poolkit.make("Pong-v5", frame_skips=4)
