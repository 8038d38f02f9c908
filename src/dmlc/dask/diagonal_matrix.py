"""Dask's matrices: a chunk's diagonals count from where it begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy as np
from dask._task_spec import TaskRef  # type: ignore[import-not-found, unused-ignore]

from dmlc import functions
from dmlc.arguments import shape_of_matrices
from dmlc.arrays import AnyArray, index
from dmlc.dask import graph
from dmlc.dask.graph import Call, Range
from dmlc.functions.diagonal_matrix import band_of_causal_mask

if TYPE_CHECKING:
    import dask.array as da  # type: ignore[import-not-found, unused-ignore]
    import numpy.typing as npt

__all__ = ["causal_mask", "diagonal_matrix", "eye", "fill_band", "tri", "tril", "triu"]


def eye(
    N: SupportsIndex,
    M: SupportsIndex | None = None,
    k: SupportsIndex = 0,
    dtype: npt.DTypeLike = float,
    order: Literal["C", "F"] = "C",
    *,
    device: Literal["cpu"] | None = None,
    like: None = None,
    chunks: Any = "auto",
) -> da.Array:
    """Return ones on a diagonal and zeros elsewhere, as `dmlc.eye` does.

    Parameters
    ----------
    N, M : int
        Rows and columns; ``M`` is ``N`` by default.
    k : int
        The diagonal; 0 is the main one, positive ones lie above it.
    dtype : dtype_like
        A fixed width of 1, 2, 4, 8 or 16 bytes.
    order : {"C", "F"}
        The memory order of each chunk.
    device : {"cpu"}, optional
        For NumPy's signature.
    like : None
        For NumPy's signature.
    chunks : int, tuple or str
        In any of Dask's forms. ``dask.array.eye`` takes them second.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.eye`.

    Examples
    --------
    >>> import dmlc.dask
    >>> dmlc.dask.eye(2, 3, k=1, chunks=2).compute()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    rows = index("eye", "N", N)
    columns = rows if M is None else index("eye", "M", M)
    diagonal = index("eye", "k", k)
    # Of no elements, or of a negative size as given, for its errors.
    model = functions.eye(
        min(rows, 0), min(columns, 0), diagonal, dtype, order, device=device, like=like
    )

    def task(height: int, width: int, across: int) -> Call:
        return functions.eye, height, width, diagonal - across, model.dtype, order

    return _generated("eye", (rows, columns), chunks, model.dtype, task, diagonal, order)


def tri(
    N: SupportsIndex,
    M: SupportsIndex | None = None,
    k: SupportsIndex = 0,
    dtype: npt.DTypeLike = float,
    *,
    like: None = None,
    chunks: Any = "auto",
) -> da.Array:
    """Return ones at and below a diagonal and zeros elsewhere, as `dmlc.tri` does.

    Parameters
    ----------
    N, M : int
        Rows and columns; ``M`` is ``N`` by default.
    k : int
        The last diagonal of ones.
    dtype : dtype_like
        A fixed width of 1, 2, 4, 8 or 16 bytes.
    like : None
        For NumPy's signature.
    chunks : int, tuple or str
        In any of Dask's forms.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.tri`.

    Examples
    --------
    >>> import dmlc.dask
    >>> dmlc.dask.tri(2, 3, k=1, dtype=int, chunks=2).compute()
    array([[1, 1, 0],
           [1, 1, 1]])
    """
    rows = max(index("tri", "N", N), 0)
    columns = rows if M is None else max(index("tri", "M", M), 0)
    diagonal = index("tri", "k", k)
    model = functions.tri(0, 0, diagonal, dtype, like=like)

    def task(height: int, width: int, across: int) -> Call:
        return functions.tri, height, width, diagonal - across, model.dtype

    return _generated("tri", (rows, columns), chunks, model.dtype, task, diagonal)


