"""Gymnasium's vector wrappers: the same numbers around a pool as around SyncVectorEnv."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import poolkit
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers.vector import (
    ClipReward,
    DictInfoToList,
    NormalizeObservation,
    NormalizeReward,
    RecordEpisodeStatistics,
    RecordVideo,
    TransformObservation,
)
from poolkit.single_env import GymnasiumEnv

CART, TAXI, PENDULUM = "CartPole-v1", "Taxi-v4", "Pendulum-v1"
NUM_ENVS = 3
LIMIT = 25
Wrap = Callable[[Any], Any]


def doubled(obs: Any) -> Any:
    return obs * np.float32(2)


SHIFT: Wrap = partial(TransformObservation, func=doubled)
REWARDS: list[Wrap] = [
    NormalizeReward,
    partial(ClipReward, min_reward=-0.5, max_reward=0.5),
    lambda envs: NormalizeReward(RecordEpisodeStatistics(envs)),
]
NEXT_STEP, SAME_STEP, DISABLED = (
    AutoresetMode.NEXT_STEP,
    AutoresetMode.SAME_STEP,
    AutoresetMode.DISABLED,
)
# Taxi's rewards differ and are exact in float32; Pendulum's observations are all different.
NUMERIC = [
    *((task, wrap, mode) for task in (CART, TAXI) for wrap in REWARDS for mode in AutoresetMode),
    *((task, NormalizeObservation, NEXT_STEP) for task in (CART, PENDULUM)),
    *((task, SHIFT, mode) for task in (CART, PENDULUM) for mode in (NEXT_STEP, DISABLED)),
]
REFUSED = [(NormalizeObservation, SAME_STEP), (NormalizeObservation, DISABLED), (SHIFT, SAME_STEP)]


def sides(
    mode: AutoresetMode, task: str = CART
) -> tuple[VectorEnv[Any, Any, Any], VectorEnv[Any, Any, Any]]:
    ours = poolkit.make(task, num_envs=NUM_ENVS, autoreset=mode, max_episode_steps=LIMIT)
    theirs = gymnasium.make_vec(
        task,
        NUM_ENVS,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        max_episode_steps=LIMIT,
    )
    return ours, theirs


def steps(envs: Any, mode: AutoresetMode, count: int = 120) -> list[Any]:
    """What each step returned; with no autoreset, ended envs are reset by the mask."""
    envs.action_space.seed(0)
    out = [(envs.reset(seed=7)[0],)]
    for _ in range(count):
        step = envs.step(envs.action_space.sample())
        out.append(step)
        ended = step[2] | step[3]
        if mode is DISABLED and ended.any():
            out.append((envs.reset(options={"reset_mask": ended})[0],))
    envs.close()
    return out


@pytest.mark.parametrize(("task", "wrap", "mode"), NUMERIC)
def test_numbers_are_those_around_sync_vector_env(
    task: str, wrap: Wrap, mode: AutoresetMode
) -> None:
    ours, theirs = (steps(wrap(envs), mode) for envs in sides(mode, task))
    assert len(ours) == len(theirs)
    for got, expected in zip(ours, theirs, strict=True):
        for mine, other in zip(got[:3], expected[:3], strict=True):
            np.testing.assert_array_equal(mine, np.asarray(other, mine.dtype))
        if len(got) > 1:  # a pool's episode that ends by itself is not called truncated too
            np.testing.assert_array_equal(got[3], expected[3] & ~expected[2])


@pytest.mark.parametrize("task", [CART, TAXI])
@pytest.mark.parametrize("mode", [NEXT_STEP, SAME_STEP])
def test_episode_statistics_are_those_around_sync_vector_env(
    task: str, mode: AutoresetMode
) -> None:
    ours, theirs = (steps(RecordEpisodeStatistics(envs), mode) for envs in sides(mode, task))
    episodes = 0
    for got, expected in zip(ours[1:], theirs[1:], strict=True):
        mine, other = got[4], expected[4]
        np.testing.assert_array_equal(mine.get("_episode", False), other.get("_episode", False))
        own = mine["final_info"] if mode is SAME_STEP and "_episode" in mine else mine
        for env in np.flatnonzero(mine.get("_episode", [])):
            for key in "rl":
                assert mine["episode"][key][env] == other["episode"][key][env]
            assert own["episode_return"][env] == mine["episode"]["r"][env]
            assert own["episode_length"][env] == mine["episode"]["l"][env]
            episodes += 1
    assert episodes > 10


@pytest.mark.parametrize("task", [CART, TAXI])
def test_without_autoreset_return_and_length_count_each_env_by_itself(task: str) -> None:
    lengths, returns = np.zeros(NUM_ENVS, np.int64), np.zeros(NUM_ENVS)
    ended = np.zeros(NUM_ENVS, np.bool_)
    ours, _ = sides(DISABLED, task)
    for step in steps(ours, DISABLED)[1:]:
        if len(step) == 1:
            lengths[ended] = returns[ended] = 0
            continue
        lengths += 1
        returns += step[1]
        ended = step[2] | step[3]
        np.testing.assert_array_equal(step[4]["episode_length"], lengths)
        np.testing.assert_array_equal(step[4]["episode_return"], returns)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_info_becomes_a_list_with_a_dict_an_env(mode: AutoresetMode) -> None:
    ours, _ = sides(mode)
    finals = 0
    for step in steps(DictInfoToList(ours), mode)[1:]:
        if len(step) < 5:
            continue
        for env, info in enumerate(step[4]):
            assert info["env_id"] == env
            assert ("final_obs" in info) == (
                mode is SAME_STEP and bool(step[2][env] | step[3][env])
            )
            if "final_obs" in info:
                assert info["final_info"]["episode_length"] > 0
                finals += 1
    assert (finals > 5) == (mode is SAME_STEP)


@pytest.mark.parametrize("task", ["Blackjack-v1", "debug/EveryDtype-v0"])
def test_final_observations_in_tuples_and_dicts_are_those_of_sync_vector_env(task: str) -> None:
    ours = poolkit.make(task, num_envs=3, max_episode_steps=3, autoreset=SAME_STEP)
    one = partial(GymnasiumEnv, task, max_episode_steps=3)
    theirs = gymnasium.vector.SyncVectorEnv([one] * 3, autoreset_mode=SAME_STEP)
    ours.action_space.seed(0)
    finals = 0
    lists = [DictInfoToList(envs) for envs in (ours, theirs)]
    for envs in lists:
        envs.reset(seed=5)
    for _ in range(12):
        action = ours.action_space.sample()
        got, expected = (envs.step(action)[4] for envs in lists)
        for mine, other in zip(got, expected, strict=True):
            assert mine.keys() == other.keys()
            if "final_obs" in mine:
                assert data_equivalence(mine["final_obs"], other["final_obs"])
                finals += 1
    assert finals > 5
    ours.close()
    theirs.close()


@pytest.mark.parametrize(("wrap", "mode"), REFUSED)
def test_observation_wrappers_know_our_mode_and_refuse_it(wrap: Wrap, mode: AutoresetMode) -> None:
    envs, _ = sides(mode)
    with pytest.raises(ValueError, match=r"Expected .* to be .*NEXT_STEP"):
        wrap(envs)
    envs.close()


@pytest.mark.filterwarnings("ignore:.*Overwriting existing videos")
def test_record_video_of_a_vector_env(tmp_path: Path) -> None:
    envs = RecordVideo(
        poolkit.make("Pong-v5", num_envs=2, render_mode="rgb_array", max_episode_steps=4),
        str(tmp_path),
        episode_trigger=lambda episode: episode == 0,
    )
    envs.reset(seed=0)
    for _ in range(6):
        envs.step(envs.action_space.sample())
    envs.close()
    assert len(list(tmp_path.glob("*.mp4"))) == 1
