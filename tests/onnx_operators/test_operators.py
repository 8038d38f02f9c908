"""Every operator against the definition, for types and opsets that ONNX's node tests leave out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from arrays import Array

pytest.importorskip("onnx")

import onnx.helper
import onnx.reference

import dmlc.onnx
from dmlc.onnx.operators import OPERATORS

NUMBERS = np.arange(1, 25).reshape(2, 3, 4)
STRINGS = np.array([f"element {i}" for i in range(24)], object).reshape(2, 3, 4)
FIXED_STRINGS = STRINGS.astype("U10")
INPUTS = {
    "strings": STRINGS,
    "fixed strings": FIXED_STRINGS,
    **{
        np.dtype(dtype).name: NUMBERS.astype(dtype)
        for dtype in (
            *(bool, np.uint8, np.int16, np.float16, np.uint32, np.float64, np.complex64),
            *(np.complex128, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.uint4),
        )
    },
}


def run(name: str, *inputs: Any, opset: int = 18, **attributes: Any) -> Array:
    """One node in a model of the given operator set; None is an input left out."""
    given = {f"x{i}": value for i, value in enumerate(inputs) if value is not None}
    names = [f"x{i}" if value is not None else "" for i, value in enumerate(inputs)]
    node = onnx.helper.make_node(name, names, ["y"], **attributes)
    values = [onnx.helper.make_empty_tensor_value_info(n) for n in (*given, "y")]
    graph = onnx.helper.make_graph([node], "one_node", values[:-1], values[-1:])
    opsets = [onnx.helper.make_opsetid("", opset)]
    model = onnx.helper.make_model(graph, opset_imports=opsets)
    (result,) = dmlc.onnx.ReferenceEvaluator(model).run(None, given)
    return np.asarray(result)


def same(actual: Array, expected: Any) -> None:
    expected = np.asarray(expected)
    assert actual.dtype.kind == expected.dtype.kind
    assert actual.dtype == expected.dtype or expected.dtype.kind in "SU"
    assert actual.shape == expected.shape
    assert actual.tolist() == expected.tolist()
    assert actual.flags.c_contiguous


def int64(*values: int) -> Array:
    return np.array(values, np.int64)


@pytest.mark.parametrize("array", INPUTS.values(), ids=INPUTS)
class TestEveryType:
    def test_pad(self, array: Array) -> None:
        constant = array[1, 1, 1:2]
        expected = np.full((3, 3, 7), constant, array.dtype)
        expected[1:, :, 1:5] = array
        same(run("Pad", array, int64(1, 0, 1, 0, 0, 2), constant), expected)

    def test_pad_by_default(self, array: Array) -> None:
        nothing = "" if array.dtype.kind in "OU" else 0
        expected = np.full((2, 3, 5), nothing, array.dtype)
        expected[:, :, 1:] = array
        same(run("Pad", array, int64(1, 0), None, int64(-1)), expected)

    @pytest.mark.parametrize("mode", ["edge", "reflect", "wrap"])
    def test_pad_modes(self, array: Array, mode: Any) -> None:
        expected = np.pad(array, [(0, 0), (1, 2), (7, 0)], mode)
        result = run("Pad", array, int64(0, 1, 7, 0, 2, 0), mode=mode, opset=19)
        same(result, expected)

    def test_pad_crops(self, array: Array) -> None:
        expected = np.pad(array[:, 1:, :-2], [(0, 0), (0, 1), (3, 0)], "edge")
        same(run("Pad", array, int64(0, -1, 3, 0, 1, -2), mode="edge"), expected)

    def test_slice(self, array: Array) -> None:
        result = run("Slice", array, int64(-1, 3), int64(-9, 0), int64(1, 2), int64(-1, -2))
        same(result, array[:, ::-1, 3:0:-2])

    def test_transpose(self, array: Array) -> None:
        same(run("Transpose", array), array.T)
        same(run("Transpose", array, perm=[1, 0, 2]), array.transpose(1, 0, 2))

    def test_tile(self, array: Array) -> None:
        same(run("Tile", array, int64(2, 1, 3)), np.tile(array, (2, 1, 3)))
        same(run("Tile", array, int64(2, 0, 3)), np.tile(array, (2, 0, 3)))

    def test_depth_and_space(self, array: Array) -> None:
        image = np.tile(array, (1, 4, 1))[None, ..., :2]
        deep = run("SpaceToDepth", image, blocksize=2)
        assert deep.shape == (1, 8, 6, 1)
        same(deep[:, 2:4], image[:, :, ::2, 1::2])
        same(run("DepthToSpace", deep, blocksize=2), image)

    def test_center_crop_pad(self, array: Array) -> None:
        result = run("CenterCropPad", array, int64(1, 7), axes=[1, -1])
        nothing = "" if array.dtype.kind in "OU" else 0
        expected = np.full((2, 1, 7), nothing, array.dtype)
        expected[:, :, 1:5] = array[:, 1:2]
        same(result, expected)

    @pytest.mark.parametrize("upper", [0, 1])
    def test_trilu(self, array: Array, upper: int) -> None:
        nothing = "" if array.dtype.kind in "OU" else 0
        expected = array.copy()
        distance = np.arange(4) - np.arange(3)[:, None]
        expected[:, distance < 1 if upper else distance > 1] = nothing
        same(run("Trilu", array, np.array(1), upper=upper), expected)

    def test_one_hot(self, array: Array) -> None:
        values = array[0, 0, :2]
        indices = np.array([0, -1, 3, 2, -4, 1], np.int8)
        off, on = values
        expected = np.full((6, 3), off, array.dtype)
        expected[[0, 1, 3, 5], [0, 2, 2, 1]] = on
        same(run("OneHot", indices, int64(3), values), expected)


@pytest.mark.parametrize("opset", [9, 22])
def test_eye_like(opset: int) -> None:
    data = np.zeros((2, 3), np.float16)
    same(run("EyeLike", data, k=1, opset=opset), np.eye(2, 3, 1, dtype=np.float16))
    bfloat16 = run("EyeLike", data, dtype=onnx.TensorProto.BFLOAT16, opset=opset)
    same(bfloat16, np.eye(2, 3, dtype=ml_dtypes.bfloat16))


@pytest.mark.parametrize(("opset", "field"), [(1, "paddings"), (2, "pads")])
def test_pads_that_are_attributes(opset: int, field: str) -> None:
    array = np.ones((2, 3), np.float32)
    attributes: dict[str, Any] = {field: [1, 0, 0, 2], "value": 2.5}
    expected = np.pad(array, [(1, 0), (0, 2)], constant_values=2.5)
    same(run("Pad", array, opset=opset, **attributes), expected)
    expected = np.pad(array, [(1, 0), (0, 2)], "edge")
    same(run("Pad", array, opset=opset, mode="edge", **{field: [1, 0, 0, 2]}), expected)


def test_slices_that_are_attributes() -> None:
    same(run("Slice", NUMBERS, starts=[1], ends=[-1], axes=[2], opset=1), NUMBERS[:, :, 1:-1])
    same(run("Slice", NUMBERS, starts=[0, 1], ends=[9, 2], opset=1), NUMBERS[:, 1:2])


def test_slice_backward_from_before_the_first_element() -> None:
    """The schema clamps a start to the first element, which Python's slices do not."""
    array = np.arange(10, 13)
    for start in (-3, -8, -(2**62)):
        same(run("Slice", array, int64(start), int64(-(2**62)), int64(0), int64(-1)), array[:1])
    same(run("Slice", array[:0], int64(-8), int64(-9), int64(0), int64(-1)), array[:0])


