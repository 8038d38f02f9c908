"""Comparisons: what differs, where, and how far apart units in the last place are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlc.adapters.dxdispatch.comparing import _distance, _equal, _ordered, compare_files

FLOATS = [np.float16, np.float32, np.float64]


def compare(tmp_path: Path, got: Any, expected: Any, ulp: int | None = None) -> Any:
    np.save(tmp_path / "got.npy", got)
    np.save(tmp_path / "expected.npy", expected)
    return compare_files(str(tmp_path / "got.npy"), str(tmp_path / "expected.npy"), ulp)


def test_the_first_difference_in_row_major_order(tmp_path: Path) -> None:
    expected = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    got = np.asfortranarray(expected.copy())
    got[1, 0, 3] = got[1, 2, 0] = -1
    comparison = compare(tmp_path, got, expected)
    assert comparison.coordinates == (1, 0, 3)
    assert (comparison.value, comparison.expected_value) == (-1, 15)
    assert (comparison.differing, comparison.elements) == (2, 24)
    assert comparison.line().endswith(
        "at [1, 0, 3]: got -1 (0xFFFF), expected 15 (0x000F); 2 of 24 elements differ"
    )


def test_scalars(tmp_path: Path) -> None:
    assert compare(tmp_path, np.float16(1), np.float16(1)).is_equal
    comparison = compare(tmp_path, np.float16(1), np.float16(2))
    assert comparison.coordinates == ()
    assert "at []: got 1.0 (0x3C00), expected 2.0 (0x4000)" in comparison.line()


@pytest.mark.parametrize("dtype", FLOATS)
def test_bits_tell_zeros_and_nans_apart(tmp_path: Path, dtype: Any) -> None:
    zero = np.zeros(1, dtype)
    nan = np.full(1, np.nan, dtype)
    assert not compare(tmp_path, zero, -zero).is_equal
    assert not compare(tmp_path, nan, -nan).is_equal
    assert compare(tmp_path, nan, nan).is_equal
    # In units in the last place they are alike.
    assert compare(tmp_path, zero, -zero, 0).is_equal
    assert compare(tmp_path, nan, -nan, 0).is_equal
    assert not compare(tmp_path, nan, zero, 2**62).is_equal


@pytest.mark.parametrize("dtype", FLOATS)
def test_units_across_zero_and_to_infinity(dtype: Any) -> None:
    least = np.nextafter(dtype(0), dtype(1))
    most = np.finfo(dtype).max
    pairs = [
        (least, -least, 2),
        (most, dtype(np.inf), 1),
        (dtype(1), np.nextafter(dtype(1), dtype(0)), 1),
    ]
    for first, second, apart in pairs:
        arrays = (np.array([first]), np.array([second]))
        assert _equal(*arrays, apart).all()
        assert not _equal(*arrays, apart - 1).any()


@given(st.floats(width=32, allow_nan=False), st.integers(0, 300))
def test_units_are_steps_to_the_next_number(start: float, steps: int) -> None:
    value = np.float32(start)
    with np.errstate(over="ignore"):
        for _ in range(steps):
            value = np.nextafter(value, np.float32(np.inf))
    bits = [_ordered(np.array([x], np.float32).view(np.uint32)) for x in (start, value)]
    reached = np.isinf(value)
    assert _distance(*bits)[0] == steps or reached


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_integers_count_units_too(dtype: Any) -> None:
    limits = np.iinfo(dtype)
    first, second = np.array([limits.min], dtype), np.array([limits.max], dtype)
    span = int(limits.max) - int(limits.min)
    assert _equal(first, second, span).all()
    assert not _equal(first, second, span - 1).any()
