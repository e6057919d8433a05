"""Pools of Python environments keep the pool's contract, and say what SyncVectorEnv says."""

import pickle
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import poolkit
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.python_zoo import ARRAY_SPACES, SPACES, Zoo

# Forked workers start fastest; Python 3.12 and later warn of it.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")

ENGINE = ("env_id", "elapsed_step", "episode_return", "episode_length")


def same(ours: Any, theirs: Any, path: str = "") -> None:
    """Equal, with types and dtypes."""
    assert type(ours) is type(theirs), (path, ours, theirs)
    if isinstance(ours, dict):
        assert sorted(ours) == sorted(theirs), path
        for key in ours:
            same(ours[key], theirs[key], f"{path}[{key!r}]")
    elif isinstance(ours, tuple | list):
        assert len(ours) == len(theirs), path
        for k, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            same(one, other, f"{path}[{k}]")
    elif isinstance(ours, np.ndarray) and ours.dtype == object:
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), path
        same(list(ours), list(theirs), path)
    elif isinstance(ours, np.ndarray):
        assert ours.dtype == theirs.dtype, (path, ours.dtype, theirs.dtype)
        np.testing.assert_array_equal(ours, theirs, err_msg=path)
    else:
        assert ours == theirs, path


def row_of(space: Any, batch: Any, row: int) -> Any:
    if isinstance(batch, np.ndarray) and batch.dtype == object:  # of whole values
        return batch[row]
    if isinstance(space, gymnasium.spaces.Dict):
        return {key: row_of(entry, batch[key], row) for key, entry in space.spaces.items()}
    if isinstance(space, gymnasium.spaces.Tuple):
        return tuple(row_of(e, b, row) for e, b in zip(space.spaces, batch, strict=True))
    return batch[row]


def same_info(ours: dict[str, Any], theirs: dict[str, Any], space: Any) -> None:
    ours = {key: value for key, value in ours.items() if key not in ENGINE}
    theirs = dict(theirs)
    assert ("final_obs" in ours) == ("final_obs" in theirs)
    if "final_obs" in ours:
        finals, masks = ours.pop("final_obs"), ours.pop("_final_obs")
        same(masks, theirs.pop("_final_obs"))
        expected = theirs.pop("final_obs")
        for row in np.flatnonzero(masks):
            one = row_of(space, finals, row)
            np.testing.assert_equal(one, expected[row])
        same_info(ours.pop("final_info"), theirs.pop("final_info"), space)
    same(ours, theirs, "info")


@st.composite
def cases(draw: Any) -> dict[str, Any]:
    num_envs = draw(st.integers(1, 4))
    return {
        "observation": draw(st.sampled_from(sorted(SPACES))),
        "action": draw(st.sampled_from(sorted(SPACES))),
        "num_envs": num_envs,
        "num_workers": draw(st.integers(1, num_envs)),
        "mode": draw(st.sampled_from(list(AutoresetMode))),
        "seed": draw(st.integers(0, 2**31)),
        "steps": draw(st.integers(1, 25)),
        "options": draw(st.sampled_from([None, {"level": 3}])),
    }


def check(case: dict[str, Any], **how: Any) -> None:
    fns = [partial(Zoo, case["observation"], case["action"], length=3)] * case["num_envs"]
    mode = case["mode"]
    ours = poolkit.make_python(fns, num_workers=case["num_workers"], autoreset=mode, **how)
    theirs = SyncVectorEnv(fns, autoreset_mode=mode)
    space = theirs.single_observation_space
    with ours:
        assert ours.observation_space == theirs.observation_space
        assert ours.action_space == theirs.action_space
        assert ours.metadata == theirs.metadata
        ours.action_space.seed(case["seed"])
        for seed in (case["seed"], None):
            one = ours.reset(seed=seed, options=case["options"])
            other = theirs.reset(seed=seed, options=case["options"])
            same(one[0], other[0])
            same_info(one[1], other[1], space)
            for _ in range(case["steps"]):
                actions = ours.action_space.sample()
                our_step, their_step = ours.step(actions), theirs.step(actions)
                same(our_step[0], their_step[0])
                same(our_step[1], their_step[1].astype(np.float32))
                same(our_step[2:4], their_step[2:4])
                same_info(our_step[4], their_step[4], space)
                ended = our_step[2] | our_step[3]
                if mode is AutoresetMode.DISABLED and ended.any():
                    one = ours.reset(options={"reset_mask": ended})
                    other = theirs.reset(options={"reset_mask": ended})
                    same(one[0], other[0])
                    same_info(one[1], other[1], space)
    theirs.close()


@settings(max_examples=60, deadline=None)
@given(cases())
def test_episodes_are_those_of_sync_vector_env(case: dict[str, Any]) -> None:
    check(case, workers="thread")


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_processes_give_the_same_episodes(mode: AutoresetMode) -> None:
    base = {"num_envs": 3, "num_workers": 2, "mode": mode, "seed": 7, "steps": 30}
    check(
        {**base, "observation": "tuple with all", "action": "nested", "options": {"level": 1}},
        context="fork",
    )


