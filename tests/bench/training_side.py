"""A recipe over one library's environments, as a program.

    python -m tests.bench.training_side LIBRARY RECIPE [the recipe's arguments]

The run's folder is where the recipe puts it.
"""

import sys
from typing import Any

from poolkit.adapters.cleanrl.run import Run

from tests.recipe_program import load_recipe

from .training_peers import PEERS


def main(library: str, name: str, *arguments: str) -> int:
    recipe = load_recipe(name)
    sys.argv[1:] = arguments
    args = recipe.parse_args(recipe.Args, recipe.limits, f"{name} over {library}")
    if library in PEERS:

        class PeerRun(Run):
            def make(self, actions: type, **options: Any) -> Any:
                options = {"batch_size": options["num_envs"]} | options
                return PEERS[library](args.env_id, args.seed, **options)

        recipe.Run = PeerRun
    status: int = recipe.main(args)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
