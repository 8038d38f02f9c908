"""The operators as views of their inputs, and what a region of a result needs of each view."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from dmlc._dmlc import (
    arguments_of_pad,
    arguments_of_window,
    axes_of_flip,
    runs_of_slice,
    starts_of_roll,
)
from dmlc.arguments import Values
from dmlc.enums import PaddingMode
from dmlc.regions.axis import Axis, Piece, pieces_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "Part",
    "PartAxis",
    "Result",
    "View",
    "bounds_of",
    "flipped",
    "padded",
    "parts_of",
    "rolled",
    "sliced",
    "stacked",
    "windowed",
]

Range = tuple[int, int]


class View(NamedTuple):
    """One input as a box of the result shows it.

    Of the box' axes the one at ``place``, if any, is new: the input has all others.
    """

    source: int
    box: tuple[Range, ...]
    axes: tuple[Axis, ...]
    mode: PaddingMode = PaddingMode.CONSTANT
    values: Values | None = None
    place: int | None = None


class Result(NamedTuple):
    """A result's shape, and the views whose boxes fill it."""

    shape: tuple[int, ...]
    views: tuple[View, ...]


class PartAxis(NamedTuple):
    """An axis of a part: its pieces lay out ``size`` elements, a window from ``start`` on them is ``begin`` to ``end``."""

    begin: int
    end: int
    size: int
    start: int
    pieces: tuple[Piece, ...]


class Part(NamedTuple):
    """What a region of the result gets from one view; ``at`` is where on the view's new axis."""

    source: int
    axes: tuple[PartAxis, ...]
    mode: PaddingMode
    values: Values | None
    place: int | None
    at: int

    @property
    def shape(self) -> tuple[int, ...]:
        """What the part measures, without a new axis."""
        return tuple(axis.end - axis.begin for axis in self.axes)

    @property
    def is_plain(self) -> bool:
        """Whether what is laid out is the part, with nothing around it."""
        return all(axis.start == 0 and axis.size == axis.end - axis.begin for axis in self.axes)


def bounds_of(lengths: Iterable[int]) -> tuple[int, ...]:
    """Return 0, and where each of the chunks of an axis ends."""
    return (0, *accumulate(lengths))


_Kept = dict[tuple[int, int, int, int], PartAxis]


def parts_of(
    result: Result,
    region: Sequence[Range],
    bounds: Sequence[Sequence[Sequence[int]]],
    kept: _Kept | None = None,
) -> Iterator[Part]:
    """Yield what each view gives to a region; ``bounds`` are those of each input's chunks, along each axis.

    ``kept`` holds what was found for an axis: the regions of a grid have most of it in common.
    """
    kept = {} if kept is None else kept
    for order, view in enumerate(result.views):
        common = [
            (max(low, begin), min(high, end)) for (low, high), (begin, end) in zip(view.box, region)
        ]
        if any(begin >= end for begin, end in common):
            continue
        at = 0
        origins = [begin for begin, _ in region]
        if view.place is not None:
            at = common.pop(view.place)[0] - origins.pop(view.place)
        axes = []
        for number, ((begin, end), origin) in enumerate(zip(common, origins)):
            key = (order, number, begin, end)
            found = kept.get(key)
            if found is None:
                reads = view.axes[number].reads(begin, end, view.mode)
                pieces = pieces_of(reads, bounds[view.source][number])
                found = kept[key] = PartAxis(begin, end, reads.size, reads.start, pieces)
            axes.append(found._replace(begin=begin - origin, end=end - origin))
        yield Part(view.source, tuple(axes), view.mode, view.values, view.place, at)


def _whole(shape: Sequence[int]) -> tuple[Range, ...]:
    return tuple((0, size) for size in shape)


def _one_view(
    axes: Iterable[Axis],
    mode: PaddingMode = PaddingMode.CONSTANT,
    values: Values | None = None,
) -> Result:
    axes = tuple(axes)
    shape = tuple(axis.length for axis in axes)
    return Result(shape, (View(0, _whole(shape), axes, mode, values),))


