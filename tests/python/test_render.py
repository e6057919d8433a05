"""Pictures: Gymnasium's own of the same state, in arrays, in a window and in a video."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import poolkit
import pytest
from gymnasium.wrappers import RecordVideo
from gymnasium.wrappers.vector import HumanRendering
from poolkit import _core

TASKS: list[tuple[str, dict[str, Any]]] = [
    ("CartPole-v1", {}),
    ("Pendulum-v1", {}),
    ("Acrobot-v1", {}),
    ("MountainCar-v0", {}),
    ("MountainCarContinuous-v0", {}),
    ("FrozenLake-v1", {}),
    ("FrozenLake-v1", {"desc": ["SFF", "HFG"]}),
    ("FrozenLake8x8-v1", {}),
    ("Taxi-v4", {}),
    ("CliffWalking-v1", {}),
    ("Blackjack-v1", {}),
]


@pytest.fixture
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


# Of Atari's game of that name.
@pytest.mark.filterwarnings("ignore:.*Blackjack-v1 is out of date")
@pytest.mark.usefixtures("no_screen")
@pytest.mark.parametrize(("task", "options"), TASKS)
def test_pictures_are_gymnasiums(task: str, options: dict[str, Any]) -> None:
    ours = gymnasium.make(f"poolkit/{task}", render_mode="rgb_array", **options)
    theirs = gymnasium.make(task, render_mode="rgb_array", **options)
    ours.action_space.seed(0)
    pictures = set()
    for seed in range(3):
        ours.reset(seed=seed)
        theirs.reset(seed=seed)
        for _ in range(6):
            picture = ours.render()
            assert np.array_equal(picture, theirs.render())
            assert picture.dtype == np.uint8
            pictures.add(picture.tobytes())
            action = ours.action_space.sample()
            ended = ours.step(action)[2]
            theirs.step(action)
            if ended:
                break
    assert len(pictures) > 2
    ours.close()
    theirs.close()


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("FrozenLake-v1", {}),
        ("FrozenLake-v1", {"desc": ["SFF", "HFG"]}),
        ("FrozenLake8x8-v1", {}),
        ("Taxi-v4", {}),
        ("CliffWalking-v1", {}),
        ("CliffWalkingSlippery-v1", {}),
    ],
)
def test_texts_are_gymnasiums(task: str, options: dict[str, Any]) -> None:
    ours = gymnasium.make(f"poolkit/{task}", render_mode="ansi", **options)
    theirs = gymnasium.make(task, render_mode="ansi", **options)
    ours.action_space.seed(0)
    ours.reset(seed=3)
    theirs.reset(seed=3)
    texts = set()
    for _ in range(8):
        texts.add(ours.render())
        assert ours.render() == theirs.render()
        action = ours.action_space.sample()
        if ours.step(action)[2] | theirs.step(action)[2]:
            break
    assert len(texts) > 2
    ours.close()


def test_texts_of_a_pool_are_one_each() -> None:
    with poolkit.make("Taxi-v4", num_envs=3, render_mode="ansi") as envs:
        envs.reset(seed=[1, 2, 1])
        texts = envs.render()
        assert texts is not None
        assert envs.render([1]) == (texts[1],)
    assert texts[0] == texts[2] != texts[1]


@pytest.mark.parametrize("task", ["CartPole-v1", "Pong-v5", "Blackjack-v1"])
def test_render_mode_that_there_is_not_tells_the_others(task: str) -> None:
    with pytest.raises(ValueError, match=r"'ansi' must be one of \[None, 'human', 'rgb_array'\]"):
        poolkit.make(task, render_mode="ansi")


def test_without_a_screen_human_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import pygame

    monkeypatch.setenv("SDL_VIDEODRIVER", "x11")
    monkeypatch.setattr(pygame.display, "init", lambda: None)
    monkeypatch.setattr(pygame.display, "get_driver", lambda: "offscreen")
    with (
        poolkit.make("CartPole-v1", render_mode="human") as envs,
        pytest.raises(RuntimeError, match="there is no screen; 'rgb_array' gives pictures"),
    ):
        envs.reset()


@pytest.mark.usefixtures("no_screen")
@pytest.mark.parametrize("task", ["CartPole-v1", "Pong-v5"])
def test_human_shows_all_envs_after_each_step(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import pygame

    with poolkit.make(task, num_envs=3, render_mode="human") as envs:
        shown: list[Any] = []
        flip = pygame.display.flip
        monkeypatch.setattr(
            pygame.display,
            "flip",
            lambda: shown.append(pygame.surfarray.array3d(pygame.display.get_surface())) or flip(),
        )
        envs.reset(seed=0)
        last = np.full(3, envs.single_action_space.n - 1)
        envs.step(last)
        envs.send(last)
        envs.recv()
        assert envs.render() is None
        assert len(shown) == 3
        size = (1200, 800) if task == "CartPole-v1" else (320, 420)
        assert shown[0].shape[:2] == size
        assert (shown[0] != shown[-1]).any()
    assert not pygame.display.get_init()


def test_human_is_for_lock_step() -> None:
    with pytest.raises(ValueError, match="'human' is for lock-step"):
        poolkit.make("CartPole-v1", num_envs=4, batch_size=2, render_mode="human")


@pytest.mark.usefixtures("no_screen")
def test_gymnasiums_human_rendering_goes_around() -> None:
    envs = HumanRendering(poolkit.make("CartPole-v1", num_envs=2, render_mode="rgb_array"))
    envs.reset(seed=0)
    envs.step(np.array([0, 1]))
    envs.close()


@pytest.mark.filterwarnings("ignore:.*Overwriting existing videos")
def test_gymnasiums_record_video_goes_around(tmp_path: Path) -> None:
    env = RecordVideo(
        gymnasium.make("poolkit/Pong-v5", render_mode="rgb_array", max_episode_steps=5),
        str(tmp_path),
        episode_trigger=lambda episode: episode == 0,
    )
    env.reset(seed=0)
    while not any(env.step(env.action_space.sample())[2:4]):
        pass
    env.close()
    assert [file.stat().st_size > 1000 for file in tmp_path.glob("*.mp4")] == [True]


def test_registered_render_gets_the_saved_state_and_the_options() -> None:
    seen = []

    def draw(state: bytes, options: dict[str, Any]) -> Any:
        seen.append((np.frombuffer(state, np.float64, 4), options))
        return np.full((1, 2, 3), 7, np.uint8)

    poolkit.register(
        "test/Drawn-v0", _core.envs.CartPole, render=draw, render_fps=12, sutton_barto_reward=True
    )
    with poolkit.make("test/Drawn-v0", num_envs=2, render_mode="rgb_array") as envs:
        obs, _ = envs.reset()
        pictures = envs.render()
        assert envs.metadata["render_fps"] == 12
    assert pictures is not None
    assert [picture.tolist() for picture in pictures] == [[[[7] * 3] * 2]] * 2
    assert [options for _, options in seen] == [{"sutton_barto_reward": True}] * 2
    np.testing.assert_array_equal(obs, np.float32([state for state, _ in seen]))
