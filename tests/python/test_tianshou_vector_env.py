"""PoolVectorEnv keeps the contract of Tianshou's vector environments, as DummyVectorEnv does."""

from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import poolkit
import pytest
import torch
from poolkit.adapters.tianshou import PoolVectorEnv, Rows
from tianshou.data import Batch
from tianshou.env import BaseVectorEnv, DummyVectorEnv, VectorEnvNormObs

NUM_ENVS = 5
FAILING_STEP, FAILING_THROW = 0, 1


def dummy(task: str, **options: Any) -> DummyVectorEnv:
    return DummyVectorEnv([lambda: gymnasium.make(task, **options) for _ in range(NUM_ENVS)])


def assert_same_starts(ours: tuple[Any, Any], expected: tuple[Any, Any]) -> None:
    np.testing.assert_array_equal(ours[0], expected[0])
    assert ours[0].dtype == expected[0].dtype
    assert len(ours[1]) == len(expected[1])


def random_walk(
    ours: BaseVectorEnv, reference: BaseVectorEnv, steps: int
) -> Iterator[tuple[Any, Any]]:
    """The results of both for the same actions of some envs; then a reset of those at an end."""
    rng = np.random.default_rng(1)
    for _ in range(steps):
        ids = rng.permutation(NUM_ENVS)[: rng.integers(1, NUM_ENVS + 1)]
        action = np.array([reference.action_space[env].sample() for env in ids])
        result, expected = ours.step(action, ids), reference.step(action, ids)
        yield result, expected
        np.testing.assert_array_equal([info["env_id"] for info in result[4]], ids)
        if (ended := expected[2] | expected[3]).any():
            assert_same_starts(ours.reset(ids[ended]), reference.reset(ids[ended]))


# Lock-step


def test_is_a_citizen() -> None:
    envs = PoolVectorEnv("CartPole-v1", 3)
    assert isinstance(envs, BaseVectorEnv)
    assert len(envs) == envs.env_num == envs.wait_num == 3
    assert (envs.is_async, envs.timeout, envs.is_closed) == (False, None, False)
    assert (envs.waiting_id, envs.ready_id) == ([], [0, 1, 2])
    envs.close()
    envs.close()
    assert envs.is_closed
    with pytest.raises(RuntimeError, match="closed"):
        envs.reset()


@pytest.mark.parametrize("task", ["CartPole-v1", "Pendulum-v1"])
def test_does_what_dummy_vector_env_does(task: str) -> None:
    options = {"max_episode_steps": 30}
    ours, reference = PoolVectorEnv(task, NUM_ENVS, **options), dummy(task, **options)
    assert ours.seed(list(range(7, 12))) == reference.seed(list(range(7, 12)))
    assert_same_starts(ours.reset(), reference.reset())
    ends = 0
    for (obs, reward, terminated, truncated, _), expected in random_walk(ours, reference, 100):
        np.testing.assert_array_equal(obs, expected[0])
        np.testing.assert_array_equal(reward, expected[1].astype(np.float32))
        assert reward.dtype == expected[1].dtype
        np.testing.assert_array_equal(terminated, expected[2])
        # Gymnasium's TimeLimit also says of an episode that terminated that it was truncated.
        np.testing.assert_array_equal(truncated, expected[3] & ~expected[2])
        ends += np.sum(terminated | truncated)
    assert ends >= 5
    assert_same_starts(ours.reset([1, 3]), reference.reset([1, 3]))
    assert_same_starts(ours.reset(2, seed=4), reference.reset(2, seed=4))
    ours.close()


def test_tianshous_wrapper_works_around_it() -> None:
    ours = VectorEnvNormObs(PoolVectorEnv("CartPole-v1", NUM_ENVS))
    reference = VectorEnvNormObs(dummy("CartPole-v1"))
    ours.seed(3)
    reference.seed(3)
    assert_same_starts(ours.reset(), reference.reset())
    for result, expected in random_walk(ours, reference, 60):
        np.testing.assert_array_equal(result[0], expected[0])
    np.testing.assert_array_equal(ours.get_obs_rms().mean, reference.get_obs_rms().mean)
    assert (len(ours), ours.is_async) == (NUM_ENVS, False)
    assert ours.action_space == reference.action_space
    ours.close()


