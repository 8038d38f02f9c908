"""From a descriptor's number to the bytes of one element, in one place.

DirectML has two kinds of value fields, which convert differently:

- a ``FLOAT`` (``PADDING.PaddingValue``, ``DIAGONAL_MATRIX.Value``) is first a float32, and then
  converted as Direct3D converts: `float_to_element`;
- a ``DML_SCALAR_UNION`` has the type that is named beside it, and holds exactly what that holds:
  `scalar_to_element`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dmlc.descriptors.fields import Number
from dmlc.enums import TensorDataType

__all__ = [
    "float_identity",
    "float_to_element",
    "is_representable",
    "scalar_identity",
    "scalar_to_element",
]


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


def float_to_element(value: Number, data_type: TensorDataType) -> bytes:
    """Return the bytes of the element that a ``FLOAT`` field gives to a tensor.

    ::

        x       = value rounded to float32
        integer = clamp(trunc(x), minimum of the type, maximum of the type);  NaN gives 0
        FLOAT16 = x rounded to nearest even
        FLOAT64 = x

    Parameters
    ----------
    value : number
        A Python or NumPy number; a NaN keeps as much of its payload as the types have room for.
    data_type : TensorDataType
        The tensor's type.

    Returns
    -------
    bytes
        One element in the machine's byte order.

    Raises
    ------
    ValueError
        If the type is ``UNKNOWN``.

    Examples
    --------
    >>> from dmlc import TensorDataType
    >>> float_to_element(10.6, TensorDataType.UINT8)
    b'\\n'
    >>> float_to_element(300, TensorDataType.UINT8)
    b'\\xff'
    """
    single = _rounded(value, np.dtype(np.float32))
    integers = data_type.integer_range
    if integers is None:
        return _rounded(single, data_type.numpy_dtype).tobytes()
    return np.array(_saturated(float(single), integers), data_type.numpy_dtype).tobytes()


def scalar_to_element(value: Number, data_type: TensorDataType) -> bytes:
    """Return the bytes of the element that a ``DML_SCALAR_UNION`` gives to a tensor.

    Integer types take integers of their range, 64-bit ones exactly. Floating types take the nearest
    value, and a NumPy scalar of their own type bit by bit.

    Parameters
    ----------
    value : number
        A Python or NumPy number.
    data_type : TensorDataType
        The type of the union.

    Returns
    -------
    bytes
        One element in the machine's byte order.

    Raises
    ------
    ValueError
        If the type is ``UNKNOWN``, or an integer type that does not hold the value.

    Examples
    --------
    >>> from dmlc import TensorDataType
    >>> scalar_to_element(-2, TensorDataType.INT8)
    b'\\xfe'
    """
    if data_type.integer_range is None:
        return _rounded(value, data_type.numpy_dtype).tobytes()
    if not is_representable(value, data_type):
        raise ValueError(f"{data_type.name} does not hold {value!r}")
    return np.array(int(value), data_type.numpy_dtype).tobytes()


def float_identity(value: Number) -> bytes:
    """Return what makes two values of a ``FLOAT`` field the same: their bits as float32."""
    return float_to_element(value, TensorDataType.FLOAT32)


def scalar_identity(value: Number, data_type: TensorDataType) -> bytes | str:
    """Return what makes two values of a scalar union the same: their bits.

    A value that the type does not hold has no bits. It makes the descriptor invalid, but an invalid
    descriptor can be compared too: by the text of the value.
    """
    if is_representable(value, data_type):
        return scalar_to_element(value, data_type)
    return hex(value) if isinstance(value, int) else repr(value)


def _rounded(value: Number, dtype: np.dtype[Any]) -> np.floating[Any]:
    if isinstance(value, np.floating) and value.dtype == dtype:
        return value  # not even a signalling NaN changes
    with np.errstate(all="ignore"):  # overflow to infinity is what is asked for
        rounded: np.floating[Any] = dtype.type(_as_float(value))
    return rounded


def _as_float(value: Number) -> float | np.floating[Any]:
    if isinstance(value, (float, np.floating)):
        return value
    try:
        return float(value)
    except OverflowError:  # an integer of more than 1024 bits
        return math.inf if value > 0 else -math.inf


def _saturated(value: float, integers: range) -> int:
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return integers[0] if value < 0 else integers[-1]
    return min(max(math.trunc(value), integers[0]), integers[-1])
