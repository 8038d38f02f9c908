"""Arrays whose strides lead beyond any memory: sums of their sizes and strides do not fit into 64 bits."""

from __future__ import annotations

from robustness.processes import run_python

FAR = """
import numpy as np
import dmlc
from dmlc import BufferTensorDesc, PaddingMode, PaddingOperatorDesc, TensorDataType

MOST, LEAST = 2**63 - 1, -(2**63)
LAYOUTS = [
    ((2,), (MOST,)),
    ((2,), (LEAST,)),
    ((3,), (2**62,)),
    ((2**61,), (4,)),
    ((2**32,), (2**31,)),
    ((2, 2), (2**62, 2**62)),
    ((2, 1), (MOST, 5)),
    ((3, 3), (LEAST, MOST)),
    ((3, 3), (2**40, -(2**62))),
    ((2**31, 2, 2), (2**30, 2**61, 2**61)),
]


def far(shape, strides, dtype):
    return np.lib.stride_tricks.as_strided(np.zeros(4, dtype), shape, strides)


def refused(call):
    try:
        call()
    except (ValueError, MemoryError):
        return
    raise AssertionError("not refused")
"""


def test_far_inputs() -> None:
    run_python(
        FAR
        + """
for shape, strides in LAYOUTS:
    none, ones = (0,) * len(shape), (1,) * len(shape)
    for dtype in ("u1", "f4"):
        try:
            array = far(shape, strides, dtype)
        except ValueError:  # NumPy's own limit
            continue
        refused(lambda: dmlc.copy(array))
        refused(lambda: dmlc.flip(array))
        refused(lambda: dmlc.pad(array, 1))
        refused(lambda: dmlc.pad(array, (1, -1), "symmetric"))
        refused(lambda: dmlc.slice(array, none, shape, ones))
        refused(lambda: dmlc.slice(array, none, shape, (-1,) * len(shape)))
        refused(lambda: dmlc.tril(array))
        refused(lambda: dmlc.pad_sequence([array, array]))
        refused(lambda: dmlc.window(array, none, shape))
        refused(lambda: dmlc.window(array, ones, ones, "wrap"))
        refused(lambda: dmlc.roll(array, 1))
        refused(lambda: dmlc.roll(array, 1, 0))
        refused(lambda: dmlc.stack([array, array]))
        refused(lambda: dmlc.collate([array, array], shape=ones, mode="edge"))
        if dtype == "u1":
            refused(lambda: dmlc.one_hot(array, 2))
            refused(lambda: dmlc.one_hot(array.view("i1"), 2, axis=0, negative="error"))
        if len(shape) > 1:
            refused(lambda: dmlc.fill_band(array, 0, 1, 7))
"""
    )


def test_far_outputs() -> None:
    run_python(
        FAR
        + """
for shape, strides in LAYOUTS:
    if max(shape) > 3:
        continue
    source = np.zeros(shape, "f4")
    for make in (
        lambda out: dmlc.copy(source, out=out),
        lambda out: dmlc.copy(out, out=source),
        lambda out: dmlc.copy(out, out=out),
        lambda out: dmlc.flip(source, out=out),
        lambda out: dmlc.pad(source, 0, out=out),
        lambda out: dmlc.pad(out, 0, out=source),
        lambda out: dmlc.diagonal_matrix(shape, out=out),
        lambda out: dmlc.one_hot(np.zeros(shape[:-1], int), shape[-1], out=out),
    ):
        refused(lambda: make(far(shape, strides, "f4")))
"""
    )


def test_far_operands() -> None:
    run_python(
        FAR
        + """
for shape, strides in LAYOUTS:
    if max(shape) > 3:
        continue
    tensor = BufferTensorDesc(TensorDataType.FLOAT32, shape)
    none = (0,) * len(shape)
    operator = dmlc.CompiledOperator(PaddingOperatorDesc(tensor, tensor, PaddingMode.EDGE, 0, none, none))
    source, array = np.zeros(shape, "f4"), far(shape, strides, "f4")
    refused(lambda: operator(array))
    refused(lambda: operator(array, out=source))
    refused(lambda: operator(source, out=array))
"""
    )


def test_near_arrays_of_any_layout_are_taken() -> None:
    """A stride that no element takes may be anything below 2^62."""
    run_python(
        FAR
        + """
array = far((1, 3, 1), (2**60, 4, -(2**60)), "f4")
array[...] = np.arange(3, dtype="f4").reshape(1, 3, 1)
assert dmlc.copy(array).tobytes() == array.tobytes()
assert dmlc.flip(array).tobytes() == array[:, ::-1].tobytes()
assert dmlc.pad(array, 1).tobytes() == np.pad(array, 1).tobytes()
assert dmlc.pad_sequence([array, array]).tobytes() == array.tobytes() * 2
assert dmlc.stack([array, array]).tobytes() == array.tobytes() * 2
assert dmlc.collate([array, array], mode="edge").tobytes() == array.tobytes() * 2
assert dmlc.roll(array, 3, 1).tobytes() == array.tobytes()
memory = np.zeros((1, 3, 1), "f4")
out = np.lib.stride_tricks.as_strided(memory, (1, 3, 1), (2**60, 4, -(2**60)))
assert dmlc.copy(array, out=out) is out
assert memory.tobytes() == array.tobytes()
"""
    )
