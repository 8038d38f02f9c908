"""Plans by layout, kept: a plan depends on sizes and strides alone and serves every array that has them.

Tuples go in, so that they can be keys; the binding gets them as arrays.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from dmlc import _core
from dmlc._core import Plan
from dmlc.enums import PaddingMode

__all__ = ["Integers", "plan_copy", "plan_diagonal_matrix", "plan_one_hot", "plan_padding"]

Integers = tuple[int, ...]

# Layouts that a program uses at the same time; a plan is a few hundred bytes.
_KEPT = 1024

_INDEX_TYPES = {
    np.dtype(name): number
    for number, name in enumerate(
        ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    )
}


def _integers(values: Integers) -> npt.NDArray[np.int64]:
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        raise ValueError("a size or an offset does not fit into 64 bits") from None


@lru_cache(_KEPT)
def plan_padding(
    width: int,
    input_sizes: Integers,
    input_strides: Integers,
    output_strides: Integers,
    start: Integers,
    end: Integers,
    mode: PaddingMode,
) -> Plan:
    """Plan PADDING; strides are in bytes, paddings not negative."""
    return Plan.padding(
        width,
        _integers(input_sizes),
        _integers(input_strides),
        _integers(output_strides),
        _integers(start),
        _integers(end),
        mode,
    )


@lru_cache(_KEPT)
def plan_copy(
    width: int, sizes: Integers, input_strides: Integers, output_strides: Integers
) -> Plan:
    """Plan SLICE: what a window reads is a view, so that its copy needs the view's strides alone."""
    ones = np.ones(len(sizes), dtype=np.int64)
    return Plan.slice(
        width,
        _integers(sizes),
        _integers(input_strides),
        _integers(output_strides),
        np.zeros_like(ones),
        ones,
    )


@lru_cache(_KEPT)
def plan_one_hot(
    width: int,
    index_type: np.dtype[np.integer],
    from_end: bool,
    output_sizes: Integers,
    indices_strides: Integers,
    output_strides: Integers,
    axis: int,
) -> Plan:
    """Plan ONE_HOT; the indices have a stride along ``axis``, which is not read."""
    return Plan.one_hot(
        width,
        _INDEX_TYPES[index_type],
        from_end,
        _integers(output_sizes),
        _integers(indices_strides),
        _integers(output_strides),
        axis,
    )


# Begins and ends beyond this are outside of any matrix.
_FARTHEST = 1 << 62


def _clamp_band(begin: int, end: int) -> tuple[int, int]:
    """The same band in 64 bits: which of begin and end is the larger decides what is filled."""
    low, high = (max(-_FARTHEST, min(bound, _FARTHEST)) for bound in sorted((begin, end)))
    if low == high and begin != end:
        low, high = (low - 1, high) if high > 0 else (low, high + 1)
    return (high, low) if begin > end else (low, high)


@lru_cache(_KEPT)
def plan_diagonal_matrix(
    width: int,
    sizes: Integers,
    input_strides: Integers | None,
    output_strides: Integers,
    begin: int,
    end: int,
    *,
    in_place: bool = False,
) -> Plan:
    """Plan DIAGONAL_MATRIX1; without ``input_strides`` the background is a value."""
    background = _core.BACKGROUND_VALUE if input_strides is None else _core.BACKGROUND_INPUT
    begin, end = _clamp_band(begin, end)
    return Plan.diagonal_matrix(
        width,
        _integers(sizes),
        _integers(input_strides or ()),
        _integers(output_strides),
        begin,
        end,
        _core.BACKGROUND_KEEP if in_place else background,
    )
