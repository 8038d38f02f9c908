"""dmlc.pad and dmlc.pad_sequence."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.padding import MODES

import dmlc
import specification_examples
import strategies
from arrays import (
    ALL_DTYPES,
    LAYOUTS,
    WIDTH_DTYPES,
    assert_fresh,
    assert_same,
    lay_out,
    random_values,
)
from functions.outcomes import assert_same_outcome
from reference import padding
from specification_examples import Example

MODE_OF = dict(zip(["CONSTANT", "EDGE", "REFLECTION", "SYMMETRIC", "WRAP"], MODES, strict=True))


@pytest.mark.parametrize("example", specification_examples.PADDING, ids=str)
def test_specification_example(example: Example) -> None:
    fields = example.fields
    mode: Any = MODE_OF[fields["padding_mode"]]
    widths = list(zip(fields["start_padding"], fields["end_padding"], strict=True))
    constants = {"constant_values": fields["padding_value"]} if mode == "constant" else {}
    assert_same(dmlc.pad(example.inputs["input_tensor"], widths, mode, **constants), example.output)


def test_decision_3_reflection_of_a_single_element_repeats_it() -> None:
    assert_same(dmlc.pad(np.array([7], np.int8), 3, "reflect"), np.full(7, 7, np.int8))


# --- values -------------------------------------------------------------------------------------


@given(st.data())
def test_pad_is_the_twin(data: st.DataObject) -> None:
    shape = data.draw(strategies.shapes())
    mode = data.draw(strategies.modes)
    widths = data.draw(strategies.pad_widths(shape, mode))
    array = data.draw(strategies.laid_out(st.just(shape)))
    result = dmlc.pad(array, widths if shape else 0, mode)
    assert_same(result, padding.pad(array, widths, mode))
    assert_fresh(result)


@given(st.data())
def test_negative_widths_crop(data: st.DataObject) -> None:
    shape = data.draw(strategies.shapes(min_rank=1, max_rank=4))
    mode = data.draw(strategies.modes)
    widths = data.draw(strategies.pad_widths(shape, mode, crop=True))
    array = data.draw(strategies.laid_out(st.just(shape)))
    assert_same(dmlc.pad(array, widths, mode), padding.pad(array, widths, mode))


@pytest.mark.parametrize("mode", MODES)
def test_a_crop_of_everything_is_empty_and_of_more_is_an_error(mode: Any) -> None:
    assert dmlc.pad(np.arange(3), (-1, -2), mode).shape == (0,)
    with pytest.raises(ValueError):
        dmlc.pad(np.arange(3), (-2, -2), mode)


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
@pytest.mark.parametrize("mode", MODES)
def test_every_dtype(mode: Any, dtype: Any) -> None:
    array = random_values((3, 5), dtype, 1)
    widths = [(2, 7), (4, 3)]
    assert_same(dmlc.pad(array, widths, mode), padding.pad(array, widths, mode))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mode", MODES)
def test_every_layout(mode: Any, layout: str) -> None:
    for dtype in WIDTH_DTYPES:
        for shape in [(), (0, 3), (7,), (3, 5), (2, 3, 4), (2, 2, 1, 2, 1, 2)]:
            array = lay_out(random_values(shape, dtype, 2), layout)
            widths = [(0, 0) if n == 0 else (n + 1, 2) for n in shape]
            result = dmlc.pad(array, widths if shape else 1, mode)
            assert_same(result, padding.pad(array, widths, mode))


@pytest.mark.parametrize("mode", MODES)
def test_row_lengths_around_every_vector_width(mode: Any) -> None:
    """Rows of 1 to 80 elements, in blocks of rows, with borders on either side of them."""
    for dtype in WIDTH_DTYPES:
        for length in range(1, 81):
            array = random_values((3, length), dtype, length)
            widths = [(1, 2), (length % 7, length % 11)]
            assert_same(dmlc.pad(array, widths, mode), padding.pad(array, widths, mode))


# Whole and in parts, those that go round once and more often.
REARRANGED = [
    ((3, 97, 64), (1, 2, 0), ((2, 3), (5, 1), (0, 0))),
    ((61, 90, 3), (2, 0, 1), ((0, 0), (1, 1), (8, 9))),
    ((6, 40, 50, 4), (0, 3, 2, 1), ((1, 1), (0, 0), (3, 0), (0, 7))),
    ((28, 6, 12, 22), (3, 2, 1, 0), ((1, 9), (4, 4), (3, 3), (0, 0))),
    ((150, 240), (1, 0), ((120, 200), (0, 31))),
    ((60, 7, 35), (1, 2, 0), ((0, 0), (80, 41), (3, 2))),
    ((40, 90, 6), (0, 1, 2), ((0, 0), (80, 41), (13, 20))),
    ((2, 60, 35, 2, 16), (0, 4, 2, 3, 1), ((0, 0), (1, 2), (4, 4), (2, 1), (0, 0))),
]


@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("shape", "axes", "widths"), REARRANGED, ids=repr)
def test_axes_in_another_order(shape: Any, axes: Any, widths: Any, mode: Any, dtype: Any) -> None:
    values = random_values(shape, dtype, 3).transpose(axes)
    assert_same(dmlc.pad(values, widths, mode), np.pad(np.array(values, order="C"), widths, mode))
    apart = values[..., ::2]
    assert_same(dmlc.pad(apart, widths, mode), np.pad(np.array(apart, order="C"), widths, mode))


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("mode", MODES)
def test_images_with_channels(mode: Any, channels: int) -> None:
    for dtype in WIDTH_DTYPES:
        for height, width in [(1, 1), (2, 17), (9, 33), (5, 64)]:
            image = random_values((height, width, channels), dtype, width)
            for widths in [[(3, 4), (5, 2), (0, 0)], [(0, 0), (0, 0), (0, 1)]]:
                assert_same(dmlc.pad(image, widths, mode), padding.pad(image, widths, mode))


# --- NumPy's argument forms ---------------------------------------------------------------------

PAD_WIDTHS: list[Any] = [
    0,
    3,
    np.int8(3),
    np.int64(2),
    np.array(2),
    (1,),
    [2],
    (1, 2),
    [1, 2],
    ((1, 2),),
    [[1, 2]],
    [(2,)],
    ((1, 2), (3, 4)),
    [[1, 2], [3, 4]],
    ((1,), (2,)),
    np.array([[1], [2]]),
    np.array([1, 2], np.int16),
    np.array([[0, 5], [6, 0]]),
    np.array([[[1, 2], [3, 4]]])[0],
    {0: 1},
    {1: (2, 3)},
    {-1: 2},
    {0: (1, 2), -1: 3},
    {0: 1, -2: 2},
    {},
    True,
]


@pytest.mark.parametrize("pad_width", PAD_WIDTHS, ids=repr)
@pytest.mark.parametrize("mode", MODES)
def test_pad_width_forms(mode: Any, pad_width: Any) -> None:
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert_same_outcome(
        lambda: np.pad(array, pad_width, mode), lambda: dmlc.pad(array, pad_width, mode)
    )


@pytest.mark.parametrize("pad_width", [0, 2, (1, 2), ((1, 2),), (), {0: 1}], ids=repr)
@pytest.mark.parametrize("mode", MODES)
def test_pad_width_forms_of_a_scalar(mode: Any, pad_width: Any) -> None:
    array = np.array(5, np.uint16)
    assert_same_outcome(
        lambda: np.pad(array, pad_width, mode), lambda: dmlc.pad(array, pad_width, mode)
    )


BAD_PAD_WIDTHS: list[Any] = [
    1.0,
    1.5,
    (1.0, 2.0),
    np.float32(1),
    "1",
    None,
    1j,
    (1, 2, 3),
    ((1, 2, 3), (4, 5, 6)),
    ((1, 2), (3, 4), (5, 6)),
    [[1, 2], [3]],
    [],
    np.zeros((1, 2, 2), int),
    np.array([1, 2], np.uint8),
    np.array([True, False]),
    {2: 1},
    {-3: 1},
    {"0": 1},
    2**70,
    [2**70, 0],
]


@pytest.mark.parametrize("pad_width", BAD_PAD_WIDTHS, ids=repr)
@pytest.mark.parametrize("mode", MODES)
def test_wrong_pad_width_raises_what_numpy_raises(mode: Any, pad_width: Any) -> None:
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert_same_outcome(
        lambda: np.pad(array, pad_width, mode), lambda: dmlc.pad(array, pad_width, mode)
    )


@pytest.mark.parametrize("pad_width", [{0: 1.5}, {0: (1, 2, 3)}, {0: None}], ids=repr)
def test_wrong_widths_in_a_dict(pad_width: Any) -> None:
    """NumPy raises AssertionError here, which says nothing about the caller's mistake."""
    with pytest.raises((TypeError, ValueError)):
        dmlc.pad(np.zeros((2, 3)), pad_width)


