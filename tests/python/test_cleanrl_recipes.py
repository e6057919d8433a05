"""The recipes in CleanRL's manner: as programs, at tiny size, and what all of them promise."""

import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import poolkit
import pytest
import torch
from poolkit.adapters.cleanrl import parse_args
from poolkit.cli import main as poolkit_main

from tests.recipe_program import RECIPES, load_recipe, run_recipe, run_recipe_here

# Small and in lock-step; four updates, or more.
TINY: dict[str, dict[str, Any]] = {
    "ppo": {"num_envs": 2, "num_steps": 16, "total_timesteps": 128},
    "ppo_continuous": {
        "num_envs": 2,
        "num_steps": 16,
        "num_minibatches": 2,
        "update_epochs": 1,
        "total_timesteps": 128,
    },
    "ppo_atari": {
        "env_id": "Breakout-v5",
        "network": "nips",
        "num_envs": 2,
        "batch_size": 2,
        "num_steps": 8,
        "num_minibatches": 2,
        "update_epochs": 1,
        "total_timesteps": 64,
    },
    "dqn_atari": {
        "env_id": "Klax-v5",  # whose games are short
        "network": "nips",
        "num_envs": 2,
        "batch_size": 2,
        "buffer_size": 300,
        "learning_starts": 150,
        "train_frequency": 8,
        "target_frequency": 3,
        "exploration_fraction": 0.5,
        "total_timesteps": 600,
    },
}


