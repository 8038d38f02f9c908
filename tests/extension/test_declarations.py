"""What dmlc.h declares, the table for extensions and its macros have, and so do the declarations for Cython."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dmlc

PACKAGE = Path(dmlc.__file__).parent


def read(name: str) -> str:
    path = Path(dmlc.get_include()) / name
    if not path.exists():
        pytest.skip(f"dmlc runs from its source tree, {name} is not installed")
    return re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)


def declared_functions(text: str) -> set[str]:
    return set(re.findall(r"^(?:const )?\w+ \*?(dmlc_\w+)\(", text, re.MULTILINE))


def test_the_table_has_every_function() -> None:
    functions = declared_functions(read("dmlc.h"))
    python = read("dmlc_python.h")
    assert len(functions) >= 16
    assert set(re.findall(r"FUNCTION\([\w *]+, (dmlc_\w+),", python)) == functions
    macros = dict(
        re.findall(r"^#define (dmlc_\w+) \(dmlc_imported->(\w+)\)$", python, re.MULTILINE)
    )
    assert macros == {name: name for name in functions}


def test_cython_has_every_name() -> None:
    header = read("dmlc.h")
    cython = (PACKAGE / "c_api.pxd").read_text("utf-8").partition("cdef extern")[2]
    names = declared_functions(header) | set(re.findall(r"\bDMLC_\w+|\bdmlc_\w+", header))
    assert {name for name in names if re.search(rf"\b{name}\b", cython)} == names - {"DMLC_H"}
