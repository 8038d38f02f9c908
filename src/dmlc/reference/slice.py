"""Windows with signed strides by one index table per axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dmlc.reference.elements import Array, gather


def reachable(window_size: int, stride: int) -> int:
    """How many elements a window offers at a stride."""
    return 1 + (window_size - 1) // abs(stride)


def slice_window(
    array: Array,
    offsets: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    output_sizes: Sequence[int] | None = None,
) -> Array:
    """output[o] = array[start + stride * o]; a negative stride starts at the window's end."""
    if output_sizes is None:
        output_sizes = [reachable(n, s) for n, s in zip(sizes, strides, strict=True)]
    tables = []
    for axis, (offset, size, stride, count) in enumerate(
        zip(offsets, sizes, strides, output_sizes, strict=True)
    ):
        start = offset if stride > 0 else offset + size - 1
        table = start + stride * np.arange(count, dtype=np.int64)
        if table.size and not (0 <= table.min() and table.max() < array.shape[axis]):
            raise ValueError(f"axis {axis} reads outside the input")
        tables.append(table)
    return gather(array, tables)
