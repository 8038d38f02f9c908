"""One-hot: labels, DNA, segmentation maps, vocabularies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cases.case import (
    Array,
    Call,
    Case,
    UnsupportedError,
    element,
    fresh,
    indices_below,
    into,
    size_of,
)
from peers import Node


@dataclass(frozen=True)
class OneHot:
    """One encoding; `axis` is where the new axis stands in the result, -1 is the end."""

    use: str
    shape: tuple[int, ...]
    index_dtype: str
    depth: int
    dtype: str
    axis: int = -1

    @property
    def place(self) -> int:
        return len(self.shape) if self.axis == -1 else self.axis

    @property
    def output_shape(self) -> tuple[int, ...]:
        return (*self.shape[: self.place], self.depth, *self.shape[self.place :])

    def case(self) -> Case:
        return Case(
            name=f"one_hot/{self.use}/{self.index_dtype}-{self.depth}-{self.dtype}",
            operator="one_hot",
            kind="one-hot",
            make_input=partial(indices_below, self.depth, self.shape, self.index_dtype),
            output_shape=self.output_shape,
            output_dtype=np.dtype(self.dtype),
            twin=partial(twin, self),
            libraries={name: partial(calls, self) for name, calls in LIBRARIES.items()},
            bytes_read=size_of(self.shape, self.index_dtype),
            bytes_written=size_of(self.output_shape, self.dtype),
        )


def twin(p: OneHot, x: Array) -> Array:
    from dmlc.reference.one_hot import one_hot

    dtype = np.dtype(p.dtype)
    result: Array = one_hot(x, p.depth, p.place, element(1, dtype), element(0, dtype))
    return result


def dmlc_calls(p: OneHot, dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    depth, axis, dtype = p.depth, p.axis, np.dtype(p.dtype)
    yield fresh(
        "dmlc.one_hot(x, depth)",
        lambda: dmlc.one_hot(x, depth, axis=axis, dtype=dtype),
    )
    yield into(
        "dmlc.one_hot(x, depth, out=out)",
        lambda: dmlc.one_hot(x, depth, axis=axis, dtype=dtype, out=out),
    )


def numpy_calls(p: OneHot, numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    if p.place == x.ndim and p.depth <= 128:
        table = numpy.eye(p.depth, dtype=p.dtype)
        yield fresh("eye[x]", lambda: table[x])
        yield into(
            "np.take(eye, x, 0, out=out)",
            lambda: numpy.take(table, x, 0, out=out, mode="clip"),
        )

    index, shape, place = numpy.expand_dims(x, p.place), p.output_shape, p.place

    def scatter(target: Array) -> Array:
        numpy.put_along_axis(target, index, 1, place)
        return target

    def scatter_into() -> Array:
        out[...] = 0
        return scatter(out)

    yield fresh(
        "np.put_along_axis(np.zeros(shape), x, 1, axis)",
        lambda: scatter(numpy.zeros(shape, p.dtype)),
    )
    yield into("out[...] = 0; np.put_along_axis(out, x, 1, axis)", scatter_into)

    if p.depth <= 128:
        classes = numpy.arange(p.depth, dtype=x.dtype)
        classes = classes.reshape(-1, *(1,) * (x.ndim - p.place))
        yield fresh("(x == classes).astype(dtype)", lambda: (index == classes).astype(p.dtype))


def torch_calls(p: OneHot, torch: Any, x: Array, out: Array) -> Iterator[Call]:
    target = torch.from_numpy(out)
    index, shape, place = torch.from_numpy(x).unsqueeze(p.place), p.output_shape, p.place

    def scatter(zeros: Any) -> Any:
        return zeros.scatter_(place, index.to(torch.int64), 1)

    def one_hot() -> Any:
        wide = index.squeeze(p.place).to(torch.int64)
        encoded = torch.nn.functional.one_hot(wide, p.depth).movedim(-1, p.place)
        return encoded.to(target.dtype, memory_format=torch.contiguous_format)

    yield fresh(
        "torch.zeros(shape).scatter_(axis, x, 1)",
        lambda: scatter(torch.zeros(shape, dtype=target.dtype)),
    )
    yield into("out.zero_().scatter_(axis, x, 1)", lambda: scatter(target.zero_()))
    if p.depth <= 128:
        classes = torch.arange(p.depth, dtype=index.dtype)
        classes = classes.reshape(-1, *(1,) * (x.ndim - p.place))
        yield fresh("F.one_hot(x, depth).to(dtype)", one_hot)
        yield fresh("(x == classes).to(dtype)", lambda: (index == classes).to(target.dtype))
        yield into("torch.eq(x, classes, out=out)", lambda: torch.eq(index, classes, out=target))


def onnxruntime_calls(p: OneHot, onnxruntime: Any, x: Array, out: Array) -> Iterator[Call]:
    # OneHot knows few types: others are cast around it.
    index = p.index_dtype if p.index_dtype in ("int32", "int64") else "int64"
    value = p.dtype if p.dtype in ("float32", "int64") else "float32"
    constants = (np.array([p.depth], index), np.array([0, 1], value))
    nodes = [
        *([onnxruntime.cast(index)] if index != p.index_dtype else []),
        Node("OneHot", constants, {"axis": p.axis}),
        *([onnxruntime.cast(p.dtype)] if value != p.dtype else []),
    ]
    yield from onnxruntime.calls(x, out, *nodes)


def opencv_calls(p: OneHot, cv2: Any, x: Array, out: Array) -> Iterator[Call]:
    raise UnsupportedError("OpenCV has no one-hot encoding")


def jax_calls(p: OneHot, jax: Any, x: Array, out: Array) -> Iterator[Call]:
    yield jax.call(
        "jax.nn.one_hot(x, depth)",
        lambda a: jax.nn.one_hot(a, p.depth, axis=p.axis, dtype=p.dtype),
        x,
    )


def tensorflow_calls(p: OneHot, tensorflow: Any, x: Array, out: Array) -> Iterator[Call]:
    source = tensorflow.constant(x)
    yield fresh(
        "tf.one_hot(x, depth)",
        lambda: tensorflow.one_hot(source, p.depth, axis=p.axis, dtype=p.dtype),
    )


def openvino_calls(p: OneHot, openvino: Any, x: Array, out: Array) -> Iterator[Call]:
    on, off = (element(value, out.dtype) for value in (1, 0))
    depth = np.int64(p.depth)
    yield from openvino.calls(
        x, out, lambda ops, node: ops.one_hot(node, depth, on, off, axis=p.axis)
    )


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

ONE_HOTS = [
    OneHot("tiny-4", (4,), "int64", 4, "float32"),
    # One sample, or a few, at a time.
    OneHot("labels-32", (32,), "int64", 10, "float32"),
    OneHot("dna-100", (100,), "uint8", 4, "float32"),
    OneHot("chess-8x8", (8, 8), "uint8", 13, "float32", axis=0),
    OneHot("labels-64", (64,), "int64", 100, "float32"),
    # Labels.
    OneHot("labels-256", (256,), "int64", 1000, "float32"),
    OneHot("labels-60000", (60_000,), "int64", 10, "float32"),
    OneHot("labels-10000", (10_000,), "int64", 10, "bool"),
    OneHot("labels-50000", (50_000,), "int64", 100, "float32"),
    OneHot("days-1000", (1000,), "int32", 365, "float64"),
    # Sequences.
    OneHot("dna-32x4096", (32, 4096), "uint8", 4, "float32"),
    OneHot("dna-1x196608", (1, 196_608), "int8", 4, "float32"),
    OneHot("dna-channels-32x1024", (32, 1024), "uint8", 4, "uint8", axis=1),
    OneHot("protein-64x512", (64, 512), "int32", 21, "float32"),
    # Segmentation maps, classes first and last.
    OneHot("classes-first-64x64", (1, 64, 64), "int32", 19, "float32", axis=1),
    OneHot("classes-first-512x512", (1, 512, 512), "int32", 19, "float32", axis=1),
    OneHot("classes-first-8x256x256", (8, 256, 256), "int64", 21, "float32", axis=1),
    OneHot("classes-first-1024x2048", (1, 1024, 2048), "uint8", 19, "uint8", axis=1),
    OneHot("classes-first-128x128x128", (1, 128, 128, 128), "uint8", 4, "float32", axis=1),
    OneHot("classes-last-4x256x256", (4, 256, 256), "int64", 2, "float32"),
    OneHot("classes-last-512x512", (1, 512, 512), "uint8", 8, "float16"),
    # Experts and vocabularies.
    OneHot("experts-4096", (4096,), "int32", 64, "float32"),
    OneHot("experts-4096x2", (4096, 2), "int64", 8, "int64"),
    OneHot("vocabulary-64", (1, 64), "int64", 50_257, "float32"),
    OneHot("vocabulary-4x64", (4, 64), "int64", 128_256, "float16"),
    OneHot("vocabulary-8x128", (8, 128), "int64", 32_000, "float32"),
]

CASES = [one_hot.case() for one_hot in ONE_HOTS]