@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_slice_bounds_beyond_all(step: int, dtype: Any) -> None:
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    start, end = (least, most) if step > 0 else (most, least)
    bounds = [np.array([value], dtype) for value in (start, end, 0, step)]
    same(run("Slice", NUMBERS, *bounds), NUMBERS[::step])


def test_tile_along_one_axis() -> None:
    count, axis = np.array(3), np.array(1)
    same(run("Tile", NUMBERS, count, axis, opset=1), np.tile(NUMBERS, (1, 3, 1)))


@pytest.mark.parametrize("axis", [-3, -1, 0, 1, 2])
def test_one_hot_takes_any_number(axis: int) -> None:
    indices = np.array([[0.0, 2.0], [-1.0, 5.0]], np.float32)
    values = np.array([2, 7], np.int16)
    off_last = np.array([[[7, 2, 2], [2, 2, 7]], [[2, 2, 7], [2, 2, 2]]], np.int16)
    expected = np.moveaxis(off_last, 2, axis)
    same(run("OneHot", indices, np.float64(3), values, axis=axis), expected)


def test_inputs_of_any_layout() -> None:
    strided = np.arange(64.0).reshape(2, 4, 4, 2)[::-1].transpose(0, 2, 1, 3)
    (expected,) = onnx.reference.ReferenceEvaluator(
        onnx.helper.make_node("SpaceToDepth", ["x"], ["y"], blocksize=2)
    ).run(None, {"x": strided})
    same(run("SpaceToDepth", strided, blocksize=2), expected)


