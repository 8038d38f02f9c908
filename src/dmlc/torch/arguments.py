"""What the functions of tensors take: tensors whose memory the kernels read directly, tensors that go to the dispatcher.

Where nothing has to see the operator, no gradient, no compiler and no transformation, the kernels are called directly:
the dispatcher takes several times as long as a small call.
"""

from __future__ import annotations

from operator import index as as_index
from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]

from dmlc.arrays import AnyArray, check_kind
from dmlc.torch.memory import bits_to_read

__all__ = [
    "MODES",
    "check",
    "check_number",
    "integer",
    "is_unused",
    "memory_of",
    "normalized",
    "one_or_more",
]

MODES = ("constant", "edge", "reflect", "symmetric", "wrap")

_PLAIN = frozenset((torch.Tensor, torch.nn.Parameter))
_INTEGERS = (int, torch.SymInt)
_NUMBERS = (int, float, complex, torch.SymInt, torch.SymFloat)

# By names of their own: of 4x4 elements, each dot is a twentieth of the time.
_is_compiling = torch.compiler.is_dynamo_compiling  # other tracers have a dispatch mode
_dispatch_modes = torch._C._len_torch_dispatch_stack
_function_modes = torch._C._len_torch_function_stack
_transform = torch._C._functorch.peek_interpreter_stack
_is_tracing: Any = torch._C._is_tracing
_forward_ad = torch.autograd.forward_ad


def memory_of(tensor: torch.Tensor) -> AnyArray | None:
    """Return a tensor's memory, or a copy of it, to be read if the kernels may be called directly."""
    if (
        _is_compiling()
        or type(tensor) not in _PLAIN
        or _dispatch_modes()
        or _function_modes()
        or _transform() is not None
        or _is_tracing()
        or _forward_ad._current_level >= 0
    ):
        return None
    if tensor.requires_grad:
        if torch.is_grad_enabled():
            return None
        tensor = tensor.detach()
    try:
        return bits_to_read(tensor)
    except (KeyError, RuntimeError, TypeError):
        return None  # the operator resolves conjugates, or the dispatcher says what is wrong


def check(function: str, argument: str, tensor: object) -> None:
    """Refuse what the operators cannot take: they say only that there is no kernel."""
    if torch.compiler.is_compiling():
        return
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(
            f"{function}: {argument} must be a PyTorch tensor, got {type(tensor).__name__}"
        )
    if tensor.is_quantized or tensor.layout is not torch.strided or tensor.is_nested:
        check_kind(function, argument, tensor)
    if tensor.device.type not in ("cpu", "meta"):
        check_kind(function, argument, tensor)


def check_number(function: str, argument: str, value: object) -> None:
    """Refuse what is no number, nor stands for one while a graph is made."""
    if not isinstance(value, _NUMBERS):
        raise TypeError(f"{function}: {argument} must be one number, got {type(value).__name__}")


def is_unused(mode: str, value: complex) -> bool:
    """Return whether a value is given, other than the default, to a mode that adds none."""
    return mode != "constant" and not (type(value) is int and value == 0)


def one_or_more(entries: Any) -> Any:
    """Return a sequence, of one integer where that is given."""
    return [entries] if isinstance(entries, _INTEGERS) else entries


def integer(function: str, argument: str, value: Any) -> Any:
    """Return what counts elements: a Python integer, or what stands for one while a graph is made."""
    if isinstance(value, _INTEGERS):
        return value
    try:
        return as_index(value)
    except TypeError:
        raise TypeError(
            f"{function}: {argument} must be of integers, got {type(value).__name__}"
        ) from None


def normalized(function: str, axis: int, ndim: int) -> int:
    """Return an axis of so many, counted from the front."""
    axis = integer(function, "axis", axis)
    if not -ndim <= axis < ndim:
        raise IndexError(f"{function}: axis must be -{ndim} to {ndim - 1}, got {axis}")
    return axis + ndim if axis < 0 else axis
