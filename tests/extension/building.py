"""Building the two extensions with setuptools, and loading them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

SOURCES = ["setup.py", "cython_user.pyx", "c_user.c"]


def build(directory: Path) -> None:
    for source in SOURCES:
        shutil.copy(Path(__file__).with_name(source), directory)
    result = subprocess.run(
        [sys.executable, "setup.py", "build_ext", "--inplace"],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def load(directory: Path, name: str) -> ModuleType:
    """Run a module's initialization, even if it has run before."""
    path = directory / f"{name}{EXTENSION_SUFFIXES[0]}"
    spec = spec_from_file_location(name, path, loader=ExtensionFileLoader(name, str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
