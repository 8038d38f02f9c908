"""Every run of the README: this machine's widest kernels and AVX2, on all threads and on one.

    python bench/matrix.py --keep results             everything, an hour and more
    python bench/matrix.py --keep results --quick     as run.py takes it
    python bench/matrix.py --keep results --load      only draws and prints what is there

What it does not know goes to `run.py`. Draws docs/benchmark.svg, a line for each kind of case, and
bench/cases.svg, case by case for the first run; prints the README's table.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import chart
import spread
from report import readme_table
from results import Results, load

HERE = Path(__file__).resolve().parent


def configurations() -> list[tuple[str, list[str]]]:
    """Names and options, the widest kernels on all threads first."""
    cores = len(os.sched_getaffinity(0))
    threads = list(dict.fromkeys([cores, 1]))
    return [
        (f"{isa}-{count}", ["--threads", str(count), *options])
        for isa, options in (("widest", []), ("avx2", ["--isa", "avx2"]))
        for count in threads
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", metavar="DIRECTORY", type=Path, required=True)
    parser.add_argument("--load", action="store_true", help="measure nothing")
    parser.add_argument("--draw", metavar="DIRECTORY", type=Path, help="charts go there instead")
    options, others = parser.parse_known_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    runs: dict[tuple[str, int], Results] = {}
    status = 0
    for name, extra in configurations():
        path = options.keep / f"{name}.json"
        if options.load and not path.exists():
            continue
        if not options.load:
            command = [sys.executable, str(HERE / "run.py"), *extra, "--output", str(path), *others]
            print(f"== {name}: {' '.join(extra)}", flush=True)
            text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
            path.with_suffix(".txt").write_text(text.stdout)
            status |= text.returncode
        run = load(path)
        # Where the widest kernels are AVX2's, both runs are the same and the second one counts.
        runs[spread.instruction_set(run), spread.threads(run)] = run
    found = list(runs.values())
    if not found:
        raise SystemExit(f"{options.keep} has no results")
    places = (HERE.parent / "docs" / "benchmark.svg", HERE / "cases.svg")
    if options.draw:
        places = (options.draw / "benchmark.svg", options.draw / "cases.svg")
    places[0].write_text(spread.drawn(found), encoding="utf-8")
    places[1].write_text(chart.drawn(found[0]), encoding="utf-8")
    print(readme_table(found))
    return status


if __name__ == "__main__":
    sys.exit(main())
