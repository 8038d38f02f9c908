"""Random descriptors, mostly wrong: complaints are listed, the first is raised, nothing crashes.

Each starts from a valid one; a few fields are then replaced by values that may be anything their
types allow. What `check` lets through must run and equal the twin.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.padding import MODES

import dmlc
import strategies
from arrays import assert_same
from operators.running import DEVICE, tensor_desc
from reference import buffers, diagonal_matrix, one_hot, padding, scalars
from reference import slice as slices

numbers = st.sampled_from(
    [0, 1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63, 2**64]
) | st.integers(0, 12)
signed_numbers = numbers | numbers.map(lambda value: -value)
data_types = st.sampled_from(list(dmlc.TensorDataType))
floats = st.floats(width=32) | st.integers(-300, 300).map(float)


@st.composite
def number_tuples(draw: st.DrawFn, start: tuple[int, ...]) -> tuple[int, ...]:
    """`start` with some entries replaced, or of another length."""
    values = list(start)
    for index in range(len(values)):
        if draw(st.integers(0, 3)) == 0:
            values[index] = draw(signed_numbers)
    if draw(st.integers(0, 5)) == 0:
        values = values[:-1] if draw(st.booleans()) else [*values, draw(numbers)]
    return tuple(values)


@st.composite
def changed_tensors(draw: st.DrawFn, tensor: Any) -> Any:
    changes: dict[str, Any] = {}
    what = draw(st.sampled_from(["sizes", "strides", "type", "total", "alignment", "rank"]))
    sizes = tuple(tensor.sizes)
    if what == "sizes":
        sizes = draw(number_tuples(sizes))
    if what == "rank":
        sizes = tuple(draw(st.lists(numbers, max_size=10)))
    changes["strides"] = tensor.strides
    if what == "strides":
        changes["strides"] = draw(number_tuples(buffers.packed_strides(sizes)))
    data_type = draw(data_types) if what == "type" else tensor.data_type
    total = draw(numbers) if what == "total" else tensor.total_tensor_size_in_bytes
    alignment = draw(numbers) if what == "alignment" else tensor.guaranteed_base_offset_alignment
    return dmlc.BufferTensorDesc(
        data_type,
        sizes,
        changes["strides"],
        total_tensor_size_in_bytes=total,
        guaranteed_base_offset_alignment=alignment,
    )


@st.composite
def changed(draw: st.DrawFn, desc: Any) -> Any:
    """`desc` with one to three fields replaced."""
    fields = {field.name: getattr(desc, field.name) for field in dataclasses.fields(desc)}
    for _ in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(sorted(fields)))
        value = fields[name]
        if isinstance(value, dmlc.BufferTensorDesc):
            fields[name] = draw(changed_tensors(value))
        elif isinstance(value, tuple):
            fields[name] = draw(number_tuples(value))
        elif isinstance(value, dmlc.TensorDataType):
            fields[name] = draw(data_types)
        elif isinstance(value, dmlc.PaddingMode):
            fields[name] = draw(st.sampled_from(list(dmlc.PaddingMode)))
        elif isinstance(value, float):
            fields[name] = draw(floats)
        elif isinstance(value, int):
            fields[name] = draw(signed_numbers)
    return type(desc)(**fields)


ARRAY = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
TENSOR = tensor_desc(ARRAY)
FLOAT32 = dmlc.TensorDataType.FLOAT32
ZEROS, ONES = (0, 0, 0), (1, 1, 1)


def tensor(*sizes: int, data_type: Any = FLOAT32, strides: Any = None) -> Any:
    return dmlc.BufferTensorDesc(data_type, sizes, strides)


VALID: dict[str, Any] = {
    "padding": dmlc.PaddingOperatorDesc(
        TENSOR, tensor(3, 5, 8), dmlc.PaddingMode.REFLECTION, 2.5, (0, 1, 2), (1, 1, 2)
    ),
    "padding_strided": dmlc.PaddingOperatorDesc(
        tensor(2, 3, 4, strides=(0, 1, 3)),
        tensor(3, 5, 8, strides=(80, 16, 2)),
        dmlc.PaddingMode.CONSTANT,
        2.5,
        (0, 1, 2),
        (1, 1, 2),
    ),
    "padding1": dmlc.Padding1OperatorDesc(
        TENSOR, tensor(3, 5, 8), dmlc.PaddingMode.WRAP, FLOAT32, 2.5, (0, 1, 2), (1, 1, 2)
    ),
    "one_hot": dmlc.OneHotOperatorDesc(
        tensor(2, 1, 4, data_type=dmlc.TensorDataType.INT32), tensor(1, 1, 2), TENSOR, 1
    ),
    "slice1": dmlc.Slice1OperatorDesc(TENSOR, tensor(2, 1, 2), (0, 1, 0), (2, 2, 4), (-1, 2, -3)),
    "slice": dmlc.SliceOperatorDesc(TENSOR, tensor(2, 1, 2), (0, 1, 0), (2, 1, 2), (1, 2, 3)),
    "diagonal_matrix1": dmlc.DiagonalMatrix1OperatorDesc(
        input_tensor=TENSOR,
        output_tensor=TENSOR,
        value_data_type=FLOAT32,
        value=3.5,
        diagonal_fill_begin=-1,
        diagonal_fill_end=2,
    ),
    "diagonal_matrix1_without_input": dmlc.DiagonalMatrix1OperatorDesc(
        output_tensor=TENSOR,
        value_data_type=FLOAT32,
        value=3.5,
        diagonal_fill_begin=2,
        diagonal_fill_end=-1,
    ),
    "diagonal_matrix": dmlc.DiagonalMatrixOperatorDesc(TENSOR, 1, 3.5),
}
INPUT_FIELDS = ("indices_tensor", "values_tensor", "input_tensor")


def expected_of(desc: Any, inputs: list[Any]) -> Any:
    """What the twin makes of a valid descriptor."""
    dtype = desc.output_tensor.data_type.numpy_dtype
    match desc:
        case dmlc.PaddingOperatorDesc():
            fill = scalars.float_to_element(float(desc.padding_value), dtype)
            widths = list(zip(desc.start_padding, desc.end_padding, strict=True))
            return padding.pad(inputs[0], widths, MODES[desc.padding_mode], fill)
        case dmlc.Padding1OperatorDesc():
            fill = np.array(desc.padding_value, dtype)
            widths = list(zip(desc.start_padding, desc.end_padding, strict=True))
            return padding.pad(inputs[0], widths, MODES[desc.padding_mode], fill)
        case dmlc.OneHotOperatorDesc():
            on, off = one_hot.on_and_off_values(inputs[1])
            indices = inputs[0].squeeze(desc.axis)
            depth = desc.output_tensor.sizes[desc.axis]
            return one_hot.one_hot(indices, depth, desc.axis, on, off)
        case dmlc.Slice1OperatorDesc():
            return slices.slice_window(
                inputs[0],
                desc.input_window_offsets,
                desc.input_window_sizes,
                desc.input_window_strides,
                desc.output_tensor.sizes,
            )
        case dmlc.SliceOperatorDesc():
            windows = [(n - 1) * s + 1 for n, s in zip(desc.sizes, desc.strides, strict=True)]
            return slices.slice_window(
                inputs[0], desc.offsets, windows, desc.strides, desc.output_tensor.sizes
            )
        case dmlc.DiagonalMatrixOperatorDesc():
            value = scalars.float_to_element(float(desc.value), dtype)
            begin, end = desc.offset, desc.offset + 1
        case _:
            value = np.array(desc.value, dtype)
            begin, end = desc.diagonal_fill_begin, desc.diagonal_fill_end
    array = inputs[0] if inputs else np.zeros(desc.output_tensor.sizes, dtype)
    return diagonal_matrix.fill_band(array, begin, end, value)


def holds_nan(desc: Any) -> bool:
    """A NaN value: its bits in another type are nobody's promise."""
    values = (getattr(desc, "padding_value", 0.0), getattr(desc, "value", 0.0))
    return any(isinstance(value, float) and math.isnan(value) for value in values)


