"""DirectML's flat buffers: the element at `coordinate` lies at sum(coordinate * stride)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dmlc.reference.elements import Array, from_bytes, to_bytes


def packed_strides(sizes: Sequence[int]) -> tuple[int, ...]:
    """The strides of a tensor without gaps, its last dimension together."""
    strides = []
    step = 1
    for size in reversed(sizes):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def minimum_size(sizes: Sequence[int], strides: Sequence[int] | None, itemsize: int) -> int:
    """DirectML's minimum implied size: up to the last element, rounded up to 4 bytes."""
    if strides is None:
        strides = packed_strides(sizes)
    last = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
    return -(-(last + 1) * itemsize // 4) * 4


def element_offsets(sizes: Sequence[int], strides: Sequence[int] | None) -> Array:
    """The element offset of every coordinate, of shape `sizes`."""
    if strides is None:
        strides = packed_strides(sizes)
    offsets = np.zeros(sizes, np.int64)
    for axis, stride in enumerate(strides):
        along = np.arange(sizes[axis], dtype=np.int64) * stride
        offsets += along.reshape(-1, *[1] * (len(sizes) - axis - 1))
    return offsets


def byte_offsets(sizes: Sequence[int], strides: Sequence[int] | None, itemsize: int) -> Array:
    """Shape (*sizes, itemsize): where every byte of every element lies."""
    starts = element_offsets(sizes, strides)[..., np.newaxis] * itemsize
    return starts + np.arange(itemsize)


def read(
    buffer: Array, dtype: np.dtype[Any], sizes: Sequence[int], strides: Sequence[int] | None
) -> Array:
    """The tensor that `buffer` (1-D uint8) describes, packed."""
    return from_bytes(buffer[byte_offsets(sizes, strides, dtype.itemsize)], dtype)


def write(buffer: Array, array: Array, strides: Sequence[int] | None) -> None:
    """Write the tensor into `buffer` (1-D uint8) and leave every gap as it is."""
    buffer[byte_offsets(array.shape, strides, array.itemsize)] = to_bytes(array)
