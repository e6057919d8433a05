"""Tianshou's recipes, as programs at tiny sizes."""

from pathlib import Path

import pytest
import torch

from tests.recipe_program import interrupt_recipe, run_recipe, run_recipe_here

TINY = [
    "--env-id=Klax-v5",  # whose games are short
    "--max-epochs=1",
    "--epoch-steps=64",
    "--eval-games=1",
    "--num-threads=1",
    "--no-progress",
]


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
    done = run_recipe_here(name, f"--runs-dir={tmp_path}", *TINY, *arguments)
    assert done.returncode == 0, done.stderr
    assert "best evaluation: mean return " in done.stdout
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith(f"Klax-v5__{name.removesuffix('.py')}__1__")
    assert list(folder.glob("events.out.tfevents.*"))
    assert torch.load(folder / "policy.pt", weights_only=True)


@pytest.mark.parametrize("name", ["tianshou_dqn_atari.py", "tianshou_ppo_atari.py"])
def test_help_needs_no_heavy_import(name: str, tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit('imported torch')")
    done = run_recipe(name, "--help", PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "games that are played at once" in done.stdout


@pytest.mark.parametrize(
    ("name", "wrong", "complaint"),
    [
        ("tianshou_dqn_atari", "--batch-size=33", "--batch-size must be in 1..32, not 33"),
        ("tianshou_dqn_atari", "--gamma=nan", "--gamma must be in 0..1, not nan"),
        ("tianshou_ppo_atari", "--num-threads=0", "--num-threads must be in 1..1000000, not 0"),
        ("tianshou_ppo_atari", "--eval-games=0", "--eval-games must be in 1..1000, not 0"),
    ],
)
def test_numbers_out_of_range_are_refused_at_once(
    name: str, wrong: str, complaint: str, tmp_path: Path
) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit('imported torch')")
    done = run_recipe(f"{name}.py", wrong, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (2, f"{name}: error: {complaint}\n")


def test_what_cannot_start_is_told_without_a_traceback() -> None:
    done = run_recipe_here("tianshou_ppo_atari.py", "--runs-dir=/dev/null/runs")
    assert done.returncode == 2
    assert done.stderr.startswith("tianshou_ppo_atari: error: ")
    assert "Not a directory: '/dev/null/runs" in done.stderr


def test_interrupted_training_keeps_its_policy(tmp_path: Path) -> None:
    options = ["--num-envs=4", "--batch-size=2", "--buffer-size=512"]
    done = interrupt_recipe("tianshou_dqn_atari.py", *options, f"--runs-dir={tmp_path}")
    assert (done.returncode, done.stderr) == (130, "")
    (saved,) = tmp_path.glob("*/last_policy.pt")
    assert torch.load(saved, weights_only=True)
