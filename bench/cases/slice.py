"""Slices and packed copies: crops, strides, flips, transposes, frames, many dimensions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cases.case import Array, Call, Case, UnsupportedError, fresh, into, pattern, size_of
from peers import Node

CACHE_LINE = 64

Index = tuple[slice | int, ...]
OpenCV = Callable[[Any, Array, Array | None], Any]
"""opencv(cv2, x, dst): the result, in memory of its own where `dst` is None."""


@dataclass(frozen=True)
class Window:
    """The packed copy of `x[index].transpose(axes)`."""

    use: str
    shape: tuple[int, ...]
    dtype: str
    index: Any  # what np.s_ makes
    axes: tuple[int, ...] | None = None
    opencv: OpenCV | None = None

    @property
    def full_index(self) -> Index:
        """One slice or integer for every axis."""
        items = self.index if isinstance(self.index, tuple) else (self.index,)
        if Ellipsis not in items:
            items = (*items, Ellipsis)
        place = items.index(Ellipsis)
        missing = len(self.shape) - (len(items) - 1)
        return (*items[:place], *(slice(None),) * missing, *items[place + 1 :])

    @property
    def ranges(self) -> list[range]:
        """The coordinates read, axis by axis."""
        return [
            range(n)[item] if isinstance(item, slice) else range(item, item + 1)
            for n, item in zip(self.shape, self.full_index, strict=True)
        ]

    @property
    def whole(self) -> bool:
        """Whether the index keeps all of the array: then nobody would write it."""
        return all(r == range(n) for r, n in zip(self.ranges, self.shape, strict=True))

    @property
    def dropped_axes(self) -> list[int]:
        return [axis for axis, item in enumerate(self.full_index) if isinstance(item, int)]

    @property
    def kind(self) -> str:
        steps = [r.step for r in self.ranges]
        if self.axes is not None:
            return "transpose"
        if min(steps) < 0:
            return "flip"
        picks = max(steps) > 1 or self.dropped_axes
        return "every n-th element" if picks else "crop or copy"

    @property
    def expression(self) -> str:
        """The view as a NumPy user writes it."""
        index = "" if self.whole else f"[{', '.join(map(spell, self.full_index))}]"
        text = f"x{index}"
        return text if self.axes is None else f"{text}.transpose{self.axes}"

    def view(self, x: Any) -> Any:
        return self.viewer(x)()

    def viewer(self, x: Any) -> Callable[[], Any]:
        """What makes the view of an array, again with each call: a user's copy begins with it."""
        index, axes = self.index, self.axes
        if self.whole:
            return (lambda: x) if axes is None else lambda: x.transpose(axes)
        if axes is None:
            return lambda: x[index]
        return lambda: x[index].transpose(axes)

    def case(self) -> Case:
        sample = self.view(np.empty(self.shape, self.dtype))
        return Case(
            name=f"slice/{self.use}/{self.dtype}",
            operator="slice",
            kind=self.kind,
            make_input=partial(pattern, self.shape, self.dtype),
            output_shape=sample.shape,
            output_dtype=np.dtype(self.dtype),
            twin=partial(twin, self),
            libraries={name: partial(calls, self) for name, calls in LIBRARIES.items()},
            bytes_read=bytes_touched(sample),
            bytes_written=size_of(sample.shape, self.dtype),
        )


def spell(item: slice | int) -> str:
    if isinstance(item, int):
        return str(item)
    start, stop = ("" if part is None else str(part) for part in (item.start, item.stop))
    return f"{start}:{stop}" + ("" if item.step is None else f":{item.step}")