def test_reset_after_an_end_restarts_nothing() -> None:
    envs = PoolVectorEnv("debug/Counter-v0", 2, length=3, lives=3)
    envs.reset()
    for life in range(3):
        for _ in range(3):
            obs, _, terminated, _, infos = envs.step([5, 6])
        assert terminated.all()
        np.testing.assert_array_equal(obs[:, [0, 3]], [[3, 5], [3, 6]])  # the last, not the first
        np.testing.assert_array_equal(infos["lives"], [2 - life] * 2)
        np.testing.assert_array_equal(infos["episode_length"], [3 * life + 3] * 2)
        for again in range(3):  # Collector's n_episode does: those that ended, then all
            obs, infos = envs.reset([1, 0] if again == 0 else None)
            np.testing.assert_array_equal(infos["env_id"], [1, 0] if again == 0 else [0, 1])
            np.testing.assert_array_equal(obs[:, 0], [0, 0])
            games = 1 if life < 2 else 2 + again  # a game that is over is over for each of them
            np.testing.assert_array_equal(obs[:, 1], [games] * 2)
            np.testing.assert_array_equal(infos["resets"][:, 2], [min(life + 1, 2)] * 2)
    envs.close()


def test_reset_in_mid_episode_or_with_arguments_is_a_real_one() -> None:
    envs = PoolVectorEnv("debug/Counter-v0", 3, length=2)
    game = envs.reset()[0][:, 1]
    envs.step([0, 0], [0, 1])
    np.testing.assert_array_equal(envs.reset([1, 2])[0][:, 1] - game[[1, 2]], [1, 1])
    envs.step([0, 0, 0])
    envs.step([0, 0, 0])  # all but env 0 have ended now; it has gone on
    np.testing.assert_array_equal(envs.reset()[0][:, 1] - game, [2, 2, 2])
    seeded = envs.reset([2, 0], seed=9)[0]
    np.testing.assert_array_equal(seeded[:, 1] - game[[2, 0]], [3, 3])
    assert seeded[0, 2] == seeded[1, 2]  # the same seed, as in Tianshou
    apart = envs.reset([2, 0], seed=[9, 10])[0]
    assert apart[0, 2] == seeded[0, 2] != apart[1, 2]
    envs.close()


def test_seed_starts_the_same_episodes_and_samples() -> None:
    envs = PoolVectorEnv("CartPole-v1", 3)
    seen = []
    for seed in (5, [5, 6, 7], np.int64(5), 6):
        seeds = envs.seed(seed)
        samples = [[space.sample() for _ in range(20)] for space in envs.action_space]
        seen.append((seeds, envs.reset()[0].tolist(), samples))
    assert seen[0] == seen[1] == seen[2]
    assert seen[0][0] == [[5], [6], [7]]
    assert seen[0][1][1] == seen[3][1][0]
    assert seen[0][2][0] != seen[0][2][1] == seen[3][2][0]
    assert envs.seed() == [None] * 3
    envs.close()


def test_seed_of_the_constructor_is_that_of_seed() -> None:
    seeded = PoolVectorEnv("CartPole-v1", 3, seed=5)
    envs = PoolVectorEnv("CartPole-v1", 3)
    envs.seed(5)
    np.testing.assert_array_equal(seeded.reset()[0], envs.reset()[0])
    assert [space.sample() for space in seeded.action_space * 9] == [
        space.sample() for space in envs.action_space * 9
    ]


def test_pools_without_a_seed_differ() -> None:
    drawn = {PoolVectorEnv("CartPole-v1").reset()[0][0, 0].item() for _ in range(3)}
    assert len(drawn) == 3


