"""The rules of `PaddingOperatorDesc` and `Padding1OperatorDesc`."""

from __future__ import annotations

from dmlc.descriptors.padding import Padding1OperatorDesc, PaddingOperatorDesc
from dmlc.enums import TensorDataType
from dmlc.validation.complaints import Complaints
from dmlc.validation.feature_levels import PADDING, PADDING1, PADDING_MODES, Support
from dmlc.validation.scalar import check_scalar
from dmlc.validation.tensor import (
    SIZES,
    UINT,
    check_array,
    check_same_data_type,
    check_same_dimension_count,
    check_tensor,
    dimensions,
    in_range,
)

__all__ = ["check_padding", "check_padding1"]


def check_padding(desc: PaddingOperatorDesc, complaints: Complaints) -> None:
    """Complain about every broken rule of ``DML_PADDING_OPERATOR_DESC``."""
    _check_both(desc, complaints, PADDING)


def check_padding1(desc: Padding1OperatorDesc, complaints: Complaints) -> None:
    """Complain about every broken rule of ``DML_PADDING1_OPERATOR_DESC``."""
    _check_both(desc, complaints, PADDING1)
    data_type, expected = desc.padding_value_data_type, desc.output_tensor.data_type
    if data_type is TensorDataType.UNKNOWN:
        complaints.add("padding_value_data_type", "must be a known data type, got UNKNOWN")
    check_same_data_type(complaints, "padding_value_data_type", data_type, "the output's", expected)
    check_scalar(complaints, "padding_value", desc.padding_value, data_type)


def _check_both(
    desc: PaddingOperatorDesc | Padding1OperatorDesc, complaints: Complaints, support: Support
) -> None:
    source, output = desc.input_tensor, desc.output_tensor
    start_padding, end_padding = desc.start_padding, desc.end_padding
    complaints.require_operator(support.introduced)
    check_tensor(complaints, "input_tensor", source, support)
    check_tensor(complaints, "output_tensor", output, support, is_output=True)
    check_same_data_type(
        complaints, "output_tensor.data_type", output.data_type, "the input's", source.data_type
    )
    check_same_dimension_count(
        complaints, "output_tensor.sizes", output.sizes, "the input's", source.sizes
    )
    for i, values in dimensions(source.sizes, start_padding, end_padding, output.sizes):
        size, start, end, got = values
        expected = size + start + end
        if got != expected and in_range(SIZES, (size, got)) and in_range(UINT, (start, end)):
            complaints.add(
                f"output_tensor.sizes[{i}]",
                f"must be input size + start + end = {size} + {start} + {end} = {expected},"
                f" got {got}",
            )
    mode = desc.padding_mode
    complaints.require_level("padding_mode", f"{mode.name} needs", PADDING_MODES[mode])
    check_array(complaints, "start_padding", start_padding, source.dimension_count, UINT)
    check_array(complaints, "end_padding", end_padding, source.dimension_count, UINT)
