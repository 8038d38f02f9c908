"""Every level, dimension count, data type and mode, against the tables as the pages print them."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from dmlc import validation
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
from dmlc.enums import FeatureLevel, PaddingMode
from dmlc.enums import TensorDataType as T
from dmlc.errors import FeatureLevelError, InvalidDescriptorError

ALL = "FLOAT64 FLOAT32 FLOAT16 INT64 INT32 INT16 INT8 UINT64 UINT32 UINT16 UINT8"
MOST = "FLOAT32 FLOAT16 INT32 INT16 INT8 UINT32 UINT16 UINT8"
SOME = "FLOAT32 FLOAT16 INT32 INT16 UINT32 UINT16"
FLOATS = "FLOAT32 FLOAT16"
INDICES = "INT64 INT32 UINT64 UINT32"

# (class, tensor): (level, dimension counts, data types), newest first, as the pages have them.
PAGES = {
    (PaddingOperatorDesc, "input_tensor output_tensor"): [
        ("5_0", "1 2 3 4 5 6 7 8", ALL),
        ("3_1", "1 2 3 4 5 6 7 8", MOST),
        ("2_1", "4 5", MOST),
        ("1_0", "4 5", FLOATS),
    ],
    (Padding1OperatorDesc, "input_tensor output_tensor"): [
        ("5_0", "1 2 3 4 5 6 7 8", ALL),
    ],
    (OneHotOperatorDesc, "indices_tensor"): [
        ("4_1", "1 2 3 4 5 6 7 8", INDICES),
        ("3_0", "1 2 3 4 5 6 7 8", INDICES),
        ("2_1", "4", "UINT32"),
        ("2_0", "4", "UINT32"),
    ],
    (OneHotOperatorDesc, "values_tensor output_tensor"): [
        ("4_1", "1 2 3 4 5 6 7 8", ALL),
        ("3_0", "1 2 3 4 5 6 7 8", MOST),
        ("2_1", "4", MOST),
        ("2_0", "4", FLOATS),
    ],
    (Slice1OperatorDesc, "input_tensor output_tensor"): [
        ("4_1", "1 2 3 4 5 6 7 8", ALL),
        ("3_0", "1 2 3 4 5 6 7 8", MOST),
        ("2_1", "4 5", MOST),
    ],
    (SliceOperatorDesc, "input_tensor output_tensor"): [
        ("4_1", "1 2 3 4 5 6 7 8", ALL),
        ("3_0", "1 2 3 4 5 6 7 8", MOST),
        ("2_1", "4 5", MOST),
        ("1_0", "4 5", SOME),
    ],
    (DiagonalMatrix1OperatorDesc, "input_tensor output_tensor"): [
        ("5_1", "2 3 4", ALL),
    ],
    (DiagonalMatrixOperatorDesc, "output_tensor"): [
        ("5_1", "2 3 4", ALL),
        ("4_0", "2 3 4", MOST),
        ("2_1", "4", MOST),
        ("2_0", "4", FLOATS),
    ],
}  # fmt: skip
INTRODUCED = {cls: rows[-1][0] for (cls, _), rows in PAGES.items()}
# Where every dimension count and data type is at home, whatever the operator.
COUNTS = range(1, 9)
TYPES = list(T)[1:]
LEVELS = list(FeatureLevel)


def describe(cls, count, data_type, index_type=T.UINT32):
    """A descriptor that is right but for its dimension count and data types."""
    ones = (1,) * count
    zeros = (0,) * count
    tensor = BufferTensorDesc(data_type, ones)
    if cls is OneHotOperatorDesc:
        values = BufferTensorDesc(data_type, (*ones[1:], 2))
        return cls(BufferTensorDesc(index_type, ones), values, tensor, 0)
    arguments = {
        PaddingOperatorDesc: (tensor, tensor, PaddingMode.EDGE, 0, zeros, zeros),
        Padding1OperatorDesc: (tensor, tensor, PaddingMode.EDGE, data_type, 0, zeros, zeros),
        Slice1OperatorDesc: (tensor, tensor, zeros, ones, ones),
        SliceOperatorDesc: (tensor, tensor, zeros, ones, ones),
        DiagonalMatrixOperatorDesc: (tensor, 0, 1),
    }
    if cls in arguments:
        return cls(*arguments[cls])
    return cls(
        input_tensor=tensor,
        output_tensor=tensor,
        value_data_type=data_type,
        value=1,
        diagonal_fill_begin=0,
        diagonal_fill_end=1,
    )


def row_at(rows, level):
    """The newest row that a device of this level has, by the labels' own order."""
    return next((row for row in rows if row[0] <= level.label), None)


