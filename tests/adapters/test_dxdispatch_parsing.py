"""Right and wrong model files: what is read, and each complaint with its whole text."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dmlc.adapters.dxdispatch.model import (
    Binding,
    DispatchCommand,
    Model,
    PrintCommand,
    WriteFileCommand,
    resource_bytes,
)
from dmlc.adapters.dxdispatch.parsing import load_model, parse_model
from dmlc.descriptors import (
    BufferTensorDesc,
    DiagonalMatrix1OperatorDesc,
    DiagonalMatrixOperatorDesc,
    OneHotOperatorDesc,
    Padding1OperatorDesc,
    PaddingOperatorDesc,
    Slice1OperatorDesc,
    SliceOperatorDesc,
)
from dmlc.descriptors.json.place import ModelError
from dmlc.enums import PaddingMode, TensorDataType, TensorFlags

FLOAT32 = TensorDataType.FLOAT32
IN = {"DataType": "FLOAT32", "Sizes": [1, 2]}
OUT = {"DataType": "FLOAT32", "Sizes": [2, 4]}
IN_DESC = BufferTensorDesc(FLOAT32, (1, 2))
OUT_DESC = BufferTensorDesc(FLOAT32, (2, 4))

PADDING = {
    "InputTensor": IN,
    "OutputTensor": OUT,
    "PaddingMode": "REFLECTION",
    "PaddingValue": 0,
    "DimensionCount": 2,
    "StartPadding": [0, 1],
    "EndPadding": [1, 1],
}


def base() -> dict[str, Any]:
    """A right model, as JSON values, for the tests to break."""
    return copy.deepcopy(
        {
            "resources": {
                "in": {"initialValuesDataType": "FLOAT32", "initialValues": [1, 2]},
                "out": {
                    "initialValuesDataType": "FLOAT32",
                    "initialValues": {"valueCount": 8, "value": 0},
                },
            },
            "dispatchables": {"pad": {"type": "DML_OPERATOR_PADDING", "desc": PADDING}},
            "commands": [
                {
                    "type": "dispatch",
                    "dispatchable": "pad",
                    "bindings": {"InputTensor": "in", "OutputTensor": "out"},
                },
                {"type": "print", "resource": "out"},
                {"type": "writeFile", "resource": "out", "targetPath": "out.npy"},
            ],
        }
    )


def parse(model: Any) -> Model:
    return parse_model(json.dumps(model))


def parse_resource(**members: Any) -> Any:
    return parse({"resources": {"r": members}, "dispatchables": {}, "commands": []}).resources["r"]


def parse_operator(kind: str, desc: Any) -> Any:
    dispatchables = {"d": {"type": kind, "desc": desc}}
    model = parse({"resources": {}, "dispatchables": dispatchables, "commands": []})
    return model.dispatchables["d"]


# Resources


def test_a_whole_model() -> None:
    model = parse(base())
    assert list(model.resources) == ["in", "out"]
    assert model.dispatchables["pad"].desc == PaddingOperatorDesc(
        IN_DESC, OUT_DESC, PaddingMode.REFLECTION, 0.0, (0, 1), (1, 1)
    )
    assert model.commands == (
        DispatchCommand(
            "commands[0]",
            "pad",
            {
                "InputTensor": Binding("commands[0].bindings.InputTensor", "in", 0, 8),
                "OutputTensor": Binding("commands[0].bindings.OutputTensor", "out", 0, 32),
            },
        ),
        PrintCommand("commands[1]", "out", verbose=False),
        WriteFileCommand("commands[2]", "out", "out.npy", None),
    )


@pytest.mark.parametrize(
    ("data_type", "values", "expected"),
    [
        (
            "FLOAT32",
            [1, 2.5, "nan", "inf", "-inf"],
            np.array([1, 2.5, np.nan, np.inf, -np.inf], np.float32),
        ),
        ("FLOAT32", ["NaN", "Inf", "-Inf"], np.array([np.nan, np.inf, -np.inf], np.float32)),
        ("DML_TENSOR_DATA_TYPE_FLOAT64", [0.1, -0.0], np.array([0.1, -0.0], np.float64)),
        ("FLOAT64", [2**63 + 1], np.array([2.0**63], np.float64)),
        ("FLOAT32", [16777217, 1e39, 1e-46], np.array([16777216, np.inf, 0], np.float32)),
        (
            "FLOAT16",
            [65504, -65504, 65520, "nan"],
            np.array([65504, -65504, np.inf, np.nan], np.float16),
        ),
        # FLOAT16 by way of FLOAT32: a little more than the tie 1 + 2^-11 is the tie in FLOAT32.
        ("FLOAT16", [1.0004882812500002], np.array([1], np.float16)),
        ("UINT8", [0, 255], np.array([0, 255], np.uint8)),
        ("INT8", [-128, 127], np.array([-128, 127], np.int8)),
        ("UINT16", [65535], np.array([65535], np.uint16)),
        ("INT16", [-32768], np.array([-32768], np.int16)),
        ("UINT32", [4294967295], np.array([4294967295], np.uint32)),
        ("INT32", [-2147483648], np.array([-2147483648], np.int32)),
        ("UINT64", [18446744073709551615], np.array([2**64 - 1], np.uint64)),
        (
            "INT64",
            [-9223372036854775808, 9007199254740993],
            np.array([-(2**63), 2**53 + 1], np.int64),
        ),
        ("INT32", {"valueCount": 3, "value": -7}, np.array([-7, -7, -7], np.int32)),
        ("FLOAT32", {"valueCount": 1, "value": 2**70}, np.array([2.0**70], np.float32)),
        ("FLOAT16", {"valueCount": 2, "value": "-inf"}, np.array([-np.inf, -np.inf], np.float16)),
        (
            "FLOAT32",
            {"valueCount": 4, "valueStart": 1, "valueDelta": 2.5},
            np.array([1, 3.5, 6, 8.5], np.float32),
        ),
        (
            "INT8",
            {"valueCount": 4, "valueStart": 126, "valueDelta": 1},
            np.array([126, 127, -128, -127], np.int8),
        ),
        ("INT64", {"valueCount": 1, "valueStart": 5, "valueDelta": -1}, np.array([5], np.int64)),
    ],
)
def test_initial_values(data_type: str, values: Any, expected: Any) -> None:
    resource = parse_resource(initialValuesDataType=data_type, initialValues=values)
    (array,) = resource.initial_values
    assert array.dtype == expected.dtype
    assert array.tobytes() == expected.tobytes()
    assert resource.size == expected.nbytes


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
def test_a_sequence_is_summed_in_its_own_type(dtype: Any) -> None:
    resource = parse_resource(
        initialValuesDataType=np.dtype(dtype).name.upper(),
        initialValues={"valueCount": 3000, "valueStart": 0.1, "valueDelta": 0.1},
    )
    running, expected = dtype(np.float32(0.1) if dtype is np.float16 else 0.1), []
    delta = running
    for _ in range(3000):
        expected.append(running)
        running = dtype(running + delta)
    assert resource.initial_values[0].tolist() == [float(value) for value in expected]


def test_a_list_holds_items_of_several_types() -> None:
    items = [
        {"name": "elementCount", "type": "UINT32", "value": 6},
        {"type": "DML_TENSOR_DATA_TYPE_FLOAT16", "value": "inf"},
        {"type": "FLOAT64", "value": 2.3},
    ]
    for named in ({"initialValuesDataType": "UNKNOWN"}, {}):
        resource = parse_resource(initialValues=items, sizeInBytes=256, **named)
        assert [array.dtype.name for array in resource.initial_values] == [
            "uint32",
            "float16",
            "float64",
        ]
        buffer = resource_bytes(resource)
        assert buffer.size == 256
        assert buffer[:14].tobytes() == b"\6\0\0\0" + b"\0\x7c" + np.float64(2.3).tobytes()
        assert not buffer[14:].any()


def test_sizes_round_up_to_four_bytes_and_values_may_start_later() -> None:
    resource = parse_resource(
        initialValuesDataType="UINT8", initialValues=[1, 2], initialValuesOffsetInBytes=3
    )
    assert resource.size == 5
    assert resource_bytes(resource).tolist() == [0, 0, 0, 1, 2, 0, 0, 0]
    assert resource_bytes(resource).ctypes.data % 65536 == 0
    sized = parse_resource(initialValuesDataType="UINT8", initialValues=[1, 2], sizeInBytes=9)
    assert resource_bytes(sized).tolist() == [1, 2] + [0] * 10


def test_source_files_are_found_beside_the_model_then_in_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside, current = tmp_path / "models", tmp_path / "current"
    beside.mkdir()
    current.mkdir()
    monkeypatch.chdir(current)
    np.save(beside / "both.npy", np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3)))
    np.save(current / "both.npy", np.zeros(6, np.int16))
    np.save(current / "here.npy", np.array([1.5, 2], dtype=">f4"))
    (beside / "raw.dat").write_bytes(bytes(range(8)))
    (beside / "RAW.BIN").write_bytes(bytes(range(8)))
    resources = {
        "both": {"initialValues": {"sourcePath": "both.npy"}},
        "here": {"initialValues": {"sourcePath": "here.npy"}, "initialValuesDataType": "FLOAT32"},
        "dat": {"initialValues": {"sourcePath": "raw.dat"}, "initialValuesDataType": "UINT16"},
        "bin": {"initialValues": {"sourcePath": "RAW.BIN"}, "initialValuesDataType": "INT64"},
    }
    path = beside / "model.json"
    path.write_text(json.dumps({"resources": resources, "dispatchables": {}, "commands": []}))
    read = {name: r.initial_values[0] for name, r in load_model(path).resources.items()}
    assert read["both"].tolist() == [0, 1, 2, 3, 4, 5]
    assert read["both"].dtype == np.int16
    assert read["here"].tolist() == [1.5, 2]
    assert read["here"].dtype == np.dtype("float32")
    assert read["dat"].tolist() == [0x0100, 0x0302, 0x0504, 0x0706]
    assert read["bin"].tolist() == [0x0706050403020100]


# Operators

SLICE_FIELDS = {"InputTensor": OUT, "OutputTensor": IN, "DimensionCount": 2}


@pytest.mark.parametrize(
    ("kind", "desc", "expected"),
    [
        (
            "PADDING1",
            {
                **PADDING,
                "PaddingMode": "DML_PADDING_MODE_CONSTANT",
                "PaddingValueDataType": "FLOAT32",
                "PaddingValue": {"Float32": 9},
            },
            Padding1OperatorDesc(
                IN_DESC, OUT_DESC, PaddingMode.CONSTANT, FLOAT32, np.float32(9), (0, 1), (1, 1)
            ),
        ),
        (
            "ONE_HOT",
            {
                "IndicesTensor": {"DataType": "INT64", "Sizes": [2, 1]},
                "ValuesTensor": IN,
                "OutputTensor": OUT,
                "Axis": 1,
            },
            OneHotOperatorDesc(
                BufferTensorDesc(TensorDataType.INT64, (2, 1)), IN_DESC, OUT_DESC, 1
            ),
        ),
        (
            "DML_OPERATOR_SLICE",
            {**SLICE_FIELDS, "Offsets": [0, 1], "Sizes": [1, 2], "Strides": [1, 2]},
            SliceOperatorDesc(OUT_DESC, IN_DESC, (0, 1), (1, 2), (1, 2)),
        ),
        (
            "SLICE1",
            {
                **SLICE_FIELDS,
                "InputWindowOffsets": [0, 1],
                "InputWindowSizes": [1, 3],
                "InputWindowStrides": [1, -2],
            },
            Slice1OperatorDesc(OUT_DESC, IN_DESC, (0, 1), (1, 3), (1, -2)),
        ),
        (
            "DIAGONAL_MATRIX",
            {"OutputTensor": OUT, "Offset": -1, "Value": 2.5},
            DiagonalMatrixOperatorDesc(OUT_DESC, -1, 2.5),
        ),
        (
            "DIAGONAL_MATRIX1",
            {
                "OutputTensor": OUT,
                "ValueDataType": "FLOAT32",
                "Value": 2,
                "DiagonalFillBegin": -2147483648,
                "DiagonalFillEnd": 2147483647,
            },
            DiagonalMatrix1OperatorDesc(
                input_tensor=None,
                output_tensor=OUT_DESC,
                value_data_type=FLOAT32,
                value=np.float32(2),
                diagonal_fill_begin=-(2**31),
                diagonal_fill_end=2**31 - 1,
            ),
        ),
    ],
)
def test_operators(kind: str, desc: Any, expected: Any) -> None:
    dispatchable = parse_operator(kind, desc)
    assert dispatchable.desc == expected
    assert [point.name for point in dispatchable.bind_points] == [
        name for name in desc if name.endswith("Tensor")
    ]
    assert [point.is_output for point in dispatchable.bind_points][-1]


def test_an_optional_tensor_may_be_null() -> None:
    desc = {
        "InputTensor": None,
        "OutputTensor": OUT,
        "ValueDataType": "FLOAT32",
        "Value": 2,
        "DiagonalFillBegin": 0,
        "DiagonalFillEnd": 1,
    }
    assert parse_operator("DIAGONAL_MATRIX1", desc).desc.input_tensor is None
    desc["InputTensor"] = OUT
    assert parse_operator("DIAGONAL_MATRIX1", desc).desc.input_tensor == OUT_DESC


@pytest.mark.parametrize(
    "dispatchable",
    [
        {"type": "DML_OPERATOR_PADDING", "desc": PADDING},
        {"type": "PADDING", "Desc": PADDING},
        {"Type": "DML_OPERATOR_PADDING", "Desc": PADDING},
        {"type": "PADDING", "desc": {"Type": "DML_OPERATOR_PADDING", "Desc": PADDING}},
        {"type": "PADDING", **PADDING},
        {
            "type": "PADDING",
            "executionFlags": ["NONE"],
            "dmlCompileType": "DmlCompileGraph",
            **PADDING,
        },
        {"type": "PADDING", "desc": PADDING, "executionFlags": "DML_EXECUTION_FLAG_NONE"},
        {"type": "PADDING", "desc": PADDING, "dmlCompileType": "DmlCompileOp", "note": "mine"},
    ],
)
def test_short_and_long_forms_of_a_dispatchable(dispatchable: Any) -> None:
    model = base()
    model["dispatchables"]["pad"] = dispatchable
    assert parse(model).dispatchables["pad"].desc == PaddingOperatorDesc(
        IN_DESC, OUT_DESC, PaddingMode.REFLECTION, 0.0, (0, 1), (1, 1)
    )


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        ({"DataType": "FLOAT32", "Sizes": [1, 2]}, IN_DESC),
        ({"DataType": "FLOAT32", "Sizes": [1, 2], "Strides": None}, IN_DESC),
        ({"DataType": "FLOAT32", "Sizes": [1, 2], "TotalTensorSizeInBytes": 0}, IN_DESC),
        (
            {
                "Type": "DML_TENSOR_TYPE_BUFFER",
                "Desc": {
                    "DataType": "DML_TENSOR_DATA_TYPE_FLOAT32",
                    "Flags": "DML_TENSOR_FLAG_OWNED_BY_DML",
                    "DimensionCount": 2,
                    "Sizes": [1, 2],
                    "Strides": [2, 1],
                    "TotalTensorSizeInBytes": 64,
                    "GuaranteedBaseOffsetAlignment": 16,
                },
            },
            BufferTensorDesc(
                FLOAT32,
                (1, 2),
                (2, 1),
                flags=TensorFlags.OWNED_BY_DML,
                total_tensor_size_in_bytes=64,
                guaranteed_base_offset_alignment=16,
            ),
        ),
        (
            {"Type": "BUFFER", "DataType": "FLOAT32", "Sizes": [1, 2], "Flags": []},
            IN_DESC,
        ),
        (
            {"DataType": "FLOAT32", "Sizes": [1, 2], "Flags": ["NONE", "OWNED_BY_DML"]},
            BufferTensorDesc(FLOAT32, (1, 2), flags=TensorFlags.OWNED_BY_DML),
        ),
    ],
)
def test_short_and_long_forms_of_a_tensor(tensor: Any, expected: BufferTensorDesc) -> None:
    model = base()
    model["dispatchables"]["pad"]["desc"]["InputTensor"] = tensor
    assert parse(model).dispatchables["pad"].desc.input_tensor == expected  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("data_type", "value", "bits"),
    [
        ("FLOAT16", 1.5, np.uint16(0x3E00)),
        ("FLOAT16", "nan", np.uint16(0x7E00)),
        ("FLOAT16", {"UInt16": 0x7E01}, np.uint16(0x7E01)),
        ("FLOAT32", {"Float32": "-inf"}, np.uint32(0xFF800000)),
        ("FLOAT64", {"Float64": 0.1}, np.float64(0.1).view(np.uint64)),
        ("UINT8", {"UInt8": 255}, np.uint8(255)),
        ("INT8", {"Int8": -1}, np.uint8(255)),
        ("UINT64", 2**64 - 1, np.uint64(2**64 - 1)),
        ("INT64", {"Int64": -(2**63)}, np.uint64(2**63)),
    ],
)
def test_scalar_unions(data_type: str, value: Any, bits: Any) -> None:
    desc = {
        **PADDING,
        "InputTensor": {"DataType": data_type, "Sizes": [1, 2]},
        "OutputTensor": {"DataType": data_type, "Sizes": [2, 4]},
        "PaddingValueDataType": data_type,
        "PaddingValue": value,
    }
    read = parse_operator("PADDING1", desc).desc
    assert read.padding_value_bytes == bits.tobytes()


# Commands


@pytest.mark.parametrize(
    ("binding", "expected"),
    [
        ("out", ("", 0, 32)),
        (["out"], ("[0]", 0, 32)),
        ({"name": "out"}, ("", 0, 32)),
        ([{"name": "out", "elementOffset": 2}], ("[0]", 8, 24)),
        (
            {"name": "out", "elementOffset": 2, "elementCount": 6, "elementSizeInBytes": 4},
            ("", 8, 24),
        ),
        ({"name": "out", "elementCount": 3, "elementSizeInBytes": 1}, ("", 0, 4)),
        (
            {"name": "out", "elementOffset": 5, "elementCount": 27, "elementSizeInBytes": 1},
            ("", 5, 27),
        ),
        (
            {"name": "out", "elementOffset": 0, "elementCount": 0, "elementSizeInBytes": 0},
            ("", 0, 32),
        ),
        ({"name": "out", "format": "R32_FLOAT", "shape": [2, 4]}, ("", 0, 32)),
    ],
)
def test_bindings(binding: Any, expected: tuple[str, int, int]) -> None:
    model = base()
    model["commands"][0]["bindings"]["OutputTensor"] = binding
    command = parse(model).commands[0]
    assert isinstance(command, DispatchCommand)
    where, offset, size = expected
    place = f"commands[0].bindings.OutputTensor{where}"
    assert command.bindings["OutputTensor"] == Binding(place, "out", offset, size)


def test_inputs_may_be_bound_at_the_dispatchable() -> None:
    model = base()
    model["dispatchables"]["pad"]["bindings"] = {"InputTensor": "in"}
    del model["commands"][0]["bindings"]["InputTensor"]
    read = parse(model)
    place = "dispatchables.pad.bindings.InputTensor"
    assert read.dispatchables["pad"].bindings == {"InputTensor": Binding(place, "in", 0, 8)}


def test_command_types_in_any_case_and_their_options() -> None:
    model = base()
    model["commands"] = [
        {"type": "Print", "resource": "in", "verbose": True},
        {"type": "WRITEFILE", "resource": "in", "targetPath": "a/b.DAT", "dimensions": [2, 1]},
    ]
    assert parse(model).commands == (
        PrintCommand("commands[0]", "in", verbose=True),
        WriteFileCommand("commands[1]", "in", "a/b.DAT", (2, 1)),
    )


# Wrong files


def at(*path: str | int, value: Any = ...) -> Callable[[Any], None]:
    """Return a change of a model: set what stands at `path`, or remove it."""

    def change(model: Any) -> None:
        for step in path[:-1]:
            model = model[step]
        if value is ...:
            del model[path[-1]]
        else:
            model[path[-1]] = value

    return change


DESC = ("dispatchables", "pad", "desc")
BIND = ("commands", 0, "bindings")
FLOAT_IN = ("resources", "in")
KNOWN_TYPES = (
    "UNKNOWN, FLOAT32, FLOAT16, UINT32, UINT16, UINT8, INT32, INT16, INT8, FLOAT64, UINT64 or "
    "INT64 (or DML_TENSOR_DATA_TYPE_...)"
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (at("resources"), "resources is required"),
        (at("commands"), "commands is required"),
        (at("resources", value=[]), "resources: must be an object, got an array"),
        (at("commands", value={}), "commands: must be an array, got an object"),
        (at("command", value=[]), 'has no member "command", did you mean "commands"?'),
        # Resources
        (at(*FLOAT_IN, value=3), "resources.in: must be an object, got 3"),
        (at(*FLOAT_IN, "initialValues"), "resources.in: initialValues is required"),
        (
            at(*FLOAT_IN, "sizeinBytes", value=4),
            'resources.in: has no member "sizeinBytes", did you mean "sizeInBytes"?',
        ),
        (
            at(*FLOAT_IN, "initialValuesDataType", value="FLOAT"),
            f'resources.in.initialValuesDataType: must be {KNOWN_TYPES}, got "FLOAT"',
        ),
        (
            at(*FLOAT_IN, "initialValuesDataType", value=1),
            "resources.in.initialValuesDataType: must be a string, got 1",
        ),
        (
            at(*FLOAT_IN, "initialValues", value="defered"),
            'resources.in.initialValues: must be an array, an object or "deferred", got "defered"',
        ),
        (
            at(*FLOAT_IN, "initialValues", value=[]),
            "resources.in.initialValues: must hold at least one value",
        ),
        (
            at(*FLOAT_IN, "initialValues", value=[1, "infinite"]),
            (
                'resources.in.initialValues[1]: must be a number, "nan", "inf" or "-inf", '
                'got "infinite"'
            ),
        ),
        (
            at(*FLOAT_IN, "initialValues", value=[1, None, True]),
            'resources.in.initialValues[1]: must be a number, "nan", "inf" or "-inf", got null',
        ),
        (
            at(*FLOAT_IN, "initialValues", value=[1, True]),
            'resources.in.initialValues[1]: must be a number, "nan", "inf" or "-inf", got true',
        ),
        (
            at(
                "resources", "out", value={"initialValuesDataType": "UINT8", "initialValues": [256]}
            ),
            "resources.out.initialValues[0]: must be from 0 to 255, got 256",
        ),
        (
            at(
                "resources",
                "out",
                value={"initialValuesDataType": "INT8", "initialValues": [1, 1.0]},
            ),
            "resources.out.initialValues[1]: must be an integer, got 1.0",
        ),
        (
            at(
                "resources",
                "out",
                value={"initialValuesDataType": "INT8", "initialValues": ["inf"]},
            ),
            'resources.out.initialValues[0]: must be an integer, got "inf"',
        ),
        (
            at("resources", "out", "initialValues", "valueCount", value=0),
            "resources.out.initialValues.valueCount: must be from 1 to 4294967295, got 0",
        ),
        (
            at("resources", "out", "initialValues", "valueCount"),
            "resources.out.initialValues: valueCount is required",
        ),
        (
            at("resources", "out", "initialValues", "valueStart", value=0),
            'resources.out.initialValues: has no member "valueStart"',
        ),
        (
            at("resources", "out", "initialValues", value={"valueCount": 1, "valueStart": 1}),
            "resources.out.initialValues: valueDelta is required",
        ),
        (
            at("resources", "out", "initialValues", value={"valueCount": 1}),
            'resources.out.initialValues: must have "value", "valueStart" or "sourcePath"',
        ),
        (
            at("resources", "out", "initialValuesDataType"),
            (
                "resources.out.initialValues: needs initialValuesDataType beside it, "
                "other than UNKNOWN"
            ),
        ),
        (
            at(*FLOAT_IN, "initialValuesDataType", value="UNKNOWN"),
            "resources.in.initialValues[0]: must be an object, got 1",
        ),
        (
            at("resources", "out", value={"initialValues": [{"type": "UINT8"}]}),
            "resources.out.initialValues[0]: value is required",
        ),
        (
            at("resources", "out", value={"initialValues": [{"type": "UNKNOWN", "value": 1}]}),
            (
                "resources.out.initialValues[0].type: must be a data type that elements can have, "
                'got "UNKNOWN"'
            ),
        ),
        (
            at(*FLOAT_IN, "sizeInBytes", value=7),
            "resources.in.sizeInBytes: must be at least offset + values = 0 + 8 = 8, got 7",
        ),
        (
            at(*FLOAT_IN, "sizeInBytes", value=-1),
            "resources.in.sizeInBytes: must be from 0 to 18446744073709551615, got -1",
        ),
        (
            at(*FLOAT_IN, "initialValuesOffsetInBytes", value=0.5),
            "resources.in.initialValuesOffsetInBytes: must be an integer, got 0.5",
        ),
        (
            at(*FLOAT_IN, "initialValues", value={"sourcePath": "absent.npy"}),
            (
                'resources.in.initialValues.sourcePath: finds no file "absent.npy" beside the model '
                "or in the current directory"
            ),
        ),
        (
            at(*FLOAT_IN, "initialValues", value={"sourcePath": "cat.PNG"}),
            (
                'resources.in.initialValues.sourcePath: finds no file "cat.PNG" beside the model or '
                "in the current directory"
            ),
        ),
        (
            at(*FLOAT_IN, "initialValues", value={"sourcePath": "x.csv"}),
            (
                "resources.in.initialValues.sourcePath: must be a file that ends in .npy, .dat, .bin, "
                '.png, .jpg, got "x.csv"'
            ),
        ),
        (
            at("resources", "a b.c", value={}),
            'resources["a b.c"]: initialValues is required',
        ),
        # Dispatchables
        (at("dispatchables", "pad", "type"), "dispatchables.pad: type is required"),
        (
            at("dispatchables", "pad", "type", value="hlsl"),
            'dispatchables.pad.type: "hlsl" dispatchables run on a GPU only, not in dmlc',
        ),
        (
            at("dispatchables", "pad", "type", value="ONNX"),
            'dispatchables.pad.type: "onnx" dispatchables run on a GPU only, not in dmlc',
        ),
        (
            at("dispatchables", "pad", "type", value="dmlSerializedGraph"),
            (
                'dispatchables.pad.type: "dmlSerializedGraph" dispatchables run on a GPU only, '
                "not in dmlc"
            ),
        ),
        (
            at("dispatchables", "pad", "type", value="DML_OPERATOR_GEMM"),
            (
                "dispatchables.pad.type: must be one of dmlc's operators, PADDING, PADDING1, ONE_HOT, "
                'SLICE, SLICE1, DIAGONAL_MATRIX, DIAGONAL_MATRIX1, got "DML_OPERATOR_GEMM"'
            ),
        ),
        (
            at("dispatchables", "pad", "dmlCompileType", value="Op"),
            'dispatchables.pad.dmlCompileType: must be DmlCompileOp or DmlCompileGraph, got "Op"',
        ),
        (
            at("dispatchables", "pad", "executionFlags", value=["X"]),
            (
                "dispatchables.pad.executionFlags[0]: must be NONE, ALLOW_HALF_PRECISION_COMPUTATION, "
                'DISABLE_META_COMMANDS or DESCRIPTORS_VOLATILE (or DML_EXECUTION_FLAG_...), got "X"'
            ),
        ),
        (
            at(*DESC, value={"Type": "SLICE", "Desc": PADDING}),
            (
                'dispatchables.pad.desc.Type: must be the dispatchable\'s type "DML_OPERATOR_PADDING", '
                'got "SLICE"'
            ),
        ),
        (at(*DESC, value=None), "dispatchables.pad.desc: must be an object, got null"),
        (at(*DESC, "EndPadding"), "dispatchables.pad.desc: EndPadding is required"),
        (at(*DESC, "DimensionCount"), "dispatchables.pad.desc: DimensionCount is required"),
        (
            at(*DESC, "startPadding", value=[]),
            'dispatchables.pad.desc: has no member "startPadding", did you mean "StartPadding"?',
        ),
        (
            at(*DESC, "StartPadding", value=[1, 2, "x"]),
            "dispatchables.pad.desc.StartPadding: must have DimensionCount = 2 entries, got 3",
        ),
        (
            at(*DESC, "StartPadding", 1, value="x"),
            'dispatchables.pad.desc.StartPadding[1]: must be an integer, got "x"',
        ),
        (
            at(*DESC, "StartPadding", 1, value=-1),
            "dispatchables.pad.desc.StartPadding[1]: must be from 0 to 4294967295, got -1",
        ),
        (
            at(*DESC, "StartPadding", value=1),
            "dispatchables.pad.desc.StartPadding: must be an array, got 1",
        ),
        (
            at(*DESC, "DimensionCount", value=True),
            "dispatchables.pad.desc.DimensionCount: must be an integer, got true",
        ),
        (
            at(*DESC, "PaddingMode", value="REFLECT"),
            (
                "dispatchables.pad.desc.PaddingMode: must be CONSTANT, EDGE, REFLECTION, SYMMETRIC or "
                'WRAP (or DML_PADDING_MODE_...), got "REFLECT"'
            ),
        ),
        (
            at(*DESC, "PaddingValue", value={"Float32": 1}),
            (
                'dispatchables.pad.desc.PaddingValue: must be a number, "nan", "inf" or "-inf", '
                "got an object"
            ),
        ),
        (
            at(*DESC, "InputTensor"),
            "dispatchables.pad.desc: InputTensor is required",
        ),
        (
            at(*DESC, "InputTensor", value=None),
            "dispatchables.pad.desc.InputTensor: must be an object, got null",
        ),
        (
            at(*DESC, "InputTensor", "Sizes"),
            "dispatchables.pad.desc.InputTensor: Sizes is required",
        ),
        (
            at(*DESC, "InputTensor", "DataType"),
            "dispatchables.pad.desc.InputTensor: DataType is required",
        ),
        (
            at(*DESC, "InputTensor", "Stride", value=[1]),
            'dispatchables.pad.desc.InputTensor: has no member "Stride", did you mean "Strides"?',
        ),
        (
            at(*DESC, "InputTensor", "DimensionCount", value=3),
            "dispatchables.pad.desc.InputTensor.Sizes: must have DimensionCount = 3 entries, got 2",
        ),
        (
            at(*DESC, "InputTensor", value={"Type": "BUFFER", "Desc": {**IN, "Sizes": [1, "2"]}}),
            'dispatchables.pad.desc.InputTensor.Desc.Sizes[1]: must be an integer, got "2"',
        ),
        (
            at(*DESC, "InputTensor", "Type", value="TEXTURE"),
            (
                "dispatchables.pad.desc.InputTensor.Type: must be BUFFER (or DML_TENSOR_TYPE_...), "
                'got "TEXTURE"'
            ),
        ),
        (
            at(*DESC, "InputTensor", "Flags", value="OWNED"),
            (
                "dispatchables.pad.desc.InputTensor.Flags: must be NONE or OWNED_BY_DML "
                '(or DML_TENSOR_FLAG_...), got "OWNED"'
            ),
        ),
        (
            at("dispatchables", "pad", "bindings", value={"OutputTensor": "out"}),
            'dispatchables.pad.bindings: has no member "OutputTensor"',
        ),
        # Commands
        (at("commands", 1, value="print"), 'commands[1]: must be an object, got "print"'),
        (at("commands", 1, "type"), "commands[1]: type is required"),
        (
            at("commands", 1, "type", value="show"),
            'commands[1].type: must be dispatch, print or writeFile, got "show"',
        ),
        (
            at("commands", 0, "dispatchable", value="pda"),
            'commands[0].dispatchable: must be the name of a dispatchable, got "pda"',
        ),
        (at(*BIND), "commands[0]: bindings is required"),
        (at(*BIND, value=[]), "commands[0].bindings: must be an object, got an array"),
        (at(*BIND, "OutputTensor"), "commands[0].bindings: OutputTensor is required"),
        (
            at(*BIND, "Inputs", value="in"),
            'commands[0].bindings: has no member "Inputs"',
        ),
        (
            at(*BIND, "InputTensor", value="inn"),
            'commands[0].bindings.InputTensor: must be the name of a resource, got "inn"',
        ),
        (
            at(*BIND, "InputTensor", value=["in", "out"]),
            "commands[0].bindings.InputTensor: must list one resource, got 2",
        ),
        (
            at(*BIND, "InputTensor", value=[]),
            "commands[0].bindings.InputTensor: must list one resource, got 0",
        ),
        (
            at(*BIND, "InputTensor", value=7),
            "commands[0].bindings.InputTensor: must be an object, got 7",
        ),
        (
            at(*BIND, "InputTensor", value={"name": "in", "elementOffset": 3}),
            (
                'commands[0].bindings.InputTensor: must lie inside resource "in", '
                "wants bytes 12 to 12 of 8"
            ),
        ),
        (
            at(*BIND, "InputTensor", value=[{"name": "in", "elementOffset": 1, "elementCount": 2}]),
            (
                'commands[0].bindings.InputTensor[0]: must lie inside resource "in", '
                "wants bytes 4 to 12 of 8"
            ),
        ),
        (
            at(*BIND, "InputTensor", value={"name": "in", "elementoffset": 3}),
            (
                'commands[0].bindings.InputTensor: has no member "elementoffset", '
                'did you mean "elementOffset"?'
            ),
        ),
        (
            at("commands", 1, "resource", value="outt"),
            'commands[1].resource: must be the name of a resource, got "outt"',
        ),
        (
            at("commands", 1, "verbose", value=1),
            "commands[1].verbose: must be true or false, got 1",
        ),
        (at("commands", 2, "targetPath"), "commands[2]: targetPath is required"),
        (
            at("commands", 2, "targetPath", value="out"),
            'commands[2].targetPath: must be a file that ends in .npy, .dat, .bin, .png, .jpg, got "out"',
        ),
    ],
)
def test_wrong_models(change: Callable[[Any], None], message: str) -> None:
    model = base()
    change(model)
    with pytest.raises(ModelError) as caught:
        parse(model)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("kind", "field", "value", "message"),
    [
        (
            "PADDING1",
            "PaddingValue",
            {"Float16": 1},
            'dispatchables.d.desc.PaddingValue: has no member "Float16"',
        ),
        (
            "PADDING1",
            "PaddingValue",
            {},
            "dispatchables.d.desc.PaddingValue: UInt16 is required",
        ),
        (
            "PADDING1",
            "PaddingValue",
            {"UInt16": 65536},
            "dispatchables.d.desc.PaddingValue.UInt16: must be from 0 to 65535, got 65536",
        ),
        (
            "PADDING1",
            "PaddingValueDataType",
            "UNKNOWN",
            (
                "dispatchables.d.desc.PaddingValueDataType: must be a data type that elements can "
                'have, got "UNKNOWN"'
            ),
        ),
        (
            "PADDING1",
            "PaddingValue",
            [1],
            (
                'dispatchables.d.desc.PaddingValue: must be a number, "nan", "inf" or "-inf", '
                "got an array"
            ),
        ),
    ],
)
def test_wrong_scalar_unions(kind: str, field: str, value: Any, message: str) -> None:
    desc = {**PADDING, "PaddingValueDataType": "FLOAT16", "PaddingValue": 1, field: value}
    with pytest.raises(ModelError) as caught:
        parse_operator(kind, desc)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "must be an object, got an array"),
        ("12", "must be an object, got 12"),
        ('{"resources": {}, "resources": {}}', 'names "resources" twice'),
        (
            '{"resources": {"a": {"initialValuesDataType": "INT8", "initialValues": [NaN]}}}',
            "resources.a.initialValues[0]: must be an integer, got NaN",
        ),
        (
            '{"resources": {"a": {"initialValuesDataType": "FLOAT64", "initialValues": [1e999]}}}',
            "resources.a.initialValues[0]: must be a number that 64-bit floating point can hold",
        ),
        (
            '{"resources": {"a": {"initialValuesDataType": "FLOAT32", "initialValues": [-1e999]}}}',
            "resources.a.initialValues[0]: must be a number that 64-bit floating point can hold",
        ),
        (
            (
                '{"resources": {"a": {"sizeInBytes": 1e99999, "initialValues": [{"type": "INT8", '
                '"value": 1}]}}}'
            ),
            "resources.a.sizeInBytes: must be an integer, got a number too large",
        ),
        ('{"resources": }', "line 1, column 15: expecting value"),
    ],
)
def test_wrong_texts(text: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_model(text)
    assert str(caught.value) == message


def test_a_message_is_one_line_whatever_it_quotes() -> None:
    with pytest.raises(ModelError) as caught:
        parse_resource(initialValuesDataType="\u2028\n\x85\ud800é", initialValues=[1])
    assert str(caught.value).endswith('got "\\u2028\\n\\u0085\\ud800é"')


def test_long_values_are_shortened_in_messages() -> None:
    with pytest.raises(ModelError) as caught:
        parse_resource(initialValuesDataType="x" * 1_000_000, initialValues=[1])
    assert len(str(caught.value)) < 400


def test_wrong_source_files(tmp_path: Path) -> None:
    np.save(tmp_path / "half.npy", np.zeros(3, np.float16))
    np.save(tmp_path / "bool.npy", np.zeros(3, bool))
    np.save(tmp_path / "empty.npy", np.zeros((0, 3), np.float32))
    np.savez(tmp_path / "archive.npz", a=np.zeros(3))
    (tmp_path / "archive.npz").rename(tmp_path / "archive.npy")
    np.save(tmp_path / "object.npy", np.array([object], dtype=object), allow_pickle=True)
    (tmp_path / "nothing.npy").write_bytes(b"")
    (tmp_path / "cut.npy").write_bytes((tmp_path / "half.npy").read_bytes()[:-2])
    (tmp_path / "odd.bin").write_bytes(b"12345")
    (tmp_path / "empty.bin").write_bytes(b"")
    (tmp_path / "folder.npy").mkdir()

    def complaint(name: str, data_type: str) -> str:
        resource = {"initialValuesDataType": data_type, "initialValues": {"sourcePath": name}}
        model = {"resources": {"r": resource}, "dispatchables": {}, "commands": []}
        with pytest.raises(ModelError) as caught:
            parse_model(json.dumps(model), tmp_path / "model.json")
        assert caught.value.place == "resources.r.initialValues.sourcePath"
        return caught.value.problem

    assert complaint("half.npy", "FLOAT32") == (
        'must name a file of initialValuesDataType FLOAT32, "half.npy" holds FLOAT16'
    )
    assert complaint("bool.npy", "UINT8") == (
        'cannot read "bool.npy": it holds elements of type "|b1", which no tensor has'
    )
    assert complaint("empty.npy", "FLOAT32") == (
        'must name a file that holds at least one element, "empty.npy" is empty'
    )
    assert complaint("empty.bin", "FLOAT32") == (
        'must name a file that holds at least one element, "empty.bin" is empty'
    )
    assert complaint("odd.bin", "FLOAT32") == (
        'cannot read "odd.bin": 5 bytes are no whole number of FLOAT32 elements'
    )
    assert complaint("odd.bin", "UNKNOWN") == (
        'cannot read "odd.bin": a raw file needs initialValuesDataType, other than UNKNOWN'
    )
    assert complaint("folder.npy", "UINT8") == 'cannot read "folder.npy": Is a directory'
    for name in ("archive.npy", "object.npy", "nothing.npy", "cut.npy"):
        assert complaint(name, "UNKNOWN").startswith(f'cannot read "{name}": ')


def test_wrong_model_files(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"^cannot read the model: No such file or directory$"):
        load_model(tmp_path / "absent.json")
    with pytest.raises(ModelError, match=r"^cannot read the model: Is a directory$"):
        load_model(tmp_path)
    null = r"(embedded null byte|stat: embedded null character in path)"  # until Python 3.12, from 3.13
    with pytest.raises(ModelError, match=rf"^cannot read the model: {null}$"):
        load_model("a\0b")
    (tmp_path / "latin.json").write_bytes(b'{"\xe9": 1}')
    with pytest.raises(ModelError, match=r"^must be UTF-8 text, byte 2 is not$"):
        load_model(tmp_path / "latin.json")
    (tmp_path / "marked.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(base()).encode())
    assert load_model(tmp_path / "marked.json").commands
