"""What a range of one axis of a result reads of the input's axis. Sizes in, ranges out; no element is touched.

A range of an axis that goes on by a mode reads few runs of the input, laid one after the other. Of what was laid out,
the range is again a window that goes on by the same mode::

    wrap, 5 elements: [a b c d e], the range from 3 of length 4 reads d e a b

    runs        d e | a b       two runs, laid out in order
    start       0               and read from there

    reflect: the range from 3 of length 4 reads d e d c

    runs        c d e           one run
    start       1               extended by reflection: d e d c

So a result is made from pieces of its input, whatever the mode, and never reads more than it writes: however often a
short axis is repeated, it is laid out once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dmlc.enums import PaddingMode

__all__ = ["Axis", "Piece", "Reads", "Run", "pieces_of"]


class Run(NamedTuple):
    """Elements ``first + step * i`` of an input's axis, for ``0 <= i < length``."""

    first: int
    step: int
    length: int


class Reads(NamedTuple):
    """What a range of an axis reads: its runs in order, and where it begins in what they laid out."""

    runs: tuple[Run, ...]
    start: int

    @property
    def size(self) -> int:
        """How many elements the runs lay out."""
        return sum(run.length for run in self.runs)


class Piece(NamedTuple):
    """A part of a run in one chunk of the input: elements ``first + step * i`` of it go to ``place + i``."""

    chunk: int
    first: int
    step: int
    length: int
    place: int


class Axis(NamedTuple):
    """An axis of a result: ``result[o] = extended[start + step * o]`` for ``0 <= o < length``.

    What is extended are the ``size`` elements of the input's axis from ``offset`` on. Only an axis of step 1 may read
    outside of them.
    """

    offset: int
    size: int
    start: int
    step: int
    length: int

    def reads(self, begin: int, end: int, mode: PaddingMode) -> Reads:
        """Return what the elements from ``begin`` up to ``end`` read."""
        first = self.start + self.step * begin
        count = end - begin
        if self.step != 1:
            return Reads((Run(self.offset + first, self.step, count),) if count else (), 0)
        ranges, start = _window(self.size, first, count, mode)
        runs = (Run(self.offset + low, 1, high - low) for low, high in ranges if low < high)
        return Reads(tuple(runs), start)

    def lengths(self, begin: int, end: int, bounds: Sequence[int], mode: PaddingMode) -> list[int]:
        """Return how the input's chunks cut a range of the result, each of whose parts reads one of them.

        What reads none, or one element for all, is a part of its own.
        """
        found: list[int] = []
        while begin < end:
            # So far that no element is read twice.
            near = min(end, begin + self._until_turn(begin, mode))
            reads = self.reads(begin, near, mode)
            lengths = [piece.length for piece in pieces_of(reads, bounds)]
            if sum(lengths) < near - begin:
                lengths = [near - begin]
            # A mirror image begins with the last of its pieces.
            found += lengths if reads.start == 0 else reversed(lengths)
            begin = near
        return found

    def _until_turn(self, place: int, mode: PaddingMode) -> int:
        """Return for how many elements the axis goes on in one direction, or outside."""
        first = self.start + self.step * place
        if self.step != 1:
            return self.length - place
        if mode in (PaddingMode.CONSTANT, PaddingMode.EDGE):
            if first < 0:
                return -first
            return self.size - first if first < self.size else self.length - place
        if mode is PaddingMode.WRAP:
            return self.size - first % self.size
        repeated = 1 if mode is PaddingMode.SYMMETRIC else 0
        period = max(2 * self.size - 2 + 2 * repeated, 1)
        first %= period
        return (self.size if first < self.size else period) - first


def _window(
    size: int, start: int, count: int, mode: PaddingMode
) -> tuple[tuple[tuple[int, int], ...], int]:
    """Return the ranges that a window of an axis reads, and where it starts in them."""
    if count == 0:
        return (), 0
    if mode is PaddingMode.CONSTANT:
        low, high = min(max(start, 0), size), min(max(start + count, 0), size)
        return ((low, high),), start - low
    if mode is PaddingMode.EDGE:
        low, high = min(max(start, 0), size - 1), min(max(start + count, 1), size)
        return ((low, high),), start - low
    if mode is PaddingMode.WRAP:
        start %= size
        if count >= size:
            return ((0, size),), start
        if start + count <= size:
            return ((start, start + count),), 0
        return ((start, size), (0, start + count - size)), 0
    return _mirrored(size, start, count, mode)


def _mirrored(
    size: int, start: int, count: int, mode: PaddingMode
) -> tuple[tuple[tuple[int, int], ...], int]:
    # Up the elements and down again; a reflection does not repeat the elements where it turns.
    repeated = 1 if mode is PaddingMode.SYMMETRIC else 0
    period = max(2 * size - 2 + 2 * repeated, 1)
    start %= period
    last = start + count - 1
    if start < size:
        if last < size:  # up
            return ((start, last + 1),), 0
        if last < period:  # up and down
            low = min(start, period - repeated - last)
            return ((low, size),), start - low
    else:
        first = period - repeated - start
        if last < period:  # down
            low = period - repeated - last
            return ((low, first + 1),), first - low + repeated
        if last < period + size:  # down and up
            return ((0, max(first, last - period) + 1),), start - period
    return ((0, size),), start


def pieces_of(reads: Reads, bounds: Sequence[int]) -> tuple[Piece, ...]:
    """Cut what is read at the bounds of the input's chunks: 0, then where each of them ends."""
    return tuple(_pieces(reads, bounds))


def _pieces(reads: Reads, bounds: Sequence[int]) -> Iterator[Piece]:
    place = 0
    for first, step, length in reads.runs:
        done = 0
        while done < length:
            at = first + step * done
            # Of chunks that begin at one place all but the last are empty.
            chunk = bisect_right(bounds, at) - 1
            edge = bounds[chunk + 1] - 1 if step > 0 else bounds[chunk]
            here = min(length - done, (edge - at) // step + 1)
            yield Piece(chunk, at - bounds[chunk], step, here, place + done)
            done += here
        place += length
