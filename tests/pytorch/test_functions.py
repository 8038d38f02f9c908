"""dmlc.torch: the values of the NumPy face, with gradients, under the compiler and under transformations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import dmlc
from arrays import random_values

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed")

import dmlc.torch

MODES = ("constant", "edge", "reflect", "symmetric", "wrap")
WIDTHS: tuple[Any, ...] = (
    1,
    (2, 3),
    ((1, 0), (0, 2)),
    ((9, 0), (0, 11)),
    ((-1, 2), (5, -2)),
    ((-3, 4), (0, 0)),
    {1: (2, 1)},
)

# Functions of a tensor of shape (3, 4), and the same of arrays.
Pair = tuple[Callable[[Any], Any], Callable[[Any], Any]]
CALLS: dict[str, Pair] = {
    **{
        f"pad {mode} {widths}": (
            lambda t, m=mode, w=widths: dmlc.torch.pad(t, w, m),
            lambda a, m=mode, w=widths: dmlc.pad(a, w, m),
        )
        for mode in MODES
        for widths in WIDTHS
        if mode == "constant" or widths != WIDTHS[5]
    },
    "pad value": (
        lambda t: dmlc.torch.pad(t, 1, constant_values=1),
        lambda a: dmlc.pad(a, 1, constant_values=1),
    ),
    **{
        f"window {mode}": (
            lambda t, m=mode: dmlc.torch.window(t, (-9, 2), (14, 5), m),
            lambda a, m=mode: dmlc.window(a, (-9, 2), (14, 5), m),
        )
        for mode in MODES
    },
    **{
        f"roll {shift} {axis}": (
            lambda t, s=shift, a=axis: dmlc.torch.roll(t, s, a),
            lambda a, s=shift, x=axis: dmlc.roll(a, s, x),
        )
        for shift, axis in (
            (1, 0),
            (-9, -1),
            (1.5, 0),
            (5, None),
            ((1, 2), None),
            ((3, -1), (1, 0)),
            (2, (0, 1, 1)),
            ((1, 1), 0),
            ((), ()),
        )
    },
    "roll view": (lambda t: dmlc.torch.roll(t.mT, 3), lambda a: dmlc.roll(a.T, 3)),
    "tril": (dmlc.torch.tril, dmlc.tril),
    "tril 1": (lambda t: dmlc.torch.tril(t, 1), lambda a: dmlc.tril(a, 1)),
    "tril row": (lambda t: dmlc.torch.tril(t[0]), lambda a: dmlc.tril(a[0])),
    "triu": (dmlc.torch.triu, dmlc.triu),
    "triu row": (lambda t: dmlc.torch.triu(t[0], -1), lambda a: dmlc.triu(a[0], -1)),
    "flip": (dmlc.torch.flip, dmlc.flip),
    "flip 0": (lambda t: dmlc.torch.flip(t, 0), lambda a: dmlc.flip(a, 0)),
    "flip both": (lambda t: dmlc.torch.flip(t, (-1, 0)), lambda a: dmlc.flip(a, (-1, 0))),
    "copy": (dmlc.torch.copy, dmlc.copy),
    "copy view": (lambda t: dmlc.torch.copy(t.mT[::2]), lambda a: dmlc.copy(a.T[::2])),
}
every_call = pytest.mark.parametrize("name", CALLS)
DTYPES = ("float32", "float64", "int8", "uint16", "bool", "complex64", "bfloat16", "float8_e5m2")


def both(dtype: str) -> tuple[Any, Any]:
    """The same values as a tensor and as an array."""
    own = hasattr(ml_dtypes, dtype)
    array = random_values((3, 4), np.dtype(getattr(ml_dtypes, dtype) if own else dtype), 3)
    bits = array.view({1: np.uint8, 2: np.int16}[array.itemsize]) if own else array
    tensor = torch.from_numpy(bits.copy())
    return (tensor.view(getattr(torch, dtype)) if own else tensor), array


def bits(tensor: Any) -> bytes:
    data: bytes = tensor.contiguous().view(torch.uint8).numpy().tobytes()
    return data


def assert_same_bits(result: Any, expected: Any, dtype: Any) -> None:
    assert result.dtype == dtype
    assert tuple(result.shape) == expected.shape
    assert result.is_contiguous()
    assert bits(result.detach()) == expected.tobytes()


@every_call
def test_forward_gradients(name: str) -> None:
    """Those of the function's linear part, as it copies elements and adds constants."""
    function, of_arrays = CALLS[name]
    values, direction = torch.randn(3, 4), torch.randn(3, 4)
    moved = of_arrays(direction.numpy())
    if name == "pad value":
        moved = dmlc.pad(direction.numpy(), 1)
    result, tangent = torch.func.jvp(function, (values,), (direction,))
    assert_same_bits(result, of_arrays(values.numpy()), torch.float32)
    assert_same_bits(tangent, moved, torch.float32)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(values, direction)
        tangent = torch.autograd.forward_ad.unpack_dual(function(dual)).tangent
        assert_same_bits(tangent, moved, torch.float32)
        assert torch.autograd.forward_ad.unpack_dual(function(values)).tangent is None


