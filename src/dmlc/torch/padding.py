"""``pad``, ``window`` and ``roll`` of tensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found, unused-ignore]

from dmlc import functions
from dmlc.functions.padding import Mode
from dmlc.torch import operators
from dmlc.torch.arguments import (
    MODES,
    check,
    check_number,
    integer,
    is_unused,
    memory_of,
    normalized,
    one_or_more,
)
from dmlc.torch.memory import element, tensor_of

__all__ = ["pad", "roll", "window"]

_Pair = tuple[int, int]


def pad(
    input: torch.Tensor,
    pad_width: int | Sequence[Any] | Mapping[int, int | _Pair],
    mode: Mode = "constant",
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
        check_number("pad", "constant_values", constant_values)
    if is_unused(mode, constant_values):
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {{'constant_values'}}")
    array = memory_of(input)
    if array is not None:
        value = element(constant_values, input.dtype)
        return tensor_of(functions.pad(array, pad_width, mode, constant_values=value), input.dtype)
    check("pad", "input", input)
    if mode not in MODES:
        raise ValueError(f"mode '{mode}' is not supported")
    pads = [_width(width) for pair in _pairs(pad_width, input.ndim) for width in pair]
    result: torch.Tensor = operators.pad(input, pads, mode, constant_values)
    return result


def _width(width: Any) -> Any:
    """Return a width, which is no bool, as NumPy has it."""
    if isinstance(width, bool):
        raise TypeError("`pad_width` must be of integral type.")
    return integer("pad", "pad_width", width)


def _pairs(pad_width: Any, ndim: int) -> list[_Pair]:
    """Broadcast ``pad_width`` to one pair an axis; sizes may be symbols, which NumPy does not take."""
    if isinstance(pad_width, Mapping):
        pairs: list[_Pair] = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pair = width if isinstance(width, tuple) else (width, width)
            if len(pair) != 2:
                raise ValueError(
                    f"pad: pad_width[{axis}] must be one or two integers, got {width!r}"
                )
            pairs[normalized("pad", axis, ndim)] = pair
        return pairs
    if not isinstance(pad_width, list | tuple):
        if isinstance(pad_width, np.ndarray | torch.Tensor):
            return _pairs(pad_width.tolist(), ndim)
        if isinstance(pad_width, Sequence):
            return _pairs(list(pad_width), ndim)
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
    mode: Mode = "constant",
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
        check_number("window", "constant_values", constant_values)
    if is_unused(mode, constant_values):
        raise ValueError(f"window: constant_values is for mode 'constant', got mode {mode!r}")
    array = memory_of(input)
    if array is not None:
        value = element(constant_values, input.dtype)
        result = functions.window(array, start, shape, mode, constant_values=value)
        return tensor_of(result, input.dtype)
    check("window", "input", input)
    if mode not in MODES:
        raise ValueError(f"window: mode must be one of {', '.join(MODES)}, got {mode!r}")
    start, shape = one_or_more(start), one_or_more(shape)
    if not len(start) == len(shape) == input.ndim:
        raise ValueError(
            f"window: start and shape must have one entry for each of {input.ndim} axes, "
            f"got {len(start)} and {len(shape)}"
        )
    start = [integer("window", "start", first) for first in start]
    shape = [integer("window", "shape", size) for size in shape]
    moved: torch.Tensor = operators.window(input, start, shape, mode, constant_values)
    return moved


def roll(
    input: torch.Tensor, shift: int | Sequence[int], axis: int | Sequence[int] | None = None
) -> torch.Tensor:
    """Move elements along axes, those that leave at one end back in at the other, as `dmlc.roll` does.

    Parameters
    ----------
    input : Tensor
    shift : int or sequence of int
        How far, of any sign; broadcast against ``axis``.
    axis : int or sequence of int, optional
        Along which axes; what is given of one axis adds up. None rolls all elements as if they
        stood in one row.

    Returns
    -------
    Tensor
        New and contiguous.

    Raises
    ------
    TypeError
        If ``input`` is no strided tensor on the CPU.
    ValueError
        If ``shift`` and ``axis`` have different numbers of entries, neither of them 1.
    IndexError
        If an axis is outside the tensor.

    Examples
    --------
    >>> import torch
    >>> import dmlc.torch
    >>> dmlc.torch.roll(torch.tensor([[0, 1, 2], [3, 4, 5]]), (1, -1), (0, 1))
    tensor([[4, 5, 3],
            [1, 2, 0]])
    """
    array = memory_of(input)
    if array is not None:
        return tensor_of(functions.roll(array, shift, axis), input.dtype)
    check("roll", "input", input)
    if axis is None:
        row: torch.Tensor = operators.roll(input.reshape(-1), *_shifts(shift, 0, 1))
        return row.view(input.shape)
    result: torch.Tensor = operators.roll(input, *_shifts(shift, axis, input.ndim))
    return result


def _shifts(shift: Any, axis: Any, ndim: int) -> tuple[list[int], list[int]]:
    """Broadcast the two to entries one by one; shifts may be symbols, which NumPy does not take."""
    shifts, axes = (
        list(values) if isinstance(values, Iterable) else [values] for values in (shift, axis)
    )
    shifts = [
        int(distance) if isinstance(distance, float) else integer("roll", "shift", distance)
        for distance in shifts
    ]
    count = len(axes) if len(shifts) == 1 else len(shifts)
    if len(axes) not in (1, count):
        raise ValueError(
            f"roll: shift and axis must have as many entries, or one of them 1, "
            f"got {len(shifts)} and {len(axes)}"
        )
    places = [normalized("roll", place, ndim) for place in axes]
    return (
        shifts * count if len(shifts) == 1 else shifts,
        places * count if len(places) == 1 else places,
    )
