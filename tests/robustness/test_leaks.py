"""Memory that stays where it is over DMLC_LEAK_CALLS calls of each function, errors included.

By default 1500, which shows a leak of 200 bytes a call, and of 25 in what Python allocates; CI makes 5000.
"""

from __future__ import annotations

import gc
import os
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dmlc

CALLS = int(os.environ.get("DMLC_LEAK_CALLS", "1500"))

_SMALL = np.arange(12, dtype=np.float32).reshape(3, 4)
_LARGE = np.arange(200_000, dtype=np.float32).reshape(400, 500)
_TENSOR = dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, (3, 4))
_PADDED = dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, (5, 4))
_DESC = dmlc.PaddingOperatorDesc(_TENSOR, _PADDED, dmlc.PaddingMode.EDGE, 0.0, (1, 0), (1, 0))
_WRONG = dmlc.PaddingOperatorDesc(_TENSOR, _TENSOR, dmlc.PaddingMode.EDGE, 0.0, (1, 0), (1, 0))
_DEVICE = dmlc.Device()
_OPERATOR = _DEVICE.compile_operator(_DESC)
_OUT = np.empty((5, 4), np.float32)
_HERE = np.ones((3, 4), np.float32)
_BATCH = np.empty((2, 3, 4), np.float32)
_OBJECTS = np.array([None])


