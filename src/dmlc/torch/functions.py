"""PyTorch's face: functions of tensors.

Where nothing has to see the operator, no gradient, no compiler and no transformation, the kernels are called directly:
the dispatcher takes several times as long as a small call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import torch  # type: ignore[import-not-found, unused-ignore]

from dmlc import functions
from dmlc.arrays import AnyArray, check_kind
from dmlc.torch import operators
from dmlc.torch.memory import bits_of, bits_type, element, tensor_of

__all__ = ["copy", "flip", "one_hot", "pad", "tril", "triu", "window"]

_MODES = ("constant", "edge", "reflect", "symmetric", "wrap")
_PLAIN = frozenset((torch.Tensor, torch.nn.Parameter))
_NUMBERS = (int, float, complex, torch.SymInt, torch.SymFloat)
_INDICES = frozenset(
    (
        *(torch.uint8, torch.uint16, torch.uint32, torch.uint64),
        *(torch.int8, torch.int16, torch.int32, torch.int64),
    )
)

_Mode = Literal["constant", "edge", "reflect", "symmetric", "wrap"]
_Pair = tuple[int, int]

# By names of their own: of 4x4 elements, each dot is a twentieth of the time.
_is_compiling = torch.compiler.is_compiling
_dispatch_modes = torch._C._len_torch_dispatch_stack
_function_modes = torch._C._len_torch_function_stack
_transform = torch._C._functorch.peek_interpreter_stack
_trace: Any = torch._C._get_tracing_state
_forward_ad = torch.autograd.forward_ad


def _memory(tensor: torch.Tensor) -> AnyArray | None:
    """Return a tensor's memory if the kernels may be called directly."""
    if (
        _is_compiling()
        or type(tensor) not in _PLAIN
        or _dispatch_modes()
        or _function_modes()
        or _transform() is not None
        or _trace() is not None
        or _forward_ad._current_level >= 0
    ):
        return None
    if tensor.requires_grad:
        if torch.is_grad_enabled():
            return None
        tensor = tensor.detach()
    try:
        return bits_of(tensor)
    except (KeyError, RuntimeError, TypeError):
        return None  # the operator resolves conjugates, or the dispatcher says what is wrong


def _check(function: str, argument: str, tensor: object) -> None:
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


def _check_number(function: str, argument: str, value: object) -> None:
    if not isinstance(value, _NUMBERS):
        raise TypeError(f"{function}: {argument} must be one number, got {type(value).__name__}")


def pad(
    input: torch.Tensor,
    pad_width: int | Sequence[Any] | Mapping[int, int | _Pair],
    mode: _Mode = "constant",
    *,
    constant_values: complex = 0,
) -> torch.Tensor:
    """Grow a tensor at its edges, as `dmlc.pad` does, with gradients of any order.

    Parameters
    ----------
    input : Tensor
        Any shape, strides and dtype of 1, 2, 4, 8 or 16 bytes.
    pad_width : int, sequence of int, or dict
        As in `dmlc.pad`: ``n``, ``(before, after)``, one pair an axis from the first, or
        ``{axis: (before, after)}``. May exceed the tensor in every mode; a negative width crops.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
    constant_values : number
        What ``"constant"`` adds.

    Returns
    -------
    Tensor
        New and contiguous.

    Raises
    ------
    TypeError
        If ``input`` is no strided tensor on the CPU, or a value no number.
    ValueError
        If ``mode`` is unknown, ``pad_width`` does not fit the axes or crops more than there is,
        or an empty axis would have to be extended from nothing.

    Examples
    --------
    >>> import torch
    >>> import dmlc.torch
    >>> dmlc.torch.pad(torch.tensor([1, 2, 3]), 4, "symmetric")
    tensor([3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1])
    """
    if type(constant_values) is not int:
        _check_number("pad", "constant_values", constant_values)
    array = _memory(input)
    if array is not None:
        value = element(constant_values, input.dtype)
        return tensor_of(functions.pad(array, pad_width, mode, constant_values=value), input.dtype)
    _check("pad", "input", input)
    if mode not in _MODES:
        raise ValueError(f"mode '{mode}' is not supported")
    if mode != "constant" and constant_values != 0:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {{'constant_values'}}")
    pads = [width for pair in _pairs(pad_width, input.ndim) for width in pair]
    result: torch.Tensor = operators.pad(input, pads, mode, constant_values)
    return result


