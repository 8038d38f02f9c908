"""A region of a result, made by the kernels from pieces of the inputs."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

from dmlc import _dmlc
from dmlc._dmlc import copy_into, empty, pad_constant, padding_modes
from dmlc.arrays import AnyArray
from dmlc.regions.axis import Piece
from dmlc.regions.result import Part

__all__ = ["slices_of", "write"]

# Returns an input's elements in a piece along each axis, as an array of any strides.
Read = Callable[[int, Sequence[Piece]], AnyArray]


def slices_of(pieces: Iterable[Piece]) -> tuple[Any, ...]:
    """Return the index of pieces in their chunk."""
    return (*(_slice(piece.first, piece.step, piece.length) for piece in pieces), ...)


def _slice(first: int, step: int, length: int) -> builtins.slice:
    end = first + step * length
    return builtins.slice(first, end if end >= 0 else None, step)


def write(out: AnyArray, parts: Iterable[Part], read: Read) -> AnyArray:
    """Write a region; ``out`` may have any strides, and shares no memory with what is read."""
    for part in parts:
        box: list[Any] = [builtins.slice(axis.begin, axis.end) for axis in part.axes]
        if part.place is not None:
            box.insert(part.place, part.at)
        _write_part(out[(*box, ...)], part, read)
    return out


def _write_part(out: AnyArray, part: Part, read: Read) -> None:
    pieces = [axis.pieces for axis in part.axes]
    if all(len(along) == 1 for along in pieces):
        laid = read(part.source, [along[0] for along in pieces])
        if part.is_plain:
            copy_into(out, laid)
            return
    else:
        # In pieces of several chunks; where nothing stands around them, each goes where it belongs.
        laid = out if part.is_plain else empty(tuple(axis.size for axis in part.axes), out.dtype)
        for along in product(*pieces):
            box: list[Any] = [
                builtins.slice(piece.place, piece.place + piece.length) for piece in along
            ]
            copy_into(laid[(*box, ...)], read(part.source, along))
        if part.is_plain:
            return
    if part.values is None:
        starts = [axis.start for axis in part.axes]
        _dmlc.window(laid, starts, out.shape, padding_modes[part.mode], out=out)
        return
    widths = []
    for axis in part.axes:
        length = axis.end - axis.begin
        before = min(max(-axis.start, 0), length)
        widths.append((before, length - axis.size - before))
    pad_constant(out, laid, tuple(widths), part.values)
