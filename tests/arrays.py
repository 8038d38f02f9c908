"""Nasty arrays: one set of values in every memory layout that NumPy can express.

view = lay_out(values, "reversed")        # equal to values, strange in memory
target = Target(shape, dtype, "gaps")     # target.view is an `out=`, its gaps are guarded
"""

from __future__ import annotations

import ctypes
import math
import mmap
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Dtype = np.dtype[Any]

ELEMENT_DTYPES = tuple(
    np.dtype(code) for code in ("f4", "f2", "u4", "u2", "u1", "i4", "i2", "i1", "f8", "u8", "i8")
)
FOREIGN_DTYPES = (
    np.dtype(np.bool_),
    np.dtype(np.complex64),
    np.dtype(np.complex128),
    np.dtype("datetime64[ns]"),
    np.dtype("timedelta64[s]"),
    np.dtype(ml_dtypes.bfloat16),
    np.dtype(ml_dtypes.float8_e4m3fn),
    np.dtype(ml_dtypes.float8_e5m2),
    np.dtype(">i4"),
    np.dtype(">f8"),
)
ALL_DTYPES = ELEMENT_DTYPES + FOREIGN_DTYPES
WIDTH_DTYPES = tuple(
    np.dtype(name) for name in ("uint8", "uint16", "float32", "float64", "complex128")
)
INDEX_DTYPES = tuple(np.dtype(code) for code in "bBhHiIqQ")

GUARD = 0xA5


def random_values(shape: Sequence[int], dtype: Dtype, seed: int = 0) -> Array:
    """Random bits: NaNs with payloads, denormals, NaT and negative zeros included."""
    count = math.prod(shape)
    generator = np.random.default_rng(seed)
    elements = generator.integers(0, 256, (count, dtype.itemsize), np.uint8)
    if dtype == np.bool_:
        elements &= 1
    return elements.view(dtype).reshape(shape)


# --- layouts ------------------------------------------------------------------------------------
#
# A layout turns (shape, itemsize) into byte strides and says how far below (reach) and above the
# first element the array extends; memory is then allocated with a margin on both sides.


def _packed(shape: Sequence[int], order: Sequence[int], steps: Sequence[int]) -> tuple[int, ...]:
    """Byte strides with the axes of `order` from outer to inner, each step scaled by `steps`."""
    strides = [0] * len(shape)
    step = 1
    for axis in reversed(order):
        strides[axis] = step * steps[axis]
        step = abs(strides[axis]) * max(shape[axis], 1)
    return tuple(strides)


def _c(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    return _packed(shape, range(len(shape)), _inner(shape, itemsize))


def _inner(
    shape: Sequence[int], inner_step: int, other_step: int = 1, inner_axis: int = -1
) -> list[int]:
    steps = [other_step] * len(shape)
    if steps:
        steps[inner_axis] = inner_step
    return steps


def _fortran(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    order = range(len(shape) - 1, -1, -1)
    return _packed(shape, order, _inner(shape, itemsize, inner_axis=0))


def _rotated(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    axes = list(range(len(shape)))
    order = axes[1:] + axes[:1]
    return _packed(shape, order, _inner(shape, itemsize, inner_axis=0))


def _reversed(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    return tuple(-stride for stride in _c(shape, itemsize))


def _reversed_inner(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    strides = _c(shape, itemsize)
    return (*strides[:-1], -strides[-1]) if strides else ()


def _gaps(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    return _packed(shape, range(len(shape)), _inner(shape, 2 * itemsize, 2))


def _inner_gap(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    return _packed(shape, range(len(shape)), _inner(shape, 3 * itemsize))


def _outer_gap(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    strides = _c(shape, itemsize)
    return (strides[0] + 5 * itemsize, *strides[1:]) if strides else ()


def _odd_strides(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Strides that are no multiple of the element, as in a field of packed records."""
    return _packed(shape, range(len(shape)), _inner(shape, itemsize + 1))


def _broadcast(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    return (0,) * len(shape)


def _broadcast_outer(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    strides = _c(shape, itemsize)
    return (0, *strides[1:]) if strides else ()


def _broadcast_inner(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    strides = _c(shape, itemsize)
    return (*strides[:-1], 0) if strides else ()


_WRITABLE = {
    "c": _c,
    "fortran": _fortran,
    "rotated": _rotated,
    "reversed": _reversed,
    "reversed_inner": _reversed_inner,
    "gaps": _gaps,
    "inner_gap": _inner_gap,
    "outer_gap": _outer_gap,
    "odd_strides": _odd_strides,
    "unaligned": _c,
}
_STRIDES = _WRITABLE | {
    "read_only": _c,
    "broadcast": _broadcast,
    "broadcast_outer": _broadcast_outer,
    "broadcast_inner": _broadcast_inner,
}
LAYOUTS = tuple(_STRIDES)
WRITABLE_LAYOUTS = tuple(_WRITABLE)


def _allocate(shape: Sequence[int], dtype: Dtype, layout: str) -> tuple[Array, Array]:
    """(memory, view): memory is guard bytes, view an array of `layout` somewhere inside."""
    strides = _STRIDES[layout](shape, dtype.itemsize)
    reaches = [(max(n, 1) - 1) * stride for n, stride in zip(shape, strides, strict=True)]
    below = -sum(reach for reach in reaches if reach < 0)
    above = sum(reach for reach in reaches if reach > 0) + dtype.itemsize
    margin = 64
    memory = np.full(margin + below + above + margin + 64, GUARD, np.uint8)
    offset = -memory.ctypes.data % 64 + margin + below + (layout == "unaligned")
    view: Array = np.ndarray(
        tuple(shape), dtype, buffer=memory.data, offset=offset, strides=strides
    )
    return memory, view


def lay_out(values: Array, layout: str) -> Array:
    """An array of `layout` that equals `values` (broadcast layouts repeat the first elements)."""
    _memory, view = _allocate(values.shape, values.dtype, layout)
    if layout.startswith("broadcast"):
        first = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in view.strides)
        if values.size:
            view[first] = values[first]
    else:
        view[...] = values
    view.flags.writeable = layout != "read_only"
    return view


class Target:
    """An `out=` array whose surroundings and gaps must survive."""

    def __init__(self, shape: Sequence[int], dtype: Dtype, layout: str = "c") -> None:
        self.memory, self.view = _allocate(shape, dtype, layout)
        shadow = np.zeros(self.memory.size, np.uint8)
        offset = self.view.ctypes.data - self.memory.ctypes.data
        touched: Array = np.ndarray(
            (*shape, dtype.itemsize), np.uint8, shadow.data, offset, (*self.view.strides, 1)
        )
        touched[...] = 1
        self._gaps = shadow == 0

    def assert_gaps_untouched(self) -> None:
        damaged = np.flatnonzero((self.memory != GUARD) & self._gaps)
        assert damaged.size == 0, f"bytes written outside the elements: {damaged[:10]}"


@contextmanager
def guard_pages(values: Array, at: str) -> Iterator[Array]:
    """A packed copy of `values` that touches an unreadable page at its "start" or its "end".

    One byte read or written too far ends the process.
    """
    page = mmap.PAGESIZE
    data = -(-max(values.nbytes, 1) // page) * page
    memory = mmap.mmap(-1, data + 2 * page)
    base = np.frombuffer(memory, np.uint8).ctypes.data
    libc = ctypes.CDLL(None, use_errno=True)

    def protect(address: int, rights: int) -> None:
        assert libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(page), rights) == 0

    offset = page if at == "start" else page + data - values.nbytes
    view: Array = np.ndarray(values.shape, values.dtype, memory, offset)
    view[...] = values
    protect(base, 0)
    protect(base + page + data, 0)
    try:
        yield view
    finally:
        protect(base, mmap.PROT_READ | mmap.PROT_WRITE)
        protect(base + page + data, mmap.PROT_READ | mmap.PROT_WRITE)


HAS_GUARD_PAGES = sys.platform == "linux"


# --- judging ------------------------------------------------------------------------------------


def bits(array: Array) -> bytes:
    return array.tobytes()


def assert_same(actual: Any, expected: Array) -> None:
    """The same dtype, shape and bits."""
    assert type(actual) is np.ndarray, type(actual)
    assert actual.dtype == expected.dtype, f"{actual.dtype} is not {expected.dtype}"
    assert actual.shape == expected.shape, f"{actual.shape} is not {expected.shape}"
    if bits(actual) != bits(expected):
        width = expected.dtype.itemsize
        got = np.frombuffer(bits(actual), np.uint8).reshape(-1, width)
        wanted = np.frombuffer(bits(expected), np.uint8).reshape(-1, width)
        wrong = np.flatnonzero((got != wanted).any(axis=1))
        places = [tuple(map(int, np.unravel_index(i, expected.shape))) for i in wrong[:5]]
        raise AssertionError(
            f"{wrong.size} of {expected.size} elements differ, first at {places}:\n"
            f"got {[actual[p] for p in places]}\nexpected {[expected[p] for p in places]}"
        )


def assert_fresh(result: Array) -> None:
    """What every function returns without `out=`: a packed array of its own."""
    assert result.flags.c_contiguous
    assert result.flags.writeable
    assert result.flags.owndata
    assert result.flags.aligned
