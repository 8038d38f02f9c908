"""dmlc.window and dmlc.roll."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.padding import MODES

import dmlc
import strategies
from arrays import ALL_DTYPES, LAYOUTS, Array, assert_fresh, assert_same, lay_out, random_values
from functions.outcomes import assert_same_outcome
from reference import padding

FAR = st.sampled_from([2**40, -(2**40), 2**62 - 1, 2**62, -(2**62), 2**63, 2**200, -(2**200)])


@st.composite
def windows(draw: st.DrawFn, shape: tuple[int, ...], mode: str) -> tuple[list[int], list[int]]:
    """Starts and sizes: inside, overlapping, outside, and farther away than an int64 counts."""
    starts, sizes = [], []
    for n in shape:
        starts.append(draw(st.integers(-3 * n - 4, 3 * n + 4) | FAR))
        most = 0 if n == 0 and mode != "constant" else 12
        sizes.append(draw(st.integers(0, min(most, 40 // len(shape)))))
    return starts, sizes


@given(st.data())
def test_window_is_the_twin(data: st.DataObject) -> None:
    array = data.draw(strategies.laid_out(strategies.shapes(max_rank=4, max_elements=300)))
    mode = data.draw(strategies.modes)
    starts, sizes = data.draw(windows(array.shape, mode))
    result = dmlc.window(array, starts, sizes, mode)
    assert_same(result, padding.window(array, starts, sizes, mode))
    assert_fresh(result)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_dtype_and_layout(layout: str, mode: Any) -> None:
    for dtype in ALL_DTYPES:
        array = lay_out(random_values((3, 4, 5), dtype, 1), layout)
        for start, shape in [
            ((-2, 1, -7), (6, 2, 33)),
            ((1, 1, 1), (2, 2, 3)),
            ((9, 0, 0), (3, 4, 5)),
        ]:
            expected = padding.window(array, start, shape, mode)
            assert_same(dmlc.window(array, start, shape, mode), expected)


@pytest.mark.parametrize("mode", MODES)
def test_a_padding_is_a_window(mode: Any) -> None:
    array = random_values((3, 4), np.dtype(np.int16), 1)
    padded = dmlc.pad(array, ((1, 2), (7, 3)), mode)
    assert_same(dmlc.window(array, (-1, -7), (6, 14), mode), padded)
    assert_same(dmlc.window(array, (1, -2), (2, 3), mode), padded[2:4, 5:8].copy())


def test_constant_values_and_a_single_axis() -> None:
    assert_same(dmlc.window([1, 2], -1, 4, constant_values=9), np.array([9, 1, 2, 9]))
    assert_same(dmlc.window(np.int8(3), (), ()), np.array(3, np.int8))
    records = np.array([b"12345678", b"abcdefgh"], "V8")
    assert_same(dmlc.window(records, 1, 2), np.array([b"abcdefgh", bytes(8)], "V8"))
    assert_same(
        dmlc.window(np.zeros((0, 2)), (5, 0), (2, 1), constant_values=7), np.full((2, 1), 7.0)
    )


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        (((0,), (2, 3)), {}, r"start must have one entry for each of 2 axes, got 1"),
        (((0, 0, 0), (2, 3)), {}, r"start must have one entry for each of 2 axes, got more"),
        ((0, (2, 3)), {}, r"start must have one entry for each of 2 axes, got 1"),
        (((0, 0), (2,)), {}, r"shape must have one entry for each of 2 axes, got 1"),
        (((0, 0), (2, -3)), {}, r"shape\[1\] must be at least 0, got -3"),
        (((0, 0), (2, 3), "mean"), {}, "mode must be one of constant, .*, got 'mean'"),
        (((0, 0), (2, 3), None), {}, "mode must be one of .*, got None"),
        (((0, 0), (2, 3), "wrap"), {"constant_values": 5}, "constant_values must be left out"),
    ],
)
def test_window_errors(arguments: Any, keywords: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^window: {message}"):
        dmlc.window(np.zeros((2, 3)), *arguments, **keywords)


def test_window_types() -> None:
    for start, shape in [
        ((0.5, 0), (1, 1)),
        ((0, 0), ("1", 1)),
        (None, (1, 1)),
        ((0, 0), {1.5, 2}),
    ]:
        with pytest.raises(TypeError, match="window: (start|shape)"):
            dmlc.window(np.zeros((2, 3)), start, shape)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", MODES[1:])
def test_nothing_cannot_be_extended(mode: Any) -> None:
    with pytest.raises(
        ValueError, match=r"window: shape\[1\] must be 0 in mode .* along axis 1, got 2"
    ):
        dmlc.window(np.zeros((3, 0)), (0, 0), (3, 2), mode)
    assert dmlc.window(np.zeros((3, 0)), (7, -7), (3, 0), mode).shape == (3, 0)


def test_sizes_beyond_memory_are_refused() -> None:
    for shape in [(2**60, 1), (2**62, 2**62), (2**70, 1)]:
        with pytest.raises((ValueError, MemoryError, OverflowError)):
            dmlc.window(np.zeros((2, 3)), (0, 0), shape)


# --- roll ---------------------------------------------------------------------------------------


@given(st.data())
def test_roll_is_a_wrapped_window(data: st.DataObject) -> None:
    array = data.draw(strategies.laid_out(strategies.shapes(1, 4, max_elements=300)))
    shifts = [data.draw(st.integers(-20, 20) | FAR) for _ in array.shape]
    axes = tuple(range(array.ndim))
    result = dmlc.roll(array, shifts, axes)
    assert_same(result, padding.window(array, [-s for s in shifts], array.shape, "wrap"))
    assert_fresh(result)


def test_shifts_that_no_integer_type_holds_together_are_exact() -> None:
    array = np.arange(2.0).reshape(1, 2, 1)
    shifts = (0, 2**62 - 1, 2**63)  # NumPy makes floats of them, and an even shift of the second
    assert_same(dmlc.roll(array, shifts, (0, 1, 2)), array[:, ::-1].copy())


SHIFTS: list[Any] = [
    *(0, 1, -1, 7, 2**40, -(2**63), 2**70, True, 1.7, -1.7, "1", "x", None, float("nan"), 1j),
    *(np.int8(-2), np.uint64(2**64 - 1), (1, 2), [1, -2], (1, 2, 3), np.array([1, 2]), [[1, 2]]),
    *([1.5, 2.5], (), np.array(3), np.array([[1], [2]]), "12", b"1", range(2)),
]
AXES: list[Any] = [
    None,
    0,
    1,
    -1,
    2,
    -3,
    (0, 1),
    (1, 1),
    [0],
    (0, 1, 0),
    (),
    1.0,
    "0",
    np.int64(1),
    True,
]


@pytest.mark.parametrize("axis", AXES, ids=repr)
@pytest.mark.parametrize("shift", SHIFTS, ids=repr)
def test_every_form_of_a_roll_is_numpys(shift: Any, axis: Any) -> None:
    for array in (np.arange(12).reshape(3, 4), np.arange(12).reshape(4, 3).T, np.zeros((0, 3))):
        assert_same_outcome(
            lambda: np.roll(array, shift, axis),  # noqa: B023
            lambda: dmlc.roll(array, shift, axis),  # noqa: B023
        )


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (2, 1, 3)])
def test_shapes_of_a_roll(shape: tuple[int, ...]) -> None:
    array = random_values(shape, np.dtype(np.int16), 1)
    assert_same_outcome(lambda: np.roll(array, 2), lambda: dmlc.roll(array, 2))
    assert_same_outcome(lambda: np.roll(array, 2, -1), lambda: dmlc.roll(array, 2, -1))


def test_rolls_of_all_elements_into_any_memory() -> None:
    array: Array = np.arange(12).reshape(3, 4)
    for source in (array, array.T, array[::-1]):
        expected = np.roll(source, 5)
        for out in (np.zeros_like(expected), np.zeros((4, 3), int).T, np.zeros((6, 4), int)[::2]):
            if out.shape == expected.shape:
                assert dmlc.roll(source, 5, out=out) is out
                assert_same(np.array(out, order="C"), expected)
    row = array.copy()
    dmlc.roll(row, 5, out=row)
    assert_same(row, np.roll(array, 5))


def test_shifts_that_only_claim_to_be_so_many_are_refused() -> None:
    for shift in (range(2**40), np.broadcast_to(1, 2**40)):
        with pytest.raises(
            ValueError, match="shift must have at most 65536 entries, got 1099511627776"
        ):
            dmlc.roll([1, 2], shift, 0)
