"""How a recipe says, before anything heavy is imported, what is wrong with its arguments."""

import sys
from pathlib import Path
from typing import NoReturn


def fail(message: object) -> NoReturn:
    """End the program with one line on stderr and exit status 2."""
    print(f"{Path(sys.argv[0]).stem}: error: {message}", file=sys.stderr)
    sys.exit(2)


def expect_in(name: str, value: object, low: float, high: float) -> None:
    """End the program unless the argument of that name is a number from `low` to `high`."""
    if not isinstance(value, int | float) or not low <= value <= high:
        fail(f"--{name.replace('_', '-')} must be in {low}..{high}, not {value}")
