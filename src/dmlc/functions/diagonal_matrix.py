"""Bands, triangles and masks: DIAGONAL_MATRIX1 on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy as np

from dmlc import _dmlc
from dmlc.arrays import AnyArray, ArrayInput, index, printed

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "band_of_causal_mask",
    "causal_mask",
    "diagonal_matrix",
    "eye",
    "fill_band",
    "tri",
    "tril",
    "triu",
]

# Farther from the main diagonal than any element.
_BEYOND = 1 << 62


@_dmlc.compiled
def diagonal_matrix(
    shape: SupportsIndex | Sequence[SupportsIndex],
    begin: SupportsIndex = 0,
    end: SupportsIndex = 1,
    value: Any = 1,
    *,
    dtype: npt.DTypeLike = np.float32,
    out: AnyArray | None = None,
) -> AnyArray:
    """Return zeros with a band of a value: the diagonals ``begin <= x - y < end``.

    Parameters
    ----------
    shape : sequence of int
        ``(..., height, width)``: at least two sizes; those before the last two are a batch.
    begin, end : int
        The first diagonal of the band and the one after its last; 0 is the main diagonal,
        positive ones lie above it. If ``begin > end``, all but ``[end, begin)`` has the value; if
        they are equal, nothing has.
    value : scalar
        Converted to ``dtype`` as assignment does.
    dtype : dtype_like
        A fixed width of 1, 2, 4, 8 or 16 bytes.
    out : ndarray, optional
        Where to write: the given shape and dtype, any strides.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array.

    Raises
    ------
    TypeError, ValueError
        If the shape has fewer than two sizes or a negative one, a bound is not an integer, or
        ``out`` does not fit.

    Notes
    -----
    Semantics are those of DirectML's ``DML_DIAGONAL_MATRIX1_OPERATOR_DESC``.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.diagonal_matrix((3, 4), 0, 2, 7, dtype=int)
    array([[7, 7, 0, 0],
           [0, 7, 7, 0],
           [0, 0, 7, 7]])
    """
    raise NotImplementedError


@_dmlc.compiled
def fill_band(
    array: ArrayInput,
    begin: SupportsIndex,
    end: SupportsIndex,
    value: Any,
    *,
    out: AnyArray | None = None,
) -> AnyArray:
    """Copy matrices with the diagonals ``begin <= x - y < end`` set to a value.

    Parameters
    ----------
    array : array_like
        ``(..., height, width)``: at least two dimensions, any strides; a fixed-width dtype of 1,
        2, 4, 8 or 16 bytes.
    begin, end : int
        As in `diagonal_matrix`: inverted if ``begin > end``, nothing if they are equal.
    value : scalar
        Converted to the array's dtype as assignment does.
    out : ndarray, optional
        Where to write: the same shape and dtype, any strides. ``out=array`` fills in place,
        touching the band alone.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array.

    Raises
    ------
    TypeError, ValueError
        If the array has fewer than two dimensions, a bound is not an integer, or ``out`` does
        not fit.

    Notes
    -----
    Semantics are those of DirectML's ``DML_DIAGONAL_MATRIX1_OPERATOR_DESC`` with an input.

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc
    >>> dmlc.fill_band(np.arange(9).reshape(3, 3), 1, 3, -1)
    array([[ 0, -1, -1],
           [ 3,  4, -1],
           [ 6,  7,  8]])
    """
    raise NotImplementedError


@_dmlc.compiled
def eye(
    N: SupportsIndex,
    M: SupportsIndex | None = None,
    k: SupportsIndex = 0,
    dtype: npt.DTypeLike = float,
    order: Literal["C", "F"] = "C",
    *,
    device: Literal["cpu"] | None = None,
    like: None = None,
    out: AnyArray | None = None,
) -> AnyArray:
    """Return ones on a diagonal and zeros elsewhere, as ``numpy.eye`` does.

    Parameters
    ----------
    N, M : int
        Rows and columns; ``M`` is ``N`` by default.
    k : int
        The diagonal; 0 is the main one, positive ones lie above it.
    dtype : dtype_like
        A fixed width of 1, 2, 4, 8 or 16 bytes.
    order : {"C", "F"}
        The memory order of a new result.
    device : {"cpu"}, optional
        For NumPy's signature.
    like : None
        For NumPy's signature; other array libraries are not called.
    out : ndarray, optional
        Where to write: shape ``(N, M)`` and the dtype, any strides.

    Returns
    -------
    ndarray
        ``out``, or a new array.

    Raises
    ------
    TypeError, ValueError
        As ``numpy.eye``, or if ``out`` does not fit.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.eye(2, 3, k=1)
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    raise NotImplementedError


