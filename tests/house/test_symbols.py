"""Exported symbols: the module's entry point and names that start with dmlc_, nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dmlc
from dmlc import _dmlc

NM = shutil.which("nm")
needs_nm = pytest.mark.skipif(
    NM is None or sys.platform != "linux", reason="symbols are read with nm, on Linux"
)
ENTRY_POINT = "PyInit__dmlc"


def exported(library: Path, *options: str) -> set[str]:
    """Names of defined external symbols; nm prints `address letter name`."""
    listing = subprocess.run(
        [str(NM), *options, "--defined-only", str(library)],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split() for line in listing.stdout.splitlines()]
    return {row[2] for row in rows if len(row) == 3}


def foreign(names: set[str]) -> set[str]:
    # The linker defines _init, _fini and the like in every library.
    return {name for name in names if not name.startswith(("dmlc_", "_init", "_fini", "__"))}


@needs_nm
def test_the_extension_exports_its_entry_point_alone() -> None:
    names = exported(Path(str(_dmlc.__file__)), "-D")
    assert ENTRY_POINT in names
    assert foreign(names - {ENTRY_POINT}) == set()


def static_libraries() -> list[Path]:
    """The C core's archives where it was built or installed beside the package."""
    here = Path(dmlc.__file__).parent
    places = [here, here.parents[1] / "build", here.parents[1] / "builddir"]
    return sorted({path for place in places for path in place.rglob("libdmlc*.a")})


@needs_nm
def test_the_static_library_defines_dmlc_names_alone() -> None:
    libraries = static_libraries()
    if not libraries:
        pytest.skip("no static library of the C core beside the package")
    for library in libraries:
        names = exported(library, "-g")
        assert foreign(names) == set(), library


def test_foreign_names_are_noticed() -> None:
    assert foreign({"dmlc_plan_run", "copy_rows", "_init", "__bss_start"}) == {"copy_rows"}