@pytest.mark.parametrize("context", ["forkserver", "spawn", "fork"])
def test_every_context_takes_lambdas(context: str) -> None:
    length = 3
    fns = [lambda: Zoo(length=length), lambda: Zoo("float32", length=length)]
    with poolkit.make_python(fns, context=context) as envs:
        obs, _ = envs.reset(seed=1)
        sync = SyncVectorEnv(fns)
        same(obs, sync.reset(seed=1)[0])


def opened(num_envs: int = 2, **how: Any) -> poolkit.PythonVectorEnv:
    said = how.pop("said", {})
    fn = partial(Zoo, length=how.pop("length", 4), **said)
    return poolkit.make_python([fn], num_envs, **{"workers": "thread", **how})


def test_an_id_is_made_by_gymnasium_with_its_options() -> None:
    with poolkit.make(
        "gymnasium:CartPole-v1", num_envs=2, workers="thread", sutton_barto_reward=True
    ) as envs:
        assert isinstance(envs, poolkit.PythonVectorEnv)
        assert envs.spec.id == "CartPole-v1"
        assert envs.get_attr("_sutton_barto_reward") == (True, True)
        sync = SyncVectorEnv([lambda: gymnasium.make("CartPole-v1")] * 2)
        same(envs.reset(seed=3)[0], sync.reset(seed=3)[0])


@pytest.mark.parametrize(("limit", "length"), [(None, 200), (7, 7)])
def test_there_is_one_time_limit(limit: int | None, length: int) -> None:
    with poolkit.make_python("Pendulum-v1", 1, workers="thread", max_episode_steps=limit) as envs:
        envs.reset()
        cut = [envs.step([[0.0]])[3][0] for _ in range(length)]
        assert cut == [False] * (length - 1) + [True]
        assert envs.spec.max_episode_steps == length


def test_the_engine_limits_functions_too() -> None:
    fn = partial(gymnasium.make, "Pendulum-v1")
    with poolkit.make_python([fn], workers="thread", max_episode_steps=3, infos="final") as envs:
        envs.reset()
        assert [bool(envs.step([[0.0]])[3][0]) for _ in range(4)] == [False, False, True, False]


def test_asynchronous_batches_hold_each_env_once_for_each_send() -> None:
    with opened(6, batch_size=2, num_workers=3) as envs:
        envs.async_reset()
        steps = np.zeros(6, int)
        for _ in range(150):
            obs, _, _, _, info = envs.recv(timeout=60)
            assert obs.shape == (2, 3)
            ids = info["env_id"]
            for row, count in zip(ids, info.get("_count", [0, 0]), strict=False):
                assert count in (0, 1)
                steps[row] += 1
            envs.send(envs.action_space.sample(), ids)
        assert steps.min() > 10


def test_each_env_of_an_asynchronous_pool_has_its_own_stream() -> None:
    def episodes(batch_size: int) -> list[list[float]]:
        seen: list[list[float]] = [[] for _ in range(4)]
        with opened(4, batch_size=batch_size, num_workers=2, seed=5) as envs:
            envs.async_reset()
            while min(map(len, seen)) < 12:
                obs, _, _, _, info = envs.recv()
                for row, env in enumerate(info["env_id"]):
                    seen[env].append(float(obs[row, 0]))
                envs.send(np.zeros(len(obs), int), info["env_id"])
        return [values[:12] for values in seen]

    assert episodes(4) == episodes(1)


def infos_of(infos: Any, steps: int = 40, **how: Any) -> list[dict[str, Any]]:
    with opened(2, infos=infos, said={"extra": 5}, **how) as envs:
        start = envs.reset(seed=2)[1]
        return [start] + [envs.step([0, 0])[4] for _ in range(steps)]


def names(infos: list[dict[str, Any]]) -> set[str]:
    return {name for info in infos for name in info} - set(ENGINE)


def test_infos_can_be_left_out_or_chosen() -> None:
    assert "word" in names(infos_of("all"))
    assert names(infos_of("none")) == set()
    assert names(infos_of(["extra", "count"])) == {"extra", "_extra", "count", "_count"}
    of_ends = infos_of("final", autoreset="same_step")
    assert names(of_ends) == {"final_info", "_final_info", "final_obs", "_final_obs"}
    assert any("word" in info["final_info"] for info in of_ends if "final_info" in info)


def test_names_of_the_pool_win_over_an_environments() -> None:
    with opened(2, said={"env_id": "mine", "elapsed_step": -1}) as envs:
        envs.reset(seed=1)
        for _ in range(5):
            info = envs.step([0, 0])[4]
            assert info["env_id"].tolist() == [0, 1]
            assert "_env_id" not in info


def test_what_was_returned_never_changes() -> None:
    with opened(3, num_workers=2) as envs:
        envs.reset(seed=0)
        kept = []
        for _ in range(20):
            step = envs.step(envs.action_space.sample())
            kept.append((step, pickle.dumps(step)))
        assert all(pickle.dumps(step) == then for step, then in kept)