def _pairs(pad_width: Any, ndim: int) -> list[_Pair]:
    """Broadcast ``pad_width`` to one pair an axis; sizes may be symbols, which NumPy does not take."""
    if isinstance(pad_width, Mapping):
        pairs: list[_Pair] = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            before, after = width if isinstance(width, tuple) else (width, width)
            pairs[_axis("pad", axis, ndim)] = before, after
        return pairs
    if not isinstance(pad_width, list | tuple):
        if isinstance(pad_width, np.ndarray | torch.Tensor):
            return _pairs(pad_width.tolist(), ndim)
        return [(pad_width, pad_width)] * ndim
    entries: list[Any] = [list(e) if isinstance(e, list | tuple) else e for e in pad_width]
    if not any(isinstance(entry, list) for entry in entries):
        if len(entries) == 1:
            return [(entries[0], entries[0])] * ndim
        if len(entries) == 2:
            return [(entries[0], entries[1])] * ndim
    elif len(entries) == 1:
        entries = entries * ndim
    if len(entries) != ndim or any(
        not isinstance(entry, list) or len(entry) not in (1, 2) for entry in entries
    ):
        raise ValueError(f"pad: pad_width must be a pair for each of {ndim} axes, got {pad_width}")
    return [(entry[0], entry[-1]) for entry in entries]


def window(
    input: torch.Tensor,
    start: Sequence[int],
    shape: Sequence[int],
    mode: _Mode = "constant",
    *,
    constant_values: complex = 0,
) -> torch.Tensor:
    """Copy any window of a tensor that goes on without end, as `dmlc.window` does.

    Parameters
    ----------
    input : Tensor
    start : sequence of int
        The window's first element along each axis: any sign, any distance.
    shape : sequence of int
        The window's size along each axis.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
    constant_values : number
        What is outside in mode ``"constant"``.

    Returns
    -------
    Tensor
        New and contiguous.

    Raises
    ------
    TypeError
        If ``input`` is no strided tensor on the CPU, or a value no number.
    ValueError
        If the entries are not one an axis, a size is negative, or ``mode`` is unknown.

    Examples
    --------
    >>> import torch
    >>> import dmlc.torch
    >>> dmlc.torch.window(torch.tensor([1, 2, 3]), [5], [4], "wrap")
    tensor([3, 1, 2, 3])
    """
    if type(constant_values) is not int:
        _check_number("window", "constant_values", constant_values)
    array = _memory(input)
    if array is not None:
        value = element(constant_values, input.dtype)
        result = functions.window(array, start, shape, mode, constant_values=value)
        return tensor_of(result, input.dtype)
    _check("window", "input", input)
    if mode not in _MODES:
        raise ValueError(f"window: mode must be one of {', '.join(_MODES)}, got {mode!r}")
    if mode != "constant" and constant_values != 0:
        raise ValueError(f"window: constant_values is for mode 'constant', got mode {mode!r}")
    if not len(start) == len(shape) == input.ndim:
        raise ValueError(
            f"window: start and shape must have one entry for each of {input.ndim} axes, "
            f"got {len(start)} and {len(shape)}"
        )
    moved: torch.Tensor = operators.window(input, start, shape, mode, constant_values)
    return moved


def one_hot(
    indices: torch.Tensor,
    depth: int,
    *,
    axis: int = -1,
    on_value: complex = 1,
    off_value: complex = 0,
    dtype: torch.dtype = torch.float32,
    negative: Literal["wrap", "off"] = "wrap",
) -> torch.Tensor:
    """Turn each index into a sequence of ``depth`` elements, as `dmlc.one_hot` does.

    Parameters
    ----------
    indices : Tensor of integers
        An index that is not less than ``depth`` turns nothing on.
    depth : int
        The length of a sequence.
    axis : int
        Where the new axis stands in the result.
    on_value, off_value : number
    dtype : torch.dtype
        Of the result; PyTorch's own ``one_hot`` has int64 alone.
    negative : {"wrap", "off"}
        A negative index counts from the end, or turns nothing on.

    Returns
    -------
    Tensor
        New and contiguous.

    Raises
    ------
    TypeError
        If ``indices`` are not integers, or a value is no number.
    ValueError
        If ``depth`` is negative or ``negative`` is unknown.
    IndexError
        If ``axis`` is outside the result.

    Examples
    --------
    >>> import torch
    >>> import dmlc.torch
    >>> dmlc.torch.one_hot(torch.tensor([0, -1]), 3)
    tensor([[1., 0., 0.],
            [0., 0., 1.]])
    """
    if type(on_value) is not int or type(off_value) is not int:
        _check_number("one_hot", "on_value", on_value)
        _check_number("one_hot", "off_value", off_value)
    if negative not in ("wrap", "off"):
        raise ValueError(f"one_hot: negative must be 'wrap' or 'off', got {negative!r}")
    if not isinstance(indices, torch.Tensor):
        _check("one_hot", "indices", indices)
    if indices.dtype not in _INDICES:
        raise TypeError(f"one_hot: indices must be integers, got dtype {indices.dtype}")
    place = _axis("one_hot", axis, indices.ndim + 1)
    array = _memory(indices)
    if array is not None:
        hot = functions.one_hot(
            array,
            depth,
            axis=place,
            on_value=element(on_value, dtype),
            off_value=element(off_value, dtype),
            dtype=bits_type(dtype),
            negative=negative,
        )
        return tensor_of(hot, dtype)
    _check("one_hot", "indices", indices)
    result: torch.Tensor = operators.one_hot(
        indices, depth, place, on_value, off_value, dtype, negative
    )
    return result


