"""Arrays of Dask whose every chunk is one task, a region of the result.

A task holds what `dmlc.regions` planned for its chunk, and refers to the chunks of the inputs that it reads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import dask.array as da  # type: ignore[import-not-found, unused-ignore]
import numpy as np
from dask._task_spec import List, Task, TaskRef  # type: ignore[import-not-found, unused-ignore]
from dask.highlevelgraph import HighLevelGraph  # type: ignore[import-not-found, unused-ignore]
from dask.tokenize import tokenize  # type: ignore[import-not-found, unused-ignore]
from numpy.lib.array_utils import normalize_axis_index

from dmlc._dmlc import empty
from dmlc.arrays import AnyArray, as_array, check_dtype, check_kind
from dmlc.enums import PaddingMode
from dmlc.regions import Axis, Part, Piece, Result, bounds_of, parts_of, slices_of, write
from dmlc.runtime import num_threads

__all__ = [
    "Call",
    "Chunks",
    "Range",
    "array_of",
    "assembled",
    "by_chunk",
    "chunks_of",
    "known",
    "normalized",
    "regions_of",
    "requested",
    "run",
]

# Most of Dask's functions have no types.
_dask: Any = da
_HighLevelGraph: Any = HighLevelGraph

Chunks = tuple[tuple[int, ...], ...]
Range = tuple[int, int]
# A function and its arguments.
Call = tuple[Any, ...]


def known(function: str, argument: str, value: Any) -> da.Array:
    """Return an array of Dask that the kernels can take, its chunks of known sizes."""
    if da.array_expr_enabled():
        raise NotImplementedError(
            f"{function}: Dask's array.query-planning must be off, as arrays are made of graphs, got it on"
        )
    if not isinstance(value, da.Array):
        check_kind(function, argument, value)
    source: da.Array = _dask.asarray(value)
    if any(math.isnan(size) for size in source.shape):
        raise ValueError(
            f"{function}: {argument} must have chunks of known sizes, got shape {source.shape}; "
            f"call its compute_chunk_sizes() first"
        )
    if not isinstance(source._meta, np.ndarray):
        raise TypeError(
            f"{function}: {argument} must have NumPy arrays for chunks, got {type(source._meta).__name__}"
        )
    check_kind(function, argument, source._meta)
    check_dtype(function, argument, source.dtype)
    return source


def regions_of(chunks: Chunks) -> Iterator[tuple[tuple[int, ...], tuple[Range, ...]]]:
    """Yield each chunk's number and its range along each axis."""
    along = []
    for lengths in chunks:
        bounds = bounds_of(lengths)
        along.append(list(enumerate(pairwise(bounds))))
    for entries in product(*along):
        yield tuple(number for number, _ in entries), tuple(span for _, span in entries)


def array_of(
    function: str,
    chunks: Chunks,
    dtype: np.dtype[Any],
    task: Callable[[tuple[int, ...], tuple[Range, ...]], Call],
    sources: Sequence[da.Array],
    *token: Any,
) -> da.Array:
    """Return an array of such chunks: ``task`` tells of each the function and its arguments."""
    name = f"dmlc-{function}-{tokenize(function, chunks, dtype, [s.name for s in sources], *token)}"
    graph = {
        (name, *number): Task((name, *number), *task(number, region))
        for number, region in regions_of(chunks)
    }
    layers = _HighLevelGraph.from_collections(name, graph, dependencies=sources)
    array: da.Array = _dask.Array(layers, name, chunks, meta=np.empty((0,) * len(chunks), dtype))
    return array


def by_chunk(
    function: str,
    argument: str,
    array: Any,
    call: Callable[[tuple[Range, ...]], Call],
    *token: Any,
) -> da.Array:
    """Return an array of the same chunks; ``call`` tells the function and what it takes before the chunk."""
    source = known(function, argument, array)

    def task(number: tuple[int, ...], region: tuple[Range, ...]) -> Call:
        make, *arguments = call(region)
        return run, make, source.dtype, *arguments, TaskRef((source.name, *number))

    return array_of(function, source.chunks, source.dtype, task, [source], *token)


def run(
    function: Callable[..., AnyArray], dtype: np.dtype[Any], /, *arguments: Any, **keywords: Any
) -> AnyArray:
    """Call a function in a task: Dask has threads of its own, one chunk for each."""
    with num_threads(1):
        chunk: AnyArray = function(*arguments, **keywords)
    if not _is_same(chunk.dtype, dtype):
        raise ValueError(
            f"{function.__name__}: a chunk must be what Dask takes it for, {dtype}, got {chunk.dtype}"
        )
    same: AnyArray = chunk.astype(dtype, copy=False)
    return same


def _is_same(dtype: np.dtype[Any], expected: np.dtype[Any]) -> bool:
    """Whether elements are of a type, of any byte order: NumPy's functions on chunks may change that."""
    return dtype.newbyteorder("=") == expected.newbyteorder("=")


