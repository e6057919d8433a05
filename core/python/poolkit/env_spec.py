"""What an environment is, without building one."""

import inspect
from dataclasses import dataclass
from typing import Annotated, Any, cast, get_args, get_origin

from gymnasium import spaces

from .registry import Choice, Entry, find
from .spaces import Space, space_of


@dataclass(frozen=True)
class OptionSpec:
    """An option that `make` accepts for an environment."""

    name: str
    type: str
    default: Any
    doc: str


@dataclass(frozen=True)
class EnvSpec:
    """What `make_spec` tells of an environment.

    Attributes:
        name: As `make` knows it.
        doc: In a line.
        observation_space: Of one env.
        action_space: Of one env.
        info_space: Of the environment's own part of an env's info.
        max_episode_steps: The time limit unless `make` is given one; 0: none.
        render_modes: What `make` accepts as render_mode.
        options: What `make` accepts beside its own arguments; those given are the defaults.
    """

    name: str
    doc: str
    observation_space: Space
    action_space: Space
    info_space: spaces.Dict
    max_episode_steps: int
    render_modes: tuple[str, ...]
    options: tuple[OptionSpec, ...]


def make_spec(task: str, **options: Any) -> EnvSpec:
    """The spaces, options and limits of `make(task, **options)`; nothing is built.

    Raises: as `make`.

    >>> spec = make_spec("CartPole-v1")
    >>> spec.action_space, spec.max_episode_steps, [option.name for option in spec.options]
    (Discrete(2), 500, ['sutton_barto_reward'])
    """
    entry = find(task)
    choice = entry.choose(options)
    env_type = choice.env_type
    limit = entry.max_episode_steps
    return EnvSpec(
        name=entry.name,
        doc=env_type.doc,
        observation_space=space_of(env_type.observation),
        action_space=space_of(env_type.action),
        info_space=cast(spaces.Dict, space_of(env_type.info)),
        max_episode_steps=env_type.max_episode_steps if limit is None else limit,
        render_modes=tuple(entry.render_modes(env_type)),
        options=(*_prepared(entry), *_native(choice)),
    )


def _prepared(entry: Entry) -> list[OptionSpec]:
    """The keyword-only parameters of `prepare`, with what `Annotated` says of them."""
    out = []
    for parameter in entry.prepare_parameters():
        kind, doc = parameter.annotation, ""
        if get_origin(kind) is Annotated:
            kind, doc, *_ = get_args(kind)
        name = inspect.formatannotation(kind).replace("NoneType", "None")
        out.append(OptionSpec(parameter.name, name, parameter.default, doc))
    return out


def _native(choice: Choice) -> list[OptionSpec]:
    return [
        OptionSpec(
            option.name, option.type, choice.options.get(option.name, option.default), option.doc
        )
        for option in choice.entry.own_options()
    ]
