"""Runs the README's examples with the poolkit that is installed: python tests/quickstart.py."""

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def main() -> None:
    """An example that fails is an exception."""
    examples = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    for example in examples:
        exec(example, {})
    print(f"{len(examples)} examples ran")


if __name__ == "__main__":
    main()
