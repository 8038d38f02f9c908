"""``slice``, ``copy`` and ``flip``: SLICE1 on arrays. All three copy a view."""

from __future__ import annotations

import builtins
from collections.abc import Collection, Iterable, Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from dmlc import _dmlc
from dmlc.arrays import AnyArray, ArrayInput, Input, apart, copy_into, entries, indices, output_for

__all__ = ["axes_of_flip", "copy", "flip", "runs_of_slice", "slice"]


@_dmlc.with_plain_copy
def copy(array: ArrayInput, *, out: AnyArray | None = None) -> AnyArray:
    """Copy any view into packed memory.

    Parameters
    ----------
    array : array_like
        Any shape and strides; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    out : ndarray, optional
        Where to write: the same shape and dtype, any strides. It may overlap ``array``.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array.

    Raises
    ------
    TypeError, ValueError
        If the dtype cannot be handled or ``out`` does not fit.

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc
    >>> dmlc.copy(np.arange(6).reshape(2, 3)[:, ::-1])
    array([[2, 1, 0],
           [5, 4, 3]])
    """
    return _copy_view("copy", Input("copy", "array", array).settle(), out)


@_dmlc.with_plain_flip
def flip(
    array: ArrayInput,
    axis: SupportsIndex | Iterable[SupportsIndex] | None = None,
    *,
    out: AnyArray | None = None,
) -> AnyArray:
    """Reverse the order of elements along axes, as ``numpy.flip`` does, into new memory.

    Parameters
    ----------
    array : array_like
        Any shape and strides; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    axis : int or iterable of int, optional
        The axes to reverse; None for all.
    out : ndarray, optional
        Where to write: the same shape and dtype, any strides. It may overlap ``array``.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array.

    Raises
    ------
    TypeError, ValueError
        If the dtype cannot be handled or ``out`` does not fit.
    numpy.exceptions.AxisError
        If an axis is outside the array.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.flip([[1, 2], [3, 4]], axis=1)
    array([[2, 1],
           [4, 3]])
    """
    source = Input("flip", "array", array)
    axes = axes_of_flip(axis, source.ndim)
    window: list[Any] = [np.s_[::-1] if i in axes else np.s_[:] for i in range(source.ndim)]
    return _copy_view("flip", source.settle()[(*window, ...)], out)


def axes_of_flip(
    axis: SupportsIndex | Iterable[SupportsIndex] | None, ndim: int
) -> Collection[int]:
    """Return the axes that `flip` reverses."""
    if axis is None:
        return range(ndim)
    given = (axis,) if isinstance(axis, SupportsIndex) else axis
    return normalize_axis_tuple(indices("flip", "axis", given, ndim), ndim)


@_dmlc.with_plain_slice
def slice(
    array: ArrayInput,
    offsets: Sequence[SupportsIndex],
    sizes: Sequence[SupportsIndex],
    strides: Sequence[SupportsIndex],
    *,
    output_sizes: Sequence[SupportsIndex] | None = None,
    out: AnyArray | None = None,
) -> AnyArray:
    """Copy a strided window; a negative stride starts at the window's end.

    ``result[o] = array[start + stride * o]`` along each axis, where ``start`` is ``offset`` for a
    positive stride and ``offset + size - 1`` for a negative one.

    Parameters
    ----------
    array : array_like
        Any shape and strides; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    offsets, sizes : sequence of int
        The window's first element and its extent, one an axis; it lies inside the array.
    strides : sequence of int
        Elements to advance inside the window, one an axis; any sign, not 0.
    output_sizes : sequence of int, optional
        Elements to copy along each axis, at most ``1 + (size - 1) // abs(stride)``, which is the
        default.
    out : ndarray, optional
        Where to write: the result's shape and dtype, any strides. It may overlap ``array``.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array.

    Raises
    ------
    TypeError
        If an entry is not an integer or a dtype cannot be handled.
    ValueError
        If the entries are not one an axis, the window leaves the array, a stride is 0, or ``out``
        does not fit.

    Notes
    -----
    Semantics are those of DirectML's ``DML_SLICE1_OPERATOR_DESC``.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.slice([10, 11, 12, 13, 14, 15], [1], [4], [-2])
    array([14, 12])
    """
    source = Input("slice", "array", array)
    window: list[Any] = [
        _axis_slice(*run)
        for run in runs_of_slice(source.shape, offsets, sizes, strides, output_sizes)
    ]
    return _copy_view("slice", source.settle()[(*window, ...)], out)


def runs_of_slice(
    shape: tuple[int, ...],
    offsets: Sequence[SupportsIndex],
    sizes: Sequence[SupportsIndex],
    strides: Sequence[SupportsIndex],
    output_sizes: Sequence[SupportsIndex] | None,
) -> list[tuple[int, int, int]]:
    """Return the first element, the step and the count that `slice` reads along each axis."""
    starts = entries("slice", "offsets", offsets, len(shape))
    extents = entries("slice", "sizes", sizes, len(shape))
    steps = entries("slice", "strides", strides, len(shape))
    counts = None
    if output_sizes is not None:
        counts = entries("slice", "output_sizes", output_sizes, len(shape))
    runs = []
    for axis, (start, extent, step) in enumerate(zip(starts, extents, steps)):
        limit = shape[axis]
        if start < 0:
            raise ValueError(f"slice: offsets[{axis}] must be at least 0, got {start}")
        if extent < 0 or start + extent > limit:
            raise ValueError(
                f"slice: sizes[{axis}] must be 0 to {limit - start}, so that offset + size is "
                f"at most the array's {limit}, got {extent}"
            )
        if step == 0:
            raise ValueError(f"slice: strides[{axis}] must not be 0, got 0")
        reachable = 1 + (extent - 1) // abs(step) if extent > 0 else 0
        count = reachable if counts is None else counts[axis]
        if not 0 <= count <= reachable:
            raise ValueError(
                f"slice: output_sizes[{axis}] must be 0 to 1 + (size - 1) // abs(stride) = "
                f"{reachable}, got {count}"
            )
        runs.append((start if step > 0 else start + extent - 1, step, count))
    return runs


def _axis_slice(first: int, step: int, count: int) -> builtins.slice:
    if count == 0:
        return builtins.slice(0, 0)
    # Python's slices end before an element; going down past the first one has no number.
    end = first + count * step
    return builtins.slice(first, end if end >= 0 else None, step)


def _copy_view(function: str, view: AnyArray, out: AnyArray | None) -> AnyArray:
    result = output_for(function, out, view.shape, view.dtype)
    copy_into(result, apart(view, result, out))
    return result if out is None else out
