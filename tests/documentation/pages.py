"""What stands on the pages of the documentation, with its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"

OPTIONAL = frozenset(
    ("cv2", "dask", "distributed", "jax", "numba", "onnx", "PIL", "tensorflow", "torch", "zarr")
)
"""Packages that need not be installed: what imports them skips."""

_FENCE = re.compile(r"^```([^`\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"(?<![`{}])`([^`\n]+)`")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the number of its first line and the heading above it."""

    language: str
    text: str
    line: int
    section: str


@dataclass(frozen=True)
class Row:
    """A row of a table, cell by cell, the number of its line and the heading above it."""

    cells: tuple[str, ...]
    line: int
    section: str


def pages() -> list[Path]:
    """Every page that somebody wrote; none where the documentation is not there."""
    written = [
        page for page in sorted(DOCS.rglob("*.md")) if "gallery" not in page.relative_to(DOCS).parts
    ]
    return [page for page in [README, ROOT / "CONTRIBUTING.md", *written] if page.exists()]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def every_page() -> list[Path]:
    """The pages, and the README of each folder that has one; none where the sources are not there."""
    readmes = [*ROOT.glob("[bef]*/README.md"), *ROOT.glob("examples/*/README.md")]
    return [*pages(), *sorted(readmes)] if README.exists() else []


def _section(text: str, position: int) -> str:
    headings = re.findall(r"^## (.*)$", text[:position], re.MULTILINE)
    return headings[-1] if headings else ""


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text("utf-8")
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 2
        yield Block(found[1], found[2], line, _section(text, found.start()))


def rows(page: Path) -> Iterator[Row]:
    """The rows of a page's tables, without headings and the lines below them."""
    text = page.read_text("utf-8")
    for found in re.finditer(r"^\|(.*)\|$", text, re.MULTILINE):
        following = text[found.end() + 1 : found.end() + 6]
        if not found[1].startswith(" ---") and not following.startswith("| ---"):
            cells = tuple(cell.strip() for cell in found[1].split("|"))
            yield Row(cells, text.count("\n", 0, found.start()) + 1, _section(text, found.start()))


def codes(page: Path) -> set[str]:
    """What stands in single backticks, outside of fenced blocks."""
    return set(_CODE.findall(_FENCE.sub("", page.read_text("utf-8"))))