def test_forward_gradients_of_forward_gradients_are_refused() -> None:
    def inner(values: Any) -> Any:
        return torch.func.jvp(lambda v: dmlc.torch.flip(v * v), (values,), (values,))[1]

    with pytest.raises(NotImplementedError, match="flip: forward gradients must be of first order"):
        torch.func.jvp(inner, (torch.ones(2),), (torch.ones(2),))


@every_call
def test_values_of_every_width(name: str) -> None:
    function, of_arrays = CALLS[name]
    for dtype in DTYPES:
        tensor, array = both(dtype)
        before = bits(tensor)
        assert_same_bits(function(tensor), of_arrays(array), tensor.dtype)
        if tensor.dtype.is_floating_point or tensor.dtype.is_complex:
            tensor.requires_grad_()
            result = function(tensor)
            assert result.requires_grad
            assert_same_bits(result, of_arrays(array), tensor.dtype)
            with torch.no_grad():
                assert not function(tensor).requires_grad
        assert bits(tensor.detach()) == before


@every_call
def test_gradients(name: str) -> None:
    function, _ = CALLS[name]
    torch.manual_seed(1)
    for dtype in (torch.float64, torch.complex128):
        tensor = torch.randn(3, 4, dtype=dtype, requires_grad=True)
        assert torch.autograd.gradcheck(function, tensor)
        assert torch.autograd.gradgradcheck(function, tensor)


def test_gradients_add_up() -> None:
    tensor = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    dmlc.torch.pad(tensor, (2, 1), "symmetric").sum().backward()
    assert tensor.grad.tolist() == [2, 2, 2]
    single = torch.ones(1, requires_grad=True)
    dmlc.torch.pad(single, 2, "reflect").sum().backward()
    assert single.grad.tolist() == [5]


