"""A recipe's command line: help, mistakes and `--resume`, before anything heavy is imported."""

import dataclasses
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ..command_line import expect_in, fail

Args = TypeVar("Args")
Limits = dict[str, tuple[float, float]]
"""The lowest and the highest value of arguments, by name."""


def parse_args(kind: type[Args], limits: Callable[[Any], Limits], description: str) -> Args:
    """The arguments of a recipe; a mistake among them ends the program with one clear line.

    To be called before PyTorch is imported: `--help` is then answered at once, and PyTorch's
    threads do not spin, between two operations, on the CPUs that the environments need.

    Args:
        kind: The dataclass of the arguments, for tyro. Its field `resume`, the folder of a run,
            stands for all arguments of that run that are not given again.
        limits: What numbers must lie between, for such arguments.
        description: What `--help` says first.
    """
    try:
        import tyro
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "parse_args needs tyro: pip install 'poolkit[cleanrl]'", name=error.name
        ) from error

    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    args: Any = tyro.cli(kind, description=description)
    if (run_dir := args.resume) is not None:
        args = tyro.cli(kind, default=_args_of(run_dir, kind), description=description)
        args.resume = run_dir
    for name, (low, high) in limits(args).items():
        expect_in(name, getattr(args, name), low, high)
    return args  # type: ignore[no-any-return]


def _args_of(run_dir: Path, kind: type[Args]) -> Args:
    saved = run_dir / "args.json"
    if not (saved.is_file() and (run_dir / "checkpoint.pt").is_file()):
        fail(f"--resume {run_dir}: no args.json and checkpoint.pt there")
    try:
        values = json.loads(saved.read_text())
        for field in dataclasses.fields(kind):  # type: ignore[arg-type]
            value = values.get(field.name)
            if field.type in (Path, Path | None) and value is not None:
                values[field.name] = Path(value)
            elif field.type in (int, float) and not isinstance(value, int | float | None):
                raise TypeError(f"{field.name} is {value!r}")
        return kind(**values)
    except (AttributeError, ValueError, TypeError) as error:
        fail(f"--resume {run_dir}: its args.json is not this recipe's: {error}")
