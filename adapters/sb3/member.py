"""One env of a pool, for what asks a vector environment about single envs."""

from typing import Any

import numpy as np
import poolkit
from numpy.typing import NDArray


class Member:
    """What `get_attr`, `set_attr` and `env_method` see of env `index`.

    Attributes that are set here stay here: they reach no environment.
    """

    def __init__(self, pool: poolkit.GymnasiumVectorEnv, index: int) -> None:
        self.index = index
        self.observation_space = pool.single_observation_space
        self.action_space = pool.single_action_space
        self.render_mode = pool.render_mode
        self.metadata = pool.metadata
        self.spec = pool.spec
        self._pool = pool

    @property
    def unwrapped(self) -> "Member":
        """Itself: there are no wrappers."""
        return self

    def render(self) -> NDArray[Any] | None:
        """An RGB image uint8[height, width, 3]; None without render_mode."""
        images = self._pool.render([self.index])
        return None if images is None else images[0]


class MaskedMember(Member):
    """An env that tells which actions are allowed, as sb3_contrib's MaskablePPO asks for it."""

    def __init__(
        self, pool: poolkit.GymnasiumVectorEnv, index: int, masks: NDArray[np.bool_]
    ) -> None:
        super().__init__(pool, index)
        self._masks = masks

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[number of actions]: the allowed ones, as of the last observation."""
        mask: NDArray[np.bool_] = self._masks[self.index]
        return mask.copy()


def members_of(
    pool: poolkit.GymnasiumVectorEnv,
) -> tuple[NDArray[np.bool_] | None, tuple[Member, ...]]:
    """The envs of a pool, and where their action masks are kept, if they have any."""
    mask = pool.single_info_space.spaces.get("action_mask")
    if mask is None:
        return None, tuple(Member(pool, index) for index in range(pool.num_envs))
    masks = np.ones((pool.num_envs, *(mask.shape or ())), np.bool_)
    return masks, tuple(MaskedMember(pool, index, masks) for index in range(pool.num_envs))
