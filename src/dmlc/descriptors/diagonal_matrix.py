"""`DiagonalMatrix1OperatorDesc` and `DiagonalMatrixOperatorDesc`: a filled diagonal band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np

from dmlc.descriptors.fields import (
    Descriptor,
    Number,
    enum_field,
    integer_field,
    number_field,
    source,
)
from dmlc.descriptors.scalar import (
    float_identity,
    float_to_element,
    scalar_identity,
    scalar_to_element,
)
from dmlc.descriptors.tensor import BufferTensorDesc, tensor_field
from dmlc.enums import TensorDataType

__all__ = ["DiagonalMatrix1OperatorDesc", "DiagonalMatrixOperatorDesc"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class DiagonalMatrix1OperatorDesc(Descriptor):
    """Fill a diagonal band, or all but a band (``DML_DIAGONAL_MATRIX1_OPERATOR_DESC``).

    With ``top = column - row``, an element is the value where ``begin <= top < end``, or, if
    ``begin > end``, where ``top < end`` or ``top >= begin``. Elsewhere it is the input's, or 0.

    Parameters
    ----------
    input_tensor : BufferTensorDesc, optional
        Of the output's data type and sizes. Without one, what is not filled is 0.
    output_tensor : BufferTensorDesc
        2 to 4 dimensions; those before the last two are a batch of matrices.
    value_data_type : TensorDataType
        The output's data type.
    value : number
        Of that type: 64-bit integers are exact, and a NumPy scalar of the type keeps its bits.
    diagonal_fill_begin, diagonal_fill_end : int
        The band, in INT32's range: 0 is the main diagonal, 1 the one to its right.

    Raises
    ------
    TypeError, ValueError
        If a field cannot hold its value. Values that break a rule do not raise here:
        `Device.check` lists them.

    Notes
    -----
    From feature level 5_1: all eleven data types, 2 to 4 dimensions. All arguments are by keyword,
    because DirectML's first field is the optional one.

    Semantics: DirectML's reference of ``DML_DIAGONAL_MATRIX1_OPERATOR_DESC``.

    Examples
    --------
    The identity matrix:

    >>> from dmlc import BufferTensorDesc, DiagonalMatrix1OperatorDesc, TensorDataType
    >>> desc = DiagonalMatrix1OperatorDesc(
    ...     output_tensor=BufferTensorDesc(TensorDataType.UINT8, (4, 5)),
    ...     value_data_type=TensorDataType.UINT8,
    ...     value=1,
    ...     diagonal_fill_begin=0,
    ...     diagonal_fill_end=1,
    ... )
    >>> desc.value_bytes
    b'\\x01'
    """

    __slots__ = (
        "diagonal_fill_begin",
        "diagonal_fill_end",
        "input_tensor",
        "output_tensor",
        "value",
        "value_data_type",
    )

    input_tensor: BufferTensorDesc | None
    output_tensor: BufferTensorDesc
    value_data_type: TensorDataType
    value: int | float | np.floating[Any]
    diagonal_fill_begin: int
    diagonal_fill_end: int

    def __init__(
        self,
        *,
        input_tensor: BufferTensorDesc | None = None,
        output_tensor: BufferTensorDesc,
        value_data_type: TensorDataType | int,
        value: Number,
        diagonal_fill_begin: SupportsIndex,
        diagonal_fill_end: SupportsIndex,
    ) -> None:
        name = "DiagonalMatrix1OperatorDesc"
        number = number_field(f"{name}.value", value)
        data_type = enum_field(f"{name}.value_data_type", TensorDataType, value_data_type)
        begin, end = diagonal_fill_begin, diagonal_fill_end
        self._assign(
            {
                "input_tensor": (
                    None
                    if input_tensor is None
                    else tensor_field(f"{name}.input_tensor", input_tensor)
                ),
                "output_tensor": tensor_field(f"{name}.output_tensor", output_tensor),
                "value_data_type": data_type,
                "value": number,
                "diagonal_fill_begin": integer_field(f"{name}.diagonal_fill_begin", begin),
                "diagonal_fill_end": integer_field(f"{name}.diagonal_fill_end", end),
            },
            bits={"value": scalar_identity(number, data_type)},
        )

    def _printed(self) -> list[str]:
        values = self._values()
        if self.input_tensor is None:
            del values["input_tensor"]
        return [f"{name}={source(value)}" for name, value in values.items()]

    @property
    def value_bytes(self) -> bytes:
        """The value as one element; ValueError if its type does not hold it."""
        return scalar_to_element(self.value, self.value_data_type)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class DiagonalMatrixOperatorDesc(Descriptor):
    """Fill one diagonal, the rest with 0 (``DML_DIAGONAL_MATRIX_OPERATOR_DESC``).

    ``output[row, row + offset] = value``.

    Parameters
    ----------
    output_tensor : BufferTensorDesc
        2 to 4 dimensions; those before the last two are a batch of matrices.
    offset : int
        Which diagonal, in INT32's range: 0 is the main one, 1 the one to its right.
    value : number
        A FLOAT: rounded to float32, then for integer tensors truncated towards zero and saturated,
        NaN giving 0.

    Raises
    ------
    TypeError
        If a field cannot hold its value. Values that break a rule do not raise here:
        `Device.check` lists them.

    Notes
    -----
    From feature level 2_0, with 4 dimensions; 2 to 4 from 4_0, all eleven data types from 5_1.

    Semantics: DirectML's reference of ``DML_DIAGONAL_MATRIX_OPERATOR_DESC``.

    Examples
    --------
    >>> from dmlc import BufferTensorDesc, DiagonalMatrixOperatorDesc, TensorDataType
    >>> tensor = BufferTensorDesc(TensorDataType.INT8, (3, 3))
    >>> DiagonalMatrixOperatorDesc(tensor, offset=-1, value=-2.5).value_bytes
    b'\\xfe'
    """

    __slots__ = (
        "offset",
        "output_tensor",
        "value",
    )

    output_tensor: BufferTensorDesc
    offset: int
    value: int | float | np.floating[Any]

    def __init__(
        self, output_tensor: BufferTensorDesc, offset: SupportsIndex, value: Number
    ) -> None:
        name = "DiagonalMatrixOperatorDesc"
        number = number_field(f"{name}.value", value)
        self._assign(
            {
                "output_tensor": tensor_field(f"{name}.output_tensor", output_tensor),
                "offset": integer_field(f"{name}.offset", offset),
                "value": number,
            },
            bits={"value": float_identity(number)},
        )

    @property
    def value_bytes(self) -> bytes:
        """The value as one element of the output."""
        return float_to_element(self.value, self.output_tensor.data_type)
