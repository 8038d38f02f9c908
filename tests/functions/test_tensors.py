"""Tensors of PyTorch, JAX and TensorFlow: read and written where they are, or refused with the call to make."""

from __future__ import annotations

import importlib.util
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import dmlc
from arrays import Array, assert_same, random_values
from functions.calls import CALLS, Call
from robustness.processes import run_python

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed")

pytestmark = pytest.mark.filterwarnings("ignore:The use of `x.T`")

# PyTorch's types, and NumPy's.
TYPES = {
    name: (getattr(torch, name), np.dtype(name))
    for name in (
        *("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    )
}
FOREIGN = {
    name: (getattr(torch, name), np.dtype(getattr(ml_dtypes, name)))
    for name in (
        *("bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"),
        "float8_e8m0fnu",
    )
    if hasattr(torch, name) and hasattr(ml_dtypes, name)
}
EVERY_TYPE = TYPES | FOREIGN
every_type = pytest.mark.parametrize("name", EVERY_TYPE)
every_call = pytest.mark.parametrize("call", CALLS, ids=str)


def tensor_of(array: Array) -> Any:
    """A tensor of the array's memory."""
    name = array.dtype.name
    if name not in FOREIGN:
        return torch.from_numpy(array)
    bits = {1: np.uint8, 2: np.int16}[array.itemsize]
    return torch.from_numpy(array.view(bits)).view(FOREIGN[name][0])


@every_type
def test_inputs_of_every_type(name: str) -> None:
    for call in CALLS:
        if call.has_input and not call.index_input:
            array = call.make_input(EVERY_TYPE[name][1])
            assert_same(call.run(tensor_of(array)), call.run(array))


@every_type
def test_outputs_of_every_type(name: str) -> None:
    for call in CALLS:
        dtype = EVERY_TYPE[name][1]
        array = call.make_input(dtype)
        keywords: dict[str, Any] = {"dtype": dtype} if call.index_input else {}
        expected = call.run(array, **keywords)
        memory = np.zeros_like(expected)
        out = tensor_of(memory)
        assert call.run(array, out=out, **keywords) is out
        assert_same(memory, expected)


@every_call
def test_both_are_tensors(call: Call) -> None:
    array = call.make_input(np.dtype(np.float32))
    keywords: dict[str, Any] = {"dtype": np.float32} if call.index_input else {}
    expected = call.run(array, **keywords)
    wide = torch.zeros((2, *expected.shape), dtype=torch.float32)
    out = wide[1]
    given = tensor_of(array) if call.has_input else array
    assert call.run(given, out=out, **keywords) is out
    assert_same(out.numpy(), expected)
    assert not wide[0].any()


def test_views_are_read_and_written_in_place() -> None:
    array = random_values((4, 6), np.dtype(ml_dtypes.bfloat16))
    tensor = tensor_of(array)
    assert_same(dmlc.copy(tensor.T[::2]), np.ascontiguousarray(array.T[::2]))
    assert_same(dmlc.copy(tensor[:1].expand(3, 6)), np.repeat(array[:1], 3, 0))
    # Overlapping, as with arrays.
    assert dmlc.flip(tensor, 1, out=tensor) is tensor
    assert_same(array, random_values((4, 6), array.dtype)[:, ::-1].copy())
    with pytest.raises(ValueError, match="elements of its own"):
        dmlc.copy(np.zeros((3, 6), np.float32), out=torch.zeros(1, 6).expand(3, 6))


def test_parameters_batches_and_values() -> None:
    parameter = torch.nn.Parameter(torch.arange(3.0), requires_grad=False)
    assert_same(dmlc.flip(parameter), np.array([2, 1, 0], np.float32))
    batch = dmlc.pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], value=torch.tensor(9))
    assert_same(batch, np.array([[1, 2], [3, 9]]))
    value = torch.tensor(1.5, dtype=torch.bfloat16)
    expected = np.array([1.5, 0, 1.5], ml_dtypes.bfloat16)
    assert_same(dmlc.pad(torch.zeros(1, dtype=torch.bfloat16), 1, constant_values=1.5), expected)
    assert_same(
        dmlc.fill_band(np.zeros((1, 1), np.float32), 0, 1, value), np.array([[1.5]], np.float32)
    )


