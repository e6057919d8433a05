"""docs/atari.md tells of each option, with its default, and of each preset."""

import ast
import re
from pathlib import Path

import poolkit
from poolkit.atari import PRESETS

DOCS = (Path(__file__).parents[2] / "docs" / "atari.md").read_text()


def test_each_option_is_told_with_its_default() -> None:
    told = {
        name: ast.literal_eval(default)
        for name, default in re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", DOCS, re.MULTILINE)
    }
    assert told == {o.name: o.default for o in poolkit.make_spec("Pong-v5").options}


def test_each_preset_is_told() -> None:
    told = dict(re.findall(r'^\| `"(\w+)"` \| `([^`]+)` \|', DOCS, re.MULTILINE))
    assert told == {
        name: ", ".join(f"{option}={value!r}" for option, value in preset.items())
        for name, preset in PRESETS.items()
    }
