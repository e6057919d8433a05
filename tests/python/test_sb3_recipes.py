"""The recipes with Stable-Baselines3, as programs at tiny size."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.recipe_program import interrupt_recipe, run_recipe, run_recipe_here

ATARI = [
    "--env-id=Klax-v5",  # whose games are short
    "--device=cpu",
    "--num-envs=2",
    "--total-timesteps=32",
    "--eval-every=32",
    "--eval-games=2",
    "--checkpoint-every=16",
    "--video-steps=5",
]


@pytest.mark.parametrize("recipe", ["sb3_ppo_atari", "sb3_dqn_atari", "vec_env_tradeoffs"])
def test_help_needs_no_heavy_import(recipe: str, tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit('imported torch')")
    done = run_recipe(f"{recipe}.py", "--help", PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "--num-envs" in done.stdout
    assert run_recipe(f"{recipe}.py", "--num-env=2", PYTHONPATH=str(tmp_path)).returncode == 2


@pytest.mark.parametrize(
    ("recipe", "options"),
    [
        ("sb3_ppo_atari", ["--num-steps=8", "--batch-size=8", "--num-epochs=1"]),
        ("sb3_dqn_atari", ["--buffer-size=64", "--learning-starts=16", "--batch-size=4"]),
    ],
)
def test_atari_recipe_leaves_what_it_promises(
    recipe: str, options: list[str], tmp_path: Path
) -> None:
    done = run_recipe_here(f"{recipe}.py", *ATARI, *options, f"--runs-dir={tmp_path}")
    assert done.returncode == 0, done.stderr
    (run_dir,) = tmp_path.iterdir()
    assert run_dir.name.startswith(f"Klax-v5__{recipe}__1__")
    assert "evaluation: mean return" in done.stdout
    returns = np.load(run_dir / "evaluations.npz")["results"]
    assert returns.shape == (1, 2)
    for name in ("model.zip", "best_model.zip", "checkpoints/rl_model_32_steps.zip"):
        assert (run_dir / name).stat().st_size > 1_000_000, name
    assert len(list(run_dir.glob("agent*.mp4"))) == 1
    assert len(list(run_dir.glob("*/events.out.tfevents.*"))) == 1


@pytest.mark.parametrize(
    ("recipe", "wrong", "complaint"),
    [
        ("sb3_ppo_atari", "--num-envs=0", "--num-envs must be in 1..1000000, not 0"),
        ("sb3_ppo_atari", "--batch-size=1", "--batch-size must be in 2..1024, not 1"),
        ("sb3_dqn_atari", "--learning-rate=nan", "--learning-rate must be in 0..1, not nan"),
        ("sb3_dqn_atari", "--buffer-size=7", "--buffer-size must be in 8..1000000000, not 7"),
        ("vec_env_tradeoffs", "--num-envs=0", "--num-envs must be in 1..1000, not 0"),
        ("vec_env_tradeoffs", "--seconds=nan", "--seconds must be in 0.001..1000000, not nan"),
    ],
)
def test_numbers_out_of_range_are_refused_at_once(
    recipe: str, wrong: str, complaint: str, tmp_path: Path
) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit('imported torch')")
    done = run_recipe(f"{recipe}.py", wrong, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (2, f"{recipe}: error: {complaint}\n")


@pytest.mark.parametrize(
    ("recipe", "wrong", "complaint"),
    [
        ("sb3_ppo_atari", "--env-id=CartPole-v1", "--env-id CartPole-v1: not an Atari game"),
        ("sb3_dqn_atari", "--runs-dir=/dev/null/runs", "Not a directory: '/dev/null/runs"),
        ("vec_env_tradeoffs", "--out=/dev/null/out", "Not a directory: '/dev/null/out"),
    ],
)
def test_what_cannot_start_is_told_without_a_traceback(
    recipe: str, wrong: str, complaint: str
) -> None:
    done = run_recipe_here(f"{recipe}.py", wrong)
    assert done.returncode == 2
    assert done.stderr.startswith(f"{recipe}: error: ")
    assert complaint in done.stderr


def test_interrupted_training_keeps_its_model(tmp_path: Path) -> None:
    options = ["--device=cpu", "--num-envs=2", "--buffer-size=64", f"--runs-dir={tmp_path}"]
    done = interrupt_recipe("sb3_dqn_atari.py", *options)
    assert (done.returncode, done.stderr) == (130, "")
    assert "interrupted at " in done.stdout
    assert len(list(tmp_path.glob("*/model.zip"))) == 1


def test_tradeoffs_recipe_draws_what_it_measured(tmp_path: Path) -> None:
    tiny = ["--num-envs", "2", "--algorithms", "A2C", "--num-runs=2", "--steps=40"]
    tiny += ["--work-envs=4", "--work-seconds=0.001"]
    done = run_recipe(
        "vec_env_tradeoffs.py", *tiny, "--seconds=0.01", "--eval-episodes=2", f"--out={tmp_path}"
    )
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "results.json").read_text())
    results = told["results"]
    assert [entry["kind"] for entry in results] == ["DummyVecEnv", "SubprocVecEnv", "PoolVecEnv"]
    # The same seeds: the kinds differ in speed alone.
    assert len({tuple(entry["return_after_fixed_steps"]) for entry in results}) == 1
    for entry in results:
        assert len(entry["return_after_fixed_time"]) == 2
        assert min(entry["steps_per_second"]) > 0
    in_python = told["python_envs"]
    assert len({(entry["work"], entry["kind"]) for entry in in_python}) == len(in_python) == 12
    assert all(
        len(e["steps_per_second"]) == 2 and min(e["steps_per_second"]) > 0 for e in in_python
    )
    for picture in ("tradeoffs.png", "python_envs.png"):
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")