CONSTANT_VALUES: list[tuple[Any, Any]] = [
    ("int32", 7),
    ("int32", -7),
    ("int32", 10.6),
    ("int32", -10.6),
    ("int32", True),
    ("uint8", 255),
    ("int64", 2**63 - 1),
    ("int64", -(2**63)),
    ("uint64", 2**64 - 1),
    ("float32", 0.1),
    ("float32", float("nan")),
    ("float32", float("inf")),
    ("float32", np.float64(1) / 3),
    ("float16", 65504),
    ("float16", 1e-7),
    ("float64", np.float32(0.1)),
    ("complex64", 1 + 2j),
    ("complex64", 3),
    ("bool", True),
    ("bool", 0),
    ("bool", 5),
    ("int32", np.array(5)),
    ("int32", (1, 2)),
    ("int32", [(1, 2)]),
    ("int32", [(1, 2), (3, 4)]),
    ("int32", [[1], [2]]),
    ("int32", [5]),
    ("float32", [(1.5, 2.5), (3.5, 4.5)]),
    ("float64", np.array([[1, 2], [3, 4]], np.float32)),
    ("int16", [(1.9, 2.9), (-3.9, 4.9)]),
    ("datetime64[s]", np.datetime64("2020-01-01")),
    ("int32", (1, 2, 3)),
    ("int32", [(1, 2), (3, 4), (5, 6)]),
    ("int32", "x"),
    ("float32", "x"),
    ("int32", [[1, 2], [3]]),
]


