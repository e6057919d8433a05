"""Several threads call one pool: nothing is lost, repeated, or another's, and no call hangs."""

from random import Random

import pytest

from tests.pool_threads import call_from_threads


@pytest.mark.parametrize("seed", range(40))
def test_threads_get_what_they_sent(seed: int) -> None:
    done = call_from_threads(Random(seed), calls=100)
    assert done["results compared"] > 0
    assert done["calls that were refused"] > 0
