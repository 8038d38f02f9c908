"""dmlc.regions: what a part of a result's axis reads, and how the input's chunks cut it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arrays import Array
from dmlc.enums import PaddingMode
from dmlc.regions.axis import Axis, Reads, pieces_of
from reference import padding

MODES = {
    "constant": PaddingMode.CONSTANT,
    "edge": PaddingMode.EDGE,
    "reflect": PaddingMode.REFLECTION,
    "symmetric": PaddingMode.SYMMETRIC,
    "wrap": PaddingMode.WRAP,
}
OUTSIDE = -1


@st.composite
def axes(draw: st.DrawFn) -> tuple[Axis, int]:
    """An axis and how many elements the input's has."""
    offset, size, rest = draw(st.integers(0, 5)), draw(st.integers(1, 12)), draw(st.integers(0, 5))
    step = draw(st.sampled_from((1, 1, 1, 2, -1, -3)))
    if step == 1:
        start, length = draw(st.integers(-40, 40)), draw(st.integers(0, 60))
    else:
        start = draw(st.integers(0, size - 1))
        length = draw(
            st.integers(0, 1 + ((size - 1 - start) // step if step > 0 else start // -step))
        )
    return Axis(offset, size, start, step, length), offset + size + rest


def extended(values: Array, start: int, step: int, length: int, mode: str) -> Array:
    """Elements start, start + step and so on of values that go on by the mode."""
    if step == 1:
        value = np.array(OUTSIDE, values.dtype)
        return padding.window(values, [start], [length], mode, value)
    return values[start + step * np.arange(length)]


def read(values: Array, reads: Reads) -> Array:
    parts = [values[first + step * np.arange(count)] for first, step, count in reads.runs]
    return np.concatenate([values[:0], *parts])


@st.composite
def parts(draw: st.DrawFn, length: int) -> tuple[int, int]:
    begin, end = sorted(draw(st.tuples(st.integers(0, length), st.integers(0, length))))
    return begin, end


@given(st.data(), st.sampled_from(list(MODES)))
def test_a_part_is_made_of_what_it_reads(data: st.DataObject, mode: str) -> None:
    axis, elements = data.draw(axes())
    begin, end = data.draw(parts(axis.length))
    values = np.arange(elements)
    whole = values[axis.offset : axis.offset + axis.size]
    expected = extended(whole, axis.start + axis.step * begin, axis.step, end - begin, mode)
    reads = axis.reads(begin, end, MODES[mode])
    found = read(values, reads)
    result = extended(found, reads.start, 1, end - begin, mode) if found.size else expected[:0]
    if found.size == 0:
        assert (expected == OUTSIDE).all()
    else:
        np.testing.assert_array_equal(result, expected)
    # Nothing is read in vain, and nothing twice.
    assert set(found) <= set(expected)
    assert np.unique(found).size == found.size


@given(st.data(), st.sampled_from(list(MODES)))
def test_chunks_cut_a_part(data: st.DataObject, mode: str) -> None:
    axis, elements = data.draw(axes())
    begin, end = data.draw(parts(axis.length))
    cuts = data.draw(st.lists(st.integers(0, elements), max_size=4))
    bounds = [0, *sorted(cuts), elements]
    lengths = axis.lengths(begin, end, bounds, MODES[mode])
    assert sum(lengths) == end - begin
    assert all(length > 0 for length in lengths)
    for length in lengths:
        pieces = pieces_of(axis.reads(begin, begin + length, MODES[mode]), bounds)
        assert len({piece.chunk for piece in pieces}) <= 1
        begin += length


@given(st.data())
def test_pieces_are_the_runs_in_chunks(data: st.DataObject) -> None:
    axis, elements = data.draw(axes())
    begin, end = data.draw(parts(axis.length))
    bounds = [0, *sorted(data.draw(st.lists(st.integers(0, elements), max_size=6))), elements]
    values = np.arange(elements)
    reads = axis.reads(begin, end, PaddingMode.WRAP)
    expected = read(values, reads)
    found = np.full(expected.size, OUTSIDE)
    for piece in pieces_of(reads, bounds):
        chunk = values[bounds[piece.chunk] : bounds[piece.chunk + 1]]
        places = piece.first + piece.step * np.arange(piece.length)
        assert ((places >= 0) & (places < chunk.size)).all()
        found[piece.place : piece.place + piece.length] = chunk[places]
    np.testing.assert_array_equal(found, expected)
