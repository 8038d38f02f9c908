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

__all__ = [
    "FOREIGN_CODES",
    "MOST_COPIED_FOREIGN",
    "MOST_COPIED_NATIVE",
    "NATIVE_CODES",
    "advice",
    "as_array",
    "is_eager",
    "is_on_cpu",
    "is_torch",
    "known",
    "may_have_advice",
    "written",
]

_Array = np.ndarray[Any, np.dtype[Any]]

# DLPack's numbers of the types of numbers that NumPy has, and PyTorch.
NATIVE_CODES = {
    **dict.fromkeys(("int8", "int16", "int32", "int64"), 0),
    **dict.fromkeys(("uint8", "uint16", "uint32", "uint64"), 1),
    **dict.fromkeys(("float16", "float32", "float64"), 2),
    **dict.fromkeys(("complex64", "complex128"), 5),
    "bool": 6,
}

# PyTorch's types that NumPy lacks and ml_dtypes has, by their one name: DLPack's numbers, and their bits in PyTorch's
# types and NumPy's.
_FOREIGN = {
    "bfloat16": (4, "int16", "uint16"),
    "float8_e4m3fn": (10, "uint8", "uint8"),
    "float8_e4m3fnuz": (11, "uint8", "uint8"),
    "float8_e5m2": (12, "uint8", "uint8"),
    "float8_e5m2fnuz": (13, "uint8", "uint8"),
    "float8_e8m0fnu": (14, "uint8", "uint8"),
}
FOREIGN_CODES = {name: code for name, (code, _, _) in _FOREIGN.items()}

# Up to how many bytes a copy is faster than an array of a tensor's own memory: of 4x4 elements it takes 0.1 us, where
# ``numpy`` takes 0.5, and the view that types foreign to NumPy need 0.35 more.
MOST_COPIED_NATIVE = 8192
MOST_COPIED_FOREIGN = 32768


class _Torch:
    """What is asked of PyTorch for each tensor: of a small one, every look-up counts."""

    def __init__(self) -> None:
        torch: Any = sys.modules["torch"]
        self.kind: type = torch.Tensor
        self.parameter: type = torch.nn.Parameter
        # DLPack's table of C functions; older releases have none.
        self.exchange = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
        self.eight_bits = (torch.int8, torch.uint8)
        self.is_functional = torch._is_functional_tensor
        self.forward_ad = torch.autograd.forward_ad
        self.increment_version = torch.autograd.graph.increment_version
        # Dtypes that NumPy lacks, each with the integers to view it as and ml_dtypes' dtype.
        self.foreign: dict[Any, tuple[Any, np.dtype[Any]]] = {}
        ml_dtypes: Any = None
        with suppress(ImportError):
            ml_dtypes = import_module("ml_dtypes")
        # For the binding: DLPack's number, the dtype, the integers to view it as, and the bytes that are copied.
        types: list[tuple[int, np.dtype[Any], Any, int]] = [
            (code, np.dtype(name), None, MOST_COPIED_NATIVE) for name, code in NATIVE_CODES.items()
        ]
        for name, (code, integers, bits) in _FOREIGN.items():
            if hasattr(torch, name):
                dtype = np.dtype(getattr(ml_dtypes, name, bits))
                viewed = getattr(torch, integers)
                self.foreign[getattr(torch, name)] = (viewed, dtype)
                types.append((code, dtype, viewed, MOST_COPIED_FOREIGN))
        self.types = tuple(types)


# None until there is a tensor; then, and only then, its class is there too.
_torch: _Torch | None = None
_tensor_class: type | None = None


def known() -> _Torch | None:
    """Return what there is to know of PyTorch, once there has been a tensor."""
    return _torch


def is_torch(value: object) -> bool:
    """Whether it is PyTorch's tensor."""
    global _torch, _tensor_class
    if type(value) is _tensor_class:
        return True
    # While it is being imported, a module has not all its names.
    tensor = getattr(sys.modules.get("torch"), "Tensor", None)
    if tensor is None or not isinstance(value, tensor):
        return False
    if _torch is None:
        _torch = _Torch()
        _tensor_class = tensor
    return True


def as_array(value: Any) -> _Array | None:
    """Return a PyTorch tensor as an array that shares its memory; None of anything else.

    None too where `advice` has something to say. The array keeps the memory alive, and PyTorch does not resize it from
    then on.
    """
    if type(value) is not _tensor_class and not is_torch(value):
        return None
    torch: Any = _torch
    if torch.is_functional(value) or torch.forward_ad._current_level >= 0 and _is_dual(value):
        return None
    foreign = torch.foreign.get(value.dtype)
    try:
        array: _Array
        if foreign is None:
            array = value.numpy()
            return array
        if value.requires_grad:  # the integers would not
            return None
        integers, dtype = foreign
        bits: _Array = value.view(integers).numpy()
        array = bits.view(dtype)
        return array
    except (RuntimeError, TypeError):
        return None


def _is_dual(tensor: Any) -> bool:
    """Whether it has a forward gradient, for which ``numpy`` does not ask."""
    torch: Any = _torch
    return bool(torch.forward_ad.unpack_dual(tensor).tangent is not None)


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


def is_on_cpu(value: Any) -> bool:
    """Whether it is JAX's array on a CPU; RuntimeError of one that was deleted.

    To ask the array takes 0.2 us, by DLPack 0.8. ``platform()`` takes 0.04, but a deleted array crashes there.
    """
    kind = type(value)
    return (
        kind.__module__ == "jaxlib._jax"
        and kind.__name__ == "ArrayImpl"
        and all(device.platform == "cpu" for device in value.devices())
    )


def is_eager(value: Any) -> bool:
    """Whether it is TensorFlow's array, of elements that are there."""
    kind = type(value)
    return kind.__module__ == "tensorflow.python.framework.ops" and kind.__name__ == "EagerTensor"


def may_have_advice(kind: type) -> bool:
    """Whether `advice` may have something to say of values of a class."""
    tracer = getattr(sys.modules.get("jax.core"), "Tracer", None)
    tensor = getattr(sys.modules.get("torch"), "Tensor", None)
    return (
        kind.__module__.startswith("tensorflow.")
        or (tracer is not None and issubclass(kind, tracer))
        or (tensor is not None and issubclass(kind, tensor))
    )


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
    torch: Any = _torch
    if type(tensor).__module__ == "torch" and not (torch.is_functional(tensor) or _is_dual(tensor)):
        try:
            tensor.numpy()
        except TypeError:
            return f"of {tensor.dtype}, which NumPy has not: pass .view() of integers as wide"
        except RuntimeError:  # of what has no storage
            pass
    return "whose memory is not at hand: pass a plain tensor, or call dmlc.torch"


def written(tensor: Any) -> None:
    """Tell PyTorch that a tensor's elements change: what it keeps of them for gradients is void."""
    torch: Any = _torch
    if not tensor.is_inference():
        torch.increment_version(tensor)
