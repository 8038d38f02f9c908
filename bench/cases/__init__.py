"""The cases, one module per operator, and one of pipelines."""

from __future__ import annotations

from cases import diagonal_matrix, images, one_hot, padding, pipelines, slice
from cases.case import Case

__all__ = ["SETS", "Case"]

SETS: dict[str, list[Case]] = {
    "uses": [*padding.CASES, *one_hot.CASES, *slice.CASES, *diagonal_matrix.CASES],
    "images": images.CASES,
    "pipelines": pipelines.CASES,
}
"""What `--set` names."""
