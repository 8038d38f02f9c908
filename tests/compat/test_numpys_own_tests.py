"""NumPy's own tests of these functions pass with dmlc's in their place."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dmlc

TESTS = Path(__file__).parents[1]
# A file that NumPy installs, the tests in it, and the functions that dmlc must have run there. All but the first are long.
FILES = [
    ("numpy.lib.tests.test_arraypad", "", {"pad"}),
    ("numpy.lib.tests.test_twodim_base", "", {"eye", "tri", "tril", "triu"}),
    ("numpy.lib.tests.test_shape_base", "", {"stack", "tile"}),
    ("numpy.lib.tests.test_function_base", "Rot90 or Flip or rot90 or flip", set()),
    ("numpy._core.tests.test_shape_base", "stack", {"stack"}),
    ("numpy._core.tests.test_numeric", "roll or Roll or eye or tri or Like", {"roll"}),
    ("numpy._core.tests.test_multiarray", "repeat or Repeat", {"repeat"}),
    ("numpy._core.tests.test_regression", "", set()),
]


@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""), reason="it is NumPy that these tests run"
)
@pytest.mark.parametrize(
    ("file", "selected", "functions"),
    [
        pytest.param(*row, id=row[0], marks=pytest.mark.long if row in FILES[1:] else ())
        for row in FILES
    ],
)
def test_file(file: str, selected: str, functions: set[str], tmp_path: Path) -> None:
    if importlib.util.find_spec(file.rpartition(".")[0]) is None:
        pytest.skip("NumPy was installed without its tests")
    paths = [str(TESTS), str(Path(dmlc.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    result = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-p", "compat.numpys_own", "-c", "pytest.ini", "-k", selected, "--pyargs", file),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-5000:] + result.stderr
    calls = re.search(r"^calls that dmlc ran:(.*)$", result.stdout, re.MULTILINE)
    assert calls is not None
    ran = {call.partition("=")[0] for call in calls[1].split()}
    assert functions <= ran


def test_a_wrong_function_is_noticed(tmp_path: Path) -> None:
    """A function that is a little wrong fails NumPy's tests of it."""
    (tmp_path / "wrong.py").write_text(
        "from compat import numpys_own\n"
        "from dmlc import functions\n"
        "right = functions.pad\n"
        "def pad(array, *arguments, **keywords):\n"
        "    return right(array[::-1], *arguments, **keywords)\n"
        "functions.pad = pad\n"
    )
    paths = [str(tmp_path), str(TESTS), str(Path(dmlc.__file__).parents[1])]
    paths.append(os.environ.get("PYTHONPATH", ""))
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    arguments = ("-q", "-x", "-p", "wrong", "-c", "pytest.ini", "--pyargs", FILES[0][0])
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1, result.stdout[-2000:] + result.stderr
    assert "failed" in result.stdout.splitlines()[-1]
