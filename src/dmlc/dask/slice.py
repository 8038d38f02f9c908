"""Dask's slices, flips and packed copies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

from dmlc import functions
from dmlc.dask import graph
from dmlc.regions import flipped, sliced

if TYPE_CHECKING:
    import dask.array as da  # type: ignore[import-not-found, unused-ignore]

__all__ = ["copy", "flip", "slice"]


def slice(
    array: Any,
    offsets: Sequence[SupportsIndex],
    sizes: Sequence[SupportsIndex],
    strides: Sequence[SupportsIndex],
    *,
    output_sizes: Sequence[SupportsIndex] | None = None,
) -> da.Array:
    """Return a strided window; a negative stride starts at the window's end, as in `dmlc.slice`.

    Parameters
    ----------
    array : dask.array.Array
        Any shape, any chunks of known sizes; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    offsets, sizes : sequence of int
        The window's first element and its extent, one an axis; it lies inside the array.
    strides : sequence of int
        Elements to advance inside the window, one an axis; any sign, not 0.
    output_sizes : sequence of int, optional
        Elements to take along each axis; all that the window has by default.

    Returns
    -------
    dask.array.Array
        A chunk for each that has elements in the window.

    Raises
    ------
    TypeError, ValueError
        As `dmlc.slice`, or if sizes of chunks are unknown.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.slice(da.arange(6, chunks=2), [1], [4], [-2]).compute()
    array([4, 2])
    """
    source = graph.known("slice", "array", array)
    result = sliced(source.shape, offsets, sizes, strides, output_sizes)
    split = graph.chunks_of(result, source, None, source.dtype)
    return graph.assembled("slice", result, [source], source.dtype, split)


def flip(array: Any, axis: SupportsIndex | Iterable[SupportsIndex] | None = None) -> da.Array:
    """Reverse the order of elements along axes, as `dmlc.flip` does; the chunks turn as well.

    Parameters
    ----------
    array : dask.array.Array
        Any shape, any chunks of known sizes; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    axis : int or iterable of int, optional
        The axes to reverse; None for all.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        If a dtype cannot be handled or sizes of chunks are unknown.
    numpy.exceptions.AxisError
        If an axis is outside the array.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.flip(da.arange(5, chunks=2)).compute()
    array([4, 3, 2, 1, 0])
    """
    source = graph.known("flip", "array", array)
    result = flipped(source.shape, axis)
    split = graph.chunks_of(result, source, None, source.dtype)
    return graph.assembled("flip", result, [source], source.dtype, split)


def copy(array: Any) -> da.Array:
    """Copy every chunk into packed memory, as `dmlc.copy` does.

    Parameters
    ----------
    array : dask.array.Array
        Any shape, any chunks of known sizes; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        If the dtype cannot be handled or sizes of chunks are unknown.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.copy(da.arange(6, chunks=6).reshape(2, 3).T).compute().flags.c_contiguous
    True
    """
    return graph.by_chunk("copy", "array", array, lambda _region: (functions.copy,))
