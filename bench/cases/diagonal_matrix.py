"""Diagonal matrices: identities, triangles, causal masks, bands, batches of small matrices.

With d = column - row, the value stands where begin <= d < end; begin > end fills the complement.
"""

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
    into,
    no_input,
    pattern,
    size_of,
)
from peers import Node

LOWEST, HIGHEST = -(2**31), 2**31 - 1


def kept(shape: tuple[int, ...], begin: int, end: int) -> Array:
    """True where a band leaves a matrix of this shape as it is."""
    rows, columns = shape[-2:]
    d = np.arange(columns, dtype=np.int32) - np.arange(rows, dtype=np.int32)[:, np.newaxis]
    inside = (d >= min(begin, end)) & (d < max(begin, end))
    return inside if begin > end else ~inside


def kept_fraction(shape: tuple[int, ...], begin: int, end: int) -> float:
    """`kept(...).mean()`, without the mask."""
    rows, columns = shape[-2:]
    row = np.arange(rows)
    first, last = (np.clip(row + side, 0, columns) for side in (min(begin, end), max(begin, end)))
    inside = float((last - first).sum()) / (rows * columns)
    return inside if begin > end else 1 - inside


# ------------------------------------------------------------------------------------ generators


@dataclass(frozen=True)
class Generated:
    """Matrices of 1 in a band and 0 elsewhere, made from nothing."""

    use: str
    shape: tuple[int, ...]
    dtype: str
    begin: int = 0
    end: int = 1

    @property
    def diagonals(self) -> range | None:
        """The diagonals to set one by one, where they are few."""
        return range(self.begin, self.end) if self.end - self.begin <= 64 else None

    @property
    def is_triangle(self) -> bool:
        return self.begin == LOWEST

    @property
    def is_eye(self) -> bool:
        return len(self.shape) == 2 and self.end == self.begin + 1

    def case(self) -> Case:
        return Case(
            name=f"diagonal_matrix/{self.use}/{self.dtype}",
            operator="diagonal_matrix",
            kind="identity or mask",
            make_input=no_input,
            output_shape=self.shape,
            output_dtype=np.dtype(self.dtype),
            twin=partial(generated_twin, self),
            libraries={name: partial(calls, self) for name, calls in GENERATED.items()},
            bytes_read=0,
            bytes_written=size_of(self.shape, self.dtype),
        )


def generated_twin(p: Generated, x: Array) -> Array:
    from dmlc.reference.diagonal_matrix import diagonal_matrix

    result: Array = diagonal_matrix(p.shape, p.begin, p.end, element(1, np.dtype(p.dtype)))
    return result


