"""What a descriptor that has been checked is to the binding: an operator, its tensors and its values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from dmlc import _dmlc
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
from dmlc.enums import TensorDataType

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Fields", "input_tensors", "is_known", "parts"]

# Names of fields and their tensors.
Fields = list[tuple[str, BufferTensorDesc | None]]


def is_known(desc: object) -> bool:
    """Return whether it is exactly one of the operators' descriptors."""
    return type(desc) in _OPERATORS


def input_tensors(desc: OperatorDesc) -> Fields:
    """Return what an operator reads, in the order in which it is bound."""
    return _INPUT_TENSORS[type(desc)](desc)


def parts(desc: OperatorDesc) -> tuple[Any, ...]:
    """Return what a `TypedOperator` is made of."""
    source, values = (*(tensor for _, tensor in input_tensors(desc)), None, None)[:2]
    return (
        _OPERATORS[type(desc)](desc),
        _typed(desc.output_tensor),
        None if source is None else _typed(source),
        None if values is None else _typed(values),
        *_elements(desc),
        0 if values is None else _fastest(values.sizes),
    )


def _integers(values: tuple[int, ...]) -> npt.NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def _typed(tensor: BufferTensorDesc) -> _dmlc.Tensor:
    alignment = tensor.guaranteed_base_offset_alignment
    return _dmlc.Tensor(tensor.data_type.numpy_dtype, _integers(tensor.sizes), alignment)


def _fastest(sizes: tuple[int, ...]) -> int:
    """The fastest-changing dimension that has an element 1: there the value of "on" stands."""
    return max(axis for axis, size in enumerate(sizes) if size > 1)


def _elements(desc: OperatorDesc) -> tuple[bytes | None, bytes | None]:
    """The background and the value that a descriptor holds itself."""
    if isinstance(desc, PaddingOperatorDesc | Padding1OperatorDesc):
        return desc.padding_value_bytes, None
    if isinstance(desc, DiagonalMatrix1OperatorDesc | DiagonalMatrixOperatorDesc):
        return None, desc.value_bytes
    return None, None


def _padding(desc: PaddingOperatorDesc | Padding1OperatorDesc) -> _dmlc.Operator:
    return _dmlc.Padding(
        _integers(desc.start_padding), _integers(desc.end_padding), desc.padding_mode
    )


def _slice(desc: SliceOperatorDesc) -> _dmlc.Operator:
    return _dmlc.Slice(_integers(desc.offsets), _integers(desc.strides))


def _slice1(desc: Slice1OperatorDesc) -> _dmlc.Operator:
    steps = desc.input_window_strides
    firsts = tuple(
        offset if step > 0 else offset + size - 1
        for offset, size, step in zip(desc.input_window_offsets, desc.input_window_sizes, steps)
    )
    return _dmlc.Slice(_integers(firsts), _integers(steps))


def _one_hot(desc: OneHotOperatorDesc) -> _dmlc.Operator:
    indices_type = desc.indices_tensor.data_type
    from_end = indices_type in (TensorDataType.INT32, TensorDataType.INT64)
    return _dmlc.OneHot(indices_type.numpy_dtype, from_end, desc.axis)


def _diagonal_matrix1(desc: DiagonalMatrix1OperatorDesc) -> _dmlc.Operator:
    return _dmlc.DiagonalMatrix(desc.diagonal_fill_begin, desc.diagonal_fill_end)


def _diagonal_matrix(desc: DiagonalMatrixOperatorDesc) -> _dmlc.Operator:
    return _dmlc.DiagonalMatrix(desc.offset, desc.offset + 1)


_OPERATORS: dict[type[Any], Callable[[Any], _dmlc.Operator]] = {
    PaddingOperatorDesc: _padding,
    Padding1OperatorDesc: _padding,
    OneHotOperatorDesc: _one_hot,
    Slice1OperatorDesc: _slice1,
    SliceOperatorDesc: _slice,
    DiagonalMatrix1OperatorDesc: _diagonal_matrix1,
    DiagonalMatrixOperatorDesc: _diagonal_matrix,
}


def _fields(*names: str) -> Callable[[Any], Fields]:
    return lambda desc: [(name, getattr(desc, name)) for name in names]


_INPUT_TENSORS: dict[type[Any], Callable[[Any], Fields]] = {
    PaddingOperatorDesc: _fields("input_tensor"),
    Padding1OperatorDesc: _fields("input_tensor"),
    OneHotOperatorDesc: _fields("indices_tensor", "values_tensor"),
    Slice1OperatorDesc: _fields("input_tensor"),
    SliceOperatorDesc: _fields("input_tensor"),
    DiagonalMatrix1OperatorDesc: _fields("input_tensor"),
    DiagonalMatrixOperatorDesc: _fields(),
}
