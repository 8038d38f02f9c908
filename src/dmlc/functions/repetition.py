"""``tile`` and ``repeat``: arrays again and again, as wrapped windows and as broadcast copies."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from dmlc import _dmlc
from dmlc._dmlc import Input, apart, copy_into, output_for
from dmlc.arrays import MOST_DIMENSIONS, AnyArray, ArrayInput, bounded, claimed_entries, index

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["repeat", "tile"]

# So many entries are read before they are found to be too many.
_CLAIMED = 1 << 16


def tile(
    array: ArrayInput,
    reps: SupportsIndex | Iterable[SupportsIndex],
    *,
    out: AnyArray | None = None,
) -> AnyArray:
    """Lay an array side by side with itself, as ``numpy.tile`` does.

    Parameters
    ----------
    array : array_like
        Any shape and strides; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    reps : int or iterable of int
        How often along each axis. Where there are fewer than axes, they are the last axes'; where
        there are more, the array gets axes of size 1 before its own.
    out : ndarray, optional
        Where to write: the result's shape and dtype, any strides. It may overlap ``array``.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array.

    Raises
    ------
    TypeError, ValueError
        As ``numpy.tile``, or if the dtype cannot be handled or ``out`` does not fit.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.tile([[1, 2], [3, 4]], (1, 2))
    array([[1, 2, 1, 2],
           [3, 4, 3, 4]])
    """
    source = Input("tile", "array", array)
    given = list(islice(reps, MOST_DIMENSIONS + 1)) if np.iterable(reps) else [reps]
    if len(given) > MOST_DIMENSIONS:
        raise ValueError(f"tile: reps must have at most {MOST_DIMENSIONS} entries, got more")
    counts = [index("tile", f"reps[{i}]", count) for i, count in enumerate(given)]
    ndim = max(len(counts), source.ndim)
    counts = [1] * (ndim - len(counts)) + counts
    sizes = (1,) * (ndim - source.ndim) + source.shape
    shape = tuple(size * count for size, count in zip(sizes, counts))
    if min(shape, default=0) < 0:
        raise ValueError(f"tile: reps must not be negative, got {counts} for shape {sizes}")
    inner = source.settle()
    result = output_for("tile", out, shape, inner.dtype)
    inner = apart("tile", inner, result, out).reshape(sizes)
    _dmlc.window(inner, [0] * ndim, result.shape, "wrap", out=result)
    return result if out is None else out


def repeat(
    array: ArrayInput,
    repeats: npt.ArrayLike,
    axis: SupportsIndex | None = None,
    *,
    out: AnyArray | None = None,
) -> AnyArray:
    """Repeat each element, as ``numpy.repeat`` does.

    Parameters
    ----------
    array : array_like
        Any shape and strides; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    repeats : int or sequence of int
        How often: once for all elements, or once for each along the axis. One number is a copy
        in one pass; for numbers of their own NumPy moves the elements.
    axis : int, optional
        Along which axis. None repeats the elements of the flattened array.
    out : ndarray, optional
        Where to write: the result's shape and dtype, any strides. It may overlap ``array``.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array.

    Raises
    ------
    TypeError, ValueError
        As ``numpy.repeat``, or if the dtype cannot be handled or ``out`` does not fit.
    numpy.exceptions.AxisError
        If the axis is outside the array.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.repeat([[1, 2], [3, 4]], 2, axis=1)
    array([[1, 1, 2, 2],
           [3, 3, 4, 4]])
    """
    source = Input("repeat", "array", array)
    if isinstance(axis, bool):
        raise TypeError("an integer is required for the axis")
    given = None if axis is None else index("repeat", "axis", axis)
    # NumPy takes a single element for a sequence of one.
    shape = source.shape if source.shape and axis is not None else (math.prod(source.shape),)
    counts = _counts(repeats, max(shape))
    place = 0 if given is None else normalize_axis_index(given, len(shape))
    before, size, after = shape[:place], shape[place], shape[place + 1 :]
    if counts.size not in (1, size):
        raise ValueError(f"repeat: repeats must have 1 or {size} entries, got {counts.size}")
    if size > 0 and (least := int(counts.min())) < 0:
        raise ValueError(f"repeat: repeats must not be negative, got {least}")
    one = counts.size == 1
    every = max(int(counts.flat[0]), 0) if one else 0
    total = size * every if one else sum(counts.tolist())
    inner = source.settle()
    result = output_for("repeat", out, (*before, total, *after), inner.dtype)
    inner = apart("repeat", inner.reshape(shape), result, out)
    if one:
        split = (*before, size, every, *after)
        copy_into(result.reshape(split), np.broadcast_to(np.expand_dims(inner, place + 1), split))
    elif result.size > 0:
        # To look up element by element takes NumPy as long as anyone. No place is clipped: it is how take writes
        # right into its output.
        places = np.repeat(np.arange(size), counts)
        np.take(inner, places, place, out=result, mode="clip")
    return result if out is None else out


def _counts(repeats: npt.ArrayLike, most: int) -> npt.NDArray[np.intp]:
    """Return the numbers as NumPy reads them; of those that claim to be too many none is read."""
    if isinstance(repeats, np.ndarray) and not np.can_cast(repeats.dtype, np.intp):
        raise TypeError(f"repeat: repeats must be integers, got dtype {repeats.dtype}")
    repeats = bounded("repeat", "repeats", repeats, 2, max(most, _CLAIMED))
    claimed = claimed_entries(repeats)
    if claimed > max(most, _CLAIMED):
        raise ValueError(f"repeat: repeats must have at most {most} entries, got {claimed}")
    counts = np.array(repeats, dtype=np.intp)
    if counts.ndim > 1:
        raise ValueError(f"repeat: repeats must have at most 1 dimension, got {counts.ndim}")
    return counts
