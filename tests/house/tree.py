"""Where the package lies, and what every module of it imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import dmlc

PACKAGE = Path(dmlc.__file__).parent


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules() -> dict[str, Path]:
    return {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def _is_type_checking(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _nodes_that_run(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those under `if TYPE_CHECKING`, which never run."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and _is_type_checking(child.test):
            for statement in child.orelse:
                yield statement
                yield from _nodes_that_run(statement)
            continue
        yield child
        yield from _nodes_that_run(child)


def imports_of(source: str, name: str, is_package: bool) -> set[str]:
    """Every name that a module imports, in full: `from dmlc.a import b` is dmlc.a.b."""
    found: set[str] = set()
    package = name.split(".") if is_package else name.split(".")[:-1]
    for node in _nodes_that_run(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found.update(f"{base}.{alias.name}" for alias in node.names)
    return found