def test_attributes_and_methods_are_the_envs_own() -> None:
    fns = [lambda k=k: gymnasium.wrappers.TimeLimit(Zoo(length=3 + k), 50) for k in range(3)]
    with poolkit.make_python(fns, context="fork", num_workers=2) as envs:
        envs.reset(seed=0)
        assert envs.get_attr("length") == (3, 4, 5)
        assert envs.call("twice", 4, more=1) == (9, 9, 9)
        envs.set_attr("length", [7, 8, 9])
        assert envs.get_attr("length") == (7, 8, 9)
        envs.set_attr("fresh", {"a": 1})
        assert envs.call("fresh") == ({"a": 1},) * 3
        with pytest.raises(AttributeError, match="nothing"):
            envs.get_attr("nothing")
        with pytest.raises(LookupError, match="never found") as caught:
            envs.call("complain")
        assert "in env 0" in caught.value.__notes__[0]
        assert "complain" in caught.value.__notes__[0]
        assert [image[0, 0, 0] for image in envs.render() or ()] == [0, 0, 0]
        envs.send([0], [1])
        with pytest.raises(ValueError, match="env 1"):
            envs.get_attr("length")


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"env_fns": 3}, TypeError, "env_fns: must be a list of functions or an id, not int"),
        ({"env_fns": [3]}, TypeError, r"env_fns: \[0\] must be a function, not int"),
        ({"env_fns": [Zoo, Zoo], "num_envs": 3}, ValueError, "num_envs: 3 must be .* 2"),
        ({"env_fns": []}, ValueError, "num_envs: 0 must be in"),
        ({"env_fns": [Zoo], "workers": "fiber"}, ValueError, "workers: 'fiber' must be"),
        ({"env_fns": [Zoo], "context": "f"}, ValueError, "context: 'f' must be one of"),
        ({"env_fns": [Zoo], "infos": "some"}, ValueError, "infos: 'some' must be"),
        ({"env_fns": [Zoo], "infos": [1]}, TypeError, "infos: must be"),
        ({"env_fns": [Zoo], "num_workers": 0}, ValueError, "num_workers: 0 must be in"),
        ({"env_fns": [Zoo], "length": 3}, TypeError, "length: options are for an id"),
        (
            {"env_fns": [Zoo, partial(Zoo, "uint8")], "workers": "thread"},
            ValueError,
            "env 1 has observation_space",
        ),
    ],
)
def test_bad_arguments_are_named(arguments: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        poolkit.make_python(**arguments)


def test_bad_actions_are_refused_before_anything_is_stepped() -> None:
    with opened(2) as envs:
        envs.reset(seed=0)
        with pytest.raises(ValueError, match=r"row 1 \(env 1\): 7 is not in -1 .. 2"):
            envs.step([0, 7])
        assert envs.pending == 0
    with poolkit.make_python([partial(Zoo, action="text")] * 2, workers="thread") as envs:
        envs.reset(seed=0)
        with pytest.raises(ValueError, match="row 1: 3 is not in Text"):
            envs.step(("abc", 3))
        with pytest.raises(ValueError, match="has 1 entries; must have 2"):
            envs.step(("abc",))
        envs.step(("abc", "de"))


@pytest.mark.parametrize("front", ["dm", "gym"])
def test_other_front_ends_take_gymnasium_ids(front: str) -> None:
    with poolkit.make("gymnasium:CartPole-v1", front, num_envs=2, workers="thread") as envs:
        envs.reset()
        assert envs.num_envs == 2


def test_every_array_space_keeps_its_dtype() -> None:
    for name, space in ARRAY_SPACES.items():
        with poolkit.make_python([partial(Zoo, name, name)], workers="thread") as envs:
            obs, _ = envs.reset(seed=0)
            assert envs.observation_space.contains(obs), name
            assert space == envs.single_observation_space


def test_options_of_a_reset_that_was_refused_reach_nobody() -> None:
    with poolkit.make_python([Zoo] * 2, workers="thread") as envs:
        with pytest.raises(TypeError, match="seed"):
            envs.reset(seed="no", options={"level": 3})  # type: ignore[arg-type]
        envs.reset()
        assert envs.get_attr("options") == (None, None)


def test_a_part_of_an_action_that_is_missing_is_named() -> None:
    with poolkit.make_python([partial(Zoo, action="nested")] * 2, workers="thread") as envs:
        envs.reset()
        actions = envs.action_space.sample()
        del actions["arm"]["on"]
        with pytest.raises(ValueError, match=r"the value\['arm'\] of dict has no \['on'\]"):
            envs.step(actions)
        with pytest.raises(ValueError, match=r"the value of int has no \['arm'\]"):
            envs.step(3)


class NeverCompared(spaces.Box):
    """As large images' bounds, which NumPy compares slowly."""

    def __eq__(self, other: object) -> bool:
        raise AssertionError("compared")


class Large(Zoo):
    def __init__(self) -> None:
        super().__init__()
        self.observation_space = NeverCompared(-1, 1, (3,), np.float32)


def test_spaces_of_the_same_bytes_are_not_compared() -> None:
    poolkit.make_python([Large] * 2, workers="thread").close()
