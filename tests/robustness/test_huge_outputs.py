"""Outputs beyond 2^31 and 2^32 bytes: no offset is cut to 32 bits. One at a time, given back at once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dmlc
from robustness.processes import run_python

pytestmark = pytest.mark.long

SIZES = [2**31 + 12_345, 2**32 + 12_345]


def available_bytes() -> int:
    with open("/proc/meminfo") as lines:
        for line in lines:
            if line.startswith("MemAvailable"):
                return int(line.split()[1]) * 1024
    return 0


@pytest.fixture(autouse=True)
def give_back() -> Iterator[None]:
    cache = dmlc.show_config()["output_cache"]
    dmlc.set_output_cache(0)
    yield
    dmlc.set_output_cache(cache)


def needs(size: int) -> None:
    if sys.platform != "linux":
        pytest.skip("free memory is read from /proc")
    if available_bytes() < 2 * size + 2**30:
        pytest.skip(f"less than {2 * size + 2**30} bytes of memory are free")


def places(size: int) -> Any:
    """Both ends, and both sides of what 31, 32 and 33 bits hold."""
    near = [0, 1, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, size - 2, size - 1]
    return np.array([place for place in near if place < size])


@pytest.mark.parametrize("size", SIZES)
def test_wrap_far_beyond_the_input(size: int) -> None:
    needs(size)
    row = np.arange(251, dtype=np.uint8)
    result = dmlc.pad(row, (7, size - 251 - 7), "wrap")
    assert result.size == size
    at = places(size)
    np.testing.assert_array_equal(result[at], (at - 7) % 251)
    # All of it: whole turns of one block equal those of every other.
    block = 251 * 2**18
    for begin in range(0, size, block):
        part = result[begin : begin + block]
        assert np.array_equal(part, result[: part.size]), begin


@pytest.mark.parametrize("size", SIZES)
def test_one_hot_of_a_far_index(size: int) -> None:
    needs(size)
    result = dmlc.one_hot(np.array([size - 3]), size, dtype=np.uint8)
    assert result.shape == (1, size)
    assert result[0, size - 3] == 1
    assert np.count_nonzero(result) == 1


def test_a_band_in_many_rows() -> None:
    rows, columns = 2**16 + 1, 2**16 - 1
    needs(rows * columns)
    result = dmlc.diagonal_matrix((rows, columns), -1, 1, 1, dtype=np.uint8)
    assert np.count_nonzero(result) == 2 * columns
    for row in (0, 1, 2**15, 2**16 - 2, 2**16 - 1, 2**16):
        assert np.flatnonzero(result[row]).tolist() == [
            column for column in (row - 1, row) if 0 <= column < columns
        ]


def test_a_copy_that_reads_backwards_over_4_gibibytes() -> None:
    size = SIZES[1]
    needs(2 * size)
    source = np.zeros(size, np.uint8)
    at = places(size)
    source[at] = np.arange(1, at.size + 1)
    result = dmlc.copy(source[::-1])
    np.testing.assert_array_equal(result[size - 1 - at], np.arange(1, at.size + 1))
    assert np.count_nonzero(result) == at.size


def test_in_an_interpreter_without_these_tests_memory() -> None:
    """Offsets of an input beyond 2^32 bytes: a view of few elements that lie far apart."""
    size = SIZES[1]
    needs(size)
    assert (
        run_python(
            f"""
import numpy as np, dmlc
source = np.zeros({size}, np.uint8)  # pages that are not touched take no memory
source[::2**30] = np.arange(1, 6)
print(dmlc.copy(source[::2**30]).tolist(), dmlc.flip(source[::2**30]).tolist())
"""
        ).split("\n")[0]
        == "[1, 2, 3, 4, 5] [5, 4, 3, 2, 1]"
    )
