"""What the pages name exists: functions, files, variables of the environment, and parts of the C API."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path

import pytest

from documentation.pages import OPTIONAL, ROOT, blocks, codes, every_page, name_of

_NAME = re.compile(r"(?<![\w/])dmlc(?:\.[A-Za-z_]\w*)+")
_FILE = re.compile(r"(?:\.ci|\.github|bench|csrc|docs|examples|fuzz|src|tests)/[\w./-]*")
_C_NAME = re.compile(r"\bdmlc_\w+(?<!_)\b")


def found(name: str) -> bool:
    """Whether a dotted name is a module of dmlc or a member of one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] in OPTIONAL:
                return True
            continue
        for part in parts[length:]:
            if not hasattr(value, part):
                return False
            value = getattr(value, part)
        return True
    return False


@pytest.mark.parametrize("page", every_page(), ids=name_of)
def test_names_of_python_exist(page: Path) -> None:
    names = {name for code in codes(page) for name in _NAME.findall(code)} - {"dmlc.h"}
    assert [name for name in sorted(names) if not found(name)] == []


@pytest.mark.parametrize("page", every_page(), ids=name_of)
def test_files_exist(page: Path) -> None:
    files = {code for code in codes(page) if _FILE.fullmatch(code)}
    assert [name for name in sorted(files) if not (ROOT / name).exists()] == []


@cache
def sources() -> str:
    """All that reads variables of the environment."""
    suffixes = (".py", ".pyx", ".pxi", ".c", ".sh")
    files = [path for folder in ("src", "tests", "csrc") for path in (ROOT / folder).rglob("*")]
    return "\n".join(path.read_text("utf-8") for path in files if path.suffix in suffixes)


@pytest.mark.parametrize("page", every_page(), ids=name_of)
def test_variables_of_the_environment_are_read(page: Path) -> None:
    names = {name for code in codes(page) for name in re.findall(r"\bDMLC_[A-Z_]+\b", code)}
    assert [name for name in sorted(names) if name not in sources()] == []


@pytest.mark.parametrize("page", every_page(), ids=name_of)
def test_names_of_c_are_declared(page: Path) -> None:
    declared = "".join(path.read_text("utf-8") for path in (ROOT / "csrc").rglob("*.h"))
    declared += (ROOT / "src" / "dmlc" / "include" / "dmlc_python.h").read_text("utf-8")
    text = [*codes(page), *(b.text for b in blocks(page) if b.language in ("c", "cython"))]
    names = {name for part in text for name in _C_NAME.findall(part)}
    assert [name for name in sorted(names) if not re.search(rf"\b{name}\b", declared)] == []
