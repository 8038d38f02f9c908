"""Padding by one index table per axis: table[o] is the input coordinate, or -1 outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dmlc.reference.elements import Array, from_bytes, gather, scatter, to_bytes

#  mode        ... -4 -3 -2 -1 [ 0  1  2 ]  3  4  5  6 ...        input of size 3
#  constant         .  .  .  .   0  1  2    .  .  .  .
#  edge             0  0  0  0   0  1  2    2  2  2  2
#  reflect          0  1  2  1   0  1  2    1  0  1  2
#  symmetric        2  2  1  0   0  1  2    2  1  0  0
#  wrap             2  0  1  2   0  1  2    0  1  2  0


def constant(c: Array, n: int) -> Array:
    """The coordinate itself inside, -1 outside."""
    return np.where((0 <= c) & (c < n), c, -1)


def edge(c: Array, n: int) -> Array:
    """The nearest element of the axis."""
    return np.clip(c, 0, n - 1)


def reflect(c: Array, n: int) -> Array:
    """Back and forth, the last element once."""
    period = max(2 * (n - 1), 1)  # a single element repeats: its period would be 0
    p = c % period
    return np.where(p < n, p, period - p)


def symmetric(c: Array, n: int) -> Array:
    """Back and forth, the last element twice."""
    p = c % (2 * n)
    return np.where(p < n, p, 2 * n - 1 - p)


def wrap(c: Array, n: int) -> Array:
    """From the other end again."""
    return c % n


TABLES: dict[str, Callable[[Array, int], Array]] = {
    "constant": constant,
    "edge": edge,
    "reflect": reflect,
    "symmetric": symmetric,
    "wrap": wrap,
}
MODES: tuple[Any, ...] = tuple(TABLES)


def index_table(mode: str, c: Array, size: int) -> Array:
    """The input coordinate that each coordinate `c` of an axis of so many elements reads."""
    if size == 0:
        if mode != "constant" and c.size > 0:
            raise ValueError(f"cannot extend an empty axis in mode {mode!r}")
        return np.full(c.size, -1)
    return TABLES[mode](c, size).astype(np.int64)


def _write_inside(output: Array, tables: Sequence[Array], array: Array) -> None:
    """output[o] = array[tables[o]] as element bytes, but where a table has -1."""
    inside = [np.flatnonzero(table >= 0) for table in tables]
    sources = [table[table >= 0] for table in tables]
    scatter(output, inside, to_bytes(array), sources)


def window(
    array: Array,
    start: Sequence[int],
    shape: Sequence[int],
    mode: str = "constant",
    fill: Array | None = None,
) -> Array:
    """Element o is element o + start of `array`, which goes on without end by the mode."""
    # Python's integers: a start may be any number.
    tables = [
        index_table(mode, np.array([first + o for o in range(count)], dtype=object), size)
        for size, first, count in zip(array.shape, start, shape, strict=True)
    ]
    element = np.zeros((), array.dtype) if fill is None else fill
    output = np.empty((*shape, array.itemsize), np.uint8)
    output[...] = to_bytes(np.asarray(element))
    _write_inside(output, tables, array)
    return from_bytes(output, array.dtype)


def frames(
    array: Array, length: int, hop: int, axis: int = -1, center: bool = True, mode: str = "reflect"
) -> Array:
    """Frame f is the window from f * hop, or from half a frame before it; axes (..., f, i)."""
    signal = np.moveaxis(array, axis, -1)
    half = length // 2 if center else 0
    count = 1 + (signal.shape[-1] + 2 * half - length) // hop
    rest = signal.shape[:-1]
    cut = [
        to_bytes(window(signal, [0] * len(rest) + [f * hop - half], (*rest, length), mode))
        for f in range(count)
    ]
    return from_bytes(np.stack(cut, -3), array.dtype)


def crop(array: Array, widths: Sequence[tuple[int, int]]) -> Array:
    """What negative widths leave of `array`."""
    tables = []
    for size, (before, after) in zip(array.shape, widths, strict=True):
        first, end = max(-before, 0), size - max(-after, 0)
        if first > end:
            raise ValueError(f"cannot crop {-before} + {-after} elements from an axis of {size}")
        tables.append(np.arange(first, end))
    return gather(array, tables)


def pad(
    array: Array,
    widths: Sequence[tuple[int, int]],
    mode: str = "constant",
    fill: Array | None = None,
) -> Array:
    """Pad `array` by `widths[axis] = (before, after)`; negative widths crop before the padding.

    `fill` has the array's type and broadcasts to shape (ndim, 2): a value for each side of each
    axis. Where several axes are outside, the last one decides, as in NumPy.
    """
    if fill is None:
        fill = np.zeros((), array.dtype)
    array = crop(array, widths)
    widths = [(max(before, 0), max(after, 0)) for before, after in widths]
    fill_elements = to_bytes(np.broadcast_to(fill, (array.ndim, 2)))
    tables = [
        index_table(mode, np.arange(size + before + after, dtype=np.int64) - before, size)
        for size, (before, after) in zip(array.shape, widths, strict=True)
    ]
    shape = tuple(table.size for table in tables)
    output = np.zeros((*shape, array.itemsize), np.uint8)
    for axis, (before, _after) in enumerate(widths):
        along_axis = np.moveaxis(output, axis, 0)
        c = np.arange(shape[axis]) - before
        along_axis[(c < 0)] = fill_elements[axis, 0]
        along_axis[(c >= array.shape[axis])] = fill_elements[axis, 1]
    _write_inside(output, tables, array)
    return from_bytes(output, array.dtype)


def pad_sequence(
    arrays: Sequence[Array], side: str = "right", value: Array | None = None, multiple_of: int = 1
) -> tuple[Array, Array]:
    """The padded batch and the mask that is True on real elements."""
    longest = max(len(array) for array in arrays)
    length = -(-longest // multiple_of) * multiple_of
    rows = []
    mask = np.zeros((len(arrays), length), np.bool_)
    for row, array in enumerate(arrays):
        missing = length - len(array)
        before, after = (missing, 0) if side == "left" else (0, missing)
        rows.append(pad(array, [(before, after)] + [(0, 0)] * (array.ndim - 1), fill=value))
        mask[row, before : before + len(array)] = True
    elements = np.stack([to_bytes(row) for row in rows])
    return from_bytes(elements, arrays[0].dtype), mask
