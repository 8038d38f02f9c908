"""Arrays beyond the caches: streaming stores, several threads and many blocks, still exact."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from reference.padding import MODES

import dmlc
from arrays import random_values
from functions.outcomes import fresh_result

MEBI = 2**20


def assert_equal(call: Callable[[], Any], expected: Any) -> None:
    """Like assert_same, without copying: the elements here hold no NaN."""
    expected = np.ascontiguousarray(expected)
    actual = fresh_result(call, expected)
    assert actual.dtype == expected.dtype
    assert np.array_equal(actual, expected)


@pytest.mark.parametrize("mode", MODES)
def test_pad_of_one_large_image(mode: Any) -> None:
    image = random_values((2100, 2900, 3), np.dtype(np.uint8), 1)
    expected = np.pad(image, [(70, 33), (5, 64), (0, 0)], mode)
    assert_equal(lambda: dmlc.pad(image, [(70, 33), (5, 64), (0, 0)], mode), expected)


def test_pad_of_64_mebibytes() -> None:
    values = np.arange(16 * MEBI, dtype=np.int32).reshape(4, 1024, 4096)
    expected = np.pad(values, [(0, 0), (1, 1), (3, 2)], "reflect")
    assert_equal(lambda: dmlc.pad(values, [(0, 0), (1, 1), (3, 2)], "reflect"), expected)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_one_hot_of_a_large_map(axis: int) -> None:
    labels = random_values((700, 1100), np.dtype(np.uint8), 2) % 21
    expected = np.eye(21, dtype=np.float32)[labels]
    expected = np.moveaxis(expected, -1, axis)
    assert_equal(lambda: dmlc.one_hot(labels, 21, axis=axis), expected)


def test_one_hot_of_a_vocabulary() -> None:
    tokens = (np.arange(300) * 7919) % 50257
    expected = np.zeros((300, 50257), np.float16)
    expected[np.arange(300), tokens] = 1
    assert_equal(lambda: dmlc.one_hot(tokens, 50257, dtype=np.float16), expected)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64"])
def test_copies_of_large_views(dtype: str) -> None:
    values = random_values((1500, 2001, 3), np.dtype(dtype), 3)
    views = [values[:, ::-1], values[..., ::-1], values[::2, ::3], values.transpose(2, 0, 1)]
    for view in views:
        assert_equal(partial(dmlc.copy, view), np.array(view, order="C"))


def test_large_triangles_and_bands() -> None:
    values = random_values((3, 2000, 2100), np.dtype(np.int32), 4)
    assert_equal(lambda: dmlc.tril(values, 5), np.tril(values, 5))
    assert_equal(lambda: dmlc.triu(values, -5), np.triu(values, -5))
    assert_equal(lambda: dmlc.eye(3000, 4000, 7), np.eye(3000, 4000, 7))
    mask = np.triu(np.full((4000, 4000), -np.inf, np.float32), 1)
    assert_equal(lambda: dmlc.causal_mask(4000), mask)


def test_boxes_that_read_places_two_gigabytes_apart() -> None:
    rows, apart = 40000, 2**31
    try:
        memory = np.zeros(apart + 180 * rows, np.uint8)
    except MemoryError:
        pytest.skip("no two gigabytes of addresses are to be had")
    memory[: 180 * rows] = random_values((180 * rows,), np.dtype(np.uint8), 5)
    memory[apart:] = random_values((180 * rows,), np.dtype(np.uint8), 6)
    strides = (180, apart, 60, 1)
    view = np.lib.stride_tricks.as_strided(memory, (rows, 2, 3, 60), strides)[..., ::-1]
    with dmlc.num_threads(1):
        assert_equal(lambda: dmlc.copy(view), np.array(view, order="C"))
