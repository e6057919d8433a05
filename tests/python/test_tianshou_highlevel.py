"""Tianshou's ExperimentBuilder with a pool's environments and collectors."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from poolkit.adapters.tianshou import (
    PoolAsyncCollector,
    PoolCollectorFactory,
    PoolEnvFactory,
    PoolVectorEnv,
)
from poolkit.single_env import GymnasiumEnv
from tianshou.data import Collector
from tianshou.highlevel.config import OnPolicyTrainingConfig
from tianshou.highlevel.env import ContinuousEnvironments, EnvMode
from tianshou.highlevel.experiment import Experiment, ExperimentConfig, PPOExperimentBuilder
from tianshou.highlevel.params.algorithm_params import PPOParams


def test_ppo_experiment_trains_and_tests() -> None:
    experiment = (
        PPOExperimentBuilder(
            PoolEnvFactory("CartPole-v1", batch_size=4, num_threads=1),
            ExperimentConfig(seed=3, device="cpu", watch=False, persistence_enabled=False),
            OnPolicyTrainingConfig(
                max_epochs=3,
                epoch_num_steps=2048,
                batch_size=64,
                num_training_envs=8,
                num_test_envs=4,
                test_step_num_episodes=8,
                collection_step_num_env_steps=512,
                update_step_num_repetitions=6,
            ),
        )
        .with_ppo_params(PPOParams(lr=1e-3))
        .with_collector_factory(PoolCollectorFactory())
        .build()
    )
    result = experiment.run()
    world = result.world
    assert isinstance(world.training_collector, PoolAsyncCollector)
    assert type(world.test_collector) is Collector
    assert world.training_collector.collect_step >= 3 * 2048
    assert result.trainer_result.best_score > 100  # random play: about 20


def test_experiment_watches_a_game(tmp_path: Path) -> None:
    factory = PoolEnvFactory("debug/Counter-v0", length=6, render_mode_watch="rgb_array")
    experiment = PPOExperimentBuilder(
        factory,
        ExperimentConfig(
            device="cpu",
            train=False,
            watch_num_episodes=1,
            persistence_base_dir=str(tmp_path),
            log_file_enabled=False,
        ),
        OnPolicyTrainingConfig(num_training_envs=1, num_test_envs=1),
    ).build()
    world = experiment.run().world
    assert isinstance(world.envs.watch_env, PoolVectorEnv)
    assert [image.max() for image in world.envs.watch_env.render()] == [0]
    (saved,) = tmp_path.rglob("experiment.pkl")
    assert Experiment.from_directory(str(saved.parent)).env_factory.task == factory.task


def test_modes_have_their_own_options() -> None:
    factory = PoolEnvFactory(
        "debug/Counter-v0",
        batch_size=2,
        length=6,
        test_options={"length": 3},
        render_mode_watch="rgb_array",
    )
    factory = pickle.loads(pickle.dumps(factory))
    lengths = {}
    for mode in EnvMode:
        envs = factory.create_venv(3, mode, seed=1)
        assert envs.wait_num == (2 if mode is EnvMode.TRAINING else 3)
        envs.reset()
        lengths[mode.value] = 1
        while not envs.step(np.zeros(3, int), None if not envs.is_async else [0, 1, 2])[2].any():
            lengths[mode.value] += 1
            if envs.is_async:
                envs.step(None)
        assert envs.get_env_attr("render_mode", 0) == [
            "rgb_array" if mode is EnvMode.WATCH else None
        ]
        envs.close()
    assert lengths == {"training": 6, "test": 3, "watch": 3}


def test_seeds_of_a_factory_are_reproducible_and_differ() -> None:
    factory = PoolEnvFactory("Pendulum-v1")
    starts = []
    for seed in (5, 5, 6):
        envs = factory.create_envs(3, 3, seed=seed)
        assert isinstance(envs, ContinuousEnvironments)
        assert isinstance(envs.env, GymnasiumEnv)
        assert (envs.get_observation_shape(), envs.get_action_shape()) == ((3,), (1,))
        starts += [envs.training_envs.reset()[0].tolist(), envs.test_envs.reset()[0].tolist()]
    assert starts[0] == starts[2]
    assert starts[1] == starts[3]
    assert len({str(start) for start in starts}) == 4


def test_async_collector_for_tests_is_refused() -> None:
    factory = PoolCollectorFactory()
    envs: Any = PoolVectorEnv("CartPole-v1", 4, batch_size=2)
    with pytest.raises(ValueError, match="forbid an asynchronous collector for tests"):
        factory.create_collector(object(), envs)  # type: ignore[arg-type]
    envs.close()