@pytest.mark.parametrize(
    ("seed", "complaint"),
    [
        (-1, "seed: -1 is not in 0"),
        (1.5, "seed: must be an int.*not float"),
        ("12", "seed: must be an int.*not str"),
        ([1], "seed: has 1 entries; must have 2"),
        ([1, 0.5], "seed: must be an int.*not float"),
    ],
)
def test_wrong_seeds_are_refused_and_change_nothing(seed: Any, complaint: str) -> None:
    envs = PoolVectorEnv("debug/Counter-v0", 2)
    envs.reset()
    envs.step([0, 0])
    for call in (envs.seed, lambda seed: envs.reset(seed=seed)):
        with pytest.raises((TypeError, ValueError), match=complaint):
            call(seed)
    with pytest.raises((TypeError, ValueError), match=complaint):
        PoolVectorEnv("debug/Counter-v0", 2, seed=seed)
    np.testing.assert_array_equal(envs.step([0, 0])[0][:, 0], [2, 2])


def test_options_of_a_reset_are_warned_of() -> None:
    envs = PoolVectorEnv("debug/Counter-v0", 2)
    envs.reset(options={})
    with pytest.warns(UserWarning, match="options: .*'mass'.* change nothing.*PoolVectorEnv"):
        envs.reset(options={"mass": 2})


def test_results_belong_to_the_caller() -> None:
    envs = PoolVectorEnv("debug/Counter-v0", 2, length=2)
    start, infos = envs.reset()
    start[:] = -1
    infos["lives"][:] = -1
    envs.step([0, 0])
    ended, _, _, _, infos = envs.step([3, 3])
    kept = ended.copy(), copy(infos)
    begun, first = envs.reset([0, 1])
    begun[:] = -1
    first["lives"][:] = -1
    np.testing.assert_array_equal(envs.reset([0, 1])[0][:, 0], [0, 0])
    envs.step([4, 4])
    np.testing.assert_array_equal(ended, kept[0])
    np.testing.assert_array_equal(infos["lives"], kept[1]["lives"])
    envs.close()


def test_actions_may_be_lists_and_tensors() -> None:
    envs = PoolVectorEnv("debug/Counter-v0", 2)
    envs.reset()
    for action in ([3, 4], torch.tensor([3, 4]), np.array([3, 4], np.int32)):
        np.testing.assert_array_equal(envs.step(action)[1], [3, 4])
    assert envs.step([7], 1)[1].tolist() == [7]
    envs.close()


def test_dicts_are_rows() -> None:
    envs = PoolVectorEnv("debug/EveryDtype-v0", 3, pair=False)
    obs, _ = envs.reset()
    for _ in range(10):
        action = np.array([space.sample() for space in envs.action_space])
        obs, _, terminated, _, _ = envs.step(action)
        for row, sent in zip(obs, action, strict=True):
            assert row["echo"]["turn"] == sent["turn"]
            np.testing.assert_array_equal(row["echo"]["arm"]["angle"], sent["arm"]["angle"])
    assert terminated.all()
    assert envs.observation_space[0].contains(obs[1])
    begun, _ = envs.reset([2])
    assert begun["echo"]["turn"].tolist() == [-1]
    assert obs["echo"]["turn"].tolist() == [sent["turn"] for sent in action]
    envs.close()


def test_attributes_are_each_envs() -> None:
    envs = PoolVectorEnv("CartPole-v1", 3, batch_size=2)
    assert envs.action_space == [gymnasium.spaces.Discrete(2)] * 3
    assert len({id(space) for space in envs.action_space}) == 3
    assert [space.shape for space in envs.observation_space] == [(4,)] * 3
    assert len(envs.metadata) == 3
    assert [spec.reward_threshold for spec in envs.spec] == [475] * 3
    envs.set_env_attr("difficulty", 3, [0, 2])
    envs.set_env_attr("difficulty", 4, 1)
    assert envs.get_env_attr("difficulty") == [3, 4, 3]
    assert envs.get_env_attr("difficulty", 1) == [4]
    with pytest.raises(AttributeError, match=r"'gravity' must be one of \['action_space', "):
        envs.get_env_attr("gravity")
    envs.close()


