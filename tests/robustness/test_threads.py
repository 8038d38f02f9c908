"""Eight Python threads on the same operators, for DMLC_THREAD_SECONDS (default 3)."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

import dmlc
from dmlc import _dmlc
from robustness.every_operator import jobs

SECONDS = float(os.environ.get("DMLC_THREAD_SECONDS", "3"))
WORKERS = 8


@pytest.fixture(autouse=True)
def restore_threads() -> Iterator[None]:
    before = dmlc.get_num_threads()
    _dmlc.set_oversubscribe(True)
    yield
    _dmlc.set_oversubscribe(False)
    dmlc.set_num_threads(before)


def test_shared_operators_from_eight_threads() -> None:
    """Each thread changes its own number of threads and, at times, everybody's and the cache's."""
    calls = jobs()
    expected = {name: job().tobytes() for name, job in calls.items()}
    failures: list[str] = []
    counts = [0] * WORKERS
    end = time.monotonic() + SECONDS

    def work(number: int) -> None:
        choose = random.Random(number)
        names = sorted(calls)
        try:
            while time.monotonic() < end and not failures:
                name = choose.choice(names)
                own = choose.randint(1, 3)
                with dmlc.num_threads(own):
                    result = calls[name]()
                    if dmlc.get_num_threads() != own:
                        failures.append(f"{dmlc.get_num_threads()} threads instead of {own}")
                if result.tobytes() != expected[name]:
                    failures.append(name)
                counts[number] += 1
                if choose.random() < 0.05:
                    dmlc.set_num_threads(choose.randint(1, 4))
                if choose.random() < 0.05:
                    dmlc.clear_output_cache()
        except BaseException as error:
            failures.append(repr(error))

    workers = [threading.Thread(target=work, args=(number,)) for number in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(SECONDS + 60)
    assert not any(worker.is_alive() for worker in workers), "a thread hangs"
    assert failures == []
    assert min(counts) > 0


@pytest.mark.parametrize("rows", [1000, 5000, 6000, 20_000, 100_000])
def test_many_short_rows(rows: int) -> None:
    """Few bytes and yet much work: shared or not, each row is written."""
    pixels = np.arange(2 * rows, dtype=np.uint16).astype(np.uint8).reshape(rows, 2)
    expected = np.pad(pixels, ((0, 0), (1, 1)))
    for count in (1, 2, 3):
        out = np.full(expected.shape, 0xA5, np.uint8)
        with dmlc.num_threads(count):
            dmlc.pad(pixels, ((0, 0), (1, 1)), out=out)
        np.testing.assert_array_equal(out, expected)


def test_num_threads_belongs_to_its_own_thread() -> None:
    dmlc.set_num_threads(2)
    inside, leave = threading.Event(), threading.Event()
    seen: list[int] = []

    def work() -> None:
        seen.append(dmlc.get_num_threads())
        with dmlc.num_threads(7):
            inside.set()
            leave.wait(60)
            seen.append(dmlc.get_num_threads())
        seen.append(dmlc.get_num_threads())

    worker = threading.Thread(target=work)
    worker.start()
    assert inside.wait(60)
    assert dmlc.get_num_threads() == 2
    with dmlc.num_threads(3):
        assert dmlc.get_num_threads() == 3
        dmlc.set_num_threads(5)
        assert dmlc.get_num_threads() == 3
    leave.set()
    worker.join(60)
    assert seen == [2, 7, 5]
