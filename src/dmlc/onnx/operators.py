"""ONNX's operators as functions of arrays: inputs by position, attributes by name.

Attributes that became inputs have one parameter for both, so one function serves every operator
set. What is wrong raises ValueError: the evaluator takes TypeError for a mistake of its own.
"""

# Where onnx is not installed its types are unknown.
# mypy: disable-error-code="import-not-found,import-untyped"

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dmlc import functions
from dmlc.arrays import AnyArray

__all__ = ["OPERATORS"]

_Move = Callable[[AnyArray], AnyArray]


def _covered(dtype: np.dtype[Any]) -> bool:
    """Whether dmlc moves such elements: those of a width of its own that are no strings."""
    return dtype.kind not in "OSTU" and dtype.itemsize in (1, 2, 4, 8, 16)


def _move(data: AnyArray, move: _Move, fill: Any = "") -> AnyArray:
    """Move elements; of others than dmlc's, their positions, counted from 1: 0 is the fill."""
    if _covered(data.dtype):
        return move(data)
    dtype = data.dtype
    if dtype.kind in "SU":
        dtype = np.result_type(dtype, np.asarray(fill).dtype)
    elements = np.empty(data.size + 1, dtype)
    elements[0] = fill
    elements[1:] = data.ravel()
    moved = elements[move(np.arange(1, data.size + 1).reshape(data.shape))]
    return np.asarray(moved, dtype)


def _integers(name: str, field: str, values: Any) -> list[int]:
    """Return a tensor of at most one dimension, or an attribute, as a list of integers."""
    array = np.asarray(values)
    if array.size == 0:
        return []
    if array.dtype.kind not in "iu" or array.ndim > 1:
        raise ValueError(
            f"{name}: {field} must be integers in one dimension, "
            f"got {array.dtype} of shape {array.shape}"
        )
    integers: list[int] = array.reshape(-1).tolist()
    return integers


def _integer(name: str, field: str, value: Any) -> int:
    """Return the one element of a tensor of any shape, or an attribute, as an integer."""
    array = np.asarray(value)
    if array.size != 1:
        raise ValueError(f"{name}: {field} must be one number, got {array.size}")
    try:
        return int(array.reshape(-1)[0])
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name}: {field} must be a number, got {array.reshape(-1)[0]}") from None


def _axes(name: str, axes: Any, rank: int, count: int | None = None) -> list[int]:
    """Return axes counted from the first, none twice; by default the first ``count`` or all."""
    if axes is None:
        chosen = rank if count is None else count
        if chosen > rank:
            raise ValueError(f"{name}: must have at most {rank} entries, one an axis, got {chosen}")
        return list(range(chosen))
    entries = _integers(name, "axes", axes)
    for i, axis in enumerate(entries):
        if not -rank <= axis < rank:
            raise ValueError(f"{name}: axes[{i}] must be {-rank} to {rank - 1}, got {axis}")
    positive = [axis % rank for axis in entries]
    if len(set(positive)) < len(positive):
        raise ValueError(f"{name}: axes must differ, got {entries}")
    return positive


def _check_length(name: str, field: str, entries: list[int], expected: int, why: str) -> None:
    if len(entries) != expected:
        raise ValueError(
            f"{name}: {field} must have {why} = {expected} entries, got {len(entries)}"
        )


def _pad(
    data: AnyArray,
    pads: Any = None,
    constant_value: Any = None,
    axes: Any = None,
    *,
    mode: str = "constant",
    value: float | None = None,
    paddings: Any = None,
) -> AnyArray:
    """Pad 1 calls its pads paddings; up to 2 they are attributes, and the value is one too."""
    which = _axes("Pad", axes, data.ndim)
    entries = _integers("Pad", "pads", paddings if pads is None else pads)
    _check_length("Pad", "pads", entries, 2 * len(which), "2 * axes")
    widths = [(0, 0)] * data.ndim
    for axis, before, after in zip(which, entries, entries[len(which) :]):
        widths[axis] = before, after
    constant = 0 if value is None else value
    if constant_value is not None and np.size(constant_value) > 0:
        if np.size(constant_value) != 1:
            raise ValueError(
                f"Pad: constant_value must be one element, got {np.size(constant_value)}"
            )
        constant = np.asarray(constant_value).reshape(-1)[0]
    if mode not in ("constant", "edge", "reflect", "wrap"):
        raise ValueError(f"Pad: mode must be constant, edge, reflect or wrap, got {mode!r}")

    def move(array: AnyArray) -> AnyArray:
        if mode != "constant":
            return functions.pad(array, widths, mode)  # type: ignore[arg-type]
        return functions.pad(array, widths, constant_values=constant if array is data else 0)

    return _move(data, move, "" if constant_value is None else constant)


