"""The operators that PyTorch's dispatcher knows, ``torch.ops.dmlc``: schema, kernel, fake, gradient and batching.

All are linear in the input, or take integers. The gradient of a move is a move, or for a mode that repeats elements a
sum; both are written in operators that have gradients themselves. Fakes and gradients never branch on a size, which
may be a symbol.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]

from dmlc import functions
from dmlc.torch.memory import bits_of, bits_type, element, tensor_of

__all__ = ["copy", "flip", "one_hot", "pad", "roll", "tril", "triu", "window"]

# PyTorch declares no types for these.
_Library: Any = torch.library.Library
_sym_max: Any = torch.sym_max
_forward_ad: Any = torch.autograd.forward_ad

# Kept as long as the module: the operators go with it.
_library = _Library("dmlc", "DEF")


def _forward_transforms() -> int:
    """Return how many of ``torch.func.jvp`` are around the call."""
    functorch: Any = torch._C._functorch
    stack = functorch.get_interpreter_stack() or ()
    return sum(transform.key() == functorch.TransformType.Jvp for transform in stack)


def _define(
    schema: str,
    kernel: Callable[..., torch.Tensor],
    fake: Callable[..., torch.Tensor],
    batch: Callable[..., tuple[Any, ...]],
    gradient: Callable[..., torch.Tensor] | None = None,
    keep: Callable[..., tuple[Any, ...]] = lambda *arguments: arguments[1:],
    linear: Callable[..., tuple[Any, ...]] = lambda *arguments: arguments,
) -> Any:
    """Define an operator, and return a function that calls it.

    ``batch`` takes an input with one more axis at the front and returns the other arguments for it;
    ``gradient`` takes that of the result and what ``keep`` returned for the arguments; ``linear``
    takes the arguments but the input and returns those of the operator's linear part.
    """
    name = schema.split("(")[0]
    _library.define(schema, tags=torch.Tag.pt2_compliant_tag)
    _library.impl(name, kernel, "CPU")
    torch.library.register_fake(f"dmlc::{name}", fake, lib=_library)
    operator = getattr(torch.ops.dmlc, name).default
    count = len(operator._schema.arguments)

    def batched(
        info: Any, in_dims: tuple[int | None, ...], *arguments: Any
    ) -> tuple[torch.Tensor, int]:
        first = arguments[0].movedim(in_dims[0], 0)
        return operator(first, *batch(first, *arguments[1:])), 0

    torch.library.register_vmap(f"dmlc::{name}", batched, lib=_library)
    if gradient is not None:
        formula = gradient

        def remember(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
            ctx.kept = keep(*inputs)

        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            grad_of_input = formula(grad, *ctx.kept)
            return (grad_of_input, *[None] * (count - 1)) if count > 1 else grad_of_input

        torch.library.register_autograd(
            f"dmlc::{name}", backward, setup_context=remember, lib=_library
        )

    def call(input: torch.Tensor, *arguments: Any) -> Any:
        # The dispatcher knows forward gradients of no operator from Python, and would take them for 0.
        if _forward_ad._current_level >= 0:
            if _forward_transforms() > 1:
                raise NotImplementedError(
                    f"{name}: forward gradients must be of first order, got torch.func.jvp inside of itself"
                )
            primal, tangent = _forward_ad.unpack_dual(input)
            if tangent is not None:
                moved = operator(tangent, *linear(*arguments))
                return _forward_ad.make_dual(operator(primal, *arguments), moved)
        return operator(input, *arguments)

    return call


# --- pad -----------------------------------------------------------------------------------------


def _pairs(pads: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(pads[::2], pads[1::2], strict=True))


def _pad(input: torch.Tensor, pads: Sequence[int], mode: str, value: complex) -> torch.Tensor:
    keywords = {"constant_values": element(value, input.dtype)} if mode == "constant" else {}
    array = functions.pad(bits_of(input.detach()), _pairs(pads), mode, **keywords)  # type: ignore[arg-type]
    return tensor_of(array, input.dtype)


def _pad_fake(input: torch.Tensor, pads: Sequence[int], mode: str, value: complex) -> torch.Tensor:
    return input.new_empty(
        [size + before + after for size, (before, after) in zip(input.shape, _pairs(pads))]
    )


def _pad_gradient(
    grad: torch.Tensor, sizes: Sequence[int], pads: Sequence[int], mode: str
) -> torch.Tensor:
    if mode == "constant":
        result: torch.Tensor = pad(grad, [-width for width in pads], "constant", 0)
        return result
    for axis, (size, (before, after)) in enumerate(zip(sizes, _pairs(pads))):
        if isinstance(before, int) and isinstance(after, int) and before == after == 0:
            continue
        # Negative widths crop before anything is added.
        crop = _sym_max(-before, 0)
        inner = size - crop - _sym_max(-after, 0)
        position = torch.arange(grad.shape[axis], device=grad.device) - _sym_max(before, 0)
        sums = [*grad.shape[:axis], size, *grad.shape[axis + 1 :]]
        grad = grad.new_zeros(sums).index_add(axis, _source(position, inner, mode) + crop, grad)
    return grad


def _source(position: torch.Tensor, size: int, mode: str) -> torch.Tensor:
    """Return which of so many elements stands at a position of the axis extended without end."""
    if mode == "edge":
        return position.clamp(0, size - 1)
    if mode == "wrap":
        return position % size
    if mode == "symmetric":
        phase = position % (2 * size)
        return torch.minimum(phase, 2 * size - 1 - phase)
    period = _sym_max(2 * size - 2, 1)  # of one element, 1
    phase = position % period
    return torch.minimum(phase, (period - phase) % period)


pad = _define(
    "pad(Tensor input, SymInt[] pads, str mode, Scalar value) -> Tensor",
    _pad,
    _pad_fake,
    lambda input, pads, mode, value: ([0, 0, *pads], mode, value),
    _pad_gradient,
    lambda input, pads, mode, value: (input.shape, pads, mode),
    lambda pads, mode, value: (pads, mode, 0),
)


def _window(
    input: torch.Tensor, start: Sequence[int], shape: Sequence[int], mode: str, value: complex
) -> torch.Tensor:
    keywords = {"constant_values": element(value, input.dtype)} if mode == "constant" else {}
    bits = bits_of(input.detach())
    array = functions.window(bits, start, shape, mode, **keywords)  # type: ignore[arg-type]
    return tensor_of(array, input.dtype)


def _window_gradient(
    grad: torch.Tensor, sizes: Sequence[int], start: Sequence[int], mode: str
) -> torch.Tensor:
    if mode == "constant":
        result: torch.Tensor = window(grad, [-first for first in start], sizes, "constant", 0)
        return result
    for axis, (size, first) in enumerate(zip(sizes, start)):
        position = torch.arange(grad.shape[axis], device=grad.device) + first
        sums = [*grad.shape[:axis], size, *grad.shape[axis + 1 :]]
        grad = grad.new_zeros(sums).index_add(axis, _source(position, size, mode), grad)
    return grad


window = _define(
    "window(Tensor input, SymInt[] start, SymInt[] shape, str mode, Scalar value) -> Tensor",
    _window,
    lambda input, start, shape, mode, value: input.new_empty(shape),
    lambda input, start, shape, mode, value: (
        [0, *start],
        [input.shape[0], *shape],
        mode,
        value,
    ),
    _window_gradient,
    lambda input, start, shape, mode, value: (input.shape, start, mode),
    lambda start, shape, mode, value: (start, shape, mode, 0),
)


def _roll(input: torch.Tensor, shifts: Sequence[int], axes: Sequence[int]) -> torch.Tensor:
    array = functions.roll(bits_of(input.detach()), tuple(shifts), tuple(axes))
    return tensor_of(array, input.dtype)


def _roll_gradient(grad: torch.Tensor, shifts: Sequence[int], axes: Sequence[int]) -> torch.Tensor:
    result: torch.Tensor = roll(grad, [-shift for shift in shifts], axes)
    return result


roll = _define(
    "roll(Tensor input, SymInt[] shifts, int[] axes) -> Tensor",
    _roll,
    lambda input, shifts, axes: input.new_empty(input.shape),
    lambda input, shifts, axes: (shifts, [axis + 1 for axis in axes]),
    _roll_gradient,
)


# --- triangles -----------------------------------------------------------------------------------


def _define_triangle(name: str, function: Callable[..., Any]) -> Any:
    def kernel(input: torch.Tensor, k: int) -> torch.Tensor:
        return tensor_of(function(bits_of(input.detach()), k), input.dtype)

    def gradient(grad: torch.Tensor, k: int) -> torch.Tensor:
        result: torch.Tensor = getattr(torch.ops.dmlc, name)(grad, k)
        return result

    return _define(
        f"{name}(Tensor input, SymInt k) -> Tensor",
        kernel,
        lambda input, k: input.new_empty(input.shape),
        lambda input, k: (k,),
        gradient,
    )


tril = _define_triangle("tril", functions.tril)
triu = _define_triangle("triu", functions.triu)


# --- flip and copy -------------------------------------------------------------------------------


def _flip_gradient(grad: torch.Tensor, axes: Sequence[int]) -> torch.Tensor:
    result: torch.Tensor = flip(grad, axes)
    return result


def _copy_gradient(grad: torch.Tensor) -> torch.Tensor:
    result: torch.Tensor = copy(grad)
    return result


flip = _define(
    "flip(Tensor input, int[] axes) -> Tensor",
    lambda input, axes: tensor_of(functions.flip(bits_of(input.detach()), axes), input.dtype),
    lambda input, axes: input.new_empty(input.shape),
    lambda input, axes: ([axis + 1 for axis in axes],),
    _flip_gradient,
)

copy = _define(
    "copy(Tensor input) -> Tensor",
    lambda input: tensor_of(functions.copy(bits_of(input.detach())), input.dtype),
    lambda input: input.new_empty(input.shape),
    lambda input: (),
    _copy_gradient,
)


# --- one_hot -------------------------------------------------------------------------------------


def _one_hot(
    indices: torch.Tensor,
    depth: int,
    axis: int,
    on_value: complex,
    off_value: complex,
    dtype: torch.dtype,
    negative: str,
) -> torch.Tensor:
    array = functions.one_hot(
        bits_of(indices),
        depth,
        axis=axis,
        on_value=element(on_value, dtype),
        off_value=element(off_value, dtype),
        dtype=bits_type(dtype),
        negative=negative,  # type: ignore[arg-type]
    )
    return tensor_of(array, dtype)


one_hot = _define(
    "one_hot(Tensor indices, SymInt depth, int axis, Scalar on_value, Scalar off_value, "
    "ScalarType dtype, str negative) -> Tensor",
    _one_hot,
    lambda indices, depth, axis, on_value, off_value, dtype, negative: indices.new_empty(
        [*indices.shape[:axis], depth, *indices.shape[axis:]], dtype=dtype
    ),
    lambda indices, depth, axis, *rest: (depth, axis + 1, *rest),
)
