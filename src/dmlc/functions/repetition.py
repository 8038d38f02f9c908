"""``tile`` and ``repeat``: arrays again and again, as wrapped windows and as broadcast copies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, SupportsIndex

from dmlc import _dmlc
from dmlc.arrays import AnyArray, ArrayInput

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["repeat", "tile"]


@_dmlc.compiled
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
    raise NotImplementedError


@_dmlc.compiled
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
    raise NotImplementedError