def test_renders_each_env() -> None:
    envs = PoolVectorEnv("debug/Counter-v0", 2, render_mode="rgb_array")
    envs.reset()
    envs.step([0], [1])
    images = envs.render()
    assert [image.shape for image in images] == [(2, 3, 3)] * 2
    assert [image.max() for image in images] == [0, 1]
    assert envs.get_env_attr("render_mode", 0) == ["rgb_array"]
    envs.close()


@pytest.mark.parametrize(
    ("action", "ids", "error", "says"),
    [
        ([0, 0, 0], None, ValueError, "2"),
        ([0, 0], [1, 1], ValueError, "1"),
        ([0], [2], ValueError, r"env_id: \[2\] must be in 0 \.\. 1"),
        ([0], [-1], ValueError, "env_id"),
        ([0], [0.5], TypeError, "env_id"),
        ([0, 100], None, ValueError, "100"),
        ([0, 0.5], None, TypeError, "float64"),
        (None, None, RuntimeError, "no environment is stepping"),
    ],
)
def test_bad_step_is_refused_and_steps_nothing(
    action: Any, ids: Any, error: type[Exception], says: str
) -> None:
    envs = PoolVectorEnv("debug/Counter-v0", 2)
    envs.reset()
    with pytest.raises(error, match=says):
        envs.step(action, ids)
    assert envs.waiting_id == []
    np.testing.assert_array_equal(envs.step([0, 0])[0][:, 0], [1, 1])
    envs.close()


def test_bad_arguments_are_refused() -> None:
    for choice in ({"autoreset": "next_step"}, {"env_type": "dm"}):
        with pytest.raises(TypeError, match=f"{next(iter(choice))}: PoolVectorEnv chooses it"):
            PoolVectorEnv("CartPole-v1", **choice)
    with pytest.raises(ValueError, match="Pong-v5"):
        PoolVectorEnv("Pongg-v5")
    with pytest.raises(TypeError, match="EveryDtype-v0: Tianshou does not support the Tuple"):
        PoolVectorEnv("debug/EveryDtype-v0")
    envs = PoolVectorEnv("CartPole-v1", 2)
    with pytest.raises(RuntimeError, match="reset"):
        envs.step([0, 0])
    with pytest.raises(ValueError, match="seed: has 3 entries; must have 2"):
        envs.seed([1, 2, 3])
    with pytest.raises(TypeError, match="options_"):
        envs.reset(options_={})
    envs.close()


def test_error_of_one_env_keeps_the_others() -> None:
    envs = PoolVectorEnv("debug/Failing-v0", 3)
    envs.reset()
    with pytest.raises(poolkit.EnvError, match="env 1"):
        envs.step([FAILING_STEP, FAILING_THROW, FAILING_STEP])
    assert envs.waiting_id == [0, 2]
    assert envs.reset([1])[0][0, 0] == 0
    with pytest.raises(ValueError, match=r"\[0, 2\] are still stepping"):
        envs.step([FAILING_STEP] * 3)
    obs, _, _, _, infos = envs.step(None)
    assert (obs[:, 0].tolist(), infos["env_id"].tolist()) == ([1, 1], [0, 2])
    np.testing.assert_array_equal(envs.step([FAILING_STEP] * 3)[0][:, 0], [2, 1, 2])
    with pytest.raises(poolkit.EnvError, match="env 0"):
        envs.step([FAILING_THROW, FAILING_THROW, FAILING_STEP])
    np.testing.assert_array_equal(envs.reset()[0][:, 0], [0, 0, 0])
    envs.close()


# Asynchronous


def test_async_step_answers_with_the_first_results() -> None:
    envs = PoolVectorEnv("debug/Counter-v0", 6, batch_size=2)
    assert (envs.is_async, envs.wait_num) == (True, 2)
    obs, infos = envs.reset()
    assert infos["env_id"].tolist() == list(range(6))
    ids = np.arange(6)
    counts = np.zeros(6, int)
    for _ in range(60):
        obs, reward, terminated, _, infos = envs.step(ids + 10, ids)
        ids = infos["env_id"]
        counts[ids] += 1
        np.testing.assert_array_equal(reward, ids + 10)
        np.testing.assert_array_equal(obs[:, 0], counts[ids])
        assert sorted([*envs.waiting_id, *ids]) == list(range(6))
        assert envs.ready_id == sorted(ids)
        np.testing.assert_array_equal(terminated, counts[ids] == 10)
        if terminated.any():
            assert (envs.reset(ids[terminated])[0][:, 0] == 0).all()
            counts[ids[terminated]] = 0
    with pytest.raises(RuntimeError, match="still stepping"):
        envs.render()
    obs, _, _, _, infos = envs.step(None)
    np.testing.assert_array_equal(obs[:, 0], counts[infos["env_id"]] + 1)
    assert (len(obs), envs.waiting_id) == (4, [])
    envs.close()


