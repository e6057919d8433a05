"""The examples of the README and the docs run as they stand."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = {
    str(page.relative_to(ROOT)): page.read_text()
    for page in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")))
}
BLOCK = re.compile(r"<!-- doctest: (\S+) -->\n```python\n(.*?)```", re.DOTALL)
EXAMPLES = {
    f"{page} ({name})": block for page, text in PAGES.items() for name, block in BLOCK.findall(text)
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_runs(name: str) -> None:
    exec(compile(EXAMPLES[name], name, "exec"), {})


def test_each_python_block_is_an_example() -> None:
    assert len(EXAMPLES) == sum(text.count("```python") for text in PAGES.values())


@pytest.mark.parametrize("page", PAGES)
def test_included_files_exist(page: str) -> None:
    for name in re.findall(r"literalinclude} (\S+)", PAGES[page]):
        assert ((ROOT / page).parent / name).is_file(), name
