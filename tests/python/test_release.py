"""What is released: one small wheel that runs with nothing else around, and an sdist of it.

The wheel is the one that these tests run against. In CI it was built from the unpacked sdist.
"""

import os
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from importlib.metadata import version
from pathlib import Path

import poolkit
import pytest
from scikit_build_core.build import build_sdist

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def wheel() -> Path:
    wheels = list((ROOT / "dist").glob("poolkit-*.whl"))
    assert len(wheels) == 1, "make builds the wheel into dist/"
    return wheels[0]


def test_quickstart_runs_where_only_the_wheel_is_installed(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv/bin/python"
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    pip = (*pip, "--python", python, "install", "--no-compile")
    for command in (
        (*pip, "--constraint", ROOT / "constraints.txt", wheel),
        (python, "-I", ROOT / "tests/quickstart.py"),
    ):
        done = subprocess.run(
            command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "2 examples ran\n"


def test_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < 3e6


def test_version_is_said_in_one_place(wheel: Path) -> None:
    assert poolkit.__version__ == version("poolkit") == PROJECT["version"]
    assert wheel.name.startswith(f"poolkit-{PROJECT['version']}-")


def test_sdist_has_what_a_build_needs_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    name = build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / name) as sdist:
        packed = {member.name.partition("/")[2] for member in sdist if member.isfile()}
    needed = {"LICENSE", "PKG-INFO", "README.md", "pyproject.toml"} | {
        str(path.relative_to(ROOT))
        for folder in ("core", "adapters", "tests/cpp")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == needed


def test_wheel_has_the_sources_of_this_tree(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        for folder, inside in (
            ("core/python/poolkit", "poolkit"),
            ("adapters", "poolkit/adapters"),
            ("core/include", "poolkit/include"),
        ):
            for path in (ROOT / folder).rglob("*.[phi]*"):
                if path.is_file() and "__pycache__" not in path.parts:
                    name = f"{inside}/{path.relative_to(ROOT / folder)}"
                    assert packed.read(name) == path.read_bytes()
                    names.discard(name)
    left = {name.rpartition(".")[2] for name in names if ".dist-info/" not in name}
    assert left == {"so", "cmake", "typed"}