def diagonal_matrix(
    shape: SupportsIndex | Sequence[SupportsIndex],
    begin: SupportsIndex = 0,
    end: SupportsIndex = 1,
    value: Any = 1,
    *,
    dtype: npt.DTypeLike = np.float32,
    chunks: Any = "auto",
) -> da.Array:
    """Return zeros with a band of a value, as `dmlc.diagonal_matrix` does.

    Parameters
    ----------
    shape : sequence of int
        ``(..., height, width)``: at least two sizes; those before the last two are a batch.
    begin, end : int
        The first diagonal of the band and the one after its last; inverted if ``begin > end``.
    value : scalar
        Converted to ``dtype`` as assignment does.
    dtype : dtype_like
        A fixed width of 1, 2, 4, 8 or 16 bytes.
    chunks : int, tuple or str
        In any of Dask's forms.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.diagonal_matrix`.

    Examples
    --------
    >>> import dmlc.dask
    >>> dmlc.dask.diagonal_matrix((3, 4), 0, 2, 7, dtype=int, chunks=2).compute()
    array([[7, 7, 0, 0],
           [0, 7, 7, 0],
           [0, 0, 7, 7]])
    """
    sizes = shape_of_matrices("diagonal_matrix", shape)
    first = index("diagonal_matrix", "begin", begin)
    last = index("diagonal_matrix", "end", end)
    return _band("diagonal_matrix", sizes, first, last, value, dtype, chunks)


def causal_mask(
    n: SupportsIndex,
    m: SupportsIndex | None = None,
    *,
    window: SupportsIndex | None = None,
    value: Any = -np.inf,
    dtype: npt.DTypeLike = np.float32,
    chunks: Any = "auto",
) -> da.Array:
    """Return the mask that lets each of ``n`` queries attend to the keys up to its own.

    Parameters
    ----------
    n, m : int
        Queries and keys; ``m`` is ``n`` by default. The last query belongs to the last key.
    window : int, optional
        How many keys a query attends to, its own included; all of them by default.
    value : scalar
        What stands where attention is forbidden.
    dtype : dtype_like
        A fixed width of 1, 2, 4, 8 or 16 bytes.
    chunks : int, tuple or str
        In any of Dask's forms.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.causal_mask`.

    Examples
    --------
    >>> import dmlc.dask
    >>> dmlc.dask.causal_mask(3, chunks=2).compute()
    array([[  0., -inf, -inf],
           [  0.,   0., -inf],
           [  0.,   0.,   0.]], dtype=float32)
    """
    sizes, first, last = band_of_causal_mask(n, m, window)
    return _band("causal_mask", sizes, first, last, value, dtype, chunks)


def tril(m: Any, k: SupportsIndex = 0) -> da.Array:
    """Return the lower triangle: zeros above diagonal ``k``, as `dmlc.tril` does.

    Parameters
    ----------
    m : dask.array.Array
        ``(..., height, width)`` in chunks of known sizes; one dimension is broadcast to a square.
    k : int
        The last diagonal that is kept.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        If ``m`` has no dimension, ``k`` is not an integer, or sizes of chunks are unknown.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.tril(da.ones((2, 2), chunks=1, dtype=int)).compute()
    array([[1, 0],
           [1, 1]])
    """
    return _triangle("tril", functions.tril, m, k)


def triu(m: Any, k: SupportsIndex = 0) -> da.Array:
    """Return the upper triangle: zeros below diagonal ``k``, as `dmlc.triu` does.

    Parameters
    ----------
    m : dask.array.Array
        ``(..., height, width)`` in chunks of known sizes; one dimension is broadcast to a square.
    k : int
        The first diagonal that is kept.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        If ``m`` has no dimension, ``k`` is not an integer, or sizes of chunks are unknown.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.triu(da.ones((2, 2), chunks=1, dtype=int)).compute()
    array([[1, 1],
           [0, 1]])
    """
    return _triangle("triu", functions.triu, m, k)


