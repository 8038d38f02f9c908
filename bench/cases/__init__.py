"""The cases, one module per operator."""

from __future__ import annotations

from cases import diagonal_matrix, one_hot, padding, slice
from cases.case import Case

__all__ = ["Case", "all_cases"]


def all_cases() -> list[Case]:
    return [*padding.CASES, *one_hot.CASES, *slice.CASES, *diagonal_matrix.CASES]
