"""The guards that DMLC_GUARD_ARRAYS sets around arrays end whoever touches them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import ctypes, sys
import numpy as np
from guarded_arrays import install
install()
place, offset = sys.argv[1], int(sys.argv[2])
arrays = [np.arange(100, dtype=np.uint8) for _ in range(2)]
address = next(a.ctypes.data for a in arrays if (a.ctypes.data % 4096 == 0) == (place == "begin"))
print(ctypes.string_at(address + offset, 1)[0])
"""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
)


def read_byte(place: str, offset: int) -> subprocess.CompletedProcess[str]:
    """Read one byte of an array of 0 to 99, which lies at the begin or the end of its memory."""
    # A sanitizer need not report what is wanted here.
    options = os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"
    return subprocess.run(
        [sys.executable, "-c", CODE, place, str(offset)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[1],
        env={**os.environ, "ASAN_OPTIONS": options},
    )


@pytest.mark.parametrize("place", ["begin", "end"])
def test_elements_may_be_read(place: str) -> None:
    assert [read_byte(place, offset).stdout for offset in (0, 99)] == ["0\n", "99\n"]


@pytest.mark.parametrize(("place", "offset"), [("begin", -1), ("end", 100)])
def test_no_byte_beside_them_may_be(place: str, offset: int) -> None:
    result = read_byte(place, offset)
    assert result.returncode != 0
    assert result.stdout == ""
