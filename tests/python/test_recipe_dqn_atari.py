"""The Atari DQN recipe: its replay buffer against all that happened, and its targets."""

from types import ModuleType
from typing import Any

import numpy as np
import poolkit
import pytest
import torch

from tests.recipe_program import load_recipe


@pytest.fixture(scope="module")
def recipe() -> ModuleType:
    return load_recipe("dqn_atari")


class Recorder:
    """A pool that remembers each transition, whole."""

    def __init__(self, envs: Any) -> None:
        self.envs = envs
        self.last: dict[int, Any] = {}
        self.sent: dict[int, Any] = {}
        self.happened: list[tuple[int, Any]] = []
        self.terminations = self.truncations = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.envs, name)

    def send(self, actions: Any, env_ids: Any) -> None:
        for env, action in zip(env_ids.tolist(), actions.tolist(), strict=True):
            self.sent[env] = (self.last[env].tobytes(), action)
        self.envs.send(actions, env_ids)

    def recv(self) -> Any:
        result = obs, reward, terminated, truncated, info = self.envs.recv()
        for row, env in enumerate(info["env_id"].tolist()):
            ended = terminated[row] or truncated[row]
            next_obs = info["final_obs"][row] if ended else obs[row]
            if env in self.sent:
                outcome = (float(reward[row]), bool(terminated[row]), next_obs.tobytes())
                self.happened.append((env, self.sent.pop(env) + outcome))
            self.last[env] = obs[row]
        self.terminations += int(terminated.sum())
        self.truncations += int((truncated & ~terminated).sum())
        return result


def test_buffer_gives_back_what_happened(recipe: ModuleType) -> None:
    """Lost lives, time limits, a ring that goes round and envs of different speed."""
    envs = Recorder(
        poolkit.make(
            "Breakout-v5",
            num_envs=4,
            batch_size=3,
            num_threads=1,
            seed=2,
            autoreset="same_step",
            episodic_life=True,
            reward_clip=True,
            max_episode_steps=70,
        )
    )
    args = recipe.Args(num_envs=4, batch_size=3, buffer_size=4 * 60)
    network = recipe.QNetwork(4, 4, "nips")
    collector = recipe.Collector(envs, network, recipe.Curve(), args, torch.device("cpu"))
    rng = np.random.default_rng(0)
    for rounds in range(6):
        for _ in range(37):
            collector.act(1.0)
            collector.receive()
        sampled = set()
        for obs, action, reward, next_obs, terminated in zip(
            *collector.buffer.sample(1500, rng), strict=True
        ):
            outcome = (float(reward), bool(terminated), next_obs.tobytes())
            sampled.add((obs.tobytes(), int(action), *outcome))
        happened = {transition for _, transition in envs.happened}
        assert sampled <= happened
        # Every one of an env's last steps can be drawn.
        recent = {
            transition
            for env in range(4)
            for transition in [t for e, t in envs.happened if e == env][-45:]
        }
        assert len(recent - sampled) <= 0.02 * len(recent), rounds
        assert collector.curve.steps == len(envs.happened)
    assert envs.terminations > 8
    assert envs.truncations > 4


def test_a_million_steps_fit_into_8_gb(recipe: ModuleType) -> None:
    buffer = recipe.ReplayBuffer(1_000_000, 32, 4, (84, 84))
    assert buffer.length * 32 == 1_000_000
    held = sum(array.nbytes for array in vars(buffer).values() if isinstance(array, np.ndarray))
    assert held < 8e9


def test_target_is_double_dqns(recipe: ModuleType) -> None:
    """One network chooses the next action, the other values it; nothing follows a termination."""

    class Table(torch.nn.Module):
        """A value for each of two actions, by the observation's number."""

        def __init__(self, *rows: list[float]) -> None:
            super().__init__()
            self.values = torch.nn.Parameter(torch.tensor(rows))

        def forward(self, obs: torch.Tensor) -> torch.Tensor:
            return self.values[obs.long()]

    network, target = Table([0.0, 0.0], [1.0, 2.0]), Table([0.0, 0.0], [10.0, 20.0])
    optimizer = torch.optim.SGD(network.parameters(), lr=1.0)
    minibatch = [
        torch.tensor([0, 0]),
        torch.tensor([0, 1], dtype=torch.uint8),
        torch.tensor([0.5, 0.25]),
        torch.tensor([1, 1]),
        torch.tensor([False, True]),
    ]
    losses = recipe.learn(network, target, optimizer, minibatch, recipe.Args(gamma=0.9))
    # Goals 0.5 + 0.9 * 20 and 0.25, values 0; Huber's loss is linear beyond 1.
    assert losses["td_loss"].item() == pytest.approx((18.5 - 0.5 + 0.25**2 / 2) / 2)
    assert network.values[0].tolist() == pytest.approx([0.5, 0.125])
    assert target.values[1].tolist() == [10.0, 20.0]


def test_resumed_asynchronous_run_goes_on_with_new_games(recipe: ModuleType) -> None:
    args = recipe.Args(num_envs=3, batch_size=2, buffer_size=300)

    def make() -> Any:
        envs = poolkit.make(
            "Breakout-v5", num_envs=3, batch_size=2, num_threads=1, autoreset="same_step"
        )
        recorder, network = Recorder(envs), recipe.QNetwork(4, 4, "nips")
        curve = recipe.Curve()
        return recorder, recipe.Collector(recorder, network, curve, args, torch.device("cpu"))

    first, before = make()
    second, after = make()
    for collector in (before, after):
        for _ in range(20):
            collector.act(1.0)
            collector.receive()
        if collector is before:
            after.load_state_dict(before.state_dict())
    minibatch = after.buffer.sample(400, np.random.default_rng(0))
    happened = {t[:2] + t[4:] for _, t in first.happened + second.happened}
    sampled = {
        (obs.tobytes(), int(action), next_obs.tobytes())
        for obs, action, next_obs in zip(
            minibatch.obs, minibatch.actions, minibatch.next_obs, strict=True
        )
    }
    assert sampled <= happened
    assert len(sampled) > 50