@pytest.mark.parametrize(
    ("name", "inputs", "attributes", "message"),
    [
        ("Pad", (NUMBERS, int64(1)), {}, "pads must have 2 [*] axes = 6 entries, got 1"),
        ("Pad", (NUMBERS, int64(*[0] * 6)), {"mode": "odd"}, "mode must be .* got 'odd'"),
        ("Pad", (NUMBERS, int64(0, 0), None, int64(3)), {}, r"axes\[0\] must be -3 to 2, got 3"),
        ("Pad", (NUMBERS, int64(*[0] * 4), None, int64(1, -2)), {}, "axes must differ"),
        ("Pad", (NUMBERS, int64(*[0] * 6), int64(1, 2)), {}, "constant_value must be one .* got 2"),
        ("Pad", (NUMBERS, int64(*[-3] * 6)), {}, "must crop at most the axis' 2 elements"),
        ("Slice", (NUMBERS, int64(0), int64(1, 2)), {}, "ends must have axes = 1 entries, got 2"),
        ("Slice", (NUMBERS, *[int64(0)] * 4), {}, r"steps\[0\] must not be 0, got 0"),
        ("OneHot", (int64(1), int64(-1), int64(0, 1)), {}, "depth must be at least 0, got -1"),
        ("OneHot", (int64(1), int64(1), int64(0)), {}, "values must be off and on, .* got 1"),
        ("OneHot", (int64(1), int64(1), int64(0, 1)), {"axis": 2}, "axis must be -2 to 1, got 2"),
        ("OneHot", (int64(1), np.float32("nan"), int64(0, 1)), {}, "depth must be a number"),
        ("EyeLike", (NUMBERS,), {}, "must have 2 dimensions, got 3"),
        ("EyeLike", (NUMBERS[0],), {"dtype": 8}, "dtype must be a type of numbers"),
        ("EyeLike", (NUMBERS[0],), {"dtype": 999}, "dtype must be a type of tensors, got 999"),
        ("Trilu", (int64(1),), {}, "at least 2 dimensions, got 1"),
        ("Trilu", (NUMBERS, int64(1, 2)), {}, "k must be one number, got 2"),
        ("CenterCropPad", (NUMBERS, int64(1)), {}, "shape must have axes = 3 entries, got 1"),
        ("CenterCropPad", (NUMBERS, int64(1, 1, -1)), {}, "shape must not be negative"),
        ("Transpose", (NUMBERS,), {"perm": [0, 0, 1]}, "perm must hold each of the 3 axes once"),
        ("Tile", (NUMBERS, int64(1)), {}, "repeats must have rank of the input = 3 entries"),
        ("Tile", (NUMBERS, int64(1, 1, -1)), {}, "repeats must not be negative"),
        ("SpaceToDepth", (NUMBERS,), {"blocksize": 2}, "must have 4 dimensions, got 3"),
        ("SpaceToDepth", (NUMBERS[None],), {"blocksize": 2}, "multiples of blocksize = 2"),
        ("SpaceToDepth", (NUMBERS[None],), {"blocksize": 0}, "blocksize must be at least 1, got 0"),
        ("DepthToSpace", (NUMBERS[None],), {"blocksize": 2}, "multiple of blocksize[*][*]2 = 4"),
        (
            "DepthToSpace",
            (NUMBERS[None],),
            {"blocksize": 1, "mode": "x"},
            "mode must be DCR or CRD",
        ),
    ],
)
def test_what_is_wrong_is_said(
    name: str, inputs: Sequence[Any], attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        run(name, *inputs, **attributes)


def test_an_operator_for_each_name() -> None:
    given = dmlc.onnx.ops()
    assert {(cls.op_domain, cls.__name__) for cls in given} == {("", name) for name in OPERATORS}
    given.clear()
    assert len(dmlc.onnx.ops()) == len(OPERATORS)
