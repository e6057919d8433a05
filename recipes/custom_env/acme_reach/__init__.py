"""Registers acme/Reach-v0: `poolkit.make("acme_reach:acme/Reach-v0", num_envs=8)`."""

import poolkit

from . import _reach

poolkit.register("acme/Reach-v0", _reach.Reach)
poolkit.register("acme/ReachExactly-v0", _reach.Reach, radius=0.02)
poolkit.register_gymnasium("acme/Reach-v0")
