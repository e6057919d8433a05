"""`poolkit list` and `poolkit info`."""

import dataclasses
import fnmatch
import json
from typing import Any

from rich.console import Console
from rich.table import Table

from ..env_spec import make_spec
from ..registry import list_all_envs


def show_list(pattern: str) -> None:
    """Print the names that match, one a line."""
    for name in fnmatch.filter(list_all_envs(), pattern):
        print(name)


def show_info(task: str, options: dict[str, Any], json: bool) -> None:
    """Print what `make_spec` tells."""
    spec = make_spec(task, **options)
    if json:
        _print_json(spec)
        return
    console = Console()
    console.print(f"[bold]{spec.name}[/bold]  {spec.doc}")
    facts = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    facts.add_row("observation", str(spec.observation_space))
    facts.add_row("action", str(spec.action_space))
    facts.add_row("own info", ", ".join(spec.info_space.keys()) or "-")
    facts.add_row("time limit", f"{spec.max_episode_steps or 'no'} steps")
    facts.add_row("render_mode", ", ".join(spec.render_modes) or "-")
    console.print(facts)
    table = Table("option", "type", "default", "meaning", box=None, padding=(0, 2, 0, 0))
    for option in spec.options:
        table.add_row(option.name, option.type, _short(option.default), option.doc)
    if spec.options:
        console.print(table)


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
