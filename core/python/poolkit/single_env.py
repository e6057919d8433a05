"""One environment as a plain `gymnasium.Env`."""

from typing import Any

import gymnasium
from numpy.typing import NDArray

from .factory import make
from .nested import first_row, one_row


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
        self._envs = make(
            task, num_envs=1, autoreset="disabled", render_mode=render_mode, **options
        )
        self.render_mode = render_mode
        self.metadata = self._envs.metadata
        self.observation_space = self._envs.single_observation_space
        self.action_space = self._envs.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a new episode; with a seed, from a random stream of that seed."""
        super().reset(seed=seed)
        obs, info = self._envs.reset(seed=seed)
        return first_row(obs), first_row(info)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """As `GymnasiumVectorEnv.step`, without the axis of the envs."""
        obs, reward, terminated, truncated, info = self._envs.step(one_row(action))
        return (
            first_row(obs),
            float(reward[0]),
            bool(terminated[0]),
            bool(truncated[0]),
            first_row(info),
        )

    def render(self) -> NDArray[Any] | None:
        """An RGB image uint8[height, width, 3]; None without render_mode."""
        images = self._envs.render()
        return None if images is None else images[0]

    def close(self) -> None:
        """Stop the workers; idempotent."""
        self._envs.close()
