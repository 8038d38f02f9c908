"""``one_hot`` of tensors."""

from __future__ import annotations

from typing import Literal

import torch  # type: ignore[import-not-found, unused-ignore]

from dmlc import functions
from dmlc.torch import operators
from dmlc.torch.arguments import check, check_number, integer, memory_of, normalized
from dmlc.torch.memory import bits_type, element, tensor_of

__all__ = ["one_hot"]

# By a name of its own: of 4 indices, each dot is a twentieth of the time.
_DType = torch.dtype
_INDICES = frozenset(
    (
        *(torch.uint8, torch.uint16, torch.uint32, torch.uint64),
        *(torch.int8, torch.int16, torch.int32, torch.int64),
    )
)


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
        If ``indices`` are not integers, a value is no number, or ``dtype`` none of PyTorch's.
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
        check_number("one_hot", "on_value", on_value)
        check_number("one_hot", "off_value", off_value)
    if negative not in ("wrap", "off"):
        raise ValueError(f"one_hot: negative must be 'wrap' or 'off', got {negative!r}")
    if not isinstance(indices, torch.Tensor):
        check("one_hot", "indices", indices)
    if indices.dtype not in _INDICES:
        raise TypeError(f"one_hot: indices must be integers, got dtype {indices.dtype}")
    if not isinstance(dtype, _DType):
        raise TypeError(f"one_hot: dtype must be one of PyTorch's, got {dtype!r}")
    array = memory_of(indices)
    if array is not None:
        hot = functions.one_hot(
            array,
            depth,
            axis=axis,
            on_value=element(on_value, dtype),
            off_value=element(off_value, dtype),
            dtype=bits_type(dtype),
            negative=negative,
        )
        return tensor_of(hot, dtype)
    check("one_hot", "indices", indices)
    place = normalized("one_hot", axis, indices.ndim + 1)
    result: torch.Tensor = operators.one_hot(
        indices, integer("one_hot", "depth", depth), place, on_value, off_value, dtype, negative
    )
    return result
