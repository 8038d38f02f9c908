"""The rule of the typed values: an integer type holds the integers of its range."""

from __future__ import annotations

from dmlc.arrays import printed
from dmlc.descriptors.fields import Number
from dmlc.descriptors.scalar import is_representable
from dmlc.enums import TensorDataType
from dmlc.validation.complaints import Complaints

__all__ = ["check_scalar"]


def check_scalar(
    complaints: Complaints, field: str, value: Number, data_type: TensorDataType
) -> None:
    """Complain about a value that the (known) integer type ``data_type`` does not hold."""
    integers = data_type.integer_range
    if integers is None or is_representable(value, data_type):
        return
    rule = f"must be an integer from {integers[0]} to {integers[-1]} ({data_type.name})"
    complaints.add(field, f"{rule}, got {printed(value)}")
