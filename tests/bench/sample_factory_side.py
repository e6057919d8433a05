"""Sample Factory's sampler, in an interpreter of its own: it needs an older Gymnasium.

It has no random actions: a network plays, here one that sees four numbers of an observation.
What it hands out are trajectories, not batches.
"""

import sys
from typing import Any

import gymnasium
import numpy as np
from sample_factory.algo.sampling.simplified_sampling_api import SyncSamplingAPI
from sample_factory.algo.utils.context import global_model_factory
from sample_factory.algo.utils.env_info import extract_env_info
from sample_factory.algo.utils.make_env import make_env_func_non_batched
from sample_factory.algo.utils.rl_utils import samples_per_trajectory
from sample_factory.cfg.arguments import parse_full_cfg, parse_sf_args
from sample_factory.envs.env_utils import register_env
from sample_factory.model.encoder import Encoder

from .cases import Case
from .single_envs import maker_of
from .stepping import Envs


class FourNumbers(Encoder):
    """Next to no network."""

    def __init__(self, cfg: Any, obs_space: Any) -> None:
        super().__init__(cfg)

    def forward(self, obs: Any) -> Any:
        return obs["obs"].flatten(1)[:, :4].float()

    def get_out_size(self) -> int:
        return 4


class AsArray(gymnasium.ObservationWrapper):
    """A stack is an array."""

    def observation(self, observation: Any) -> np.ndarray:
        return np.asarray(observation)


def make(task: str, cfg: Any, env_config: Any, render_mode: str | None = None) -> Any:
    return AsArray(maker_of(task)())


def open_sample_factory(case: Case) -> Envs:
    """Two groups of envs in each worker take turns, as it recommends; a worker for each thread."""
    register_env(case.task, make)
    global_model_factory().register_encoder_factory(FourNumbers)
    options = {
        "env": case.task,
        "experiment": "bench",
        "device": "cpu",
        "use_rnn": False,
        "normalize_input": False,
        "num_workers": case.num_threads,
        "num_envs_per_worker": case.num_envs // case.num_threads,
        "worker_num_splits": 2,
        "rollout": 8,
        "recurrence": 1,
        "decorrelate_experience_max_seconds": 0,
        "set_workers_cpu_affinity": False,
        "log_to_file": False,
    }
    arguments = [f"--{name}={value}" for name, value in options.items()]
    cfg = parse_full_cfg(parse_sf_args(argv=arguments)[0], arguments)
    info = extract_env_info(make_env_func_non_batched(cfg, env_config=None), cfg)
    sampler = SyncSamplingAPI(cfg, info)
    in_hand = 0

    def step(actions: np.ndarray) -> None:
        """Takes as many samples as there are actions, which are its own."""
        nonlocal in_hand
        while in_hand < len(actions):
            trajectory = sampler.get_trajectories_sync()
            if trajectory is None:
                sys.exit("the sampler stopped")
            in_hand += samples_per_trajectory(trajectory)
        in_hand -= len(actions)

    def reset(seed: int | None) -> None:
        sampler.start()
        step(np.zeros(1))

    return Envs(step, reset)
