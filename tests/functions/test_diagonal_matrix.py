"""dmlc.eye, tri, tril, triu, diagonal_matrix, fill_band and causal_mask."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlc
import specification_examples
import strategies
from arrays import (
    ALL_DTYPES,
    LAYOUTS,
    WIDTH_DTYPES,
    assert_fresh,
    assert_same,
    lay_out,
    random_values,
)
from functions.outcomes import assert_same_outcome
from reference import diagonal_matrix
from specification_examples import Example

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
diagonals = st.integers(-30, 30) | st.sampled_from([INT32_MIN, INT32_MAX, 2**40, -(2**40)])


@pytest.mark.parametrize("example", specification_examples.DIAGONAL_MATRIX, ids=str)
def test_specification_example(example: Example) -> None:
    fields = example.fields
    begin, end = fields["diagonal_fill_begin"], fields["diagonal_fill_end"]
    if example.inputs:
        array = example.inputs["input_tensor"]
        assert_same(dmlc.fill_band(array, begin, end, fields["value"]), example.output)
    else:
        result = dmlc.diagonal_matrix(example.output.shape, begin, end, fields["value"])
        assert_same(result, example.output)


# --- eye and tri --------------------------------------------------------------------------------

CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((0,), {}),
    ((1,), {}),
    ((5,), {}),
    ((5, None, 2), {}),
    ((3, 7), {}),
    ((7, 3), {}),
    ((3, 7, 2), {}),
    ((3, 7, -2), {}),
    ((3, 7, 7), {}),
    ((3, 7, 8), {}),
    ((3, 7, -3), {}),
    ((3, 7, -4), {}),
    ((3, 7, 10**6), {}),
    ((3, 7, -(10**6)), {}),
    ((3, 0), {}),
    ((0, 3), {}),
    ((3, 4, 1, np.int8), {}),
    ((3,), {"dtype": bool}),
    ((3,), {"dtype": "complex64"}),
    ((3,), {"dtype": ">i2"}),
    ((3,), {"M": 5, "k": np.int64(1)}),
    ((np.int64(3), np.uint8(4)), {}),
    ((3,), {"k": True}),
    ((-1,), {}),
    ((3, -1), {}),
    ((3.0,), {}),
    ((3, 4.0), {}),
    (("3",), {}),
    ((3,), {"dtype": "nonsense"}),
]


@pytest.mark.parametrize(("arguments", "keywords"), CALLS, ids=repr)
@pytest.mark.parametrize("name", ["eye", "tri"])
def test_eye_and_tri_calls(name: str, arguments: tuple[Any, ...], keywords: Any) -> None:
    if name == "tri" and any(isinstance(argument, float) for argument in arguments):
        pytest.skip("np.tri takes sizes that are no integers, by accident")
    assert_same_outcome(
        lambda: getattr(np, name)(*arguments, **keywords),
        lambda: getattr(dmlc, name)(*arguments, **keywords),
    )


@pytest.mark.parametrize("order", ["C", "F", "c", "f", None])
def test_eyes_order_is_numpys(order: Any) -> None:
    expected, result = np.eye(2, 3, order=order), dmlc.eye(2, 3, order=order)
    assert_same(np.ascontiguousarray(result), np.ascontiguousarray(expected))
    assert result.strides == expected.strides


def test_there_is_no_other_order_of_eye() -> None:
    with pytest.raises(ValueError, match="eye: order must be 'C' or 'F', got 'A'"):
        dmlc.eye(2, order="A")  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", [d for d in ALL_DTYPES if d.kind not in "mM"], ids=str)
def test_eye_and_tri_of_every_dtype(dtype: Any) -> None:
    assert_same(dmlc.eye(4, 6, 1, dtype), np.eye(4, 6, 1, dtype))
    assert_same(dmlc.tri(4, 6, 1, dtype), np.tri(4, 6, 1, dtype))


@given(n=st.integers(0, 90), m=st.integers(0, 90), k=st.integers(-100, 100), data=st.data())
def test_eye_and_tri_are_numpys(n: int, m: int, k: int, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(WIDTH_DTYPES))
    pairs: list[tuple[Any, Any]] = [(dmlc.eye, np.eye), (dmlc.tri, np.tri)]
    for ours, numpys in pairs:
        result = ours(n, m, k, dtype)
        assert_same(result, numpys(n, m, k, dtype))
        assert_fresh(result)


@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
def test_every_diagonal_of_eye_tri_tril_and_triu(dtype: Any) -> None:
    for height, width in [(1, 1), (9, 11), (11, 9), (3, 40)]:
        array = random_values((2, height, width), dtype, 1)
        for k in range(-height - 2, width + 3):
            assert_same(dmlc.eye(height, width, k, dtype), np.eye(height, width, k, dtype))
            assert_same(dmlc.tri(height, width, k, dtype), np.tri(height, width, k, dtype))
            assert_same(dmlc.tril(array, k), np.tril(array, k))
            assert_same(dmlc.triu(array, k), np.triu(array, k))


# --- tril and triu ------------------------------------------------------------------------------


@given(st.data())
def test_tril_and_triu_are_numpys(data: st.DataObject) -> None:
    array = data.draw(strategies.laid_out(strategies.shapes(min_rank=2)))
    k = data.draw(diagonals)
    for ours, numpys in [(dmlc.tril, np.tril), (dmlc.triu, np.triu)]:
        result = ours(array, k)
        # NumPy's promotion turns a foreign byte order into the native one; dmlc keeps the type.
        assert_same(result, np.array(numpys(array, k), dtype=array.dtype, order="C"))
        assert_fresh(result)


@pytest.mark.parametrize("array", [[1, 2, 3], [[1, 2], [3, 4]], [[]], np.zeros((0, 0))], ids=repr)
@pytest.mark.parametrize("name", ["tril", "triu"])
def test_tril_and_triu_of_lists(name: str, array: Any) -> None:
    assert_same_outcome(lambda: getattr(np, name)(array), lambda: getattr(dmlc, name)(array))


@pytest.mark.parametrize("name", ["tril", "triu"])
def test_tril_and_triu_of_a_scalar_raise_what_numpy_raises(name: str) -> None:
    assert_same_outcome(lambda: getattr(np, name)(5), lambda: getattr(dmlc, name)(5))


# --- diagonal_matrix ----------------------------------------------------------------------------


@given(
    shape=strategies.shapes(min_rank=2, max_rank=5),
    begin=diagonals,
    end=diagonals,
    dtype=strategies.all_dtypes,
    seed=strategies.seeds,
)
def test_diagonal_matrix_is_the_twin(
    shape: tuple[int, ...], begin: int, end: int, dtype: Any, seed: int
) -> None:
    value = np.asarray(random_values((1,), dtype, seed)[0], dtype)
    result = dmlc.diagonal_matrix(shape, begin, end, value, dtype=dtype)
    assert_same(result, diagonal_matrix.diagonal_matrix(shape, begin, end, value))
    assert_fresh(result)


def test_diagonal_matrix_defaults() -> None:
    assert_same(dmlc.diagonal_matrix((3, 4)), np.eye(3, 4, dtype=np.float32))


@pytest.mark.parametrize("shape", [(), (3,), 3, (3, -1)], ids=repr)
def test_diagonal_matrix_wrong_shape(shape: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        dmlc.diagonal_matrix(shape)


def test_diagonal_matrix_wrong_types() -> None:
    with pytest.raises(TypeError):
        dmlc.diagonal_matrix((3, 3), 0.5, 2)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        dmlc.diagonal_matrix((3, 3), dtype=object)


# --- fill_band ----------------------------------------------------------------------------------


@given(st.data())
def test_fill_band_is_the_twin(data: st.DataObject) -> None:
    array = data.draw(strategies.laid_out(strategies.shapes(min_rank=2)))
    begin, end = data.draw(diagonals), data.draw(diagonals)
    bits = random_values((1,), array.dtype, data.draw(strategies.seeds))
    value = np.asarray(bits[0], array.dtype)
    result = dmlc.fill_band(array, begin, end, value)
    expected = diagonal_matrix.fill_band(array, begin, end, value)
    assert_same(result, expected)
    assert_fresh(result)
    in_place = np.array(array, order="K", copy=True)
    assert dmlc.fill_band(in_place, begin, end, value, out=in_place) is in_place
    assert_same(np.array(in_place, order="C"), expected)


@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
def test_fill_band_of_every_small_matrix(dtype: Any) -> None:
    value = np.array(5, dtype)
    for height, width in itertools.product([1, 2, 3, 5, 16, 33], repeat=2):
        array = random_values((2, height, width), dtype, width)
        edges = sorted({INT32_MIN, -height, 1 - height, -1, 0, 1, width - 1, width, INT32_MAX})
        for begin, end in itertools.product(edges, repeat=2):
            result = dmlc.fill_band(array, begin, end, value)
            assert_same(result, diagonal_matrix.fill_band(array, begin, end, value))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout(layout: str) -> None:
    for dtype in WIDTH_DTYPES:
        for shape in [(0, 3), (3, 5), (2, 5, 4), (2, 1, 3, 3)]:
            array = lay_out(random_values(shape, dtype, 2), layout)
            value = np.array(3, dtype)
            result = dmlc.fill_band(array, -1, 2, value)
            assert_same(result, diagonal_matrix.fill_band(array, -1, 2, value))
            assert_same(dmlc.tril(array), np.array(np.tril(array), order="C"))


def test_fill_band_wrong_arguments() -> None:
    with pytest.raises(ValueError):
        dmlc.fill_band(np.zeros(3), 0, 1, 0)
    with pytest.raises(ValueError):
        dmlc.fill_band(np.zeros(()), 0, 1, 0)
    with pytest.raises(TypeError):
        dmlc.fill_band(np.zeros((3, 3)), 0.5, 1, 0)  # type: ignore[arg-type]


# --- causal_mask --------------------------------------------------------------------------------


@given(
    n=st.integers(0, 70),
    m=st.integers(0, 70) | st.none(),
    window=st.integers(1, 80) | st.none(),
    dtype=st.sampled_from(WIDTH_DTYPES),
)
def test_causal_mask_is_the_twin(n: int, m: int | None, window: int | None, dtype: Any) -> None:
    value = np.array(7, dtype)
    result = dmlc.causal_mask(n, m, window=window, value=value, dtype=dtype)
    width = n if m is None else m
    assert_same(result, diagonal_matrix.causal_mask(n, width, window, value))
    assert_fresh(result)


def test_causal_mask_defaults() -> None:
    expected = np.triu(np.full((3, 3), -np.inf, np.float32), 1)
    assert_same(dmlc.causal_mask(3), expected)
    assert_same(dmlc.causal_mask(2, 3), expected[1:].copy())


def test_causal_mask_of_booleans() -> None:
    result = dmlc.causal_mask(3, value=True, dtype=np.bool_)
    assert_same(result, ~np.tri(3, dtype=np.bool_))


def test_causal_mask_wrong_arguments() -> None:
    with pytest.raises(ValueError):
        dmlc.causal_mask(-1)
    with pytest.raises(ValueError, match="window"):
        dmlc.causal_mask(3, window=0)
    with pytest.raises(TypeError):
        dmlc.causal_mask(2.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("far", [2**62 - 1, 2**62, 2**62 + 1, 2**63 - 1, 2**63, 2**70])
def test_diagonals_beyond_every_element(far: int) -> None:
    array = random_values((3, 4), np.dtype(np.int32), 1)
    nothing = np.zeros_like(array)
    assert_same(dmlc.tril(array, far), array)
    assert_same(dmlc.tril(array, -far), nothing)
    assert_same(dmlc.triu(array, far), nothing)
    assert_same(dmlc.triu(array, -far), array)
    assert_same(dmlc.tri(3, 4, far, np.int32), np.ones_like(array))
    assert_same(dmlc.tri(3, 4, -far, np.int32), nothing)
    assert_same(dmlc.eye(3, 4, far, np.int32), nothing)
    assert_same(dmlc.eye(3, 4, -far, np.int32), nothing)
