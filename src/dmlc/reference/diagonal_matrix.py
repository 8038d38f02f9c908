"""Diagonal bands by the specification's exclusive-or formula."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dmlc.reference.elements import Array, from_bytes, to_bytes


def band(height: int, width: int, begin: int, end: int) -> Array:
    """True where the value is used: [begin, end), or all but [end, begin) when inverted."""
    top = np.arange(width) - np.arange(height)[:, np.newaxis]
    return (end >= begin) ^ (top >= begin) ^ (top < end)


def fill_band(array: Array, begin: int, end: int, value: Array) -> Array:
    """A copy of `array` (.., height, width) with `value` (0-d, same type) in the band."""
    height, width = array.shape[-2:]
    use = band(height, width, begin, end)[..., np.newaxis]
    return from_bytes(np.where(use, to_bytes(value), to_bytes(array)), array.dtype)


def diagonal_matrix(shape: Sequence[int], begin: int, end: int, value: Array) -> Array:
    """`value` (0-d) in the band, zeros elsewhere."""
    return fill_band(np.zeros(shape, value.dtype), begin, end, value)


def causal_mask(n: int, m: int, window: int | None, value: Array) -> Array:
    """out[i, j] = 0 where query i may see key j, else value; the last query sees the last key."""
    last = np.arange(n)[:, np.newaxis] + (m - n)
    j = np.arange(m)
    seen = j <= last
    if window is not None:
        seen = seen & (j > last - window)
    zero = np.zeros((), value.dtype)
    return from_bytes(np.where(seen[..., np.newaxis], to_bytes(zero), to_bytes(value)), value.dtype)
