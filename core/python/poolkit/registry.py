"""Environments by name."""

import difflib
import importlib
import inspect
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec, parse_env_id, registry

from . import _core
from .checks import expect_int_or_none
from .window import Image

Render = Callable[[bytes, dict[str, Any]], Image]
"""Draws an environment, from what its `save` wrote and the options it was made with."""
RenderText = Callable[[bytes, dict[str, Any]], str]
"""The same, in letters."""


@dataclass(frozen=True)
class Entry:
    """A registered environment and what its options start from."""

    name: str
    env: object
    prepare: Callable[..., dict[str, Any]] | None
    private: Collection[str]
    render: Render | None
    render_text: RenderText | None
    render_fps: int
    max_episode_steps: int | None
    defaults: dict[str, Any]

    def option_names(self) -> list[str]:
        """What `make` accepts beside its own arguments."""
        names = {option.name for option in self.own_options()}
        return sorted(names | {parameter.name for parameter in self.prepare_parameters()})

    def own_options(self) -> list[_core.OptionInfo]:
        """The environment's options, but for the private ones."""
        return [option for option in _core.options_of(self.env) if option.name not in self.private]

    def prepare_parameters(self) -> list[inspect.Parameter]:
        """The options that `prepare` takes, beside the environment's own."""
        if self.prepare is None:
            return []
        parameters = inspect.signature(self.prepare, eval_str=True).parameters.values()
        return [parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]

    def render_modes(self, env_type: _core.EnvType) -> list[str]:
        """What `make` accepts as render_mode, beside None."""
        pictures = ["human", "rgb_array"] if self.render or env_type.can_render else []
        return pictures + (["ansi"] if self.render_text else [])

    def time_limit(self) -> int:
        """Steps of an episode unless `make` is given another limit; 0: no end."""
        if self.max_episode_steps is not None:
            return self.max_episode_steps
        return self.choose({}).env_type.max_episode_steps

    def reward_threshold(self) -> float | None:
        """The return that counts as a solution, if Gymnasium has an environment of that name."""
        known = registry.get(self.name)
        return known.reward_threshold if known else None

    def choose(self, options: dict[str, Any], beside: Collection[str] = ()) -> "Choice":
        """The environment with these options over its defaults.

        Args:
            options: By name.
            beside: Arguments of the caller that an unknown option may have been meant for.

        Raises:
            TypeError: For an unknown option, or a value of the wrong type.
            ValueError: For a value that the environment does not accept.
        """
        names = self.option_names()
        for option in options:
            if option not in names:
                near = _near(option, names, beside)
                raise TypeError(f"{self.name} has no option {option!r}{near}")
        if self.prepare is not None:
            options = self.prepare(**options)
        chosen = self.defaults | options
        return Choice(self, chosen, _core.EnvType(self.env, chosen))


@dataclass(frozen=True)
class Choice:
    """A registered environment with its options chosen: what a pool is made of."""

    entry: Entry
    options: dict[str, Any]
    env_type: _core.EnvType

    def gymnasium_spec(self, max_episode_steps: int | None) -> EnvSpec:
        """Its name and limits in Gymnasium's form."""
        if max_episode_steps is None:
            max_episode_steps = self.env_type.max_episode_steps
        return EnvSpec(
            self.entry.name,
            reward_threshold=self.entry.reward_threshold(),
            max_episode_steps=max_episode_steps or None,
        )

    def draw(self, state: bytes) -> Image:
        """The picture of a state, where `render` was registered."""
        assert self.entry.render is not None
        return self.entry.render(_core.own_state(state), self.options)

    def write(self, state: bytes) -> str:
        """The same, where `render_text` was registered."""
        assert self.entry.render_text is not None
        return self.entry.render_text(_core.own_state(state), self.options)


_entries: dict[str, Entry] = {}


