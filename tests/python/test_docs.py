"""What the pages show is what there is: pictures, commands, extras, options."""

import re
import runpy
import shlex
import textwrap
import tomllib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
FENCED = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"(?<=\n\n)((?:    \S.*\n(?:     .*\n)*)+)")


def fences(page: Path) -> list[tuple[str, str]]:
    return FENCED.findall(page.read_text())


def commands(page: Path) -> list[str]:
    """The lines of a shell, in blocks without a language, a command each."""
    prose = FENCED.sub("", page.read_text())
    blocks = [body for language, body in fences(page) if not language]
    blocks += [textwrap.dedent(body) for body in INDENTED.findall(prose)]
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [line.partition("# ")[0].strip() for line in lines if line.strip()]


COMMANDS = [(page.name, command) for page in PAGES for command in commands(page)]


def program(words: list[str]) -> str:
    """The source of what a command runs, in which its options must be found."""
    match words:
        case ["python", "-m", "pytest", *_] | ["pytest", *_]:
            return ""
        case ["python", "-m", module, *_]:
            path = ROOT / module.replace(".", "/")
            return (path / "__main__.py" if path.is_dir() else path.with_suffix(".py")).read_text()
        case ["python", script, *_]:
            return (ROOT / script).read_text()
        case ["poolkit", command, *_]:
            cli = (ROOT / "core/python/poolkit/cli/main.py").read_text()
            assert f'commands, "{command}"' in cli or f'add_parser("{command}"' in cli
            return cli
        case ["make", target]:
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
            return ""
        case ["pip", "install", what]:
            extra = re.fullmatch(r"poolkit(?:\[(\w+)\])?", what)
            if not extra:
                assert (ROOT / what / "pyproject.toml").is_file()
            elif extra[1]:
                project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
                assert extra[1] in project["optional-dependencies"]
            return ""
    raise AssertionError(f"no check is known for {words}")


@pytest.mark.parametrize(("page", "command"), COMMANDS)
def test_command_is_there_with_its_options(page: str, command: str) -> None:
    words = [word for word in shlex.split(command) if not re.match(r"[A-Z_]+=", word)]
    source = program(words)
    for word in words:
        if word.startswith("--"):
            name = word.removeprefix("--").partition("=")[0]
            names = {name, name.removeprefix("no-")}
            assert any(
                f'"--{n}"' in source or re.search(rf"^    {n.replace('-', '_')}: ", source, re.M)
                for n in names
            ), word
        elif re.fullmatch(r"(tests|recipes|docs)/\S+", word):
            assert (ROOT / word).exists(), word


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_block_is_of_a_kind_that_is_checked(page: Path) -> None:
    """Python runs in test_readme.py; what is included is a file that other tests run."""
    kinds = {"python", "diff", "", "{literalinclude}", "{eval-rst}", "{toctree}"}
    assert {language for language, _ in fences(page)} <= kinds
    for language, body in fences(page):
        assert language != "{literalinclude}" or body.startswith(":language:")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_diff_adds_runs(page: Path) -> None:
    for language, body in fences(page):
        if language == "diff":
            added = [line[1:] for line in body.splitlines() if line.startswith("+")]
            assert added
            exec("\n".join(added), {})


def test_commands_are_found() -> None:
    """In all three forms that pages have them in."""
    found = {command for _, command in COMMANDS}
    assert "make bench" in found
    assert any(command.startswith("POOLKIT_EXAMPLES") for command in found)
    assert any("--clip-coef" in command for command in found)


def test_picture_of_the_start_page_is_what_its_code_draws() -> None:
    drawn = runpy.run_path(str(DOCS / "draw_games.py"))["draw"]()
    with Image.open(DOCS / "results" / "games.png") as picture:
        np.testing.assert_array_equal(drawn, np.asarray(picture.convert("RGB")))
