"""`PaddingOperatorDesc` and `Padding1OperatorDesc`: a tensor that grows at its edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dmlc.descriptors.fields import (
    Descriptor,
    Integers,
    Number,
    enum_field,
    integers_field,
    number_field,
)
from dmlc.descriptors.scalar import (
    float_identity,
    float_to_element,
    scalar_identity,
    scalar_to_element,
)
from dmlc.descriptors.tensor import BufferTensorDesc, tensor_field
from dmlc.enums import PaddingMode, TensorDataType

__all__ = ["Padding1OperatorDesc", "PaddingOperatorDesc"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class PaddingOperatorDesc(Descriptor):
    """Grow a tensor at its edges (``DML_PADDING_OPERATOR_DESC``).

    In each dimension, ``output size = input size + start padding + end padding``.

    Parameters
    ----------
    input_tensor, output_tensor : BufferTensorDesc
        Of the same data type and dimension count.
    padding_mode : PaddingMode
        What the padding is filled with; SYMMETRIC needs feature level 3_0, WRAP 6_4.
    padding_value : number
        The value of CONSTANT padding, a FLOAT: rounded to float32, then for integer tensors
        truncated towards zero and saturated, NaN giving 0. Other modes ignore it.
    start_padding, end_padding : sequence of int
        How much is added before and after the input in each dimension.

    Raises
    ------
    TypeError, ValueError
        If a field cannot hold its value. Values that break a rule do not raise here:
        `Device.check` lists them.

    Notes
    -----
    All eleven data types and 1 to 8 dimensions from feature level 5_0; older levels have less.

    Semantics: DirectML's reference of ``DML_PADDING_OPERATOR_DESC``.

    Examples
    --------
    >>> from dmlc import BufferTensorDesc, PaddingMode, PaddingOperatorDesc, TensorDataType
    >>> desc = PaddingOperatorDesc(
    ...     input_tensor=BufferTensorDesc(TensorDataType.UINT8, (2, 3)),
    ...     output_tensor=BufferTensorDesc(TensorDataType.UINT8, (4, 3)),
    ...     padding_mode=PaddingMode.CONSTANT,
    ...     padding_value=10.6,
    ...     start_padding=(1, 0),
    ...     end_padding=(1, 0),
    ... )
    >>> desc.padding_value_bytes
    b'\\n'
    """

    __slots__ = (
        "end_padding",
        "input_tensor",
        "output_tensor",
        "padding_mode",
        "padding_value",
        "start_padding",
    )

    input_tensor: BufferTensorDesc
    output_tensor: BufferTensorDesc
    padding_mode: PaddingMode
    padding_value: int | float | np.floating[Any]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]

    def __init__(
        self,
        input_tensor: BufferTensorDesc,
        output_tensor: BufferTensorDesc,
        padding_mode: PaddingMode | int,
        padding_value: Number,
        start_padding: Integers,
        end_padding: Integers,
    ) -> None:
        name = "PaddingOperatorDesc"
        value = number_field(f"{name}.padding_value", padding_value)
        self._assign(
            {
                "input_tensor": tensor_field(f"{name}.input_tensor", input_tensor),
                "output_tensor": tensor_field(f"{name}.output_tensor", output_tensor),
                "padding_mode": enum_field(f"{name}.padding_mode", PaddingMode, padding_mode),
                "padding_value": value,
                "start_padding": integers_field(f"{name}.start_padding", start_padding),
                "end_padding": integers_field(f"{name}.end_padding", end_padding),
            },
            bits={"padding_value": float_identity(value)},
        )

    @property
    def padding_value_bytes(self) -> bytes:
        """The padding value as one element of the output."""
        return float_to_element(self.padding_value, self.output_tensor.data_type)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Padding1OperatorDesc(Descriptor):
    """Grow a tensor at its edges, with a typed padding value (``DML_PADDING1_OPERATOR_DESC``).

    In each dimension, ``output size = input size + start padding + end padding``.

    Parameters
    ----------
    input_tensor, output_tensor : BufferTensorDesc
        Of the same data type and dimension count.
    padding_mode : PaddingMode
        What the padding is filled with; WRAP needs feature level 6_4.
    padding_value_data_type : TensorDataType
        The output's data type.
    padding_value : number
        The value of CONSTANT padding, of that type: 64-bit integers are exact, and a NumPy scalar
        of the type keeps its bits. Other modes ignore it, but it must be a value of the type.
    start_padding, end_padding : sequence of int
        How much is added before and after the input in each dimension.

    Raises
    ------
    TypeError, ValueError
        If a field cannot hold its value. Values that break a rule do not raise here:
        `Device.check` lists them.

    Notes
    -----
    From feature level 5_0: all eleven data types, 1 to 8 dimensions.

    Semantics: DirectML's reference of ``DML_PADDING1_OPERATOR_DESC``.

    Examples
    --------
    >>> from dmlc import BufferTensorDesc, Padding1OperatorDesc, PaddingMode, TensorDataType
    >>> desc = Padding1OperatorDesc(
    ...     input_tensor=BufferTensorDesc(TensorDataType.INT8, [3]),
    ...     output_tensor=BufferTensorDesc(TensorDataType.INT8, [5]),
    ...     padding_mode=PaddingMode.CONSTANT,
    ...     padding_value_data_type=TensorDataType.INT8,
    ...     padding_value=-1,
    ...     start_padding=[0],
    ...     end_padding=[2],
    ... )
    >>> desc.padding_value_bytes
    b'\\xff'
    """

    __slots__ = (
        "end_padding",
        "input_tensor",
        "output_tensor",
        "padding_mode",
        "padding_value",
        "padding_value_data_type",
        "start_padding",
    )

    input_tensor: BufferTensorDesc
    output_tensor: BufferTensorDesc
    padding_mode: PaddingMode
    padding_value_data_type: TensorDataType
    padding_value: int | float | np.floating[Any]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]

    def __init__(
        self,
        input_tensor: BufferTensorDesc,
        output_tensor: BufferTensorDesc,
        padding_mode: PaddingMode | int,
        padding_value_data_type: TensorDataType | int,
        padding_value: Number,
        start_padding: Integers,
        end_padding: Integers,
    ) -> None:
        name = "Padding1OperatorDesc"
        value = number_field(f"{name}.padding_value", padding_value)
        data_type = enum_field(
            f"{name}.padding_value_data_type", TensorDataType, padding_value_data_type
        )
        self._assign(
            {
                "input_tensor": tensor_field(f"{name}.input_tensor", input_tensor),
                "output_tensor": tensor_field(f"{name}.output_tensor", output_tensor),
                "padding_mode": enum_field(f"{name}.padding_mode", PaddingMode, padding_mode),
                "padding_value_data_type": data_type,
                "padding_value": value,
                "start_padding": integers_field(f"{name}.start_padding", start_padding),
                "end_padding": integers_field(f"{name}.end_padding", end_padding),
            },
            bits={"padding_value": scalar_identity(value, data_type)},
        )

    @property
    def padding_value_bytes(self) -> bytes:
        """The padding value as one element; ValueError if its type does not hold it."""
        return scalar_to_element(self.padding_value, self.padding_value_data_type)
