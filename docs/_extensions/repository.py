"""Links of included files, such as CONTRIBUTING.md, to files that are no pages become plain text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.addnodes import pending_xref

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

DOCS = Path(__file__).parents[1]


def _as_text(_app: Sphinx, page: nodes.document) -> None:
    for reference in list(page.findall(pending_xref)):
        target = reference["reftarget"].partition("#")[0]
        if target and not (DOCS / target).exists() and (DOCS.parent / target).exists():
            reference.replace_self(reference.children)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", _as_text)
    return {"parallel_read_safe": True}
