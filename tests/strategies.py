"""Hypothesis strategies: arrays for the NumPy face, descriptors with buffers for DirectML's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from reference.padding import MODES
from reference.slice import reachable

import arrays
from arrays import ALL_DTYPES, ELEMENT_DTYPES, INDEX_DTYPES, Array, Dtype
from reference import buffers

all_dtypes = st.sampled_from(ALL_DTYPES)
element_dtypes = st.sampled_from(ELEMENT_DTYPES)
index_dtypes = st.sampled_from(INDEX_DTYPES)
tensor_index_dtypes = st.sampled_from([np.dtype(code) for code in "iIqQ"])
layouts = st.sampled_from(arrays.LAYOUTS)
writable_layouts = st.sampled_from(arrays.WRITABLE_LAYOUTS)
modes: st.SearchStrategy[Any] = st.sampled_from(MODES)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def shapes(
    draw: st.DrawFn,
    min_rank: int = 0,
    max_rank: int = 8,
    min_side: int = 0,
    max_elements: int = 2000,
) -> tuple[int, ...]:
    """Any rank; one side may be long, so that whole vectors of every kernel are reached."""
    rank = draw(st.integers(min_rank, max_rank))
    sides = []
    left = max_elements
    for _ in range(rank):
        longest = min(left, 5)
        side = draw(st.integers(min_side, longest))
        sides.append(side)
        left //= max(side, 1)
    if rank and left > 1 and draw(st.booleans()):
        axis = draw(st.integers(0, rank - 1))
        sides[axis] *= draw(st.integers(1, min(left, 150)))
    return tuple(sides)


@st.composite
def laid_out(
    draw: st.DrawFn,
    shape: st.SearchStrategy[tuple[int, ...]],
    dtype: st.SearchStrategy[Dtype] = all_dtypes,
) -> Array:
    """Random bits in any layout."""
    values = arrays.random_values(draw(shape), draw(dtype), draw(seeds))
    return arrays.lay_out(values, draw(layouts))


def axis_widths(size: int, mode: str, most: int, crop: bool) -> st.SearchStrategy[tuple[int, int]]:
    """(before, after) within what the mode can do with an axis of this size."""
    least = -size if crop else 0
    width = st.integers(least, most)

    def is_possible(pair: tuple[int, int]) -> bool:
        left = size + min(pair[0], 0) + min(pair[1], 0)
        return left > 0 or (left == 0 and (mode == "constant" or max(pair) <= 0))

    return st.tuples(width, width).filter(is_possible) | st.just((0, 0))


@st.composite
def pad_widths(
    draw: st.DrawFn, shape: Sequence[int], mode: str, crop: bool = False, max_elements: int = 20000
) -> list[tuple[int, int]]:
    """Widths for every axis, often larger than the axis, bounded in the result."""
    room = max_elements / max(math.prod(max(n, 1) for n in shape), 1)
    per_axis = room ** (1 / max(len(shape), 1))
    widths = []
    for size in shape:
        most = int(max(size, 1) * (per_axis - 1) / 2)
        widths.append(draw(axis_widths(size, mode, min(most, 70), crop)))
    return widths


@st.composite
def windows(
    draw: st.DrawFn, shape: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """(offsets, sizes, strides, output sizes) of a valid SLICE1."""
    axes = []
    for n in shape:
        offset = draw(st.integers(0, n - 1))
        size = draw(st.integers(1, n - offset))
        stride = draw(st.integers(1, size + 2)) * draw(st.sampled_from([1, -1]))
        count = reachable(size, stride)
        output = draw(st.integers(1, count) | st.just(count))
        axes.append((offset, size, stride, output))
    offsets, sizes, strides, outputs = zip(*axes, strict=True) if axes else ((), (), (), ())
    return offsets, sizes, strides, outputs


def index_values(shape: Sequence[int], dtype: Dtype, depth: int, seed: int) -> Array:
    """Indices in range, from the end, just outside and at the type's limits."""
    generator = np.random.default_rng(seed)
    limits = np.iinfo(dtype)
    interesting = [depth, depth + 1, -1, -depth, -depth - 1, limits.min, limits.max, 2**32, 2**31]
    candidates = list(range(depth)) * 3 + interesting
    inside = [value for value in candidates if limits.min <= value <= limits.max]
    chosen = generator.integers(0, len(inside), tuple(shape))
    return np.array(inside, dtype)[chosen]


# --- DirectML's tensors as flat buffers ---------------------------------------------------------


@dataclass(frozen=True)
class Tensor:
    """A tensor without `dmlc`: what a BufferTensorDesc says, and memory that fits it."""

    dtype: Dtype
    sizes: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    spare_bytes: int = 0

    @property
    def size_in_bytes(self) -> int:
        minimum = buffers.minimum_size(self.sizes, self.strides, self.dtype.itemsize)
        return minimum + self.spare_bytes

    def memory(self, seed: int) -> Array:
        """Random bits, in the gaps as well."""
        return arrays.random_values((self.size_in_bytes,), np.dtype(np.uint8), seed)

    def as_flat(self, memory: Array) -> Array | memoryview:
        """Memory that no operator takes for an array of the tensor's own type and shape.

        Four bytes at stride 0 take four bytes: such an array would be read by its own strides.
        """
        is_typed = memory.dtype == self.dtype and memory.shape == self.sizes
        return memoryview(memory) if is_typed else memory

    def read(self, memory: Array) -> Array:
        return buffers.read(memory, self.dtype, self.sizes, self.strides)

    def memory_of(self, values: Array, seed: int = 0) -> Array:
        memory = self.memory(seed)
        buffers.write(memory, values, self.strides)
        return memory

    def desc(self) -> Any:
        import dmlc

        total = self.size_in_bytes if self.spare_bytes else None
        return dmlc.BufferTensorDesc(
            dmlc.TensorDataType.from_dtype(self.dtype),
            self.sizes,
            self.strides,
            total_tensor_size_in_bytes=total,
        )


@st.composite
def distinct_strides(draw: st.DrawFn, sizes: Sequence[int]) -> tuple[int, ...]:
    """Strides in any axis order with any gaps, no two elements at one address."""
    strides = [1] * len(sizes)
    reach = 0
    for axis in draw(st.permutations(range(len(sizes)))):
        strides[axis] = reach + 1 + draw(st.integers(0, 3) | st.just(0))
        reach += (sizes[axis] - 1) * strides[axis]
    return tuple(strides)


@st.composite
def any_strides(draw: st.DrawFn, sizes: Sequence[int]) -> tuple[int, ...]:
    """Strides of an input: 0 repeats, others may overlap."""
    return tuple(draw(st.sampled_from([0, 0, 1, 2, 3, 7]) | st.integers(0, 60)) for _ in sizes)


@st.composite
def input_tensors(
    draw: st.DrawFn, sizes: Sequence[int], dtype: Dtype, distinct: bool = False
) -> Tensor:
    strides: st.SearchStrategy[tuple[int, ...] | None] = st.none() | distinct_strides(sizes)
    if not distinct:
        strides = strides | any_strides(sizes)
    spare = draw(st.sampled_from([0, 0, 4, 64]))
    return Tensor(dtype, tuple(sizes), draw(strides), spare)


@st.composite
def output_tensors(draw: st.DrawFn, sizes: Sequence[int], dtype: Dtype) -> Tensor:
    return draw(input_tensors(sizes, dtype, distinct=True))
