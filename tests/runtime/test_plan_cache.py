"""Plans are kept by layout: bounded, never mixed up, alive while somebody uses them."""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import dmlc
from arrays import Array, assert_same, random_values
from dmlc import _dmlc

INT16 = np.dtype(np.int16)
MODES: list[Any] = ["constant", "edge", "reflect", "symmetric", "wrap"]


@pytest.fixture(autouse=True)
def no_plans_are_kept() -> None:
    _dmlc.clear_plans()


def small_arrays() -> Iterator[Array]:
    """Three thousand shapes, several times more than are kept."""
    memory = random_values((14**3,), INT16, 1)
    for shape in itertools.product(range(1, 15), repeat=3):
        yield memory[: int(np.prod(shape))].reshape(shape)


def test_a_layout_is_planned_once() -> None:
    array = random_values((3, 4), INT16, 1)
    for _ in range(3):
        dmlc.pad(array, 1)
        dmlc.pad(array[:2], 1)
    assert _dmlc.plans_kept() == 2
    _dmlc.clear_plans()
    assert _dmlc.plans_kept() == 0


def test_crops_that_differ_in_their_offsets_share_a_plan() -> None:
    array = np.arange(8000).reshape(80, 100)
    _dmlc.clear_plans()
    for y, x in [(0, 0), (30, 10), (20, 70)]:
        crop = dmlc.slice(array, (y, x), (50, 30), (2, -1))
        np.testing.assert_array_equal(crop, array[y : y + 50 : 2, x : x + 30][:, ::-1])
    assert _dmlc.plans_kept() == 1


def test_a_few_elements_need_no_plan() -> None:
    array = np.arange(8000).reshape(80, 100)
    _dmlc.clear_plans()
    for rows in range(1, 17):
        np.testing.assert_array_equal(dmlc.copy(array[:rows, ::-9]), array[:rows, ::-9])
    assert _dmlc.plans_kept() == 0
    dmlc.copy(array[:17, ::-9])
    assert _dmlc.plans_kept() == 1


def test_thousands_of_shapes_are_right_and_few_are_kept() -> None:
    for _ in range(2):
        for number, array in enumerate(small_arrays()):
            mode = MODES[number % len(MODES)]
            assert_same(dmlc.pad(array, (2, 1), mode), np.pad(array, (2, 1), mode))
            assert _dmlc.plans_kept() <= _dmlc.plans_limit()
    assert _dmlc.plans_kept() > _dmlc.plans_limit() // 2


SQUARE = random_values((6, 6), INT16, 1) % 6
EVERYWHERE_ONE = np.broadcast_to(np.int16(1), (6, 6))

# What differs in one word of the key alone, or has the same words under another operator.
NEIGHBOURS: list[tuple[Callable[[], Array], Callable[[], Array]]] = [
    *(
        (lambda mode=mode: dmlc.pad(SQUARE, 2, mode), lambda mode=mode: np.pad(SQUARE, 2, mode))
        for mode in MODES
    ),
    *(
        (lambda w=w: dmlc.pad(SQUARE, w), lambda w=w: np.pad(SQUARE, w))
        for w in [((1, 2), (3, 4)), ((2, 1), (3, 4)), ((1, 2), (4, 3)), ((3, 4), (1, 2))]
    ),
    (lambda: dmlc.pad(SQUARE.T, 2), lambda: np.pad(SQUARE.T, 2)),
    (lambda: dmlc.pad(SQUARE.view(np.int8), 2), lambda: np.pad(SQUARE.view(np.int8), 2)),
    (lambda: dmlc.copy(SQUARE), SQUARE.copy),
    (lambda: dmlc.flip(SQUARE), lambda: np.flip(SQUARE).copy()),
    (lambda: dmlc.flip(SQUARE, 0), lambda: np.flip(SQUARE, 0).copy()),
    (lambda: dmlc.flip(SQUARE, 1), lambda: np.flip(SQUARE, 1).copy()),
    (lambda: dmlc.copy(SQUARE.T), lambda: SQUARE.T.copy()),
    *(
        (lambda k=k: dmlc.tril(SQUARE, k), lambda k=k: np.tril(SQUARE, k))
        for k in (-7, -1, 0, 1, 7)
    ),
    (lambda: dmlc.triu(SQUARE), lambda: np.triu(SQUARE)),
    (lambda: dmlc.eye(6, dtype=INT16), lambda: np.eye(6, dtype=INT16)),
    (lambda: dmlc.tri(6, dtype=INT16), lambda: np.tri(6, dtype=INT16)),
    *(
        (
            lambda axis=axis, indices=indices: dmlc.one_hot(indices, 6, axis=axis, dtype=INT16),
            lambda axis=axis, indices=indices: np.moveaxis(
                np.eye(6, dtype=INT16)[indices], -1, axis
            ).copy(),
        )
        for axis in range(3)
        for indices in (SQUARE, EVERYWHERE_ONE)
    ),
]


def test_neighbours_are_told_apart() -> None:
    for _ in range(2):
        for ours, numpys in NEIGHBOURS:
            assert_same(ours(), numpys())


def padding_operator() -> dmlc.CompiledOperator:
    kind = dmlc.TensorDataType.INT16
    return dmlc.Device().compile_operator(
        dmlc.PaddingOperatorDesc(
            dmlc.BufferTensorDesc(kind, (6, 6)),
            dmlc.BufferTensorDesc(kind, (8, 8)),
            dmlc.PaddingMode.EDGE,
            0.0,
            (1, 1),
            (1, 1),
        )
    )


def test_a_plan_in_use_outlives_its_place() -> None:
    operator = padding_operator()
    expected = np.pad(SQUARE, 1, "edge")
    _dmlc.clear_plans()
    for array in small_arrays():
        dmlc.pad(array, 1)
    assert_same(operator(SQUARE), expected)
    assert_same(operator(SQUARE[::-1]), expected[::-1].copy())


def run_in_threads(*works: Callable[[], None]) -> None:
    failures: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_threads_share_the_plans() -> None:
    operator = padding_operator()
    expected = np.pad(SQUARE, 1, "edge")

    def pad_all() -> None:
        for array in small_arrays():
            assert_same(dmlc.pad(array, 1, "wrap"), np.pad(array, 1, "wrap"))

    def repeat() -> None:
        for _ in range(2000):
            assert_same(operator(SQUARE), expected)
            assert_same(dmlc.tril(SQUARE), np.tril(SQUARE))

    def clear() -> None:
        for _ in range(2000):
            _dmlc.clear_plans()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        run_in_threads(pad_all, pad_all, repeat, repeat, clear)
    finally:
        sys.setswitchinterval(interval)
    assert _dmlc.plans_kept() <= _dmlc.plans_limit()
