"""Describing, compiling and judging one operator over typed arrays and over flat buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import dmlc
from arrays import Array, assert_same
from reference import buffers
from specification_examples import Example
from strategies import Tensor

DEVICE = dmlc.Device()


def tensor_desc(array: Array) -> Any:
    """A packed tensor of the array's type and shape."""
    return dmlc.BufferTensorDesc(dmlc.TensorDataType.from_dtype(array.dtype), array.shape)


def desc_of(example: Example) -> Any:
    tensors = {name: tensor_desc(array) for name, array in example.inputs.items()}
    tensors["output_tensor"] = tensor_desc(example.output)
    fields = dict(example.fields)
    if "padding_mode" in fields:
        fields["padding_mode"] = dmlc.PaddingMode[fields["padding_mode"]]
    if example.operator == "DiagonalMatrix1OperatorDesc":
        fields["value_data_type"] = dmlc.TensorDataType.from_dtype(example.output.dtype)
    return getattr(dmlc, example.operator)(**tensors, **fields)


def assert_dispatch(
    desc: Any,
    inputs: Sequence[tuple[Tensor, Array] | None],
    output: Tensor,
    expected: Array,
    seed: int = 0,
) -> None:
    """Flat buffers in (tensor and memory), a flat buffer out: elements exact, gaps untouched.

    Then the same with typed arrays, whose own strides count, and without `out`.
    """
    assert DEVICE.check(desc) == []
    operator = DEVICE.compile_operator(desc)
    memories = [None if pair is None else pair[1] for pair in inputs]
    before = [None if memory is None else memory.copy() for memory in memories]
    bound = [None if pair is None else pair[0].as_flat(pair[1]) for pair in inputs]

    flat = output.memory(seed)
    wanted = flat.copy()
    buffers.write(wanted, expected, output.strides)
    assert operator(*bound, out=flat) is flat
    np.testing.assert_array_equal(flat, wanted)
    for memory, copy in zip(memories, before, strict=True):
        assert (memory is None) == (copy is None)
        np.testing.assert_array_equal(memory, copy)

    typed = [None if pair is None else pair[0].read(pair[1]) for pair in inputs]
    assert_same(operator(*typed), expected)
    out = np.empty(expected.shape[::-1], expected.dtype).T
    assert operator(*typed, out=out) is out
    assert_same(np.array(out, order="C"), expected)