def fill_band(array: Any, begin: SupportsIndex, end: SupportsIndex, value: Any) -> da.Array:
    """Copy matrices with the diagonals ``begin <= x - y < end`` set to a value.

    Parameters
    ----------
    array : dask.array.Array
        ``(..., height, width)`` in chunks of known sizes; a fixed-width dtype of 1, 2, 4, 8 or 16
        bytes.
    begin, end : int
        As in `dmlc.fill_band`: inverted if ``begin > end``, nothing if they are equal.
    value : scalar
        Converted to the array's dtype as assignment does.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.fill_band`, or if sizes of chunks are unknown.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.fill_band(da.zeros((2, 3), chunks=2, dtype=int), 1, 3, -1).compute()
    array([[ 0, -1, -1],
           [ 0,  0, -1]])
    """
    source = graph.known("fill_band", "array", array)
    functions.fill_band(np.empty((0,) * source.ndim, source.dtype), begin, end, value)
    first, last = index("fill_band", "begin", begin), index("fill_band", "end", end)

    def task(region: tuple[Range, ...]) -> Call:
        across = _across(region)
        return _filled, first - across, last - across, value

    return graph.by_chunk("fill_band", "array", source, task, first, last, value)


def _filled(begin: int, end: int, value: Any, array: AnyArray) -> AnyArray:
    return functions.fill_band(array, begin, end, value)


def _across(region: Sequence[Range]) -> int:
    """Return how far above the main diagonal a chunk begins: its own diagonals are so much lower."""
    return region[-1][0] - region[-2][0]


def _triangle(name: str, function: Any, m: Any, k: SupportsIndex) -> da.Array:
    source = graph.known(name, "m", m)
    function(np.empty((0,) * source.ndim, source.dtype), k)
    diagonal = index(name, "k", k)
    is_row = source.ndim == 1
    chunks = source.chunks * 2 if is_row else source.chunks

    def task(number: tuple[int, ...], region: tuple[Range, ...]) -> Call:
        key = (source.name, *(number[1:] if is_row else number))
        height = region[-2][1] - region[-2][0]
        across = _across(region)
        return _triangle_of, function, source.dtype, height, diagonal - across, TaskRef(key)

    return graph.array_of(name, chunks, source.dtype, task, [source], diagonal)


def _triangle_of(
    function: Any, dtype: np.dtype[Any], height: int, k: int, array: AnyArray
) -> AnyArray:
    if array.ndim == 1:
        array = np.broadcast_to(array, (height, array.size))
    return graph.run(function, dtype, array, k)


def _generated(
    function: str, shape: tuple[int, ...], chunks: Any, dtype: np.dtype[Any], call: Any, *token: Any
) -> da.Array:
    """Return matrices; ``call`` tells how to make a chunk, which begins so far above the diagonal."""
    split = graph.normalized(chunks, shape, dtype)

    def task(_number: tuple[int, ...], region: tuple[Range, ...]) -> Call:
        *batch, height, width = (end - begin for begin, end in region)
        make, *arguments = call(*batch, height, width, across=_across(region))
        return graph.run, make, dtype, *arguments

    return graph.array_of(function, split, dtype, task, [], *token)


def _band(
    function: str,
    shape: tuple[int, ...],
    begin: int,
    end: int,
    value: Any,
    dtype: npt.DTypeLike,
    chunks: Any,
) -> da.Array:
    if min(shape) < 0:
        raise ValueError(f"{function}: negative dimensions are not allowed, got {shape}")
    model = functions.diagonal_matrix((0,) * len(shape), begin, end, value, dtype=dtype)

    def call(*sizes: int, across: int) -> Call:
        return _band_of, sizes, begin - across, end - across, value, model.dtype

    return _generated(function, shape, chunks, model.dtype, call, begin, end, value)


def _band_of(
    shape: tuple[int, ...], begin: int, end: int, value: Any, dtype: np.dtype[Any]
) -> AnyArray:
    return functions.diagonal_matrix(shape, begin, end, value, dtype=dtype)
