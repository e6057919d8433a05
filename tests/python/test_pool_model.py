"""Any sequence of calls, legal and illegal, gives what a model in plain Python says.

CI plays the same sequences each time. Others, as many as wanted, and the shortest that fails:

    POOLKIT_EXAMPLES=5000 pytest tests/python/test_pool_model.py
"""

import os
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from tests.pool_model import Counter, Failing, Farm
from tests.pool_pair import PoolPair
from tests.random_calls import CALLS, make_call

USUAL = 150
EXAMPLES = int(os.environ.get("POOLKIT_EXAMPLES", USUAL))
PROFILE = settings(
    max_examples=EXAMPLES,
    stateful_step_count=50,
    derandomize=EXAMPLES <= USUAL,
    phases=[Phase.generate] if EXAMPLES <= USUAL else [Phase.generate, Phase.shrink],
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

GAMES = st.one_of(
    st.builds(Counter, length=st.integers(1, 4), lives=st.integers(1, 2), truncates=st.booleans()),
    st.builds(Failing),
    st.builds(Farm, length=st.integers(1, 4), inline_completion=st.booleans()),
)


class PoolMachine(RuleBasedStateMachine):
    @initialize(
        game=GAMES,
        num_envs=st.integers(1, 6),
        holds_back=st.sampled_from([0, 0, 1, 2, 5]),
        num_threads=st.integers(1, 3),
        autoreset=st.sampled_from(["next_step", "same_step", "disabled"]),
        limit=st.sampled_from([0, 1, 3]),
        seed=st.integers(0, 2**64 - 1),
    )
    def make(self, num_envs: int, holds_back: int, **arguments: Any) -> None:
        batch_size = max(1, num_envs - holds_back)
        self.pair = PoolPair(num_envs=num_envs, batch_size=batch_size, **arguments)

    # Hypothesis must not see which env of an asynchronous pool was first: it chooses a seed, from
    # which the choices among what is possible are made.
    @rule(call=st.sampled_from(CALLS), choices=st.integers(0, 2**32 - 1))
    def call(self, call: str, choices: int) -> None:
        make_call(self.pair, call, Random(choices))

    def teardown(self) -> None:
        if hasattr(self, "pair"):
            if not self.pair.closed:
                self.pair.drain()
            self.pair.close()


def test_every_call_gives_what_the_model_says() -> None:
    run_state_machine_as_test(PoolMachine, settings=PROFILE)