def test_operators() -> None:
    desc = dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, (2, 3))
    operator = dmlc.Device().compile_operator(
        dmlc.SliceOperatorDesc(desc, desc, (0, 0), (2, 3), (1, 1))
    )
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    out = torch.zeros(2, 3)
    assert operator(torch.from_numpy(array), out=out) is out
    assert_same(out.numpy(), operator(array))
    with pytest.raises(TypeError, match=r"requires gradients: pass \.detach\(\)"):
        operator(array, out=torch.zeros(2, 3, requires_grad=True))
    weight = torch.ones(2, 3, requires_grad=True)
    loss = (weight * out).sum()
    operator(array, out=out)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_operators_write_no_copy() -> None:
    class Copied:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.zeros((2, 3), np.float32)

    desc = dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, (2, 3))
    operator = dmlc.Device().compile_operator(
        dmlc.SliceOperatorDesc(desc, desc, (0, 0), (2, 3), (1, 1))
    )
    with pytest.raises(TypeError, match="NumPy array or a tensor in memory, got Copied"):
        operator(np.ones((2, 3), np.float32), out=Copied())


def test_out_must_fit() -> None:
    array = np.zeros((2, 3), np.float32)
    with pytest.raises(ValueError, match=r"shape \(2, 3\), got \(3, 2\)"):
        dmlc.copy(array, out=torch.zeros(3, 2))
    with pytest.raises(TypeError, match="dtype float32, got bfloat16"):
        dmlc.copy(array, out=torch.zeros(2, 3, dtype=torch.bfloat16))
    with pytest.raises(TypeError, match="NumPy array or a tensor in memory, got float32"):
        dmlc.copy(np.float32(3), out=np.float32(4))


def test_gradients_notice_what_is_written() -> None:
    weight = torch.ones(3, requires_grad=True)
    kept = torch.arange(3.0)
    loss = (weight * kept).sum()
    with pytest.raises(ValueError):
        dmlc.copy(np.zeros(4, np.float32), out=kept)
    loss.backward(retain_graph=True)
    dmlc.copy(np.zeros(3, np.float32), out=kept)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    with torch.inference_mode():
        unwatched = torch.ones(3)
    dmlc.copy(np.zeros(3, np.float32), out=unwatched)
    assert not unwatched.any()


def fake() -> Any:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return torch.zeros(3, 4)


def negated(dtype: Any) -> Any:
    return torch._neg_view(torch.ones(3, 4).to(dtype))


