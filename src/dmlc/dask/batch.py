"""Dask's stack: each chunk of a result reads its own arrays alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from dmlc.arrays import check_dtype, index, members
from dmlc.dask import graph
from dmlc.regions import stacked

if TYPE_CHECKING:
    import dask.array as da  # type: ignore[import-not-found, unused-ignore]

__all__ = ["stack"]


def stack(arrays: Sequence[Any], axis: SupportsIndex = 0, *, chunks: Any = None) -> da.Array:
    """Join arrays along a new axis, as `dmlc.stack` does.

    Parameters
    ----------
    arrays : sequence of dask.array.Array
        At least one, all of one shape, each in chunks of its own. Different dtypes are promoted
        as ``numpy.result_type`` does.
    axis : int
        Where the new axis stands in the result.
    chunks : int, tuple, str or dict, optional
        The result's chunks, as in `pad`. By default the first array's, and one array in each
        chunk along the new axis.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.stack`, or if sizes of chunks are unknown.
    numpy.exceptions.AxisError
        If the axis is outside the result.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> x = da.arange(4, chunks=2)
    >>> dmlc.dask.stack([x, 10 * x], axis=1, chunks={1: 2}).compute()
    array([[ 0,  0],
           [ 1, 10],
           [ 2, 20],
           [ 3, 30]])
    """
    if not isinstance(arrays, Sequence):
        raise TypeError(
            f"stack: arrays must be a sequence such as a list or a tuple, got {type(arrays).__name__}"
        )
    found = members("stack", "arrays", arrays)
    sources = [graph.known("stack", f"arrays[{i}]", array) for i, array in enumerate(found)]
    if not sources:
        raise ValueError("need at least one array to stack")
    shape = sources[0].shape
    if any(source.shape != shape for source in sources):
        raise ValueError("all input arrays must have the same shape")
    place = normalize_axis_index(index("stack", "axis", axis), len(shape) + 1)
    dtype = np.result_type(*{source.dtype for source in sources})
    check_dtype("stack", "arrays", dtype)
    result = stacked(shape, len(sources), place)
    own = list(sources[0].chunks)
    own.insert(place, (1,) * len(sources))
    split = graph.requested(tuple(own), result.shape, chunks, dtype)
    return graph.assembled("stack", result, sources, dtype, split)
