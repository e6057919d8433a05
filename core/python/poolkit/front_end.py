"""What the dm_env and the classic gym front end share, as Gymnasium's front end has it."""

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from numpy.typing import ArrayLike

from .gymnasium_env import GymnasiumVectorEnv
from .stats import PoolStats


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

    def render(self, env_ids: ArrayLike | None = None) -> Any:
        """As `GymnasiumVectorEnv.render`."""
        return self._envs.render(env_ids)

    def save_state(self, env_ids: ArrayLike | None = None) -> list[bytes]:
        """As `GymnasiumVectorEnv.save_state`; any front end takes these states."""
        return self._envs.save_state(env_ids)

    def load_state(self, env_ids: ArrayLike | None, states: Sequence[bytes]) -> None:
        """As `GymnasiumVectorEnv.load_state`."""
        self._envs.load_state(env_ids, states)

    def stats(self) -> PoolStats:
        """As `GymnasiumVectorEnv.stats`."""
        return self._envs.stats()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._envs.closed

    def close(self) -> None:
        """Stop the workers; idempotent."""
        self._envs.close()

    def __repr__(self) -> str:
        return repr(self._envs).replace(type(self._envs).__name__, type(self).__name__)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        self.close()
