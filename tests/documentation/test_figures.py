"""Charts and tables are those of docs/figures.json, and the first picture shows what the demo runs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from documentation.pages import DOCS, ROOT


def test_charts_and_tables_are_those_of_the_figures() -> None:
    if not (DOCS / "figures.json").exists():
        pytest.skip("the documentation is not here")
    command = [sys.executable, str(ROOT / "bench" / "matrix.py"), "--verify"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_first_picture_shows_every_case_of_the_demo() -> None:
    image = pytest.importorskip("PIL.Image")
    if not (DOCS / "demo.png").exists():
        pytest.skip("the documentation is not here")
    import numpy as np

    from dmlc.cli.demo import make_cases

    names = [case.name for case in make_cases(np.zeros((8, 8, 3), np.uint8))]
    with image.open(DOCS / "demo.png") as picture:
        assert picture.text["cases"] == "; ".join(names)