def bytes_touched(view: Array) -> int:
    """Bytes of the cache lines that a view reads, to within its first and last lines.

    From the smallest stride up, an axis that steps within the bytes covered so far, or within one
    line of them, extends the run; any other axis repeats it.
    """
    run, repeats = view.itemsize, 1
    for stride, n in sorted((abs(s), n) for s, n in zip(view.strides, view.shape, strict=True)):
        if n > 1 and stride <= max(run, CACHE_LINE) and repeats == 1:
            run += (n - 1) * stride
        else:
            repeats *= n
    lines = -(-run // CACHE_LINE) if repeats > 1 and run < CACHE_LINE else run / CACHE_LINE
    return int(repeats * lines * CACHE_LINE)


def twin(p: Window, x: Array) -> Array:
    from dmlc.reference.slice import slice_window

    offsets = [min(r) for r in p.ranges]
    sizes = [max(r) - min(r) + 1 for r in p.ranges]
    window = slice_window(x, offsets, sizes, [r.step for r in p.ranges])
    window = window.squeeze(tuple(p.dropped_axes))
    return window if p.axes is None else np.ascontiguousarray(window.transpose(p.axes))


def dmlc_calls(p: Window, dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    copy, view = dmlc.copy, p.viewer(x)
    yield fresh(f"dmlc.copy({p.expression})", lambda: copy(view()))
    yield into(f"dmlc.copy({p.expression}, out=out)", lambda: copy(view(), out=out))


def numpy_calls(p: Window, numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    view = p.viewer(x)

    def copy_into() -> Array:
        numpy.copyto(out, view())
        return out

    yield fresh(f"{p.expression}.copy()", lambda: view().copy())
    yield into(f"np.copyto(out, {p.expression})", copy_into)


def torch_calls(p: Window, torch: Any, x: Array, out: Array) -> Iterator[Call]:
    source, target = torch.from_numpy(x), torch.from_numpy(out)
    flipped = [axis for axis, r in enumerate(p.ranges) if r.step < 0]

    if not flipped:
        index, axes, whole = p.index, p.axes, p.whole

        def view() -> Any:
            window = source if whole else source[index]
            return window if axes is None else window.permute(axes)

        packed = torch.contiguous_format
        yield fresh(f"{p.expression}.clone()", lambda: view().clone(memory_format=packed))
        yield into(f"out.copy_({p.expression})", lambda: target.copy_(view()))
        return

    # PyTorch's strides are positive: the same elements forwards, then flipped.
    forwards = tuple(
        slice(min(r), max(r) + 1, abs(r.step)) if axis in flipped else item
        for axis, (r, item) in enumerate(zip(p.ranges, p.full_index, strict=True))
    )
    if p.dropped_axes or p.axes is not None:
        raise UnsupportedError("no single PyTorch call flips and transposes")
    yield fresh("torch.flip(x, axes)", lambda: torch.flip(source[forwards], flipped))
    if len(flipped) == 1:
        (axis,) = flipped
        order = torch.arange(out.shape[axis] - 1, -1, -1)
        yield fresh(
            "x.index_select(axis, order)",
            lambda: torch.index_select(source[forwards], axis, order),
        )
        yield into(
            "torch.index_select(x, axis, order, out=out)",
            lambda: torch.index_select(source[forwards], axis, order, out=target),
        )


def onnxruntime_calls(p: Window, onnxruntime: Any, x: Array, out: Array) -> Iterator[Call]:
    axes = np.arange(x.ndim)
    starts = np.array([r.start for r in p.ranges])
    ends = np.array([r.stop if r.stop >= 0 else np.iinfo(np.int64).min for r in p.ranges])
    steps = np.array([r.step for r in p.ranges])
    nodes = [] if p.whole else [Node("Slice", (starts, ends, axes, steps))]
    if p.dropped_axes:
        nodes.append(Node("Squeeze", (np.array(p.dropped_axes),)))
    if p.axes is not None:
        nodes.append(Node("Transpose", attributes={"perm": p.axes}))
    yield from onnxruntime.calls(x, out, *nodes)


def opencv_calls(p: Window, cv2: Any, x: Array, out: Array) -> Iterator[Call]:
    opencv = p.opencv
    if opencv is None:
        raise UnsupportedError("OpenCV has no function for this slice")

    def write() -> Array:
        opencv(cv2, x, out)
        return out

    yield fresh("cv2", lambda: opencv(cv2, x, None))
    yield into("cv2, dst=out", write)


def jax_calls(p: Window, jax: Any, x: Array, out: Array) -> Iterator[Call]:
    yield jax.call(p.expression, p.view, x)


def tensorflow_calls(p: Window, tensorflow: Any, x: Array, out: Array) -> Iterator[Call]:
    source = tensorflow.constant(x)
    transpose, index, axes, whole = tensorflow.transpose, p.index, p.axes, p.whole
    if axes is None:
        yield fresh(p.expression, lambda: source[index])
    else:
        text = "tf.transpose(x, axes)" if whole else "tf.transpose(x[index], axes)"
        yield fresh(text, lambda: transpose(source if whole else source[index], axes))


def openvino_calls(p: Window, openvino: Any, x: Array, out: Array) -> Iterator[Call]:
    if p.axes is not None:
        axes = np.array(p.axes)
        if not p.whole:
            raise UnsupportedError("no single OpenVINO operation slices and transposes")
        yield from openvino.calls(x, out, lambda ops, node: ops.transpose(node, axes))
        return
    if p.dropped_axes:
        raise UnsupportedError("OpenVINO Slice keeps every axis")
    starts = np.array([r.start for r in p.ranges])
    ends = np.array([r.stop if r.stop >= 0 else np.iinfo(np.int64).min for r in p.ranges])
    steps = np.array([r.step for r in p.ranges])
    yield from openvino.calls(x, out, lambda ops, node: ops.slice(node, starts, ends, steps))


LIBRARIES = {
    "dmlc": dmlc_calls,
    "numpy": numpy_calls,
    "torch": torch_calls,
    "onnxruntime": onnxruntime_calls,
    "opencv": opencv_calls,
    "jax": jax_calls,
    "tensorflow": tensorflow_calls,
    "openvino": openvino_calls,
}


def flip(code: int) -> OpenCV:
    return lambda cv2, x, dst: cv2.flip(x, code, dst=dst)


def swap_channels(cv2: Any, x: Array, dst: Array | None) -> Any:
    return cv2.cvtColor(x, cv2.COLOR_BGR2RGB, dst=dst)


def channel(number: int) -> OpenCV:
    return lambda cv2, x, dst: cv2.extractChannel(x, number, dst=dst)


def half(cv2: Any, x: Array, dst: Array | None) -> Any:
    """Nearest neighbour to exactly half the size is [::2, ::2]."""
    size = (x.shape[1] // 2, x.shape[0] // 2)
    return cv2.resize(x, size, dst=dst, interpolation=cv2.INTER_NEAREST)


def transpose(cv2: Any, x: Array, dst: Array | None) -> Any:
    return cv2.transpose(x, dst=dst)


def split(cv2: Any, x: Array, dst: Array | None) -> Any:
    """Channels last to channels first, as planes of one array."""
    planes = np.empty((x.shape[2], *x.shape[:2]), x.dtype) if dst is None else dst
    cv2.split(x, mv=list(planes))
    return planes


HD, RGB = (1080, 1920), (1080, 1920, 3)

WINDOWS = [
    Window("tiny-4x4-rows-reversed", (4, 4), "float32", np.s_[::-1], opencv=flip(0)),
    Window("tiny-4x4-transposed", (4, 4), "float32", np.s_[:], (1, 0), transpose),
    Window("tiny-4x4-copy", (4, 4), "float32", np.s_[:]),
    # One sample at a time.
    Window("crop-28x28-to-24", (28, 28), "uint8", np.s_[2:26, 2:26]),
    Window("hwc-to-chw-32x32x3", (32, 32, 3), "uint8", np.s_[:], (2, 0, 1), split),
    Window("chw-to-hwc-3x32x32", (3, 32, 32), "float32", np.s_[:], (1, 2, 0)),
    Window("transpose-32x32", (32, 32), "float32", np.s_[:], (1, 0), transpose),
    Window("flip-pixels-32x32x3", (32, 32, 3), "uint8", np.s_[:, ::-1], opencv=flip(1)),
    Window("rotary-1x8x64", (1, 8, 64), "float32", np.s_[..., 1::2]),
    Window("stride2-256", (256,), "float64", np.s_[::2]),
    # Crops.
    Window("crop-1080x1920x3-to-512", RGB, "uint8", np.s_[284:796, 704:1216]),
    Window("crop-256x256x3-to-224", (256, 256, 3), "uint8", np.s_[16:240, 16:240]),
    Window("crop-8x3x256x256-to-224", (8, 3, 256, 256), "float32", np.s_[..., 16:240, 16:240]),
    Window("crop-64x64-to-16", (256, 64, 64), "float32", np.s_[:, 24:40, 24:40]),
    Window("crop-64x3x512x512-to-448", (64, 3, 512, 512), "float32", np.s_[..., 32:480, 32:480]),
    # Strides.
    Window("stride2-1x64x112x112", (1, 64, 112, 112), "float32", np.s_[..., ::2, ::2]),
    Window("stride2-gray-1080x1920", HD, "uint8", np.s_[::2, ::2], opencv=half),
    Window("stride2-rgb-1080x1920", RGB, "uint8", np.s_[::2, ::2], opencv=half),
    Window("stride2-1048576", (1 << 20,), "float32", np.s_[::2]),
    Window("stride2-2048x2048", (2048, 2048), "uint16", np.s_[:, ::2]),
    Window("stride2-262144", (1 << 18,), "float64", np.s_[::2]),
    Window("stride2-131072", (1 << 17,), "complex128", np.s_[::2]),
    Window("stride3-3145728", (3 << 20,), "uint8", np.s_[::3]),
    Window("stride3-786432", (3 << 18,), "float32", np.s_[::3]),
    Window("green-1080x1920", RGB, "uint8", np.s_[..., 1], opencv=channel(1)),
    Window("left-480000", (480_000, 2), "int16", np.s_[:, 0]),
    Window("bayer-3000x4000", (3000, 4000), "uint16", np.s_[::2, 1::2]),
    Window("huge-stride2-16384x16384", (16_384, 16_384), "uint8", np.s_[:, ::2]),
    # Flips.
    Window("flip-rows-1080x1920x3", RGB, "uint8", np.s_[::-1], opencv=flip(0)),
    Window("flip-pixels-1080x1920x3", RGB, "uint8", np.s_[:, ::-1], opencv=flip(1)),
    Window("flip-pixels-64x64x3", (64, 64, 3), "uint8", np.s_[:, ::-1], opencv=flip(1)),
    Window("flip-channels-1080x1920x3", RGB, "uint8", np.s_[..., ::-1], opencv=swap_channels),
    Window("flip-gray-1080x1920", HD, "uint8", np.s_[:, ::-1], opencv=flip(1)),
    Window("flip-scan-1024x1024", (1024, 1024), "uint16", np.s_[:, ::-1], opencv=flip(1)),
    Window("flip-8x3x224x224", (8, 3, 224, 224), "float32", np.s_[..., ::-1]),
    Window("flip-32x224x224x3", (32, 224, 224, 3), "uint8", np.s_[:, :, ::-1]),
    Window("rotate180-1024x1024", (1024, 1024), "float32", np.s_[::-1, ::-1], opencv=flip(-1)),
    Window("flip-8192x8192x3", (8192, 8192, 3), "uint8", np.s_[:, ::-1], opencv=flip(1)),
    # Rotary embeddings.
    Window("rotary-1x32x2048x128", (1, 32, 2048, 128), "float32", np.s_[..., 1::2]),
    Window("rotary-1x8x512x128", (1, 8, 512, 128), "float16", np.s_[..., 1::2]),
    # Time reversal.
    Window("reverse-16x16000", (16, 16_000), "float32", np.s_[:, ::-1]),
    Window("reverse-64x512x256", (64, 512, 256), "float32", np.s_[:, ::-1]),
    # Transposes.
    Window("nhwc-to-nchw-1080x1920", RGB, "uint8", np.s_[:], (2, 0, 1), split),
    Window("nhwc-to-nchw-8x224x224x3", (8, 224, 224, 3), "float32", np.s_[:], (0, 3, 1, 2)),
    Window("nhwc-to-nchw-1x56x56x256", (1, 56, 56, 256), "float32", np.s_[:], (0, 3, 1, 2)),
    Window("nchw-to-nhwc-8x3x224x224", (8, 3, 224, 224), "float32", np.s_[:], (0, 2, 3, 1)),
    Window("heads-1x512x12x64", (1, 512, 12, 64), "float32", np.s_[:], (0, 2, 1, 3)),
    Window("transpose-1024x1024", (1024, 1024), "float32", np.s_[:], (1, 0), transpose),
    # Eight dimensions.
    Window("8d-inside", (4, 5, 6, 7, 4, 5, 6, 7), "float32", (np.s_[1:-1],) * 8),
    Window("8d-stride2", (4, 4, 4, 4, 8, 8, 8, 8), "float32", (np.s_[::2],) * 8),
]

FRAME, HOP = 400, 160


def frames_case() -> Case:
    """Overlapping frames of a speech signal: 25 ms every 10 ms at 16 kHz."""
    length = 160_000
    count = 1 + (length - FRAME) // HOP

    def view(x: Array) -> Array:
        return np.lib.stride_tricks.sliding_window_view(x, FRAME)[::HOP]

    def frames_twin(x: Array) -> Array:
        frames: Array = x[np.arange(count)[:, np.newaxis] * HOP + np.arange(FRAME)]
        return frames

    def dmlc_frames(dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
        frames = view(x)
        yield fresh("dmlc.copy(frames)", lambda: dmlc.copy(frames))
        yield into("dmlc.copy(frames, out=out)", lambda: dmlc.copy(frames, out=out))

    def numpy_frames(numpy: Any, x: Array, out: Array) -> Iterator[Call]:
        frames = view(x)

        def copy_into() -> Array:
            numpy.copyto(out, frames)
            return out

        yield fresh("frames.copy()", lambda: frames.copy())
        yield into("np.copyto(out, frames)", copy_into)

    def torch_frames(torch: Any, x: Array, out: Array) -> Iterator[Call]:
        frames, target = torch.from_numpy(x).unfold(0, FRAME, HOP), torch.from_numpy(out)
        packed = torch.contiguous_format
        yield fresh("x.unfold(0, 400, 160).clone()", lambda: frames.clone(memory_format=packed))
        yield into("out.copy_(x.unfold(0, 400, 160))", lambda: target.copy_(frames))

    def jax_frames(jax: Any, x: Array, out: Array) -> Iterator[Call]:
        starts = np.arange(count)[:, np.newaxis] * HOP
        yield jax.call("x[starts + arange(400)]", lambda a: a[starts + np.arange(FRAME)], x)

    def tensorflow_frames(tensorflow: Any, x: Array, out: Array) -> Iterator[Call]:
        source = tensorflow.constant(x)
        yield fresh("tf.signal.frame", lambda: tensorflow.signal.frame(source, FRAME, HOP))

    return Case(
        name="slice/frames-160000/float32",
        operator="slice",
        kind="crop or copy",
        make_input=partial(pattern, (length,), "float32"),
        output_shape=(count, FRAME),
        output_dtype=np.dtype("float32"),
        twin=frames_twin,
        libraries={
            "dmlc": dmlc_frames,
            "numpy": numpy_frames,
            "torch": torch_frames,
            "jax": jax_frames,
            "tensorflow": tensorflow_frames,
        },
        bytes_read=size_of((length,), "float32"),
        bytes_written=size_of((count, FRAME), "float32"),
    )


CASES = [*(window.case() for window in WINDOWS), frames_case()]
