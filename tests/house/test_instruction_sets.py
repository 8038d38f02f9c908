"""Every table of kernels is chosen where the processor has all that it needs, and known wherever tables are listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "csrc"

pytestmark = pytest.mark.skipif(not SOURCE.is_dir(), reason="the sources are not here")


def built_with(isa: str) -> set[str]:
    """The features that a table's compiler flags name."""
    text = (SOURCE / "kernels" / "meson.build").read_text("utf-8")
    found = re.search(rf"'{isa}': \[(.*?)\]", text, re.DOTALL)
    assert found is not None
    flags = re.findall(r"'-m([^']*)'", found[1])
    return {flag for flag in flags if "=" not in flag}


def asked_for(isa: str) -> set[str]:
    """The features without which dispatch does not take a table."""
    text = (SOURCE / "dispatch" / "dispatch.c").read_text("utf-8")
    found = re.search(rf"if \(([^;]*)\)\s*return &dmlc_kernels_{isa};", text)
    assert found is not None
    return set(re.findall(r'"(\w+)"', found[1]))


def tables() -> list[str]:
    """Every table, by its abilities."""
    path = SOURCE / "kernels" / "abilities.c"
    return re.findall(r'\.isa = "(\w+)"', path.read_text("utf-8")) if path.exists() else []


def tables_with_flags() -> list[str]:
    """Those that are compiled with what not every processor has."""
    path = SOURCE / "kernels" / "meson.build"
    return re.findall(r"'(\w+)': \['-m", path.read_text("utf-8")) if path.exists() else []


@pytest.mark.parametrize("isa", tables_with_flags())
def test_dispatch_asks_for_all_that_kernels_are_built_with(isa: str) -> None:
    assert built_with(isa) == asked_for(isa) != set()


# Where tables are listed, and how: without a line there a table is not tested, or its users do not know of it.
LISTS = {
    "csrc/kernels/meson.build": "'{isa}': [",
    "csrc/tests/emulated/meson.build": "'{isa}': ",
    "csrc/tests/test_plan.c": "&dmlc_abilities_{isa}}}",
    "docs/performance.md": "`{isa}`",
    "tests/runtime/test_isas.py": '"{isa}"',
}


@pytest.mark.parametrize("name", LISTS)
def test_every_table_is_listed(name: str) -> None:
    if not (ROOT / name).exists():
        pytest.skip(f"{name} is not here")
    text = (ROOT / name).read_text("utf-8")
    missing = {isa for isa in tables() if LISTS[name].format(isa=isa) not in text}
    # The portable kernels are built without flags, and need none that are emulated.
    assert missing - ({"baseline"} if name.endswith("emulated/meson.build") else set()) == set()


def test_every_table_is_run_emulated() -> None:
    path = ROOT / ".ci" / "processors"
    if not path.exists():
        pytest.skip("the scripts of CI are not here")
    found = re.search(r'check emulated "([^"]*)"', path.read_text("utf-8"))
    assert found is not None
    assert set(found[1].split()) == set(tables())
