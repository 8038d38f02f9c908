"""Random cases for the sweep: what is computed, and how its arrays lie in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2, prod
from typing import Any

import numpy as np

from cases.case import Array, Case, Form
from cases.diagonal_matrix import Triangle
from cases.one_hot import OneHot
from cases.padding import Padding
from cases.rearranging import Rearrangement
from cases.slice import Window

Random = np.random.Generator
Strides = tuple[int, ...]

MODES = ("constant", "edge", "reflect", "symmetric", "wrap")
TYPES = {
    1: ("uint8", "int8"),
    2: ("float16", "int16"),
    4: ("float32", "int32"),
    8: ("float64", "int64"),
    16: ("complex128",),
}
FEWEST, MOST = 256, 1 << 21
"""Elements of an output."""

DEEPEST_MEMORY = 1 << 26
"""Elements of the memory in which a strided array may lie."""


@dataclass(frozen=True)
class Draw:
    """One call: what is computed, and the strides in elements of its arrays, None where packed."""

    use: Padding | OneHot | Window | Triangle | Rearrangement
    form: Form = "fresh"
    input_strides: Strides | None = None
    output_strides: Strides | None = None

    @property
    def kind(self) -> str:
        """The operator, with what changes most for a window."""
        if self.output_strides is not None:
            return "strided"
        if isinstance(self.use, Window):
            return "slice" if self.use.axes is None else "transpose"
        if isinstance(self.use, Rearrangement):
            return self.use.function
        return {Padding: "pad", OneHot: "one_hot", Triangle: "triangle"}[type(self.use)]

    def buffers(self, case: Case) -> tuple[Array, Array]:
        x = case.make_input()
        return (
            placed(x, self.input_strides),
            placed(np.zeros(case.output_shape, case.output_dtype), self.output_strides),
        )


def placed(array: Array, strides: Strides | None) -> Array:
    """The same elements in memory of these strides."""
    if strides is None:
        return array
    reach = [(n - 1) * step for n, step in zip(array.shape, strides, strict=True)]
    memory = np.zeros(1 + sum(map(abs, reach)), array.dtype)
    first = memory[sum(-r for r in reach if r < 0) :]
    steps = [step * array.itemsize for step in strides]
    view = np.lib.stride_tricks.as_strided(first, array.shape, steps)
    view[...] = array
    return view


# ----------------------------------------------------------------------------------------- drawing


def log_uniform(rng: Random, low: int, high: int) -> int:
    """From low to high, small numbers as likely as large ones."""
    return round(2 ** rng.uniform(log2(low), log2(high)))


def draw_type(rng: Random) -> str:
    return str(rng.choice(TYPES[int(rng.choice(list(TYPES)))]))


def draw_shape(rng: Random, elements: int, fewest_axes: int = 1) -> tuple[int, ...]:
    """About so many elements; the last axis is often small, and others are often 1."""
    rank = int(rng.integers(fewest_axes, 6))
    sizes = [0] * rank
    for axis in range(rank):
        if rank > 1 and rng.random() < 0.12:
            sizes[axis] = 1
        elif axis == rank - 1 and rank > 1 and rng.random() < 0.45:
            sizes[axis] = int(rng.integers(1, 9))
    open_axes = [axis for axis in range(rank) if not sizes[axis]] or [0]
    left = max(1, elements // prod(n or 1 for n in sizes))
    parts = rng.dirichlet([2.0] * len(open_axes))
    for axis, part in zip(open_axes, parts, strict=True):
        sizes[axis] = max(1, round(left**part))
    return tuple(sizes)


def draw_strides(rng: Random, shape: tuple[int, ...]) -> Strides | None:
    """Memory with gaps, with elements skipped, or in another order of the axes."""
    order = list(range(len(shape)))
    if rng.random() < 0.3:
        order = rng.permutation(len(shape)).tolist()
    strides, step = [0] * len(shape), 1
    if rng.random() < 0.3:
        step = int(rng.integers(2, 5))
    for axis in reversed(order):
        strides[axis] = step
        gap = int(rng.integers(1, 5)) if rng.random() < 0.4 else 0
        step *= shape[axis] + gap
    return tuple(strides) if step <= DEEPEST_MEMORY else None


def draw_width(rng: Random, n: int) -> tuple[int, int]:
    """What a pad adds to an axis: often nothing or a little, seldom more than the axis has."""
    choice = rng.random()
    if choice < 0.35:
        return 0, 0
    if choice < 0.7:
        width = int(rng.integers(1, 5))
        return width, width
    most = max(1, 2 * n if choice > 0.95 else min(n - 1, 64))
    begin, end = rng.integers(0, most + 1, 2)
    return int(begin), int(end)


def draw_padding(rng: Random, elements: int) -> Padding:
    shape = draw_shape(rng, elements)
    widths = tuple(draw_width(rng, n) for n in shape)
    if not any(map(any, widths)):
        widths = (*widths[:-1], (1, 1))
    return Padding("sweep", shape, draw_type(rng), widths, str(rng.choice(MODES)))


def draw_one_hot(rng: Random, elements: int) -> OneHot:
    depth = min(log_uniform(rng, 2, 1000), elements)
    shape = draw_shape(rng, max(1, elements // depth))[:4]
    fitting = [t for t in ("uint8", "int32", "int64") if depth <= np.iinfo(t).max]
    axis = -1 if rng.random() < 0.5 else int(rng.integers(0, len(shape)))
    return OneHot("sweep", shape, str(rng.choice(fitting)), depth, draw_type(rng), axis)


def draw_triangle(rng: Random, elements: int) -> Triangle:
    shape = draw_shape(rng, elements, fewest_axes=2)
    k = 0 if rng.random() < 0.5 else int(rng.integers(-shape[-2], shape[-1] + 1))
    return Triangle("sweep", shape, draw_type(rng), str(rng.choice(["tril", "triu"])), k)


def draw_part(rng: Random, n: int) -> tuple[slice, int]:
    """A slice that takes n elements, and the size of an axis that has them."""
    choice = rng.random()
    step = 1 if choice < 0.6 else int(rng.integers(2, 5)) if choice < 0.8 else -1
    before, after = rng.integers(0, 5, 2) if rng.random() < 0.5 else (0, 0)
    size = int(before + (n - 1) * abs(step) + 1 + after)
    last = size - 1 - int(after)
    if step < 0:
        return slice(last, int(before) - 1 if before else None, step), size
    return slice(int(before), last + 1, None if step == 1 else step), size


def draw_slice(rng: Random, elements: int) -> Window:
    parts, sizes = zip(*(draw_part(rng, n) for n in draw_shape(rng, elements)), strict=True)
    return Window("sweep", sizes, draw_type(rng), tuple(parts))


def draw_transpose(rng: Random, elements: int) -> Window:
    shape = draw_shape(rng, elements, fewest_axes=2)
    order = list(range(len(shape)))
    while order == sorted(order):
        order = rng.permutation(len(shape)).tolist()
    return Window("sweep", shape, draw_type(rng), (slice(None),) * len(shape), tuple(order))


def draw_strided(rng: Random, elements: int) -> Window:
    """A copy into memory of the caller's strides."""
    shape = draw_shape(rng, elements)
    return Window("sweep", shape, draw_type(rng), (slice(None),) * len(shape))


