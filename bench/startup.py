"""What dmlc costs before its first call: `python bench/startup.py [WHEEL...]`.

Many processes import NumPy, then dmlc; medians count. The limit is set to the processor time of the
importing thread: other processes stretch what a clock shows, and NumPy's own threads spin meanwhile.
Exits with 1 where a limit is exceeded.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

PROGRAM = """\
from time import perf_counter, thread_time
for name in "numpy", "dmlc":
    wall, thread = perf_counter(), thread_time()
    __import__(name)
    print(1e3 * (perf_counter() - wall), 1e3 * (thread_time() - thread))
"""
PROCESSES = 41
MOST_MILLISECONDS = 15.0
MOST_BYTES = 3 << 19  # 1.5 MiB


def sample() -> list[float]:
    """Milliseconds: NumPy's import, by the clock and of the thread, then dmlc's."""
    arguments = [sys.executable, "-c", PROGRAM]
    output = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    return [float(word) for word in output.split()]


def main(wheels: list[str]) -> int:
    """Print the figures and return the exit code."""
    excess = False
    for wheel in map(Path, wheels):
        size = wheel.stat().st_size
        excess |= size > MOST_BYTES
        print(f"{wheel.name}: {size / 2**20:.2f} MiB, limit {MOST_BYTES / 2**20} MiB")
    sample()  # writes bytecode and fills the file system's cache
    samples = zip(*(sample() for _ in range(PROCESSES)), strict=True)
    numpy_wall, numpy_thread, wall, thread = map(statistics.median, samples)
    excess |= thread > MOST_MILLISECONDS
    print(f"import numpy: {numpy_wall:.1f} ms, {numpy_thread:.1f} ms of processor time")
    print(
        f"import dmlc after it: {wall:.1f} ms, {thread:.1f} ms of processor time, "
        f"limit {MOST_MILLISECONDS} ms; medians of {PROCESSES} processes"
    )
    return int(excess)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