def _slice(
    data: AnyArray, starts: Any = None, ends: Any = None, axes: Any = None, steps: Any = None
) -> AnyArray:
    """Slice 1 has its starts, ends and axes as attributes and no steps."""
    first = _integers("Slice", "starts", starts)
    last = _integers("Slice", "ends", ends)
    step = [1] * len(first) if steps is None else _integers("Slice", "steps", steps)
    which = _axes("Slice", axes if axes is None or len(axes) > 0 else None, data.ndim, len(first))
    for field, entries in (("starts", first), ("ends", last), ("steps", step)):
        _check_length("Slice", field, entries, len(which), "axes")
    if 0 in step:
        raise ValueError(f"Slice: steps[{step.index(0)}] must not be 0, got 0")
    window: list[Any] = [slice(None)] * data.ndim
    for axis, start, end, by in zip(which, first, last, step):
        # Backward a start before the first element is the first, which Python's is not.
        begin = max(start, -data.shape[axis]) if by < 0 else start
        window[axis] = slice(begin, end, by)
    return _move(data, lambda array: functions.copy(array[(*window, ...)]))


def _one_hot(indices: AnyArray, depth: Any, values: AnyArray, *, axis: int = -1) -> AnyArray:
    """Indices and the depth may be of any number type; they are cast to int64."""
    if np.size(values) != 2:
        raise ValueError(f"OneHot: values must be off and on, 2 elements, got {np.size(values)}")
    count = _integer("OneHot", "depth", depth)
    if count < 0:
        raise ValueError(f"OneHot: depth must be at least 0, got {count}")
    rank = indices.ndim
    if not -rank - 1 <= axis <= rank:
        raise ValueError(f"OneHot: axis must be {-rank - 1} to {rank}, got {axis}")
    if indices.dtype.kind not in "iu":
        indices = indices.astype(np.int64)
    off, on = values.reshape(-1)
    if _covered(values.dtype):
        return functions.one_hot(
            indices, count, axis=axis, on_value=on, off_value=off, dtype=values.dtype
        )
    chosen = functions.one_hot(indices, count, axis=axis, dtype=np.intp)
    return np.asarray(values.reshape(-1)[chosen], values.dtype)


def _eye_like(data: AnyArray, *, dtype: int | None = None, k: int = 0) -> AnyArray:
    if data.ndim != 2:
        raise ValueError(f"EyeLike: input must have 2 dimensions, got {data.ndim}")
    element_type = data.dtype
    if dtype is not None:
        from onnx.helper import tensor_dtype_to_np_dtype

        try:
            element_type = np.dtype(tensor_dtype_to_np_dtype(dtype))
        except KeyError:
            raise ValueError(f"EyeLike: dtype must be a type of tensors, got {dtype}") from None
    if not _covered(element_type):
        raise ValueError(f"EyeLike: dtype must be a type of numbers, got {element_type}")
    return functions.eye(data.shape[0], data.shape[1], k, element_type)


def _trilu(data: AnyArray, k: Any = None, *, upper: int = 1) -> AnyArray:
    if data.ndim < 2:
        raise ValueError(f"Trilu: input must have at least 2 dimensions, got {data.ndim}")
    diagonal = 0 if k is None else _integer("Trilu", "k", k)
    triangle = functions.triu if upper else functions.tril
    return _move(data, lambda array: triangle(array, diagonal))


def _center_crop_pad(data: AnyArray, shape: Any, *, axes: Any = None) -> AnyArray:
    """What is cut off or added before is the half rounded down."""
    which = _axes("CenterCropPad", axes, data.ndim)
    sizes = _integers("CenterCropPad", "shape", shape)
    _check_length("CenterCropPad", "shape", sizes, len(which), "axes")
    widths = [(0, 0)] * data.ndim
    for axis, size in zip(which, sizes):
        if size < 0:
            raise ValueError(f"CenterCropPad: shape must not be negative, got {sizes}")
        more = abs(size - data.shape[axis])
        before, after = more // 2, more - more // 2
        widths[axis] = (before, after) if size >= data.shape[axis] else (-before, -after)
    return _move(data, lambda array: functions.pad(array, widths))


