"""The cache of output buffers: memory is used again, never while someone still looks at it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import dmlc
from arrays import assert_fresh, assert_same, random_values


@pytest.fixture(autouse=True)
def restore_cache() -> Iterator[None]:
    yield
    dmlc.set_output_cache(256 * 2**20)
    dmlc.clear_output_cache()


@pytest.mark.parametrize("nbytes", [0, 2**20, 2**28])
def test_results_do_not_depend_on_the_cache(nbytes: int) -> None:
    dmlc.set_output_cache(nbytes)
    array = random_values((1200, 1500), np.dtype(np.int32), 1)
    expected = np.pad(array, 3, "edge")
    for _ in range(5):
        result = dmlc.pad(array, 3, "edge")
        assert_same(result, expected)
        assert_fresh(result)
        result.fill(7)


def test_live_outputs_never_share_memory() -> None:
    dmlc.set_output_cache(2**28)
    array = random_values((1000, 1100), np.dtype(np.int32), 1)
    kept = [dmlc.copy(array) for _ in range(8)]
    del kept[::2]
    kept += [dmlc.copy(array) for _ in range(4)]
    for index, one in enumerate(kept):
        assert_same(one, array)
        assert not any(np.shares_memory(one, other) for other in kept[index + 1 :])


def test_a_view_keeps_its_memory() -> None:
    dmlc.set_output_cache(2**28)
    array = random_values((1000, 1100), np.dtype(np.int32), 1)
    view = dmlc.copy(array)[500:]
    for _ in range(3):
        dmlc.flip(array)
    assert_same(view.copy(), array[500:])


def test_outputs_outlive_a_cleared_cache() -> None:
    dmlc.set_output_cache(2**28)
    array = random_values((1000, 1100), np.dtype(np.int32), 1)
    kept = dmlc.copy(array)
    dmlc.clear_output_cache()
    dmlc.set_output_cache(0)
    assert_same(kept, array)


def test_a_negative_size_is_an_error() -> None:
    with pytest.raises((ValueError, OverflowError)):
        dmlc.set_output_cache(-1)
