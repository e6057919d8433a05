"""`make_vec`: for scripts that step a `gym.vector.SyncVectorEnv`."""

from typing import Any

import numpy as np
import poolkit
from gymnasium.vector import VectorEnv, VectorWrapper
from numpy.typing import NDArray
from poolkit.nested import row_of


class ScriptVectorEnv(VectorWrapper):
    """A pool in lock-step whose infos are those that CleanRL's scripts read; made by `make_vec`.

    At an episode's end `step` returns the next one's first observation, and the info holds, as in
    Gymnasium 0.29, on which those scripts are written, `final_observation` and `final_info`, which
    are None in the rows of episodes that go on. A final info has the env's own values and, at the
    end of a game, `episode`: its return `r` and its length `l`, unclipped, as arrays of one. A
    lost life ends no game. As in Gymnasium 1.x, `info["episode"]` has the same for all envs, where
    `info["_episode"]`.

    >>> envs = make_vec("CartPole-v1", num_envs=2)
    >>> obs, infos = envs.reset(seed=0)
    >>> while "final_info" not in infos:
    ...     obs, rewards, terminations, truncations, infos = envs.step(np.array([1, 1]))
    >>> infos["final_info"][0]["episode"], infos["final_info"][1]
    ({'r': array([8.], dtype=float32), 'l': array([8], dtype=int32)}, None)
    """

    def step(self, actions: Any) -> Any:
        """As Gymnasium's `VectorEnv.step`."""
        obs, reward, terminated, truncated, info = self.env.step(actions)
        if (ended := terminated | truncated).any():
            self._tell_ends(ended, info)
        return obs, reward, terminated, truncated, info

    def _tell_ends(self, ended: NDArray[np.bool_], info: dict[str, Any]) -> None:
        finals = info["final_info"]
        over = ended & (info["elapsed_step"] == 0)  # it goes on where only a life was lost
        episode = {
            "r": np.where(over, finals["episode_return"], 0).astype(np.float32),
            "l": np.where(over, finals["episode_length"], 0).astype(np.int32),
        }
        observations = np.full(self.num_envs, None, object)
        infos = np.full(self.num_envs, None, object)
        for env in np.flatnonzero(ended).tolist():
            observations[env] = row_of(info["final_obs"], env)
            infos[env] = row_of(finals, env)
            if over[env]:
                infos[env]["episode"] = {key: all_[[env]] for key, all_ in episode.items()}
        info |= {
            "final_observation": observations,
            "_final_observation": ended,
            "final_info": infos,
            "_final_info": ended.copy(),
            "episode": episode,
            "_episode": over,
        }


def make_vec(task: str, num_envs: int = 1, **arguments: Any) -> ScriptVectorEnv:
    """In the place of `gym.vector.SyncVectorEnv([make_env(...) for i in range(num_envs)])`.

    Args:
        task: A name that `poolkit.make` knows.
        num_envs: How many environments.
        **arguments: Others of `poolkit.make`: `preset="dqn"` does what CleanRL's wrappers of Atari
            do. `reset(seed=s)` of the result seeds env i with s + i.

    Raises:
        ValueError: For batch_size or autoreset, which these scripts have no choice of.
    """
    for name in ("batch_size", "autoreset"):
        if name in arguments:
            raise ValueError(f"{name}: make_vec's pools are in lock-step, with same-step autoreset")
    envs: VectorEnv[Any, Any, Any] = poolkit.make(
        task, num_envs=num_envs, autoreset="same_step", **arguments
    )
    return ScriptVectorEnv(envs)
