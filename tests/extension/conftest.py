"""The two extensions, built once, in a directory of their own."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path

import pytest

import dmlc
from extension.building import build


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the extensions lie."""
    pytest.importorskip("Cython")
    pytest.importorskip("setuptools")
    compiler = (sysconfig.get_config_var("CC") or "cl").split()[0]
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no C compiler {compiler!r}")
    if not (Path(dmlc.get_include()) / "dmlc.h").exists():
        pytest.skip("dmlc runs from its source tree, its headers are not installed")
    directory = tmp_path_factory.mktemp("extension")
    build(directory)
    return directory
