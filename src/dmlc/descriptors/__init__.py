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
from dmlc.validation import register
from dmlc.validation.diagonal_matrix import check_diagonal_matrix, check_diagonal_matrix1
from dmlc.validation.one_hot import check_one_hot
from dmlc.validation.padding import check_padding, check_padding1
from dmlc.validation.slice import check_slice, check_slice1

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

register(PaddingOperatorDesc, check_padding)
register(Padding1OperatorDesc, check_padding1)
register(OneHotOperatorDesc, check_one_hot)
register(Slice1OperatorDesc, check_slice1)
register(SliceOperatorDesc, check_slice)
register(DiagonalMatrix1OperatorDesc, check_diagonal_matrix1)
register(DiagonalMatrixOperatorDesc, check_diagonal_matrix)
