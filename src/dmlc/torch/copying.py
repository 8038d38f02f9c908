"""``flip`` and ``copy`` of tensors."""

from __future__ import annotations

from collections.abc import Iterable

import torch  # type: ignore[import-not-found, unused-ignore]

from dmlc import functions
from dmlc.torch import operators
from dmlc.torch.arguments import check, memory_of, normalized
from dmlc.torch.memory import tensor_of

__all__ = ["copy", "flip"]


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
    array = memory_of(input)
    if array is not None:
        return tensor_of(functions.flip(array, axis), input.dtype)
    check("flip", "input", input)
    axes: Iterable[int] = (
        range(input.ndim) if axis is None else axis if isinstance(axis, Iterable) else [axis]
    )
    result: torch.Tensor = operators.flip(input, [normalized("flip", i, input.ndim) for i in axes])
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
    array = memory_of(input)
    if array is not None:
        return tensor_of(functions.copy(array), input.dtype)
    check("copy", "input", input)
    result: torch.Tensor = operators.copy(input)
    return result
