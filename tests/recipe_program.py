"""A recipe as the program that its reader runs, or as a module."""

import contextlib
import importlib.util
import io
import os
import runpy
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType
from unittest import mock

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


def run_recipe_here(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The same in this process, which has the libraries that take seconds to be imported.

    An exception that the program lets through is raised here.
    """
    out, err = io.StringIO(), io.StringIO()
    command = [str(RECIPES / name), *arguments]
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with (
            mock.patch.object(sys, "argv", command),
            mock.patch.object(sys, "path", [str(RECIPES), *sys.path]),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(action="default"),
        ):
            runpy.run_path(command[0], run_name="__main__")
            status = 0
    except SystemExit as done:
        status = done.code or 0
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return subprocess.CompletedProcess(command, status, out.getvalue(), err.getvalue())


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
