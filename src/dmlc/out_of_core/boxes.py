"""How a result is divided into boxes that fit into memory."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import product

from dmlc.arrays import index

__all__ = ["BUFFERS", "box_shape", "boxes", "number_of_bytes"]

# A box of the result, what it reads, laid out, and a piece of that as the source returns it.
BUFFERS = 3

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_MEMORY = re.compile(r"([0-9]{1,30}(?:\.[0-9]{1,30})?)\s*([kmgt]i?)?b?", re.IGNORECASE)


def number_of_bytes(function: str, memory: int | str) -> int:
    """Return ``"256 MiB"`` or a number of bytes as a number."""
    if not isinstance(memory, str):
        number = index(function, "memory", memory)
    else:
        match = _MEMORY.fullmatch(memory.strip())
        if match is None:
            raise ValueError(
                f"{function}: memory must be a number of bytes such as '256 MiB', got {memory!r}"
            )
        number = int(float(match[1]) * (_UNITS | _BINARY)[(match[2] or "").lower()])
    if number < 1:
        raise ValueError(f"{function}: memory must be at least 1 byte, got {memory!r}")
    return number


def box_shape(
    function: str,
    shape: Sequence[int],
    itemsize: int,
    granule: Sequence[int],
    order: Sequence[int],
    memory: int,
) -> tuple[int, ...]:
    """Return how large boxes are: as many granules as fit, whole along the axes that come first in the order."""
    box = [min(part, size) for part, size in zip(granule, shape)]
    budget = memory // (BUFFERS * itemsize)
    least = math.prod(box)
    if least > budget:
        raise ValueError(
            f"{function}: memory must be at least {BUFFERS * itemsize * least} bytes, {BUFFERS} times what "
            f"{tuple(box)} elements of out take, got {memory}"
        )
    for axis in order:
        most = budget // (math.prod(box) // max(box[axis], 1)) if math.prod(box) else budget
        if most >= shape[axis]:
            box[axis] = shape[axis]
            continue
        box[axis] = most // granule[axis] * granule[axis]
        break
    return tuple(box)


def boxes(shape: Sequence[int], box: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield the range of each box along each axis, the last axis first."""
    along = [
        [(begin, min(begin + part, size)) for begin in range(0, size, max(part, 1))]
        for size, part in zip(shape, box)
    ]
    yield from product(*along)
