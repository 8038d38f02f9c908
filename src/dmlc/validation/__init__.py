"""Every rule of every operator, stated once.

`check` lists what is wrong with a descriptor, all of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dmlc.descriptors import (
    DiagonalMatrix1OperatorDesc,
    DiagonalMatrixOperatorDesc,
    OneHotOperatorDesc,
    Padding1OperatorDesc,
    PaddingOperatorDesc,
    Slice1OperatorDesc,
    SliceOperatorDesc,
)
from dmlc.enums import FeatureLevel
from dmlc.errors import InvalidDescriptorError
from dmlc.validation.complaints import Complaints, in_field_order
from dmlc.validation.diagonal_matrix import check_diagonal_matrix, check_diagonal_matrix1
from dmlc.validation.one_hot import check_one_hot
from dmlc.validation.padding import check_padding, check_padding1
from dmlc.validation.slice import check_slice, check_slice1

__all__ = ["check"]

_RULES: dict[type, Callable[[Any, Complaints], None]] = {
    PaddingOperatorDesc: check_padding,
    Padding1OperatorDesc: check_padding1,
    OneHotOperatorDesc: check_one_hot,
    Slice1OperatorDesc: check_slice1,
    SliceOperatorDesc: check_slice,
    DiagonalMatrix1OperatorDesc: check_diagonal_matrix1,
    DiagonalMatrixOperatorDesc: check_diagonal_matrix,
}


def check(
    desc: object, feature_level: FeatureLevel = FeatureLevel.LEVEL_6_4
) -> list[InvalidDescriptorError]:
    """Return every complaint about an operator's descriptor.

    Parameters
    ----------
    desc : operator descriptor
        A `PaddingOperatorDesc`, `OneHotOperatorDesc`, ...
    feature_level : FeatureLevel, optional
        What the device can do; the newest level by default.

    Returns
    -------
    list of InvalidDescriptorError
        In the order of the descriptor's fields; empty when the descriptor is valid. What only the
        feature level forbids is a `FeatureLevelError`. A rule that would calculate with a value
        that another rule forbids is passed over.

    Raises
    ------
    TypeError
        If ``desc`` is not an operator descriptor.

    Examples
    --------
    >>> from dmlc import BufferTensorDesc, DiagonalMatrixOperatorDesc, TensorDataType
    >>> tensor = BufferTensorDesc(TensorDataType.FLOAT32, (3, 0))
    >>> for complaint in check(DiagonalMatrixOperatorDesc(tensor, offset=0, value=1)):
    ...     print(complaint)
    DiagonalMatrixOperatorDesc.output_tensor.sizes[1]: must be 1 to 4294967295, got 0
    """
    rules = _RULES.get(type(desc))
    if rules is None:
        raise TypeError(f"must be an operator descriptor, got {desc!r}")
    complaints = Complaints(type(desc).__name__, feature_level)
    rules(desc, complaints)
    return in_field_order(complaints.found, desc) if complaints.found else []