class Dlpack:
    def __dlpack__(self, **keywords: Any) -> Any:
        return _SMALL.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def _refused(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
    with suppress(TypeError, ValueError, MemoryError):
        function(*arguments, **keywords)
        raise AssertionError("not refused")


def _in_num_threads() -> None:
    with dmlc.num_threads(2):
        pass


# Name: a call with its number. Every public function is called rightly and wrongly.
CASES: dict[str, Callable[[int], object]] = {
    "pad": lambda i: dmlc.pad(_SMALL, 1, "reflect"),
    "pad with values": lambda i: dmlc.pad(_SMALL, 1, constant_values=(1, 2)),
    "pad into out": lambda i: dmlc.pad(_SMALL, ((1, 1), (0, 0)), "edge", out=_OUT),
    "pad of any width": lambda i: dmlc.pad(_SMALL, ((0, 0), (i % 5000, 0)), "wrap"),
    "pad refuses a mode": lambda i: _refused(dmlc.pad, _SMALL, 1, "mean"),
    "one_hot": lambda i: dmlc.one_hot(_SMALL.view(np.int32), 7),
    "one_hot of a list": lambda i: dmlc.one_hot([i % 7, 1], 7),
    "one_hot refuses a depth": lambda i: _refused(dmlc.one_hot, [1], -1),
    "slice": lambda i: dmlc.slice(_SMALL, (0, 0), (3, 4), (1, -1)),
    "slice refuses a window": lambda i: _refused(dmlc.slice, _SMALL, (0, 0), (3, 5), (1, 1)),
    "copy": lambda i: dmlc.copy(_SMALL.T),
    "copy refuses objects": lambda i: _refused(dmlc.copy, _OBJECTS),
    "copy refuses an out": lambda i: _refused(dmlc.copy, _SMALL, out=_OUT),
    "flip": lambda i: dmlc.flip(_SMALL),
    "flip of DLPack": lambda i: dmlc.flip(Dlpack()),
    "flip of memory that is shared and kept": lambda i: dmlc.flip(_LARGE),
    "flip refuses an axis": lambda i: _refused(dmlc.flip, _SMALL, 2),
    "eye": lambda i: dmlc.eye(3, order="F"),
    "eye refuses a size": lambda i: _refused(dmlc.eye, 2**40),
    "tri": lambda i: dmlc.tri(3, 4, 1),
    "tri refuses a size": lambda i: _refused(dmlc.tri, 1.5),
    "tril": lambda i: dmlc.tril(_HERE, out=_HERE),
    "tril refuses a diagonal": lambda i: _refused(dmlc.tril, _SMALL, "0"),
    "triu": lambda i: dmlc.triu([[1, 2], [3, 4]]),
    "triu refuses a number": lambda i: _refused(dmlc.triu, 1),
    "diagonal_matrix": lambda i: dmlc.diagonal_matrix((2, 3), value=i),
    "diagonal_matrix refuses a shape": lambda i: _refused(dmlc.diagonal_matrix, (3,)),
    "fill_band": lambda i: dmlc.fill_band(_SMALL, 0, 2, 7.5),
    "fill_band refuses a value": lambda i: _refused(dmlc.fill_band, _SMALL, 0, 2, "x"),
    "causal_mask": lambda i: dmlc.causal_mask(3, 4, window=2),
    "causal_mask refuses a window": lambda i: _refused(dmlc.causal_mask, 3, window=0),
    "pad_sequence": lambda i: dmlc.pad_sequence([[1], [2, 3]], return_mask=True),
    "pad_sequence of arrays": lambda i: dmlc.pad_sequence([_SMALL, _SMALL[1:]], side="left"),
    "pad_sequence refuses none": lambda i: _refused(dmlc.pad_sequence, []),
    "pad_sequence into out": lambda i: dmlc.pad_sequence([_SMALL, _SMALL[1:]], out=_BATCH),
    "window": lambda i: dmlc.window(_SMALL, (i, -1), (2, 3), "wrap"),
    "window refuses a shape": lambda i: _refused(dmlc.window, _SMALL, (0, 0), (2, -3)),
    "roll": lambda i: dmlc.roll(_SMALL, (i, 1), (0, 1)),
    "roll of any array": lambda i: dmlc.roll(_SMALL.T, i),
    "roll refuses an axis": lambda i: _refused(dmlc.roll, _SMALL, 1, 2),
    "frames": lambda i: dmlc.frames(_SMALL, i % 9 + 1, 2),
    "frames refuses a hop": lambda i: _refused(dmlc.frames, _SMALL, 1, 0),
    "tile": lambda i: dmlc.tile(_SMALL, (i % 3, 2)),
    "tile refuses a number": lambda i: _refused(dmlc.tile, _SMALL, -1),
    "repeat": lambda i: dmlc.repeat(_SMALL, i % 3, 1),
    "repeat of each": lambda i: dmlc.repeat(_SMALL, (1, i % 3, 2), 0),
    "repeat refuses a number": lambda i: _refused(dmlc.repeat, _SMALL, -1),
    "stack": lambda i: dmlc.stack([_SMALL, _SMALL[::-1]], -1),
    "stack of lists": lambda i: dmlc.stack([[1, i], [2, 3]]),
    "stack refuses shapes": lambda i: _refused(dmlc.stack, [_SMALL, _SMALL[1:]]),
    "stack of memory that is shared": lambda i: dmlc.stack([_LARGE, _LARGE[::-1]]),
    "collate": lambda i: dmlc.collate([_SMALL, _SMALL[1:, 1:].T], return_mask=True),
    "collate with plans": lambda i: dmlc.collate(
        [_SMALL[:, ::2]] * 9, shape=(i % 9 + 1, 9), mode="wrap"
    ),
    "collate refuses an array": lambda i: _refused(dmlc.collate, [_SMALL, _OBJECTS]),
    "set_num_threads": lambda i: dmlc.set_num_threads(dmlc.get_num_threads()),
    "set_num_threads refuses none": lambda i: _refused(dmlc.set_num_threads, 0),
    "num_threads": lambda i: _in_num_threads(),
    "set_output_cache": lambda i: dmlc.set_output_cache(2**20 + i % 2),
    "set_output_cache refuses less": lambda i: _refused(dmlc.set_output_cache, -1),
    "clear_output_cache": lambda i: dmlc.clear_output_cache(),
    "show_config": lambda i: dmlc.show_config(),
    "get_include": lambda i: dmlc.get_include(),
    "an operator": lambda i: _OPERATOR(_SMALL),
    "an operator on buffers": lambda i: _OPERATOR(_SMALL.tobytes(), out=_OUT),
    "an operator refuses a shape": lambda i: _refused(_OPERATOR, _LARGE.T),
    "an operator refuses an out": lambda i: _refused(_OPERATOR, _SMALL, out=b"x" * 99),
    "compile_operator": lambda i: _DEVICE.compile_operator(_DESC),
    "compile_operator refuses sizes": lambda i: _refused(_DEVICE.compile_operator, _WRONG),
    "check": lambda i: _DEVICE.check(_WRONG),
    "a descriptor": lambda i: dmlc.BufferTensorDesc(dmlc.TensorDataType.INT8, (2, 1 + i % 99)),
    "a descriptor refuses sizes": lambda i: _refused(dmlc.BufferTensorDesc, 1, "12"),
}

# Calls of 20 microseconds and more get a part of the time of the others.
SLOW = {"flip of memory that is shared and kept": 20}


def test_every_function_is_here() -> None:
    functions = {name for name in dmlc.__all__ if callable(getattr(dmlc, name)) and name.islower()}
    assert functions - {"get_num_threads"} <= {name.split()[0] for name in CASES}


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def run(call: Callable[[int], object], count: int) -> None:
    for i in range(count):
        call(i)


@pytest.fixture(autouse=True, scope="module")
def collect_new_objects_alone() -> Iterator[None]:
    """Else each of the many collections walks everything that all tests have loaded."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def restore_cache() -> Iterator[None]:
    before = dmlc.show_config()["output_cache"]
    yield
    dmlc.set_output_cache(before)


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
@pytest.mark.parametrize("name", CASES)
def test_memory_is_flat(name: str) -> None:
    """A leak of a few bytes a call is seen in a million calls, of 60 in 5000. With `pytest -s` the figures are printed."""
    call = CASES[name]
    count = max(CALLS // SLOW.get(name, 1), 1000)
    run(call, 1000 if count < 10**6 else 10**5)
    gc.collect()

    # What Python keeps for its own use levels off; a leak goes on.
    traced = min(3 * CALLS // 5, 3000)
    tracemalloc.start()
    try:
        run(call, traced // 2)
        gc.collect()
        python_before = tracemalloc.get_traced_memory()[0]
        run(call, traced)
        gc.collect()
        python_grown = tracemalloc.get_traced_memory()[0] - python_before
    finally:
        tracemalloc.stop()
    assert python_grown < 2**14 + 8 * traced, f"{python_grown} bytes over {traced} calls"

    # Arenas and caches come and go by pages; a leak comes with every call.
    parts = 4
    grown = []
    for _ in range(parts):
        before = resident_bytes()
        run(call, count // parts)
        gc.collect()
        grown.append(resident_bytes() - before)
    print(
        f"\n{name}: {sum(grown)} resident bytes in {count} calls, {python_grown} traced in {traced}"
    )
    assert min(grown) < 2**16 + 4 * count // parts, (
        f"{grown} bytes over {count // parts} calls each"
    )
