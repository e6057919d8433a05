"""One env of a pool beside Gymnasium's own, step for step from the same seed."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import poolkit

Policy = Callable[[Any, dict[str, Any], gymnasium.Space[Any]], Any]
"""Chooses an action, from observation, info and action space."""


def random(_obs: Any, info: dict[str, Any], space: gymnasium.Space[Any]) -> Any:
    """Any action; where there is a mask, half of the time one that it allows."""
    mask = info.get("action_mask")
    if mask is not None and space.np_random.random() < 0.5:
        return space.sample(mask=mask)
    return space.sample()


def spaces_are_equal(task: str) -> None:
    """Compares the spaces of one env."""
    theirs = gymnasium.make(task)
    with poolkit.make(task) as ours:
        assert ours.single_observation_space == theirs.observation_space
        assert ours.single_action_space == theirs.action_space


def steps_are_equal(
    task: str, steps: int, policy: Policy = random, **options: Any
) -> Counter[float | str]:
    """Compares all that both sides return, and counts the rewards and ends that were seen."""
    seen: Counter[float | str] = Counter()
    theirs = gymnasium.make(task, disable_env_checker=True, **options)
    with poolkit.make(task, autoreset="disabled", **options) as pool:
        space = pool.single_action_space
        space.seed(1)
        (obs, info), ours = theirs.reset(seed=7), pool.reset(seed=7)
        _same((obs, info), ours)
        for _ in range(steps):
            action = policy(obs, info, space)
            obs, reward, terminated, truncated, info = theirs.step(action)
            ours = pool.step(np.asarray(action)[np.newaxis])
            assert ours[1][0] == np.float32(reward)
            # A pool's episode that ends by itself in its last step is not called truncated too.
            assert (ours[2][0], ours[3][0]) == (terminated, truncated and not terminated)
            _same((obs, info), (ours[0], ours[-1]))
            seen.update({reward: 1, "terminated": terminated, "truncated": truncated})
            if terminated or truncated:
                obs, info = theirs.reset()
                _same((obs, info), pool.reset())
    theirs.close()
    return seen


def _same(theirs: tuple[Any, dict[str, Any]], ours: tuple[Any, dict[str, Any]]) -> None:
    obs, info = ours
    if isinstance(obs, tuple):
        assert tuple(int(part[0]) for part in obs) == theirs[0]
    else:
        assert np.array_equal(obs[0], theirs[0])
        assert obs.dtype == np.asarray(theirs[0]).dtype
    for key, value in theirs[1].items():
        assert np.array_equal(info[key][0], value), key
