"""What adapters say of arguments that a pool has no use for."""

import warnings
from collections.abc import Collection


def expect_free(options: Collection[str], adapter: str) -> None:
    """Refuse the arguments of `poolkit.make` that an adapter chooses itself."""
    for argument in ("autoreset", "env_type"):
        if argument in options:
            raise TypeError(f"{argument}: {adapter} chooses it")


def warn_of_reset_options(options: object, adapter: str) -> None:
    """Tell the caller's caller that options of a reset change nothing."""
    warnings.warn(
        f"options: {options!r} change nothing, the environments of a pool have none for a reset; "
        f"an environment's options are arguments of {adapter}",
        stacklevel=3,
    )
