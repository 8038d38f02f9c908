"""The rules of `OneHotOperatorDesc`."""

from __future__ import annotations

from dmlc.arrays import printed
from dmlc.descriptors.one_hot import OneHotOperatorDesc
from dmlc.validation.complaints import Complaints
from dmlc.validation.feature_levels import ONE_HOT_INDICES, ONE_HOT_VALUES
from dmlc.validation.tensor import (
    SIZES,
    check_same_data_type,
    check_same_dimension_count,
    check_tensor,
    dimensions,
    in_range,
)

__all__ = ["check_one_hot"]


def check_one_hot(desc: OneHotOperatorDesc, complaints: Complaints) -> None:
    """Complain about every broken rule of ``DML_ONE_HOT_OPERATOR_DESC``."""
    indices, values, output = desc.indices_tensor, desc.values_tensor, desc.output_tensor
    complaints.require_operator(ONE_HOT_VALUES.introduced)
    check_tensor(complaints, "indices_tensor", indices, ONE_HOT_INDICES)
    check_tensor(complaints, "values_tensor", values, ONE_HOT_VALUES)
    check_tensor(complaints, "output_tensor", output, ONE_HOT_VALUES, is_output=True)

    check_same_dimension_count(
        complaints, "values_tensor.sizes", values.sizes, "the indices'", indices.sizes
    )
    if set(values.sizes) == {1}:
        complaints.add("values_tensor.sizes", "must be at least 2 elements (off, on), got 1")

    check_same_data_type(
        complaints, "output_tensor.data_type", output.data_type, "the values'", values.data_type
    )
    check_same_dimension_count(
        complaints, "output_tensor.sizes", output.sizes, "the indices'", indices.sizes
    )
    if desc.axis in range(indices.dimension_count):
        _check_sizes(desc, complaints)
    else:
        last = indices.dimension_count - 1
        rule = f"must be 0 to dimension count - 1 = {last}"
        complaints.add("axis", f"{rule}, got {printed(desc.axis)}")


def _check_sizes(desc: OneHotOperatorDesc, complaints: Complaints) -> None:
    axis = desc.axis
    for i, (size, got) in dimensions(desc.indices_tensor.sizes, desc.output_tensor.sizes):
        if i == axis and size != 1 and size in SIZES:
            message = f"must be 1 along the axis {axis}, got {size}"
            complaints.add(f"indices_tensor.sizes[{i}]", message)
        if i != axis and size != got and in_range(SIZES, (size, got)):
            message = f"must equal the indices' size {size}, got {got}"
            complaints.add(f"output_tensor.sizes[{i}]", message)
