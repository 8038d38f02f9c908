"""Images as Intel's IPP knows them: borders, flips, channels, planes, transposes, crops.

A set of its own, `--set images`: elements of 1, 2 and 4 bytes with 1, 3 and 4 channels, two sizes,
kept outputs. IPP's functions use one thread, so that `--threads 1` is the fair comparison.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cases.case import Array, Call, Case, UnsupportedError
from cases.padding import Padding
from cases.slice import OpenCV, Window, flip, split, swap_channels, transpose
from peers import IppSize, pointer

SIZES = [(96, 128), (480, 640)]
CODES = {"uint8": "8u", "uint16": "16u", "float32": "32f"}
VALUES: dict[str, Any] = {
    "uint8": ctypes.c_uint8,
    "uint16": ctypes.c_uint16,
    "float32": ctypes.c_float,
}
CHANNELS = (1, 3, 4)
BORDER = 8

IppCall = Callable[[Any, Array, Array], Call]
"""ipp_call(ipp, x, out): the one function that does it."""


def channels_of(image: Array) -> int:
    return image.shape[2] if image.ndim == 3 else 1


def layout(image: Array) -> tuple[ctypes.c_void_p, ctypes.c_int]:
    """What IPP takes for an image: its first element, and the bytes from row to row."""
    return pointer(image), ctypes.c_int(image.strides[0])


def size(image: Array) -> IppSize:
    return IppSize(image.shape[1], image.shape[0])


def suffix(image: Array) -> str:
    return f"{CODES[image.dtype.name]}_C{channels_of(image)}R"


BORDERS = {"constant": "Const", "edge": "Replicate", "reflect": "Mirror", "wrap": "Wrap"}


def border(mode: str, ipp: Any, x: Array, out: Array) -> Call:
    if mode not in BORDERS:
        raise UnsupportedError(f"IPP has no border {mode!r}")
    value: list[Any] = []
    if mode == "constant":
        kind = VALUES[x.dtype.name]
        value = [kind(0) if x.ndim == 2 else (kind * channels_of(x))()]
    name = f"ippiCopy{BORDERS[mode]}Border_{suffix(x)}"
    arguments = *layout(x), size(x), *layout(out), size(out), BORDER, BORDER, *value
    result: Call = ipp.call(name, out, *arguments)
    return result


def mirror(axis: int, ipp: Any, x: Array, out: Array) -> Call:
    result: Call = ipp.call(f"ippiMirror_{suffix(x)}", out, *layout(x), *layout(out), size(x), axis)
    return result


def swap(ipp: Any, x: Array, out: Array) -> Call:
    n = channels_of(x)
    order = (ctypes.c_int * n)(2, 1, 0, *range(3, n))
    name = f"ippiSwapChannels_{suffix(x)}"
    result: Call = ipp.call(name, out, *layout(x), *layout(out), size(x), order)
    return result


def planes_of(array: Array) -> Any:
    return (ctypes.c_void_p * len(array))(*(plane.ctypes.data for plane in array))


def to_planes(ipp: Any, x: Array, out: Array) -> Call:
    n, row = channels_of(x), ctypes.c_int(out.strides[1])
    name = f"ippiCopy_{CODES[x.dtype.name]}_C{n}P{n}R"
    result: Call = ipp.call(name, out, *layout(x), planes_of(out), row, size(x))
    return result


def to_pixels(ipp: Any, x: Array, out: Array) -> Call:
    n, row = channels_of(out), ctypes.c_int(x.strides[1])
    name = f"ippiCopy_{CODES[x.dtype.name]}_P{n}C{n}R"
    result: Call = ipp.call(name, out, planes_of(x), row, *layout(out), size(out))
    return result


def turn(ipp: Any, x: Array, out: Array) -> Call:
    result: Call = ipp.call(f"ippiTranspose_{suffix(x)}", out, *layout(x), *layout(out), size(x))
    return result


def crop(index: Any, ipp: Any, x: Array, out: Array) -> Call:
    window = x[index]
    name = f"ippiCopy_{suffix(x)}"
    result: Call = ipp.call(name, out, *layout(window), *layout(out), size(window))
    return result


def merge(cv2: Any, x: Array, dst: Array | None) -> Any:
    return cv2.merge(list(x), dst=dst)


def case(use: Padding | Window, name: str, kind: str, ipp_call: IppCall) -> Case:
    def calls(ipp: Any, x: Array, out: Array) -> Iterator[Call]:
        yield ipp_call(ipp, x, out)

    base = use.case()
    return replace(
        base,
        name=f"images/{name}/{'x'.join(map(str, use.shape))}-{use.dtype}",
        operator=f"image {kind}",
        kind=f"image {kind}",
        libraries={**base.libraries, "ipp": calls},
        kept_only=True,
    )


def image_cases(height: int, width: int, channels: int, dtype: str) -> Iterator[Case]:
    """Every use of one size, channel count and type."""
    shape = (height, width) if channels == 1 else (height, width, channels)
    around = ((BORDER, BORDER), (BORDER, BORDER), (0, 0))[: len(shape)]
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
        padding = Padding("image", shape, dtype, around, mode)
        yield case(padding, f"border-{mode}", "border", partial(border, mode))

    def window(
        name: str,
        kind: str,
        ipp_call: IppCall,
        index: Any = np.s_[:],
        axes: tuple[int, ...] | None = None,
        opencv: OpenCV | None = None,
        shape: tuple[int, ...] = shape,
    ) -> Case:
        return case(Window("image", shape, dtype, index, axes, opencv), name, kind, ipp_call)

    yield window("flip-rows", "flip", partial(mirror, 0), np.s_[::-1], opencv=flip(0))
    yield window("flip-columns", "flip", partial(mirror, 1), np.s_[:, ::-1], opencv=flip(1))
    yield window("rotate180", "flip", partial(mirror, 2), np.s_[::-1, ::-1], opencv=flip(-1))
    inside = np.s_[BORDER:-BORDER, BORDER:-BORDER]
    yield window("crop", "crop", partial(crop, inside), inside)
    axes = (1, 0, 2)[: len(shape)]
    yield window("transpose", "transpose", turn, axes=axes, opencv=transpose)
    if channels == 3:
        yield window("swap", "channels", swap, np.s_[..., ::-1], opencv=swap_channels)
    if channels > 1:
        planes = (channels, height, width)
        yield window("to-planes", "planes", to_planes, axes=(2, 0, 1), opencv=split)
        yield window("to-pixels", "planes", to_pixels, axes=(1, 2, 0), opencv=merge, shape=planes)


CASES = [
    image
    for height, width in SIZES
    for dtype in CODES
    for channels in CHANNELS
    for image in image_cases(height, width, channels, dtype)
]
