"""What a source and an ``out`` may be, and how they are read and written."""

from __future__ import annotations

import builtins
import math
import mmap
import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from dmlc._dmlc import empty, output_for
from dmlc.arrays import AnyArray, check_dtype, check_kind
from dmlc.out_of_core.boxes import box_shape, boxes, number_of_bytes
from dmlc.out_of_core.sharing import check_arrays_apart, is_same_store, shared_map
from dmlc.regions import Piece, Result, parts_of, write

__all__ = ["Out", "Progress", "Source", "Store", "into", "opened"]


class Source(Protocol):
    """Anything with a shape, a dtype, and slices that NumPy takes for arrays."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""

    @property
    def dtype(self) -> Any:
        """Its elements' type."""

    def __getitem__(self, key: Any, /) -> Any:
        """Return the elements in slices of steps of 1 or more."""


class Store(Protocol):
    """Anything with a shape, a dtype, and slices that arrays are assigned to."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""

    @property
    def dtype(self) -> Any:
        """Its elements' type."""

    def __setitem__(self, key: Any, value: Any, /) -> None:
        """Write the elements in slices."""


Out = TypeVar("Out", bound=Store)

# Called with the number of elements that are done and that there are.
Progress = Callable[[int, int], object]


def opened(function: str, source: Source) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return a source's shape and dtype, or say what it lacks."""
    if hasattr(source, "__dask_graph__"):
        raise TypeError(
            f"{function}: source must not be lazy, got Dask's; call dmlc.dask.{function}"
        )
    for attribute in ("shape", "dtype", "__getitem__"):
        if not hasattr(source, attribute):
            raise TypeError(
                f"{function}: source must have shape, dtype and slices, got {type(source).__name__} "
                f"without {attribute}"
            )
    if isinstance(source, np.ndarray):
        check_kind(function, "source", source)
    try:
        dtype = np.dtype(source.dtype)
    except TypeError:
        raise TypeError(
            f"{function}: source must have a dtype of NumPy's, got {source.dtype}"
        ) from None
    check_dtype(function, "source", dtype)
    return tuple(map(int, source.shape)), dtype


def into(
    function: str,
    result: Result,
    source: Source,
    out: Out,
    memory: int | str,
    progress: bool | Progress,
) -> Out:
    """Make a result box by box and return ``out``."""
    shape, dtype = opened(function, source)
    most = number_of_bytes(function, memory)
    target = _target(function, source, out, result.shape, dtype)
    granule, order = _granule(target)
    box = box_shape(function, result.shape, dtype.itemsize, granule, order, most)
    report = _report(function, progress)
    total, done = math.prod(result.shape), 0
    bounds = [[(0, size) for size in shape]]
    maps = [mapped for mapped in map(shared_map, (source, target)) if mapped is not None]

    def read(_source: int, along: Sequence[Piece]) -> AnyArray:
        return _read(function, source, along, dtype)

    if report is not None:
        report(0, total)
    for region in boxes(result.shape, box) if total else ():
        place: list[Any] = [builtins.slice(begin, end) for begin, end in region]
        parts = parts_of(result, region, bounds)
        if isinstance(target, np.ndarray):
            write(target[(*place, ...)], parts, read)
        else:
            sizes = tuple(end - begin for begin, end in region)
            target[tuple(place)] = write(empty(sizes, dtype), parts, read)
        for mapped in maps:
            # The pages go to the file and leave the process; what is next read of them comes back.
            mapped.madvise(mmap.MADV_DONTNEED)
        done += math.prod(end - begin for begin, end in region)
        if report is not None:
            report(done, total)
    return out


def _target(
    function: str, source: Source, out: Any, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Any:
    """Return what is written, if it can hold the result and is not the source itself."""
    if isinstance(out, np.ndarray):
        if isinstance(source, np.ndarray):
            check_arrays_apart(function, source, out)
        return output_for(function, out, shape, dtype)
    for attribute in ("shape", "dtype", "__setitem__"):
        if not hasattr(out, attribute) or hasattr(out, "__dask_graph__"):
            raise TypeError(
                f"{function}: out must have shape, dtype and slices that are assigned to, such as a memory "
                f"map or an array of Zarr, got {type(out).__name__}"
            )
    if is_same_store(source, out):
        raise ValueError(f"{function}: out must not be source")
    if np.dtype(out.dtype) != dtype:
        raise TypeError(f"{function}: out must have dtype {dtype}, got {out.dtype}")
    if tuple(out.shape) != shape:
        raise ValueError(f"{function}: out must have shape {shape}, got {tuple(out.shape)}")
    return out


def _granule(out: Any) -> tuple[tuple[int, ...], list[int]]:
    """Return what is best written at once, and the axes from the one whose elements are nearest."""
    ndim = len(out.shape)
    if isinstance(out, np.ndarray):
        return (1,) * ndim, sorted(range(ndim), key=lambda axis: (abs(out.strides[axis]), -axis))
    chunks: Any = getattr(out, "shards", None) or getattr(out, "chunks", None)
    is_grid = isinstance(chunks, tuple) and len(chunks) == ndim
    if is_grid and all(isinstance(part, int) and part > 0 for part in chunks):
        return chunks, list(reversed(range(ndim)))
    return (1,) * ndim, list(reversed(range(ndim)))


def _read(function: str, source: Source, along: Sequence[Piece], dtype: np.dtype[Any]) -> AnyArray:
    """Return elements of the source; stores have slices of positive steps alone."""
    forward: list[Any] = []
    back: list[Any] = []
    for piece in along:
        last = piece.first + piece.step * (piece.length - 1)
        low, high = min(piece.first, last), max(piece.first, last)
        forward.append(builtins.slice(low, high + 1, abs(piece.step)))
        back.append(builtins.slice(None, None, -1 if piece.step < 0 else 1))
    found = np.asarray(source[tuple(forward)])
    expected = tuple(piece.length for piece in along)
    if found.shape != expected or found.dtype.newbyteorder("=") != dtype.newbyteorder("="):
        raise ValueError(
            f"{function}: source must return what it says, {expected} of {dtype} in {tuple(forward)}, "
            f"got {found.shape} of {found.dtype}"
        )
    same: AnyArray = found.astype(dtype, copy=False)[(*back, ...)]
    return same


def _report(function: str, progress: bool | Progress) -> Progress | None:
    if callable(progress):
        return progress
    if not isinstance(progress, bool):
        raise TypeError(
            f"{function}: progress must be True, False or a function of two numbers, "
            f"got {type(progress).__name__}"
        )
    return _bar(function) if progress else None


def _bar(function: str) -> Progress:
    """Return a function that draws how far it is on the standard error stream."""
    width = 40

    def draw(done: int, total: int) -> None:
        part = done / total if total else 1.0
        filled = int(part * width)
        end = "\n" if part == 1 else ""
        bar = "#" * filled + " " * (width - filled)
        print(f"\r{function} [{bar}] {part:4.0%}", end=end, file=sys.stderr, flush=True)

    return draw
