"""Registers the environments that only tests use, under debug/; limits what libraries may take."""

import os

import poolkit
from poolkit import _core

poolkit.register("debug/BitFlip-v0", _core.envs.debug_bit_flip)
poolkit.register("debug/Counter-v0", _core.envs.debug_counter)
poolkit.register("debug/EveryDtype-v0", _core.envs.debug_every_dtype)
poolkit.register("debug/Failing-v0", _core.envs.debug_failing)
poolkit.register("debug/Farm-v0", _core.envs.debug_farm)
poolkit.register("debug/Slow-v0", _core.envs.debug_slow)

# Before PyTorch is imported: several tests run at once, and numbers are to be the same everywhere.
os.environ["OMP_NUM_THREADS"] = "1"

# Tianshou's numba functions take longer to compile than its tests to run.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
