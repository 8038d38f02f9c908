"""PyTorch's tensors to arrays of the same memory, and results back: elements are bits here.

Types that NumPy lacks are viewed as integers of their width, and values become such integers by PyTorch's own rules.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found, unused-ignore]

from dmlc.arrays import AnyArray

__all__ = ["bits_of", "bits_type", "element", "tensor_of"]

_SAME = {
    getattr(torch, name): np.dtype(name)
    for name in (
        *("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    )
}
_from_numpy = torch.from_numpy
_INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32}


def bits_type(dtype: torch.dtype) -> np.dtype[Any]:
    """Return NumPy's dtype that holds elements of PyTorch's, the same or integers."""
    return _SAME.get(dtype) or _SAME[_INTEGERS[dtype.itemsize]]


def bits_of(tensor: torch.Tensor) -> AnyArray:
    """Return a tensor that needs no gradient as an array of `bits_type`."""
    if tensor.dtype not in _SAME:
        tensor = tensor.view(_INTEGERS[tensor.dtype.itemsize])
    array: AnyArray = tensor.numpy()
    return array


def element(value: complex, dtype: torch.dtype) -> Any:
    """Return a value as NumPy assigns it to an element of `bits_type`."""
    if dtype in _SAME:
        return value
    return torch.tensor(value, dtype=dtype).view(_INTEGERS[dtype.itemsize]).item()


def tensor_of(array: AnyArray, dtype: torch.dtype) -> torch.Tensor:
    """Return an array of `bits_type` as a tensor."""
    return _from_numpy(array) if dtype in _SAME else _from_numpy(array).view(dtype)
