"""What the dm_env and the classic gym front end share: the pool's asynchronous half."""

from types import TracebackType
from typing import Any, Self

from numpy.typing import ArrayLike, NDArray

from .gymnasium_env import GymnasiumVectorEnv


class FrontEnd:
    """A pool behind another interface than Gymnasium's."""

    def __init__(self, envs: GymnasiumVectorEnv) -> None:
        self._envs = envs
        self.num_envs = envs.num_envs

    @property
    def batch_size(self) -> int:
        """How many results a `recv` waits for."""
        return self._envs.batch_size

    @property
    def is_async(self) -> bool:
        """Whether batches hold fewer than all environments."""
        return self._envs.is_async

    @property
    def pending(self) -> int:
        """How many results have been asked for and not received."""
        return self._envs.pending

    def async_reset(self, env_id: ArrayLike | None = None) -> None:
        """As `GymnasiumVectorEnv.async_reset`."""
        self._envs.async_reset(env_id)

    def send(self, action: Any, env_id: ArrayLike | None = None) -> None:
        """As `GymnasiumVectorEnv.send`."""
        self._envs.send(action, env_id)

    def render(self) -> tuple[NDArray[Any], ...] | None:
        """As `GymnasiumVectorEnv.render`."""
        return self._envs.render()

    def close(self) -> None:
        """Stop the workers; idempotent."""
        self._envs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        self.close()
