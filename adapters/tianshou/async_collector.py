"""Asynchronous collection with Tianshou's own policies."""

import warnings
from copy import copy
from typing import Any

import numpy as np
import torch
from tianshou.algorithm.algorithm_base import Algorithm, Policy
from tianshou.config import ENABLE_VALIDATION
from tianshou.data import AsyncCollector, Batch, ReplayBuffer
from tianshou.data.batch import alloc_by_keys_diff, create_value
from tianshou.env import BaseVectorEnv
from tianshou.env.venv_wrappers import VectorEnvWrapper


class PoolAsyncCollector(AsyncCollector):
    """Tianshou's `AsyncCollector`, mended so that it works with Tianshou's policies.

    While an environment steps, the collector keeps what the policy said of it: action, values to
    store, state. That of Tianshou 2.0.1 fails where the action is anything but one float, where
    there are no values or no state, and where they come up while some environments are stepping.
    Its reset waits for a single batch of those. Each mend first looks whether there is something
    to mend, and leaves a later Tianshou alone.

    It takes any asynchronous vector environment of Tianshou's and wrappers around it. As each batch
    is one of `wait_num` results, it may collect a few more steps than asked for. Tianshou's
    trainers forbid an `AsyncCollector` for tests: it is for training only.

    >>> from tianshou.algorithm.algorithm_base import Policy
    >>> from poolkit.adapters.tianshou import PoolVectorEnv
    >>> class Left(Policy):
    ...     def forward(self, batch, state=None):
    ...         return Batch(act=np.zeros(len(batch.obs), int))
    >>> envs = PoolVectorEnv("CartPole-v1", 8, batch_size=4)
    >>> collector = PoolAsyncCollector(Left(action_space=envs.action_space[0]), envs)
    >>> _ = collector.reset()
    >>> collector.collect(n_step=800).n_collected_steps
    800
    """

    def __init__(
        self,
        policy: Policy | Algorithm[Any, Any],
        env: BaseVectorEnv,
        buffer: ReplayBuffer | None = None,
        exploration_noise: bool = False,
        raise_on_nan_in_buffer: bool = ENABLE_VALIDATION,
    ) -> None:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Using async setting may collect extra")
            super().__init__(policy, env, buffer, exploration_noise, raise_on_nan_in_buffer)

    def reset_env(self, gym_reset_kwargs: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Start new episodes; what is still stepping is waited for and dropped."""
        venv = self.env
        while isinstance(venv, VectorEnvWrapper):  # which does not know who is stepping
            venv = venv.venv
        while venv.waiting_id:
            venv.step(None, venv.waiting_id)
        # Past AsyncCollector, which would wait for one batch.
        obs, infos = super(AsyncCollector, self).reset_env(gym_reset_kwargs)
        self._ready_env_ids_R = np.arange(self.env_num)
        self._current_obs_in_all_envs_EO = copy(obs)
        self._current_info_in_all_envs_E = copy(infos)
        self._current_hidden_state_in_all_envs_EH = None
        self._current_policy_in_all_envs_E = None
        return obs, infos

    def _compute_action_policy_hidden(
        self,
        random: bool,
        ready_env_ids_R: Any,  # noqa: N803
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        answer = super()._compute_action_policy_hidden(random, ready_env_ids_R, *args, **kwargs)
        self._make_room_for_actions(answer.act)
        self._make_room_for_values(answer)
        self._make_room_for_state(answer.hidden_state, ready_env_ids_R)
        return answer

    def _make_room_for_actions(self, act: Any) -> None:
        kept = self._current_action_in_all_envs_EA
        if len(act) == self.env_num:  # nothing of the others to keep
            self._current_action_in_all_envs_EA = self._room_for(act)
        elif isinstance(kept, np.ndarray) and np.result_type(kept, act) != kept.dtype:
            self._current_action_in_all_envs_EA = kept.astype(np.result_type(kept, act))

    def _make_room_for_values(self, answer: Any) -> None:
        kept, values = self._current_policy_in_all_envs_E, answer.policy_entry
        if not kept and not values.get_keys():
            answer.policy_entry = _NoValues()
        elif not kept:
            self._current_policy_in_all_envs_E = self._room_for(values)
        else:
            alloc_by_keys_diff(kept, values, self.env_num, stack=False)

    def _make_room_for_state(self, state: Any, ready: Any) -> None:
        kept: Any = self._current_hidden_state_in_all_envs_EH
        if kept is None or isinstance(kept, _NoState):
            self._current_hidden_state_in_all_envs_EH = self._room_for(state)
        elif state is None:  # random actions: as at an episode's start
            self._reset_hidden_state_based_on_type(ready, kept)

    def _room_for(self, rows: Any) -> Any:
        return _NoState() if rows is None else create_value(rows, self.env_num, stack=False)

    @staticmethod
    def _reset_hidden_state_based_on_type(
        env_ind_local_D: Any,  # noqa: N803
        last_hidden_state_RH: Any,  # noqa: N803
    ) -> None:
        if isinstance(last_hidden_state_RH, torch.Tensor):  # Tianshou's zeroes a copy
            last_hidden_state_RH[env_ind_local_D] = 0
        else:
            AsyncCollector._reset_hidden_state_based_on_type(env_ind_local_D, last_hidden_state_RH)


class _NoValues(Batch):
    """Empty, for whichever rows."""

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(index) if isinstance(index, str) else Batch()


class _NoState:
    """None, for whichever rows."""

    def __getitem__(self, rows: Any) -> None:
        return None

    def __setitem__(self, rows: Any, value: None) -> None:
        pass
