"""The types are complete: the package and a user's file pass mypy --strict."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import dmlc

pytest.importorskip("mypy")

USER = """\
from typing import Any
import numpy as np
import dmlc

class Capsule:
    def __dlpack__(self, *, stream: int | None = None) -> Any:
        raise BufferError
    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

x = np.zeros((2, 3), np.float32)
dmlc.pad(x, ((1, 1), (0, 2)), "reflect")
dmlc.pad([1, 2], {0: (1, 2)}, constant_values=3)
dmlc.pad(Capsule(), 1)
dmlc.one_hot([1, 2], 3, dtype="int8", negative="off")
batch, mask = dmlc.pad_sequence([[1, 2], [3]], return_mask=True)
only = dmlc.pad_sequence([np.arange(3)], multiple_of=8)
dmlc.pad_sequence([[1], [2, 3]], out=np.empty((2, 2), int))
dmlc.window(x, (-1, 2), [3, 4], "wrap", out=None)
dmlc.window([1, 2], 5, 3, constant_values=7)
dmlc.roll(x, (1, 2), axis=(0, 1))
dmlc.roll(x, 1)
dmlc.stack([x, x], -1)
either: bool = len(x) > 1
dmlc.pad_sequence([[1]], return_mask=either)
dmlc.collate([[1]], return_mask=either)
items, real = dmlc.collate((x, [[1]]), shape=(4, 4), align="center", return_mask=True)
whole: np.ndarray[Any, Any] = dmlc.collate([x[:, ::-1]], mode="edge")
t = dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, [2, 3])
op = dmlc.Device().compile_operator(dmlc.DiagonalMatrixOperatorDesc(t, offset=0, value=1.0))
y: np.ndarray[Any, Any] = op()
with dmlc.num_threads(2):
    dmlc.eye(3, k=1, out=np.empty((3, 3)))
dmlc.slice(x, [0, 0], (1, 2), (1, -1), output_sizes=(1, 1))
dmlc.flip(x, (0, 1))
dmlc.flip(x, 0)
dmlc.triu(dmlc.tri(3), -1)
dmlc.causal_mask(4, window=2)
print(dmlc.show_config()["isa"], dmlc.__version__, dmlc.get_include())
"""

WRONG = """\
import dmlc

dmlc.pad([1], 1, "mirror")
dmlc.one_hot([1])
dmlc.collate([[1]], align="middle")
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One directory for all: its cache has what mypy knows of NumPy after the first run."""
    return tmp_path_factory.mktemp("mypy")


def mypy(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--cache-dir",
            str(directory / "cache"),
            *arguments,
        ],
        cwd=directory,
        env={"MYPYPATH": str(source())} if source() else None,
        capture_output=True,
        text=True,
        check=False,
    )


def source() -> Path | None:
    """Where the package stands, unless it is installed and mypy finds it by itself."""
    parent = Path(dmlc.__file__).parents[1]
    return None if parent.name == "site-packages" else parent


def test_the_package(place: Path) -> None:
    result = mypy(place, "-p", "dmlc")
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_users_file(place: Path) -> None:
    (place / "user.py").write_text(USER)
    result = mypy(place, "user.py")
    assert result.returncode == 0, result.stdout + result.stderr


def test_wrong_calls_are_found(place: Path) -> None:
    (place / "wrong.py").write_text(WRONG)
    result = mypy(place, "wrong.py")
    assert result.returncode == 1
    assert result.stdout.count("error:") == 3, result.stdout
