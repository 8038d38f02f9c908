"""DirectML's enumerations, with DirectML's numbers.

A name ``DML_PADDING_MODE_EDGE`` of ``directml.h`` is here ``PaddingMode.EDGE``.
"""

from __future__ import annotations

from enum import STRICT, IntEnum, IntFlag
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["FeatureLevel", "PaddingMode", "TensorDataType", "TensorFlags"]


class TensorDataType(IntEnum):
    """The type of a tensor's elements (``DML_TENSOR_DATA_TYPE``).

    ``UNKNOWN`` exists because DirectML numbers it; no valid tensor has it.

    Examples
    --------
    >>> from dmlc import TensorDataType
    >>> TensorDataType.FLOAT16.numpy_dtype
    dtype('float16')
    >>> TensorDataType.from_dtype("uint8").name
    'UINT8'
    """

    UNKNOWN = 0
    FLOAT32 = 1
    FLOAT16 = 2
    UINT32 = 3
    UINT16 = 4
    UINT8 = 5
    INT32 = 6
    INT16 = 7
    INT8 = 8
    FLOAT64 = 9
    UINT64 = 10
    INT64 = 11

    @classmethod
    def from_dtype(cls, dtype: npt.DTypeLike) -> TensorDataType:
        """Return the member whose elements are those of a NumPy dtype.

        Parameters
        ----------
        dtype : dtype-like
            Anything ``numpy.dtype`` takes.

        Returns
        -------
        TensorDataType

        Raises
        ------
        TypeError
            If DirectML has no such type: bool, complex, bfloat16, a foreign byte order, ...

        Examples
        --------
        >>> import numpy as np
        >>> from dmlc import TensorDataType
        >>> TensorDataType.from_dtype(np.int64).name
        'INT64'
        """
        try:
            return _MEMBERS[np.dtype(dtype)]
        except KeyError:
            raise TypeError(f"DirectML has no tensor data type for {np.dtype(dtype)!r}") from None

    @property
    def numpy_dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the elements; ``UNKNOWN`` has none and raises ValueError."""
        dtype = _NUMPY_DTYPES.get(self)
        if dtype is None:
            raise ValueError("TensorDataType.UNKNOWN has no NumPy dtype")
        return dtype

    @property
    def itemsize(self) -> int:
        """The size of an element in bytes; ``UNKNOWN`` has none and raises ValueError."""
        return self.numpy_dtype.itemsize

    @property
    def integer_range(self) -> range | None:
        """The integers that an integer type holds; None for the floating types and ``UNKNOWN``.

        Examples
        --------
        >>> from dmlc import TensorDataType
        >>> TensorDataType.INT8.integer_range
        range(-128, 128)
        """
        return _INTEGER_RANGES.get(self)

    def from_bits(self, bits: int) -> np.generic:
        """Return the NumPy scalar of this type that has the given bit pattern.

        Parameters
        ----------
        bits : int
            The element, read as an unsigned integer of its width.

        Returns
        -------
        numpy scalar
            NaN payloads survive: ``TensorDataType.FLOAT16.from_bits(0x7E01)`` is that NaN.

        Raises
        ------
        OverflowError
            If ``bits`` is negative or wider than the type.
        TypeError
            If ``bits`` is not an integer.

        Examples
        --------
        >>> from dmlc import TensorDataType
        >>> float(TensorDataType.FLOAT16.from_bits(0x3C00))
        1.0
        """
        element = np.array(index(bits), dtype=f"u{self.itemsize}").view(self.numpy_dtype)[()]
        assert isinstance(element, np.generic)
        return element


_NUMPY_DTYPES: dict[TensorDataType, np.dtype[Any]] = {
    member: np.dtype(member.name.lower()) for member in TensorDataType if member.value != 0
}
_MEMBERS: dict[np.dtype[Any], TensorDataType] = {
    dtype: member for member, dtype in _NUMPY_DTYPES.items()
}
_INTEGER_RANGES: dict[TensorDataType, range] = {
    member: range(int(np.iinfo(dtype).min), int(np.iinfo(dtype).max) + 1)
    for member, dtype in _NUMPY_DTYPES.items()
    if dtype.kind in "iu"
}


class PaddingMode(IntEnum):
    """What padding is filled with (``DML_PADDING_MODE``), drawn around the input ``a b c d``.

    ::

        CONSTANT     v v v [a b c d] v v v     the padding value
        EDGE         a a a [a b c d] d d d     the nearest element
        REFLECTION   d c b [a b c d] c b a     a mirror on the edge element
        SYMMETRIC    c b a [a b c d] d c b     a mirror outside the edge element
        WRAP         b c d [a b c d] a b c     the input again

    Padding may exceed the input: mirrors and wraps go on periodically.

    Examples
    --------
    >>> from dmlc import PaddingMode
    >>> int(PaddingMode.REFLECTION)
    2
    """

    CONSTANT = 0
    EDGE = 1
    REFLECTION = 2
    SYMMETRIC = 3
    WRAP = 4


class TensorFlags(IntFlag, boundary=STRICT):
    """Properties of a tensor (``DML_TENSOR_FLAGS``): recorded, without effect on a CPU.

    Examples
    --------
    >>> from dmlc import TensorFlags
    >>> int(TensorFlags.OWNED_BY_DML)
    1
    """

    NONE = 0
    OWNED_BY_DML = 1


class FeatureLevel(IntEnum):
    """What a device can do (``DML_FEATURE_LEVEL``): a newer level has all of the older ones.

    Examples
    --------
    >>> from dmlc import FeatureLevel
    >>> FeatureLevel.LEVEL_5_0 > FeatureLevel.LEVEL_4_1
    True
    >>> FeatureLevel.LEVEL_5_0.label
    '5_0'
    """

    LEVEL_1_0 = 0x1000
    LEVEL_2_0 = 0x2000
    LEVEL_2_1 = 0x2100
    LEVEL_3_0 = 0x3000
    LEVEL_3_1 = 0x3100
    LEVEL_4_0 = 0x4000
    LEVEL_4_1 = 0x4100
    LEVEL_5_0 = 0x5000
    LEVEL_5_1 = 0x5100
    LEVEL_5_2 = 0x5200
    LEVEL_6_0 = 0x6000
    LEVEL_6_1 = 0x6100
    LEVEL_6_2 = 0x6200
    LEVEL_6_3 = 0x6300
    LEVEL_6_4 = 0x6400

    @property
    def label(self) -> str:
        """The level as DirectML's documentation prints it: ``5_0``."""
        return self.name.removeprefix("LEVEL_")
