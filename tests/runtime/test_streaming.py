"""Streaming stores, which only outputs above the last-level cache get, on outputs of every size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import dmlc
from arrays import WIDTH_DTYPES, Array, Target, assert_same, random_values
from dmlc import _dmlc
from reference import padding

COLUMNS = (3, 64, 97, 300, 1000)


@pytest.fixture(autouse=True)
def no_cache() -> Iterator[None]:
    _dmlc.set_cache_bytes(1)
    yield
    _dmlc.set_cache_bytes(0)


def values(shape: tuple[int, ...], dtype: np.dtype) -> Array:
    return random_values(shape, dtype, 7)


def assert_copied(view: Array) -> None:
    """Into memory that is not aligned, and nothing beside it."""
    target = Target(view.shape, view.dtype, "unaligned")
    dmlc.copy(view, out=target.view)
    assert_same(np.array(target.view, order="C"), np.array(view, order="C"))
    target.assert_gaps_untouched()


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
def test_padding(mode: str, dtype: np.dtype, columns: int) -> None:
    array = values((2, 5, columns), dtype)
    widths = ((0, 0), (1, 2), (3, 2))
    expected = padding.pad(array, widths, mode)
    target = Target(expected.shape, dtype, "unaligned")
    dmlc.pad(array, widths, mode, out=target.view)
    assert_same(np.array(target.view, order="C"), expected)
    target.assert_gaps_untouched()


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
def test_copies_and_bands(dtype: np.dtype, columns: int) -> None:
    array = values((7, columns), dtype)
    assert_same(dmlc.copy(array[::-1]), np.array(array[::-1], order="C"))
    assert_same(dmlc.copy(array[:, 1:]), np.array(array[:, 1:], order="C"))
    assert_same(dmlc.tril(array, columns - 5), np.tril(array, columns - 5))
    assert_same(dmlc.eye(7, columns, 2, dtype), np.eye(7, columns, 2, dtype))


@pytest.mark.parametrize("depth", COLUMNS)
@pytest.mark.parametrize("axis", [0, 1])
def test_one_hot(axis: int, depth: int) -> None:
    indices = np.arange(0, 3 * depth, 2) % (depth + 2)
    expected = np.zeros((indices.size, depth), np.float32)
    inside = indices < depth
    expected[np.flatnonzero(inside), indices[inside]] = 1
    assert_same(
        dmlc.one_hot(indices, depth, axis=axis),
        np.ascontiguousarray(expected if axis == 1 else expected.T),
    )


@pytest.mark.parametrize("inside", [2, 5, 40])
def test_one_hot_with_a_few_positions_inside(inside: int) -> None:
    indices = np.arange(300 * inside).reshape(300, inside) % 23
    expected = indices[:, None, :] == np.arange(21)[None, :, None]
    assert_same(dmlc.one_hot(indices, 21, axis=1, dtype=bool), expected)
    assert_same(dmlc.one_hot(indices, 21, axis=1), expected.astype(np.float32))


@pytest.mark.parametrize("columns", [1, 2, 7, 40])
@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
def test_tall_matrices(dtype: np.dtype, columns: int) -> None:
    array = values((3, 500, columns), dtype)
    for diagonal in (-200, -1, 0, 3):
        assert_same(dmlc.tril(array, diagonal), np.tril(array, diagonal))
        assert_same(dmlc.triu(array, diagonal), np.triu(array, diagonal))


@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
def test_small_inner_axes(dtype: np.dtype) -> None:
    array = values((6, 5, 40, 3, 2), dtype)
    for axes in [(2, 0, 4, 1, 3), (4, 2, 3, 0, 1), (0, 2, 4, 3, 1), (1, 0, 2, 4, 3)]:
        view = array.transpose(axes)
        assert_same(dmlc.copy(view), np.array(view, order="C"))
        assert_copied(view)


@pytest.mark.parametrize("more", [0, 3, 300])
@pytest.mark.parametrize("rows", [8, 70, 200])
@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
def test_transposes(dtype: np.dtype, rows: int, more: int) -> None:
    """As many columns as go together, and some more, see csrc/kernels/staged_transposes.h."""
    strip = 256 // dtype.itemsize
    columns = ((1 << 20) // (rows * dtype.itemsize) // strip + 1) * strip + more
    array = values((columns, rows), dtype)
    for view in (array.T, array[::-1].T, array.T[::-1]):
        assert_copied(view)


@pytest.mark.parametrize("columns", [17, 24, 40])
@pytest.mark.parametrize("rows", [64, 300, 5000])
@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
def test_channels_go_last(dtype: np.dtype, rows: int, columns: int) -> None:
    array = values((2, columns, rows + 3), dtype)[:, :, 1:-2]
    for view in (array.transpose(0, 2, 1), array[:, ::-1].transpose(0, 2, 1)):
        assert_copied(view)
        assert_same(dmlc.copy(view), np.array(view, order="C"))


@pytest.mark.parametrize("count", [2, 3, 50])
@pytest.mark.parametrize("rows", [2, 90, 3000])
@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
def test_copies_within_the_output(dtype: np.dtype, rows: int, count: int) -> None:
    """Repeated rows and turns, which are made once: few, short, and longer than stays in the cache."""
    array = values((3, rows, 6), dtype)
    for view in (array, array[:, :, ::-2], array[::-1, ::-1]):
        assert_same(dmlc.repeat(view[:, None], count, 1), np.repeat(view[:, None], count, 1))
        assert_same(dmlc.tile(view, (1, count, 1)), np.tile(view, (1, count, 1)))
        widths = ((0, 0), (1, (count - 1) * rows), (0, 1))
        assert_same(dmlc.pad(view, widths, "wrap"), np.pad(view, widths, "wrap"))


@pytest.mark.parametrize("columns", [65, 127, 128, 200, 255, 319, 320, 383, 384, 479, 480])
@pytest.mark.parametrize("gap", [0, 3, 255, 256, 700])
def test_short_rows(gap: int, columns: int) -> None:
    array = values((40, 3, columns + gap), np.dtype(np.uint8))[..., :columns]
    for view in (array, array[::-1], array[:, ::-1], array.transpose(1, 0, 2)):
        assert_copied(view)
        assert_same(dmlc.copy(view), np.array(view, order="C"))
