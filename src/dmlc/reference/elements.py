"""Elements as opaque bytes, so that the twins move NaN payloads and foreign types unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def to_bytes(array: Array) -> Array:
    """Shape (*shape) of any type to shape (*shape, itemsize) of uint8."""
    packed = np.array(array, order="C", copy=True)
    return packed.reshape(*packed.shape, 1).view(np.uint8)


def from_bytes(elements: Array, dtype: np.dtype[Any]) -> Array:
    """The inverse of `to_bytes`."""
    packed = np.ascontiguousarray(elements)
    return packed.view(dtype).reshape(elements.shape[:-1])


def scatter(
    output: Array, output_tables: Sequence[Array], source: Array, source_tables: Sequence[Array]
) -> None:
    """output[o0[i], o1[j], ...] = source[s0[i], s1[j], ...] for element bytes on both sides."""
    output[np.ix_(*output_tables)] = source[np.ix_(*source_tables)]


def gather(array: Array, tables: Sequence[Array]) -> Array:
    """result[i, j, ...] = array[tables[0][i], tables[1][j], ...]."""
    return from_bytes(to_bytes(array)[np.ix_(*tables)], array.dtype)
