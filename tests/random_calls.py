"""Calls of a pool, mostly legal ones, chosen at random for a PoolPair."""

from __future__ import annotations

from random import Random

from tests.pool_pair import PoolPair

CALLS = (
    "send",
    "send",
    "answer_the_last_recv",
    "step",
    "step",
    "async_reset",
    "reset",
    "reset_some",
    "recv",
    "recv",
    "recv_all",
    "save",
    "load",
    "close",
)


def make_call(pair: PoolPair, call: str, random: Random) -> bool | None:
    """One of CALLS, chosen from what may be called now; whether the pool did it."""
    model, envs = pair.model, range(len(pair.model.envs))
    seed = random.choice([None, random.randrange(5)])
    match call:
        case "send":
            ids = some_ids(pair, random, able=True)
            return pair.send(some_actions(pair, random, len(ids)), ids)
        case "answer_the_last_recv":
            return pair.send(some_actions(pair, random, len(model.received)), None)
        case "step":
            count = len(envs if model.lock_step else model.received)
            return pair.step(some_actions(pair, random, count))
        case "async_reset":
            return pair.async_reset(random.choice([None, some_ids(pair, random, able=False)]))
        case "reset":
            return pair.reset(seed)
        case "reset_some":
            return pair.reset_some([random.random() < 0.6 for _ in envs], seed)
        case "recv":
            return pair.recv(random.choice([None, None, 0.0]))
        case "recv_all" if not pair.closed:
            pair.drain()
        case "save":
            return pair.save(some_ids(pair, random, able=False))
        case "load" if pair.saved:
            return pair.load(random.choice(envs), random.randrange(len(pair.saved)))
        case "close" if random.random() < 0.06:
            pair.close()
    return None


def some_ids(pair: PoolPair, random: Random, able: bool) -> list[int]:
    """Envs that may be sent now, in any order; one time in five anything."""
    envs = range(len(pair.model.envs))
    if random.random() < 0.2:
        return [random.randint(-1, len(envs)) for _ in range(random.randint(0, len(envs) + 1))]
    ids = [env for env in envs if env not in pair.model.owed and random.random() < 0.7]
    if able:
        ids = [env for env in ids if not pair.model.envs[env].refuses_steps()]
    random.shuffle(ids)
    return ids


def some_actions(pair: PoolPair, random: Random, count: int) -> list[int]:
    """Mostly legal ones, as many as are wanted."""
    highest = pair.model.envs[0].game.highest_action
    count += random.random() < 0.05
    if random.random() < 0.1:
        return [random.randint(-1, highest + 1) for _ in range(count)]
    choices = [0, 0, 0, min(4, highest), random.randint(0, 4), random.randint(highest - 3, highest)]
    return [random.choice(choices) for _ in range(count)]
