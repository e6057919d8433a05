"""What the options of an Atari environment do, beside ale-py played by hand."""

from typing import Any

import ale_py
import cv2
import numpy as np
import poolkit
import pytest
from ale_py import roms
from numpy.typing import NDArray

NOOP, FIRE = ale_py.Action.NOOP, ale_py.Action.FIRE
AT_ONCE = {"noop_max": 0, "use_fire_reset": False}

Pixels = NDArray[np.uint8]


class Ale:
    """ale-py, and the pictures of its frames."""

    def __init__(
        self,
        rom: str,
        sticky: float = 0.0,
        seed: int = 0,
        mode: int | None = None,
        difficulty: int = 0,
    ) -> None:
        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
        self.ale = ale_py.ALEInterface()
        self.ale.setFloat("repeat_action_probability", sticky)
        self.ale.setInt("random_seed", seed)
        self.ale.loadROM(roms.get_rom_path(rom))
        if mode is not None:
            self.ale.setMode(mode)
        self.ale.setDifficulty(difficulty)
        self.actions = self.ale.getMinimalActionSet()
        self.frames: list[Pixels] = []
        self.reset()

    def reset(self) -> None:
        self.ale.reset_game()
        self.frames = [self.ale.getScreenGrayscale()]

    def act(self, action: ale_py.Action, frames: int = 1) -> float:
        """Play until the game is over."""
        reward = 0.0
        for _ in range(frames):
            if not self.ale.game_over():
                reward += self.ale.act(action)
                self.frames.append(self.ale.getScreenGrayscale())
        return reward

    def picture(self, frames: int = 2) -> Pixels:
        """Of the last frames."""
        brightest = np.maximum.reduce(self.frames[-frames:])
        return cv2.resize(brightest, (84, 84), interpolation=cv2.INTER_AREA)


class One:
    """An environment alone: its rows without the batch."""

    def __init__(self, task: str, **options: Any) -> None:
        self.envs = poolkit.make(task, **{"autoreset": "disabled", "seed": [3], **options})

    def reset(self, **arguments: Any) -> tuple[Pixels, dict[str, Any]]:
        observations, info = self.envs.reset(**arguments)
        return observations[0], {name: values[0] for name, values in info.items()}

    def step(self, action: int) -> tuple[Pixels, float, bool, dict[str, Any]]:
        observations, rewards, terminations, truncations, info = self.envs.step(np.array([action]))
        assert not truncations[0]
        row = {name: values[0] for name, values in info.items()}
        return observations[0], float(rewards[0]), bool(terminations[0]), row


def random_actions(count: int, seed: int = 0) -> list[int]:
    return [int(action) for action in np.random.default_rng(seed).integers(count, size=5000)]


def play_to_the_end(one: One, ale: Ale) -> tuple[Pixels, int]:
    """Play both until the game is over; the last observation, and the last action's frames."""
    for action in random_actions(len(ale.actions)):
        before = len(ale.frames)
        ale.act(ale.actions[action], 4)
        observation, _, terminated, _ = one.step(action)
        if terminated:
            return observation, len(ale.frames) - before
    raise AssertionError("the game does not end")


def test_observations_start_with_the_first_picture_repeated() -> None:
    observation, _ = One("Breakout-v5").reset()
    assert observation.any()
    assert (observation == observation[0]).all()


# Breakout has FIRE among its actions, Ms. Pac-Man has not.
@pytest.mark.parametrize(
    ("task", "rom", "options", "last"),
    [
        ("Breakout-v5", "breakout", {}, FIRE),
        ("Breakout-v5", "breakout", {"use_fire_reset": False}, NOOP),
        ("MsPacman-v5", "ms_pacman", {}, NOOP),
        ("MsPacman-v5", "ms_pacman", {"full_action_space": True}, FIRE),
    ],
    ids=["fire", "no_fire", "game_without_fire", "all_actions"],
)
def test_episodes_start_after_1_to_noop_max_frames(
    task: str, rom: str, options: dict[str, Any], last: ale_py.Action
) -> None:
    one, ale = One(task, noop_max=6, **options), Ale(rom)
    random = np.random.default_rng(3)
    random.integers(2**31)  # the seed of sticky actions
    for _ in range(12):
        observation, _ = one.reset()
        for _ in range(random.integers(1, 7) - 1):
            ale.act(NOOP)
        ale.act(last)
        np.testing.assert_array_equal(observation[3], ale.picture(1))
        ale.reset()


def test_actions_stick_at_the_start_too() -> None:
    random = np.random.default_rng(3)
    ale = Ale("breakout", 0.5, seed=int(random.integers(2**31)))
    one = One("Breakout-v5", noop_max=4, repeat_action_probability=0.5, ram=True)
    for _ in range(12):
        _, info = one.reset()
        ale.act(NOOP, int(random.integers(1, 5)) - 1)
        ale.act(FIRE)
        np.testing.assert_array_equal(info["ram"], ale.ale.getRAM())
        for action in random_actions(4)[:8]:
            ale.act(ale.actions[action], 4)
            np.testing.assert_array_equal(one.step(action)[3]["ram"], ale.ale.getRAM())
        ale.reset()


