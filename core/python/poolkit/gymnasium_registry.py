"""Environments in Gymnasium's registry."""

import gymnasium

from .registry import find

ENTRY_POINT = "poolkit.single_env:without_limit"


def register_gymnasium(task: str, id: str | None = None) -> None:  # noqa: A002
    """Make `gymnasium.make(id)` and `gymnasium.make_vec(id)` make `task`.

    The time limit is the environment's, and the threshold of the reward that counts as a solution
    that of Gymnasium's environment of the same name.

    Args:
        task: A registered name.
        id: In Gymnasium's form, [namespace/]name-v0; by default the task.

    Raises:
        ValueError: For an unknown task.
        gymnasium.error.Error: For an id of another form.

    >>> register_gymnasium("CartPole-v1", "docs/Pole-v1")
    >>> gymnasium.make_vec("docs/Pole-v1", num_envs=2)
    GymnasiumVectorEnv(docs/Pole-v1, num_envs=2)
    """
    entry = find(task)
    chosen = task if id is None else id
    if (earlier := gymnasium.registry.get(chosen)) and earlier.entry_point == ENTRY_POINT:
        del gymnasium.registry[chosen]  # Gymnasium warns where another's is replaced
    gymnasium.register(
        chosen,
        entry_point=ENTRY_POINT,
        vector_entry_point="poolkit:make_gymnasium",
        max_episode_steps=entry.time_limit() or None,
        reward_threshold=entry.reward_threshold(),
        kwargs={"task": task},
    )
