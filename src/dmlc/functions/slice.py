"""``slice``, ``copy`` and ``flip``: SLICE1 on arrays. All three copy a view."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import SupportsIndex

from dmlc import _dmlc
from dmlc.arrays import AnyArray, ArrayInput

__all__ = ["copy", "flip", "slice"]


@_dmlc.compiled
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
    raise NotImplementedError


@_dmlc.compiled
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
    raise NotImplementedError


@_dmlc.compiled
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
    raise NotImplementedError
