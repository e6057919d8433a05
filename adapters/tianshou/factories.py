"""What Tianshou's high-level API makes its environments and collectors with."""

from typing import Any

import gymnasium
from poolkit.single_env import GymnasiumEnv
from tianshou.algorithm.algorithm_base import Algorithm
from tianshou.data import BaseCollector, Collector, ReplayBuffer
from tianshou.env import BaseVectorEnv
from tianshou.highlevel.env import EnvFactory, EnvMode, VectorEnvType
from tianshou.highlevel.params.collector import CollectorFactory

from .async_collector import PoolAsyncCollector
from .vector_env import PoolVectorEnv


class PoolEnvFactory(EnvFactory):
    """Pools for training, tests and watching, for an `ExperimentBuilder`.

    Only the training's environments can be asynchronous: Tianshou's trainers test in lock-step.
    Give the builder a `PoolCollectorFactory` for them.

    Args:
        task: A name of `poolkit.list_all_envs`.
        batch_size: How many results a step of the training's environments waits for.
        test_options: Options that are others for tests and for watching, such as
            {"episodic_life": False, "reward_clip": False}.
        render_mode_watch: "human" shows a window, "rgb_array" makes pictures only.
        **options: What else `poolkit.make` takes, for all of them.

    >>> factory = PoolEnvFactory("CartPole-v1", batch_size=4)
    >>> envs = factory.create_envs(num_training_envs=8, num_test_envs=2, seed=1)
    >>> envs.training_envs.wait_num, envs.test_envs.wait_num, envs.get_action_shape()
    (4, 2, np.int64(2))
    """

    def __init__(
        self,
        task: str,
        *,
        batch_size: int | None = None,
        test_options: dict[str, Any] | None = None,
        render_mode_watch: str | None = "human",
        **options: Any,
    ) -> None:
        super().__init__(VectorEnvType.DUMMY)  # which only the overridden would use
        self.task = task
        self.batch_size = batch_size
        self.test_options = test_options or {}
        self.render_mode_watch = render_mode_watch
        self.options = options

    def _options_for(self, mode: EnvMode) -> dict[str, Any]:
        match mode:
            case EnvMode.TRAINING:
                return self.options
            case EnvMode.TEST:
                return self.options | self.test_options
            case EnvMode.WATCH:
                return self.options | self.test_options | {"render_mode": self.render_mode_watch}

    def _create_env(self, mode: EnvMode) -> gymnasium.Env[Any, Any]:
        return GymnasiumEnv(self.task, **self._options_for(mode))

    def create_venv(self, num_envs: int, mode: EnvMode, seed: int | None = None) -> PoolVectorEnv:
        """The environments of a mode, seeded."""
        envs = PoolVectorEnv(
            self.task,
            num_envs,
            batch_size=self.batch_size if mode is EnvMode.TRAINING else None,
            **self._options_for(mode),
        )
        rng = self._create_rng(seed)
        envs.seed([self._next_seed(rng) for _ in range(num_envs)])
        return envs


class PoolCollectorFactory(CollectorFactory):
    """`PoolAsyncCollector` for asynchronous environments, `Collector` for others.

    >>> PoolCollectorFactory().create_collector.__name__
    'create_collector'
    """

    def create_collector(
        self,
        algorithm: Algorithm[Any, Any],
        vector_env: BaseVectorEnv,
        buffer: ReplayBuffer | None = None,
        exploration_noise: bool = False,
    ) -> BaseCollector[Any]:
        """A collector for training; without a buffer, for tests.

        Raises:
            ValueError: For asynchronous environments without a buffer.
        """
        if not vector_env.is_async:
            return Collector(algorithm, vector_env, buffer, exploration_noise)
        if buffer is None:
            raise ValueError(
                "vector_env: Tianshou's trainers forbid an asynchronous collector for tests; test "
                "with a PoolVectorEnv whose batch_size is num_envs"
            )
        return PoolAsyncCollector(algorithm, vector_env, buffer, exploration_noise)
