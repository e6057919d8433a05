"""A recipe as the program that its reader runs, or as a module."""

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

RECIPES = Path(__file__).parents[1] / "recipes"


def run_recipe(name: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run recipes/`name` to its end, in an environment with some more variables."""
    return subprocess.run(
        [sys.executable, str(RECIPES / name), *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def load_recipe(name: str) -> ModuleType:
    """Import recipes/`name`.py without running it."""
    spec = importlib.util.spec_from_file_location(name, RECIPES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


def interrupt_recipe(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run recipes/`name` until it says that it trains; then press Ctrl-C."""
    process = subprocess.Popen(
        [sys.executable, str(RECIPES / name), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert ": training on " in first, process.communicate()[1]
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=300)
    finally:
        process.kill()
        process.wait()
    return subprocess.CompletedProcess(process.args, process.returncode, first + stdout, stderr)
