"""recipes/custom_env, a project of its own: built apart, against the wheel, and run."""

import ctypes
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import poolkit
import pytest

ROOT = Path(__file__).parents[2]
SB3 = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from poolkit.adapters.sb3 import PoolVecEnv
from poolkit.single_env import GymnasiumEnv
from stable_baselines3.common.env_checker import check_env

check_env(GymnasiumEnv("acme_reach:acme/Reach-v0"))
envs = PoolVecEnv("acme_reach:acme/Reach-v0", 4)
obs = envs.reset()
for _ in range(250):
    obs, rewards, dones, infos = envs.step([envs.action_space.sample() for _ in range(4)])
assert obs["position"].shape == (4, 2)
envs.close()
"""


# Fresh environments see nothing of this one but its cmake and ninja.
OUTSIDE = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
OUTSIDE["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
OUTSIDE["PIP_CONSTRAINT"] = str(ROOT / "constraints.txt")  # where a project is built, too
OUTSIDE["PIP_NO_COMPILE"] = "no"  # sic: it sets compile to no; most is never imported


def run(*command: str | Path, cwd: Path, env: dict[str, str] = OUTSIDE) -> None:
    done = subprocess.run(
        command, cwd=cwd, env=env, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_custom_env_builds_from_the_wheel_and_runs(tmp_path: Path) -> None:
    wheels = ROOT / "dist"
    assert list(wheels.glob("poolkit-*.whl")), "make builds the wheel into dist/"
    recipe = ROOT / "recipes/custom_env"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    run(*pip, "wheel", "--no-deps", "--find-links", wheels, recipe, cwd=tmp_path)
    (acme,) = tmp_path.glob("acme_reach-*.whl")
    # A fresh environment, in which there is nothing but what the project says that it needs.
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv/bin/python"
    fresh = (*pip, "--python", python)
    run(*fresh, "install", "--find-links", wheels, acme, "pytest", cwd=tmp_path)
    shutil.copy(recipe / "test_reach.py", tmp_path)
    run(python, "-m", "pytest", "-c", os.devnull, "test_reach.py", cwd=tmp_path)

    beside = tmp_path / "beside"
    run(*pip, "install", "--no-deps", "--target", beside, acme, cwd=tmp_path)
    (tmp_path / "sb3.py").write_text(SB3)
    run(sys.executable, "sb3.py", beside, cwd=tmp_path, env=dict(os.environ))


@pytest.mark.parametrize(
    ("version", "advice"),
    [(0, "build it again with this poolkit"), (2, "it needs a newer poolkit")],
)
def test_another_abi_version_is_told(version: int, advice: str) -> None:
    table = (ctypes.c_uint32 * 256)(version, 4 * 256)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    name = ctypes.c_char_p(b"poolkit.env")
    capsule = new(ctypes.addressof(table), name, None)
    with pytest.raises(ValueError, match=rf"built for ABI {version} of poolkit.* 1: {advice}"):
        poolkit.register("test/Other-v0", capsule)
