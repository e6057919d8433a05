"""PoolVecEnv keeps the contract of Stable-Baselines3's vector environments."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import poolkit
import pytest
from gymnasium import spaces
from poolkit.adapters.sb3 import PoolVecEnv, make_pool_vec_env
from stable_baselines3.common.atari_wrappers import AtariWrapper
from stable_baselines3.common.monitor import Monitor, load_results
from stable_baselines3.common.vec_env import VecMonitor

INDICES: list[tuple[Any, list[int]]] = [
    (None, [0, 1, 2]),
    (1, [1]),
    (np.int64(2), [2]),
    (-1, [2]),
    ([0, 2], [0, 2]),
    (range(1, 3), [1, 2]),
    (np.array([2, 0]), [2, 0]),
    ([], []),
]


def counter(num_envs: int = 2, **arguments: Any) -> PoolVecEnv:
    return PoolVecEnv("debug/Counter-v0", num_envs, **{"length": 3} | arguments)


def test_step_gives_what_sb3_expects() -> None:
    envs = counter()
    obs = envs.reset()
    assert isinstance(obs, np.ndarray)
    np.testing.assert_array_equal(obs[:, 0], [0, 0])
    obs, rewards, dones, infos = envs.step(np.array([3, 4]))
    np.testing.assert_array_equal(obs[:, 0], [1, 1])
    np.testing.assert_array_equal(rewards, [3, 4])
    assert (rewards.dtype, rewards.shape) == (np.float32, (2,))
    assert (dones.dtype, dones.shape) == (np.bool_, (2,))
    assert infos == [{"TimeLimit.truncated": False}] * 2
    assert type(infos) is list
    assert {type(info) for info in infos} == {dict}
    envs.step_async([5, 6])  # a list is fine
    np.testing.assert_array_equal(envs.step_wait()[1], [5, 6])


def test_terminal_observation_is_the_last_of_the_episode_and_a_copy() -> None:
    envs = counter()
    envs.reset()
    for _ in range(2):
        assert not envs.step([1, 1])[2].any()
    obs, _, dones, infos = envs.step([7, 8])
    np.testing.assert_array_equal(dones, [True, True])
    np.testing.assert_array_equal(obs[:, :2], [[0, 2], [0, 2]])
    for info, action in zip(infos, [7, 8], strict=True):
        final = info["terminal_observation"]
        np.testing.assert_array_equal(final[[0, 1, 3]], [3, 1, action])
        assert final.flags.owndata
        assert final.shape == envs.observation_space.shape
    assert all("terminal_observation" not in info for info in envs.step([1, 1])[3])


def test_what_was_returned_is_the_callers() -> None:
    envs = counter(length=2)
    envs.reset()
    kept: list[Any] = []
    for _ in range(4):
        obs, rewards, dones, infos = envs.step([1, 2])
        for array in (obs, rewards, dones):
            assert array.flags.writeable
        kept.append((obs, rewards, dones, infos, obs.copy(), rewards.copy(), dones.copy()))
        infos[0]["mine"] = True  # wrappers write into them
    assert "mine" not in envs.step([1, 2])[3][0]
    for obs, rewards, dones, _, *copies in kept:
        for array, copy in zip((obs, rewards, dones), copies, strict=True):
            np.testing.assert_array_equal(array, copy)


def test_infos_of_envs_are_not_one_object() -> None:
    envs = counter()
    envs.reset()
    infos = envs.step([1, 1])[3]
    infos[0]["mine"] = True
    assert "mine" not in infos[1]
    assert envs.reset_infos[0] is not envs.reset_infos[1]


@pytest.mark.parametrize(("truncates", "limit"), [(False, 0), (True, 0), (False, 2)])
def test_truncation_is_told_from_termination(truncates: bool, limit: int) -> None:
    envs = counter(1, truncates=truncates, max_episode_steps=limit)
    envs.reset()
    while not (result := envs.step([0]))[2].any():
        assert result[3] == [{"TimeLimit.truncated": False}]
    assert result[3][0]["TimeLimit.truncated"] is (truncates or limit > 0)


def test_episode_is_unclipped_and_ends_with_the_game() -> None:
    envs = counter(1, length=2, lives=2, clip=True)
    envs.reset()
    rewards, episodes, dones = [], [], []
    for _ in range(8):
        _, reward, done, (info,) = envs.step([5])
        rewards.append(reward[0])
        dones.append(done[0])
        episodes.append(info.get("episode"))
    assert rewards == [1] * 8
    assert dones == [False, True] * 4  # a lost life is an end for the trainer
    assert [bool(episode) for episode in episodes] == [False, False, False, True] * 2
    assert all((episode["r"], episode["l"]) == (20, 4) for episode in episodes if episode)
    assert 0 <= episodes[3]["t"] <= episodes[7]["t"]


def test_explicit_reset_after_a_lost_life_starts_a_new_game() -> None:
    envs = counter(1, length=1, lives=2)
    envs.reset()
    envs.step([5])
    obs = envs.reset()
    assert isinstance(obs, np.ndarray)
    assert obs[0, 1] == 2
    assert "episode" not in envs.step([1])[3][0]
    assert envs.step([1])[3][0]["episode"]["r"] == 2


def test_info_keywords_are_in_infos_and_episodes() -> None:
    envs = counter(1, length=2, lives=2, info_keywords=("lives", "resets"))
    envs.reset()
    assert envs.reset_infos[0]["lives"] == 2
    seen = []
    for _ in range(4):
        (info,) = envs.step([0])[3]
        seen.append(info["lives"])
        assert info["resets"].shape == (3,)
    assert seen == [2, 1, 1, 0]  # of the step itself, not of the reset that followed
    assert type(seen[0]) is int
    assert info["episode"]["lives"] == 0
    assert envs.reset_infos[0]["lives"] == 2
    np.testing.assert_array_equal(envs.reset_infos[0]["resets"], info["resets"] + [1, 0, 0])
    with pytest.raises(ValueError, match=r"info_keywords: 'live' must be one of .*'lives'"):
        counter(info_keywords=("live",))
    for wrong in ("lives", 3):
        with pytest.raises(TypeError, match="info_keywords: must be a list of names, not"):
            counter(info_keywords=wrong)


def test_each_info_is_its_own_envs() -> None:
    own = [{"lives": 2}, {"lives": 4}, {"lives": 3}]
    envs = counter(3, length=1, options=own, info_keywords=("lives",))
    envs.reset()
    assert [info["lives"] for info in envs.reset_infos] == [2, 4, 3]
    assert [info["lives"] for info in envs.step([1, 2, 3])[3]] == [1, 3, 2]
    ended = envs.step([4, 5, 6])[3]
    assert [info["lives"] for info in ended] == [0, 2, 1]
    assert [info.get("episode", {}).get("r") for info in ended] == [5, None, None]
    assert [info["lives"] for info in envs.reset_infos] == [2, 2, 1]


def test_without_monitor_there_are_no_episodes() -> None:
    with pytest.raises(ValueError, match="monitor_dir"):
        counter(monitor=False, monitor_dir="logs")
    envs = counter(1, length=1, monitor=False)
    envs.reset()
    assert "episode" not in envs.step([1])[3][0]
    assert envs.env_is_wrapped(Monitor) == [False]
    monitored = VecMonitor(envs)  # warns, which fails, where a Monitor is seen
    monitored.reset()
    assert monitored.step(np.array([2]))[3][0]["episode"]["r"] == 2


def test_episodes_are_written_where_load_results_finds_them(tmp_path: Path) -> None:
    envs = counter(2, length=1, monitor_dir=tmp_path / "new", info_keywords=("lives",))
    envs.reset()
    envs.step([1, 2])
    envs.step([3, 4])
    envs.close()
    table = load_results(str(tmp_path / "new"))
    assert sorted(table["r"]) == [1, 2, 3, 4]
    assert set(table["l"]) == {1}
    assert set(table["lives"]) == {0}
    assert (tmp_path / "new" / "0.monitor.csv").read_text().count("debug/Counter-v0") == 1


@pytest.mark.parametrize(("override", "kept"), [(True, [3, 4]), (False, [1, 2, 3, 4])])
def test_files_of_episodes_are_added_to_where_that_is_asked_for(
    override: bool, kept: list[int], tmp_path: Path
) -> None:
    for rewards in ([1, 2], [3, 4]):
        envs = counter(2, length=1, monitor_dir=tmp_path, override_existing=override)
        envs.reset()
        envs.step(rewards)
        envs.close()
    assert sorted(load_results(str(tmp_path))["r"]) == kept


def test_seeds_are_those_of_sb3() -> None:
    envs = counter(3, seed=11)
    first = envs.reset()
    assert isinstance(first, np.ndarray)
    for env in range(3):
        single = counter(1, seed=11 + env)
        alone = single.reset()
        assert isinstance(alone, np.ndarray)
        np.testing.assert_array_equal(alone[0], first[env])
    again = envs.reset()  # seeds are used once
    assert isinstance(again, np.ndarray)
    assert (again[:, 2] != first[:, 2]).all()
    assert envs.seed(11) == [11, 12, 13]
    np.testing.assert_array_equal(np.asarray(envs.reset())[:, 2], first[:, 2])
    assert envs.seed(np.int64(11)) == [11, 12, 13]
    assert envs.seed([13, 12, 11]) == [13, 12, 11]
    np.testing.assert_array_equal(np.asarray(envs.reset())[:, 2], first[::-1, 2])
    drawn = envs.seed(None)
    assert all(seed is not None and 0 <= seed < 2**32 + 3 for seed in drawn)


@pytest.mark.parametrize(
    ("seed", "complaint"),
    [
        (-1, "seed: -1 is not in 0"),
        (2**64 - 1, "is not in 0"),  # env 1 would have 2**64
        (1.5, "seed: must be an int .*not float"),
        ("1", "seed: must be an int .*not str"),
        ([1], "seed: has 1 entries; must have 2"),
    ],
)
def test_wrong_seeds_are_refused_at_once(seed: Any, complaint: str) -> None:
    envs = counter()
    with pytest.raises((TypeError, ValueError), match=complaint):
        envs.seed(seed)
    with pytest.raises((TypeError, ValueError), match=complaint):
        counter(seed=seed)
    assert envs._seeds == [None, None]


def test_pools_without_a_seed_differ() -> None:
    drawn = {int(np.asarray(counter(1).reset())[0, 2]) for _ in range(3)}
    assert len(drawn) == 3


def test_rollouts_repeat() -> None:
    def rollout(seed: int) -> list[Any]:
        envs = PoolVecEnv("CartPole-v1", 3, seed=seed)
        rng = np.random.default_rng(0)
        steps = [envs.reset()]
        for _ in range(60):
            obs, rewards, dones, _ = envs.step(rng.integers(0, 2, 3))
            steps += [obs, rewards, dones]
        return steps

    first, same, other = rollout(1), rollout(1), rollout(2)
    for a, b in zip(first, same, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_options_are_warned_of_and_used_up() -> None:
    envs = counter()
    envs.set_options()
    envs.set_options({})
    with pytest.warns(UserWarning, match="options: .*'mass'.* change nothing"):
        envs.set_options({"mass": 2})
    assert envs._options == [{"mass": 2}] * 2
    envs.reset()
    assert envs._options == [{}, {}]
    wrong: Any
    for wrong in (3, [{}], [{}, 3], "ab"):
        with pytest.raises(ValueError, match="options: .* must be a dict, or one for each env"):
            envs.set_options(wrong)
    envs.set_options([{}, {}])


@pytest.mark.parametrize(("indices", "chosen"), INDICES)
def test_indices_choose_envs(indices: Any, chosen: list[int]) -> None:
    envs = counter(3, render_mode="rgb_array")
    envs.reset()
    assert envs.get_attr("index", indices) == chosen
    envs.set_attr("mine", 5, indices)
    assert [hasattr(env, "mine") for env in envs.envs] == [i in chosen for i in range(3)]
    assert envs.env_is_wrapped(Monitor, indices) == [True] * len(chosen)
    assert len(envs.env_method("render", indices=indices)) == len(chosen)


def test_a_wrong_index_is_named() -> None:
    envs = counter(3)
    for indices in (3, [0, -4]):
        with pytest.raises(IndexError, match=r"indices: (3|-4) is not in -3 .. 2"):
            envs.get_attr("render_mode", indices)
    with pytest.raises(TypeError):
        envs.get_attr("render_mode", "01")


def test_attributes_and_methods_of_envs() -> None:
    envs = counter(3, seed=1)
    assert envs.get_attr("action_space") == [envs.action_space] * 3
    assert envs.has_attr("render_mode")
    assert not envs.has_attr("action_masks")
    envs.set_attr("double", lambda value, plus=0: 2 * value + plus, indices=[0, 2])
    assert envs.env_method("double", 4, plus=1, indices=[0, 2]) == [9, 9]
    with pytest.raises(AttributeError, match="double"):
        envs.env_method("double", 4)
    with pytest.raises(AttributeError, match="nothing: .* only action_space, .*double, .*render"):
        envs.get_attr("nothing")
    assert envs.get_attr("unwrapped")[1] is envs.envs[1]
    assert [spec.id for spec in envs.get_attr("spec")] == ["debug/Counter-v0"] * 3
    assert PoolVecEnv("CartPole-v1").get_attr("spec")[0].reward_threshold == 475


def test_only_the_monitor_is_a_wrapper() -> None:
    envs = counter(3)
    assert envs.env_is_wrapped(Monitor) == [True] * 3
    assert envs.env_is_wrapped(gymnasium.Wrapper) == [True] * 3  # a Monitor is one
    assert envs.env_is_wrapped(AtariWrapper) == [False] * 3


def test_rendering_tiles_the_envs() -> None:
    envs = counter(3, render_mode="rgb_array")
    assert envs.render_mode == "rgb_array"
    assert envs.metadata["render_fps"] == 30
    assert envs.get_attr("metadata") == [envs.metadata] * 3
    envs.reset()
    envs.step([0, 0, 0])
    images = envs.get_images()
    assert type(images) is list
    assert [image.shape for image in images if image is not None] == [(2, 3, 3)] * 3
    picture = envs.render()
    assert picture is not None
    assert picture.shape == (4, 6, 3)  # two by two, the last one black
    assert picture[:2].min() == 1
    assert picture[2:, 3:].max() == 0


def test_without_render_mode_there_is_no_image() -> None:
    envs = counter()
    envs.reset()
    assert envs.render_mode is None
    with pytest.warns(UserWarning, match="render_mode"):
        assert envs.get_images() == [None, None]
    with pytest.warns(UserWarning, match="render_mode"):
        assert envs.render() is None


def test_close_is_idempotent_and_drops_what_is_pending(tmp_path: Path) -> None:
    envs = counter(monitor_dir=tmp_path)
    envs.reset()
    envs.step_async([1, 1])
    envs.close()
    envs.close()
    with pytest.raises(RuntimeError, match="closed"):
        envs.reset()


def test_reset_cancels_a_step_that_was_not_waited_for() -> None:
    envs = counter()
    envs.reset()
    envs.step_async([1, 1])
    with pytest.raises(ValueError, match="pending"):
        envs.step_async([1, 1])
    np.testing.assert_array_equal(np.asarray(envs.reset())[:, 0], [0, 0])
    np.testing.assert_array_equal(envs.step([1, 1])[0][:, 0], [1, 1])


def test_bad_actions_change_nothing() -> None:
    envs = counter()
    with pytest.raises(RuntimeError, match="row 0: env 0 was never reset"):
        envs.step([1, 1])
    envs.reset()
    for actions, complaint in (([1, 100], "row 1"), ([1], "shape"), ([1, 2, 3], "shape")):
        with pytest.raises(ValueError, match=complaint):
            envs.step(actions)
    np.testing.assert_array_equal(envs.step([1, 1])[0][:, 0], [1, 1])


def test_an_env_that_threw_works_again_after_a_reset() -> None:
    envs = PoolVecEnv("debug/Failing-v0", 3)
    envs.reset()
    with pytest.raises(poolkit.EnvError, match="env 1"):
        envs.step([0, 1, 0])
    envs.reset()
    np.testing.assert_array_equal(envs.step([0, 0, 0])[0][:, 0], [1, 1, 1])


@pytest.mark.parametrize(
    ("action", "kind", "given"),
    [
        ("discrete", spaces.Discrete, np.int64([0, 3])),
        ("multi_discrete", spaces.MultiDiscrete, np.int64([[1, 0, 0, 0], [0, 0, 0, 1]])),
        ("multi_binary", spaces.MultiBinary, np.float32([[1, 0, 0, 0], [0, 0, 0, 1]])),
        ("multi_binary", spaces.MultiBinary, [[1, 0, 0, 0], [0, 0, 0, 1]]),
        ("box", spaces.Box, np.float32([[1, 0, -1, 0], [0, 0, 0, 0.5]])),
    ],
)
def test_dict_observations_and_each_kind_of_action(action: str, kind: Any, given: Any) -> None:
    envs = PoolVecEnv("debug/BitFlip-v0", 2, action=action, seed=3)
    assert isinstance(envs.action_space, kind)
    before = envs.reset()
    for _ in range(6):
        after, _, dones, infos = envs.step(given)
        assert isinstance(before, dict)
        assert isinstance(after, dict)
        for env, flips in enumerate([[1, 0, 0, 0], [0, 0, 0, 1]]):
            row = {key: array[env] for key, array in after.items()}
            last = infos[env].get("terminal_observation", row)
            assert last in envs.observation_space
            np.testing.assert_array_equal(before["observation"][env] ^ last["observation"], flips)
            assert infos[env]["is_success"] is bool(last["observation"].all())
            assert ("terminal_observation" in infos[env]) == dones[env]
        before = after


def test_halves_of_flags_are_refused() -> None:
    envs = PoolVecEnv("debug/BitFlip-v0", 1, action="multi_binary")
    envs.reset()
    with pytest.raises(TypeError, match="float"):
        envs.step(np.float32([[0.5, 0, 0, 0]]))


def test_action_masks_are_those_of_the_observation() -> None:
    envs = PoolVecEnv("debug/BitFlip-v0", 3, seed=3)
    assert envs.has_attr("action_masks")
    obs = envs.reset()
    for _ in range(20):
        assert isinstance(obs, dict)
        masks = np.stack(envs.env_method("action_masks"))
        assert masks.dtype == np.bool_
        np.testing.assert_array_equal(masks, obs["observation"] == 0)
        obs = envs.step(masks.argmax(1))[0]


def test_a_pool_of_ones_own() -> None:
    pool = poolkit.make("debug/Counter-v0", num_envs=2, autoreset="same_step", length=1)
    envs = PoolVecEnv(pool)
    envs.reset()
    assert envs.num_envs == 2
    assert envs.step([1, 1])[2].all()
    with pytest.raises(ValueError, match="num_envs: 3 must be the pool's 2"):
        PoolVecEnv(pool, 3)
    with pytest.raises(TypeError, match="length: options are for a task"):
        PoolVecEnv(pool, length=2)


def test_what_cannot_be_a_vec_env_is_refused() -> None:
    with pytest.raises(ValueError, match="autoreset='same_step'"):
        PoolVecEnv(poolkit.make("CartPole-v1"))
    with pytest.raises(ValueError, match="batch_size: 1 must be num_envs, 2"):
        PoolVecEnv("CartPole-v1", 2, batch_size=1)
    with pytest.raises(TypeError, match="task_or_pool: .* not CartPole"):
        PoolVecEnv(gymnasium.make("CartPole-v1").unwrapped)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError, match="Nested"):
        PoolVecEnv("debug/EveryDtype-v0")
    with pytest.raises(TypeError, match="no option 'lenght'; did you mean 'length'"):
        PoolVecEnv("debug/Counter-v0", lenght=3)
    for choice in ({"autoreset": "disabled"}, {"env_type": "dm"}):
        with pytest.raises(TypeError, match=f"{next(iter(choice))}: PoolVecEnv chooses it"):
            PoolVecEnv("CartPole-v1", **choice)


def test_make_pool_vec_env_has_the_habits_of_make_vec_env(tmp_path: Path) -> None:
    envs = make_pool_vec_env(
        "debug/Counter-v0",
        n_envs=2,
        seed=5,
        monitor_dir=tmp_path,
        env_kwargs={"length": 1},
        monitor_kwargs={"info_keywords": ("lives",), "allow_early_resets": True},
    )
    assert envs.render_mode == "rgb_array"
    same = counter(2, seed=5)
    np.testing.assert_array_equal(np.asarray(envs.reset()), np.asarray(same.reset()))
    assert envs.step([1, 1])[3][0]["episode"]["lives"] == 0
    envs.close()
    assert len(load_results(str(tmp_path))) == 2
    np.random.seed(0)  # noqa: NPY002 - as SB3 draws
    drawn = make_pool_vec_env("debug/Slow-v0")._seeds
    assert drawn[0] is not None
    assert make_pool_vec_env("debug/Slow-v0").render_mode is None
    with pytest.raises(ValueError, match="render_mode: 'ansi'"):
        make_pool_vec_env("debug/Counter-v0", env_kwargs={"render_mode": "ansi"})
    with pytest.raises(TypeError, match="monitor_kwargs: 'reset_keywords' must be one of"):
        make_pool_vec_env("debug/Counter-v0", monitor_kwargs={"reset_keywords": ("mass",)})
    with pytest.raises(ValueError, match="allow_early_resets must be True"):
        make_pool_vec_env("debug/Counter-v0", monitor_kwargs={"allow_early_resets": False})