def padded(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    pad_width: npt.ArrayLike | Mapping[int, int | tuple[int, int]],
    mode: str,
    constant_values: npt.ArrayLike,
) -> Result:
    """Return what `dmlc.pad` makes of an array of this shape, or raise what it raises."""
    kept, widths, number, values = arguments_of_pad(shape, dtype, pad_width, mode, constant_values)
    axes = [
        Axis(begin, end - begin, -before, 1, before + end - begin + after)
        for (begin, end), (before, after) in zip(kept, widths)
    ]
    return _one_view(axes, PaddingMode(number), values)


def windowed(
    extents: tuple[int, ...],
    dtype: np.dtype[Any],
    start: SupportsIndex | Sequence[SupportsIndex],
    shape: SupportsIndex | Sequence[SupportsIndex],
    mode: str,
    constant_values: Any,
) -> Result:
    """Return what `dmlc.window` makes of an array of these extents, or raise what it raises."""
    starts, sizes, number, value = arguments_of_window(
        extents, dtype, start, shape, mode, constant_values
    )
    values = None if value is None else ((value, value),) * len(extents)
    axes = [Axis(0, size, first, 1, length) for size, first, length in zip(extents, starts, sizes)]
    return _one_view(axes, PaddingMode(number), values)


def rolled(
    shape: tuple[int, ...],
    shift: npt.ArrayLike,
    axis: SupportsIndex | Sequence[SupportsIndex] | None,
) -> Result:
    """Return what `dmlc.roll` makes of an array of this shape, or raise what it raises."""
    starts = starts_of_roll(shift, axis, len(shape))
    if axis is not None:
        axes = [Axis(0, size, start, 1, size) for size, start in zip(shape, starts)]
        return _one_view(axes, PaddingMode.WRAP)
    # All elements in one row: along each axis so many steps, and one more where the inner axes carry.
    boxes = _carries(shape, -starts[0] % math.prod(shape)) if math.prod(shape) else []
    views = []
    for box, steps in boxes:
        axes = [Axis(0, size, -step, 1, size) for size, step in zip(shape, steps)]
        views.append(View(0, box, tuple(axes), PaddingMode.WRAP))
    return Result(shape, tuple(views))


def _carries(
    shape: Sequence[int], shift: int
) -> Iterator[tuple[tuple[Range, ...], tuple[int, ...]]]:
    """Yield the boxes whose elements come from equally far along each axis, and how far."""
    if not shape:
        yield (), ()
        return
    *outer, size = shape
    steps, rest = divmod(shift, size)
    for begin, end, carry in ((0, rest, 1), (rest, size, 0)):
        if begin < end:
            for box, before in _carries(outer, steps + carry):
                yield (*box, (begin, end)), (*before, rest)


def flipped(shape: tuple[int, ...], axis: SupportsIndex | Iterable[SupportsIndex] | None) -> Result:
    """Return what `dmlc.flip` makes of an array of this shape, or raise what it raises."""
    axes = axes_of_flip(axis, len(shape))
    return _one_view(
        Axis(0, size, size - 1, -1, size) if number in axes else Axis(0, size, 0, 1, size)
        for number, size in enumerate(shape)
    )


def sliced(
    shape: tuple[int, ...],
    offsets: Sequence[SupportsIndex],
    sizes: Sequence[SupportsIndex],
    strides: Sequence[SupportsIndex],
    output_sizes: Sequence[SupportsIndex] | None,
) -> Result:
    """Return what `dmlc.slice` makes of an array of this shape, or raise what it raises."""
    runs = runs_of_slice(shape, offsets, sizes, strides, output_sizes)
    return _one_view(Axis(0, size, *run) for size, run in zip(shape, runs))


def stacked(shape: tuple[int, ...], count: int, place: int) -> Result:
    """Return what `dmlc.stack` makes of so many arrays of this shape, the new axis at a place."""
    axes = tuple(Axis(0, size, 0, 1, size) for size in shape)
    before, after = _whole(shape[:place]), _whole(shape[place:])
    views = [
        View(number, (*before, (number, number + 1), *after), axes, place=place)
        for number in range(count)
    ]
    return Result((*shape[:place], count, *shape[place:]), tuple(views))
