"""Many arrays as one batch: item by item, each a window of its array."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dmlc.reference.elements import Array, from_bytes, to_bytes
from dmlc.reference.padding import window

ALIGNMENTS = ("start", "end", "center")


def window_start(size: int, wanted: int, align: str) -> int:
    """Where a window of so many elements stands on an axis; half an element is at the end."""
    if align == "start":
        return 0
    if align == "end":
        return size - wanted
    return (size - wanted) // 2 if size > wanted else -((wanted - size) // 2)


def stack(arrays: Sequence[Array], axis: int = 0) -> Array:
    """`arrays` of one type and shape along a new axis."""
    place = axis % (arrays[0].ndim + 1)
    elements = np.stack([to_bytes(array) for array in arrays], place)
    return from_bytes(elements, arrays[0].dtype)


def collate(
    arrays: Sequence[Array],
    shape: Sequence[int] | None = None,
    mode: str = "constant",
    fill: Array | None = None,
    align: str = "start",
) -> tuple[Array, Array]:
    """The batch of arrays of one type and rank, and the mask that is True on their elements."""
    if shape is None:
        shape = [max(sizes) for sizes in zip(*(array.shape for array in arrays), strict=True)]
    items, masks = [], []
    for array in arrays:
        start = [window_start(n, wanted, align) for n, wanted in zip(array.shape, shape)]
        items.append(window(array, start, shape, mode, fill))
        masks.append(window(np.ones(array.shape, np.bool_), start, shape))
    return stack(items), np.stack(masks)
