"""Numbers as C++ streams print them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dmlc.adapters.dxdispatch.formatting import format_bits, format_elements, format_resource


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(0), "0"),
        (np.float32(-0.0), "-0"),
        (np.float32(1), "1"),
        (np.float32(2.5), "2.5"),
        (np.float32(0.1), "0.1"),
        (np.float32(1 / 3), "0.333333"),
        (np.float32(123456.5), "123456"),
        (np.float32(123457.5), "123458"),
        (np.float32(999999.5), "1e+06"),
        (np.float32(1e20), "1e+20"),
        (np.float32(0.0001), "0.0001"),
        (np.float32(0.00001), "1e-05"),
        (np.float32(np.nan), "nan"),
        (-np.float32(np.nan), "nan"),
        (np.float32(np.inf), "inf"),
        (np.float32(-np.inf), "-inf"),
        (np.float16(65504), "65504"),
        (np.float16(0.1), "0.0999756"),
        (np.float64(1e300), "1e+300"),
        (np.float64(np.pi), "3.14159"),
        (np.int8(-128), "-128"),
        (np.uint8(65), "65"),
        (np.int64(-(2**63)), "-9223372036854775808"),
        (np.uint64(2**64 - 1), "18446744073709551615"),
        (np.int32(1234567), "1234567"),
    ],
)
def test_values(value: Any, text: str) -> None:
    assert format_elements([np.array([value])]) == [text]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(1), "0x3F800000"),
        (np.float32(0), "0x00000000"),
        (np.float16(-2), "0xC000"),
        (np.float64(1), "0x3FF0000000000000"),
        (np.int8(-1), "0xFF"),
        (np.uint8(10), "0x0A"),
        (np.int16(-2), "0xFFFE"),
        (np.uint64(2**64 - 1), "0xFFFFFFFFFFFFFFFF"),
    ],
)
def test_bits(value: Any, text: str) -> None:
    assert format_bits([np.array([value])]) == [text]


def test_a_resource_on_one_line() -> None:
    arrays: list[Any] = [np.array([6, 15], np.uint32), np.array([2.25], np.float16)]
    assert format_resource("out", arrays, verbose=False) == "Resource 'out': 6, 15, 2.25"


def test_a_verbose_resource_has_a_line_for_each_element() -> None:
    text = format_resource("out", [np.arange(10, dtype=np.int8)], verbose=True)
    lines = text.split("\n")
    assert lines[:3] == ["Resource 'out':", "[ 0] 0 (0x00)", "[ 1] 1 (0x01)"]
    assert lines[-1] == "[ 9] 9 (0x09)"
    assert len(lines) == 11
    short = format_resource("out", [np.arange(9, dtype=np.int8)], verbose=True)
    assert short.split("\n")[1] == "[0] 0 (0x00)"
