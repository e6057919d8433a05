"""A recipe as the program that its reader runs."""

import os
import subprocess
import sys
from pathlib import Path

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