def test_results_that_come_during_a_reset_are_not_lost(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    envs = PoolVectorEnv("debug/Slow-v0", 3, batch_size=1, num_threads=2, gate=str(gate))
    envs.reset()
    ids = envs.step([1, 0, 1], [0, 1, 2])[4]["env_id"]  # 0 and 2 wait for the gate
    assert ids.tolist() == [1]
    with pytest.raises(ValueError, match=r"env_id: \[0\] are still stepping"):
        envs.reset([0, 1])
    with pytest.raises(ValueError, match=r"env_id: \[2\] are still stepping"):
        envs.step([0, 0], [1, 2])
    gate.touch()
    assert envs.reset([1])[0].tolist() == [[0]]
    assert envs.waiting_id == [0, 2]
    first = envs.step([0], [1])[4]["env_id"].item()
    assert first in (0, 2)  # which came earlier
    with pytest.raises(ValueError, match="are still stepping"):
        envs.step([0], [2 - first])
    rest = envs.step(None)
    assert sorted([first, *rest[4]["env_id"]]) == [0, 1, 2]
    assert rest[0].tolist() == [[1], [1]]

    envs.step([0, 0, 0])
    one = next(iter(envs.ready_id))
    envs.reset([one])  # the others' results come meanwhile
    envs.reset()  # and are dropped
    first = envs.step([0, 0, 0])[4]["env_id"].item()
    assert sorted([first, *envs.step(None)[4]["env_id"]]) == [0, 1, 2]
    envs.close()


def test_reset_of_all_drops_what_is_stepping() -> None:
    envs = PoolVectorEnv("debug/Failing-v0", 4, batch_size=1)
    envs.reset()
    envs.step([FAILING_STEP] * 4)
    envs.step(None)
    with pytest.raises(poolkit.EnvError):
        envs.step([FAILING_THROW] * 4)
    assert len(envs.waiting_id) == 3
    obs, infos = envs.reset()
    assert infos["env_id"].tolist() == [0, 1, 2, 3]
    assert obs[:, 0].tolist() == [0] * 4
    assert envs.waiting_id == []
    assert envs.step([FAILING_STEP] * 4)[0][:, 0] == [1]
    envs.seed(1)
    assert envs.waiting_id == []
    envs.close()


# Rows


def test_rows_are_an_array_of_dicts_and_a_batch() -> None:
    rows = Rows.of({"env_id": np.arange(4), "deep": {"x": np.arange(8.0).reshape(4, 2)}})
    assert isinstance(rows, Batch)
    assert len(rows) == 4
    assert [row["deep"]["x"].tolist() for row in rows][2] == [4.0, 5.0]
    assert rows[np.int64(1)] == {"env_id": 1, "deep": {"x": pytest.approx([2, 3])}}
    some = rows[np.array([3, 0])]
    assert isinstance(some, Rows)
    assert (some.env_id.tolist(), some["deep"]["x"][0].tolist()) == ([3, 0], [6.0, 7.0])
    assert len(rows[rows["env_id"] > 1]) == 2

    other = copy(rows)
    other[1] = some[0]
    other[np.array([2, 3])] = some
    assert other["env_id"].tolist() == [0, 3, 3, 0]
    assert other["deep"]["x"][:, 0].tolist() == [0, 6, 6, 0]
    assert rows["env_id"].tolist() == [0, 1, 2, 3]
    assert rows["deep"]["x"][:, 0].tolist() == [0, 2, 4, 6]
    assert Batch(info=rows).info is rows
