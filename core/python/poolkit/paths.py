"""Where the headers for one's own environments lie."""

from pathlib import Path

_PACKAGE = Path(__file__).parent


def get_include() -> str:
    """The folder to compile with, -I: it has poolkit/env.h.

    >>> (Path(get_include()) / "poolkit" / "env.h").exists()
    True
    """
    return str(_PACKAGE / "include")


def cmake_dir() -> str:
    """The folder of CMake's package, for -Dpoolkit_DIR; scikit-build-core finds it by itself.

    >>> (Path(cmake_dir()) / "poolkit-config.cmake").exists()
    True
    """
    return str(_PACKAGE / "cmake")
