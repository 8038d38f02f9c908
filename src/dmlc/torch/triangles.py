"""``tril`` and ``triu`` of tensors."""

from __future__ import annotations

import torch  # type: ignore[import-not-found, unused-ignore]

from dmlc import functions
from dmlc.torch import operators
from dmlc.torch.arguments import check, integer, memory_of
from dmlc.torch.memory import tensor_of

__all__ = ["tril", "triu"]


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
    array = memory_of(input)
    if array is not None:
        return tensor_of(functions.tril(array, k), input.dtype)
    result: torch.Tensor = operators.tril(_matrices("tril", input), integer("tril", "k", k))
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
    array = memory_of(input)
    if array is not None:
        return tensor_of(functions.triu(array, k), input.dtype)
    result: torch.Tensor = operators.triu(_matrices("triu", input), integer("triu", "k", k))
    return result


def _matrices(function: str, input: torch.Tensor) -> torch.Tensor:
    check(function, "input", input)
    if input.ndim == 0:
        raise TypeError(f"{function}: input must have at least 1 dimension, got 0")
    return input.expand(input.shape[0], input.shape[0]) if input.ndim == 1 else input