@pytest.mark.parametrize(("dtype", "values"), CONSTANT_VALUES, ids=repr)
def test_constant_values_forms(dtype: str, values: Any) -> None:
    array = np.arange(6).reshape(2, 3).astype(dtype)
    for widths in [[(1, 2), (3, 1)], [(0, 0), (2, 0)], [(0, 1), (0, 0)]]:
        assert_same_outcome(
            partial(np.pad, array, widths, constant_values=values),
            partial(dmlc.pad, array, widths, constant_values=values),
        )


@pytest.mark.parametrize("values", [300, -1, 2**40, -(2**40), np.int64(300)], ids=repr)
def test_constant_values_outside_the_type_are_what_numpy_makes_of_them(values: Any) -> None:
    array = np.arange(3, dtype=np.uint8)
    assert_same_outcome(
        lambda: np.pad(array, 1, constant_values=values),
        lambda: dmlc.pad(array, 1, constant_values=values),
    )


@given(st.data())
def test_constant_values_by_side(data: st.DataObject) -> None:
    shape = data.draw(strategies.shapes(min_rank=1, max_rank=4))
    widths = data.draw(strategies.pad_widths(shape, "constant"))
    array = data.draw(strategies.laid_out(st.just(shape), st.just(np.dtype(np.int16))))
    fill = random_values((len(shape), 2), np.dtype(np.int16), data.draw(strategies.seeds))
    result = dmlc.pad(array, widths, constant_values=fill)
    assert_same(result, np.pad(array, widths, constant_values=fill))


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_constant_values_of_another_mode_raise_what_numpy_raises(mode: Any) -> None:
    array = np.arange(3)
    assert_same_outcome(
        lambda: np.pad(array, 1, mode, constant_values=5),
        lambda: dmlc.pad(array, 1, mode, constant_values=5),
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (0, 0), (2, 0, 1)])
@pytest.mark.parametrize("pad_width", [0, 1, (0, 2)], ids=repr)
def test_empty_arrays(mode: Any, shape: tuple[int, ...], pad_width: Any) -> None:
    array = np.zeros(shape, np.float32)
    assert_same_outcome(
        lambda: np.pad(array, pad_width, mode), lambda: dmlc.pad(array, pad_width, mode)
    )


