"""What the operators' pages take from the code: drawings, and tables of feature levels.

```{drawing} padding_modes      the pictures that a function of `drawings` makes
```{feature-levels} PADDING     a table of `dmlc.validation.feature_levels`
```{padding-mode-levels}        the level that each padding mode needs, of the same module
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import drawings
import feature_tables
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from dmlc.validation import feature_levels

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class Drawing(SphinxDirective):
    """Pictures side by side, as many as there is room for."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in drawings.ALL:
            raise self.error(f"no drawing is called {name!r}; there are {', '.join(drawings.ALL)}")
        self.env.note_dependency(str(Path(drawings.__file__)))
        figures = "".join(
            f"<figure><figcaption><code>{html.escape(picture.caption)}</code></figcaption>"
            f"{drawings.svg(picture)}</figure>"
            for picture in drawings.ALL[name]()
        )
        return [nodes.raw("", f'<div class="drawings">{figures}</div>', format="html")]


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], widths: Sequence[int]
) -> nodes.table:
    """A table of plain words."""

    def line(cells: Sequence[str]) -> nodes.row:
        row = nodes.row()
        for cell in cells:
            row += nodes.entry("", nodes.paragraph(cell, cell))
        return row

    group = nodes.tgroup(cols=len(heads))
    group += [nodes.colspec(colwidth=width) for width in widths]
    group += nodes.thead("", line(heads))
    group += nodes.tbody("", *map(line, rows))
    return nodes.table("", group, align="left")


class FeatureLevels(SphinxDirective):
    """Which level allows which dimension counts and data types."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        support = getattr(feature_levels, self.arguments[0], None)
        if not isinstance(support, feature_levels.Support):
            raise self.error(f"feature_levels has no table called {self.arguments[0]!r}")
        self.env.note_dependency(str(Path(feature_levels.__file__)))
        heads = ("From level", "Dimensions", "Data types")
        return [table(heads, feature_tables.support_rows(support), (15, 20, 65))]


class PaddingModeLevels(SphinxDirective):
    """Which level each padding mode needs."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(Path(feature_levels.__file__)))
        rows = feature_tables.mode_rows()
        return [table(("Mode", "From level"), rows, (50, 50))]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("drawing", Drawing)
    app.add_directive("feature-levels", FeatureLevels)
    app.add_directive("padding-mode-levels", PaddingModeLevels)
    app.add_css_file("drawings.css")
    return {"parallel_read_safe": True}
