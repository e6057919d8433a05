"""Tianshou's recipes, as programs at tiny sizes."""

from pathlib import Path

import pytest
import torch

from tests.recipe_program import run_recipe

TINY = ["--max-epochs=1", "--epoch-steps=64", "--eval-games=1", "--num-threads=1", "--no-progress"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (
            "tianshou_dqn_atari.py",
            ["--num-envs=4", "--batch-size=2", "--learning-starts=64", "--buffer-size=512"],
        ),
        ("tianshou_ppo_atari.py", ["--num-envs=4", "--collect-steps=64", "--update-epochs=1"]),
    ],
)
def test_recipe_trains_evaluates_and_saves(name: str, arguments: list[str], tmp_path: Path) -> None:
    done = run_recipe(name, f"--runs-dir={tmp_path}", *TINY, *arguments)
    assert done.returncode == 0, done.stderr
    assert "best evaluation: mean return -" in done.stdout
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith(f"Pong-v5__{name.removesuffix('.py')}__1__")
    assert list(folder.glob("events.out.tfevents.*"))
    assert torch.load(folder / "policy.pt", weights_only=True)


@pytest.mark.parametrize("name", ["tianshou_dqn_atari.py", "tianshou_ppo_atari.py"])
def test_help_needs_no_heavy_import(name: str, tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit('imported torch')")
    done = run_recipe(name, "--help", PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "games that are played at once" in done.stdout