REFUSED = {
    "gradients": (lambda: torch.zeros(3, 4, requires_grad=True), r"\.detach\(\), or call dmlc"),
    "bfloat16 gradients": (
        lambda: torch.zeros(3, 4, dtype=torch.bfloat16, requires_grad=True),
        r"\.detach\(\), or call dmlc",
    ),
    "meta": (lambda: torch.zeros(3, 4, device="meta"), "no elements: call dmlc.torch"),
    "fake": (fake, "no elements: call dmlc.torch"),
    "sparse": (lambda: torch.eye(3).to_sparse(), r"\.to_dense\(\)"),
    "rows": (lambda: torch.eye(3).to_sparse_csr(), r"\.to_dense\(\)"),
    "oneDNN": (lambda: torch.eye(3).to_mkldnn(), r"\.to_dense\(\)"),
    "quantized": (
        lambda: torch.quantize_per_tensor(torch.zeros(3, 4), 1.0, 0, torch.qint8),
        r"\.dequantize\(\), or \.int_repr\(\)",
    ),
    "nested": (
        lambda: torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]),
        r"\.to_padded_tensor",
    ),
    "conjugated": (lambda: torch.zeros(3, 4, dtype=torch.complex64).conj(), r"\.resolve_conj\(\)"),
    "negated": (
        lambda: torch.zeros(3, 4, dtype=torch.complex64).conj().imag,
        r"\.resolve_neg\(\)",
    ),
    "negated integers": (lambda: negated(torch.int32), r"\.resolve_neg\(\)"),
    "negated bfloat16": (lambda: negated(torch.bfloat16), r"\.resolve_neg\(\)"),
    "negated complex": (lambda: negated(torch.complex64), r"\.resolve_neg\(\)"),
    "four bits an integer": (
        lambda: torch.zeros(3, 4, dtype=torch.uint8).view(torch.uint4),
        r"uint4.*\.view\(\)",
    ),
    "seven bits and a sign": (
        lambda: torch.zeros(3, 4, dtype=torch.uint8).view(torch.int7),
        r"int7.*\.view\(\)",
    ),
    "half complex": (lambda: torch.zeros(3, 4, dtype=torch.complex32), r"complex32.*\.view\(\)"),
    "four bits": (
        lambda: torch.zeros(3, 4, dtype=torch.uint8).view(torch.float4_e2m1fn_x2),
        r"float4_e2m1fn_x2.*\.view\(\)",
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_call_to_make(name: str) -> None:
    make, advice = REFUSED[name]
    dmlc.copy(torch.zeros(1))  # from the first tensor on, the binding reads little ones itself
    tensor = make()
    values = np.zeros((3, 4), np.float32)
    for use in (
        lambda: dmlc.copy(tensor),
        lambda: dmlc.pad(tensor, 1),
        lambda: dmlc.pad_sequence([values, tensor]),
        lambda: dmlc.copy(values, out=tensor),
        lambda: dmlc.fill_band(values, 0, 1, tensor),
    ):
        with pytest.raises(TypeError, match=advice) as raised:
            use()
        assert "must be a plain array in memory, got " in str(raised.value)


@every_type
def test_batches_of_every_type(name: str) -> None:
    array = random_values((3, 5, 7), EVERY_TYPE[name][1])
    for function in (dmlc.stack, dmlc.collate, dmlc.pad_sequence):
        for rows in (
            list(array),
            [array[0].T, array[1].T],
            [array[0, ::2, ::3], array[1, ::2, ::3]],
        ):
            assert_same(function([tensor_of(row) for row in rows]), function(rows))
        mixed = [array[0], tensor_of(array[1])]
        assert_same(function(mixed), function([array[0], array[1]]))


@pytest.mark.parametrize("name", ("uint8", "float32", "complex128", "bfloat16"))
@pytest.mark.parametrize("step", (1, 3))
def test_tensors_of_every_size(name: str, step: int) -> None:
    """Little ones are copied, larger ones borrowed."""
    dtype = EVERY_TYPE[name][1]
    for size in (0, 1, 8191, 8192, 8193, 32767, 32768, 32769):
        array = random_values((max(size // dtype.itemsize, size % 2), 1), dtype)
        assert_same(dmlc.flip(tensor_of(array)[::step]), array[::step][::-1].copy())


def test_parameters_and_subclasses() -> None:
    class Doubled(torch.Tensor):  # type: ignore[misc]
        """Its elements mean twice of what they are."""

        def numpy(self) -> Any:
            return 2 * self.as_subclass(torch.Tensor).numpy()

    plain = torch.arange(3.0)
    assert dmlc.copy(plain).tolist() == [0, 1, 2]
    assert dmlc.copy(plain.as_subclass(Doubled)).tolist() == [0, 2, 4]
    trained = torch.nn.Parameter(plain)
    with pytest.raises(TypeError, match=r"requires gradients: pass \.detach\(\)"):
        dmlc.copy(trained)
    with torch.no_grad():
        assert dmlc.copy(trained).tolist() == [0, 1, 2]


class Resizing:
    """An entry that resizes a tensor when it is asked for its value."""

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor

    def __index__(self) -> int:
        self._tensor.untyped_storage().resize_(0)
        return 1


def test_a_tensor_that_goes_while_arguments_are_converted() -> None:
    for dtype in (torch.float32, torch.bfloat16):
        tensor = torch.arange(6).to(dtype).reshape(2, 3)
        start: Any = (Resizing(tensor), 0)
        assert dmlc.window(tensor, start, (1, 3)).tolist() == [[3, 4, 5]]
        assert tensor.untyped_storage().nbytes() == 0
        # What is written is not resized.
        out = torch.zeros(4, 5, dtype=dtype)
        dmlc.pad(torch.ones(2, 3, dtype=dtype), 1, out=out)
        with pytest.raises(RuntimeError, match="resiz"):
            out.untyped_storage().resize_(0)


def refuse(tensor: Any) -> Any:
    with pytest.raises(TypeError, match=r"not at hand.*call dmlc\.torch|requires gradients"):
        dmlc.copy(tensor)
    return tensor * 2


def test_transforms_are_refused() -> None:
    tensor = torch.zeros(2, 3)
    torch.func.vmap(refuse)(tensor)
    torch.func.functionalize(refuse)(tensor)
    torch.func.grad(lambda tensor: refuse(tensor).sum())(tensor)
    torch.func.jvp(refuse, (tensor,), (tensor,))
    with torch.autograd.forward_ad.dual_level():
        refuse(torch.autograd.forward_ad.make_dual(tensor, tensor))


def test_without_ml_dtypes_bits_are_integers() -> None:
    run_python(
        """
import sys
sys.modules["ml_dtypes"] = None
import numpy as np
import torch
import dmlc

tensor = torch.tensor([1.0, -2.0], dtype=torch.bfloat16)
result = dmlc.flip(tensor)
assert result.dtype == np.uint16 and result.tolist() == [0xC000, 0x3F80], result
out = torch.zeros(2, dtype=torch.bfloat16)
dmlc.flip(tensor, out=out)
assert out.tolist() == [-2.0, 1.0]
assert dmlc.copy(torch.zeros(2, dtype=torch.float8_e5m2)).dtype == np.uint8
"""
    )


# --- JAX, TensorFlow, and what has a protocol ----------------------------------------------------


def test_jax() -> None:
    if importlib.util.find_spec("jax") is None:
        pytest.skip("JAX is not installed")
    import jax
    import jax.numpy as jnp

    for dtype in (np.float32, np.int8, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2):
        values = np.arange(6).astype(dtype).reshape(2, 3)
        for _ in range(2):  # the first array may make its class known
            assert_same(dmlc.flip(jnp.asarray(values)), values[::-1, ::-1].copy())
        assert_same(dmlc.stack([jnp.asarray(values)] * 2), np.stack([values] * 2))
    frozen = jnp.zeros((2, 3))
    deleted = jnp.ones(3)
    deleted.delete()
    with pytest.raises(RuntimeError, match="deleted"):
        dmlc.copy(deleted)
    with pytest.raises(RuntimeError, match="deleted"):
        dmlc.stack([frozen, deleted])
    with pytest.raises(ValueError, match="read-only"):
        dmlc.copy(np.ones((2, 3), np.float32), out=frozen)
    assert not frozen.any()
    for transform in (jax.jit, jax.vmap):
        with pytest.raises(TypeError, match=r"traced: call it outside of jax\.jit"):
            transform(lambda array: dmlc.copy(array))(frozen)
    from jax.experimental.sparse import BCOO

    with pytest.raises(TypeError, match=r"sparse: pass \.todense\(\)"):
        dmlc.copy(BCOO.fromdense(frozen))


def test_tensorflow() -> None:
    if importlib.util.find_spec("tensorflow") is None:
        pytest.skip("TensorFlow is not installed")
    import tensorflow as tf

    for dtype in (np.float32, np.int8, ml_dtypes.bfloat16):
        values = np.arange(6).astype(dtype).reshape(2, 3)
        for _ in range(2):  # the first array may make its class known
            assert_same(dmlc.flip(tf.constant(values)), values[::-1, ::-1].copy())
        assert_same(dmlc.stack([tf.constant(values)] * 2), np.stack([values] * 2))
        assert_same(dmlc.flip(tf.Variable(values)), values[::-1, ::-1].copy())
    frozen = tf.zeros((2, 3))
    with pytest.raises((TypeError, ValueError), match="out must be"):
        dmlc.copy(np.ones((2, 3), np.float32), out=frozen)
    with pytest.raises((TypeError, ValueError), match="out must be"):
        dmlc.copy(np.ones((2, 3), np.float32), out=tf.Variable(frozen))
    assert not np.any(frozen)
    with pytest.raises(TypeError, match=r"symbolic: call it outside of tf\.function"):
        tf.function(lambda tensor: dmlc.copy(tensor))(frozen)
    with pytest.raises(TypeError, match=r"sparse: pass tf\.sparse\.to_dense"):
        dmlc.copy(tf.sparse.from_dense(frozen))
    with pytest.raises(TypeError, match=r"ragged: pass \.to_tensor\(\)"):
        dmlc.copy(tf.ragged.constant([[1], [2, 3]]))


class Interface:
    """Memory that has an address and no more."""

    def __init__(self, memory: Array) -> None:
        self._memory = memory
        self.__array_interface__ = memory.__array_interface__


def test_out_by_its_protocol() -> None:
    memory = np.zeros((2, 3), np.float32)
    values = np.ones((2, 3), np.float32)
    out = Interface(memory)
    result: Any = dmlc.copy(values, out=out)  # type: ignore[arg-type]
    assert result is out
    assert_same(memory, values)
    memory.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        dmlc.copy(values, out=Interface(memory))  # type: ignore[arg-type]
