"""Names of DirectML's structures and of NumPy's functions in docstrings become links to their pages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DIRECTML = "https://learn.microsoft.com/windows/win32/api/directml"
NUMPY = "https://numpy.org/doc/stable/reference/generated"

_STRUCTURE = re.compile(r"``(DML_\w+_DESC)``")
_ENUMERATION = re.compile(r"``(DML_(?:TENSOR_DATA_TYPE|PADDING_MODE|TENSOR_FLAGS|FEATURE_LEVEL))``")
_NUMPY_NAME = re.compile(r"``(numpy(?:\.\w+)+)``")


def linked(line: str) -> str:
    """A line of a docstring with its names as links."""
    line = _STRUCTURE.sub(
        lambda found: f"`{found[1]} <{DIRECTML}/ns-directml-{found[1].lower()}>`__", line
    )
    line = _ENUMERATION.sub(
        lambda found: f"`{found[1]} <{DIRECTML}/ne-directml-{found[1].lower()}>`__", line
    )
    return _NUMPY_NAME.sub(lambda found: f"`{found[1]} <{NUMPY}/{found[1]}.html>`__", line)


def _link(
    _app: Sphinx, _what: str, _name: str, _object: Any, _options: Any, lines: list[str]
) -> None:
    lines[:] = [line if line.startswith(">>>") else linked(line) for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _link)
    return {"parallel_read_safe": True}
