"""One-hot by comparing every coordinate along the axis with the index of its sequence."""

from __future__ import annotations

from typing import Any

import numpy as np

from dmlc.reference.elements import Array, from_bytes, to_bytes


def one_hot(
    indices: Array,
    depth: int,
    axis: int,
    on_value: Array,
    off_value: Array,
    negative: str = "wrap",
) -> Array:
    """The new axis of length `depth` stands at `axis` (0 to indices.ndim) of the result.

    Python integers compare exactly with every integer type, so no index is ever converted:
    output[.., k, ..] is on where index == k, or index == k - depth when negatives wrap.
    """
    output_dtype: np.dtype[Any] = on_value.dtype
    on, off = to_bytes(on_value), to_bytes(off_value)
    output = np.empty((depth, *indices.shape, output_dtype.itemsize), np.uint8)
    for k in range(depth):
        hot = indices == k
        if negative == "wrap":
            hot = hot | (indices == k - depth)
        output[k] = np.where(hot[..., np.newaxis], on, off)
    return from_bytes(np.moveaxis(output, 0, axis), output_dtype)


def on_and_off_values(values: Array) -> tuple[Array, Array]:
    """OnValue and OffValue of a ValuesTensor (two elements or more, of any shape)."""
    origin = [0] * values.ndim
    fastest = max(axis for axis, size in enumerate(values.shape) if size > 1)
    first = list(origin)
    first[fastest] = 1
    return np.asarray(values[tuple(first)]), np.asarray(values[tuple(origin)])
