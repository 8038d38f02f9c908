"""PyTorch's tensors to arrays of the same memory, and results back: elements are bits here.

Types that NumPy lacks are viewed as integers of their width, and values become such integers by PyTorch's own rules.
"""

from __future__ import annotations

from functools import lru_cache
from math import copysign
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found, unused-ignore]

from dmlc import _dmlc
from dmlc.arrays import AnyArray
from dmlc.tensors import (
    FOREIGN_CODES,
    MOST_COPIED_FOREIGN,
    MOST_COPIED_NATIVE,
    NATIVE_CODES,
)

__all__ = ["bits_and_type", "bits_of", "bits_to_read", "bits_type", "element", "tensor_of"]

_SAME = {
    getattr(torch, name): np.dtype(name)
    for name in (
        *("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    )
}
_TYPES = {dtype: kind for kind, dtype in _SAME.items()}
_INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32}

# Types that NumPy lacks, each with the integers to view it as.
_VIEWED = {
    kind: _INTEGERS[kind.itemsize]
    for kind in vars(torch).values()
    if isinstance(kind, torch.dtype)
    and kind not in _SAME
    and kind.itemsize in _INTEGERS
    and not str(kind).startswith("torch.q")  # quantized: their elements mean more than they hold
}

# DLPack's numbers of types.
_CODES = {
    getattr(torch, name): code
    for name, code in (NATIVE_CODES | FOREIGN_CODES | {"complex32": 5}).items()
}


def bits_type(dtype: torch.dtype) -> np.dtype[Any]:
    """Return NumPy's dtype that holds elements of PyTorch's, the same or integers."""
    return _SAME.get(dtype) or _SAME[_INTEGERS[dtype.itemsize]]


_EXCHANGES = {
    kind: _dmlc.TensorExchange(
        torch.Tensor.__dlpack_c_exchange_api__,
        code,
        bits_type(kind),
        MOST_COPIED_NATIVE if kind in _SAME else MOST_COPIED_FOREIGN,
    )
    for kind, code in _CODES.items()
}
_MAKE = {kind: exchange.make for kind, exchange in _EXCHANGES.items()}
# Complex elements may be conjugates of those in memory.
_READ = {kind: exchange.read for kind, exchange in _EXCHANGES.items() if not kind.is_complex}


def bits_to_read(tensor: torch.Tensor) -> AnyArray:
    """Return what `bits_of` does, of a little tensor perhaps a copy."""
    dtype = tensor.dtype
    read = _READ.get(dtype)
    array: AnyArray | None = None if read is None else read(tensor)
    if array is not None and not tensor.is_neg():
        return array
    return bits_of(tensor)


def bits_of(tensor: torch.Tensor) -> AnyArray:
    """Return a tensor that needs no gradient as an array of `bits_type`."""
    integers = _VIEWED.get(tensor.dtype)
    array: AnyArray = (tensor if integers is None else tensor.view(integers)).numpy()
    return array


def bits_and_type(array: AnyArray) -> tuple[AnyArray, torch.dtype] | None:
    """Return an array's elements as `bits_type`, with PyTorch's type, or None where there is none."""
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    kind = _TYPES.get(array.dtype)
    if kind is not None:
        return array, kind
    # Those of ml_dtypes have PyTorch's names.
    named = getattr(torch, array.dtype.name, None)
    if not isinstance(named, torch.dtype) or not named.is_floating_point:
        return None
    return array.view(bits_type(named)), named


def element(value: complex, dtype: torch.dtype) -> Any:
    """Return a value as NumPy assigns it to an element of `bits_type`."""
    if type(value) is complex and not dtype.is_complex:
        raise TypeError(f"a value of {dtype} must be real, got {value}")
    if dtype in _SAME:
        return value
    if type(value) is int:
        return _bits_of_integer(value, dtype) if value else 0
    if type(value) is float:
        return _bits_of_float(value, copysign(1.0, value), dtype)
    return _bits_of_value(value, dtype)


def _bits_of_value(value: complex, dtype: torch.dtype) -> Any:
    if dtype not in _VIEWED:
        raise TypeError(f"dtype must be plain, got {dtype}")
    return torch.tensor(value, dtype=dtype).view(_INTEGERS[dtype.itemsize]).item()


_bits_of_integer = lru_cache(maxsize=256)(_bits_of_value)


@lru_cache(maxsize=256)
def _bits_of_float(value: float, sign: float, dtype: torch.dtype) -> Any:
    """Floats that are equal have the same bits, but for the sign of 0."""
    return _bits_of_value(value, dtype)


def tensor_of(array: AnyArray, dtype: torch.dtype) -> torch.Tensor:
    """Return a packed array of `bits_type`, a result, as a tensor."""
    make = _MAKE.get(dtype)
    tensor: torch.Tensor = torch.from_numpy(array).view(dtype) if make is None else make(array)
    return tensor