def tril(input: torch.Tensor, k: int = 0) -> torch.Tensor:
    """Return the lower triangle: a copy with zeros above diagonal ``k``, as `dmlc.tril` does.

    Parameters
    ----------
    input : Tensor
        ``(..., height, width)``; one dimension is broadcast to a square.
    k : int
        The last diagonal that is kept.

    Returns
    -------
    Tensor
        New and contiguous.

    Raises
    ------
    TypeError
        If ``input`` has no dimension or is no strided tensor on the CPU.

    Examples
    --------
    >>> import torch
    >>> import dmlc.torch
    >>> dmlc.torch.tril(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 0],
            [3, 4]])
    """
    array = _memory(input)
    if array is not None:
        return tensor_of(functions.tril(array, k), input.dtype)
    result: torch.Tensor = operators.tril(_matrices("tril", input), k)
    return result


def triu(input: torch.Tensor, k: int = 0) -> torch.Tensor:
    """Return the upper triangle: a copy with zeros below diagonal ``k``, as `dmlc.triu` does.

    Parameters
    ----------
    input : Tensor
        ``(..., height, width)``; one dimension is broadcast to a square.
    k : int
        The first diagonal that is kept.

    Returns
    -------
    Tensor
        New and contiguous.

    Raises
    ------
    TypeError
        If ``input`` has no dimension or is no strided tensor on the CPU.

    Examples
    --------
    >>> import torch
    >>> import dmlc.torch
    >>> dmlc.torch.triu(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 2],
            [0, 4]])
    """
    array = _memory(input)
    if array is not None:
        return tensor_of(functions.triu(array, k), input.dtype)
    result: torch.Tensor = operators.triu(_matrices("triu", input), k)
    return result


def _matrices(function: str, input: torch.Tensor) -> torch.Tensor:
    _check(function, "input", input)
    if input.ndim == 0:
        raise TypeError(f"{function}: input must have at least 1 dimension, got 0")
    return input.expand(input.shape[0], input.shape[0]) if input.ndim == 1 else input


def flip(input: torch.Tensor, axis: int | Iterable[int] | None = None) -> torch.Tensor:
    """Reverse the order of elements along axes, as `dmlc.flip` does.

    Parameters
    ----------
    input : Tensor
    axis : int or iterable of int, optional
        The axes to reverse; None for all.

    Returns
    -------
    Tensor
        New and contiguous.

    Raises
    ------
    TypeError
        If ``input`` is no strided tensor on the CPU.
    IndexError
        If an axis is outside the tensor.

    Examples
    --------
    >>> import torch
    >>> import dmlc.torch
    >>> dmlc.torch.flip(torch.tensor([[1, 2], [3, 4]]), 1)
    tensor([[2, 1],
            [4, 3]])
    """
    array = _memory(input)
    if array is not None:
        return tensor_of(functions.flip(array, axis), input.dtype)
    _check("flip", "input", input)
    axes: Iterable[int] = (
        range(input.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    )
    result: torch.Tensor = operators.flip(input, [_axis("flip", i, input.ndim) for i in axes])
    return result


def copy(input: torch.Tensor) -> torch.Tensor:
    """Copy any view into packed memory, as `dmlc.copy` does.

    Parameters
    ----------
    input : Tensor
        Any strides.

    Returns
    -------
    Tensor
        New and contiguous.

    Raises
    ------
    TypeError
        If ``input`` is no strided tensor on the CPU.

    Examples
    --------
    >>> import torch
    >>> import dmlc.torch
    >>> dmlc.torch.copy(torch.arange(6).reshape(2, 3).T)
    tensor([[0, 3],
            [1, 4],
            [2, 5]])
    """
    array = _memory(input)
    if array is not None:
        return tensor_of(functions.copy(array), input.dtype)
    _check("copy", "input", input)
    result: torch.Tensor = operators.copy(input)
    return result


def _axis(function: str, axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        raise IndexError(f"{function}: axis must be -{ndim} to {ndim - 1}, got {axis}")
    return axis + ndim if axis < 0 else axis
