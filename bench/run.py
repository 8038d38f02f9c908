"""Measure dmlc against NumPy, against every peer that is installed, and against the memory.

    python bench/run.py --quick
    python bench/run.py --output results.json --chart chart.svg
    python bench/run.py --cases 'padding/.*reflect' --libraries dmlc,numpy,jax
    python bench/run.py --compare results.json

README.md beside this file says what is measured and how to read it.
"""

from __future__ import annotations

import argparse
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import process

if TYPE_CHECKING:
    from results import Results

LIBRARY_NAMES = [
    "dmlc",
    "numpy",
    "torch",
    "torch.compile",
    "onnxruntime",
    "opencv",
    "jax",
    "tensorflow",
    "openvino",
    "ipp",
]

Item = TypeVar("Item")


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure dmlc, its peers and the memory's limit.")
    add = parser.add_argument
    known = ", ".join(LIBRARY_NAMES)
    add(
        "--set",
        choices=("uses", "images", "pipelines"),
        default="uses",
        help="images is what IPP can do",
    )
    add("--cases", metavar="REGEX", default="", help="only cases whose name matches")
    add("--list", action="store_true", help="print the names of the cases and stop")
    add("--libraries", metavar="A,B", type=names, default=LIBRARY_NAMES, help=f"of {known}")
    add("--quick", action="store_true", help="three rounds instead of nine, outputs to 32 MiB")
    add("--compile", metavar="S", type=float, default=0.0, help="torch.compile, so many seconds")
    process.add_options(parser)
    add("--scaling", action="store_true", help="also compare one thread with N, in cache")
    add("--calls", action="store_true", help="also time calls on 4x4 arrays and plan creation")
    add("--compare", metavar="OLD.json", type=Path, help="also print old / new, worst first")
    add("--load", metavar="JSON", type=Path, help="report an earlier run instead of measuring")
    add("--output", metavar="JSON", type=Path, help="write the results")
    add("--chart", metavar="SVG", type=Path, help="draw the ratios to the fastest peer")
    return parser.parse_args(arguments)


def names(text: str) -> list[str]:
    chosen = text.split(",")
    for name in chosen:
        if name not in LIBRARY_NAMES:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(LIBRARY_NAMES)}")
    return chosen


def progress(items: Sequence[Item]) -> Iterator[Item]:
    """The items, with a bar on stderr when somebody watches."""
    watched = sys.stderr.isatty()
    for number, item in enumerate(items):
        if watched:
            bar = "#" * (30 * number // len(items))
            label = getattr(item, "name", item)
            sys.stderr.write(f"\r\033[K[{bar:<30}] {number}/{len(items)} {label}")
            sys.stderr.flush()
        yield item
    if watched:
        sys.stderr.write("\r\033[K")


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":")[1].strip() for line in lines if "model name" in line), "")


def last_level_cache() -> int:
    """Bytes of the largest cache, 0 where the system does not tell."""
    sizes = Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    texts = (path.read_text().strip() for path in sizes)
    return max((int(text[:-1]) * units[text[-1]] for text in texts), default=0)


def measure_all(options: argparse.Namespace) -> Results:
    import limit as limits
    from calls import measure_calls
    from cases import SETS
    from cases.case import UnsupportedError
    from measure import measure, measure_scaling, scaling_cases
    from peers import Libraries
    from timing import QUICK, Plan

    plan = QUICK if options.quick else Plan()
    cases = [case for case in SETS[options.set] if re.search(options.cases, case.name)]
    if options.quick:
        cases = [case for case in cases if case.output_bytes <= 32 << 20]
    if not cases:
        raise SystemExit(f"no case matches {options.cases!r}; --list names them all")
    libraries = Libraries(options.threads)
    names = [name for name in options.libraries if name != "torch.compile" or options.compile]
    libraries.load(names)
    if "torch.compile" in libraries.loaded:
        libraries.loaded["torch.compile"].seconds_left = options.compile
    limit = limits.load(options.threads)
    if options.scaling:
        try:
            libraries.get("dmlc")
        except UnsupportedError as reason:
            raise SystemExit(f"--scaling needs dmlc: {reason}") from None

    case_results = []
    for case in progress(cases):
        result = measure(case, names, libraries, limit, plan)
        case_results.append(result)
        for complaint in result["wrong"]:
            print(f"WRONG {case.name}: {complaint}", file=sys.stderr)

    scaling = []
    if options.scaling:
        in_cache = list(scaling_cases(cases, last_level_cache()))
        scaling = [
            measure_scaling(case, libraries, limit, plan, options.threads)
            for case in progress(in_cache)
        ]
    return {
        "machine": {
            "processor": processor(),
            "system": platform.platform(),
            "python": platform.python_version(),
            "threads": str(options.threads),
            "last level cache": str(last_level_cache()),
        },
        "options": {
            "set": options.set,
            "quick": str(options.quick),
            "isa": options.isa or "default",
        },
        "libraries": libraries.versions(),
        "instruction_sets": libraries.instruction_sets(),
        "missing": libraries.missing,
        "cases": case_results,
        "scaling": scaling,
        "tiny_calls": measure_calls(libraries, plan) if options.calls else [],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse_arguments(arguments)
    process.prepare(options)

    import chart
    import report
    import results as stored
    from cases import SETS

    if options.list:
        print_lines(case.name for case in SETS[options.set] if re.search(options.cases, case.name))
        return 0
    results = stored.load(options.load) if options.load else measure_all(options)
    print(report.text(results))
    if options.compare:
        old = stored.load(options.compare)
        print(f"\nAgainst {options.compare}\n" + report.comparison(old, results))
    if options.output:
        stored.save(results, options.output)
    if options.chart:
        options.chart.write_text(chart.drawn(results), encoding="utf-8")
    wrong = report.wrong_results(results)
    if wrong:
        print("\nWrong results:", *wrong, sep="\n")
    return 1 if wrong else 0


def print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


if __name__ == "__main__":
    sys.exit(main())
