"""Spaces: what an environment declares, as Gymnasium says it."""

import numpy as np
import poolkit
from gymnasium import spaces


def test_nested_spaces_are_rebuilt() -> None:
    with poolkit.make("debug/EveryDtype-v0", num_envs=3) as envs:
        observation = envs.single_observation_space
        assert isinstance(observation, spaces.Dict)
        names = [
            "bool",
            "int8",
            "uint8",
            "int16",
            "uint16",
            "int32",
            "uint32",
            "int64",
            "uint64",
            "float32",
            "float64",
        ]
        assert set(observation["dtype"]) == set(names)
        for name in names:
            assert observation["dtype"][name].dtype == np.dtype(name)
            assert observation["dtype"][name].shape == (2,)
        assert observation["pair"] == spaces.Tuple(
            [spaces.Discrete(3, start=5), spaces.MultiBinary(4)]
        )
        assert envs.single_action_space == spaces.Dict(
            turn=spaces.Discrete(3, start=-1),
            buttons=spaces.MultiDiscrete([3, 4]),
            switches=spaces.MultiBinary(4),
            gas=spaces.Box(np.float32([0, -2]), np.float32([1, 0.1])),
            arm=spaces.Dict(
                angle=spaces.Box(np.array([-3.0, -2, -1]), np.array([3, 2, 0.1]), dtype=np.float64)
            ),
        )


def test_observations_are_in_their_spaces() -> None:
    with poolkit.make("debug/EveryDtype-v0", num_envs=3) as envs:
        obs = envs.reset()[0]
        assert obs in envs.observation_space
        for _ in range(25):
            obs, _, _, _, info = envs.step(envs.action_space.sample())
            assert obs in envs.observation_space
            assert info["action_mask"].shape == (3, 3)


def test_space_is_one_object_so_that_seeding_sticks() -> None:
    with poolkit.make("CartPole-v1", num_envs=5) as envs:
        assert envs.action_space is envs.action_space
        envs.action_space.seed(1)
        first = envs.action_space.sample()
        envs.action_space.seed(1)
        np.testing.assert_array_equal(envs.action_space.sample(), first)


def test_batched_spaces_have_batch_size_rows() -> None:
    with poolkit.make("CartPole-v1", num_envs=5, batch_size=2) as envs:
        assert envs.observation_space.shape == (2, 4)
        assert envs.action_space.shape == (2,)