def _transpose(data: AnyArray, *, perm: Any = None) -> AnyArray:
    axes = list(reversed(range(data.ndim)))
    if perm is not None and len(perm) > 0:
        axes = _integers("Transpose", "perm", perm)
        if sorted(axes) != list(range(data.ndim)):
            raise ValueError(
                f"Transpose: perm must hold each of the {data.ndim} axes once, got {axes}"
            )
    return _move(data, lambda array: functions.copy(array.transpose(axes)))


def _tile(data: AnyArray, repeats: Any, axis: Any = None) -> AnyArray:
    """Tile 1 repeats along one axis, both of them inputs."""
    if axis is None:
        times = _integers("Tile", "repeats", repeats)
        _check_length("Tile", "repeats", times, data.ndim, "rank of the input")
    else:
        times = [1] * data.ndim
        only = _axes("Tile", [_integer("Tile", "axis", axis)], data.ndim)
        times[only[0]] = _integer("Tile", "tiles", repeats)
    if min(times, default=0) < 0:
        raise ValueError(f"Tile: repeats must not be negative, got {times}")
    return _move(data, lambda array: functions.tile(array, times))


def _check_blocks(name: str, data: AnyArray, blocksize: int, mode: str) -> None:
    if data.ndim != 4:
        raise ValueError(f"{name}: input must have 4 dimensions, got {data.ndim}")
    if blocksize < 1:
        raise ValueError(f"{name}: blocksize must be at least 1, got {blocksize}")
    if mode not in ("DCR", "CRD"):
        raise ValueError(f"{name}: mode must be DCR or CRD, got {mode!r}")


def _space_to_depth(data: AnyArray, *, blocksize: int, mode: str | None = "DCR") -> AnyArray:
    mode = "DCR" if mode is None else mode
    _check_blocks("SpaceToDepth", data, blocksize, mode)
    batch, depth, height, width = data.shape
    if height % blocksize or width % blocksize:
        raise ValueError(
            f"SpaceToDepth: height and width must be multiples of blocksize = {blocksize}, "
            f"got {height} and {width}"
        )
    split = (batch, depth, height // blocksize, blocksize, width // blocksize, blocksize)
    axes = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    shape = (batch, depth * blocksize**2, height // blocksize, width // blocksize)
    return _rearrange(data, split, axes, shape)


def _depth_to_space(data: AnyArray, *, blocksize: int, mode: str | None = "DCR") -> AnyArray:
    mode = "DCR" if mode is None else mode
    _check_blocks("DepthToSpace", data, blocksize, mode)
    batch, depth, height, width = data.shape
    if depth % blocksize**2:
        raise ValueError(
            f"DepthToSpace: depth must be a multiple of blocksize**2 = {blocksize**2}, got {depth}"
        )
    channels = depth // blocksize**2
    if mode == "DCR":
        split = (batch, blocksize, blocksize, channels, height, width)
        axes = (0, 3, 4, 1, 5, 2)
    else:
        split = (batch, channels, blocksize, blocksize, height, width)
        axes = (0, 1, 4, 2, 5, 3)
    return _rearrange(data, split, axes, (batch, channels, height * blocksize, width * blocksize))


def _rearrange(
    data: AnyArray, split: tuple[int, ...], axes: tuple[int, ...], shape: tuple[int, ...]
) -> AnyArray:
    def move(array: AnyArray) -> AnyArray:
        # A reshape of packed elements is a view.
        packed = array if array.flags.c_contiguous else functions.copy(array)
        return functions.copy(packed.reshape(split).transpose(axes)).reshape(shape)

    return _move(data, move)


OPERATORS: Mapping[str, Callable[..., AnyArray]] = {
    "CenterCropPad": _center_crop_pad,
    "DepthToSpace": _depth_to_space,
    "EyeLike": _eye_like,
    "OneHot": _one_hot,
    "Pad": _pad,
    "Slice": _slice,
    "SpaceToDepth": _space_to_depth,
    "Tile": _tile,
    "Transpose": _transpose,
    "Trilu": _trilu,
}
