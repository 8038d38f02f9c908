"""What a descriptor makes of its inputs, by the slow twins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlc.descriptors import (
    BufferTensorDesc,
    DiagonalMatrix1OperatorDesc,
    DiagonalMatrixOperatorDesc,
    OneHotOperatorDesc,
    OperatorDesc,
    Padding1OperatorDesc,
    PaddingOperatorDesc,
    Slice1OperatorDesc,
    SliceOperatorDesc,
)
from dmlc.reference import buffers, diagonal_matrix, one_hot, padding, scalars
from dmlc.reference import slice as slices

Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]


def write_expected(desc: OperatorDesc, inputs: Mapping[str, Bytes], output: Bytes) -> None:
    """Write into `output` what a valid descriptor makes of its inputs.

    Parameters
    ----------
    desc : operator descriptor
    inputs : mapping of str to numpy.ndarray
        The buffers of the input tensors, by the descriptor's names.
    output : numpy.ndarray
        The buffer of the output tensor; its gaps are left as they are.
    """
    arrays = {name: _read(getattr(desc, name), buffer) for name, buffer in inputs.items()}
    buffers.write(output, _expected(desc, arrays), desc.output_tensor.strides)


def _read(tensor: BufferTensorDesc, buffer: Bytes) -> Array:
    return buffers.read(buffer, tensor.data_type.numpy_dtype, tensor.sizes, tensor.strides)


def _expected(desc: OperatorDesc, inputs: Mapping[str, Array]) -> Array:
    sizes = desc.output_tensor.sizes
    dtype = desc.output_tensor.data_type.numpy_dtype
    match desc:
        case PaddingOperatorDesc():
            return _padded(desc, inputs, scalars.float_to_element(float(desc.padding_value), dtype))
        case Padding1OperatorDesc():
            return _padded(desc, inputs, np.array(desc.padding_value, dtype))
        case OneHotOperatorDesc():
            on, off = one_hot.on_and_off_values(inputs["values_tensor"])
            indices = inputs["indices_tensor"].squeeze(desc.axis)
            return one_hot.one_hot(indices, sizes[desc.axis], desc.axis, on, off)
        case Slice1OperatorDesc():
            return slices.slice_window(
                inputs["input_tensor"],
                desc.input_window_offsets,
                desc.input_window_sizes,
                desc.input_window_strides,
                sizes,
            )
        case SliceOperatorDesc():
            windows = [(n - 1) * step + 1 for n, step in zip(sizes, desc.strides, strict=True)]
            return slices.slice_window(
                inputs["input_tensor"], desc.offsets, windows, desc.strides, sizes
            )
        case DiagonalMatrixOperatorDesc():
            value = scalars.float_to_element(float(desc.value), dtype)
            return diagonal_matrix.diagonal_matrix(sizes, desc.offset, desc.offset + 1, value)
        case DiagonalMatrix1OperatorDesc():
            array = inputs.get("input_tensor", np.zeros(sizes, dtype))
            begin, end = desc.diagonal_fill_begin, desc.diagonal_fill_end
            return diagonal_matrix.fill_band(array, begin, end, np.array(desc.value, dtype))


def _padded(
    desc: PaddingOperatorDesc | Padding1OperatorDesc, inputs: Mapping[str, Array], fill: Array
) -> Array:
    widths = list(zip(desc.start_padding, desc.end_padding, strict=True))
    mode = padding.MODES[desc.padding_mode]
    return padding.pad(inputs["input_tensor"], widths, mode, fill)