@pytest.fixture
def signals() -> Iterator[None]:
    """Puts back what a recipe's run has changed."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("name", TINY)
def test_help_needs_no_heavy_import(name: str, tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit('imported torch')")
    done = run_recipe(f"{name}.py", "--help", PYTHONPATH=f"{tmp_path}:{os.getenv('PYTHONPATH')}")
    assert done.returncode == 0, done.stderr
    for option in ("--total-timesteps", "--track", "--capture-video", "--resume", "--cuda"):
        assert option in done.stdout


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("ppo_atari", ["--num-envs=4", "--batch-size=5"], "--batch-size must be in 1..4, not 5"),
        (
            "ppo",
            ["--num-envs=2", "--num-steps=2", "--num-minibatches=5"],
            "minibatches must be in 1..4",
        ),
        ("ppo_atari", ["--network=resnet"], "resnet"),
        ("ppo", ["--num-steps=0"], "--num-steps"),
        ("ppo", ["--clip-coef=nan"], "--clip-coef"),
        ("ppo", ["--max-grad-norm=-1"], "--max-grad-norm"),
        ("ppo", ["--checkpoint-minutes=nan"], "--checkpoint-minutes"),
        ("ppo", ["--resume=no-such-run"], "no-such-run"),
        ("ppo", ["--num-env=1"], "num-env"),
        ("ppo_continuous", ["--gamma=1.5"], "--gamma"),
        ("dqn_atari", ["--learning-starts=50", "--buffer-size=500"], "--learning-starts"),
    ],
)
def test_bad_argument_is_one_clear_error(
    name: str,
    arguments: list[str],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert says in error_of(name, arguments, monkeypatch, capsys)


def error_of(
    name: str,
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> str:
    recipe = load_recipe(name)
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *arguments])
    with pytest.raises(SystemExit) as error:
        parse_args(recipe.Args, recipe.limits, "")
    assert error.value.code == 2
    out, err = capsys.readouterr()
    return out + err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ("no JSON", "args.json"),
        ("[]", "args.json"),
        ('{"banana": 1}', "banana"),
        ('{"runs_dir": 5}', "args.json"),
        ('{"num_envs": "x"}', "num_envs is 'x'"),
    ],
)
def test_damaged_arguments_are_not_resumed(
    args: str,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "args.json").write_text(args)
    (tmp_path / "checkpoint.pt").write_text("junk")
    assert says in error_of("ppo", [f"--resume={tmp_path}"], monkeypatch, capsys)


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("ppo", {"env_id": "CartPol-v1"}, "CartPole-v1"),
        ("ppo", {"env_id": "Pendulum-v1"}, "where this recipe needs a Discrete"),
        ("ppo", {"env_id": "Taxi-v4"}, "Discrete(500), where this recipe needs a Box"),
        ("ppo_continuous", {"env_id": "CartPole-v1"}, "where this recipe needs a Box"),
        ("ppo_atari", {"env_id": "CartPole-v1"}, "not an environment for this recipe"),
        ("ppo", {"runs_dir": Path("/proc/runs")}, "/proc/runs"),
        ("ppo", {"num_threads": 0}, "num_threads"),
        ("ppo", {"cuda": True}, "--cuda"),
        ("ppo", {"track": True}, "--track needs wandb"),
    ],
)
@pytest.mark.usefixtures("signals")
def test_what_cannot_be_run_is_one_clear_error(
    name: str,
    arguments: dict[str, Any],
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setitem(sys.modules, "wandb", None)  # as where it is missing
    recipe = load_recipe(name)
    with pytest.raises(SystemExit) as error:
        recipe.main(recipe.Args(**{"runs_dir": tmp_path, **arguments}))
    assert error.value.code == 2
    assert says in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


class Killed(BaseException):
    """The end of a process: nothing is saved after it."""


@pytest.mark.parametrize("name", TINY)
@pytest.mark.usefixtures("signals")
def test_run_that_was_killed_and_resumed_equals_the_unbroken_one(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = load_recipe(name)
    learn = recipe.learn
    arguments = {"eval_games": 0, "num_threads": 1, **TINY[name]}

    def run(folder: str, updates: int = 1000, **more: Any) -> Path:
        def learn_so_often(*args: Any) -> Any:
            nonlocal updates
            updates -= 1
            if updates < 0:
                raise Killed
            return learn(*args)

        monkeypatch.setattr(recipe, "learn", learn_so_often)
        args = recipe.Args(**{"runs_dir": tmp_path / folder, **arguments, **more})
        if updates < 1000:
            with pytest.raises(Killed):
                recipe.main(args)
        else:
            assert recipe.main(args) == 0
        (run_dir,) = (tmp_path / folder).iterdir()
        return run_dir

    unbroken = torch.load(run("unbroken") / "checkpoint.pt", weights_only=True)
    killed = run("killed", updates=40 if name == "dqn_atari" else 2, checkpoint_minutes=0)
    before = torch.load(killed / "checkpoint.pt", weights_only=True)
    run("killed", resume=killed)
    resumed = torch.load(killed / "checkpoint.pt", weights_only=True)

    assert before["curve"]["steps"] < resumed["curve"]["steps"] == unbroken["curve"]["steps"]
    assert resumed["curve"]["seconds"] > before["curve"]["seconds"]
    for ours, expected in zip(resumed["curve"]["games"], unbroken["curve"]["games"], strict=True):
        assert (ours[0], *ours[2:]) == (expected[0], *expected[2:])  # not the time
    for part in resumed.keys() - {"curve"}:
        assert_same(resumed[part], unbroken[part])


def assert_same(ours: Any, expected: Any) -> None:
    if isinstance(expected, torch.Tensor):
        assert torch.equal(ours, expected)
    elif isinstance(expected, dict):
        assert ours.keys() == expected.keys()
        for key in expected:
            assert_same(ours[key], expected[key])
    elif isinstance(expected, list | tuple):
        for one, other in zip(ours, expected, strict=True):
            assert_same(one, other)
    else:
        assert ours == expected


def command_line(name: str) -> list[str]:
    return [f"--{key.replace('_', '-')}={value}" for key, value in TINY[name].items()]


@pytest.mark.parametrize("name", TINY)
def test_program_leaves_what_it_promises(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracked: dict[str, Any] = {}
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=tracked.update))
    done = run_recipe_here(
        f"{name}.py",
        *command_line(name),
        "--eval-games=2",
        "--capture-video",
        "--track",
        f"--runs-dir={tmp_path}",
    )
    assert done.returncode == 0, done.stderr
    assert tracked["sync_tensorboard"]
    (run_dir,) = tmp_path.iterdir()
    summary = json.loads((run_dir / "summary.json").read_text())
    assert run_dir.name.startswith(f"{summary['env_id']}__{name}__1__")
    assert (summary["status"], summary["seed"]) == ("finished", 1)
    assert summary["steps"] == TINY[name]["total_timesteps"]
    assert len(summary["evaluation_returns"]) == 2
    assert json.loads((run_dir / "args.json").read_text())["num_envs"] == 2
    assert (run_dir / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert (run_dir / "evaluation.mp4").stat().st_size > 1000
    assert len(list(run_dir.glob("events.out.tfevents.*"))) == 1


@pytest.mark.usefixtures("signals")
def test_ppo_holds_the_pole_up(tmp_path: Path) -> None:
    recipe = load_recipe("ppo")
    assert recipe.main(recipe.Args(total_timesteps=60_000, num_threads=1, runs_dir=tmp_path)) == 0
    (run_dir,) = tmp_path.iterdir()
    returns = json.loads((run_dir / "summary.json").read_text())["evaluation_returns"]
    assert sum(returns) / len(returns) >= 475


def test_interrupt_saves_and_exits(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, str(RECIPES / "ppo.py"), f"--runs-dir={tmp_path}", "--num-threads=1"],
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert "training on cpu" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=300)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert "Traceback" not in stderr
    (run_dir,) = tmp_path.iterdir()
    assert json.loads((run_dir / "summary.json").read_text())["status"] == "interrupted"
    assert (run_dir / "checkpoint.pt").is_file()


def test_poolkit_play_plays_the_model_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = (*command_line("ppo_atari"), "--eval-games=0", "--save-model")
    done = run_recipe_here("ppo_atari.py", f"--runs-dir={tmp_path}", *tiny)
    assert done.returncode == 0, done.stderr
    (run_dir,) = tmp_path.iterdir()
    played: list[int] = []
    step = poolkit.GymnasiumVectorEnv.step

    def noted(envs: Any, action: Any) -> Any:
        played.append(int(action[0]))
        return step(envs, action)

    with monkeypatch.context() as patch:
        patch.setattr(poolkit.GymnasiumVectorEnv, "step", noted)
        files = ("--policy", str(run_dir / "policy.pt2"), "--video", str(run_dir / "game.mp4"))
        assert poolkit_main(["play", "Breakout-v5", *files, "--steps=20", "--seed=3"]) == 0
    assert (run_dir / "game.mp4").stat().st_size > 1000

    policy = load_recipe("ppo_atari").Policy(4, 4, "nips", False)
    policy.load_state_dict(torch.load(run_dir / "checkpoint.pt", weights_only=True)["policy"])
    exported = torch.export.load(run_dir / "policy.pt2").module()
    with poolkit.make("Breakout-v5", seed=3) as envs, torch.inference_mode():
        obs = torch.from_numpy(envs.reset()[0])
        for action in played:
            expected = policy(obs)[0].probs
            torch.testing.assert_close(exported(obs).softmax(1), expected)
            assert action == expected.argmax()
            obs = torch.from_numpy(envs.step([action])[0])
    assert len(played) == 20


def test_timeline_recipe_draws_what_it_measured(tmp_path: Path) -> None:
    load_recipe("ppo_atari")  # which it imports
    recipe = load_recipe("asynchronous_timeline")
    args = recipe.Args(num_envs=4, batch_size=2, num_threads=1, seconds=0.2, out=tmp_path)
    spans = recipe.measure(args, batch_size=2)
    network = [(start, end) for start, end, env in spans if env < 0]
    assert all(start <= end for start, end, _ in spans)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(network))
    for env in range(4):
        own = [(start, end) for start, end, its in spans if its == env]
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(own))
    recipe.main(args)
    assert (tmp_path / "timeline.png").read_bytes().startswith(b"\x89PNG")
    rates = json.loads((tmp_path / "timeline.json").read_text())
    assert rates["lock-step"]["steps_per_second"] > 0 < rates["asynchronous"]["network_busy"]


@pytest.mark.usefixtures("signals")
def test_runs_are_compared(tmp_path: Path) -> None:
    ppo = load_recipe("ppo")
    for seed in (1, 2):
        arguments = {**TINY["ppo"], "eval_games": 1, "num_threads": 1, "runs_dir": tmp_path}
        assert ppo.main(ppo.Args(seed=seed, **arguments)) == 0
    recipe = load_recipe("compare_runs")
    recipe.main(recipe.Args(runs=list(tmp_path.iterdir()), out=tmp_path / "both"))
    assert (tmp_path / "both.png").read_bytes().startswith(b"\x89PNG")
    results = json.loads((tmp_path / "both.json").read_text())
    assert [result["args"]["seed"] for result in results] == [1, 2]
    assert all(r["mean_evaluation_return"] == r["evaluation_returns"][0] for r in results)
