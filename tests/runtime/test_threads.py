"""The number of threads never changes a result."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

import dmlc
from arrays import assert_same, random_values
from dmlc import _dmlc
from functions.calls import CALLS, Call
from functions.outcomes import fresh_result


@pytest.fixture(autouse=True)
def restore_threads() -> Iterator[None]:
    """Every run takes as many threads as it may: there are more than this machine has processors."""
    before = dmlc.get_num_threads()
    _dmlc.set_oversubscribe(True)
    yield
    _dmlc.set_oversubscribe(False)
    dmlc.set_num_threads(before)


def test_set_and_get() -> None:
    dmlc.set_num_threads(3)
    assert dmlc.get_num_threads() == 3
    with dmlc.num_threads(1):
        assert dmlc.get_num_threads() == 1
    assert dmlc.get_num_threads() == 3


def test_the_context_restores_after_an_error() -> None:
    before = dmlc.get_num_threads()
    with pytest.raises(ZeroDivisionError), dmlc.num_threads(before + 1):
        raise ZeroDivisionError
    assert dmlc.get_num_threads() == before


@pytest.mark.parametrize("count", [0, -1])
def test_fewer_than_one_thread(count: int) -> None:
    with pytest.raises(ValueError):
        dmlc.set_num_threads(count)


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_results_do_not_depend_on_threads(call: Call) -> None:
    """Odd counts split rows at odd places; the arrays are large enough to be split."""
    array = call.make_input(np.dtype(np.float32), (3, 301, 503))
    keywords = {"dtype": np.float32} if call.index_input else {}
    with dmlc.num_threads(1):
        expected = call.run(array, **keywords)
    for count in (2, 3, 5, 16):
        with dmlc.num_threads(count):
            result = fresh_result(partial(call.run, array, **keywords), expected)
            assert_same(result, expected)


def test_one_long_row_is_shared() -> None:
    row = random_values((3_000_001,), np.dtype(np.uint8), 1)
    for count in (1, 2, 3, 7):
        with dmlc.num_threads(count):
            expected = row[::-1].copy()
            assert_same(fresh_result(lambda: dmlc.flip(row), expected), expected)
            expected = row[::3].copy()
            assert_same(fresh_result(lambda: dmlc.copy(row[::3]), expected), expected)
            expected = np.pad(row, (5, 1_000_003), "wrap")
            result = fresh_result(lambda: dmlc.pad(row, (5, 1_000_003), "wrap"), expected)
            assert_same(result, expected)


def test_calls_from_many_python_threads() -> None:
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            for size in range(1, 60):
                array = random_values((7, size), np.dtype(np.int16), seed)
                assert_same(dmlc.pad(array, size, "symmetric"), np.pad(array, size, "symmetric"))
            large = random_values((701, 503), np.dtype(np.int32), seed)
            assert_same(dmlc.flip(large), np.flip(large).copy())
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures


def test_a_fork_after_threads_still_works() -> None:
    """Data loaders fork; a pool of threads does not survive a fork, the library must."""
    import multiprocessing
    import sys

    if "fork" not in multiprocessing.get_all_start_methods() or sys.platform == "darwin":
        pytest.skip("this platform does not fork")
    large = random_values((900, 1000), np.dtype(np.int32), 1)
    dmlc.set_num_threads(2)
    dmlc.flip(large)
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def child() -> None:
        # Not what the parent did: memory of its result may still be there and hold it.
        sender.send(bool(np.array_equal(dmlc.flip(large, 0), np.flip(large, 0))))

    process = context.Process(target=child)
    process.start()
    answered = receiver.poll(60)
    if not answered:
        process.kill()
    process.join()
    assert answered, "the forked process hangs"
    assert receiver.recv() is True
