"""The cache of output buffers: memory is used again, never while someone still looks at it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import dmlc
from arrays import assert_fresh, assert_same, random_values
from dmlc import _dmlc


@pytest.fixture(autouse=True)
def restore_cache() -> Iterator[None]:
    before = dmlc.show_config()["output_cache"]
    yield
    dmlc.set_output_cache(before)
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


def test_freed_memory_serves_the_next_result() -> None:
    dmlc.set_output_cache(2**28)
    array = random_values((3000, 3100), np.dtype(np.int32), 1)
    first = dmlc.copy(array)
    address = first.ctypes.data
    del first
    assert dmlc.copy(array).ctypes.data == address


def test_results_may_be_resized_and_freed_by_another_thread() -> None:
    """The memory is NumPy's to grow, shrink and free, wherever it came from."""
    dmlc.set_output_cache(2**28)
    array = random_values((3_000_000,), np.dtype(np.int32), 1)
    for size in (10, 5_000_000, 3_000_000):
        result = dmlc.copy(array)
        result.resize(size, refcheck=False)
        count = min(size, array.size)
        assert_same(result[:count].copy(), array[:count])
        assert not result[count:].any()
        holder = [result]
        del result
        worker = threading.Thread(target=holder.clear)
        worker.start()
        worker.join()
        assert_same(dmlc.copy(array), array)


def test_many_sizes_stay_within_the_limit() -> None:
    """Hundreds of different sizes, freed in another order, all exact."""
    dmlc.set_output_cache(2**24)
    kept = []
    for size in range(1, 200):
        array = np.full((size, 2777), size, np.int32)
        kept.append(dmlc.copy(array))
        if size % 3 == 0:
            kept.pop(size % len(kept))
        assert _dmlc.memory_kept() <= 2**24
    assert _dmlc.memory_kept() > 2**23
    for result in kept:
        assert (result == result[0, 0]).all()
        assert result[0, 0] == result.shape[0]


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


def limited_cache(resource_name: str, nbytes: int) -> int:
    """The size of the cache in a process of which a resource is limited."""
    code = (
        f"import resource; resource.setrlimit(resource.{resource_name}, ({nbytes}, {nbytes}))\n"
        "import dmlc; print(dmlc.show_config()['output_cache'])"
    )
    environment = {name: value for name, value in os.environ.items() if name != "DMLC_OUTPUT_CACHE"}
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    return int(result.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not enforce these limits")
@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""),
    reason="the sanitizer takes terabytes of addresses",
)
@pytest.mark.parametrize("resource_name", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_a_process_with_little_memory_keeps_little(resource_name: str) -> None:
    assert limited_cache(resource_name, 2**32) == 2**32 // 16
