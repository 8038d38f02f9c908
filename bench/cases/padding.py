"""Padding: network layers, image borders, audio, volumes, tokens, periodic continuation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cases.case import Array, Call, Case, UnsupportedError, element, fresh, into, pattern, size_of
from peers import Node

Widths = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Padding:
    """One padding, as `np.pad` would be called."""

    use: str
    shape: tuple[int, ...]
    dtype: str
    widths: Widths
    mode: str = "constant"
    value: float = 0

    @property
    def output_shape(self) -> tuple[int, ...]:
        return tuple(n + sum(w) for n, w in zip(self.shape, self.widths, strict=True))

    @property
    def inner(self) -> tuple[slice, ...]:
        """Where the input stands in the output."""
        return tuple(slice(w[0], w[0] + n) for n, w in zip(self.shape, self.widths, strict=True))

    @property
    def padded_axes(self) -> list[int]:
        return [axis for axis, width in enumerate(self.widths) if width != (0, 0)]

    def call_of(self, pad: Callable[..., Any], x: Any) -> Callable[[], Any]:
        """`pad` of a library that has NumPy's, written out: to build arguments takes as long as a small pad."""
        widths, mode, value = self.widths, self.mode, self.value
        if mode == "constant":
            return lambda: pad(x, widths, constant_values=value)
        return lambda: pad(x, widths, mode)

    def case(self) -> Case:
        return Case(
            name=f"padding/{self.use}/{self.mode}-{self.dtype}",
            operator="padding",
            kind="pad with a value" if self.mode == "constant" else "pad, mirrored or repeated",
            make_input=partial(pattern, self.shape, self.dtype),
            output_shape=self.output_shape,
            output_dtype=np.dtype(self.dtype),
            twin=partial(twin, self),
            libraries={name: partial(calls, self) for name, calls in LIBRARIES.items()},
            bytes_read=size_of(self.shape, self.dtype),
            bytes_written=size_of(self.output_shape, self.dtype),
        )


def twin(p: Padding, x: Array) -> Array:
    from dmlc.reference.padding import pad

    result: Array = pad(x, p.widths, p.mode, element(p.value, x.dtype))
    return result


