"""``collate`` of tensors: what a ``DataLoader`` makes of samples of different sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Any, Literal, SupportsIndex

import numpy as np
import torch  # type: ignore[import-not-found, unused-ignore]
from torch.utils.data import get_worker_info  # type: ignore[import-not-found, unused-ignore]
from torch.utils.data._utils.collate import (  # type: ignore[import-not-found, unused-ignore]
    collate as collate_by_type,
)
from torch.utils.data._utils.collate import default_collate_fn_map

from dmlc import functions, runtime
from dmlc.arrays import check_kind, entries
from dmlc.functions.padding import Mode
from dmlc.torch import operators
from dmlc.torch.arguments import check, check_number, is_unused, memory_of
from dmlc.torch.memory import bits_and_type, bits_of, element, tensor_of

__all__ = ["collate"]

_Shape = SupportsIndex | Sequence[SupportsIndex] | None
_Align = Literal["start", "end", "center"]


def collate(
    samples: Sequence[Any],
    *,
    shape: _Shape = None,
    mode: Mode = "constant",
    value: complex = 0,
    align: _Align = "start",
    return_mask: bool = False,
    fields: Mapping[Any, Callable[[Sequence[Any]], Any]] | None = None,
) -> Any:
    """Bring samples of different sizes into one batch: a ``collate_fn`` for ``DataLoader``.

    Tensors and arrays are padded or cropped to one size, as `dmlc.collate` does. Everything else is what
    ``torch.utils.data.default_collate`` makes of it: numbers become a tensor, strings stay, and dicts, tuples, named
    tuples and lists are gone into, however deep.

    Parameters
    ----------
    samples : sequence
        At least one; all alike but for the sizes of their tensors and arrays. Arrays may be views of
        any strides, reversed ones too. Where dtypes differ, ``torch.promote_types`` says the batch's.
    shape : int or sequence of int, optional
        What each item of a batch measures, one size for each axis; the largest along each axis by
        default. What is larger is cropped.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
        How the smaller ones are extended; see `dmlc.pad`.
    value : number
        What ``"constant"`` adds.
    align : {"start", "end", "center"}
        Which ends of a tensor and of its item meet.
    return_mask : bool
        Whether to return ``(batch, mask)`` for each batch of tensors or arrays that have a
        dimension: True where an element is a sample's, False where it was added.
    fields : dict, optional
        Functions of their own for parts of a sample, by its keys, its names or its positions: each
        takes what the samples have there, in order. ``list`` leaves them as they are.

    Returns
    -------
    Tensor, or tensors in dicts, named tuples, lists
        New and contiguous; in a worker process of a ``DataLoader`` they are in shared memory.

    Raises
    ------
    TypeError
        If the samples hold what is none of these, or arrays of a dtype that PyTorch has not.
    ValueError
        If there are no samples, ``fields`` names what they do not have, or as `dmlc.collate`.

    Notes
    -----
    In a worker it runs on as many threads as PyTorch does there: on one, unless told otherwise.
    ``functools.partial(dmlc.torch.collate, value=-100)`` can be pickled, as workers that are not
    forked require. Tensors that require gradients get them.

    Examples
    --------
    >>> import torch
    >>> import dmlc.torch
    >>> samples = [{"ids": torch.tensor([7, 8, 9]), "name": "a"}, {"ids": torch.tensor([5]), "name": "b"}]
    >>> dmlc.torch.collate(samples, value=-1)
    {'ids': tensor([[ 7,  8,  9],
            [ 5, -1, -1]]), 'name': ['a', 'b']}
    """
    if len(samples) == 0:
        raise ValueError("collate: samples must hold at least one, got none")
    if fields:
        rest = partial(
            collate, shape=shape, mode=mode, value=value, align=align, return_mask=return_mask
        )
        return _collate_fields(samples, fields, rest)

    def batch(parts: Sequence[Any], *, collate_fn_map: object) -> Any:
        return _batch(parts, shape, mode, value, align, return_mask)

    kinds = {**default_collate_fn_map, torch.Tensor: batch, np.ndarray: batch}
    return collate_by_type(samples, collate_fn_map=kinds)


def _collate_fields(
    samples: Sequence[Any],
    fields: Mapping[Any, Callable[[Sequence[Any]], Any]],
    rest: Callable[[Sequence[Any]], Any],
) -> Any:
    first = samples[0]
    if isinstance(first, Mapping):
        names = list(first)
        parts = [[sample[name] for sample in samples] for name in names]
    elif isinstance(first, Sequence) and not isinstance(first, str | bytes):
        names = list(getattr(first, "_fields", range(len(first))))
        parts = [list(part) for part in zip(*samples, strict=True)]
    else:
        raise TypeError(
            f"collate: samples must be dicts, tuples or lists to have fields, got {type(first).__name__}"
        )
    unknown = [name for name in fields if name not in names]
    if unknown:
        raise ValueError(f"collate: fields must be of {names}, which samples have, got {unknown}")
    batches = [fields.get(name, rest)(part) for name, part in zip(names, parts)]
    if isinstance(first, Mapping):
        return dict(zip(names, batches))
    return type(first)(*batches) if hasattr(first, "_fields") else batches


def _batch(
    parts: Sequence[Any], shape: _Shape, mode: Mode, value: complex, align: _Align, masked: bool
) -> Any:
    """Return the batch of tensors or arrays, and its mask where one is wanted."""
    if type(value) is not int:
        check_number("collate", "value", value)
    if is_unused(mode, value):
        raise ValueError(
            f"collate: value must be left out unless mode is 'constant', got mode {mode!r}"
        )
    read = [_read(i, part) for i, part in enumerate(parts)]
    dtype = reduce(torch.promote_types, [dtype for _, dtype in read])
    arrays: list[Any] = [array for array, _ in read]
    masked = masked and parts[0].ndim > 0
    if any(array is None or kind is not dtype for array, kind in read):
        tensors = [
            (part if isinstance(part, torch.Tensor) else tensor_of(array.copy(), kind)).to(dtype)
            for part, (array, kind) in zip(parts, read)
        ]
        arrays = [memory_of(tensor) for tensor in tensors]
        if any(array is None for array in arrays):
            return _batch_by_operators(tensors, shape, mode, value, align, masked)
    keywords: dict[str, Any] = {"shape": shape, "mode": mode, "align": align}
    keywords["value"] = element(value, dtype)
    if get_worker_info() is None:
        result: Any = functions.collate(arrays, return_mask=masked, **keywords)
        tensor = tensor_of(result[0] if masked else result, dtype)
    else:
        sizes = _sizes([array.shape for array in arrays], shape)
        # Sizes below 0 are refused by functions.collate.
        tensor = _shared((len(arrays), *[max(size, 0) for size in sizes]), dtype)
        with runtime.num_threads(torch.get_num_threads()):
            out = bits_of(tensor)
            result = functions.collate(arrays, return_mask=masked, out=out, **keywords)
    return (tensor, tensor_of(result[1], torch.bool)) if masked else tensor


def _read(i: int, part: Any) -> tuple[Any, Any]:
    """Return one part's memory, None where an operator has to see it, and its type."""
    if isinstance(part, torch.Tensor):
        array = memory_of(part)
        if array is None:
            check("collate", f"samples[{i}]", part)
        return array, part.dtype
    if not isinstance(part, np.ndarray):
        raise TypeError(
            f"collate: samples[{i}] must be a tensor or an array as samples[0] is, got {type(part).__name__}"
        )
    check_kind("collate", f"samples[{i}]", part)
    found = bits_and_type(part)
    if found is None:
        raise TypeError(
            f"collate: samples[{i}] must have a dtype that PyTorch has, got {part.dtype}"
        )
    return found


