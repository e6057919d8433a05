"""One environment as a plain `gymnasium.Env`."""

from typing import Any

import gymnasium

from .checks import check_reset_options
from .factory import make
from .gymnasium_env import GymnasiumVectorEnv
from .nested import one_row, row_of


class GymnasiumEnv(gymnasium.Env[Any, Any]):
    """A pool of one env, for `gymnasium.make("poolkit/Pong-v5")`; takes the options of `make`.

    >>> import gymnasium, poolkit
    >>> env = gymnasium.make("poolkit/CartPole-v1")
    >>> obs, info = env.reset(seed=0)
    >>> obs, reward, terminated, truncated, info = env.step(1)
    >>> obs.shape, reward, terminated
    ((4,), 1.0, False)
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"]}  # noqa: RUF012

    def __init__(self, task: str, render_mode: str | None = None, **options: Any) -> None:
        for name in ("num_envs", "autoreset", "env_type", "squeeze"):
            if name in options:
                raise TypeError(f"{name}: not of one env; see poolkit.make, gymnasium.make_vec")
        self._envs: GymnasiumVectorEnv = make(
            task, num_envs=1, autoreset="disabled", render_mode=render_mode, **options
        )
        self.render_mode = render_mode
        self.metadata = {key: self._envs.metadata[key] for key in ("render_modes", "render_fps")}
        self.observation_space = self._envs.single_observation_space
        self.action_space = self._envs.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a new episode; with a seed, from a random stream of that seed."""
        check_reset_options(options)
        super().reset(seed=seed)
        obs, info = self._envs.reset(seed=seed)
        return row_of(obs), row_of(info)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """As `GymnasiumVectorEnv.step`, without the axis of the envs."""
        obs, reward, terminated, truncated, info = self._envs.step(one_row(action))
        return (
            row_of(obs),
            float(reward[0]),
            bool(terminated[0]),
            bool(truncated[0]),
            row_of(info),
        )

    def render(self) -> Any:
        """An RGB image uint8[height, width, 3], with "ansi" a str; None without render_mode."""
        images = self._envs.render()
        return None if images is None else images[0]

    def save_state(self) -> bytes:
        """As `GymnasiumVectorEnv.save_state`; a wrapper's own state is not in it."""
        return self._envs.save_state()[0]

    def load_state(self, state: bytes) -> None:
        """As `GymnasiumVectorEnv.load_state`."""
        self._envs.load_state(None, [state])

    def close(self) -> None:
        """Stop the workers; idempotent."""
        self._envs.close()


def without_limit(task: str, **options: Any) -> GymnasiumEnv:
    """An env that goes on for ever: `gymnasium.make` puts a TimeLimit around it."""
    return GymnasiumEnv(task, max_episode_steps=0, **options)