def run_and_judge(desc: Any, seed: int, operator: Any = None) -> None:
    """Run an operator of a valid descriptor, or one that is compiled of it, and compare it with its twin."""
    given = [getattr(desc, name, None) for name in INPUT_FIELDS]
    tensors: list[Any] = [tensor for tensor in given if tensor is not None]
    described = [strategies.Tensor(t.data_type.numpy_dtype, t.sizes, t.strides) for t in tensors]
    sizes = [t.size_in_bytes for t in described]
    sizes += [t.total_tensor_size_in_bytes or 0 for t in tensors]
    sizes += [8 * math.prod(t.sizes) for t in [*tensors, desc.output_tensor]]
    output = strategies.Tensor(
        desc.output_tensor.data_type.numpy_dtype,
        desc.output_tensor.sizes,
        desc.output_tensor.strides,
    )
    if max([*sizes, output.size_in_bytes]) > 2**22:
        return
    operator = operator or DEVICE.compile_operator(desc)
    memories = []
    for t, d in zip(described, tensors, strict=True):
        memory = t.memory(seed)
        spare = (d.total_tensor_size_in_bytes or 0) - memory.size
        memories.append(np.concatenate([memory, np.zeros(max(spare, 0), np.uint8)]))
    typed = [t.read(m) for t, m in zip(described, memories, strict=True)]
    if any(t.guaranteed_base_offset_alignment > 16 for t in [*tensors, desc.output_tensor]):
        return
    result = operator(*(t.as_flat(m) for t, m in zip(described, memories, strict=True)))
    if not holds_nan(desc):
        assert_same(result, expected_of(desc, typed))


def assert_judged(desc: Any, level: Any, seed: int) -> None:
    device = dmlc.Device(level)
    complaints = device.check(desc)
    if not complaints:
        run_and_judge(desc, seed)
        return
    for complaint in complaints:
        assert isinstance(complaint, dmlc.InvalidDescriptorError)
        assert complaint.operator == type(desc).__name__
        place = f"{complaint.operator}.{complaint.field}".rstrip(".")
        assert str(complaint).startswith(f"{place}: ")
    with pytest.raises(dmlc.InvalidDescriptorError) as error:
        device.compile_operator(desc)
    assert type(error.value) is type(complaints[0])
    assert str(error.value) == str(complaints[0])


@pytest.mark.parametrize("name", VALID)
def test_the_unchanged_descriptors_are_valid(name: str) -> None:
    assert DEVICE.check(VALID[name]) == []
    run_and_judge(VALID[name], 1)


@pytest.mark.parametrize("name", VALID)
@given(data=st.data(), seed=strategies.seeds)
def test_changed_descriptors(name: str, data: st.DataObject, seed: int) -> None:
    desc = data.draw(changed(VALID[name]))
    level = data.draw(st.sampled_from([*dmlc.FeatureLevel, *[dmlc.FeatureLevel.LEVEL_6_4] * 15]))
    assert_judged(desc, level, seed)
