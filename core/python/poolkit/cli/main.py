"""What `poolkit` accepts, and whom it hands over to."""

import argparse
import ast
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

from .._core import __version__
from .bench import bench
from .play import play
from .show import show_info, show_list

# Arguments of make() that the commands give themselves.
OWN = ("task", "env_type", "num_envs", "batch_size", "num_threads", "seed", "render_mode")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status.

    >>> main(["list", "CartPole*"])
    CartPole-v0
    CartPole-v1
    0
    """
    parser = _parser()
    chosen = vars(parser.parse_args(arguments))
    command = chosen.pop("command")
    if "option" in chosen:
        chosen["options"] = dict(chosen.pop("option"))
    try:
        command(**chosen)
        sys.stdout.flush()
    except BrokenPipeError:  # of `poolkit list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except (ValueError, TypeError, OSError, ImportError, RuntimeError) as error:
        print(f"poolkit: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="poolkit", description="Environments, many at once.")
    parser.add_argument("--version", action="version", version=f"poolkit {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    listing = commands.add_parser("list", help="the environments' names")
    listing.add_argument(
        "pattern", nargs="?", default="*", metavar="PATTERN", help="like pong, or 'ALE/*'"
    )
    listing.set_defaults(command=show_list)

    info = _with_task(commands, "info", "spaces, limits and options of an environment")
    info.add_argument("--json", action="store_true", help="for programs")
    info.set_defaults(command=show_info)

    rate = _with_task(commands, "bench", "steps per second with random actions")
    rate.add_argument("--num-envs", type=int, default=64, metavar="N")
    rate.add_argument("--batch-size", type=int, metavar="N", help="by default --num-envs")
    rate.add_argument("--num-threads", type=int, metavar="N")
    rate.add_argument("--seconds", type=float, default=5.0, metavar="S", help="how long to measure")
    rate.add_argument("--json", action="store_true", help="for programs")
    rate.set_defaults(command=bench)

    video = _with_task(commands, "play", "random or trained play, in a window or a video")
    video.add_argument(
        "--policy",
        metavar="FILE",
        help="an exported module (torch.export): observations to logits, or to continuous actions",
    )
    video.add_argument("--video", metavar="FILE", help="an .mp4 to write, instead of a window")
    video.add_argument("--steps", type=int, default=500, metavar="N")
    video.add_argument("--seed", type=int, default=0)
    video.set_defaults(command=play)
    return parser


def _with_task(commands: Any, name: str, summary: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=summary, description=summary)
    parser.add_argument("task", metavar="TASK", help="a name of `poolkit list`, or module:name")
    parser.add_argument(
        "-o",
        "--option",
        action="append",
        default=[],
        type=_option,
        metavar="NAME=VALUE",
        help="an option of the environment; may be repeated",
    )
    return parser


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} must be NAME=VALUE")
    if name in OWN:
        raise argparse.ArgumentTypeError(f"{name} is not the environment's; see --help")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
