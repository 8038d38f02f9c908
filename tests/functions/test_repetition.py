"""dmlc.tile and dmlc.repeat."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlc
import strategies
from arrays import (
    LAYOUTS,
    WIDTH_DTYPES,
    Array,
    Target,
    assert_fresh,
    assert_same,
    lay_out,
    random_values,
)
from functions.outcomes import assert_same_outcome
from reference import padding


@given(st.data())
def test_tile_is_a_wrapped_window(data: st.DataObject) -> None:
    array = data.draw(strategies.laid_out(strategies.shapes(1, 4, max_elements=100)))
    reps = [data.draw(st.integers(0, 4)) for _ in array.shape]
    shape = [n * count for n, count in zip(array.shape, reps, strict=True)]
    expected = padding.window(array, [0] * array.ndim, shape, "wrap")
    result = dmlc.tile(array, reps)
    assert_same(result, expected)
    assert_fresh(result)
    target = Target(expected.shape, expected.dtype, data.draw(strategies.writable_layouts))
    assert dmlc.tile(array, reps, out=target.view) is target.view
    assert_same(np.array(target.view, order="C"), expected)
    target.assert_gaps_untouched()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "shape, reps", [((40, 9), (3, 4)), ((7, 5, 11, 3), (2, 1, 3, 1)), ((1500,), 2)]
)
@pytest.mark.parametrize("dtype", ["u1", "f2", "i4", "f8", "c16"])
def test_tiles_of_elements_that_lie_apart(
    layout: str, shape: tuple[int, ...], reps: Any, dtype: str
) -> None:
    array = lay_out(random_values(shape, np.dtype(dtype)), layout)
    values = np.array(array, order="C")
    expected = np.tile(values, reps)
    result = dmlc.tile(array, reps)
    assert_same(result, expected)
    assert_fresh(result)
    assert_same(np.array(array, order="C"), values)
    target = Target(expected.shape, expected.dtype, "outer_gap")
    assert dmlc.tile(array, reps, out=target.view) is target.view
    assert_same(np.array(target.view, order="C"), expected)
    target.assert_gaps_untouched()


def test_tiles_over_elements_that_lie_apart() -> None:
    memory: Array = random_values((9000,), np.dtype(np.int16), 1)
    expected = np.tile(memory[1:6001:2].copy(), 3)
    assert dmlc.tile(memory[1:6001:2], 3, out=memory) is memory
    assert_same(memory, expected)


class Counts:
    """As tensors of PyTorch, whose `size` is a method."""

    def __init__(self, values: Any) -> None:
        self.values = np.array(values)
        self.shape, self.ndim = self.values.shape, self.values.ndim

    def size(self) -> None:
        raise AssertionError

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.values.astype(dtype or self.values.dtype)


@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
@pytest.mark.parametrize("count", [2, 3, 17])
def test_repeats_of_elements_that_lie_apart(count: int, dtype: Any) -> None:
    """Read once, a long axis in parts, and written many times."""
    for shape in ((500, 200), (40, 25, 5), (9, 331, 2), (7, 12, 30, 8)):
        array = random_values(tuple(2 * size for size in shape), dtype, 4)
        for apart in (
            array[tuple(slice(None, None, 2) for _ in shape)],
            array[..., : shape[-1]],
            array[::-2].T,
        ):
            for axis in range(apart.ndim):
                assert_same(dmlc.repeat(apart, count, axis), np.repeat(apart, count, axis))


def test_counts_that_are_no_arrays() -> None:
    array = np.arange(6).reshape(2, 3)
    assert_same(dmlc.repeat(array, Counts([2, 0, 1]), 1), np.repeat(array, [2, 0, 1], 1))
    assert_same(dmlc.repeat(array, Counts(3), 0), np.repeat(array, 3, 0))
    assert_same(dmlc.roll(array, Counts(4)), np.roll(array, 4))
    assert_same(dmlc.roll(array, Counts([1, 2]), (0, 1)), np.roll(array, (1, 2), (0, 1)))


@given(st.data())
def test_repeat_is_numpys_take(data: st.DataObject) -> None:
    array = data.draw(strategies.laid_out(strategies.shapes(1, 4, max_elements=100)))
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    n = array.shape[axis]
    count: Any = data.draw(st.integers(0, 5) | st.lists(st.integers(0, 4), min_size=n, max_size=n))
    places = [i for i in range(n) for _ in range(count if isinstance(count, int) else count[i])]
    tables = [np.arange(size) for size in array.shape]
    tables[axis] = np.array(places, np.int64)
    expected = padding.gather(array, tables)
    result = dmlc.repeat(array, count, axis)
    assert_same(result, expected)
    assert_fresh(result)
    target = Target(expected.shape, expected.dtype, data.draw(strategies.writable_layouts))
    assert dmlc.repeat(array, count, axis, out=target.view) is target.view
    assert_same(np.array(target.view, order="C"), expected)
    target.assert_gaps_untouched()


ARRAYS: list[Any] = [
    np.arange(12).reshape(3, 4),
    np.arange(12).reshape(4, 3).T,
    np.zeros((0, 3)),
    np.zeros((2, 0)),
    np.array(5),
    7,
    [1, 2],
    np.arange(3, dtype=">i4"),
]
REPS: list[Any] = [
    *(0, 1, 2, -1, True, None, 2.0, "2", (), (2,), [2, 3], (2, 1, 3), (2, -1), (0, 1), (1, 1, 1)),
    *((2, 1.5), np.int8(2), np.array(2), np.array([1, 2]), range(3), {2: 1}, (1,) * 65, 2**62),
    *((-1, 0), (1, -1), b"12"),
]


@pytest.mark.parametrize("reps", REPS, ids=repr)
def test_every_form_of_a_tile_is_numpys(reps: Any) -> None:
    for array in ARRAYS:
        assert_same_outcome(lambda: np.tile(array, reps), lambda: dmlc.tile(array, reps))  # noqa: B023


COUNTS: list[Any] = [
    *(0, 1, 3, -1, True, None, 2.0, "2", (), (2,), [2, 3], [1, 2, 0], [1, 0, 2, 3], [1, -1, 2]),
    *(
        [1.5, 2, 3],
        np.int8(2),
        np.uint64(2),
        np.array(2),
        np.array([[1, 2]]),
        [[2]],
        range(3),
        range(12),
    ),
    *(2**70, [True, False, True], np.array([2], "u1"), "abc"),
]


@pytest.mark.parametrize("axis", [None, 0, 1, -1, 2, 1.0, "0", True, np.int8(0)], ids=repr)
@pytest.mark.parametrize("repeats", COUNTS, ids=repr)
def test_every_form_of_a_repeat_is_numpys(repeats: Any, axis: Any) -> None:
    for array in ARRAYS:
        assert_same_outcome(
            lambda: np.repeat(array, repeats, axis),  # noqa: B023
            lambda: dmlc.repeat(array, repeats, axis),  # noqa: B023
        )


def test_over_their_own_input() -> None:
    memory: Array = random_values((64,), np.dtype(np.int16), 1)
    for call in (
        lambda a, **k: dmlc.tile(a, 4, **k),
        lambda a, **k: dmlc.repeat(a, 4, **k),
        lambda a, **k: dmlc.repeat(a, [4] * 16, **k),
    ):
        row = memory.copy()
        expected = call(row[8:24].copy())
        assert call(row[8:24], out=row) is row
        assert_same(row, expected)