@_dmlc.compiled
def tri(
    N: SupportsIndex,
    M: SupportsIndex | None = None,
    k: SupportsIndex = 0,
    dtype: npt.DTypeLike = float,
    *,
    like: None = None,
    out: AnyArray | None = None,
) -> AnyArray:
    """Return ones at and below a diagonal and zeros elsewhere, as ``numpy.tri`` does.

    Parameters
    ----------
    N, M : int
        Rows and columns; ``M`` is ``N`` by default.
    k : int
        The last diagonal of ones.
    dtype : dtype_like
        A fixed width of 1, 2, 4, 8 or 16 bytes.
    like : None
        For NumPy's signature; other array libraries are not called.
    out : ndarray, optional
        Where to write: shape ``(N, M)`` and the dtype, any strides.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array.

    Raises
    ------
    TypeError, ValueError
        If an argument is not an integer or ``out`` does not fit.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.tri(2, 3, k=1, dtype=int)
    array([[1, 1, 0],
           [1, 1, 1]])
    """
    raise NotImplementedError


@_dmlc.compiled
def tril(m: ArrayInput, k: SupportsIndex = 0, *, out: AnyArray | None = None) -> AnyArray:
    """Return the lower triangle: a copy with zeros above diagonal ``k``, as ``numpy.tril`` does.

    Parameters
    ----------
    m : array_like
        ``(..., height, width)``, any strides; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes. One
        dimension is broadcast to a square.
    k : int
        The last diagonal that is kept.
    out : ndarray, optional
        Where to write: the result's shape and dtype, any strides; may be ``m``.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array.

    Raises
    ------
    TypeError, ValueError
        If ``m`` has no dimension, ``k`` is not an integer, or ``out`` does not fit.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.tril([[1, 2], [3, 4]])
    array([[1, 0],
           [3, 4]])
    """
    raise NotImplementedError


@_dmlc.compiled
def triu(m: ArrayInput, k: SupportsIndex = 0, *, out: AnyArray | None = None) -> AnyArray:
    """Return the upper triangle: a copy with zeros below diagonal ``k``, as ``numpy.triu`` does.

    Parameters
    ----------
    m : array_like
        ``(..., height, width)``, any strides; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes. One
        dimension is broadcast to a square.
    k : int
        The first diagonal that is kept.
    out : ndarray, optional
        Where to write: the result's shape and dtype, any strides; may be ``m``.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array.

    Raises
    ------
    TypeError, ValueError
        If ``m`` has no dimension, ``k`` is not an integer, or ``out`` does not fit.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.triu([[1, 2], [3, 4]])
    array([[1, 2],
           [0, 4]])
    """
    raise NotImplementedError


def causal_mask(
    n: SupportsIndex,
    m: SupportsIndex | None = None,
    *,
    window: SupportsIndex | None = None,
    value: Any = -np.inf,
    dtype: npt.DTypeLike = np.float32,
    out: AnyArray | None = None,
) -> AnyArray:
    """Return the mask that lets each of ``n`` queries attend to the keys up to its own.

    Parameters
    ----------
    n, m : int
        Queries and keys; ``m`` is ``n`` by default. The last query belongs to the last key, as it
        does when earlier keys come from a cache: query ``i`` stands at key ``i + m - n``.
    window : int, optional
        How many keys a query attends to, its own included; all of them by default.
    value : scalar
        What stands where attention is forbidden, converted to ``dtype`` as assignment does.
    dtype : dtype_like
        A fixed width of 1, 2, 4, 8 or 16 bytes.
    out : ndarray, optional
        Where to write: shape ``(n, m)`` and the dtype, any strides.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array: 0 where ``0 <= i + m - n - j < window``, else
        ``value``.

    Raises
    ------
    TypeError, ValueError
        If a size is negative, ``window`` is less than 1, or ``out`` does not fit.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.causal_mask(3)
    array([[  0., -inf, -inf],
           [  0.,   0., -inf],
           [  0.,   0.,   0.]], dtype=float32)
    """
    shape, begin, end = band_of_causal_mask(n, m, window)
    return _dmlc.generate_band("causal_mask", shape, begin, end, value, dtype, out)


def band_of_causal_mask(
    n: SupportsIndex, m: SupportsIndex | None, window: SupportsIndex | None
) -> tuple[tuple[int, int], int, int]:
    """Return a mask's shape and its band: all but the diagonals from ``end`` up to ``begin``."""
    queries = index("causal_mask", "n", n)
    keys = queries if m is None else index("causal_mask", "m", m)
    own = keys - queries
    first = -_BEYOND
    if window is not None:
        extent = index("causal_mask", "window", window)
        if extent < 1:
            raise ValueError(f"causal_mask: window must be at least 1, got {printed(extent)}")
        first = own + 1 - extent
    return (queries, keys), own + 1, first
