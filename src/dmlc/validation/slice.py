"""The rules of `Slice1OperatorDesc` and `SliceOperatorDesc`."""

from __future__ import annotations

from dmlc.descriptors.slice import Slice1OperatorDesc, SliceOperatorDesc
from dmlc.validation.complaints import Complaints
from dmlc.validation.feature_levels import SLICE, SLICE1, Support
from dmlc.validation.tensor import (
    INT,
    SIZES,
    UINT,
    check_array,
    check_same_data_type,
    check_same_dimension_count,
    check_tensor,
    dimensions,
    in_range,
)

__all__ = ["check_slice", "check_slice1"]


def check_slice1(desc: Slice1OperatorDesc, complaints: Complaints) -> None:
    """Complain about every broken rule of ``DML_SLICE1_OPERATOR_DESC``."""
    source, output = desc.input_tensor, desc.output_tensor
    offsets, strides = desc.input_window_offsets, desc.input_window_strides
    sizes = desc.input_window_sizes
    _check_tensors(desc, complaints, SLICE1)

    for i, (size, stride, got) in dimensions(sizes, strides, output.sizes):
        if not in_range(SIZES, (size, got)) or stride not in INT or stride == 0:
            continue
        most = 1 + (size - 1) // abs(stride)
        if got > most:
            complaints.add(
                f"output_tensor.sizes[{i}]",
                "must be at most 1 + (window size - 1) / |stride|"
                f" = 1 + ({size} - 1) / |{stride}| = {most}, got {got}",
            )

    count = source.dimension_count
    check_array(complaints, "input_window_offsets", offsets, count, UINT)
    _check_offsets(complaints, "input_window_offsets", source.sizes, offsets)
    check_array(complaints, "input_window_sizes", sizes, count, SIZES)
    for i, (whole, offset, size) in dimensions(source.sizes, offsets, sizes):
        if offset in range(whole) and in_range(SIZES, (whole, size)) and offset + size > whole:
            complaints.add(
                f"input_window_sizes[{i}]",
                f"must be at most input size - offset = {whole} - {offset} = {whole - offset},"
                f" got {size}",
            )
    check_array(complaints, "input_window_strides", strides, count, INT)
    for i, (stride,) in dimensions(strides):
        if stride == 0 and len(strides) == count:
            complaints.add(f"input_window_strides[{i}]", "must not be 0, got 0")


def check_slice(desc: SliceOperatorDesc, complaints: Complaints) -> None:
    """Complain about every broken rule of ``DML_SLICE_OPERATOR_DESC``."""
    source, output = desc.input_tensor, desc.output_tensor
    offsets, sizes, strides = desc.offsets, desc.sizes, desc.strides
    _check_tensors(desc, complaints, SLICE)

    count = source.dimension_count
    check_array(complaints, "offsets", offsets, count, UINT)
    _check_offsets(complaints, "offsets", source.sizes, offsets)
    check_array(complaints, "sizes", sizes, count, SIZES)
    for i, (size, expected) in dimensions(sizes, output.sizes):
        if size != expected and in_range(SIZES, (size, expected)):
            complaints.add(f"sizes[{i}]", f"must equal the output size {expected}, got {size}")
    check_array(complaints, "strides", strides, count, SIZES)
    for i, (whole, offset, size, stride) in dimensions(source.sizes, offsets, sizes, strides):
        if offset not in range(whole) or not in_range(SIZES, (whole, size, stride)):
            continue
        last = offset + (size - 1) * stride
        if last >= whole:
            complaints.add(
                f"strides[{i}]",
                f"must keep the last element, offset + (size - 1) * stride = {offset} +"
                f" ({size} - 1) * {stride} = {last}, below the input size {whole}, got {stride}",
            )


def _check_tensors(
    desc: Slice1OperatorDesc | SliceOperatorDesc, complaints: Complaints, support: Support
) -> None:
    source, output = desc.input_tensor, desc.output_tensor
    complaints.require_operator(support.introduced)
    check_tensor(complaints, "input_tensor", source, support)
    check_tensor(complaints, "output_tensor", output, support, is_output=True)
    check_same_data_type(
        complaints, "output_tensor.data_type", output.data_type, "the input's", source.data_type
    )
    check_same_dimension_count(
        complaints, "output_tensor.sizes", output.sizes, "the input's", source.sizes
    )


def _check_offsets(
    complaints: Complaints, field: str, sizes: tuple[int, ...], offsets: tuple[int, ...]
) -> None:
    for i, (size, offset) in dimensions(sizes, offsets):
        if offset >= size and size in SIZES and offset in UINT:
            message = f"must be less than the input size {size}, got {offset}"
            complaints.add(f"{field}[{i}]", message)
