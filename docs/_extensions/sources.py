"""Names become links: in docstrings DirectML's and NumPy's to their pages, everywhere dmlc's to the reference.

Pages are read on code hosts too, where a role such as ``{func}`` would stand as it is: there is none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DIRECTML = "https://learn.microsoft.com/windows/win32/api/directml"
NUMPY = "https://numpy.org/doc/stable/reference/generated"

_STRUCTURE = re.compile(r"``(DML_\w+_DESC)``")
_ENUMERATION = re.compile(r"``(DML_(?:TENSOR_DATA_TYPE|PADDING_MODE|TENSOR_FLAGS|FEATURE_LEVEL))``")
_NUMPY_NAME = re.compile(r"``(numpy(?:\.\w+)+)``")
_OWN_NAME = re.compile(r"(dmlc(?:\.\w+)+)(?:\(.*\))?")


def linked(line: str) -> str:
    """A line of a docstring with the names of others as links."""
    line = _STRUCTURE.sub(
        lambda found: f"`{found[1]} <{DIRECTML}/ns-directml-{found[1].lower()}>`__", line
    )
    line = _ENUMERATION.sub(
        lambda found: f"`{found[1]} <{DIRECTML}/ne-directml-{found[1].lower()}>`__", line
    )
    return _NUMPY_NAME.sub(lambda found: f"`{found[1]} <{NUMPY}/{found[1]}.html>`__", line)


def _link_others(
    _app: Sphinx, _what: str, _name: str, _object: Any, _options: Any, lines: list[str]
) -> None:
    lines[:] = [line if line.startswith(">>>") else linked(line) for line in lines]


def _link_own(app: Sphinx, page: nodes.document, name: str) -> None:
    domain = app.env.domains.python_domain
    for code in list(page.findall(nodes.literal)):
        found = _OWN_NAME.fullmatch(code.astext())
        if not found or isinstance(code.parent, nodes.reference):
            continue
        references = domain.resolve_any_xref(
            app.env, name, app.builder, found[1], nodes.inline(), nodes.inline()
        )
        for _, link in references[:1]:
            code.replace_self(link)
            link.children[:] = []
            link += code


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _link_others)
    app.connect("doctree-resolved", _link_own)
    return {"parallel_read_safe": True}
