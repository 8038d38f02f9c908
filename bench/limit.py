"""The limit of a case: what this machine's memory needs for its bytes.

    limit = fill(bytes written) + max(0, copy(bytes read) - fill(bytes read))

`fill` and `copy` are the best of plain and streaming stores, on one thread and on all, in buffers
that are warm: no page faults, and in cache where they fit.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np

from cases.case import Case
from timing import Sampler, fastest

SOURCE = Path(__file__).with_name("limit.c")


class NoCompilerError(Exception):
    """limit.c could not be compiled; the message says why."""


class Limit:
    """The compiled loops and two buffers that grow with the cases."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.library = compile_library()
        self.target = np.zeros(0, np.uint8)
        self.source = np.zeros(0, np.uint8)

    def samplers(self, case: Case) -> dict[str, Sampler]:
        """What has to be timed together with a case, to be given to `seconds` afterwards."""
        written, read = case.bytes_written, case.bytes_read
        self.reserve(max(written, read))
        if read == written:  # fill(n) + copy(n) - fill(n)
            return {"copy read": self.best("limit_copy", read)}
        samplers = {"fill written": self.best("limit_fill", written)}
        if read:
            samplers["copy read"] = self.best("limit_copy", read)
            samplers["fill read"] = self.best("limit_fill", read)
        return samplers

    def reserve(self, n: int) -> None:
        """Grow both buffers to n bytes, every page of them there."""
        if self.target.size < n:
            self.target, self.source = np.ones(n, np.uint8), np.ones(n, np.uint8)

    def best(self, function: str, n: int) -> Sampler:
        variants = {
            (threads, streaming): self.sampler(function, n, threads, streaming)
            for threads in sorted({1, self.threads})
            for streaming in (False, True)
        }
        return variants[fastest({k: v for k, v in variants.items() if v(1) >= 0})]

    def sampler(self, function: str, n: int, threads: int, streaming: bool) -> Sampler:
        buffers = [self.target.ctypes.data]
        if function == "limit_copy":
            buffers.append(self.source.ctypes.data)
        return partial(getattr(self.library, function), *buffers, n, threads, int(streaming))


def seconds(samples: Mapping[str, list[float]]) -> float:
    """The formula above, from the shortest samples: a disturbed limit would be none."""
    shortest = {name: min(values) for name, values in samples.items()}
    extra = shortest.get("copy read", 0.0) - shortest.get("fill read", 0.0)
    return shortest.get("fill written", 0.0) + max(0.0, extra)


def compile_library() -> ctypes.CDLL:
    compiler = shutil.which("gcc")
    if compiler is None:
        raise NoCompilerError("gcc is not installed")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "limit.so"
        march = "x86-64-v3" if os.environ.get("DMLC_ISA") == "avx2" else "native"
        command = [compiler, "-O3", f"-march={march}", "-fopenmp", "-shared", "-fPIC"]
        result = subprocess.run(
            [*command, str(SOURCE), "-o", str(target)], capture_output=True, text=True, check=False
        )
        if result.returncode != 0:
            raise NoCompilerError(result.stderr.strip())
        library = ctypes.CDLL(str(target))
    sizes = [ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    library.limit_fill.argtypes = [ctypes.c_void_p, *sizes]
    library.limit_copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, *sizes]
    library.limit_fill.restype = library.limit_copy.restype = ctypes.c_double
    return library


def load(threads: int) -> Limit | None:
    """The limit, or None and a word on stderr where it cannot be measured."""
    try:
        return Limit(threads)
    except NoCompilerError as error:
        print(f"the limit is not measured: {error}", file=sys.stderr)
        return None