def test_without_noops_an_episode_starts_with_fire_alone() -> None:
    observation, _ = One("Breakout-v5", noop_max=0).reset()
    ale = Ale("breakout")
    ale.act(FIRE)
    np.testing.assert_array_equal(observation[3], ale.picture(1))


@pytest.mark.parametrize("task", ["Breakout-v5", "Qbert-v5"])
def test_a_game_that_ends_inside_a_skip_is_seen_to_its_end(task: str) -> None:
    one, ale = One(task, **AT_ONCE), Ale(task.removesuffix("-v5").lower())
    inside = 0
    for _ in range(6):
        one.reset()
        observation, frames = play_to_the_end(one, ale)
        np.testing.assert_array_equal(observation[3], ale.picture())
        inside += frames < 4
        ale.reset()
    assert inside > 0


def test_a_seeded_reset_repeats_the_game_and_another_goes_on() -> None:
    one = One("Assault-v5", ram=True, **AT_ONCE)
    _, booted = one.reset(seed=[5])
    for action in random_actions(7):
        if one.step(action)[2]:
            break
    _, goes_on = one.reset()
    assert (goes_on["ram"] != booted["ram"]).any()
    _, again = one.reset(seed=[5])
    np.testing.assert_array_equal(again["ram"], booted["ram"])


# The first four draw random numbers, or wait for sticky actions, while a mode is chosen.
@pytest.mark.parametrize(
    ("task", "rom", "level"),
    [
        ("Adventure-v5", "adventure", {"mode": 2}),
        ("Berzerk-v5", "berzerk", {"mode": 3}),
        ("DoubleDunk-v5", "double_dunk", {"mode": 5}),
        ("VideoCube-v5", "video_cube", {"mode": 102}),
        ("SpaceInvaders-v5", "space_invaders", {"mode": 9, "difficulty": 1}),
        ("Breakout-v5", "breakout", {"difficulty": 1}),
    ],
)
def test_a_seeded_reset_begins_as_a_new_ale(task: str, rom: str, level: dict[str, int]) -> None:
    one = One(task, repeat_action_probability=0.25, ram=True, **AT_ONCE, **level)
    for seed in (5, 6):
        ale = Ale(rom, 0.25, int(np.random.default_rng(seed).integers(2**31)), **level)
        info = one.reset(seed=[seed])[1]
        for action in random_actions(len(ale.actions), seed)[:30]:
            np.testing.assert_array_equal(info["ram"], ale.ale.getRAM())
            ale.act(ale.actions[action], 4)
            info = one.step(action)[3]
            if ale.ale.game_over():
                break
        ale.reset()
        np.testing.assert_array_equal(one.reset()[1]["ram"], ale.ale.getRAM())


def test_a_lost_life_ends_an_episode_and_the_game_goes_on() -> None:
    one = One("Breakout-v5", noop_max=0, episodic_life=True, autoreset="next_step")
    ale = Ale("breakout")
    one.reset()
    ale.act(FIRE)
    ends = []
    for action in random_actions(len(ale.actions)):
        lives = ale.ale.lives()
        ale.act(ale.actions[action], 4)
        observation, _, terminated, info = one.step(action)
        np.testing.assert_array_equal(observation[3], ale.picture())
        assert terminated == (ale.ale.lives() < lives)
        assert info["lives"] == ale.ale.lives()
        assert info["terminated"] == ale.ale.game_over()
        if terminated:
            ends.append(int(info["lives"]))
            if ale.ale.game_over():
                break
            observation, reward, _, info = one.step(0)
            ale.act(FIRE)
            assert (observation == ale.picture(1)).all()
            assert (reward, info["lives"]) == (0, ale.ale.lives())
    assert ends == [4, 3, 2, 1, 0]


def play_to_a_lost_life(one: One, ale: Ale) -> None:
    for action in random_actions(len(ale.actions)):
        ale.act(ale.actions[action], 4)
        if one.step(action)[2]:
            break


def test_after_a_lost_life_a_game_without_fire_goes_on_with_a_noop() -> None:
    one = One("MsPacman-v5", noop_max=0, episodic_life=True, autoreset="next_step")
    ale = Ale("ms_pacman")
    one.reset()
    play_to_a_lost_life(one, ale)
    observation, _, _, info = one.step(0)
    ale.act(NOOP)
    assert info["lives"] == 2
    np.testing.assert_array_equal(observation[3], ale.picture(1))


def test_an_explicit_reset_after_a_lost_life_starts_a_new_game() -> None:
    one = One("MsPacman-v5", noop_max=0, episodic_life=True, autoreset="next_step")
    one.reset()
    play_to_a_lost_life(one, Ale("ms_pacman"))
    assert one.reset()[1]["lives"] == 3


