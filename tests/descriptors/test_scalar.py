"""From a number to the bytes of an element."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlc.descriptors.scalar import (
    float_identity,
    float_to_element,
    scalar_identity,
    scalar_to_element,
)
from dmlc.enums import TensorDataType as T

INTEGERS = [member for member in T if member.integer_range is not None]
FLOATS = [T.FLOAT16, T.FLOAT32, T.FLOAT64]


def element(data: bytes, data_type: T):
    dtype = data_type.numpy_dtype
    assert len(data) == dtype.itemsize
    return np.frombuffer(data, dtype)[0]


@pytest.mark.parametrize(
    ("value", "data_type", "expected"),
    [
        (10.6, T.INT32, 10),
        (10.6, T.UINT8, 10),
        (-10.6, T.INT8, -10),
        (-10.6, T.INT64, -10),
        (0.99, T.UINT64, 0),
        (300, T.UINT8, 255),
        (300, T.INT8, 127),
        (-300, T.INT8, -128),
        (-1, T.UINT8, 0),
        (-1, T.UINT16, 0),
        (-1, T.UINT32, 0),
        (-1, T.UINT64, 0),
        (70000, T.UINT16, 65535),
        (-40000, T.INT16, -32768),
        (2**31 - 1, T.INT32, 2**31 - 1),  # 2^31 as float32
        (2**31, T.UINT32, 2**31),
        (2**32, T.UINT32, 2**32 - 1),
        (2**63, T.INT64, 2**63 - 1),
        (-(2**63), T.INT64, -(2**63)),
        (2**63, T.UINT64, 2**63),
        (2**64, T.UINT64, 2**64 - 1),
        (2**24 + 1, T.INT64, 2**24),  # the field is a float32
        (2**24 + 3, T.INT64, 2**24 + 4),
        (10**400, T.INT16, 32767),
        (-(10**400), T.INT16, -32768),
        (1e300, T.UINT8, 255),
        (math.nan, T.INT32, 0),
        (-math.nan, T.UINT8, 0),
        (np.float16(7.5), T.UINT8, 7),
        (np.uint64(12), T.INT8, 12),
    ],
)
def test_float_to_integer(value, data_type, expected):
    assert element(float_to_element(value, data_type), data_type) == expected


@pytest.mark.parametrize("data_type", INTEGERS)
def test_float_infinities_saturate(data_type):
    limits = np.iinfo(data_type.numpy_dtype)
    assert element(float_to_element(math.inf, data_type), data_type) == limits.max
    assert element(float_to_element(-math.inf, data_type), data_type) == limits.min


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (1.0, 0x3C00),
        (-0.0, 0x8000),
        (2049, 0x6800),  # halfway between 2048 and 2050: 2048 is even
        (2051, 0x6802),  # halfway between 2050 and 2052: 2052 is even
        (1 + 2**-11, 0x3C00),
        (1 + 3 * 2**-11, 0x3C02),
        (65504, 0x7BFF),
        (65519.996, 0x7BFF),
        (65520, 0x7C00),
        (-65520, 0xFC00),
        (2**-24, 0x0001),
        (2**-25, 0x0000),
        (math.inf, 0x7C00),
        (math.nan, 0x7E00),
        # Rounded to float32 first, this lies halfway; rounded at once, it would go up.
        (1 + 2**-11 + 2**-40, 0x3C00),
    ],
)
def test_float_to_float16(value, bits):
    assert float_to_element(value, T.FLOAT16) == np.uint16(bits).tobytes()


def test_float_to_float32_and_float64():
    assert float_to_element(0.1, T.FLOAT32) == np.float32(0.1).tobytes()
    assert float_to_element(0.1, T.FLOAT64) == np.float64(np.float32(0.1)).tobytes()
    assert float_to_element(1e39, T.FLOAT32) == np.float32(np.inf).tobytes()
    assert float_to_element(10**400, T.FLOAT64) == np.float64(np.inf).tobytes()


def test_float_keeps_the_bits_of_a_float32():
    for bits in (0x7FC00001, 0xFFC12345, 0x7F800001):
        assert float_to_element(T.FLOAT32.from_bits(bits), T.FLOAT32) == np.uint32(bits).tobytes()


@given(st.floats(width=32), st.sampled_from(INTEGERS))
def test_float_to_integer_formula(value, data_type):
    limits = np.iinfo(data_type.numpy_dtype)
    bound = min(max(value, float(limits.min)), float(limits.max))
    expected = 0 if math.isnan(value) else max(min(int(bound), limits.max), limits.min)
    assert element(float_to_element(value, data_type), data_type) == expected


@given(st.integers(), st.sampled_from(INTEGERS))
def test_typed_integers_are_exact_or_refused(value, data_type):
    if value in data_type.integer_range:
        assert int(element(scalar_to_element(value, data_type), data_type)) == value
    else:
        with pytest.raises(ValueError, match=f"^{data_type.name} does not hold"):
            scalar_to_element(value, data_type)


@pytest.mark.parametrize("data_type", INTEGERS)
def test_typed_integers_at_their_limits(data_type):
    for value in (data_type.integer_range[0], data_type.integer_range[-1]):
        assert int(element(scalar_to_element(value, data_type), data_type)) == value


@pytest.mark.parametrize("data_type", INTEGERS)
@pytest.mark.parametrize(
    "value", [0.5, -1.5, math.inf, -math.inf, math.nan, np.float32(0.25), 1e300]
)
def test_typed_integers_refuse(value, data_type):
    with pytest.raises(ValueError, match=f"^{data_type.name} does not hold"):
        scalar_to_element(value, data_type)


def test_typed_integers_take_integral_floats():
    assert scalar_to_element(-2.0, T.INT8) == b"\xfe"
    assert scalar_to_element(np.float16(3), T.UINT8) == b"\x03"
    assert scalar_to_element(np.int64(-1), T.INT8) == b"\xff"
    assert scalar_to_element(-0.0, T.INT8) == b"\x00"


def test_typed_floats_round_once():
    assert scalar_to_element(1 + 2**-11 + 2**-40, T.FLOAT16) == np.uint16(0x3C01).tobytes()
    assert scalar_to_element(65520, T.FLOAT16) == np.float16(np.inf).tobytes()
    assert scalar_to_element(0.1, T.FLOAT64) == struct.pack("=d", 0.1)
    assert scalar_to_element(1e39, T.FLOAT32) == np.float32(np.inf).tobytes()
    assert scalar_to_element(-(10**400), T.FLOAT64) == np.float64(-np.inf).tobytes()


@pytest.mark.parametrize("data_type", FLOATS)
def test_typed_floats_keep_their_bits(data_type):
    quiet_nan = int.from_bytes(np.array(np.nan, data_type.numpy_dtype).tobytes()[::-1], "big")
    for bits in (quiet_nan + 1, quiet_nan ^ (quiet_nan & -quiet_nan) | 1, 1):
        scalar = data_type.from_bits(bits)
        assert scalar_to_element(scalar, data_type) == scalar.tobytes()


def test_no_element_of_an_unknown_type():
    for convert in (float_to_element, scalar_to_element):
        with pytest.raises(ValueError, match="UNKNOWN"):
            convert(1, T.UNKNOWN)


def test_no_warning_on_the_way():
    with np.errstate(all="raise"):
        for data_type in list(T)[1:]:
            for value in (1e39, 1e-46, math.nan, -math.inf, T.FLOAT32.from_bits(0x7F800001)):
                float_to_element(value, data_type)
        for data_type in FLOATS:
            for value in (1e39, 1e-46, math.nan, T.FLOAT64.from_bits(0x7FF0000000000001)):
                scalar_to_element(value, data_type)


def test_identities():
    assert float_identity(0.1) == float_identity(np.float32(0.1))
    assert float_identity(0.0) != float_identity(-0.0)
    assert scalar_identity(1, T.INT8) == scalar_identity(1.0, T.INT8)
    assert scalar_identity(0.1, T.FLOAT64) != scalar_identity(np.float32(0.1), T.FLOAT64)
    assert scalar_identity(300, T.UINT8) == scalar_identity(300, T.UINT8)
    assert scalar_identity(300, T.UINT8) != scalar_identity(301, T.UINT8)
    assert scalar_identity(10**5000, T.UINT8) != scalar_identity(10**5000 + 1, T.UINT8)
    assert scalar_identity(1, T.UNKNOWN) != scalar_identity(2, T.UNKNOWN)
