"""Environments that throw: one error for each, and everything else goes on."""

import pickle

import numpy as np
import poolkit
import pytest

STEP, THROW, THROW_IN_OBSERVE, THROW_IN_RESET = range(4)


def test_error_of_one_env_keeps_the_others() -> None:
    with poolkit.make("debug/Failing-v0", num_envs=4, num_threads=2) as envs:
        envs.reset()
        with pytest.raises(poolkit.EnvError, match="env 2: told to throw in the step") as caught:
            envs.step([STEP, STEP, THROW, STEP])
        assert caught.value.env_id == 2
        assert caught.value.message == "told to throw in the step"
        assert envs.pending == 3
        obs, _, _, _, info = envs.recv()
        np.testing.assert_array_equal(info["env_id"], [0, 1, 3])
        np.testing.assert_array_equal(obs[:, 0], 1)

        with pytest.raises(RuntimeError, match="2"):
            envs.step([STEP] * 4)
        obs, info = envs.reset(options={"reset_mask": np.arange(4) == 2})
        np.testing.assert_array_equal(obs[:, 0], [1, 1, 0, 1])
        np.testing.assert_array_equal(envs.step([STEP] * 4)[0][:, 0], [2, 2, 1, 2])


@pytest.mark.parametrize("action", [THROW, THROW_IN_OBSERVE])
def test_each_failed_env_raises_once(action: int) -> None:
    with poolkit.make("debug/Failing-v0", num_envs=3) as envs:
        envs.reset()
        envs.send([action, STEP, action])
        failed = []
        for _ in range(2):
            with pytest.raises(poolkit.EnvError) as caught:
                envs.recv()
            failed.append(caught.value.env_id)
        assert sorted(failed) == [0, 2]
        assert envs.recv()[4]["env_id"] == [1]
        assert envs.pending == 0


@pytest.mark.parametrize("batch_size", [1, 2, 4])
def test_broken_env_works_again_after_its_reset(batch_size: int) -> None:
    with poolkit.make("debug/Failing-v0", num_envs=4, batch_size=batch_size) as envs:
        envs.async_reset()
        while envs.pending:
            envs.recv()
        envs.send([THROW], [1])
        with pytest.raises(poolkit.EnvError, match="env 1"):
            envs.recv()
        envs.async_reset([1])
        assert envs.recv()[0][0, 0] == 0
        envs.send([STEP], [1])
        assert envs.recv()[0][0, 0] == 1


def collect(envs: poolkit.GymnasiumVectorEnv) -> tuple[dict[int, str], dict[int, int]]:
    """What is pending: the messages of the envs that threw, and what the others show."""
    errors: dict[int, str] = {}
    shown: dict[int, int] = {}
    pending = envs.pending
    while envs.pending:
        try:
            obs, _, _, _, info = envs.recv()
        except poolkit.EnvError as error:
            errors[error.env_id] = error.message
        else:
            shown |= zip(info["env_id"].tolist(), obs[:, 0].tolist(), strict=True)
    assert len(errors) + len(shown) == pending  # none twice
    return errors, shown


@pytest.mark.parametrize("autoreset", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize("batch_size", [5, 2])
@pytest.mark.parametrize("who", [[3], [0, 1, 2, 3, 4]])
@pytest.mark.parametrize("place", ["step", "observation", "reset"])
def test_env_that_throws_anywhere_is_one_error(
    place: str, who: list[int], batch_size: int, autoreset: str
) -> None:
    with poolkit.make(
        "debug/Failing-v0", num_envs=5, batch_size=batch_size, num_threads=2, autoreset=autoreset
    ) as envs:
        envs.async_reset()
        collect(envs)
        action = {"step": THROW, "observation": THROW_IN_OBSERVE, "reset": THROW_IN_RESET}[place]
        envs.send([action if env in who else STEP for env in range(5)], range(5))
        expected = dict.fromkeys(set(range(5)) - set(who), 1)
        if place == "reset" and autoreset != "same_step":  # where the reset is the next request
            assert collect(envs) == ({}, dict.fromkeys(range(5), 1))
            if autoreset == "next_step":
                envs.send([STEP] * 5, range(5))
                expected = dict.fromkeys(expected, 2)
            else:
                envs.async_reset(who)
                expected = {}
        assert collect(envs) == (dict.fromkeys(who, f"told to throw in the {place}"), expected)

        for env in who:
            with pytest.raises(RuntimeError, match=f"env {env} is broken since it threw"):
                envs.send([STEP], [env])
        envs.async_reset()
        assert collect(envs) == ({}, dict.fromkeys(range(5), 0))
        envs.send([STEP] * 5, range(5))
        assert collect(envs) == ({}, dict.fromkeys(range(5), 1))


@pytest.mark.parametrize("autoreset", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize("place", ["reset", "step", "observe"])
def test_env_that_always_throws_may_be_tried_again(place: str, autoreset: str) -> None:
    with poolkit.make("debug/Failing-v0", autoreset=autoreset, at=place, index=0) as envs:
        for _ in range(3):
            envs.async_reset()
            if place == "step":
                assert collect(envs) == ({}, {0: 0})
                envs.send([STEP], [0])
            where = "observation" if place == "observe" else place
            assert collect(envs) == ({0: f"told to throw in the {where}"}, {})


def test_error_in_a_reset_is_raised_by_reset() -> None:
    with poolkit.make("debug/Failing-v0", num_envs=2, autoreset="next_step") as envs:
        envs.reset()
        envs.step([THROW_IN_RESET, STEP])
        with pytest.raises(poolkit.EnvError, match="env 0: told to throw in the reset"):
            envs.step([STEP, STEP])
        obs, _ = envs.reset()
        np.testing.assert_array_equal(obs[:, 0], [0, 0])


def test_env_that_cannot_be_built_is_an_error_of_make() -> None:
    with pytest.raises(poolkit.EnvError, match="told to throw in the constructor"):
        poolkit.make("debug/Failing-v0", num_envs=3, at="constructor")
    with pytest.raises(poolkit.EnvError, match="told to throw in the constructor"):
        poolkit.make("debug/Failing-v0", num_envs=5, num_threads=3, at="constructor", index=2)
    with poolkit.make("debug/Failing-v0", num_envs=3) as envs:  # and nothing was left behind
        np.testing.assert_array_equal(np.sort(envs.reset()[0][:, 1]), [0, 1, 2])
    with pytest.raises(poolkit.EnvError, match="told to throw"):
        poolkit.make("debug/Farm-v0", num_envs=3, constructor_fails=True)


def test_error_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(poolkit.EnvError(3, "no")))
    assert (error.env_id, error.message, str(error)) == (3, "no", "env 3: no")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"length": "3"}, TypeError, "length: must be int, not str"),
        ({"length": True}, TypeError, "length: must be int, not bool"),
        ({"length": 2.0}, TypeError, "length: must be int, not float"),
        ({"length": None}, TypeError, "length: must be int, not NoneType"),
        ({"clip": 1}, TypeError, "clip: must be bool, not int"),
        (
            {"lenght": 3},
            TypeError,
            "has no option 'lenght'; did you mean 'length'",
        ),
    ],
)
def test_mistyped_option_is_named(
    options: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        poolkit.make("debug/Counter-v0", **options)


def test_option_out_of_its_range_is_the_environments_error() -> None:
    with pytest.raises(poolkit.EnvError, match="length=0: must be in 1"):
        poolkit.make("debug/Counter-v0", length=0)


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_reset_that_fails_leaves_the_last_recv_to_be_answered(failing: int) -> None:
    with poolkit.make("debug/Failing-v0", num_envs=4, batch_size=1) as envs:
        envs.async_reset()
        while envs.pending:
            envs.recv()
        envs.send([THROW_IN_RESET], [failing])
        envs.recv()
        envs.send([STEP], [0])
        envs.recv()
        with pytest.raises(poolkit.EnvError, match=f"env {failing}"):
            envs.reset(options={"reset_mask": np.arange(4) > 0})
        envs.send([STEP])
        left = [int(envs.recv()[4]["env_id"][0]) for _ in range(envs.pending)]
        assert left.count(0) == 1
