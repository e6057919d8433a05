"""Envs of one pool that differ in their options: each is as it would be in a pool of its own."""

from typing import Any

import numpy as np
import poolkit
import pytest

MAPS = [["SFF", "FHF", "FFG"], ["SHH", "FHH", "FFG"], ["SFF", "HHF", "HHG"]]


def lakes(**arguments: Any) -> poolkit.GymnasiumVectorEnv:
    options = [{"desc": desc} for desc in MAPS]
    return poolkit.make(
        "FrozenLake-v1", num_envs=3, options=options, is_slippery=False, **arguments
    )


@pytest.mark.parametrize("batch_size", [3, 1])
def test_each_env_has_its_own_map(batch_size: int) -> None:
    path = [1, 1, 2, 2]  # down, down, right, right
    ends = {0: [0, 3, 6, 7, 8], 1: [0, 3, 6, 7, 8], 2: [0, 3]}
    seen: dict[int, list[int]] = {env: [] for env in range(3)}
    with lakes(batch_size=batch_size, num_threads=2) as envs:
        envs.async_reset()
        while envs.pending:
            obs, _, terminated, _, info = envs.recv()
            for row, env in enumerate(info["env_id"].tolist()):
                seen[env].append(int(obs[row]))
                if not terminated[row]:
                    envs.send([path[len(seen[env]) - 1]], [env])
    assert seen == ends


def test_two_games_are_what_they_are_alone() -> None:
    options: dict[str, Any] = {"full_action_space": True, "seed": [3, 4]}
    each = [{"frame_skip": 3}, {"task": "Breakout-v5", "mode": 4}]
    rng = np.random.default_rng(0)
    with (
        poolkit.make("Pong-v5", num_envs=2, options=each, **options) as both,
        poolkit.make("Pong-v5", num_envs=2, frame_skip=3, **options) as pong,
        poolkit.make("Breakout-v5", num_envs=2, mode=4, **options) as breakout,
    ):
        pools = (both, pong, breakout)
        obs = [envs.reset()[0] for envs in pools]
        for _ in range(30):
            np.testing.assert_array_equal(obs[0], [obs[1][0], obs[2][1]])
            action = rng.integers(0, 18, 2)
            obs = [envs.step(action)[0] for envs in pools]


def test_pictures_are_of_each_envs_own_map(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with lakes(render_mode="rgb_array") as envs:
        envs.reset()
        pictures = envs.render()
    assert pictures is not None
    assert len({picture.tobytes() for picture in pictures}) == 3


def test_a_rebuilt_env_has_its_own_options_again() -> None:
    each = [{}, {"at": "step", "index": 1}]
    with poolkit.make("debug/Failing-v0", num_envs=2, num_threads=1, options=each) as envs:
        envs.reset()
        with pytest.raises(poolkit.EnvError, match="env 1"):
            envs.step([0, 0])
        envs.recv()
        envs.async_reset([1])
        envs.recv()
        with pytest.raises(poolkit.EnvError, match="env 1"):
            envs.step([0, 0])


@pytest.mark.parametrize(
    ("task", "each", "error", "message"),
    [
        ("FrozenLake-v1", [{}], ValueError, "options: has 1 entries; must have 2"),
        ("FrozenLake-v1", {"map": "S"}, TypeError, "options: must be a list, .* not dict"),
        ("FrozenLake-v1", 2, TypeError, "options: must be a list, a dict for each env, not int"),
        ("FrozenLake-v1", [{}, None], TypeError, r"options\[1\]: must be a dict, not NoneType"),
        ("FrozenLake-v1", [{}, {"mapp": "S"}], TypeError, r"\[1\]: .* 'mapp'; did you mean 'map'"),
        (
            "FrozenLake-v1",
            [{"is_slippery": 2.5}, {}],
            TypeError,
            r"options\[0\]: is_slippery: must",
        ),
        ("Pong-v5", [{}, {"mode": 99}], ValueError, r"options\[1\]: .* mode 99 does not exist"),
        ("Pong-v5", [{}, {"preset": "a"}], ValueError, r"options\[1\]: preset: 'a' must be one of"),
        ("Pong-v5", [{}, {"task": 3}], TypeError, r"options\[1\]: task: must be a str, not int"),
        ("FrozenLake-v1", [{}, {"map_name": "8x8"}], ValueError, "env 1: its observation is not"),
        ("Pong-v5", [{}, {"task": "Breakout-v5"}], ValueError, "env 1: its action is not"),
        ("Pong-v5", [{"ram": True}, {}], ValueError, "env 1: its info is not"),
        ("Pong-v5", [{}, {"task": "Taxi-v4"}], ValueError, r"options\[1\]: Taxi-v4 is another env"),
        ("Pong-v5", [{"task": "Taxi-v4"}] * 2, ValueError, r"options\[0\]: Taxi-v4 is another env"),
        ("Pong-v5", [{}, {"task": "Pongg-v5"}], ValueError, "did you mean 'Pong-v5'"),
        ("debug/Farm-v0", [{}, {}], ValueError, "a group's envs cannot have options of their own"),
    ],
)
def test_wrong_options_are_refused(
    task: str, each: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        poolkit.make(task, num_envs=2, options=each)
