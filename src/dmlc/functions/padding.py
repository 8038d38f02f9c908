"""``pad``, ``window`` and ``roll``: PADDING on arrays, of which all are windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

from dmlc import _dmlc
from dmlc.arrays import AnyArray, ArrayInput

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Mode", "pad", "roll", "window"]

Mode = Literal["constant", "edge", "reflect", "symmetric", "wrap"]


@_dmlc.compiled
def pad(
    array: ArrayInput,
    pad_width: npt.ArrayLike | Mapping[int, int | tuple[int, int]],
    mode: Mode = "constant",
    *,
    constant_values: npt.ArrayLike = 0,
    out: AnyArray | None = None,
) -> AnyArray:
    """Grow an array at its edges, as ``numpy.pad`` does.

    ::

        constant    v v v [a b c d] v v v     constant_values
        edge        a a a [a b c d] d d d     the nearest element
        reflect     d c b [a b c d] c b a     a mirror on the edge element
        symmetric   c b a [a b c d] d c b     a mirror outside the edge element
        wrap        b c d [a b c d] a b c     the array again

    Parameters
    ----------
    array : array_like
        Any shape and strides; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    pad_width : int, array_like of int, or dict
        Elements to add before and after each axis: ``n``, ``(before, after)``,
        ``((before, after),)``, one pair an axis, or ``{axis: (before, after)}``. May exceed the
        array: mirrors and wraps go on periodically. A negative width crops, before anything is
        added.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
    constant_values : scalar or array_like
        What ``"constant"`` adds, in the same forms as ``pad_width``; cast to the array's dtype as
        ``numpy.pad`` does: an integer out of range wraps if all axes share it, and is an
        OverflowError if each axis has its own; `dmlc.window` refuses both.
    out : ndarray, optional
        Where to write: the result's shape and dtype, any strides. It may overlap ``array``.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array of the same dtype.

    Raises
    ------
    TypeError
        If ``pad_width`` is not integral, or a dtype cannot be handled.
    ValueError
        If ``mode`` is unknown, ``pad_width`` does not fit the axes or crops more than there is,
        an empty axis would have to be extended from nothing, or ``out`` does not fit.

    Notes
    -----
    Semantics are those of ``numpy.pad`` and of DirectML's ``DML_PADDING_OPERATOR_DESC``.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.pad([1, 2, 3], 2, mode="reflect")
    array([3, 2, 1, 2, 3, 2, 1])
    >>> dmlc.pad([1, 2, 3], (1, -1), constant_values=9)
    array([9, 1, 2])
    """
    raise NotImplementedError


@_dmlc.compiled
def window(
    array: ArrayInput,
    start: SupportsIndex | Sequence[SupportsIndex],
    shape: SupportsIndex | Sequence[SupportsIndex],
    mode: Mode = "constant",
    *,
    constant_values: Any = 0,
    out: AnyArray | None = None,
) -> AnyArray:
    """Copy any window of an array that goes on without end, as `pad` extends it.

    ``result[o] = extended[o + start]``: the window may lie inside the array, overlap it, or lie
    wholly outside. Cropping and padding are one pass.

    Parameters
    ----------
    array : array_like
        Any shape and strides; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    start : int or sequence of int
        The window's first element along each axis, counted from the array's first: any sign, any
        distance. An integer is a sequence of one.
    shape : int or sequence of int
        The window's size along each axis.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
        How the array goes on; see `pad`.
    constant_values : scalar
        What is outside in mode ``"constant"``; converted to the array's dtype as assignment does.
    out : ndarray, optional
        Where to write: the given shape and the array's dtype, any strides. It may overlap
        ``array``.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array of the same dtype.

    Raises
    ------
    TypeError
        If an entry is not an integer or the dtype cannot be handled.
    ValueError
        If the entries are not one an axis, a size is negative, ``mode`` is unknown, an empty axis
        would have to be extended from nothing, or ``out`` does not fit.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.window([1, 2, 3], -2, 4)
    array([0, 0, 1, 2])
    >>> dmlc.window([[1, 2, 3], [4, 5, 6]], (1, 5), (2, 3), "wrap")
    array([[6, 4, 5],
           [3, 1, 2]])
    """
    raise NotImplementedError


@_dmlc.compiled
def roll(
    array: ArrayInput,
    shift: npt.ArrayLike,
    axis: SupportsIndex | Sequence[SupportsIndex] | None = None,
    *,
    out: AnyArray | None = None,
) -> AnyArray:
    """Move elements along axes, those that leave at one end back in at the other, as ``numpy.roll``.

    Parameters
    ----------
    array : array_like
        Any shape and strides; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    shift : int or sequence of int
        How far, of any sign; broadcast against ``axis``. At most 65536 entries.
    axis : int or sequence of int, optional
        Along which axes; what is given of one axis adds up. None rolls all elements as if they
        stood in one row.
    out : ndarray, optional
        Where to write: the same shape and dtype, any strides. It may overlap ``array``.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array.

    Raises
    ------
    TypeError, ValueError
        As ``numpy.roll``, or if the dtype cannot be handled or ``out`` does not fit.
    numpy.exceptions.AxisError
        If an axis is outside the array.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.roll([[0, 1, 2], [3, 4, 5]], (1, -1), axis=(0, 1))
    array([[4, 5, 3],
           [1, 2, 0]])
    """
    raise NotImplementedError
