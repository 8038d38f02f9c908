"""The tables of calls in other libraries: both sides of a row give the same elements."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from documentation.pages import DOCS, OPTIONAL, Row, blocks, rows

PAGE = DOCS / "migration.md"
REFUSED = "refused there:"
"""So begins what differs where the other library raises."""

every_row = [
    pytest.param(row, id=f"{row.section}-{row.cells[0]}")
    for row in (rows(PAGE) if PAGE.exists() else ())
]


@cache
def prepared(section: str) -> Mapping[str, Any]:
    """What the block above a table has made."""
    namespace: dict[str, Any] = {}
    for block in blocks(PAGE):
        if block.language == "python" and block.section == section:
            exec(block.text, namespace)  # noqa: S102
    return namespace


def call(cell: str, section: str) -> Any:
    return eval(cell.strip("`"), {**prepared(section)})


def elements(value: Any) -> np.ndarray[Any, Any]:
    return np.asarray(value.detach() if hasattr(value, "detach") else value)


@pytest.mark.parametrize("row", every_row)
def test_both_sides_are_equal(row: Row) -> None:
    theirs, ours, differs = row.cells
    try:
        result = elements(call(ours, row.section))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in OPTIONAL:
            raise
        pytest.skip(f"{error.name} is not installed")
    if differs.startswith(REFUSED):
        with pytest.raises(Exception, match="(?i)padding"):
            call(theirs, row.section)
        return
    expected = elements(call(theirs, row.section))
    assert result.dtype == expected.dtype
    assert np.array_equal(result, expected)


def test_every_library_that_is_named_has_rows() -> None:
    if not PAGE.exists():
        pytest.skip("the documentation is not here")
    assert {row.section for row in rows(PAGE)} == {
        *("NumPy", "PyTorch", "TensorFlow", "JAX", "OpenCV", "ONNX")
    }