@pytest.mark.parametrize("mode", MODES)
def test_empty_arrays_padded_along_other_axes(mode: Any) -> None:
    array = np.zeros((0, 3), np.float32)
    assert dmlc.pad(array, [(0, 0), (1, 2)], mode).shape == (0, 6)


@pytest.mark.parametrize("mode", ["nonsense", "CONSTANT", "mean", "linear_ramp", "empty", "", None])
def test_unknown_modes(mode: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        dmlc.pad(np.arange(3), 1, mode)


def test_a_sum_of_sizes_that_overflows_is_an_error() -> None:
    with pytest.raises((ValueError, MemoryError, OverflowError)):
        dmlc.pad(np.arange(3), 2**62)
    with pytest.raises((ValueError, MemoryError, OverflowError)):
        dmlc.pad(np.arange(3), 2**63 - 1)
    with pytest.raises((ValueError, MemoryError, OverflowError)):
        dmlc.pad(np.zeros((3, 3, 3)), 2**40)


# --- pad_sequence -------------------------------------------------------------------------------


@given(
    data=st.data(),
    lengths=st.lists(st.integers(0, 40), min_size=1, max_size=6),
    tail=strategies.shapes(max_rank=2, max_elements=12),
    dtype=strategies.all_dtypes,
    side=st.sampled_from(["left", "right"]),
    multiple_of=st.integers(1, 9),
)
def test_pad_sequence_is_the_twin(
    data: st.DataObject,
    lengths: list[int],
    tail: tuple[int, ...],
    dtype: Any,
    side: Any,
    multiple_of: int,
) -> None:
    rows = [
        lay_out(random_values((n, *tail), dtype, n), data.draw(strategies.layouts)) for n in lengths
    ]
    batch, mask = dmlc.pad_sequence(rows, side=side, multiple_of=multiple_of, return_mask=True)
    expected, expected_mask = padding.pad_sequence(rows, side, multiple_of=multiple_of)
    assert_same(batch, expected)
    assert_same(mask, expected_mask)
    assert_fresh(batch)
    assert_fresh(mask)


def test_pad_sequence_value_and_plain_lists() -> None:
    batch = dmlc.pad_sequence([[1, 2, 3], [4]], value=-1)
    assert_same(batch, np.array([[1, 2, 3], [4, -1, -1]]))
    tokens = [np.array([1, 2], np.int32), np.array([], np.int32)]
    assert_same(
        dmlc.pad_sequence(tokens, side="left", value=9, multiple_of=4),
        np.array([[9, 9, 1, 2], [9, 9, 9, 9]], np.int32),
    )


def test_pad_sequence_errors() -> None:
    rows = [np.zeros((2, 3)), np.zeros((1, 3))]
    with pytest.raises(ValueError, match="side"):
        dmlc.pad_sequence(rows, side="middle")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="multiple_of"):
        dmlc.pad_sequence(rows, multiple_of=0)
    with pytest.raises(ValueError):
        dmlc.pad_sequence([])
    with pytest.raises(ValueError):
        dmlc.pad_sequence([np.zeros((2, 3)), np.zeros((1, 4))])
    with pytest.raises(ValueError):
        dmlc.pad_sequence([np.zeros(()), np.zeros(())])


def test_pad_sequence_promotes_different_types() -> None:
    rows: list[Any] = [np.array([1, 2], np.int8), np.array([2.5], np.float32)]
    assert_same(dmlc.pad_sequence(rows), np.array([[1, 2], [2.5, 0]], np.float32))
