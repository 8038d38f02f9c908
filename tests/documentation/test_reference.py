"""The API reference has a page for every public name of a module, and the page on ONNX every version of an operator."""

from __future__ import annotations

import ast
import re

import pytest

import dmlc
from documentation.pages import DOCS, rows
from house.tree import modules

NO_PAGE = {
    "dmlc": {"__version__"},
    "dmlc.compat.c_functions": {"FUNCTIONS"},
    "dmlc.compat.numpy": {"flip", "rot90"},  # NumPy's own
}
INDEX = DOCS / "api" / "index.md"


def listed() -> dict[str, set[str]]:
    """The names that the reference lists, by module."""
    found: dict[str, set[str]] = {}
    module = ""
    for line in INDEX.read_text("utf-8").splitlines() if INDEX.exists() else ():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r"   \w+", line):
            found.setdefault(module, set()).add(line.strip())
    return found


def public(module: str) -> set[str]:
    """A module's `__all__`, read without an import of packages that it may need."""
    tree = ast.parse(modules()[module].read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    raise AssertionError(f"{module} has no __all__")


@pytest.mark.parametrize("module", listed())
def test_every_public_name_has_a_page(module: str) -> None:
    assert listed()[module] == public(module) - NO_PAGE.get(module, set())


def test_the_package_is_in_the_reference() -> None:
    if not INDEX.exists():
        pytest.skip("the documentation is not here")
    assert dmlc.__name__ in listed()


def test_versions_of_onnx_operators() -> None:
    defs = pytest.importorskip("onnx.defs")
    onnx = pytest.importorskip("dmlc.onnx")
    page = DOCS / "onnx.md"
    if not page.exists():
        pytest.skip("the documentation is not here")
    written = {row.cells[0]: {int(n) for n in row.cells[1].split(",")} for row in rows(page)}
    assert set(written) == {operator.__name__ for operator in onnx.ops()}
    newest = defs.onnx_opset_version()
    for name, versions in written.items():
        schemas = [
            schema
            for schema in defs.get_all_schemas_with_history()
            if schema.name == name and schema.domain == "" and not schema.deprecated
        ]
        known = {schema.since_version for schema in schemas}
        assert {version for version in versions if version <= newest} == known, name