OPERATORS: dict[str, tuple[Any, ...]] = {
    **{f"pad {mode}": ([2, 1, 0, 7], mode, 0) for mode in MODES},
    **{f"pad {mode}, cropped": ([-1, 1, 3, -2], mode, 0) for mode in MODES},
    **{f"window {mode}": ([2, -7], [3, 9], mode, 0) for mode in MODES},
    "roll": ([5, -1, 2], [0, 1, 1]),
    "tril": (1,),
    "triu": (-1,),
    "flip": ([1],),
    "copy": (),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_the_dispatchers_own_checks(name: str) -> None:
    operator = getattr(torch.ops.dmlc, name.split()[0]).default
    for tensor in (torch.randn(3, 4, requires_grad=True), torch.arange(12).view(4, 3).mT):
        torch.library.opcheck(operator, (tensor, *OPERATORS[name]))


def test_the_dispatchers_own_checks_of_one_hot() -> None:
    operator = torch.ops.dmlc.one_hot.default
    for axis in (0, 1):
        for dtype in (torch.float32, torch.int64, torch.bfloat16):
            torch.library.opcheck(
                operator, (torch.tensor([1, 2, -1]), 5, axis, 1.5, 0, dtype, "wrap")
            )


@every_call
def test_compiled_as_one_graph(name: str) -> None:
    function, _ = CALLS[name]
    torch._dynamo.reset()
    for dynamic in (False, True):
        compiled = torch.compile(function, fullgraph=True, dynamic=dynamic, backend="aot_eager")
        for rows in (3, 5):
            tensor = torch.randn(rows, 4, requires_grad=True)
            same = tensor.detach().clone().requires_grad_()
            expected, result = function(tensor), compiled(same)
            assert torch.equal(result, expected)
            expected.square().sum().backward()
            result.square().sum().backward()
            assert torch.equal(tensor.grad, same.grad)


def test_widths_may_be_sizes_of_the_tensor() -> None:
    from torch._dynamo.testing import CompileCounterWithBackend

    torch._dynamo.reset()
    counter = CompileCounterWithBackend("aot_eager")

    def function(tensor: Any) -> Any:
        rows, columns = tensor.shape
        padded = dmlc.torch.pad(tensor, ((rows, 1), (0, columns)), "wrap")
        rolled = dmlc.torch.roll(padded, (rows // 2, -columns), (0, 1))
        return dmlc.torch.tril(rolled, columns)

    compiled = torch.compile(function, fullgraph=True, dynamic=True, backend=counter)
    for shape in ((3, 4), (6, 5), (7, 9)):
        tensor = torch.randn(shape, requires_grad=True)
        same = tensor.detach().clone().requires_grad_()
        expected, result = function(tensor), compiled(same)
        assert torch.equal(result, expected)
        expected.sum().backward()
        result.sum().backward()
        assert torch.equal(tensor.grad, same.grad)
    assert counter.frame_count == 1


def test_compiled_one_hot() -> None:
    torch._dynamo.reset()
    compiled = torch.compile(dmlc.torch.one_hot, fullgraph=True, backend="aot_eager")
    for count in (3, 6):
        indices = torch.arange(count)
        assert torch.equal(compiled(indices, 5), dmlc.torch.one_hot(indices, 5))


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool", "complex64", "bfloat16"])
def test_one_hot(dtype: str) -> None:
    indices = np.array([[0, -1, 3], [4, -5, 1]], np.int64)
    for axis in (-1, 0, 1):
        for negative in ("wrap", "off"):
            result = dmlc.torch.one_hot(
                torch.from_numpy(indices),
                4,
                axis=axis,
                dtype=getattr(torch, dtype),
                negative=negative,
            )
            own = hasattr(ml_dtypes, dtype)
            expected = dmlc.one_hot(
                indices,
                4,
                axis=axis,
                dtype=getattr(ml_dtypes, dtype) if own else dtype,
                negative=negative,
            )
            assert_same_bits(result, expected, getattr(torch, dtype))


@every_call
def test_vmap(name: str) -> None:
    function, _ = CALLS[name]
    batch = torch.randn(3, 2, 4)
    result = torch.func.vmap(function, in_dims=1)(batch)
    assert torch.equal(result, torch.stack([function(batch[:, i]) for i in range(2)]))


def test_vmap_of_one_hot() -> None:
    indices = torch.tensor([[0, 1, 2], [2, 1, 0]])
    for axis in (0, -1):
        result = torch.func.vmap(lambda i, a=axis: dmlc.torch.one_hot(i, 3, axis=a))(indices)
        expected = [dmlc.torch.one_hot(row, 3, axis=axis) for row in indices]
        assert torch.equal(result, torch.stack(expected))


def test_transforms_see_the_operators() -> None:
    tensor = torch.randn(3, 4)
    functional = torch.func.functionalize(lambda t: dmlc.torch.flip(t).add_(1))
    assert torch.equal(functional(tensor), tensor.flip(0, 1) + 1)
    from torch.fx.experimental.proxy_tensor import make_fx

    graph = make_fx(lambda t: dmlc.torch.pad(t, 1))(tensor)
    other = torch.randn(3, 4)
    assert torch.equal(graph(other), dmlc.torch.pad(other, 1))
    exported = torch.export.export(Module(), (tensor,)).module()
    assert torch.equal(exported(other), dmlc.torch.copy(other))


@pytest.mark.filterwarnings("ignore")
def test_recorders_see_the_operators() -> None:
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    class Dispatched(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    class Called(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    for mode in (Dispatched, Called):
        seen: list[str] = []
        with mode():
            dmlc.torch.copy(torch.ones(2))
        assert any("dmlc.copy" in name for name in seen), (mode, seen)
    traced = torch.jit.trace(lambda t: dmlc.torch.flip(t), torch.tensor([1, 2]))
    assert traced(torch.tensor([3, 4])).tolist() == [4, 3]


class Module(torch.nn.Module):  # type: ignore[misc]
    def forward(self, tensor: Any) -> Any:
        return dmlc.torch.copy(tensor)


JUDGED: dict[str, Any] = {
    "pad, a value in another mode": lambda t: dmlc.torch.pad(t, 1, "edge", constant_values=0.0),
    "window, a value in another mode": lambda t: dmlc.torch.window(
        t, (0, 0), (3, 3), "wrap", constant_values=0.0
    ),
    "collate, a value in another mode": lambda t: dmlc.torch.collate(
        [t, t], mode="edge", value=0.0
    ),
    "pad, a complex value": lambda t: dmlc.torch.pad(t, 1, constant_values=1j),
    "window, a complex value": lambda t: dmlc.torch.window(t, (0, 0), (4, 4), constant_values=1j),
    "pad, True": lambda t: dmlc.torch.pad(t, True),
    "pad, a range": lambda t: dmlc.torch.pad(t, range(1, 3)),
    "window, an integer of one axis": lambda t: dmlc.torch.window(t[0], 0, 3),
    "window, an integer of two axes": lambda t: dmlc.torch.window(t, 0, 3),
}


@pytest.mark.parametrize("name", JUDGED)
def test_one_rule_for_tensors_of_every_kind(name: str) -> None:
    """Read directly, as integers of their width, or by operators that have gradients."""

    def outcome(tensor: Any) -> Any:
        try:
            return JUDGED[name](tensor).detach().float().tolist()
        except (TypeError, ValueError) as error:
            return next(kind for kind in (TypeError, ValueError) if isinstance(error, kind))

    tensors = (
        torch.ones(3, 4),
        torch.ones(3, 4, dtype=torch.bfloat16),
        torch.ones(3, 4, requires_grad=True),
    )
    first, *others = map(outcome, tensors)
    assert others == [first, first]


def test_results_share_no_memory() -> None:
    for tensor in (torch.ones(3, 4), torch.ones(3, 4, requires_grad=True)):
        for result in (
            dmlc.torch.pad(tensor, 0),
            dmlc.torch.copy(tensor),
            dmlc.torch.tril(tensor, 9),
            dmlc.torch.flip(tensor, ()),
        ):
            assert result.data_ptr() != tensor.data_ptr()


def test_other_tensors() -> None:
    conjugate = torch.tensor([1 + 2j, 3j]).conj()
    assert torch.equal(dmlc.torch.flip(conjugate), torch.tensor([-3j, 1 - 2j]))
    assert dmlc.torch.pad(torch.empty(2, 3, device="meta"), 1).shape == (4, 5)
    parameter = torch.nn.Parameter(torch.arange(3.0))
    assert dmlc.torch.flip(parameter).grad_fn is not None
    half = torch.zeros(2, dtype=torch.complex32)
    assert dmlc.torch.pad(half, 1).dtype == torch.complex32


WRONG = {
    "a list": (lambda: dmlc.torch.copy([1]), TypeError, "PyTorch tensor, got list"),
    "sparse": (lambda: dmlc.torch.pad(torch.eye(3).to_sparse(), 1), TypeError, r"\.to_dense"),
    "values": (
        lambda: dmlc.torch.pad(torch.ones(2), 1, constant_values=[1, 2]),
        TypeError,
        "constant_values must be one number, got list",
    ),
    "indices": (lambda: dmlc.torch.one_hot(torch.ones(2), 3), TypeError, "must be integers"),
    "negative": (
        lambda: dmlc.torch.one_hot(torch.tensor([1]), 3, negative="error"),
        ValueError,
        "must be 'wrap' or 'off', got 'error'",
    ),
    "quantized": (
        lambda: dmlc.torch.pad(torch._empty_affine_quantized((2,), dtype=torch.quint8), 1),
        TypeError,
        r"quantized: pass \.dequantize\(\)",
    ),
    "another's dtype": (
        lambda: dmlc.torch.one_hot(torch.tensor([1]), 3, dtype=np.float32),
        TypeError,
        "dtype must be one of PyTorch's, got <class 'numpy.float32'>",
    ),
    "a quantized dtype": (
        lambda: dmlc.torch.one_hot(torch.tensor([1]), 3, dtype=torch.qint8),
        TypeError,
        "dtype must be plain, got torch.qint8",
    ),
    "a complex value": (
        lambda: dmlc.torch.pad(torch.ones(2, dtype=torch.bfloat16), 1, constant_values=1j),
        TypeError,
        "torch.bfloat16 must be real, got 1j",
    ),
    "no dimension": (lambda: dmlc.torch.tril(torch.tensor(1)), TypeError, "1 dimension, got 0"),
}
WRONG_EITHER_WAY: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "mode": (lambda t: dmlc.torch.pad(t, 1, "mirror"), ValueError, "mode 'mirror'"),
    "value": (
        lambda t: dmlc.torch.pad(t, 1, "edge", constant_values=1),
        ValueError,
        "unsupported keyword arguments for mode 'edge'",
    ),
    "widths": (lambda t: dmlc.torch.pad(t, ((1, 2),) * 3), ValueError, "pad_width|broadcast"),
    "crop": (lambda t: dmlc.torch.pad(t, (-4, 9)), ValueError, "crop at most"),
    "axis": (lambda t: dmlc.torch.flip(t, 2), IndexError, "2"),
    "rolled axis": (lambda t: dmlc.torch.roll(t, 1, 2), IndexError, "2"),
    "shifts": (
        lambda t: dmlc.torch.roll(t, (1, 2, 3), (0, 1)),
        ValueError,
        "shape mismatch|3 and 2",
    ),
    "empty": (lambda t: dmlc.torch.pad(t[:0], 1, "wrap"), ValueError, "empty axis"),
    "a width": (lambda t: dmlc.torch.pad(t, 1.5), TypeError, "pad_width"),
    "a start": (lambda t: dmlc.torch.window(t, (1.5, 0), (2, 2)), TypeError, "start"),
    "a size": (lambda t: dmlc.torch.window(t, (1, 0), (2, "2")), TypeError, "shape"),
    "a diagonal": (lambda t: dmlc.torch.triu(t, 0.5), TypeError, "k must be"),
    "a fraction of an axis": (lambda t: dmlc.torch.flip(t, 0.5), TypeError, "float"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name: str) -> None:
    call, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("name", WRONG_EITHER_WAY)
def test_wrong_with_and_without_gradients(name: str) -> None:
    call, error, message = WRONG_EITHER_WAY[name]
    for needed in (False, True):
        with pytest.raises(error, match=message):
            call(torch.ones(3, 4, requires_grad=needed))


def test_results_are_tensors_as_any() -> None:
    """They own their memory, of every type, empty or without dimensions, and are sent as others are."""
    import gc
    import pickle
    import weakref

    for dtype in (torch.float32, torch.bool, torch.bfloat16, torch.float8_e8m0fnu, torch.complex32):
        for shape in ((), (0, 3), (2, 3)):
            result = dmlc.torch.copy(torch.zeros(shape, dtype=dtype))
            assert result.dtype == dtype and result.shape == shape and result.is_contiguous()
            assert result.stride() == torch.zeros(shape, dtype=dtype).stride()
            if dtype.itemsize != 1 and dtype is not torch.complex32:  # PyTorch pickles not all
                same = pickle.loads(pickle.dumps(result))
                assert same.dtype == dtype and torch.equal(same, result)
    result = dmlc.torch.pad(torch.ones(2), 1).add_(1)
    assert result.tolist() == [1, 2, 2, 1]
    result.share_memory_()
    with pytest.raises(RuntimeError, match="resiz"):
        dmlc.torch.copy(torch.ones(3)).resize_(9)
    # The memory goes with the last tensor on it.
    array = np.zeros(3, np.float32)
    made = exchange(2, np.float32).make(array)
    watch = weakref.ref(array)
    view = made[1:]
    del array, made
    gc.collect()
    assert watch() is not None
    del view
    gc.collect()
    assert watch() is None


def exchange(code: int, dtype: Any) -> Any:
    return dmlc._dmlc.TensorExchange(
        torch.Tensor.__dlpack_c_exchange_api__, code, np.dtype(dtype), 64
    )


def test_only_packed_arrays_of_the_width_become_tensors() -> None:
    with pytest.raises(ValueError, match="packed"):
        exchange(2, np.float32).make(np.zeros((2, 3), np.float32).T)
    with pytest.raises(ValueError, match="of 64 bits"):
        exchange(2, np.float64).make(np.zeros(3, np.float32))
    with pytest.raises((BufferError, RuntimeError, ValueError)):
        exchange(99, np.float32).make(np.zeros(3, np.float32))


def test_little_tensors_are_read_by_copies() -> None:
    """They hold the tensor's elements with its strides, whichever these are, and share no memory with it."""
    read = exchange(2, np.float32).read
    rows = torch.arange(24.0).reshape(4, 6)
    for tensor in (
        rows[:2],
        rows[0, 0],
        rows[:2].mT,
        rows[:3, 1:5:2],
        rows[1:3, ::5],
        rows[:1, 2:3].expand(3, 5),
        rows[3:, :4][None, :, None],
    ):
        array = read(tensor)
        assert array.dtype == np.float32 and array.tolist() == tensor.tolist()
        assert not np.shares_memory(array, tensor.numpy())
        array += 1
        assert rows.sum() == 276
    for tensor in (
        rows,  # larger than was said
        rows[:, ::5],  # from its first element to its last
        rows[:, 0],
        rows[:0],
        rows.int()[0],
        rows.double()[0],
        rows[:1].to("meta"),
        rows[:1].to_sparse(),
        torch.empty(3).set_(torch.UntypedStorage(0), 0, (0,)),
        None,
        [1.0],
        np.ones(3, np.float32),
    ):
        assert read(tensor) is None
    shrunk = torch.ones(3)
    shrunk.untyped_storage().resize_(0)
    assert read(shrunk) is None
    with pytest.raises(ValueError, match="of numbers"):
        exchange(2, object)
    with pytest.raises(ValueError, match="of numbers"):
        exchange(2, "U1")


@pytest.mark.parametrize("side", (1, 40, 200))
@pytest.mark.parametrize("dtype", (torch.float32, torch.bfloat16))
def test_negatives_that_are_computed_when_they_are_read(side: int, dtype: Any) -> None:
    values = torch.arange(side * side).reshape(side, side).to(dtype)
    assert torch.equal(dmlc.torch.copy(torch._neg_view(values)), -values)
    with torch.no_grad():
        assert torch.equal(dmlc.torch.flip(values.requires_grad_(), ()), values)


def test_values_of_types_that_numpy_lacks() -> None:
    """Equal values may have different bits."""
    empty = torch.zeros(0, dtype=torch.bfloat16)
    for _ in range(2):
        for value in (
            0,
            0.0,
            -0.0,
            1,
            True,
            1.0,
            0.5,
            -0.5,
            float("inf"),
            float("-inf"),
            float("nan"),
        ):
            padded = dmlc.torch.pad(empty, (1, 0), constant_values=value)
            assert bits(padded) == bits(torch.tensor([value], dtype=torch.bfloat16)), value
    with pytest.raises((RuntimeError, TypeError)):
        dmlc.torch.pad(empty, 1, constant_values=1 + 0j)
