"""What Gymnasium, its wrappers and its registry expect of a VectorEnv."""

import subprocess
import sys

import gymnasium
import numpy as np
import poolkit
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers.vector import (
    ClipReward,
    DictInfoToList,
    FlattenObservation,
    NormalizeObservation,
    RecordEpisodeStatistics,
)


def test_is_a_vector_env() -> None:
    with poolkit.make("CartPole-v1", num_envs=3) as envs:
        assert isinstance(envs, VectorEnv)
        assert envs.num_envs == 3
        assert envs.render_mode is None
        assert envs.unwrapped is envs
        assert not envs.closed
        assert str(envs) == "GymnasiumVectorEnv(CartPole-v1, num_envs=3)"
        envs.spec = gymnasium.spec("Acrobot-v1")
        assert str(envs) == "GymnasiumVectorEnv(Acrobot-v1, num_envs=3)"
    assert envs.closed


@pytest.mark.parametrize("task", ["CartPole-v1", "Pendulum-v1", "FrozenLake8x8-v1", "Taxi-v4"])
def test_spec_is_gymnasiums(task: str) -> None:
    ours, expected = poolkit.make(task).spec, gymnasium.spec(task)
    for name in ("id", "namespace", "name", "version", "reward_threshold", "max_episode_steps"):
        assert getattr(ours, name) == getattr(expected, name), name


def test_spec_tells_the_time_limit() -> None:
    limits = [poolkit.make("CartPole-v1", max_episode_steps=limit).spec for limit in (7, 0)]
    assert [spec.max_episode_steps for spec in limits] == [7, None]
    assert poolkit.make("ALE/Pong-v5").spec.reward_threshold is None


def test_make_vec_makes_ours() -> None:
    envs = gymnasium.make_vec("poolkit/CartPole-v1", num_envs=4, autoreset="same_step")
    assert isinstance(envs, poolkit.GymnasiumVectorEnv)
    assert envs.num_envs == 4
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert envs.spec is not None
    assert envs.spec.id == "poolkit/CartPole-v1"
    envs.close()


def test_module_before_the_id_is_imported_by_gymnasium() -> None:
    program = (
        "import gymnasium; "
        "print(gymnasium.make_vec('poolkit:poolkit/Pong-v5', num_envs=2)); "
        "print(gymnasium.make('poolkit:poolkit/ALE-Pong-v5').spec.id)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "GymnasiumVectorEnv(poolkit/Pong-v5, num_envs=2)",
        "poolkit/ALE-Pong-v5",
    ]


def test_registry_has_every_environment() -> None:
    added = ("debug/", "test/", "docs/", "acme/")  # by other tests
    names = [name for name in poolkit.list_all_envs() if not name.startswith(added)]
    assert {"poolkit/" + name.replace("/", "-") for name in names} <= gymnasium.registry.keys()
    with gymnasium.make_vec("poolkit/ALE-Pong-v5", num_envs=2) as sticky:
        assert sticky.spec is not None
        assert sticky.spec.kwargs["task"] == "ALE/Pong-v5"
        assert sticky.spec.max_episode_steps == poolkit.make_spec("ALE/Pong-v5").max_episode_steps


@pytest.mark.filterwarnings("ignore:.*out of date")
@pytest.mark.parametrize(
    "task",
    [
        *("CartPole-v0", "CartPole-v1", "Pendulum-v1", "Acrobot-v1", "MountainCar-v0"),
        *("MountainCarContinuous-v0", "FrozenLake-v1", "FrozenLake8x8-v1", "Taxi-v4"),
        *("CliffWalking-v1", "CliffWalkingSlippery-v1", "Blackjack-v1"),
    ],
)
def test_specs_are_gymnasiums(task: str) -> None:
    ours, theirs = gymnasium.spec(f"poolkit/{task}"), gymnasium.spec(task)
    assert ours.max_episode_steps == theirs.max_episode_steps
    assert ours.reward_threshold == theirs.reward_threshold


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_gymnasiums_own_vector_envs_hold_ours(mode: str) -> None:
    ours, theirs = (
        gymnasium.make_vec(task, num_envs=2, vectorization_mode=mode, max_episode_steps=5)
        for task in ("poolkit/CartPole-v1", "CartPole-v1")
    )
    np.testing.assert_array_equal(ours.reset(seed=3)[0], theirs.reset(seed=3)[0])
    for _ in range(12):
        for got, expected in zip(
            ours.step(np.array([0, 1]))[:4], theirs.step(np.array([0, 1]))[:4], strict=True
        ):
            np.testing.assert_array_equal(got, expected)
    ours.close()
    theirs.close()


@pytest.mark.parametrize(
    ("options", "unknown"), [({"low": 0}, "'low'"), ({"reset_mask": None, 3: 4}, "3")]
)
def test_option_that_a_reset_does_not_know_is_an_error(
    options: dict[object, object], unknown: str
) -> None:
    with poolkit.make("CartPole-v1", num_envs=2) as envs:
        with pytest.raises(ValueError, match=f"options: a reset knows 'reset_mask', not {unknown}"):
            envs.reset(options=options)  # type: ignore[arg-type]
        envs.reset(options={})


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_record_episode_statistics_agrees_with_ours(autoreset: str) -> None:
    envs = RecordEpisodeStatistics(
        poolkit.make("CartPole-v1", num_envs=5, autoreset=autoreset, max_episode_steps=40)
    )
    envs.reset(seed=0)
    episodes = 0
    for _ in range(200):
        info = envs.step(envs.action_space.sample())[4]
        ours = info.get("final_info", info)
        for env in np.flatnonzero(info.get("_episode", [])):
            assert info["episode"]["r"][env] == ours["episode_return"][env]
            assert info["episode"]["l"][env] == ours["episode_length"][env]
            episodes += 1
    assert episodes > 10
    envs.close()


def test_wrappers_work_around_it() -> None:
    envs = DictInfoToList(
        ClipReward(
            NormalizeObservation(FlattenObservation(poolkit.make("Pong-v5", num_envs=2))), -1, 1
        )
    )
    obs, _ = envs.reset(seed=1)
    assert obs.shape == (2, 4 * 84 * 84)
    _, reward, _, _, infos = envs.step([0, 1])
    assert np.abs(reward).max() <= 1
    assert [info["env_id"] for info in infos] == [0, 1]
    envs.close()


def test_render_gives_an_image_of_each_env() -> None:
    with poolkit.make("debug/Counter-v0", num_envs=2, render_mode="rgb_array") as envs:
        envs.reset()
        envs.step([1, 1])
        images = envs.render()
        assert images is not None
        assert len(images) == 2
        np.testing.assert_array_equal(images[0], np.full((2, 3, 3), 1, np.uint8))
        assert images[0].dtype == np.uint8
        assert envs.render_mode == "rgb_array"


def test_render_without_its_mode_warns() -> None:
    with poolkit.make("debug/Counter-v0") as envs:
        envs.reset()
        with pytest.warns(UserWarning, match="render_mode='rgb_array'"):
            assert envs.render() is None


def test_env_that_cannot_render_says_so() -> None:
    with pytest.raises(ValueError, match=r"render_mode: 'rgb_array' must be one of \[None\]"):
        poolkit.make("debug/Slow-v0", render_mode="rgb_array")
