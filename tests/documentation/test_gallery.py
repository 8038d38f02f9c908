"""The table in `examples/README.md` is the gallery: each script has a title, blocks of text and a picture."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
README = (EXAMPLES / "README.md").read_text("utf-8")
TABLE = re.findall(r"^\| \[`(\w+\.py)`\]\((\w+\.py)\) \| (.*) \|$", README, re.MULTILINE)


@pytest.mark.parametrize(("name", "target", "shown"), TABLE, ids=[row[0] for row in TABLE])
def test_scripts_are_pages_with_a_picture(name: str, target: str, shown: str) -> None:
    assert target == name
    source = (EXAMPLES / name).read_text("utf-8")
    docstring = ast.get_docstring(ast.parse(source))
    assert docstring is not None
    title, underline, empty, text, *_ = docstring.splitlines()
    assert title == shown
    assert underline == "=" * len(title)
    assert not empty
    assert text
    assert "\n# %%\n# " in source
    assert source.endswith("plt.show()\n")


def test_the_readme_names_every_script_once() -> None:
    named = re.findall(r"\]\((\w+\.py)\)", README)
    assert sorted(named) == sorted(script.name for script in EXAMPLES.glob("*.py"))
