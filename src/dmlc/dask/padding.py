"""Dask's padding: any window of an array that goes on without end, region by region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

from dmlc.dask import graph
from dmlc.functions.padding import Mode
from dmlc.regions import padded, rolled, windowed

if TYPE_CHECKING:
    import dask.array as da  # type: ignore[import-not-found, unused-ignore]
    import numpy.typing as npt

__all__ = ["pad", "roll", "window"]


def pad(
    array: Any,
    pad_width: npt.ArrayLike | Mapping[int, int | tuple[int, int]],
    mode: Mode = "constant",
    *,
    constant_values: npt.ArrayLike = 0,
    chunks: Any = None,
) -> da.Array:
    """Grow an array at its edges, as `dmlc.pad` and ``numpy.pad`` do.

    Parameters
    ----------
    array : dask.array.Array
        Any shape, any chunks of known sizes; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    pad_width : int, array_like of int, or dict
        As in `dmlc.pad`: may exceed the array in every mode; a negative width crops.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
    constant_values : scalar or array_like
        What ``"constant"`` adds, in the same forms as ``pad_width``.
    chunks : int, tuple, str or dict, optional
        The result's chunks in any of Dask's forms; a dictionary names those of some axes. By
        default the array's own with the borders in chunks no larger than the largest of them.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.pad`, or if sizes of chunks are unknown.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> padded = dmlc.dask.pad(da.arange(4, chunks=2), (2, 7), "reflect")
    >>> padded.chunks
    ((1, 1, 2, 2, 1, 1, 2, 2, 1),)
    >>> padded.compute()
    array([2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2])
    """
    source = graph.known("pad", "array", array)
    result = padded(source.shape, source.dtype, pad_width, mode, constant_values)
    split = graph.chunks_of(result, source, chunks, source.dtype)
    return graph.assembled("pad", result, [source], source.dtype, split)


def window(
    array: Any,
    start: SupportsIndex | Sequence[SupportsIndex],
    shape: SupportsIndex | Sequence[SupportsIndex],
    mode: Mode = "constant",
    *,
    constant_values: Any = 0,
    chunks: Any = None,
) -> da.Array:
    """Return any window of an array that goes on without end, as `dmlc.window` does.

    Parameters
    ----------
    array : dask.array.Array
        Any shape, any chunks of known sizes; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    start : int or sequence of int
        The window's first element along each axis: any sign, any distance.
    shape : int or sequence of int
        The window's size along each axis.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
        How the array goes on; see `dmlc.pad`.
    constant_values : scalar
        What is outside in mode ``"constant"``.
    chunks : int, tuple, str or dict, optional
        The result's chunks, as in `pad`.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.window`, or if sizes of chunks are unknown.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.window(da.arange(5, chunks=2), 3, 6, "wrap").compute()
    array([3, 4, 0, 1, 2, 3])
    """
    source = graph.known("window", "array", array)
    result = windowed(source.shape, source.dtype, start, shape, mode, constant_values)
    split = graph.chunks_of(result, source, chunks, source.dtype)
    return graph.assembled("window", result, [source], source.dtype, split)


def roll(
    array: Any,
    shift: npt.ArrayLike,
    axis: SupportsIndex | Sequence[SupportsIndex] | None = None,
) -> da.Array:
    """Move elements along axes, those that leave at one end back in at the other, as `dmlc.roll`.

    Parameters
    ----------
    array : dask.array.Array
        Any shape, any chunks of known sizes; the result has the same.
    shift : int or sequence of int
        How far, of any sign; broadcast against ``axis``.
    axis : int or sequence of int, optional
        Along which axes. None rolls all elements as if they stood in one row.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.roll`, or if sizes of chunks are unknown.
    numpy.exceptions.AxisError
        If an axis is outside the array.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.roll(da.arange(5, chunks=2), 2).compute()
    array([3, 4, 0, 1, 2])
    """
    source = graph.known("roll", "array", array)
    result = rolled(source.shape, shift, axis)
    return graph.assembled("roll", result, [source], source.dtype, source.chunks)
