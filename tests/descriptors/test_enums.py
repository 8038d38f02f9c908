"""DirectML's numbers, and what a data type knows of its elements."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from dmlc.enums import FeatureLevel, PaddingMode, TensorDataType, TensorFlags

# directml.h, in its own order.
NUMBERS = {
    TensorDataType: "UNKNOWN FLOAT32 FLOAT16 UINT32 UINT16 UINT8 INT32 INT16 INT8 FLOAT64 UINT64 INT64",
    PaddingMode: "CONSTANT EDGE REFLECTION SYMMETRIC WRAP",
    TensorFlags: "NONE OWNED_BY_DML",
}


@pytest.mark.parametrize("enum", NUMBERS)
def test_numbers(enum):
    names = NUMBERS[enum].split()
    assert [enum[name].value for name in names] == list(range(len(names)))
    assert len(enum.__members__) == len(names)


def test_feature_levels():
    labels = [
        "1_0",
        "2_0",
        "2_1",
        "3_0",
        "3_1",
        "4_0",
        "4_1",
        "5_0",
        "5_1",
        "5_2",
        "6_0",
        "6_1",
        "6_2",
        "6_3",
        "6_4",
    ]
    assert [level.label for level in FeatureLevel] == labels
    for level in FeatureLevel:
        major, minor = level.label.split("_")
        assert level == int(major) * 0x1000 + int(minor) * 0x100


@pytest.mark.parametrize("member", [member for member in TensorDataType if member != 0])
def test_data_type_and_dtype(member):
    dtype = np.dtype(member.name.lower())
    assert member.numpy_dtype == dtype
    assert member.itemsize == dtype.itemsize
    assert TensorDataType.from_dtype(dtype) is member
    assert TensorDataType.from_dtype(dtype.type) is member
    if dtype.kind == "f":
        assert member.integer_range is None
    else:
        limits = np.iinfo(dtype)
        assert member.integer_range == range(int(limits.min), int(limits.max) + 1)


def test_every_name_of_an_integer_type():
    # C's long and long long are both 64 bits wide on some systems.
    assert TensorDataType.from_dtype(np.longlong) is TensorDataType.INT64
    assert TensorDataType.from_dtype(np.ulonglong) is TensorDataType.UINT64


def test_unknown_has_no_elements():
    assert TensorDataType.UNKNOWN.integer_range is None
    for attribute in ("numpy_dtype", "itemsize"):
        with pytest.raises(ValueError, match=r"^TensorDataType\.UNKNOWN has no NumPy dtype$"):
            getattr(TensorDataType.UNKNOWN, attribute)


@pytest.mark.parametrize(
    "dtype",
    [
        np.dtype(bool),
        np.dtype(np.complex64),
        np.dtype("datetime64[s]"),
        np.dtype(object),
        np.dtype("S4"),
        np.dtype(np.int32).newbyteorder(),
        np.dtype(ml_dtypes.bfloat16),
        np.dtype(ml_dtypes.float8_e5m2),
    ],
    ids=str,
)
def test_foreign_dtypes(dtype):
    with pytest.raises(TypeError, match="^DirectML has no tensor data type for dtype"):
        TensorDataType.from_dtype(dtype)


@pytest.mark.parametrize(
    ("member", "bits"),
    [
        (TensorDataType.FLOAT16, 0x7D01),
        (TensorDataType.FLOAT32, 0x7F800001),  # signalling
        (TensorDataType.FLOAT64, 0xFFF0000000000001),
        (TensorDataType.INT8, 0x80),
        (TensorDataType.UINT64, 2**64 - 1),
    ],
)
def test_from_bits(member, bits):
    scalar = member.from_bits(bits)
    assert scalar.dtype == member.numpy_dtype
    assert np.array(scalar).view(f"u{member.itemsize}") == bits


@pytest.mark.parametrize("bits", [-1, 256])
def test_from_too_many_bits(bits):
    with pytest.raises(OverflowError):
        TensorDataType.INT8.from_bits(bits)


@pytest.mark.parametrize("bits", [1.9, "7", None])
def test_from_what_is_no_integer(bits):
    with pytest.raises(TypeError):
        TensorDataType.UINT8.from_bits(bits)


def test_unknown_flags():
    with pytest.raises(ValueError, match="invalid value 2"):
        TensorFlags(2)
