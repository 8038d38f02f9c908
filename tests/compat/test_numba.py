"""dmlc.compat.numba.pad in compiled code, against NumPy."""

from __future__ import annotations

import gc
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

MATRIX = np.arange(12, dtype=np.float32).reshape(3, 4)
MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


class TestWithNumba:
    @pytest.fixture(autouse=True)
    def numba(self) -> Any:
        return pytest.importorskip("numba")

    @pytest.fixture
    def compiled(self, numba: Any) -> Any:
        from dmlc.compat.numba import pad

        def run(array: Any, width: Any, mode: Any, value: Any) -> Any:
            return pad(array, width, mode, value)

        return numba.njit(run)

    @pytest.mark.parametrize("mode", MODES)
    def test_modes(self, compiled: Any, mode: Any) -> None:
        keywords = {"constant_values": 3} if mode == "constant" else {}
        for width in (0, 1, 9):
            result = compiled(MATRIX, width, mode, 3)
            expected = np.pad(MATRIX, width, mode, **keywords)
            assert result.dtype == expected.dtype
            assert result.tobytes() == expected.tobytes()

    @pytest.mark.parametrize(
        "width",
        [(1, 2), ((1, 2), (0, 3)), ((4, 5),), np.array([1, 2]), np.array([[1, 0], [2, 5]])],
        ids=str,
    )
    def test_widths(self, compiled: Any, width: Any) -> None:
        expected = np.pad(MATRIX, width, "wrap")
        assert compiled(MATRIX, width, "wrap", 0).tobytes() == expected.tobytes()

    @pytest.mark.parametrize(
        "dtype", [bool, np.uint8, np.int16, np.int64, np.float64, np.complex64, np.complex128]
    )
    def test_types(self, compiled: Any, dtype: Any) -> None:
        array = MATRIX.astype(dtype)
        result = compiled(array, 1, "constant", array[1, 1])
        expected = np.pad(array, 1, constant_values=array[1, 1])
        assert (result.dtype, result.tobytes()) == (expected.dtype, expected.tobytes())

    @pytest.mark.parametrize(
        "array",
        [MATRIX.T, MATRIX[::-1, ::2], np.broadcast_to(MATRIX[0], (3, 4)), MATRIX[0], MATRIX[:0]],
        ids=["transposed", "reversed", "broadcast", "vector", "empty"],
    )
    def test_layouts(self, compiled: Any, array: Any) -> None:
        assert (compiled(array, 2, "constant", 1) == np.pad(array, 2, constant_values=1)).all()

    def test_many_calls_hold_what_they_need(self, numba: Any, compiled: Any) -> None:
        """The memory of a call's small arrays is in use until the run is over."""

        def run(array: Any) -> Any:
            total = 0.0
            for i in range(2000):
                total += pad(array, i % 5, "constant", 1.0).sum()
            return total

        from dmlc.compat.numba import pad

        expected = sum(np.pad(MATRIX, i % 5, constant_values=1).sum() for i in range(2000))
        assert numba.njit(run)(MATRIX) == expected
        gc.collect()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((1, "mirror", 0), "mode must be constant, edge, reflect, symmetric or wrap"),
            ((-1, "edge", 0), "pad_width must not be negative"),
            ((2**61, "edge", 0), "pad_width must be less than 2[*][*]61"),
            (((2**63 - 1, 2**63 - 1), "wrap", 0), "pad_width must be less than 2[*][*]61"),
            (((1, 2, 3), "edge", 0), "pad_width must be a pair"),
            ((((1, 2),) * 3, "edge", 0), "pad_width must be a pair, or a pair for each axis"),
        ],
    )
    def test_errors(self, compiled: Any, arguments: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            compiled(MATRIX, *arguments)

    def test_an_empty_axis_cannot_be_extended(self, compiled: Any) -> None:
        with pytest.raises(ValueError, match="an empty axis can be extended in mode constant only"):
            compiled(MATRIX[:0], 1, "edge", 0)

    @pytest.mark.parametrize(
        ("array", "width", "message"),
        [
            (np.array(1.0), 1, "array must be an array of at least one dimension"),
            (np.zeros(2, "M8[s]"), 1, "array must be of numbers or truth values"),
            (MATRIX, 1.5, "pad_width must be an integer"),
        ],
    )
    def test_what_does_not_compile(
        self, numba: Any, compiled: Any, array: Any, width: Any, message: str
    ) -> None:
        with pytest.raises(numba.TypingError, match=message):
            compiled(array, width, "edge", 0)

    def test_outside_compiled_code_it_is_dmlcs(self) -> None:
        from dmlc.compat.numba import pad

        assert pad([1, 2], 1, "edge").tolist() == [1, 1, 2, 2]
        assert pad([1, 2], 1, constant_values=5).tolist() == [5, 1, 2, 5]

    def test_numpys_name_means_it_where_asked(self) -> None:
        """In a process of its own: it is for all that is compiled later."""
        code = (
            "import numba, numpy as np\n"
            "run = lambda x: np.pad(x, ((1, 0), (0, 2)), mode='edge').sum() + np.pad(x, 1)[0, 0]\n"
            "x = np.arange(6.0).reshape(2, 3)\n"
            "try: numba.njit(run)(x)\n"
            "except numba.TypingError: print('lacks it')\n"
            "from dmlc.compat.numba import overload_numpy\n"
            "overload_numpy()\n"
            "print(numba.njit(run)(x) == run(x))\n"
        )
        result = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
        assert result.stdout.split("\n") == ["lacks it", "True", ""], result.stderr


def test_without_numba_it_is_said_what_to_install() -> None:
    code = "import sys; sys.modules['numba'] = None\nimport dmlc.compat.numba"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert 'needs the package numba: pip install "dmlc[numba]"' in result.stderr.splitlines()[-1]