def allowed(cls, level, count, data_type, index_type):
    for (owner, tensors), rows in PAGES.items():
        if owner is cls:
            row = row_at(rows, level)
            wanted = index_type if tensors == "indices_tensor" else data_type
            if row is None or str(count) not in row[1].split() or wanted.name not in row[2].split():
                return False
    return True


@pytest.mark.parametrize("cls", INTRODUCED, ids=lambda cls: cls.__name__)
def test_walk(cls):
    """Allowed or not agrees with the pages, and the level that is named is the one that is needed."""
    index_types = (
        [T.UINT32, T.INT32, T.UINT64, T.INT64, T.INT16] if cls is OneHotOperatorDesc else [T.UINT32]
    )
    seen = set()
    for count, data_type, index_type in itertools.product(COUNTS, TYPES, index_types):
        desc = describe(cls, count, data_type, index_type)
        first_allowed = next(
            (level for level in LEVELS if allowed(cls, level, count, data_type, index_type)), None
        )
        for level in LEVELS:
            found = validation.check(desc, level)
            fits = allowed(cls, level, count, data_type, index_type)
            assert (found == []) == fits, (desc, level, found)
            seen.add(fits)
            if first_allowed is None:
                assert any(type(complaint) is InvalidDescriptorError for complaint in found)
            elif found:
                assert all(isinstance(complaint, FeatureLevelError) for complaint in found)
                assert max(complaint.required_level for complaint in found) is first_allowed
                assert all(complaint.required_level > level for complaint in found)
                assert validation.check(desc, first_allowed) == []
    assert seen == {True, False}


@pytest.mark.parametrize("cls", INTRODUCED, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("level", LEVELS)
def test_introduction(cls, level):
    desc = describe(cls, 4, T.FLOAT32)
    introduced = INTRODUCED[cls]
    expected = (
        [f"{cls.__name__}: needs feature level {introduced}, got {level.label}"]
        if level.label < introduced
        else []
    )
    found = validation.check(desc, level)
    assert [str(complaint) for complaint in found] == expected
    for complaint in found:
        assert complaint.field == ""
        assert complaint.required_level.label == introduced


@pytest.mark.parametrize("cls", [PaddingOperatorDesc, Padding1OperatorDesc])
@pytest.mark.parametrize("mode", PaddingMode)
@pytest.mark.parametrize("level", LEVELS)
def test_padding_modes(cls, mode, level):
    needed = {PaddingMode.SYMMETRIC: "3_0", PaddingMode.WRAP: "6_4"}.get(mode, "1_0")
    desc = dataclasses.replace(describe(cls, 4, T.FLOAT32), padding_mode=mode)
    found = [
        complaint
        for complaint in validation.check(desc, level)
        if complaint.field == "padding_mode"
    ]
    if level.label >= needed or (cls is Padding1OperatorDesc and needed <= "5_0"):
        assert found == []
    else:
        message = f"{mode.name} needs feature level {needed}, got {level.label}"
        assert [complaint.message for complaint in found] == [message]
        assert found[0].required_level.label == needed


def test_messages():
    desc = describe(OneHotOperatorDesc, 1, T.FLOAT64, T.INT64)
    found = validation.check(desc, FeatureLevel.LEVEL_1_0)
    assert [str(complaint) for complaint in found] == [
        f"OneHotOperatorDesc{rest}, got 1_0"
        for rest in (
            ": needs feature level 2_0",
            ".indices_tensor.data_type: INT64 needs feature level 3_0",
            ".indices_tensor.sizes: 1 dimension needs feature level 3_0",
            ".values_tensor.data_type: FLOAT64 needs feature level 4_1",
            ".values_tensor.sizes: 1 dimension needs feature level 3_0",
            ".output_tensor.data_type: FLOAT64 needs feature level 4_1",
            ".output_tensor.sizes: 1 dimension needs feature level 3_0",
        )
    ]
    desc = describe(DiagonalMatrixOperatorDesc, 3, T.UINT8)
    found = validation.check(desc, FeatureLevel.LEVEL_2_0)
    assert [str(complaint) for complaint in found] == [
        "DiagonalMatrixOperatorDesc.output_tensor.data_type: UINT8 needs feature level 2_1, got 2_0",
        (
            "DiagonalMatrixOperatorDesc.output_tensor.sizes: 3 dimensions need feature level 4_0,"
            " got 2_0"
        ),
    ]
