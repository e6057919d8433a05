"""`poolkit list` and `poolkit info`."""

import dataclasses
import fnmatch
import json
from typing import Any

from rich.console import Console
from rich.table import Column, Table

from ..env_spec import make_spec
from ..registry import list_all_envs


def show_list(pattern: str) -> None:
    """Print the names that match, one a line, or that have it in them; case does not count."""
    wanted = pattern.lower()
    if not set(wanted) & set("*?["):
        wanted = f"*{wanted}*"
    names = [name for name in list_all_envs() if fnmatch.fnmatchcase(name.lower(), wanted)]
    if not names:
        raise ValueError(f"no environment is called {pattern!r}")
    for name in names:
        print(name)


def show_info(task: str, options: dict[str, Any], json: bool) -> None:
    """Print what `make_spec` tells."""
    spec = make_spec(task, **options)
    if json:
        _print_json(spec)
        return
    console = Console()
    console.print(f"[bold]{spec.name}[/bold]  {spec.doc}")
    facts = _table("", "", show_header=False)
    facts.add_row("observation", str(spec.observation_space))
    facts.add_row("action", str(spec.action_space))
    facts.add_row("own info", ", ".join(spec.info_space.keys()) or "-")
    facts.add_row("time limit", f"{spec.max_episode_steps or 'no'} steps")
    facts.add_row("render_mode", ", ".join(spec.render_modes) or "-")
    console.print(facts)
    table = _table("option", "type", "default", "meaning")
    for option in spec.options:
        table.add_row(option.name, option.type, _short(option.default), option.doc)
    if spec.options:
        console.print(table)


def _table(*headers: str, **arguments: Any) -> Table:
    """Where there is no room, words are broken: nothing is left out."""
    columns = (Column(header, overflow="fold") for header in headers)
    return Table(*columns, box=None, padding=(0, 2, 0, 0), **arguments)


def _short(value: Any) -> str:
    return f"{len(value)} bytes" if isinstance(value, bytes) and value else repr(value)


def _print_json(spec: Any) -> None:
    facts = {
        field.name: getattr(spec, field.name)
        for field in dataclasses.fields(spec)
        if not field.name.endswith("_space") and field.name != "options"
    }
    facts |= {
        name: str(getattr(spec, name))
        for name in ("observation_space", "action_space", "info_space")
    }
    facts["options"] = [
        dataclasses.asdict(option) | {"default": _plain(option.default)} for option in spec.options
    ]
    print(json.dumps(facts, indent=2))


def _plain(value: Any) -> Any:
    return _short(value) if isinstance(value, bytes) else value
