"""dmlc.stack, dmlc.collate and the batch that dmlc.pad_sequence writes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.batch import ALIGNMENTS

import dmlc
import strategies
from arrays import (
    LAYOUTS,
    WIDTH_DTYPES,
    WRITABLE_LAYOUTS,
    Array,
    Target,
    assert_fresh,
    assert_same,
    lay_out,
    random_values,
)
from dmlc import _dmlc
from functions.outcomes import assert_same_outcome
from reference import batch


def rows_of(data: st.DataObject, shapes: list[tuple[int, ...]], dtype: Any) -> list[Array]:
    seed = data.draw(strategies.seeds)
    return [
        lay_out(random_values(shape, dtype, seed + i), data.draw(strategies.layouts))
        for i, shape in enumerate(shapes)
    ]


@st.composite
def ragged(draw: st.DrawFn, least: int = 0) -> list[tuple[int, ...]]:
    """Shapes of one rank, often the same, at times with one long axis."""
    first = draw(strategies.shapes(max_rank=3, min_side=least, max_elements=120))
    others = st.tuples(*(st.just(n) | st.integers(least, 2 * n + 3) for n in first))
    return [first, *draw(st.lists(st.just(first) | others, max_size=5))]


# --- stack --------------------------------------------------------------------------------------


@given(st.data())
def test_stack_is_the_twin(data: st.DataObject) -> None:
    shape = data.draw(strategies.shapes(max_rank=4, max_elements=500))
    count = data.draw(st.integers(1, 6))
    rows = rows_of(data, [shape] * count, data.draw(strategies.all_dtypes))
    if rows[0].dtype.byteorder == ">":
        return  # NumPy's result is native: see test_stacks_are_numpys
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    expected = batch.stack(rows, axis)
    result = dmlc.stack(rows, axis)
    assert_same(result, expected)
    assert_fresh(result)
    target = Target(expected.shape, expected.dtype, data.draw(strategies.writable_layouts))
    assert dmlc.stack(rows, axis, out=target.view) is target.view
    assert_same(np.array(target.view, order="C"), expected)
    target.assert_gaps_untouched()


STACKS: list[Any] = [
    [],
    (),
    [1, 2],
    5,
    None,
    "ab",
    [[1, 2], [3]],
    [[1, 2], [3, 4]],
    ([1, 2], [3.5, 4]),
    [np.zeros(2, ">i4"), np.zeros(2, ">i4")],
    [np.zeros(2, ">i4")],
    [np.zeros(2, "M8[s]"), np.zeros(2, "M8[D]")],
    [np.zeros(2, "M8[s]"), np.zeros(2)],
    [np.zeros(2, "f2"), np.zeros(2, "i8")],
    [np.zeros(2, bool), np.zeros(2, "u1")],
    [np.zeros((2, 0)), np.zeros((2, 0))],
    [np.zeros(()), np.ones(())],
    np.arange(24).reshape(2, 3, 4),
    np.arange(3),
    np.array(3),
    {1: 2},
    {1, 2},
    pytest.param(iter([[1], [2]]), id="iterator"),
    range(3),
]


@pytest.mark.parametrize(
    "axis", [0, 1, -1, 2, -2, 5, None, 1.0, "0", True, np.int8(1), 2**70], ids=repr
)
@pytest.mark.parametrize("arrays", STACKS, ids=repr)
def test_stacks_are_numpys(arrays: Any, axis: Any) -> None:
    assert_same_outcome(lambda: np.stack(arrays, axis), lambda: dmlc.stack(arrays, axis))


# --- collate ------------------------------------------------------------------------------------


@given(st.data())
def test_collate_is_the_twin(data: st.DataObject) -> None:
    mode = data.draw(strategies.modes)
    align: Any = data.draw(st.sampled_from(ALIGNMENTS))
    shapes = data.draw(ragged(0 if mode == "constant" else 1))
    dtype = data.draw(strategies.all_dtypes)
    rows = rows_of(data, shapes, dtype)
    given_shape = st.tuples(*(st.integers(0, 9) for _ in shapes[0]))
    shape = data.draw(st.none() | given_shape)
    fill = None
    keywords: dict[str, Any] = {}
    if mode == "constant" and data.draw(st.booleans()):
        fill = keywords["value"] = random_values((1,), dtype, 3)[0]
        fill = np.asarray(fill, dtype)
    expected, real = batch.collate(rows, shape, mode, fill, align)
    keywords |= {"shape": shape, "mode": mode, "align": align}
    result, mask = dmlc.collate(rows, return_mask=True, **keywords)
    assert_same(result, expected)
    assert_same(mask, real)
    assert_fresh(result)
    assert_fresh(mask)
    assert_same(dmlc.collate(tuple(rows), **keywords), expected)
    target = Target(expected.shape, expected.dtype, data.draw(strategies.writable_layouts))
    assert dmlc.collate(rows, out=target.view, **keywords) is target.view
    assert_same(np.array(target.view, order="C"), expected)
    target.assert_gaps_untouched()


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("align", ALIGNMENTS)
def test_batches_of_images(align: Any, threads: int) -> None:
    """Large, small, alike and strange, on teams of any size."""
    shapes = [(70, 90, 3), (3, 200, 3), (64, 64, 3), (64, 64, 3), (1, 1, 3), (300, 5, 3)] * 3
    _dmlc.set_oversubscribe(True)
    try:
        for dtype in WIDTH_DTYPES:
            images = [random_values(shape, dtype, i) for i, shape in enumerate(shapes)]
            views = [image[:, ::-1, ::-1].transpose(2, 0, 1) for image in images]
            expected, real = batch.collate(views, (3, 64, 80), "constant", None, align)
            with dmlc.num_threads(threads):
                result, mask = dmlc.collate(views, shape=(3, 64, 80), align=align, return_mask=True)
            assert_same(result, expected)
            assert_same(mask, real)
    finally:
        _dmlc.set_oversubscribe(False)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("side", [30, 60, 90])
def test_packed_batches_on_both_sides_of_a_plan(side: int, threads: int) -> None:
    """Items of 7 to 65 KB and as many as 9 MB of them: moved as they are looked at, or planned."""
    shapes = [(side - i % 7, side) for i in range(40 if side < 60 else 140)]
    rows = [random_values(shape, np.dtype(np.float64), i) for i, shape in enumerate(shapes)]
    expected, real = batch.collate(rows, (side, side), "constant", None, "center")
    with dmlc.num_threads(threads):
        result, mask = dmlc.collate(rows, align="center", return_mask=True)
    assert_same(result, expected)
    assert_same(mask, real)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_small_batches_of_every_layout(layout: str) -> None:
    for dtype in WIDTH_DTYPES:
        rows = [lay_out(random_values((n, 4), dtype, n), layout) for n in (3, 0, 5, 5, 1)]
        for align in ALIGNMENTS:
            for shape in (None, (4, 4), (2, 3), (9, 1)):
                expected, real = batch.collate(rows, shape, align=align)
                result, mask = dmlc.collate(rows, shape=shape, align=align, return_mask=True)  # type: ignore[call-overload]
                assert_same(result, expected)
                assert_same(mask, real)


def test_arrays_of_other_types_are_promoted() -> None:
    result = dmlc.collate([np.array([1, 2], np.int8), [0.5]], value=-1)
    assert_same(result, np.array([[1, 2], [0.5, -1]]))
    scalars, mask = dmlc.collate([1, 2.5], return_mask=True)
    assert_same(scalars, np.array([1, 2.5]))
    assert_same(mask, np.array([True, True]))


class Endless:
    """Claims a length; whoever reads on reads for ever."""

    def __len__(self) -> int:
        return 2**40

    def __getitem__(self, place: int) -> Any:
        raise AssertionError("read")


@pytest.mark.parametrize(
    ("arrays", "keywords", "error", "message"),
    [
        ([], {}, ValueError, "arrays must hold at least one array, got none"),
        (
            [[1], [[2]]],
            {},
            ValueError,
            r"arrays\[1\] must have as many dimensions as arrays\[0\], 1, got 2",
        ),
        ([[1]], {"mode": "mean"}, ValueError, "mode must be one of constant, .*, got 'mean'"),
        (
            [[1]],
            {"align": "middle"},
            ValueError,
            "align must be one of start, end, center, got 'middle'",
        ),
        ([[1]], {"align": ["end"]}, ValueError, r"align must be one of .*, got \['end'\]"),
        ([[1]], {"mode": "edge", "value": 3}, ValueError, "value must be left out"),
        (
            [[1]],
            {"shape": (1, 2)},
            ValueError,
            "shape must have one entry for each of 1 axes, got more",
        ),
        ([[1]], {"shape": (-1,)}, ValueError, r"shape\[0\] must be at least 0, got -1"),
        ([[1]], {"shape": (1.5,)}, TypeError, r"shape\[0\] must be an integer, got float"),
        (
            [[1], []],
            {"mode": "wrap"},
            ValueError,
            r"arrays\[1\] must have an element along axis 0 .* to 1",
        ),
        ([["a"], [object()]], {}, TypeError, r"arrays\[1\] must have a fixed-width dtype"),
        ([np.zeros(2), np.zeros(2, "M8[s]")], {}, TypeError, "promote"),
        (
            repeat([1]),
            {},
            TypeError,
            "arrays must be a sequence such as a list or a tuple, got repeat",
        ),
        (5, {}, TypeError, "arrays must be a sequence"),
        (
            Endless(),
            {},
            ValueError,
            "arrays must have at most 1073741824 entries, got 1099511627776",
        ),
        ([[1]], {"shape": (2**62,)}, (ValueError, MemoryError), "array"),
    ],
)
def test_collate_errors(arrays: Any, keywords: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        dmlc.collate(arrays, **keywords)


def test_what_has_no_numbers_is_padded_with_zero_bytes() -> None:
    records = np.array([b"12345678", b"abcdefgh"], "V8")
    for mode, added in (("constant", bytes(8)), ("edge", b"12345678")):
        expected = np.array([[b"12345678", b"abcdefgh"], [b"12345678", added]], "V8")
        assert_same(dmlc.collate([records, records[:1]], mode=mode), expected)  # type: ignore[call-overload]
    assert_same(dmlc.pad_sequence([records])[0], records)
    named = np.array([(b"ab", 1.0)], [("name", "S4"), ("value", "f4")])
    expected = np.zeros((2, 1), named.dtype)
    expected[0], expected[1] = named, np.array(0).astype(named.dtype)
    assert_same(dmlc.collate([named, named[:0]]), expected)


def test_pad_sequence_of_nothing_that_can_be_read() -> None:
    with pytest.raises(TypeError, match="pad_sequence: arrays must be iterable, got NoneType"):
        dmlc.pad_sequence(None)  # type: ignore[call-overload]


def test_an_error_of_the_last_array_leaves_out_as_it_was() -> None:
    out = np.full((3, 2), 7)
    rows = [np.zeros(2, int), np.zeros(1, int), np.zeros(0, int)]
    with pytest.raises(ValueError):
        dmlc.collate(rows, shape=(2,), mode="edge", out=out)
    assert (out == 7).all()


@pytest.mark.parametrize("layout", WRITABLE_LAYOUTS)
def test_arrays_that_the_output_overlaps(layout: str) -> None:
    """As if all of them had been copied first."""
    for rows_in in ((0, 1, 2), (2, 1, 0), (1, 1, 1)):
        for size in (5, 4000):
            target = Target((3, size), np.dtype(np.int32), layout)
            out = target.view
            out[...] = np.arange(3 * size).reshape(3, size)
            rows = [out[i][::-1] for i in rows_in]
            expected = batch.stack([row.copy() for row in rows])
            dmlc.stack(rows, out=out)
            assert_same(np.array(out, order="C"), expected)
            rows = [out[i][: size - i] for i in rows_in]
            expected, _ = batch.collate(
                [row.copy() for row in rows], (size,), "wrap", None, "center"
            )
            dmlc.collate(rows, shape=(size,), mode="wrap", align="center", out=out)
            assert_same(np.array(out, order="C"), expected)
            target.assert_gaps_untouched()


# --- pad_sequence -------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("size", [3, 40_000])
def test_pad_sequence_is_a_collate_of_one_ragged_axis(size: int, side: Any) -> None:
    rows = [random_values((n, 2), np.dtype(np.int32), n) for n in (size, 0, size // 2, size)]
    align: Any = "end" if side == "left" else "start"
    expected, real = dmlc.collate(rows, value=9, align=align, return_mask=True)
    for layout in WRITABLE_LAYOUTS:
        target = Target(expected.shape, expected.dtype, layout)
        result, mask = dmlc.pad_sequence(
            rows, side=side, value=9, return_mask=True, out=target.view
        )
        assert result is target.view
        assert_same(np.array(result, order="C"), expected)
        assert_same(mask, real[..., 0].copy())
        target.assert_gaps_untouched()


def test_pad_sequence_reads_any_iterable() -> None:
    def rows() -> Iterator[list[int]]:
        yield [1, 2]
        yield [3]

    assert_same(dmlc.pad_sequence(rows()), np.array([[1, 2], [3, 0]]))
    with pytest.raises(ValueError, match="out must have shape"):
        dmlc.pad_sequence(rows(), out=np.zeros((2, 3), int))
