"""Atari 2600: a registered name for each game, and the ROM that it runs."""

import functools
import hashlib
import importlib.util
import os
from pathlib import Path
from typing import Annotated, Any

from . import _core
from .registry import register
from .rom_digests import ROM_DIGESTS

PRESETS: dict[str, dict[str, Any]] = {
    # Mnih et al. 2015, "Human-level control through deep reinforcement learning".
    "dqn": {
        "episodic_life": True,
        "reward_clip": True,
        "repeat_action_probability": 0.0,
    },
    # Machado et al. 2018, "Revisiting the Arcade Learning Environment".
    "machado": {
        "episodic_life": False,
        "reward_clip": False,
        "repeat_action_probability": 0.25,
        "full_action_space": True,
    },
}
"""The published protocols: what `preset` sets, unless an option says otherwise."""


def _prepare(
    game: str,
    /,
    *,
    preset: Annotated[str | None, "A published protocol: dqn or machado."] = None,
    rom_path: Annotated[str | Path | None, "The ROM's file, if not the one of ale-py."] = None,
    **options: Any,
) -> dict[str, Any]:
    if preset is not None and preset not in PRESETS:
        raise ValueError(f"preset: {preset!r} must be one of {[None, *PRESETS]}")
    chosen = PRESETS[preset] if preset is not None else {}
    return {"game": game, "rom": read_rom(game, rom_path)} | chosen | options


def read_rom(game: str, path: str | Path | None = None) -> bytes:
    """The bytes of a game's ROM: `path`, or the file that ale-py ships.

    The environment variable ALE_ROMS_DIR names another folder, as for ale-py.

    Raises:
        FileNotFoundError: If it is missing; names the file, the game and its MD5.
        ValueError: If it is another file than the emulator was tested with; likewise.

    >>> len(read_rom("pong"))
    2048
    """
    file = Path(path) if path is not None else _rom_folder() / f"{game}.bin"
    expected = f"the ROM of {game}, MD5 {ROM_DIGESTS[game]}"
    try:
        rom = file.read_bytes()
    except OSError as error:
        raise FileNotFoundError(f"{file}: cannot read {expected}: {error.strerror}") from error
    digest = hashlib.md5(rom, usedforsecurity=False).hexdigest()
    if digest != ROM_DIGESTS[game]:
        raise ValueError(f"{file}: has MD5 {digest}; it must be {expected}")
    return rom


def _rom_folder() -> Path:
    if folder := os.environ.get("ALE_ROMS_DIR"):
        return Path(folder)
    package = importlib.util.find_spec("ale_py")  # importing it would take longer than an episode
    if package is None or not package.submodule_search_locations:
        raise ModuleNotFoundError("the ROMs come with ale-py: pip install ale-py")
    return Path(package.submodule_search_locations[0]) / "roms"


def _register(game: str) -> None:
    """As Pong-v5, by EnvPool's conventions, and as ALE/Pong-v5, with sticky actions."""
    prepare = functools.partial(_prepare, game)
    name = "".join(word.title() for word in game.split("_"))
    add = functools.partial(
        register,
        env=_core.envs.Atari,
        prepare=prepare,
        private=("game", "rom"),
        render_fps=15,
        max_episode_steps=27_000,  # half an hour of play with frame_skip=4
        img_height=84,
        img_width=84,
    )
    add(f"{name}-v5")
    add(f"ALE/{name}-v5", repeat_action_probability=0.25)


for _game in _core.atari_games():
    _register(_game)
