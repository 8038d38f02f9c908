"""Dask's one-hot: a chunk makes those classes alone that stand in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy as np
from dask._task_spec import TaskRef  # type: ignore[import-not-found, unused-ignore]
from numpy.lib.array_utils import normalize_axis_index

from dmlc import functions
from dmlc.arrays import AnyArray, index
from dmlc.dask import graph
from dmlc.dask.graph import Call, Range

if TYPE_CHECKING:
    import dask.array as da  # type: ignore[import-not-found, unused-ignore]
    import numpy.typing as npt

__all__ = ["one_hot"]


def one_hot(
    indices: Any,
    depth: SupportsIndex,
    *,
    axis: SupportsIndex = -1,
    on_value: Any = 1,
    off_value: Any = 0,
    dtype: npt.DTypeLike = np.float32,
    negative: Literal["wrap", "off", "error"] = "wrap",
    chunks: Any = "auto",
) -> da.Array:
    """Turn each index into a sequence of ``depth`` elements, as `dmlc.one_hot` does.

    Parameters
    ----------
    indices : dask.array.Array of integers
        Any shape, any chunks of known sizes.
    depth : int
        The length of a sequence; at least 0.
    axis : int
        Where the new axis stands in the result.
    on_value, off_value : scalar
        Converted to ``dtype`` as assignment does.
    dtype : dtype_like
        Of the result: a fixed width of 1, 2, 4, 8 or 16 bytes.
    negative : {"wrap", "off", "error"}
        What a negative index does; see `dmlc.one_hot`. An error is raised when it is computed.
    chunks : int, tuple of int or "auto"
        The chunks along the new axis, the others are those of ``indices``. ``"auto"`` keeps
        chunks within Dask's ``array.chunk-size``.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.one_hot`, or if sizes of chunks are unknown.
    numpy.exceptions.AxisError
        If ``axis`` is outside the result.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.one_hot(da.arange(3, chunks=2), 3, dtype=int).compute()
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 0, 1]])
    """
    source = graph.known("one_hot", "indices", indices)
    keywords: dict[str, Any] = {
        "on_value": on_value,
        "off_value": off_value,
        "dtype": np.dtype(dtype),
        "negative": negative,
    }
    depth = index("one_hot", "depth", depth)
    # Of no classes, for its errors, its rank and its dtype. Without axes there is one index, 0.
    none = np.zeros((0,) * source.ndim, source.dtype)
    model = functions.one_hot(none, min(depth, 0), axis=axis, **keywords)
    place = normalize_axis_index(index("one_hot", "axis", axis), model.ndim)
    shape = (*source.shape[:place], depth, *source.shape[place:])
    split: Any = (*source.chunks[:place], chunks, *source.chunks[place:])
    split = graph.normalized(split, shape, model.dtype)

    def task(number: tuple[int, ...], region: tuple[Range, ...]) -> Call:
        key = (source.name, *number[:place], *number[place + 1 :])
        return _one_hot, depth, region[place], place, keywords, TaskRef(key)

    token = (depth, place, on_value, off_value, negative)
    return graph.array_of("one_hot", split, model.dtype, task, [source], *token)


def _one_hot(
    depth: int, part: Range, place: int, keywords: dict[str, Any], indices: AnyArray
) -> AnyArray:
    """Make a chunk: the classes from the first up to the second of a part."""
    begin, end = part
    dtype = keywords["dtype"]
    if (begin, end) != (0, depth):
        if keywords["negative"] == "error":
            functions.one_hot(indices, 0, **keywords)  # says so if one is negative
        # An array even of a scalar. An index too large for int64 becomes negative, which is off.
        shifted = np.array(indices, np.int64)
        if keywords["negative"] == "wrap" and indices.dtype.kind == "i":
            shifted[shifted < 0] += depth
        shifted -= begin
        indices, depth, keywords = shifted, end - begin, {**keywords, "negative": "off"}
    return graph.run(functions.one_hot, dtype, indices, depth, axis=place, **keywords)
