"""Data flows one way: a room imports itself and the rooms below it.

    onnx > compat > adapters, functions
    torch > functions
    dask, out_of_core > regions > functions
    cli > adapters, functions > device > validation, operators > descriptors > _dmlc > arguments > arrays > tensors

`enums` and `errors` are vocabulary for all. `runtime` stands beside the device. What the binding asks to convert
arguments stands below it.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from house.tree import imports_of, modules

FLOORS = [
    {"__main__"},
    {"cli"},
    {"dask", "onnx", "out_of_core", "torch"},
    {"compat", "regions"},
    {"adapters", "functions"},
    {"device", "runtime"},
    {"operators", "validation"},
    {"descriptors"},
    {"_dmlc", "reference"},
    {"arguments"},
    {"arrays"},
    {"tensors"},
]
VOCABULARY = {"enums", "errors"}
LEVEL = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}


def room_of(name: str) -> str:
    """The room of a full name: dmlc.validation.tensor.check is validation; dmlc itself is ''."""
    return (name.split(".") + [""])[1]


def wrong_imports(importer: str, imported: set[str]) -> list[str]:
    """What a module of room `importer` should not have imported."""
    wrong = []
    for name in sorted(imported):
        room = room_of(name)
        if not name.startswith("dmlc.") or room in VOCABULARY or room == importer:
            continue
        # A name that is no room stands in dmlc/__init__.py, above all rooms but the entrance.
        below = room in LEVEL and importer in LEVEL and LEVEL[room] > LEVEL[importer]
        if importer in VOCABULARY or not below:
            wrong.append(name)
    return wrong


def test_every_room_is_known() -> None:
    rooms = {room_of(name) for name in modules()} - {""}
    assert rooms <= set(LEVEL) | VOCABULARY


@pytest.mark.parametrize("name", [name for name in modules() if name != "dmlc"])
def test_imports_go_down(name: str) -> None:
    path = modules()[name]
    imported = imports_of(path.read_text("utf-8"), name, path.name == "__init__.py")
    wrong = wrong_imports(room_of(name), imported)
    # The command line is an entrance: it may use the public surface as any user does.
    wrong = [n for n in wrong if not (room_of(name) == "cli" and room_of(n) not in LEVEL)]
    assert wrong == []


@pytest.mark.parametrize(
    ("importer", "source", "wrong"),
    [
        ("descriptors", "from dmlc.validation import tensor", ["dmlc.validation.tensor"]),
        ("validation", "import dmlc.device", ["dmlc.device"]),
        ("validation", "def f():\n from ..functions import pad", ["dmlc.functions.pad"]),
        ("validation", "from dmlc import _dmlc, errors", []),
        ("descriptors", "if TYPE_CHECKING:\n from dmlc.validation import tensor", []),
        ("validation", "from dmlc.descriptors import tensor", []),
        ("validation", "if TYPE_CHECKING:\n pass\nelse:\n import dmlc.cli", ["dmlc.cli"]),
        ("adapters", "from dmlc.functions import pad", ["dmlc.functions.pad"]),
        ("adapters", "from dmlc import Device", ["dmlc.Device"]),
        ("enums", "from dmlc.arrays import as_array", ["dmlc.arrays.as_array"]),
    ],
)
def test_the_rule_itself(importer: str, source: str, wrong: list[str]) -> None:
    assert wrong_imports(importer, imports_of(source, f"dmlc.{importer}.x", False)) == wrong


def test_importing_dmlc_loads_numpy_alone() -> None:
    """No optional package, and no command line, comes with `import dmlc`."""
    code = (
        "import sys, numpy; before = set(sys.modules); import dmlc; "
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}"
        " - sys.stdlib_module_names)); print('dmlc.cli' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    third_party, cli_loaded = result.stdout.splitlines()
    foreign = {name for name in third_party.split() if "cython" not in name}
    assert foreign <= {"dmlc", "numpy"}
    assert cli_loaded == "False"


def test_importing_dmlc_is_quick() -> None:
    """Nothing that takes milliseconds and serves only types, paths, the command line or others."""
    slow = {"argparse", "dmlc.compat", "dmlc.onnx", "numpy.typing", "pathlib"}
    code = (
        "import sys, numpy; before = set(sys.modules); import dmlc; "
        f"print(*sorted({slow} & (set(sys.modules) - before)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == []
