"""Environments by name: what make() finds, and what it says when it does not."""

import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import poolkit
import pytest
from poolkit import _core


def test_builtin_environments_are_listed() -> None:
    names = poolkit.list_all_envs()
    assert "CartPole-v1" in names
    assert names == sorted(names)


def test_unknown_name_tells_the_near_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown environment 'cartpole-v1'.*'CartPole-v1'"):
        poolkit.make("cartpole-v1")


@pytest.mark.parametrize(
    ("name", "near"),
    [("PongNoFrameskip-v4", "Pong-v5"), ("MsPacmanDeterministic-v4", "MsPacman-v5")],
)
def test_names_of_older_gyms_are_near(name: str, near: str) -> None:
    with pytest.raises(ValueError, match=f"unknown environment '{name}'; did you mean '{near}'"):
        poolkit.make(name)


def test_name_must_be_a_str() -> None:
    for call in (poolkit.make, poolkit.make_spec, poolkit.make_dm, poolkit.make_gym):
        with pytest.raises(TypeError, match="task: must be a str, not int"):
            call(3)  # type: ignore[arg-type]


def test_unknown_option_is_a_type_error_that_names_it() -> None:
    with pytest.raises(TypeError, match=r"CartPole-v1 has no option 'gravity'; there are sutton"):
        poolkit.make("CartPole-v1", gravity=1.0)


@pytest.mark.parametrize(
    ("wrong", "near"),
    [("num_env", "num_envs"), ("autoreset_mode", "autoreset"), ("batchsize", "batch_size")],
)
def test_unknown_option_may_have_been_meant_as_an_argument(wrong: str, near: str) -> None:
    with pytest.raises(TypeError, match=f"has no option '{wrong}'; did you mean '{near}'"):
        poolkit.make("Pong-v5", **{wrong: 2})


def test_unknown_env_type_tells_the_accepted_ones() -> None:
    with pytest.raises(ValueError, match=r"env_type: 'jax' must be one of"):
        poolkit.make("CartPole-v1", "jax")


def test_registering_needs_a_capsule() -> None:
    with pytest.raises(TypeError, match="capsule of a POOLKIT_MODULE, not type"):
        poolkit.register("test/Wrong-v0", object)


@pytest.mark.parametrize(
    ("name", "arguments", "error", "message"),
    [
        (3, {}, TypeError, "name: must be a str, not int"),
        ("", {}, ValueError, "name: Malformed environment ID"),
        ("a cart", {}, ValueError, "name: Malformed environment ID: a cart"),
        ("acme:Cart-v0", {}, ValueError, "name: 'acme:Cart-v0' must not have the colon"),
        ("test/Wrong-v0", {"render": 3}, TypeError, "render: must be a function, not int"),
        ("test/Wrong-v0", {"render_text": "a"}, TypeError, "render_text: must be a function"),
        ("test/Wrong-v0", {"prepare": {}}, TypeError, "prepare: must be a function, not dict"),
    ],
)
def test_wrong_registration_is_refused(
    name: Any, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        poolkit.register(name, _core.envs.CartPole, **arguments)
    assert name not in poolkit.list_all_envs()


def test_registered_with_gymnasium_under_any_id() -> None:
    poolkit.register("test/Timed-v0", _core.envs.CartPole, max_episode_steps=2)
    poolkit.register_gymnasium("test/Timed-v0")
    poolkit.register_gymnasium("test/Timed-v0")  # again, without a warning
    env = gymnasium.make("test/Timed-v0")
    env.reset()
    assert [env.step(0)[3] for _ in range(2)] == [False, True]
    env.close()
    with gymnasium.make_vec("test/Timed-v0", num_envs=3) as envs:
        envs.reset()
        assert [envs.step([0] * 3)[3].tolist() for _ in range(2)] == [[False] * 3, [True] * 3]
    with pytest.raises(ValueError, match="unknown environment 'test/Timid-v0'.*'test/Timed-v0'"):
        poolkit.register_gymnasium("test/Timid-v0")


def test_default_must_be_an_option() -> None:
    with pytest.raises(TypeError, match="test/Wrong-v0 has no option 'gravity'"):
        poolkit.register("test/Wrong-v0", _core.envs.CartPole, gravity=1.0)


def test_registered_time_limit_holds_unless_make_is_given_one() -> None:
    poolkit.register("test/Short-v0", _core.envs.CartPole, max_episode_steps=2)
    for arguments, limit in (({}, 2), ({"max_episode_steps": 3}, 3)):
        with poolkit.make("test/Short-v0", **arguments) as envs:
            envs.reset()
            truncated = [bool(envs.step([0])[3][0]) for _ in range(limit)]
        assert truncated == [False] * (limit - 1) + [True]


def test_module_before_a_colon_is_imported_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "acme_cart.py").write_text(
        textwrap.dedent("""
        import poolkit
        from poolkit import _core

        poolkit.register("acme/Cart-v0", _core.envs.CartPole)
        """)
    )
    monkeypatch.syspath_prepend(tmp_path)
    with poolkit.make("acme_cart:acme/Cart-v0", num_envs=2) as envs:
        assert envs.num_envs == 2
    assert "acme_cart" in sys.modules
    with pytest.raises(ModuleNotFoundError):
        poolkit.make("no_such_module:acme/Cart-v0")


@pytest.mark.parametrize(
    ("argument", "value", "error"),
    [
        ("num_envs", 0, ValueError),
        ("num_envs", 2.0, TypeError),
        ("batch_size", 0, ValueError),
        ("batch_size", 5, ValueError),
        ("num_threads", 0, ValueError),
        ("max_episode_steps", -1, ValueError),
        ("thread_affinity_offset", -2, ValueError),
        ("affinity", [10**6], ValueError),
        ("affinity", [], ValueError),
        ("affinity", "cores", ValueError),
        ("autoreset", "never", ValueError),
        ("render_mode", "ansi", ValueError),
    ],
)
def test_wrong_argument_is_named(argument: str, value: object, error: type[Exception]) -> None:
    with pytest.raises(error, match=argument):
        poolkit.make("CartPole-v1", **{"num_envs": 4, argument: value})


def test_spec_is_that_of_what_make_makes() -> None:
    for task in ("CartPole-v0", "Pong-v5", "Taxi-v4", "debug/EveryDtype-v0", "debug/Slow-v0"):
        spec = poolkit.make_spec(task)
        with poolkit.make(task, num_envs=2) as envs:
            assert spec.observation_space == envs.single_observation_space
            assert spec.action_space == envs.single_action_space
            assert list(spec.render_modes) == envs.metadata["render_modes"]
            info = envs.reset()[1]
            space = spec.info_space
            assert isinstance(space, gymnasium.spaces.Dict)
            assert set(space) == set(info) - {
                "env_id",
                "elapsed_step",
                "episode_return",
                "episode_length",
            }
            for key, part in space.items():
                assert (part.dtype, (2, *part.shape)) == (info[key].dtype, info[key].shape)


def test_spec_has_gymnasiums_time_limits() -> None:
    for task in (
        *("CartPole-v0", "CartPole-v1", "Pendulum-v1", "Acrobot-v1", "MountainCar-v0"),
        *("MountainCarContinuous-v0", "FrozenLake-v1", "FrozenLake8x8-v1", "Taxi-v4"),
        *("CliffWalking-v1", "CliffWalkingSlippery-v1", "Blackjack-v1"),
    ):
        with warnings.catch_warnings(action="ignore"):
            limit = gymnasium.spec(task).max_episode_steps
        assert poolkit.make_spec(task).max_episode_steps == (limit or 0)


def test_spec_tells_options_with_types_defaults_and_meaning() -> None:
    options = {option.name: option for option in poolkit.make_spec("ALE/Pong-v5").options}
    assert options["repeat_action_probability"].default == 0.25
    assert options["frame_skip"].type == "int"
    assert options["frame_skip"].default == 4
    assert options["preset"].type == "str | None"
    assert options["preset"].doc == "A published protocol: dqn or machado."
    assert all(option.doc for option in options.values())
    with poolkit.make("Pong-v5", **{name: o.default for name, o in options.items()}) as envs:
        assert envs.single_observation_space.shape == (4, 84, 84)


def test_spec_takes_options_and_builds_nothing() -> None:
    spec = poolkit.make_spec("debug/Failing-v0", at="constructor", index=0)
    assert {o.name: o.default for o in spec.options}["at"] == "constructor"
    with pytest.raises(TypeError, match="debug/Failing-v0 has no option 'att'; did you mean 'at'"):
        poolkit.make_spec("debug/Failing-v0", att="step")
