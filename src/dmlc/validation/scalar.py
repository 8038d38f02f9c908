"""The rule of the typed values: an integer type holds the integers of its range."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from dmlc.enums import TensorDataType
from dmlc.validation.complaints import Complaints, printed

__all__ = ["check_scalar", "is_representable"]

Number: TypeAlias = int | float | np.integer[Any] | np.floating[Any]


def is_representable(value: Number, data_type: TensorDataType) -> bool:
    """Return whether the type can make an element of it: only the floating types round."""
    if data_type is TensorDataType.UNKNOWN:
        return False
    integers = data_type.integer_range
    if integers is None:
        return True
    if isinstance(value, (float, np.floating)) and not value.is_integer():
        return False  # a fraction, an infinity or a NaN
    return int(value) in integers


def check_scalar(
    complaints: Complaints, field: str, value: Number, data_type: TensorDataType
) -> None:
    """Complain about a value that the (known) integer type ``data_type`` does not hold."""
    integers = data_type.integer_range
    if integers is None or is_representable(value, data_type):
        return
    rule = f"must be an integer from {integers[0]} to {integers[-1]} ({data_type.name})"
    complaints.add(field, f"{rule}, got {printed(value)}")
