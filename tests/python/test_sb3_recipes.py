"""The recipes with Stable-Baselines3, as programs at tiny size."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.recipe_program import run_recipe

ATARI = [
    "--env-id=Breakout-v5",
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
    done = run_recipe(f"{recipe}.py", *ATARI, *options, f"--runs-dir={tmp_path}")
    assert done.returncode == 0, done.stderr
    (run_dir,) = tmp_path.iterdir()
    assert run_dir.name.startswith(f"Breakout-v5__{recipe}__1__")
    assert "evaluation: mean return" in done.stdout
    returns = np.load(run_dir / "evaluations.npz")["results"]
    assert returns.shape == (1, 2)
    for name in ("model.zip", "best_model.zip", "checkpoints/rl_model_32_steps.zip"):
        assert (run_dir / name).stat().st_size > 1_000_000, name
    assert len(list(run_dir.glob("agent*.mp4"))) == 1
    assert len(list(run_dir.glob("*/events.out.tfevents.*"))) == 1


def test_tradeoffs_recipe_draws_what_it_measured(tmp_path: Path) -> None:
    tiny = ["--num-envs", "2", "--algorithms", "A2C", "--num-runs=2", "--steps=40"]
    done = run_recipe(
        "vec_env_tradeoffs.py", *tiny, "--seconds=0.01", "--eval-episodes=2", f"--out={tmp_path}"
    )
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text())["results"]
    assert [entry["kind"] for entry in results] == ["DummyVecEnv", "SubprocVecEnv", "PoolVecEnv"]
    # The same seeds: the kinds differ in speed alone.
    assert len({tuple(entry["return_after_fixed_steps"]) for entry in results}) == 1
    for entry in results:
        assert len(entry["return_after_fixed_time"]) == 2
        assert min(entry["steps_per_second"]) > 0
    assert (tmp_path / "tradeoffs.png").read_bytes().startswith(b"\x89PNG")