def register(
    name: str,
    env: object,
    *,
    prepare: Callable[..., dict[str, Any]] | None = None,
    private: Collection[str] = (),
    render: Render | None = None,
    render_text: RenderText | None = None,
    render_fps: int = 30,
    max_episode_steps: int | None = None,
    **defaults: Any,
) -> None:
    """Make `env`, a capsule from a compiled module, available as `make(name)`.

    Args:
        name: Like "acme/Grid-v0". A later registration of the same name replaces this one.
        env: An attribute of a POOLKIT_MODULE.
        prepare: Called with the options that `make` was given; returns those for the environment.
            Its keyword-only parameters are options too, whose meaning `Annotated` may tell.
        private: The environment's options that only `prepare` gives, and `make` does not take.
        render: Draws it instead of its own `render`: called with what its `save` wrote and the
            options it was made with, returns uint8[height, width, 3].
        render_text: Writes it, for render_mode="ansi": called likewise, returns a str.
        render_fps: Steps in a second of a video, or of render_mode="human".
        max_episode_steps: The time limit unless `make` is given one; None: the environment's own.
        **defaults: Options that replace the environment's own defaults.

    Raises:
        TypeError: If `env` is not such a capsule, or a default is not among its options.
        ValueError: For a name that is not of Gymnasium's form, or has a colon.

    >>> register("docs/Cart-v0", _core.envs.CartPole)
    >>> "docs/Cart-v0" in list_all_envs()
    True
    """
    if not isinstance(name, str):
        raise TypeError(f"name: must be a str, not {type(name).__name__}")
    if ":" in name:
        raise ValueError(f"name: {name!r} must not have the colon of module:name")
    try:
        parse_env_id(name)
    except gymnasium.error.Error as error:
        raise ValueError(f"name: {error}") from None
    for argument, function in (
        ("prepare", prepare),
        ("render", render),
        ("render_text", render_text),
    ):
        if function is not None and not callable(function):
            raise TypeError(f"{argument}: must be a function, not {type(function).__name__}")
    expect_int_or_none("max_episode_steps", max_episode_steps, 0, 2**31 - 1)
    entry = Entry(
        name, env, prepare, private, render, render_text, render_fps, max_episode_steps, defaults
    )
    names = entry.option_names()
    for option in defaults:
        if option not in names:
            raise TypeError(f"{name} has no option {option!r}{_near(option, names)}")
    _entries[name] = entry


def list_all_envs() -> list[str]:
    """The names that `make` knows, sorted."""
    return sorted(_entries)


def find(task: str) -> Entry:
    """The entry of a name; with "module:name" the module, which registers it, is imported first.

    Raises:
        ValueError: For an unknown name, with the near ones.
        TypeError: If it is no str.
    """
    if not isinstance(task, str):
        raise TypeError(f"task: must be a str, not {type(task).__name__}")
    module, colon, name = task.rpartition(":")
    if colon and (not module or module.startswith(".")):
        raise ValueError(f"task: {task!r}: before ':' must be the whole name of a module")
    if colon:
        importlib.import_module(module)
    if name not in _entries:
        raise ValueError(f"unknown environment {name!r}{_near(name, _entries)}")
    return _entries[name]


def _near(name: object, known: Iterable[str], beside: Iterable[str] = ()) -> str:
    """Ends an error message with what may have been meant."""
    by_lower = {entry.lower(): entry for entry in (*known, *beside)}
    lower = str(name).lower()
    near = difflib.get_close_matches(lower, by_lower, n=3)
    if not near:  # Pong-v5 for PongNoFrameskip-v4
        stems = {entry: entry.rpartition("-v")[0] for entry in by_lower}
        near = [entry for entry, stem in stems.items() if stem and lower.startswith(stem)]
    if near:
        return "; did you mean " + " or ".join(repr(by_lower[match]) for match in near) + "?"
    listed = sorted(known)
    return f"; there are {', '.join(listed)}" if len(listed) <= 30 else ""
