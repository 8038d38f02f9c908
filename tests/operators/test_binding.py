"""What a compiled operator takes for its tensors, and what it refuses."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dmlc
from arrays import LAYOUTS, Target, assert_fresh, assert_same, lay_out
from operators.running import DEVICE, tensor_desc
from reference import buffers
from strategies import Tensor

FLOAT32 = np.dtype(np.float32)
SOURCE = np.arange(6, dtype=np.float32).reshape(2, 3)
PADDED = np.pad(SOURCE, [(0, 0), (1, 1)])


def pad_desc(source: Any = None, output: Any = None) -> Any:
    """A pad of (2, 3) by one column on both sides."""
    return dmlc.PaddingOperatorDesc(
        tensor_desc(SOURCE) if source is None else source,
        tensor_desc(PADDED) if output is None else output,
        dmlc.PaddingMode.CONSTANT,
        0.0,
        (0, 1),
        (0, 1),
    )


def band_desc(tensor: Any, with_input: bool = True) -> Any:
    return dmlc.DiagonalMatrix1OperatorDesc(
        input_tensor=tensor if with_input else None,
        output_tensor=tensor,
        value_data_type=dmlc.TensorDataType.FLOAT32,
        value=1.0,
        diagonal_fill_begin=0,
        diagonal_fill_end=1,
    )


PAD = DEVICE.compile_operator(pad_desc())

# --- what is taken ------------------------------------------------------------------------------

FLAT_FORMS: list[Callable[[bytes], Any]] = [
    bytes,
    bytearray,
    lambda data: memoryview(data),
    lambda data: memoryview(bytearray(data)).toreadonly(),
    lambda data: np.frombuffer(data, np.uint8),
    lambda data: np.frombuffer(data, np.int32),
    lambda data: np.frombuffer(data, np.float32),
    lambda data: (ctypes.c_char * len(data)).from_buffer_copy(data),
    lambda data: data + b"more than is needed",
]


@pytest.mark.parametrize("form", range(len(FLAT_FORMS)))
def test_flat_inputs(form: int) -> None:
    assert_same(PAD(FLAT_FORMS[form](SOURCE.tobytes())), PADDED)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_typed_inputs_of_any_strides(layout: str) -> None:
    array = lay_out(SOURCE, layout)
    assert_same(PAD(array), np.pad(array, [(0, 0), (1, 1)]))


def test_a_descriptor_with_strides_still_takes_typed_arrays_by_their_own_strides() -> None:
    strided = Tensor(FLOAT32, (2, 3), (1, 2))
    operator = DEVICE.compile_operator(pad_desc(source=strided.desc()))
    assert_same(operator(SOURCE), PADDED)
    assert_same(operator(SOURCE.T.copy().T), PADDED)


def test_flat_inputs_are_read_through_the_descriptors_strides() -> None:
    transposed = Tensor(FLOAT32, (2, 3), (1, 2))
    operator = DEVICE.compile_operator(pad_desc(source=transposed.desc()))
    assert_same(operator(transposed.memory_of(SOURCE)), PADDED)


def test_a_1_d_array_of_the_descriptors_shape_is_typed_and_of_more_elements_flat() -> None:
    reversed_tensor = Tensor(FLOAT32, (3,), (2,))
    packed = Tensor(FLOAT32, (3,))
    desc = dmlc.Slice1OperatorDesc(reversed_tensor.desc(), packed.desc(), (0,), (3,), (1,))
    operator = DEVICE.compile_operator(desc)
    typed = np.array([1, 2, 3], np.float32)
    assert_same(operator(typed), typed)
    flat = np.array([1, 9, 2, 9, 3], np.float32)
    assert_same(operator(flat), typed)


@pytest.mark.parametrize("layout", ["c", "fortran", "reversed", "gaps", "odd_strides", "unaligned"])
def test_typed_outputs_of_any_strides(layout: str) -> None:
    target = Target(PADDED.shape, FLOAT32, layout)
    assert PAD(SOURCE, out=target.view) is target.view
    assert_same(np.array(target.view, order="C"), PADDED)
    target.assert_gaps_untouched()


def test_flat_outputs_are_written_through_the_descriptors_strides() -> None:
    spread = Tensor(FLOAT32, (2, 5), (11, 2))
    operator = DEVICE.compile_operator(pad_desc(output=spread.desc()))
    for make in (lambda n: bytearray(b"\xa5" * n), lambda n: np.full(n, 0xA5, np.uint8)):
        out = make(spread.size_in_bytes + 3)
        assert operator(SOURCE, out=out) is out
        expected = np.full(spread.size_in_bytes + 3, 0xA5, np.uint8)
        buffers.write(expected, PADDED, spread.strides)
        assert bytes(out) == expected.tobytes()


def test_without_out_the_result_is_typed_and_packed() -> None:
    spread = Tensor(FLOAT32, (2, 5), (11, 2))
    result = DEVICE.compile_operator(pad_desc(output=spread.desc()))(SOURCE)
    assert_same(result, PADDED)
    assert_fresh(result)


def test_an_operator_runs_again_with_other_arrays() -> None:
    for array in (SOURCE, SOURCE + 1, SOURCE[::-1], SOURCE.T.copy().T):
        assert_same(PAD(array), np.pad(array, [(0, 0), (1, 1)]))


def test_optional_input_may_be_none_or_left_out() -> None:
    expected = np.eye(2, 3, dtype=np.float32)
    operator = DEVICE.compile_operator(band_desc(tensor_desc(SOURCE), with_input=False))
    assert_same(operator(), expected)
    assert_same(operator(None), expected)


def test_matrix1_in_place_with_typed_arrays_of_any_strides() -> None:
    operator = DEVICE.compile_operator(band_desc(tensor_desc(SOURCE)))
    for array in (SOURCE.copy(), SOURCE.T.copy().T, SOURCE[::-1].copy()[::-1]):
        expected = array.copy()
        expected[[0, 1], [0, 1]] = 1
        assert operator(array, out=array) is array
        assert_same(np.array(array, order="C"), np.array(expected, order="C"))


def test_guaranteed_base_offset_alignment_is_honoured() -> None:
    aligned = dmlc.BufferTensorDesc(
        dmlc.TensorDataType.FLOAT32, (2, 3), guaranteed_base_offset_alignment=64
    )
    operator = DEVICE.compile_operator(pad_desc(source=aligned))
    memory = np.zeros(24 + 128, np.uint8)
    start = -memory.ctypes.data % 64
    right, wrong = memory[start : start + 24], memory[start + 4 : start + 28]
    right[:] = np.frombuffer(SOURCE.tobytes(), np.uint8)
    assert_same(operator(right), PADDED)
    with pytest.raises(dmlc.BindingError, match="align"):
        operator(wrong)
    assert_same(operator(right.view(np.float32).reshape(2, 3)), PADDED)
    with pytest.raises(dmlc.BindingError, match="align"):
        operator(wrong.view(np.float32).reshape(2, 3))


def test_an_output_that_is_not_aligned_is_refused() -> None:
    target = dmlc.BufferTensorDesc(
        dmlc.TensorDataType.FLOAT32, PADDED.shape, guaranteed_base_offset_alignment=64
    )
    operator = DEVICE.compile_operator(pad_desc(output=target))
    memory = np.zeros(PADDED.nbytes + 128, np.uint8)
    start = -memory.ctypes.data % 64
    for past in (0, 4):
        out = memory[start + past : start + past + PADDED.nbytes].view(np.float32)
        out = out.reshape(PADDED.shape)
        if past == 0:
            assert operator(SOURCE, out=out) is out
            assert_same(out, PADDED)
        else:
            with pytest.raises(dmlc.BindingError, match="output_tensor: must be aligned to 64"):
                operator(SOURCE, out=out)


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [1, 4, 23, 24])
def test_flat_input_that_is_too_small(missing: int) -> None:
    with pytest.raises(dmlc.BindingError, match="24"):
        PAD(SOURCE.tobytes()[:-missing])


def test_the_size_that_counts_is_the_descriptors_total() -> None:
    large = dmlc.BufferTensorDesc(
        dmlc.TensorDataType.FLOAT32, (2, 3), total_tensor_size_in_bytes=64
    )
    operator = DEVICE.compile_operator(pad_desc(source=large))
    with pytest.raises(dmlc.BindingError, match="64"):
        operator(bytes(63))
    assert_same(operator(SOURCE.tobytes() + bytes(40)), PADDED)


def test_sizes_are_rounded_up_to_four_bytes() -> None:
    tensor = Tensor(np.dtype(np.uint8), (3,)).desc()
    desc = dmlc.Slice1OperatorDesc(tensor, tensor, (0,), (3,), (1,))
    operator = DEVICE.compile_operator(desc)
    with pytest.raises(dmlc.BindingError):
        operator(bytes(3))
    assert_same(operator(bytes([1, 2, 3, 4])), np.array([1, 2, 3], np.uint8))


def test_buffers_that_are_no_arrays_are_always_flat() -> None:
    """Eight bytes happen to have the type and shape of an array of eight UINT8."""
    source = Tensor(np.dtype(np.uint8), (8,), (0,)).desc()
    output = Tensor(np.dtype(np.uint8), (8,)).desc()
    desc = dmlc.Slice1OperatorDesc(source, output, (0,), (8,), (1,))
    data = bytes([1, 2, 3, 4, 5, 6, 7, 8])
    for flat in (data, bytearray(data), memoryview(data)):
        assert_same(DEVICE.compile_operator(desc)(flat), np.full(8, 1, np.uint8))
    array = np.frombuffer(data, np.uint8)
    assert_same(DEVICE.compile_operator(desc)(array), array)


def test_flat_output_that_is_too_small() -> None:
    out = bytearray(PADDED.nbytes - 1)
    with pytest.raises(dmlc.BindingError):
        PAD(SOURCE, out=out)
    assert not any(out)


def test_wrong_number_of_inputs() -> None:
    for inputs in [(), (SOURCE, SOURCE), (None,)]:
        with pytest.raises((dmlc.BindingError, TypeError)):
            PAD(*inputs)
    generator = DEVICE.compile_operator(band_desc(tensor_desc(SOURCE), with_input=False))
    with pytest.raises((dmlc.BindingError, TypeError)):
        generator(SOURCE)
    with pytest.raises((dmlc.BindingError, TypeError)):
        generator(None, None)
    needs_input = DEVICE.compile_operator(band_desc(tensor_desc(SOURCE)))
    with pytest.raises((dmlc.BindingError, TypeError)):
        needs_input()


WRONG_INPUTS: list[Any] = [
    SOURCE.astype(np.float64),
    SOURCE.astype(np.int32),
    SOURCE.astype(">f4"),
    SOURCE.reshape(3, 2),
    SOURCE.reshape(1, 2, 3),
    np.zeros((2, 4), np.float32),
    SOURCE.ravel()[::2],
    np.arange(24, dtype=np.float32)[::4],
    np.zeros(24, np.uint8)[::-1],
    np.float32(1),
    pytest.param(np.array([object()] * 6), id="objects"),
    [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]],
    "text",
    5,
]


@pytest.mark.parametrize("wrong", WRONG_INPUTS, ids=lambda value: repr(value)[:40])
def test_wrong_inputs(wrong: Any) -> None:
    with pytest.raises((dmlc.BindingError, TypeError)):
        PAD(wrong)


WRONG_OUTPUTS: list[Any] = [
    np.zeros((2, 5), np.float64),
    np.zeros((2, 4), np.float32),
    np.zeros((5, 2), np.float32),
    bytes(PADDED.nbytes),
    pytest.param(memoryview(bytes(PADDED.nbytes)), id="memoryview"),
    [0.0] * 10,
]


@pytest.mark.parametrize("wrong", WRONG_OUTPUTS, ids=lambda value: repr(value)[:40])
def test_wrong_outputs(wrong: Any) -> None:
    with pytest.raises((dmlc.BindingError, TypeError)):
        PAD(SOURCE, out=wrong)


def test_read_only_outputs() -> None:
    typed = np.zeros((2, 5), np.float32)
    typed.flags.writeable = False
    flat = np.zeros(PADDED.nbytes, np.uint8)
    flat.flags.writeable = False
    for out in (typed, flat, bytes(PADDED.nbytes)):
        with pytest.raises(dmlc.BindingError):
            PAD(SOURCE, out=out)
    assert not typed.any()
    assert not flat.any()


def test_decision_6_overlapping_buffers_are_refused() -> None:
    memory = np.zeros(200, np.uint8)
    before = memory.copy()
    for shift in (0, 1, 23, -39):
        source = memory[80 : 80 + 24]
        out = memory[80 + shift : 80 + shift + 40]
        with pytest.raises(dmlc.BindingError, match="overlap"):
            PAD(source, out=out)
    np.testing.assert_array_equal(memory, before)
    memory[80:104] = np.frombuffer(SOURCE.tobytes(), np.uint8)
    PAD(memory[80:104], out=memory[104:144])
    assert memory[104:144].tobytes() == PADDED.tobytes()
    PAD(memory[80:104], out=memory[40:80])
    assert memory[40:80].tobytes() == PADDED.tobytes()


def test_decision_6_matrix1_in_place_needs_the_same_layout() -> None:
    row_major, column_major = Tensor(FLOAT32, (3, 3)), Tensor(FLOAT32, (3, 3), (1, 3))
    desc = dmlc.DiagonalMatrix1OperatorDesc(
        input_tensor=row_major.desc(),
        output_tensor=column_major.desc(),
        value_data_type=dmlc.TensorDataType.FLOAT32,
        value=1.0,
        diagonal_fill_begin=0,
        diagonal_fill_end=1,
    )
    memory = bytearray(36)
    with pytest.raises(dmlc.BindingError, match="overlap"):
        DEVICE.compile_operator(desc)(memory, out=memory)
    same = DEVICE.compile_operator(band_desc(row_major.desc()))
    array = np.zeros((3, 3), np.float32)
    with pytest.raises(dmlc.BindingError, match="overlap"):
        same(array, out=array.T)
    shifted = bytearray(40)
    with pytest.raises(dmlc.BindingError, match="overlap"):
        same(memoryview(shifted)[:36], out=memoryview(shifted)[4:])


def test_the_stride_of_a_single_row_is_no_layout() -> None:
    desc = band_desc(Tensor(FLOAT32, (1, 3)).desc())
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)
    source, out = rows[::2], rows[:1]
    assert source.strides != out.strides
    expected = DEVICE.compile_operator(desc)(source.copy())
    DEVICE.compile_operator(desc)(source, out=out)
    np.testing.assert_array_equal(rows[:1], expected)


def test_inputs_may_share_memory() -> None:
    """Only what is written must stand alone."""
    tensor = Tensor(np.dtype(np.int32), (1, 2))
    output = Tensor(np.dtype(np.int32), (3, 2))
    indices = Tensor(np.dtype(np.int32), (1, 2))
    desc = dmlc.OneHotOperatorDesc(indices.desc(), tensor.desc(), output.desc(), 0)
    memory = np.array([[0, 2]], np.int32)
    result = DEVICE.compile_operator(desc)(memory, memory)
    assert_same(result, np.array([[2, 0], [0, 0], [0, 2]], np.int32))


def test_errors_are_value_errors() -> None:
    assert issubclass(dmlc.BindingError, ValueError)
    assert issubclass(dmlc.BindingError, dmlc.DmlcError)
    assert issubclass(dmlc.InvalidDescriptorError, ValueError)
    assert issubclass(dmlc.FeatureLevelError, dmlc.InvalidDescriptorError)