def test_clipped_rewards_keep_the_sign_and_the_raw_reward_is_told() -> None:
    clipped, raw = One("MsPacman-v5", reward_clip=True), One("MsPacman-v5")
    clipped.reset()
    raw.reset()
    rewards = set()
    for action in random_actions(9)[:200]:
        _, sign, _, clipped_info = clipped.step(action)
        _, reward, _, info = raw.step(action)
        rewards.add(reward)
        assert sign == np.sign(reward)
        assert clipped_info["reward"] == info["reward"] == reward
        assert clipped_info["episode_return"] == info["episode_return"]
    assert max(rewards) > 1


def test_negative_rewards_are_clipped_too() -> None:
    one = One("Pong-v5", reward_clip=True)
    one.reset()
    assert {one.step(0)[1] for _ in range(200)} == {0.0, -1.0}


def test_discount_is_zero_where_a_life_is_lost() -> None:
    one = One("Breakout-v5", zero_discount_on_life_loss=True)
    _, info = one.reset()
    lives = info["lives"]
    losses = 0
    for action in random_actions(4):
        _, _, terminated, info = one.step(action)
        assert info["discount"] == (0.0 if info["lives"] < lives else 1.0)
        losses += info["lives"] < lives
        lives = info["lives"]
        if terminated:
            break
    assert losses == 5


def test_infos_are_the_consoles() -> None:
    one, ale = One("Seaquest-v5", ram=True, **AT_ONCE), Ale("seaquest")
    _, info = one.reset()
    for action in random_actions(len(ale.actions))[:100]:
        np.testing.assert_array_equal(info["ram"], ale.ale.getRAM())
        assert info["lives"] == ale.ale.lives()
        ale.act(ale.actions[action], 4)
        info = one.step(action)[3]
    dtypes = {name: info[name].dtype for name in ("lives", "reward", "terminated", "ram")}
    assert dtypes == {
        "lives": np.int32,
        "reward": np.float32,
        "terminated": np.int32,
        "ram": np.uint8,
    }
    assert "ram" not in One("Seaquest-v5").reset()[1]


@pytest.mark.parametrize("game", ["breakout", "enduro", "air_raid", "king_kong", "seaquest"])
def test_pictures_for_people_are_ales(game: str) -> None:
    task = "".join(word.title() for word in game.split("_")) + "-v5"
    one, ale = One(task, render_mode="rgb_array", frame_skip=3, **AT_ONCE), Ale(game)
    one.reset()
    for action in random_actions(len(ale.actions))[:30]:
        images = one.envs.render()
        assert images is not None
        np.testing.assert_array_equal(images[0], ale.ale.getScreenRGB())
        ale.act(ale.actions[action], 3)
        one.step(action)


def starts(num_envs: int = 48, **options: Any) -> list[NDArray[np.uint8]]:
    """RAM at the first two starts; Space Invaders counts its frames there."""
    with poolkit.make("SpaceInvaders-v5", num_envs=num_envs, ram=True, **options) as envs:
        return [envs.reset()[1]["ram"] for _ in range(2)]


def test_each_env_draws_starts_of_its_own() -> None:
    first, second = starts(noop_max=30)
    streams = [np.random.default_rng(np.random.SeedSequence(42, spawn_key=(i,))) for i in range(48)]
    for stream in streams:
        stream.integers(2**31)  # the seed of sticky actions
    frames = np.array([stream.integers(1, 31) for stream in streams])
    for env in range(48):
        same = (first == first[env]).all(axis=1)
        np.testing.assert_array_equal(same, frames == frames[env])
    assert len(np.unique(second, axis=0)) > 10
    np.testing.assert_array_equal(starts(noop_max=30), [first, second])
    assert (starts(noop_max=30, seed=43)[0] != first).any()


def test_steps_are_counted_for_the_time_limit_not_frames() -> None:
    one = One("Freeway-v5", max_episode_steps=7, frame_skip=5)
    one.reset()
    for step in range(1, 8):
        assert one.envs.step(np.array([0]))[3][0] == (step == 7)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": 7}, "pong: mode 7 does not exist; there are 0, 1"),
        ({"difficulty": 4}, "pong: difficulty 4 does not exist; there are 0, 1, 2, 3"),
        ({"frame_skip": 0}, "frame_skip=0: must be in 1"),
        ({"stack_num": 0}, "stack_num=0: must be in 1"),
        ({"noop_max": -1}, "noop_max=-1: must be in 0"),
        ({"img_width": 0}, "img_width=0: must be in 1"),
        (
            {"stack_num": 9999, "img_height": 4096, "img_width": 4096},
            "stack_num, img_height, img_width: make an observation of 167755382784 bytes",
        ),
        ({"obs_type": "rgb"}, "obs_type='rgb': must be 'pixels' or 'ram'; gray_scale says"),
        ({"continuous_action_threshold": 2}, "continuous_action_threshold=2.*: must be in 0 .. 1"),
        (
            {"repeat_action_probability": 1.5},
            r"repeat_action_probability=1\.5.*: must be in 0 \.\. 1",
        ),
        ({"repeat_action_probability": float("nan")}, "repeat_action_probability=-?nan"),
    ],
    ids=str,
)
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        poolkit.make("Pong-v5", **options)