def dmlc_calls(p: Padding, dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    pad, w, mode, value = dmlc.pad, p.widths, p.mode, p.value
    yield fresh("dmlc.pad(x, w)", p.call_of(pad, x))
    if mode == "constant":
        yield into("dmlc.pad(x, w, out=out)", lambda: pad(x, w, constant_values=value, out=out))
    else:
        yield into("dmlc.pad(x, w, out=out)", lambda: pad(x, w, mode, out=out))


def numpy_calls(p: Padding, numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    yield fresh("np.pad(x, w)", p.call_of(numpy.pad, x))
    if p.mode == "constant":
        value, inner = p.value, p.inner

        def fill_and_copy() -> Array:
            out[...] = value
            out[inner] = x
            return out

        yield into("out[...] = value; out[inner] = x", fill_and_copy)
        return

    # np.pad takes no out=: the nearest thing is to gather by index tables made beforehand.
    *first, last = [
        (numpy.pad(numpy.arange(p.shape[axis]), p.widths[axis], p.mode), axis)
        for axis in p.padded_axes
    ]

    def take() -> Any:
        taken = x
        for table, axis in first:
            taken = taken.take(table, axis)
        return taken.take(*last, out=out, mode="clip")

    yield into("x.take(rows, 0).take(columns, 1, out=out)", take)


TORCH_MODES = {"edge": "replicate", "reflect": "reflect", "wrap": "circular"}
TORCH_OUT = {"edge": "replication_pad", "reflect": "reflection_pad"}


def torch_calls(p: Padding, torch: Any, x: Array, out: Array) -> Iterator[Call]:
    pad = torch.nn.functional.pad
    source, target = torch.from_numpy(x), torch.from_numpy(out)
    if p.mode == "constant":
        flat = [side for width in reversed(p.widths) for side in width]
        inner, value = target[p.inner], p.value

        def fill_and_copy() -> Any:
            target.fill_(value)
            inner.copy_(source)
            return target

        yield fresh("F.pad(x, w)", lambda: pad(source, flat, value=value))
        yield into("out.fill_(value); out[inner].copy_(x)", fill_and_copy)
        return

    if p.mode not in TORCH_MODES:
        raise UnsupportedError(f"torch.nn.functional.pad has no mode {p.mode!r}")
    if len(p.padded_axes) > 3:
        raise UnsupportedError("torch.nn.functional.pad mirrors at most 3 axes")

    # PyTorch mirrors the last axes only: (N, H, W, C) goes in as a view (N, C, H, W) of the same
    # memory, which PyTorch knows as channels_last, and comes back the same way.
    others = [axis for axis in range(x.ndim) if axis not in p.padded_axes]
    order = others + p.padded_axes
    back = np.argsort(order).tolist()

    def as_batch(tensor: Any) -> Any:
        view = tensor.permute(order)
        return view if others else view.unsqueeze(0)

    def from_batch(tensor: Any) -> Any:
        view = tensor if others else tensor.squeeze(0)
        return view.permute(back).contiguous()

    batch = as_batch(source)
    flat = [side for axis in reversed(p.padded_axes) for side in p.widths[axis]]
    mode = TORCH_MODES[p.mode]
    yield fresh(f"F.pad(x, w, {mode!r})", lambda: from_batch(pad(batch, flat, mode)))

    if p.mode in TORCH_OUT:
        name = f"{TORCH_OUT[p.mode]}{len(p.padded_axes)}d"
        pad_into = getattr(torch._C._nn, name)
        target_batch = as_batch(target)

        def write() -> Any:
            pad_into(batch, flat, out=target_batch)
            return target

        yield into(f"{name}(x, w, out=out)", write)


def onnxruntime_calls(p: Padding, onnxruntime: Any, x: Array, out: Array) -> Iterator[Call]:
    if p.mode == "symmetric":
        raise UnsupportedError("ONNX Pad has no mode 'symmetric'")
    pads = np.array([w[0] for w in p.widths] + [w[1] for w in p.widths], np.int64)
    constants = (pads, element(p.value, x.dtype)) if p.mode == "constant" else (pads,)
    yield from onnxruntime.calls(x, out, Node("Pad", constants, {"mode": p.mode}))


def opencv_calls(p: Padding, cv2: Any, x: Array, out: Array) -> Iterator[Call]:
    leading = len(p.shape) - 3 if len(p.shape) > 2 else 0
    if p.shape[:leading] != (1,) * leading:
        raise UnsupportedError("OpenCV knows single images only")
    image, target = x.reshape(x.shape[leading:]), out.reshape(out.shape[leading:])
    if image.ndim == 1:
        image, target = image[np.newaxis], target[np.newaxis]
    widths = ((0, 0),) * (image.ndim - len(p.widths)) + p.widths[-image.ndim :]

    if widths == ((0, 0), (0, 0), (0, 1)) and image.shape[-1] == 3:
        code = cv2.COLOR_RGB2RGBA
        yield fresh("cv2.cvtColor(x, RGB2RGBA)", lambda: cv2.cvtColor(image, code))

        def convert() -> Array:
            cv2.cvtColor(image, code, dst=target)
            return out

        yield into("cv2.cvtColor(x, RGB2RGBA, dst=out)", convert)
        return

    if widths[2:] not in ((), ((0, 0),)):
        raise UnsupportedError("cv2.copyMakeBorder pads rows and columns only")
    border = {
        "constant": cv2.BORDER_CONSTANT,
        "edge": cv2.BORDER_REPLICATE,
        "reflect": cv2.BORDER_REFLECT_101,
        "symmetric": cv2.BORDER_REFLECT,
        "wrap": cv2.BORDER_WRAP,
    }[p.mode]
    arguments = (image, *widths[0], *widths[1], border)
    value = (p.value,) * 4

    def make() -> Any:
        return cv2.copyMakeBorder(*arguments, value=value).reshape(out.shape)

    def write() -> Array:
        cv2.copyMakeBorder(*arguments, dst=target, value=value)
        return out

    yield fresh("cv2.copyMakeBorder(x, ...)", make)
    yield into("cv2.copyMakeBorder(x, ..., dst=out)", write)


def jax_calls(p: Padding, jax: Any, x: Array, out: Array) -> Iterator[Call]:
    yield jax.call("jnp.pad(x, w)", lambda a: p.call_of(jax.numpy.pad, a)(), x)


def tensorflow_calls(p: Padding, tensorflow: Any, x: Array, out: Array) -> Iterator[Call]:
    if p.mode not in ("constant", "reflect", "symmetric"):
        raise UnsupportedError(f"tf.pad has no mode {p.mode!r}")
    source, value = tensorflow.constant(x), x.dtype.type(p.value)
    yield fresh(
        "tf.pad(x, w)",
        lambda: tensorflow.pad(source, p.widths, p.mode.upper(), constant_values=value),
    )


def openvino_calls(p: Padding, openvino: Any, x: Array, out: Array) -> Iterator[Call]:
    if p.mode == "wrap":
        raise UnsupportedError("OpenVINO Pad has no mode 'wrap'")
    begins, ends = (np.array(side, np.int64) for side in zip(*p.widths, strict=True))
    value = element(p.value, x.dtype) if p.mode == "constant" else None
    yield from openvino.calls(x, out, lambda ops, node: ops.pad(node, begins, ends, p.mode, value))


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


def nchw(pad: int) -> Widths:
    return ((0, 0), (0, 0), (pad, pad), (pad, pad))


def nhwc(pad: int) -> Widths:
    return ((0, 0), (pad, pad), (pad, pad), (0, 0))


def border(pad: int) -> Widths:
    return ((pad, pad), (pad, pad), (0, 0))


def around(pad: int, axes: int) -> Widths:
    return ((pad, pad),) * axes


ALPHA: Widths = ((0, 0), (0, 0), (0, 1))

PADDINGS = [
    Padding("tiny-16", (16,), "uint8", around(2, 1)),
    Padding("tiny-4x4", (4, 4), "float32", around(1, 2)),
    Padding("tiny-4x4", (4, 4), "float32", around(1, 2), "reflect"),
    # One sample at a time.
    Padding("tokens-1x100", (1, 100), "int64", ((0, 0), (0, 28))),
    Padding("board-19x19", (19, 19), "int8", around(2, 2), "edge"),
    Padding("patch-16x16x3", (16, 16, 3), "uint8", border(1), "reflect"),
    Padding("digit-28x28", (28, 28), "float32", around(2, 2)),
    Padding("frame-400", (400,), "float32", around(56, 1), "reflect"),
    Padding("nchw-1x8x14x14", (1, 8, 14, 14), "float32", nchw(1)),
    Padding("nhwc-1x8x8x64", (1, 8, 8, 64), "float16", nhwc(1)),
    # Network layers, channels first.
    Padding("nchw-1x3x224x224", (1, 3, 224, 224), "float32", nchw(3)),
    Padding("nchw-1x512x7x7", (1, 512, 7, 7), "float32", nchw(1)),
    Padding("nchw-8x64x56x56", (8, 64, 56, 56), "float32", nchw(1)),
    Padding("nchw-32x64x56x56", (32, 64, 56, 56), "float32", nchw(1)),
    Padding("nchw-16x64x224x224", (16, 64, 224, 224), "float32", nchw(1)),
    Padding("nchw-1x3x256x256", (1, 3, 256, 256), "float32", nchw(3), "reflect"),
    Padding("nchw-1x256x64x64", (1, 256, 64, 64), "float32", nchw(1), "reflect"),
    Padding("nchw-1x64x128x128", (1, 64, 128, 128), "float32", nchw(1), "edge"),
    Padding("nchw-1x64x128x128", (1, 64, 128, 128), "float32", nchw(2), "symmetric"),
    Padding("nchw-1x64x128x128", (1, 64, 128, 128), "float32", nchw(1), "wrap"),
    Padding("nchw-8x128x28x28", (8, 128, 28, 28), "float16", nchw(1)),
    Padding("nchw-1x256x64x64", (1, 256, 64, 64), "float16", nchw(1), "reflect"),
    # Network layers, channels last.
    Padding("nhwc-1x224x224x3", (1, 224, 224, 3), "float32", nhwc(3)),
    Padding("nhwc-8x56x56x64", (8, 56, 56, 64), "float32", nhwc(1)),
    Padding("nhwc-8x224x224x3", (8, 224, 224, 3), "uint8", nhwc(3)),
    Padding("nhwc-1x112x112x32", (1, 112, 112, 32), "int8", nhwc(1), value=-128),
    Padding("nhwc-1x256x256x64", (1, 256, 256, 64), "float32", nhwc(1), "reflect"),
    Padding("nhwc-1x56x56x256", (1, 56, 56, 256), "float16", nhwc(1), "edge"),
    # Image borders.
    *(
        Padding("image-480x640x3", (480, 640, 3), "uint8", border(16), mode)
        for mode in ("constant", "edge", "reflect", "symmetric", "wrap")
    ),
    Padding("image-64x64x3", (64, 64, 3), "uint8", border(4), "reflect"),
    Padding("image-1080x1920x3", (1080, 1920, 3), "uint8", border(32), "reflect"),
    Padding("image-2160x3840x3", (2160, 3840, 3), "uint8", border(64)),
    Padding("image-8192x8192x3", (8192, 8192, 3), "uint8", border(32), "reflect"),
    Padding("gray-1080x1920", (1080, 1920), "uint8", around(8, 2), "symmetric"),
    Padding("scan-1024x1024", (1024, 1024), "uint16", around(15, 2), "reflect"),
    Padding("rgba-480x640", (480, 640, 3), "uint8", ALPHA, value=255),
    Padding("rgba-1080x1920", (1080, 1920, 3), "uint8", ALPHA, value=255),
    Padding("rgba-512x512", (512, 512, 3), "float32", ALPHA, value=1),
    # Audio.
    Padding("audio-1x16000", (1, 16_000), "float32", ((0, 0), (200, 200)), "reflect"),
    Padding("audio-16x160000", (16, 160_000), "float32", ((0, 0), (256, 256)), "reflect"),
    Padding("audio-8x441000", (8, 441_000), "int16", ((0, 0), (0, 39_000))),
    # Volumes.
    Padding("volume-64", (64, 64, 64), "float32", around(4, 3), "edge"),
    Padding("volume-1x1x96", (1, 1, 96, 96, 96), "float32", ((0, 0), (0, 0), *around(1, 3))),
    Padding("volume-128", (128, 128, 128), "uint8", around(8, 3), "symmetric"),
    Padding("volume-160x192x160", (160, 192, 160), "int16", around(8, 3), "reflect"),
    # Token batches.
    Padding("tokens-32x384", (32, 384), "int64", ((0, 0), (0, 128))),
    Padding("tokens-8x2000", (8, 2000), "int32", ((0, 0), (48, 0)), value=1),
    Padding("embeddings-64x100x768", (64, 100, 768), "float32", ((0, 0), (0, 28), (0, 0))),
    # Periodic continuation, also far beyond the input.
    Padding("halo-64", (64, 64, 64), "float64", around(1, 3), "wrap"),
    Padding("halo-1000x1000", (1000, 1000), "float64", around(12, 2), "wrap"),
    Padding("period-8x8", (8, 8), "float32", around(60, 2), "wrap"),
    Padding("period-16x16x3", (16, 16, 3), "uint8", border(248), "wrap"),
    Padding("period-7", (7,), "float64", around(10_000, 1), "reflect"),
    Padding("period-5x5", (5, 5), "float32", around(100, 2), "symmetric"),
    Padding("fft-1024x1024", (1024, 1024), "complex128", ((0, 1024), (0, 1024))),
]

CASES = [padding.case() for padding in PADDINGS]
