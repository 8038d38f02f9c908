"""Addresses of C functions: the table's order and types are the header's."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest

import dmlc
from dmlc.compat import c_functions

SIZES = {"int32_t": 4, "int64_t": 8, "dmlc_status": 4, "dmlc_index_type": 4, "void": 0}
SIZES |= {"dmlc_padding_mode": 4, "dmlc_band_background": 4}


def header() -> str:
    for place in (Path(dmlc.get_include()), Path(dmlc.__file__).parent / "include"):
        if (place / "dmlc_python.h").exists():
            return (place / "dmlc_python.h").read_text("utf-8")
    pytest.skip("no header beside the package")


def size_of(declared: str) -> int:
    if "*" in declared:
        return ctypes.sizeof(ctypes.c_void_p)
    return SIZES[declared.removeprefix("const ").strip()]


def test_the_table_is_the_headers() -> None:
    pattern = r"FUNCTION\(([\w ]+ ?\*?), (dmlc_\w+),\s*\(([^()]*)\)\)"
    declared = re.findall(pattern, header().replace("\\\n", "\n"))
    assert [name for _, name, _ in declared] == list(c_functions.FUNCTIONS)
    for result, name, parameters in declared:
        listed = [p.strip() for p in parameters.split(",") if p.strip() != "void"]
        expected = [size_of(result), *map(size_of, listed)]
        types = c_functions.FUNCTIONS[name]
        assert [0 if t is None else ctypes.sizeof(t) for t in types] == expected, name


def test_a_plan_by_ctypes() -> None:
    sizes, strides = np.array([3], np.int64), np.array([4], np.int64)
    widths = np.array([2], np.int64)
    array, result = np.array([1, 2, 3], np.int32), np.zeros(7, np.int32)
    plan = ctypes.c_size_t()
    status = c_functions.function("dmlc_plan_padding")(
        *(ctypes.addressof(plan), 4, 1, sizes.ctypes.data, strides.ctypes.data),
        *(strides.ctypes.data, widths.ctypes.data, widths.ctypes.data, 2),
    )
    assert status == 0
    operands = np.array([result.ctypes.data, array.ctypes.data, 0, 0], np.uintp)
    c_functions.function("dmlc_run")(plan.value, operands.ctypes.data, 1)
    c_functions.function("dmlc_plan_free")(plan.value)
    assert result.tolist() == [3, 2, 1, 2, 3, 2, 1]


def test_the_addresses_are_the_packages() -> None:
    assert c_functions.function("dmlc_threads")() == dmlc.get_num_threads()
    assert c_functions.function("dmlc_isa")().decode() == dmlc.show_config()["isa"]
    assert len({c_functions.address(name) for name in c_functions.FUNCTIONS}) == len(
        c_functions.FUNCTIONS
    )


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match="name must be one of dmlc_version, .* got 'dmlc_walk'"):
        c_functions.address("dmlc_walk")
