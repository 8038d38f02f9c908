"""DirectML's descriptors as Python classes.

A struct ``DML_ONE_HOT_OPERATOR_DESC`` is the class `OneHotOperatorDesc`, its field
``IndicesTensor`` is ``indices_tensor``. Fields stand in DirectML's order; count fields follow from
the arrays.
"""

from __future__ import annotations

from typing import TypeAlias

from dmlc.descriptors.diagonal_matrix import (
    DiagonalMatrix1OperatorDesc,
    DiagonalMatrixOperatorDesc,
)
from dmlc.descriptors.one_hot import OneHotOperatorDesc
from dmlc.descriptors.padding import Padding1OperatorDesc, PaddingOperatorDesc
from dmlc.descriptors.slice import Slice1OperatorDesc, SliceOperatorDesc
from dmlc.descriptors.tensor import BufferTensorDesc

__all__ = [
    "BufferTensorDesc",
    "DiagonalMatrix1OperatorDesc",
    "DiagonalMatrixOperatorDesc",
    "OneHotOperatorDesc",
    "OperatorDesc",
    "Padding1OperatorDesc",
    "PaddingOperatorDesc",
    "Slice1OperatorDesc",
    "SliceOperatorDesc",
]

OperatorDesc: TypeAlias = (
    PaddingOperatorDesc
    | Padding1OperatorDesc
    | OneHotOperatorDesc
    | Slice1OperatorDesc
    | SliceOperatorDesc
    | DiagonalMatrix1OperatorDesc
    | DiagonalMatrixOperatorDesc
)
