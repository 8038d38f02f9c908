"""dmlc.compat.array_api_extra against array-api-extra, where that is installed."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from dmlc.compat import array_api_extra as compat

MATRIX = np.arange(6, dtype=np.int16).reshape(2, 3)


def test_pad() -> None:
    result = compat.pad(MATRIX, [(0, 1), (2, 0)], constant_values=7)
    assert result.tolist() == [[7, 7, 0, 1, 2], [7, 7, 3, 4, 5], [7] * 5]
    assert result.dtype == np.int16
    with pytest.raises(NotImplementedError, match=r"mode must be 'constant', got 'edge'"):
        compat.pad(MATRIX, 1, "edge")  # type: ignore[arg-type]


def test_one_hot() -> None:
    result = compat.one_hot(np.array([2, -1, 0, 3]), 3)
    assert result.tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert result.dtype == np.float64
    with pytest.raises(TypeError, match="x must have an integral dtype, got float64"):
        compat.one_hot(np.ones(3), 3)


def test_other_libraries_need_the_package() -> None:
    code = (
        "import sys; sys.modules['array_api_extra'] = None\n"
        "import dmlc.compat.array_api_extra as compat\n"
        "compat.pad(object(), 1)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert 'package array-api-extra: pip install "dmlc[array-api]"' in result.stderr


class TestAgainstArrayApiExtra:
    @pytest.fixture(autouse=True)
    def extra(self) -> Any:
        return pytest.importorskip("array_api_extra")

    @pytest.mark.parametrize("name", compat.__all__)
    def test_signatures(self, extra: Any, name: str) -> None:
        ours = inspect.signature(getattr(compat, name)).parameters.values()
        theirs = inspect.signature(getattr(extra, name)).parameters.values()
        assert [(p.name, p.kind, p.default) for p in ours] == [
            (p.name, p.kind, p.default) for p in theirs
        ]

    @pytest.mark.parametrize(
        "dtype", [None, np.float64, np.int8, bool, np.complex64, np.longdouble]
    )
    @pytest.mark.parametrize("axis", [-1, 0, 1, -2])
    def test_one_hot(self, extra: Any, dtype: Any, axis: int) -> None:
        indices = np.array([[0, 3, 1], [2, 2, 0]], np.uint8)
        ours = compat.one_hot(indices, 4, dtype=dtype, axis=axis)
        theirs = extra.one_hot(indices, 4, dtype=dtype, axis=axis)
        assert ours.dtype == theirs.dtype
        assert ours.tolist() == theirs.tolist()

    @pytest.mark.parametrize("width", [0, 2, (1, 2), [(1, 0), (0, 3)], [(1, 2)]])
    @pytest.mark.parametrize("value", [0, 3, -1])
    def test_pad(self, extra: Any, width: Any, value: int) -> None:
        for array in (MATRIX, MATRIX.T, MATRIX.astype(complex)):
            ours = compat.pad(array, width, constant_values=value, xp=np)
            theirs = extra.pad(array, width, constant_values=value, xp=np)
            assert ours.dtype == theirs.dtype
            assert ours.tolist() == theirs.tolist()

    def test_another_librarys_array(self, extra: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        class Other(np.ndarray[Any, Any]): ...

        asked = []
        monkeypatch.setattr(extra, "pad", lambda *a, **k: asked.append((a, k)))
        monkeypatch.setattr(extra, "one_hot", lambda *a, **k: asked.append((a, k)))
        other = MATRIX.view(Other)
        compat.pad(other, 1, constant_values=2)
        compat.one_hot(other, 3, axis=0)
        compat.pad(MATRIX, 1, xp=extra)
        padding = {"constant_values": 2, "xp": None}
        hot = {"dtype": None, "axis": 0, "xp": None}
        assert asked[0] == ((other, 1, "constant"), padding)
        assert asked[1] == ((other, 3), hot)
        assert asked[2] == ((MATRIX, 1, "constant"), {"constant_values": 0, "xp": extra})