def draw_axis(rng: Random, shape: tuple[int, ...]) -> int:
    return int(rng.integers(0, len(shape)))


def draw_flip(rng: Random, elements: int) -> Rearrangement:
    shape = draw_shape(rng, elements)
    axes = rng.permutation(len(shape))[: rng.integers(1, len(shape) + 1)]
    return Rearrangement("sweep", shape, draw_type(rng), "flip", (tuple(sorted(axes.tolist())),))


def draw_repeat(rng: Random, elements: int) -> Rearrangement:
    count = log_uniform(rng, 2, 64)
    shape = draw_shape(rng, max(1, elements // count))
    return Rearrangement("sweep", shape, draw_type(rng), "repeat", (count, draw_axis(rng, shape)))


def draw_roll(rng: Random, elements: int) -> Rearrangement:
    shape = draw_shape(rng, elements)
    axis = draw_axis(rng, shape)
    arguments = (int(rng.integers(0, shape[axis])), axis)
    return Rearrangement("sweep", shape, draw_type(rng), "roll", arguments)


def draw_stack(rng: Random, elements: int) -> Rearrangement:
    """The items lie along the first axis of the operand."""
    count = log_uniform(rng, 2, min(4096, max(3, elements // 4)))
    item = draw_shape(rng, max(1, elements // count))[:4]
    axis = int(rng.integers(0, len(item) + 1))
    return Rearrangement("sweep", (count, *item), draw_type(rng), "stack", (axis,))


def draw_tile(rng: Random, elements: int) -> Rearrangement:
    reps = tuple(int(n) for n in rng.choice([1, 1, 2, 3], 5))
    shape = draw_shape(rng, max(1, elements // prod(reps)))
    return Rearrangement("sweep", shape, draw_type(rng), "tile", (reps[: len(shape)],))


KINDS: dict[str, Callable[[Random, int], Any]] = {
    "pad": draw_padding,
    "one_hot": draw_one_hot,
    "triangle": draw_triangle,
    "slice": draw_slice,
    "transpose": draw_transpose,
    "strided": draw_strided,
    "flip": draw_flip,
    "repeat": draw_repeat,
    "roll": draw_roll,
    "stack": draw_stack,
    "tile": draw_tile,
}


def draw(seed: int, number: int, kinds: Sequence[str]) -> Draw:
    """Case number `number`: kinds take turns, so that each has as many."""
    kind = kinds[number % len(kinds)]
    rng = np.random.default_rng([seed, number])
    while True:
        use = KINDS[kind](rng, log_uniform(rng, FEWEST, MOST))
        case = use.case()
        if not FEWEST <= prod(case.output_shape) <= MOST:
            continue
        if kind == "strided":
            strides = draw_strides(rng, case.output_shape)
            if strides is None or strides == packed(case.output_shape):
                continue
            return Draw(use, "out", None, strides)
        strided_input = rng.random() < 0.25
        strides = draw_strides(rng, case.make_input().shape) if strided_input else None
        # Of the functions that only rearrange, NumPy and PyTorch write but a stack to memory of the caller's.
        has_out = not isinstance(use, Rearrangement) or use.function == "stack"
        return Draw(use, "out" if has_out and rng.random() >= 0.5 else "fresh", strides)


def packed(shape: tuple[int, ...]) -> Strides:
    return tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))


def parsed(name: str) -> Draw:
    """The case of a name that an earlier run printed."""
    known = [Draw, Padding, OneHot, Window, Triangle, Rearrangement, slice]
    result: Draw = eval(name, {"__builtins__": {}, **{kind.__name__: kind for kind in known}})
    return result
