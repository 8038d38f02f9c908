"""The rules of `DiagonalMatrix1OperatorDesc` and `DiagonalMatrixOperatorDesc`."""

from __future__ import annotations

from dmlc.descriptors.diagonal_matrix import (
    DiagonalMatrix1OperatorDesc,
    DiagonalMatrixOperatorDesc,
)
from dmlc.descriptors.tensor import BufferTensorDesc
from dmlc.enums import TensorDataType
from dmlc.validation.complaints import Complaints
from dmlc.validation.feature_levels import DIAGONAL_MATRIX, DIAGONAL_MATRIX1
from dmlc.validation.scalar import check_scalar
from dmlc.validation.tensor import (
    INT,
    SIZES,
    check_integer,
    check_same_data_type,
    check_same_dimension_count,
    check_tensor,
    dimensions,
    in_range,
)

__all__ = ["check_diagonal_matrix", "check_diagonal_matrix1"]


def check_diagonal_matrix1(desc: DiagonalMatrix1OperatorDesc, complaints: Complaints) -> None:
    """Complain about every broken rule of ``DML_DIAGONAL_MATRIX1_OPERATOR_DESC``."""
    source, output = desc.input_tensor, desc.output_tensor
    complaints.require_operator(DIAGONAL_MATRIX1.introduced)
    if source is not None:
        check_tensor(complaints, "input_tensor", source, DIAGONAL_MATRIX1)
    check_tensor(complaints, "output_tensor", output, DIAGONAL_MATRIX1, is_output=True)
    if source is not None:
        _check_same_shape(complaints, source, output)
    if desc.value_data_type is TensorDataType.UNKNOWN:
        complaints.add("value_data_type", "must be a known data type, got UNKNOWN")
    check_same_data_type(
        complaints, "value_data_type", desc.value_data_type, "the output's", output.data_type
    )
    check_scalar(complaints, "value", desc.value, desc.value_data_type)
    check_integer(complaints, "diagonal_fill_begin", desc.diagonal_fill_begin, INT)
    check_integer(complaints, "diagonal_fill_end", desc.diagonal_fill_end, INT)


def check_diagonal_matrix(desc: DiagonalMatrixOperatorDesc, complaints: Complaints) -> None:
    """Complain about every broken rule of ``DML_DIAGONAL_MATRIX_OPERATOR_DESC``."""
    complaints.require_operator(DIAGONAL_MATRIX.introduced)
    check_tensor(complaints, "output_tensor", desc.output_tensor, DIAGONAL_MATRIX, is_output=True)
    check_integer(complaints, "offset", desc.offset, INT)


def _check_same_shape(
    complaints: Complaints, source: BufferTensorDesc, output: BufferTensorDesc
) -> None:
    check_same_data_type(
        complaints, "output_tensor.data_type", output.data_type, "the input's", source.data_type
    )
    check_same_dimension_count(
        complaints, "output_tensor.sizes", output.sizes, "the input's", source.sizes
    )
    for i, (expected, got) in dimensions(source.sizes, output.sizes):
        if got != expected and in_range(SIZES, (expected, got)):
            message = f"must equal the input size {expected}, got {got}"
            complaints.add(f"output_tensor.sizes[{i}]", message)
