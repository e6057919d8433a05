"""The README's examples run as they stand."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text()
EXAMPLES = dict(re.findall(r"<!-- doctest: (\S+) -->\n```python\n(.*?)```", README, re.DOTALL))


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_runs(name: str) -> None:
    exec(compile(EXAMPLES[name], f"README.md ({name})", "exec"), {})


def test_each_python_block_is_an_example() -> None:
    assert len(EXAMPLES) == README.count("```python")
