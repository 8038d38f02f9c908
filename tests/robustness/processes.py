"""Programs in an interpreter of their own: what ends a process, or hangs it, is a failure and no more."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import dmlc

# Where programs find the modules of the tests.
TESTS = str(Path(__file__).parents[1])

# Far more than any of them takes, on a busy machine too.
TIMEOUT = 60


def run_python(program: str, **environment: str) -> str:
    """Run a program with this package on its path; it must exit with 0 and say nothing on stderr."""
    paths = [str(Path(dmlc.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))} | environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert result.returncode == 0, result.stderr or f"exit code {result.returncode}"
    assert result.stderr == ""
    return result.stdout