def _sizes(shapes: Sequence[Sequence[int]], shape: _Shape) -> list[int]:
    """Return what an item measures."""
    if shape is None:
        return [max(sizes) for sizes in zip(*shapes)]
    return entries("collate", "shape", shape, len(shapes[0]))


def _shared(shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """Return a new tensor in shared memory, so that no other process has to copy it."""
    storage: Any = torch.UntypedStorage
    memory = storage._new_shared(math.prod(shape) * dtype.itemsize)
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    tensor: torch.Tensor = torch.empty(0, dtype=dtype).set_(memory, 0, shape, strides)
    return tensor


def _batch_by_operators(
    tensors: Sequence[torch.Tensor],
    shape: _Shape,
    mode: Mode,
    value: complex,
    align: _Align,
    masked: bool,
) -> Any:
    """Do the same by operators that have gradients."""
    sizes = _sizes([tensor.shape for tensor in tensors], shape)
    # What is wrong, functions.collate says, of arrays that take no memory and, unless one has nothing to extend, make none.
    extends = mode != "constant" and any(0 in tensor.shape for tensor in tensors)
    functions.collate(
        [np.broadcast_to(np.False_, tensor.shape) for tensor in tensors],
        shape=sizes if extends else [min(size, 0) for size in sizes],
        mode=mode,
        value=value,
        align=align,
    )
    windows, masks = [], []
    for tensor in tensors:
        spare = [size - own for size, own in zip(sizes, tensor.shape)]
        # What is added or cropped is halved towards the start.
        before = {
            "start": [0] * len(sizes),
            "end": spare,
            "center": [abs(room) // 2 * (1 if room > 0 else -1) for room in spare],
        }[align]
        start = [-room for room in before]
        windows.append(operators.window(tensor, start, sizes, mode, value))
        if masked:
            inside = torch.ones(tensor.shape, dtype=torch.bool, device=tensor.device)
            masks.append(operators.window(inside, start, sizes, "constant", 0))
    batch = torch.stack(windows)
    return (batch, torch.stack(masks)) if masked else batch
