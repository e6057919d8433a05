"""PoolVecEnv plays Atari as Stable-Baselines3's own AtariWrapper does, where both say the same.

They differ, and a test cannot compare, in these points:

- An episode's start: SB3 does its no-ops before FIRE and an UP of a whole action each; a pool does
  one-frame actions, the last of them FIRE. Here there are none, in a game without FIRE.
- A lost life: SB3 does a no-op of a whole action, a pool one of a frame. Here an action is a frame.
- The picture of two frames: SB3 takes the maximum of colours, a pool that of grays. And where the
  game ends inside an action, SB3 shows an older picture.
- Monitor inside SB3's wrappers counts frames, the no-ops too; a pool counts the agent's steps.
"""

from typing import Any

import ale_py
import gymnasium
import numpy as np
import pytest
from poolkit.adapters.sb3 import PoolVecEnv
from stable_baselines3.common.atari_wrappers import AtariWrapper
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

gymnasium.register_envs(ale_py)


def sb3(frame_skip: int, life_loss: bool) -> DummyVecEnv:
    def make() -> gymnasium.Env[Any, Any]:
        game = gymnasium.make(
            "ALE/MsPacman-v5",
            frameskip=1,
            repeat_action_probability=0.0,
            full_action_space=False,
            disable_env_checker=True,
        )
        return AtariWrapper(
            Monitor(game), noop_max=0, frame_skip=frame_skip, terminal_on_life_loss=life_loss
        )

    envs = DummyVecEnv([make])
    envs.seed(3)
    return envs


def pool(frame_skip: int, life_loss: bool) -> PoolVecEnv:
    return PoolVecEnv(
        "MsPacman-v5",
        1,
        seed=3,
        noop_max=0,
        use_fire_reset=False,
        frame_skip=frame_skip,
        episodic_life=life_loss,
        reward_clip=True,
        stack_num=1,
        info_keywords=("lives",),
    )


def gray(batch: Any) -> Any:
    """A picture without its channel, first in a pool and last in SB3."""
    return batch.reshape(*batch.shape[:-3], 84, 84)


@pytest.mark.parametrize(("frame_skip", "life_loss"), [(1, True), (4, False)])
def test_plays_as_atari_wrapper(frame_skip: int, life_loss: bool) -> None:
    ours, theirs = pool(frame_skip, life_loss), sb3(frame_skip, life_loss)
    np.testing.assert_array_equal(gray(ours.reset()), gray(theirs.reset()))
    rng = np.random.default_rng(0)
    lives_lost, other_pixels, steps = 0, 0.0, 0
    while True:
        if steps % 4 == 0:
            actions = rng.integers(0, 9, 1)
        obs, rewards, dones, (info,) = ours.step(actions)
        expected = theirs.step(actions)
        steps += 1
        np.testing.assert_array_equal(rewards, expected[1])
        np.testing.assert_array_equal(dones, expected[2])
        assert info["lives"] == expected[3][0]["lives"]
        other_pixels += (gray(obs) != gray(expected[0])).mean()
        if not dones[0]:
            continue
        assert info["TimeLimit.truncated"] == expected[3][0]["TimeLimit.truncated"]
        if frame_skip == 1:
            last, theirs_last = (i["terminal_observation"] for i in (info, expected[3][0]))
            np.testing.assert_array_equal(gray(last), gray(theirs_last))
        lives_lost += 1
        assert ("episode" in info) == ("episode" in expected[3][0])
        if "episode" in info:
            break
    assert info["episode"]["r"] == expected[3][0]["episode"]["r"] > 0
    assert info["episode"]["l"] == steps
    assert lives_lost == (3 if life_loss else 1)
    assert other_pixels / steps < (1e-9 if frame_skip == 1 else 0.01)
