"""Tensors of other libraries as arrays of the same memory.

No library is imported for it, as what is not imported made no tensor. PyTorch's tensors are looked at first: they are
the ones that come one by one, and asking them by DLPack takes ten times as long.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["advice", "as_array", "is_torch", "written"]

_Array = np.ndarray[Any, np.dtype[Any]]

# PyTorch's types that NumPy lacks and ml_dtypes has, by their one name, and their bits in PyTorch's types and NumPy's.
_FOREIGN = {
    "bfloat16": ("int16", "uint16"),
    "float8_e4m3fn": ("uint8", "uint8"),
    "float8_e4m3fnuz": ("uint8", "uint8"),
    "float8_e5m2": ("uint8", "uint8"),
    "float8_e5m2fnuz": ("uint8", "uint8"),
    "float8_e8m0fnu": ("uint8", "uint8"),
}

# The same by PyTorch's dtypes, each with the integers to view it as and NumPy's dtype; filled when there are tensors.
_foreign: dict[Any, tuple[Any, np.dtype[Any]]] = {}


def is_torch(value: object) -> bool:
    """Whether it is PyTorch's tensor."""
    torch = sys.modules.get("torch")
    # While it is being imported, a module has not all its names.
    tensor = getattr(torch, "Tensor", None)
    return tensor is not None and isinstance(value, tensor)


def _foreign_types() -> dict[Any, tuple[Any, np.dtype[Any]]]:
    if not _foreign:
        torch: Any = sys.modules["torch"]
        ml_dtypes: Any = None
        with suppress(ImportError):
            ml_dtypes = import_module("ml_dtypes")
        found = {}
        for name, (integers, bits) in _FOREIGN.items():
            if hasattr(torch, name):
                dtype = np.dtype(getattr(ml_dtypes, name, bits))
                found[getattr(torch, name)] = (getattr(torch, integers), dtype)
        _foreign.update(found)
    return _foreign


def as_array(tensor: Any) -> _Array | None:
    """Return a PyTorch tensor as an array that shares its memory; None where `advice` has something to say.

    The array keeps the memory alive, and PyTorch does not resize it from then on.
    """
    foreign = (_foreign or _foreign_types()).get(tensor.dtype)
    if _is_transformed(tensor):
        return None
    try:
        if foreign is None:
            array: _Array = tensor.numpy()
            return array
        if tensor.requires_grad:  # the integers would not
            return None
        integers, dtype = foreign
        bits: _Array = tensor.view(integers).numpy()
        return bits.view(dtype)
    except (RuntimeError, TypeError):
        return None


def _is_transformed(tensor: Any) -> bool:
    """Whether it is what ``torch.func.functionalize`` or forward gradients wrap, which ``numpy`` does not ask."""
    torch: Any = sys.modules["torch"]
    if torch._is_functional_tensor(tensor):
        return True
    forward = torch.autograd.forward_ad
    return forward._current_level >= 0 and forward.unpack_dual(tensor).tangent is not None


def advice(value: Any) -> str | None:
    """What to pass instead of a tensor whose elements are not in memory as they are; None of anything else."""
    if is_torch(value):
        return _torch_advice(value)
    traced = getattr(sys.modules.get("jax.core"), "Tracer", None)
    if traced is not None and isinstance(value, traced):
        return "that is traced: call it outside of jax.jit, or through jax.pure_callback"
    tensorflow: Any = sys.modules.get("tensorflow")
    if tensorflow is None or not type(value).__module__.startswith("tensorflow."):
        return None
    if tensorflow.is_symbolic_tensor(value):
        return "that is symbolic: call it outside of tf.function, or through tf.numpy_function"
    if isinstance(value, tensorflow.SparseTensor):
        return "that is sparse: pass tf.sparse.to_dense() of it"
    if isinstance(value, tensorflow.RaggedTensor):
        return "that is ragged: pass .to_tensor()"
    return None


def _torch_advice(tensor: Any) -> str | None:
    if tensor.device.type == "meta" or hasattr(tensor, "fake_mode"):
        return "that has no elements: call dmlc.torch, which takes it"
    if tensor.device.type != "cpu":
        return f"on another device, {tensor.device}: pass .cpu()"
    if tensor.is_quantized:
        return "that is quantized: pass .dequantize(), or .int_repr() for what is stored"
    if str(tensor.layout) != "torch.strided":
        return f"that is sparse or laid out by a library, as {tensor.layout}: pass .to_dense()"
    if tensor.is_nested:
        return "that is nested: pass .to_padded_tensor(value), or its parts from .unbind()"
    if tensor.requires_grad:
        return "that requires gradients: pass .detach(), or call dmlc.torch, which has them"
    if tensor.is_conj():
        return "that is conjugated when it is read: pass .resolve_conj()"
    if tensor.is_neg():
        return "that is negated when it is read: pass .resolve_neg()"
    if as_array(tensor) is not None:
        return None
    if type(tensor).__module__ == "torch" and not _is_transformed(tensor):
        try:
            tensor.numpy()
        except TypeError:
            return f"of {tensor.dtype}, which NumPy has not: pass .view() of integers as wide"
        except RuntimeError:  # of what has no storage
            pass
    return "whose memory is not at hand: pass a plain tensor, or call dmlc.torch"


def written(tensor: Any) -> None:
    """Tell PyTorch that a tensor's elements change: what it keeps of them for gradients is void."""
    torch: Any = sys.modules["torch"]
    if not tensor.is_inference():
        torch.autograd.graph.increment_version(tensor)
