"""Memory that stays where it is over DMLC_LEAK_CALLS calls (default 10^5, shared by the cases), errors included."""

from __future__ import annotations

import gc
import os
import sys
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dmlc

CALLS = int(os.environ.get("DMLC_LEAK_CALLS", str(10**5)))

_SMALL = np.arange(12, dtype=np.float32).reshape(3, 4)
_LARGE = np.arange(200_000, dtype=np.float32).reshape(400, 500)
_TENSOR = dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, (3, 4))
_PADDED = dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, (5, 4))
_DESC = dmlc.PaddingOperatorDesc(_TENSOR, _PADDED, dmlc.PaddingMode.EDGE, 0.0, (1, 0), (1, 0))
_OPERATOR = dmlc.Device().compile_operator(_DESC)
_OUT = np.empty((5, 4), np.float32)


class Dlpack:
    def __dlpack__(self, **keywords: Any) -> Any:
        return _SMALL.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def _refused(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
    with suppress(TypeError, ValueError, MemoryError):
        function(*arguments, **keywords)
        raise AssertionError("not refused")


# Name: the call with its number, and the share of CALLS that it gets, by how long one takes.
CASES: dict[str, tuple[Callable[[int], object], float]] = {
    "pad": (lambda i: dmlc.pad(_SMALL, 1, "reflect"), 0.2),
    "pad with values": (lambda i: dmlc.pad(_SMALL, 1, constant_values=(1, 2)), 0.05),
    "pad into out": (lambda i: dmlc.pad(_SMALL, ((1, 1), (0, 0)), "edge", out=_OUT), 0.1),
    "pad of any width": (lambda i: dmlc.pad(_SMALL, ((0, 0), (i % 5000, 0)), "wrap"), 0.02),
    "one_hot": (lambda i: dmlc.one_hot([i % 7, 1], 7), 0.1),
    "slice": (lambda i: dmlc.slice(_SMALL, (0, 0), (3, 4), (1, -1)), 0.1),
    "flip of DLPack": (lambda i: dmlc.flip(Dlpack()), 0.05),
    "eye in Fortran order": (lambda i: dmlc.eye(3, order="F"), 0.05),
    "tril in place": (lambda i: dmlc.tril(_OUT, out=_OUT), 0.05),
    "pad_sequence": (lambda i: dmlc.pad_sequence([[1], [2, 3]], return_mask=True), 0.05),
    "large": (lambda i: dmlc.flip(_LARGE), 0.02),
    "operator": (lambda i: _OPERATOR(_SMALL), 0.1),
    "operator on buffers": (lambda i: _OPERATOR(_SMALL.tobytes(), out=_OUT), 0.05),
    "compile": (lambda i: dmlc.Device().compile_operator(_DESC), 0.02),
    "refused mode": (lambda i: _refused(dmlc.pad, _SMALL, 1, "mean"), 0.05),
    "refused out": (lambda i: _refused(dmlc.copy, _SMALL, out=_OUT), 0.05),
    "refused dtype": (lambda i: _refused(dmlc.copy, np.array([None])), 0.05),
    "refused size": (lambda i: _refused(dmlc.eye, 2**40), 0.05),
    "refused binding": (lambda i: _refused(_OPERATOR, _LARGE), 0.02),
    "refused input of an operator": (lambda i: _refused(_OPERATOR, _SMALL, out=b"x" * 99), 0.02),
}


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def run(call: Callable[[int], object], count: int) -> None:
    for i in range(count):
        call(i)


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
@pytest.mark.parametrize("name", CASES)
def test_memory_is_flat(name: str) -> None:
    """A leak of 16 bytes a call, the smallest that an allocator gives, is seen."""
    call, share = CASES[name]
    count = max(int(CALLS * share), 1000)
    run(call, 1000 if count < 10**6 else 10**5)
    gc.collect()

    # What Python keeps for its own use levels off; a leak goes on.
    traced = 3000
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

    before = resident_bytes()
    run(call, count)
    gc.collect()
    grown = resident_bytes() - before
    # Arenas and caches come and go by pages; a leak comes with every call.
    assert grown < 2**20 + 16 * count, f"{grown} bytes over {count} calls"
