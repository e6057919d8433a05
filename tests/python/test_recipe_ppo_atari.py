"""The PPO recipe: as a program at tiny size, and its collector against plain synchronous PPO."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import poolkit
import pytest
import torch

from tests.recipe_program import RECIPES, run_recipe

RECIPE = RECIPES / "ppo_atari.py"
TINY = [
    "--network=nips",
    "--num-envs=4",
    "--batch-size=2",
    "--num-threads=1",
    "--num-steps=8",
    "--num-minibatches=2",
    "--update-epochs=1",
    "--eval-games=0",
]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_recipe("ppo_atari.py", *arguments, **environment)


@pytest.fixture(scope="module")
def recipe() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ppo_atari", RECIPE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["ppo_atari"] = module
    spec.loader.exec_module(module)
    return module


# The program


def test_help_needs_no_heavy_import(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise SystemExit('imported torch')")
    done = run("--help", PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "--batch-size" in done.stdout
    assert "games that the policy answers at a time" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--num-envs=4", "--batch-size=5"], "--batch-size"),
        (["--num-steps=0"], "--num-steps"),
        (["--num-envs=2", "--batch-size=1", "--num-steps=2", "--num-minibatches=5"], "minibatches"),
        (["--resume=no-such-run"], "no-such-run"),
        (["--clip-coef=nan"], "--clip-coef"),
        (["--max-grad-norm=-1"], "--max-grad-norm"),
        (["--checkpoint-minutes=nan"], "--checkpoint-minutes"),
        (["--network=resnet"], "resnet"),
        (["--env-id=Pongg-v5"], "Pong-v5"),
        (["--env-id=CartPole-v1"], "not an Atari game"),
        (["--runs-dir=/proc/runs"], "/proc/runs"),
    ],
)
def test_bad_argument_is_one_clear_error(arguments: list[str], says: str, tmp_path: Path) -> None:
    done = run(f"--runs-dir={tmp_path}", *arguments)
    assert done.returncode == 2
    assert says in done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ("no JSON", "args.json"),
        ("[]", "args.json"),
        ('{"banana": 1}', "banana"),
        ('{"num_envs": "x"}', "--num-envs"),
        ("{}", "checkpoint.pt cannot be read"),
    ],
)
def test_damaged_run_is_not_resumed(args: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "args.json").write_text(args)
    (tmp_path / "checkpoint.pt").write_text("junk")
    done = run(f"--resume={tmp_path}")
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_run_then_resume_continues_the_same_curve(tmp_path: Path) -> None:
    done = run("--total-timesteps=64", f"--runs-dir={tmp_path}", *TINY)
    assert done.returncode == 0, done.stderr
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("Pong-v5__ppo_atari__1__")
    assert list(folder.glob("events.out.tfevents.*"))
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    first = json.loads((folder / "summary.json").read_text())
    assert (first["status"], first["steps"]) == ("finished", 64)
    before = torch.load(folder / "checkpoint.pt", weights_only=True)

    done = run(f"--resume={folder}", "--total-timesteps=128")
    assert done.returncode == 0, done.stderr
    second = json.loads((folder / "summary.json").read_text())
    assert second["steps"] == 128
    assert json.loads((folder / "args.json").read_text())["num_envs"] == 4  # not given again
    after = torch.load(folder / "checkpoint.pt", weights_only=True)
    assert after["seconds"] > before["seconds"]
    updates = [state["optimizer"]["state"][0]["step"] for state in (before, after)]
    assert updates == [4, 8]
    assert not torch.equal(before["rng"], after["rng"])


def test_evaluation_plays_whole_unclipped_games(recipe: ModuleType) -> None:
    args = recipe.Args(eval_games=2, num_threads=1, seed=3)
    policy = recipe.Policy(4, 6, "nips", False)
    returns = recipe.evaluate(policy, args, torch.device("cpu"))
    assert len(returns) == 2
    assert all(-21 <= value <= -17 for value in returns)  # an untrained player


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_saves_and_exits(number: signal.Signals, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, str(RECIPE), f"--runs-dir={tmp_path}", *TINY],
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert "parameters" in process.stdout.readline()  # it trains
        process.send_signal(number)
        _, stderr = process.communicate(timeout=300)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert "Traceback" not in stderr
    (folder,) = tmp_path.iterdir()
    assert json.loads((folder / "summary.json").read_text())["status"] == "interrupted"
    assert (folder / "checkpoint.pt").is_file()


# The algorithm


def make_pool(batch_size: int, max_episode_steps: int = 20) -> Any:
    """Breakout loses lives soon, and the limit cuts its games: both kinds of end."""
    return poolkit.make(
        "Breakout-v5",
        num_envs=4,
        batch_size=batch_size,
        num_threads=1,
        seed=5,
        autoreset="same_step",
        episodic_life=True,
        reward_clip=True,
        max_episode_steps=max_episode_steps,
    )


def synchronous_rollouts(
    recipe: ModuleType, policy: Any, optimizer: Any, args: Any
) -> Iterator[dict[str, Any]]:
    """Plain PPO, as in CleanRL: (step, env) arrays, and an update after each rollout."""
    pool = make_pool(args.num_envs)
    shape = (args.num_steps, args.num_envs)
    obs, _ = pool.reset()
    next_done = torch.zeros(args.num_envs)
    while True:
        all_obs = torch.zeros((*shape, *obs.shape[1:]), dtype=torch.uint8)
        actions = torch.zeros(shape, dtype=torch.int64)
        log_probs, rewards, dones, values = (torch.zeros(shape) for _ in range(4))
        with torch.no_grad():
            for step in range(args.num_steps):
                all_obs[step] = torch.from_numpy(obs)
                dones[step] = next_done
                distribution, values[step] = policy(all_obs[step])
                actions[step] = distribution.sample()
                log_probs[step] = distribution.log_prob(actions[step])
                obs, reward, terminated, truncated, info = pool.step(actions[step].numpy())
                rewards[step] = torch.from_numpy(reward)
                if (cut := truncated & ~terminated).any():
                    final_obs = torch.from_numpy(info["final_obs"][cut])
                    rewards[step, cut] += args.gamma * policy(final_obs)[1]
                next_done = torch.from_numpy(terminated | truncated).float()
            next_value = policy(torch.from_numpy(obs))[1]
            advantages = torch.zeros(shape)
            last = torch.zeros(args.num_envs)
            for t in reversed(range(args.num_steps)):
                is_last = t == args.num_steps - 1
                nonterminal = 1.0 - (next_done if is_last else dones[t + 1])
                following = next_value if is_last else values[t + 1]
                delta = rewards[t] + args.gamma * following * nonterminal - values[t]
                last = delta + args.gamma * args.gae_lambda * nonterminal * last
                advantages[t] = last
        batch = {
            "obs": all_obs.flatten(0, 1).contiguous(memory_format=torch.channels_last),
            "actions": actions.flatten(),
            "log_probs": log_probs.flatten(),
            "values": values.flatten(),
            "advantages": advantages.flatten(),
            "returns": (advantages + values).flatten(),
        }
        rows = torch.arange(args.num_envs * args.num_steps)
        recipe.learn(policy, optimizer, recipe.Rollout(rows, **batch), args)
        yield batch | {"dones": dones}


def tiny_learner(recipe: ModuleType, batch_size: int) -> tuple[Any, Any, Any]:
    args = recipe.Args(
        num_envs=4, batch_size=batch_size, num_steps=16, num_minibatches=4, update_epochs=2
    )
    torch.manual_seed(0)
    policy = recipe.Policy(4, 4, "nips", False)
    return policy, torch.optim.Adam(policy.parameters(), lr=1e-3, eps=1e-5), args


def test_with_all_envs_in_a_batch_it_is_synchronous_ppo(recipe: ModuleType) -> None:
    policy, optimizer, args = tiny_learner(recipe, batch_size=4)
    collector = recipe.Collector(make_pool(4), policy, args, torch.device("cpu"))
    ours = []
    for _ in range(4):
        rollout = collector.collect()
        ours.append(
            {name: getattr(rollout, name)[rollout.rows].clone() for name in rollout._fields[1:]}
        )
        recipe.learn(policy, optimizer, rollout, args)

    reference_policy, optimizer, args = tiny_learner(recipe, batch_size=4)
    reference = synchronous_rollouts(recipe, reference_policy, optimizer, args)
    ends = 0.0
    for rollout, expected in zip(ours, reference, strict=False):
        ends += expected.pop("dones").sum().item()
        for name, values in expected.items():
            assert torch.equal(rollout[name], values), name
    assert ends > 8
    for weights, expected in zip(policy.parameters(), reference_policy.parameters(), strict=True):
        assert torch.equal(weights, expected)


def test_asynchronous_advantages_are_each_envs_own_gae(recipe: ModuleType) -> None:
    policy, _, args = tiny_learner(recipe, batch_size=3)
    collector = recipe.Collector(make_pool(3), policy, args, torch.device("cpu"))
    for _ in range(3):
        rollout = collector.collect()
        rows, advantages = rollout.rows.numpy(), rollout.advantages.numpy()
        waiting = dict(
            zip(
                collector.waiting_ids.tolist(),
                policy(collector.waiting_obs)[1].tolist(),
                strict=True,
            )
        )
        assert 64 <= len(rows) < 64 + 3
        for env in range(4):
            own = [row for row in rows if collector.env_ids[row] == env]
            open_row = collector.open_row[env]
            assert (open_row < 0) == (env in waiting)
            following = waiting[env] if env in waiting else rollout.values[open_row].item()
            advantage = 0.0
            for row in reversed(own):
                goes_on = 1.0 - collector.ends[row]
                value = rollout.values[row].item()
                delta = collector.rewards[row] + args.gamma * following * goes_on - value
                advantage = delta + args.gamma * args.gae_lambda * goes_on * advantage
                following = value
                np.testing.assert_allclose(advantages[row], advantage, rtol=1e-4, atol=1e-5)


def test_an_envs_rows_are_the_trajectory_of_its_actions(recipe: ModuleType) -> None:
    """Each reward and observation belongs to the right action, whatever batch it came in."""
    policy, _, args = tiny_learner(recipe, batch_size=3)
    collector = recipe.Collector(make_pool(3), policy, args, torch.device("cpu"))
    history: list[list[tuple[Any, int, float, float]]] = [[], [], [], []]
    for _ in range(3):
        rollout = collector.collect()
        for row in rollout.rows.tolist():
            history[collector.env_ids[row]].append(
                (
                    rollout.obs[row].clone().numpy(),
                    int(rollout.actions[row]),
                    float(collector.rewards[row]),
                    float(collector.ends[row]),
                )
            )
    # The same actions in lock-step: each env goes on until its own history ends.
    replay = make_pool(4)
    obs, _ = replay.reset()
    for step in range(max(len(rows) for rows in history)):
        going = [env for env in range(4) if step < len(history[env])]
        actions = [history[env][step][1] if env in going else 0 for env in range(4)]
        for env in going:
            np.testing.assert_array_equal(history[env][step][0], obs[env])
        obs, reward, terminated, truncated, _ = replay.step(np.array(actions))
        for env in going:
            _, _, ours, end = history[env][step]
            assert end == float(terminated[env] or truncated[env])
            if not truncated[env]:
                assert ours == reward[env]


def test_open_rows_are_carried_over_an_update(recipe: ModuleType) -> None:
    policy, _, args = tiny_learner(recipe, batch_size=1)
    collector = recipe.Collector(make_pool(1), policy, args, torch.device("cpu"))
    rollout = collector.collect()
    open_envs = np.flatnonzero(collector.open_row >= 0)
    assert len(open_envs) == 3
    old = {
        env: (
            rollout.obs[row].clone(),
            rollout.actions[row].item(),
            rollout.log_probs[row].item(),
        )
        for env, row in zip(open_envs, collector.open_row[open_envs], strict=True)
    }
    with torch.no_grad():
        policy.actor.bias += torch.tensor([1.0, -1.0, 2.0, 0.0])  # another policy
    rollout = collector.collect()
    for env, (obs, action, log_prob) in old.items():
        first = next(row for row in rollout.rows.tolist() if collector.env_ids[row] == env)
        assert torch.equal(rollout.obs[first], obs)
        assert rollout.actions[first].item() == action
        assert rollout.log_probs[first].item() == log_prob
