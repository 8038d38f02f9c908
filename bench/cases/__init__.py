"""The cases, one module per operator."""

from __future__ import annotations

from cases import diagonal_matrix, images, one_hot, padding, slice
from cases.case import Case

__all__ = ["SETS", "Case"]

SETS: dict[str, list[Case]] = {
    "uses": [*padding.CASES, *one_hot.CASES, *slice.CASES, *diagonal_matrix.CASES],
    "images": images.CASES,
}
"""What `--set` names."""