def dmlc_generated(p: Generated, dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    dtype = np.dtype(p.dtype)
    if p.is_eye:
        n, m = p.shape
        yield fresh("dmlc.eye(n, m)", lambda: dmlc.eye(n, m, p.begin, dtype=dtype))
        yield into("dmlc.eye(n, m, out=out)", lambda: dmlc.eye(n, m, p.begin, dtype=dtype, out=out))
    elif p.is_triangle and len(p.shape) == 2:
        n, m = p.shape
        yield fresh("dmlc.tri(n, m)", lambda: dmlc.tri(n, m, p.end - 1, dtype=dtype))
        yield into(
            "dmlc.tri(n, m, out=out)", lambda: dmlc.tri(n, m, p.end - 1, dtype=dtype, out=out)
        )
    else:
        yield fresh(
            "dmlc.diagonal_matrix(shape, begin, end)",
            lambda: dmlc.diagonal_matrix(p.shape, p.begin, p.end, dtype=dtype),
        )
        yield into(
            "dmlc.diagonal_matrix(shape, begin, end, out=out)",
            lambda: dmlc.diagonal_matrix(p.shape, p.begin, p.end, dtype=dtype, out=out),
        )


def diagonal_view(matrices: Array, k: int) -> Array:
    """The k-th diagonals of a stack of matrices, writable."""
    right, down = max(k, 0), max(-k, 0)
    part = matrices[..., down:, right:]
    n = min(part.shape[-2:])
    diagonals: Array = np.einsum("...ii->...i", part[..., :n, :n])
    return diagonals


def numpy_generated(p: Generated, numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    n, m = p.shape[-2:]
    diagonals = p.diagonals
    if p.is_eye:
        yield fresh("np.eye(n, m)", lambda: numpy.eye(n, m, p.begin, p.dtype))
    if p.is_triangle:
        k = p.end - 1
        yield fresh("np.tri(n, m)", lambda: numpy.tri(n, m, k, p.dtype))

        def triangle() -> Array:
            numpy.copyto(out, numpy.tri(n, m, k, bool))
            return out

        yield into("np.copyto(out, np.tri(n, m, dtype=bool))", triangle)
    elif diagonals is not None:

        def set_diagonals(matrices: Array) -> Array:
            for k in diagonals:
                diagonal_view(matrices, k)[...] = 1
            return matrices

        def clear_and_set() -> Array:
            out[...] = 0
            return set_diagonals(out)

        yield fresh(
            "np.zeros(shape), diagonals = 1", lambda: set_diagonals(numpy.zeros(p.shape, p.dtype))
        )
        yield into("out[...] = 0, diagonals = 1", clear_and_set)
    else:
        yield fresh(
            "np.tri(n, m, end - 1) - np.tri(n, m, begin - 1)",
            lambda: numpy.tri(n, m, p.end - 1, p.dtype) - numpy.tri(n, m, p.begin - 1, p.dtype),
        )


def torch_generated(p: Generated, torch: Any, x: Array, out: Array) -> Iterator[Call]:
    target = torch.from_numpy(out)
    dtype, diagonals = target.dtype, p.diagonals
    if p.is_eye and p.begin == 0:
        n, m = p.shape
        yield fresh("torch.eye(n, m)", lambda: torch.eye(n, m, dtype=dtype))
        yield into("torch.eye(n, m, out=out)", lambda: torch.eye(n, m, out=target))
    elif p.is_triangle:
        k = p.end - 1
        yield fresh("torch.ones(shape).tril_(k)", lambda: torch.ones(p.shape, dtype=dtype).tril_(k))
        yield into("out.fill_(1).tril_(k)", lambda: target.fill_(1).tril_(k))
    elif diagonals is not None:

        def set_diagonals(matrices: Any) -> Any:
            for k in diagonals:
                matrices.diagonal(k, -2, -1).fill_(1)
            return matrices

        yield fresh(
            "torch.zeros(shape), diagonals = 1",
            lambda: set_diagonals(torch.zeros(p.shape, dtype=dtype)),
        )
        yield into("out.zero_(), diagonals = 1", lambda: set_diagonals(target.zero_()))
    else:
        yield fresh(
            "torch.ones(shape).tril_(end - 1).triu_(begin)",
            lambda: torch.ones(p.shape, dtype=dtype).tril_(p.end - 1).triu_(p.begin),
        )
        yield into(
            "out.fill_(1).tril_(end - 1).triu_(begin)",
            lambda: target.fill_(1).tril_(p.end - 1).triu_(p.begin),
        )


def onnxruntime_generated(p: Generated, onnxruntime: Any, x: Array, out: Array) -> Iterator[Call]:
    if not p.is_eye:
        raise UnsupportedError("ONNX EyeLike makes one diagonal of one matrix")
    yield from onnxruntime.calls(
        np.zeros_like(out), out, Node("EyeLike", attributes={"k": p.begin})
    )


def opencv_generated(p: Generated, cv2: Any, x: Array, out: Array) -> Iterator[Call]:
    if not (p.is_eye and p.begin == 0):
        raise UnsupportedError("cv2.setIdentity makes the main diagonal of one matrix")
    yield into("cv2.setIdentity(out)", lambda: cv2.setIdentity(out))


def jax_generated(p: Generated, jax: Any, x: Array, out: Array) -> Iterator[Call]:
    def band() -> Any:
        rows = jax.lax.broadcasted_iota(np.int32, p.shape, len(p.shape) - 2)
        columns = jax.lax.broadcasted_iota(np.int32, p.shape, len(p.shape) - 1)
        d = columns - rows
        return ((d >= p.begin) & (d < p.end)).astype(p.dtype)

    yield jax.call("(begin <= d) & (d < end)", band)


def tensorflow_generated(p: Generated, tensorflow: Any, x: Array, out: Array) -> Iterator[Call]:
    if (p.begin, p.end) != (0, 1):
        raise UnsupportedError("tf.eye makes the main diagonal")
    *batch, n, m = p.shape
    yield fresh("tf.eye(n, m)", lambda: tensorflow.eye(n, m, batch or None, dtype=p.dtype))


def openvino_generated(p: Generated, openvino: Any, x: Array, out: Array) -> Iterator[Call]:
    raise UnsupportedError("an OpenVINO Eye of constant size is a stored constant")


GENERATED = {
    "dmlc": dmlc_generated,
    "numpy": numpy_generated,
    "torch": torch_generated,
    "onnxruntime": onnxruntime_generated,
    "opencv": opencv_generated,
    "jax": jax_generated,
    "tensorflow": tensorflow_generated,
    "openvino": openvino_generated,
}


# ------------------------------------------------------------------------- triangles of an input


@dataclass(frozen=True)
class Triangle:
    """`np.tril(x, k)` or `np.triu(x, k)`."""

    use: str
    shape: tuple[int, ...]
    dtype: str
    function: str = "tril"
    k: int = 0

    @property
    def cleared(self) -> tuple[int, int]:
        """The band that becomes 0."""
        return (self.k + 1, HIGHEST) if self.function == "tril" else (LOWEST, self.k)

    def case(self) -> Case:
        fraction = kept_fraction(self.shape, *self.cleared)
        nbytes = size_of(self.shape, self.dtype)
        return Case(
            name=f"diagonal_matrix/{self.use}/{self.dtype}",
            operator="diagonal_matrix",
            kind="triangle or band of an input",
            make_input=partial(pattern, self.shape, self.dtype),
            output_shape=self.shape,
            output_dtype=np.dtype(self.dtype),
            twin=partial(triangle_twin, self),
            libraries={name: partial(calls, self) for name, calls in TRIANGLE.items()},
            bytes_read=int(nbytes * fraction),
            bytes_written=nbytes,
        )


def triangle_twin(p: Triangle, x: Array) -> Array:
    from dmlc.reference.diagonal_matrix import fill_band

    result: Array = fill_band(x, *p.cleared, element(0, x.dtype))
    return result


def dmlc_triangle(p: Triangle, dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    function = getattr(dmlc, p.function)
    yield fresh(f"dmlc.{p.function}(x, k)", lambda: function(x, p.k))
    yield into(f"dmlc.{p.function}(x, k, out=out)", lambda: function(x, p.k, out=out))


def numpy_triangle(p: Triangle, numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    function = getattr(numpy, p.function)
    mask = kept(p.shape, *p.cleared)

    def copy_kept() -> Array:
        out[...] = 0
        numpy.copyto(out, x, where=mask)
        return out

    yield fresh(f"np.{p.function}(x, k)", lambda: function(x, p.k))
    yield fresh("np.where(mask, x, 0)", lambda: numpy.where(mask, x, x.dtype.type(0)))
    yield into("out[...] = 0; np.copyto(out, x, where=mask)", copy_kept)


def torch_triangle(p: Triangle, torch: Any, x: Array, out: Array) -> Iterator[Call]:
    function = getattr(torch, p.function)
    source, target = torch.from_numpy(x), torch.from_numpy(out)
    yield fresh(f"torch.{p.function}(x, k)", lambda: function(source, p.k))
    yield into(f"torch.{p.function}(x, k, out=out)", lambda: function(source, p.k, out=target))


def onnxruntime_triangle(p: Triangle, onnxruntime: Any, x: Array, out: Array) -> Iterator[Call]:
    k, upper = np.array(p.k), int(p.function == "triu")
    yield from onnxruntime.calls(x, out, Node("Trilu", (k,), {"upper": upper}))


def no_opencv(p: Any, cv2: Any, x: Array, out: Array) -> Iterator[Call]:
    raise UnsupportedError("OpenCV has no triangles or bands")


def jax_triangle(p: Triangle, jax: Any, x: Array, out: Array) -> Iterator[Call]:
    function = getattr(jax.numpy, p.function)
    yield jax.call(f"jnp.{p.function}(x, k)", lambda a: function(a, p.k), x)


def tensorflow_triangle(p: Triangle, tensorflow: Any, x: Array, out: Array) -> Iterator[Call]:
    if p.k != 0:
        raise UnsupportedError("tf.linalg.band_part cannot exclude the main diagonal")
    source, limits = tensorflow.constant(x), (-1, 0) if p.function == "tril" else (0, -1)
    yield fresh("tf.linalg.band_part(x)", lambda: tensorflow.linalg.band_part(source, *limits))


def openvino_triangle(p: Triangle, openvino: Any, x: Array, out: Array) -> Iterator[Call]:
    mask, zero = kept(p.shape, *p.cleared), element(0, x.dtype)
    yield from openvino.calls(x, out, lambda ops, node: ops.select(mask, node, zero))


TRIANGLE = {
    "dmlc": dmlc_triangle,
    "numpy": numpy_triangle,
    "torch": torch_triangle,
    "onnxruntime": onnxruntime_triangle,
    "opencv": no_opencv,
    "jax": jax_triangle,
    "tensorflow": tensorflow_triangle,
    "openvino": openvino_triangle,
}


# ----------------------------------------------------------------------------------- causal masks


@dataclass(frozen=True)
class CausalMask:
    """-inf where an attention score is hidden: j > i, or j <= i - window."""

    use: str
    n: int
    dtype: str
    window: int | None = None

    def case(self) -> Case:
        return Case(
            name=f"diagonal_matrix/{self.use}/{self.dtype}",
            operator="diagonal_matrix",
            kind="identity or mask",
            make_input=no_input,
            output_shape=(self.n, self.n),
            output_dtype=np.dtype(self.dtype),
            twin=partial(causal_twin, self),
            libraries={name: partial(calls, self) for name, calls in CAUSAL.items()},
            bytes_read=0,
            bytes_written=size_of((self.n, self.n), self.dtype),
        )


def causal_twin(p: CausalMask, x: Array) -> Array:
    from dmlc.reference.diagonal_matrix import causal_mask

    result: Array = causal_mask(p.n, p.n, p.window, element(-np.inf, np.dtype(p.dtype)))
    return result


def dmlc_causal(p: CausalMask, dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    dtype = np.dtype(p.dtype)
    yield fresh("dmlc.causal_mask(n)", lambda: dmlc.causal_mask(p.n, window=p.window, dtype=dtype))
    yield into(
        "dmlc.causal_mask(n, out=out)",
        lambda: dmlc.causal_mask(p.n, window=p.window, dtype=dtype, out=out),
    )


def numpy_causal(p: CausalMask, numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    hidden = numpy.dtype(p.dtype).type(-numpy.inf)
    zero = numpy.dtype(p.dtype).type(0)

    def seen() -> Array:
        mask: Array = numpy.tri(p.n, dtype=bool)
        if p.window is not None:
            mask &= ~numpy.tri(p.n, k=-p.window, dtype=bool)
        return mask

    def write() -> Array:
        out[...] = hidden
        numpy.copyto(out, zero, where=seen())
        return out

    yield fresh("np.where(np.tri(n), 0, -inf)", lambda: numpy.where(seen(), zero, hidden))
    if p.window is None:
        yield fresh(
            "np.triu(np.full((n, n), -inf), 1)",
            lambda: numpy.triu(numpy.full((p.n, p.n), hidden), 1),
        )
    yield into("out[...] = -inf; np.copyto(out, 0, where=np.tri(n))", write)


def torch_causal(p: CausalMask, torch: Any, x: Array, out: Array) -> Iterator[Call]:
    target = torch.from_numpy(out)
    dtype, window = target.dtype, p.window

    if window is None:
        yield fresh(
            "torch.full((n, n), -inf).triu_(1)",
            lambda: torch.full((p.n, p.n), -torch.inf, dtype=dtype).triu_(1),
        )
        yield into("out.fill_(-inf).triu_(1)", lambda: target.fill_(-torch.inf).triu_(1))
        return

    def hide(mask: Any) -> Any:
        seen = torch.ones((p.n, p.n), dtype=torch.bool).tril_().triu_(1 - window)
        return mask.masked_fill_(seen, 0)

    yield fresh(
        "torch.full((n, n), -inf).masked_fill_(band, 0)",
        lambda: hide(torch.full((p.n, p.n), -torch.inf, dtype=dtype)),
    )
    yield into("out.fill_(-inf).masked_fill_(band, 0)", lambda: hide(target.fill_(-torch.inf)))


def onnxruntime_causal(p: CausalMask, onnxruntime: Any, x: Array, out: Array) -> Iterator[Call]:
    if p.window is not None:
        raise UnsupportedError("ONNX has no band of a constant")
    full = np.full_like(out, -np.inf)
    yield from onnxruntime.calls(full, out, Node("Trilu", (np.array(1),), {"upper": 1}))


def jax_causal(p: CausalMask, jax: Any, x: Array, out: Array) -> Iterator[Call]:
    def mask() -> Any:
        rows = jax.lax.broadcasted_iota(np.int32, (p.n, p.n), 0)
        columns = jax.lax.broadcasted_iota(np.int32, (p.n, p.n), 1)
        seen = columns <= rows
        if p.window is not None:
            seen &= columns > rows - p.window
        return jax.numpy.where(seen, 0, -np.inf).astype(p.dtype)

    yield jax.call("jnp.where(column <= row, 0, -inf)", mask)


def tensorflow_causal(p: CausalMask, tensorflow: Any, x: Array, out: Array) -> Iterator[Call]:
    dtype = np.dtype(p.dtype).type
    below = -1 if p.window is None else p.window - 1

    def mask() -> Any:
        seen = tensorflow.linalg.band_part(tensorflow.ones((p.n, p.n), bool), below, 0)
        return tensorflow.where(seen, dtype(0), dtype(-np.inf))

    yield fresh("tf.where(tf.linalg.band_part(ones), 0, -inf)", mask)


def openvino_causal(p: CausalMask, openvino: Any, x: Array, out: Array) -> Iterator[Call]:
    raise UnsupportedError("an OpenVINO mask of constant size is a stored constant")


CAUSAL = {
    "dmlc": dmlc_causal,
    "numpy": numpy_causal,
    "torch": torch_causal,
    "onnxruntime": onnxruntime_causal,
    "opencv": no_opencv,
    "jax": jax_causal,
    "tensorflow": tensorflow_causal,
    "openvino": openvino_causal,
}


# ------------------------------------------------------------------------- bands over an input


@dataclass(frozen=True)
class FilledBand:
    """A copy of the input with `value` in the band, or the input itself changed in place.

    Every peer keeps its mask of the band from an earlier call, as a careful user would.
    """

    use: str
    shape: tuple[int, ...]
    dtype: str
    begin: int
    end: int
    value: float
    in_place: bool = False

    def case(self) -> Case:
        fraction = kept_fraction(self.shape, self.begin, self.end)
        nbytes = size_of(self.shape, self.dtype)
        return Case(
            name=f"diagonal_matrix/{self.use}/{self.dtype}",
            operator="diagonal_matrix",
            kind="triangle or band of an input",
            make_input=partial(pattern, self.shape, self.dtype),
            output_shape=self.shape,
            output_dtype=np.dtype(self.dtype),
            twin=partial(band_twin, self),
            libraries={name: partial(calls, self) for name, calls in BAND.items()},
            bytes_read=0 if self.in_place else int(nbytes * fraction),
            bytes_written=int(nbytes * (1 - fraction)) if self.in_place else nbytes,
            in_place=self.in_place,
        )


def band_twin(p: FilledBand, x: Array) -> Array:
    from dmlc.reference.diagonal_matrix import fill_band

    result: Array = fill_band(x, p.begin, p.end, element(p.value, x.dtype))
    return result


def dmlc_band(p: FilledBand, dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    if p.in_place:
        yield into(
            "dmlc.fill_band(x, begin, end, value, out=x)",
            lambda: dmlc.fill_band(out, p.begin, p.end, p.value, out=out),
        )
        return
    yield fresh(
        "dmlc.fill_band(x, begin, end, value)",
        lambda: dmlc.fill_band(x, p.begin, p.end, p.value),
    )
    yield into(
        "dmlc.fill_band(x, begin, end, value, out=out)",
        lambda: dmlc.fill_band(x, p.begin, p.end, p.value, out=out),
    )


def numpy_band(p: FilledBand, numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    value, keep = x.dtype.type(p.value), kept(p.shape, p.begin, p.end)
    fill = ~keep

    def fill_in_place() -> Array:
        numpy.copyto(out, value, where=fill)
        return out

    def copy_and_fill() -> Array:
        numpy.copyto(out, x)
        return fill_in_place()

    if p.in_place:
        yield into("np.copyto(x, value, where=mask)", fill_in_place)
        return
    yield fresh("np.where(mask, x, value)", lambda: numpy.where(keep, x, value))
    yield into("np.copyto(out, x); np.copyto(out, value, where=mask)", copy_and_fill)


def torch_band(p: FilledBand, torch: Any, x: Array, out: Array) -> Iterator[Call]:
    source, target = torch.from_numpy(x), torch.from_numpy(out)
    keep = torch.from_numpy(kept(p.shape, p.begin, p.end))
    fill = ~keep
    if p.in_place:
        yield into("x.masked_fill_(mask, value)", lambda: target.masked_fill_(fill, p.value))
        return
    value = torch.tensor(p.value, dtype=target.dtype)
    yield fresh("x.masked_fill(mask, value)", lambda: source.masked_fill(fill, p.value))
    yield fresh("torch.where(mask, x, value)", lambda: torch.where(keep, source, value))
    yield into(
        "torch.where(mask, x, value, out=out)",
        lambda: torch.where(keep, source, value, out=target),
    )


def onnxruntime_band(p: FilledBand, onnxruntime: Any, x: Array, out: Array) -> Iterator[Call]:
    if p.in_place:
        raise UnsupportedError("ONNX Runtime does not work in place")
    keep = kept(p.shape, p.begin, p.end)
    node = Node("Where", (keep, element(p.value, x.dtype)), position=1)
    yield from onnxruntime.calls(x, out, node)


def jax_band(p: FilledBand, jax: Any, x: Array, out: Array) -> Iterator[Call]:
    if p.in_place:
        raise UnsupportedError("JAX arrays do not change")

    def fill(a: Any) -> Any:
        rows = jax.lax.broadcasted_iota(np.int32, p.shape, x.ndim - 2)
        columns = jax.lax.broadcasted_iota(np.int32, p.shape, x.ndim - 1)
        d = columns - rows
        use = (p.end >= p.begin) ^ (d >= p.begin) ^ (d < p.end)
        return jax.numpy.where(use, x.dtype.type(p.value), a)

    yield jax.call("jnp.where(begin <= d < end, value, x)", fill, x)


def tensorflow_band(p: FilledBand, tensorflow: Any, x: Array, out: Array) -> Iterator[Call]:
    if p.in_place:
        raise UnsupportedError("TensorFlow tensors do not change")
    source = tensorflow.constant(x)
    keep = tensorflow.constant(kept(p.shape, p.begin, p.end))
    value = tensorflow.constant(element(p.value, x.dtype))
    yield fresh("tf.where(mask, x, value)", lambda: tensorflow.where(keep, source, value))


def openvino_band(p: FilledBand, openvino: Any, x: Array, out: Array) -> Iterator[Call]:
    if p.in_place:
        raise UnsupportedError("OpenVINO does not work in place")
    keep, value = kept(p.shape, p.begin, p.end), element(p.value, x.dtype)
    yield from openvino.calls(x, out, lambda ops, node: ops.select(keep, node, value))


BAND = {
    "dmlc": dmlc_band,
    "numpy": numpy_band,
    "torch": torch_band,
    "onnxruntime": onnxruntime_band,
    "opencv": no_opencv,
    "jax": jax_band,
    "tensorflow": tensorflow_band,
    "openvino": openvino_band,
}

MATRICES: list[Generated | Triangle | CausalMask | FilledBand] = [
    # Identities and bands.
    Generated("eye-4", (4, 4), "float32"),
    Generated("eye-32", (32, 32), "float32"),
    Generated("eye-16x3x3", (16, 3, 3), "float64"),
    Generated("eye-512", (512, 512), "float32"),
    Generated("eye-4096", (4096, 4096), "float32"),
    Generated("eye-1000x4x4", (1000, 4, 4), "float32"),
    Generated("eye-64x64x64", (64, 64, 64), "float64"),
    Generated("eye-8x16x128x128", (8, 16, 128, 128), "float32"),
    Generated("tridiagonal-2048", (2048, 2048), "float64", -1, 2),
    Generated("band-1024", (1024, 1024), "float32", -8, 9),
    Generated("band-1024-wide", (1024, 1024), "float32", -200, 201),
    # Triangles.
    Generated("tri-1024", (1024, 1024), "float32", LOWEST, 1),
    Generated("tri-512", (512, 512), "bool", LOWEST, 1),
    Triangle("tril-16", (16, 16), "float32"),
    Triangle("tril-64", (64, 64), "float32"),
    Triangle("tril-1024", (1024, 1024), "float32"),
    Triangle("tril-2048", (2048, 2048), "uint8"),
    Triangle("tril-4096x8x8", (4096, 8, 8), "float32"),
    Triangle("tril-64x128x128", (64, 128, 128), "float32"),
    Triangle("triu-2048", (2048, 2048), "float64", "triu"),
    Triangle("triu-12x512x512", (12, 512, 512), "float16", "triu", 1),
    Triangle("tril-8192", (8192, 8192), "float32"),
    # Attention.
    CausalMask("causal-32", 32, "float32"),
    CausalMask("causal-128", 128, "float32"),
    CausalMask("causal-2048", 2048, "float32"),
    CausalMask("causal-4096", 4096, "float16"),
    CausalMask("causal-4096-window-1024", 4096, "float32", 1024),
    FilledBand("hide-8x12x256x256", (8, 12, 256, 256), "float32", 1, HIGHEST, -np.inf),
    FilledBand(
        "hide-in-place-8x12x256x256", (8, 12, 256, 256), "float32", 1, HIGHEST, -np.inf, True
    ),
    FilledBand("no-diagonal-2048", (2048, 2048), "float64", 0, 1, 0),
    FilledBand("keep-band-1024", (1024, 1024), "float32", 65, -64, 0),
]

CASES = [matrix.case() for matrix in MATRICES]