def assembled(
    function: str,
    result: Result,
    sources: Sequence[da.Array],
    dtype: np.dtype[Any],
    chunks: Chunks,
) -> da.Array:
    """Return a result whose chunks read what they need of the sources' chunks, and nothing else."""
    bounds = [[bounds_of(lengths) for lengths in source.chunks] for source in sources]
    kept: dict[tuple[int, int, int, int], Any] = {}

    def task(_number: tuple[int, ...], region: tuple[Range, ...]) -> Call:
        parts = tuple(parts_of(result, region, bounds, kept))
        # In order, each once: where an axis wraps, its first chunk may come twice.
        numbers = {
            (part.source, *(piece.chunk for piece in along)): None
            for part in parts
            for along in product(*(axis.pieces for axis in part.axes))
        }
        table = tuple((number, *_expected(sources[number[0]], number[1:])) for number in numbers)
        references = [TaskRef((sources[number[0]].name, *number[1:])) for number in numbers]
        shape = tuple(end - begin for begin, end in region)
        return _make, function, shape, dtype, parts, table, List(*references)

    return array_of(function, chunks, dtype, task, sources, result)


_Table = Sequence[tuple[tuple[int, ...], tuple[int, ...], np.dtype[Any]]]


def _expected(source: da.Array, number: tuple[int, ...]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    shape = tuple(lengths[at] for lengths, at in zip(source.chunks, number))
    return shape, source.dtype


def _make(
    function: str,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    parts: Sequence[Part],
    table: _Table,
    arrays: Sequence[Any],
) -> AnyArray:
    """Make a chunk: the task itself. ``table`` has the number, the shape and the dtype of each array."""
    chunks: dict[tuple[int, ...], AnyArray] = {}
    for (number, extents, kind), value in zip(table, arrays):
        chunk = as_array(function, "array", value)
        if chunk.shape != extents or not _is_same(chunk.dtype, kind):
            raise ValueError(
                f"{function}: chunk {number[1:]} must be what Dask takes it for, {extents} of {kind}, "
                f"got {chunk.shape} of {chunk.dtype}"
            )
        chunks[number] = chunk.astype(dtype, copy=False)
    if len(parts) == 1 and len(table) == 1 and _is_whole(parts[0], shape, table[0][1]):
        # Nothing to do: as where Dask takes a slice, the chunk is handed on.
        (only,) = chunks.values()
        return only

    def read(source: int, along: Sequence[Piece]) -> AnyArray:
        part: AnyArray = chunks[(source, *(piece.chunk for piece in along))][slices_of(along)]
        return part

    with num_threads(1):
        return write(empty(shape, dtype), parts, read)


def _is_whole(part: Part, shape: tuple[int, ...], extents: tuple[int, ...]) -> bool:
    """Whether a part is a whole chunk of the input and the whole chunk of the result."""
    steps = all(len(axis.pieces) == 1 and axis.pieces[0].step == 1 for axis in part.axes)
    return part.place is None and part.is_plain and steps and part.shape == shape == extents


def chunks_of(result: Result, source: da.Array, chunks: Any, dtype: np.dtype[Any]) -> Chunks:
    """Return a result's chunks: those asked for, or the source's, what is outside of it in no larger ones."""
    view = result.views[0]
    own = tuple(_chunks_along(*axis, view.mode) for axis in zip(view.axes, source.chunks))
    return requested(own, result.shape, chunks, dtype)


def requested(own: Chunks, shape: tuple[int, ...], chunks: Any, dtype: np.dtype[Any]) -> Chunks:
    """Return the chunks that are asked for, in a dictionary those of some axes, or else a result's own."""
    if chunks is None:
        return own
    if isinstance(chunks, Mapping):
        along: dict[int, Any] = dict(enumerate(own))
        along.update({normalize_axis_index(axis, len(own)): part for axis, part in chunks.items()})
        chunks = tuple(along[axis] for axis in range(len(own)))
    return normalized(chunks, shape, dtype)


def normalized(chunks: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Chunks:
    """Return chunks in any of Dask's forms as the length of each along each axis."""
    if 0 in shape:  # where Dask cannot tell how large a chunk is
        given = (
            chunks
            if isinstance(chunks, tuple) and len(chunks) == len(shape)
            else (chunks,) * len(shape)
        )
        chunks = tuple(-1 if entry == "auto" else entry for entry in given)
    result: Chunks = _dask.core.normalize_chunks(chunks, shape=shape, dtype=dtype)
    return result


def _chunks_along(axis: Axis, lengths: tuple[int, ...], mode: PaddingMode) -> tuple[int, ...]:
    """Return chunks that read one of the source's each, and are no larger than the largest of them."""
    begin = min(max(-axis.start, 0), axis.length) if axis.step == 1 else 0
    end = max(min(axis.size - axis.start, axis.length), begin) if axis.step == 1 else axis.length
    most = max(lengths, default=0) or max(axis.length, 1)
    ends = bounds_of(lengths)
    before, inner, after = (
        axis.lengths(*part, ends, mode) for part in ((0, begin), (begin, end), (end, axis.length))
    )
    before = [part for length in before for part in reversed(_at_most(length, most))]
    after = [part for length in after for part in _at_most(length, most)]
    # A border that is small stands with its neighbour, if that is not full.
    if inner and sum(before) + inner[0] <= most:
        inner[0] += sum(before)
        before = []
    if inner and sum(after) + inner[-1] <= most:
        inner[-1] += sum(after)
        after = []
    return (*before, *inner, *after) or (0,)


def _at_most(length: int, most: int) -> list[int]:
    """Return so many elements in chunks of at most so many, the last one the smallest."""
    return [*([most] * (length // most)), *([length % most] if length % most else [])]
