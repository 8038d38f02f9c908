"""Every run of the documentation's figures: this machine's widest kernels and AVX2, on all threads and on one.

    python bench/matrix.py --keep results             everything, an hour and more
    python bench/matrix.py --keep results --quick     as run.py takes it
    python bench/matrix.py --keep results --load      only what is there already
    python bench/matrix.py                            only what docs/figures.json holds
    python bench/matrix.py --verify                   writes nothing, fails where a file differs

What it does not know goes to `run.py`. The runs, without what no figure is made of, go to docs/figures.json. From that
alone come docs/benchmark.svg, a line for each kind of case, docs/cases.svg, case by case for the first run, and the
tables of README.md and docs/performance.md, between comments that name them.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import chart
import spread
from report import behind_table, readme_table
from results import Results, load, load_figures, save_figures

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
FIGURES = ROOT / "docs" / "figures.json"
PAGES = ("README.md", "docs/performance.md")


def configurations() -> list[tuple[str, list[str]]]:
    """Names and options, the widest kernels on all threads first."""
    cores = len(os.sched_getaffinity(0))
    threads = list(dict.fromkeys([cores, 1]))
    return [
        (f"{isa}-{count}", ["--threads", str(count), *options])
        for isa, options in (("widest", []), ("avx2", ["--isa", "avx2"]))
        for count in threads
    ]


def measured(keep: Path, measure: bool, others: Sequence[str]) -> tuple[list[Results], int]:
    """The runs of a folder, made there first if so wished, and whether one of them failed."""
    keep.mkdir(parents=True, exist_ok=True)
    runs: dict[tuple[str, int], Results] = {}
    status = 0
    for name, extra in configurations():
        path = keep / f"{name}.json"
        if not measure and not path.exists():
            continue
        if measure:
            command = [sys.executable, str(HERE / "run.py"), *extra, "--output", str(path), *others]
            print(f"== {name}: {' '.join(extra)}", flush=True)
            text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
            path.with_suffix(".txt").write_text(text.stdout)
            status |= text.returncode
        run = load(path)
        # Where the widest kernels are AVX2's, both runs are the same and the second one counts.
        runs[spread.instruction_set(run), spread.threads(run)] = run
    if not runs:
        raise SystemExit(f"{keep} has no results")
    return list(runs.values()), status


def with_tables(page: str, tables: dict[str, str]) -> str:
    """A page whose tables, between `<!-- figures: NAME -->` and `<!-- end -->`, are these."""

    def table(found: re.Match[str]) -> str:
        return f"{found[1]}\n{tables[found[2]]}\n{found[3]}"

    return re.sub(r"(<!-- figures: (\w+) -->)\n.*?(<!-- end -->)", table, page, flags=re.DOTALL)


def products(runs: list[Results]) -> dict[str, str]:
    """What stands in each file that is made of these runs."""
    tables = {"table": readme_table(runs), "behind": behind_table(runs)}
    return {
        "docs/benchmark.svg": spread.drawn(runs),
        "docs/cases.svg": chart.drawn(runs[0]),
        **{page: with_tables((ROOT / page).read_text("utf-8"), tables) for page in PAGES},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", metavar="DIRECTORY", type=Path, help="where results are kept")
    parser.add_argument("--load", action="store_true", help="measure nothing")
    parser.add_argument("--verify", action="store_true", help="write nothing, say what differs")
    options, others = parser.parse_known_args()
    status = 0
    if options.keep:
        found, status = measured(options.keep, not options.load, others)
        save_figures(found, FIGURES)
    runs = load_figures(FIGURES)
    for name, content in products(runs).items():
        path = ROOT / name
        if options.verify:
            if path.read_text("utf-8") != content:
                print(f"{name} is not what docs/figures.json says: run python bench/matrix.py")
                status = 1
        else:
            path.write_text(content, encoding="utf-8")
    if not options.verify:
        print(readme_table(runs))
    return status


if __name__ == "__main__":
    sys.exit(main())
