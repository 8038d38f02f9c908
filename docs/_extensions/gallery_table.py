"""The gallery is the table in `examples/README.md`: its scripts, in its order."""

from __future__ import annotations

import re
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def names() -> list[str]:
    """The scripts of the table."""
    text = (EXAMPLES / "README.md").read_text("utf-8")
    return re.findall(r"^\| \[`(\w+\.py)`\]", text, re.MULTILINE)


def others() -> str:
    """A pattern of the scripts that are not in the table: sphinx-gallery's `ignore_pattern`."""
    return rf"^(?!(?:{'|'.join(map(re.escape, names()))})$)"


class InOrder:
    """A sort key of sphinx-gallery's: a script's line in the table."""

    def __init__(self, _folder: str) -> None:
        self.names = names()

    def __call__(self, name: str) -> int:
        return self.names.index(name)

    def __repr__(self) -> str:
        return "<in the order of examples/README.md>"
