"""Random shapes against NumPy and PyTorch, for as long as it may take.

    python bench/sweep.py --seconds 120 --threads 1
    python bench/sweep.py --isa avx2 --kinds pad,transpose
    python bench/sweep.py --only "Draw(use=Padding(...), ...)"

The cases of `run.py` are what people use; these are what nobody thought of. Case number n of a seed
is the same for the same kinds, so that two runs have as many in common as the shorter one got through, and the
name of a case is the expression that makes it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import process

if TYPE_CHECKING:
    from outcomes import Outcome
    from peers import Libraries


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Random shapes against NumPy and PyTorch.")
    process.add_options(parser)
    add = parser.add_argument
    add("--seconds", metavar="S", type=float, default=60.0, help="how long to draw new cases")
    add("--seed", metavar="N", type=int, default=0)
    add("--kinds", metavar="A,B", type=comma, help="only these kinds of case")
    add("--libraries", metavar="A,B", type=comma, default=["dmlc", "numpy", "torch"])
    add("--confirm", metavar="N", type=int, default=0, help="measure N times more what is behind")
    add("--worst", metavar="N", type=int, default=12, help="how many cases to list")
    add("--only", metavar="NAME", action="append", help="only this case; repeatable")
    add("--output", metavar="JSON", type=Path, help="write the results")
    add("--compare", metavar="OLD.json", type=Path, help="also print old / new, worst first")
    return parser.parse_args()


def comma(text: str) -> list[str]:
    return text.split(",")


def measured_by_name(options: argparse.Namespace, libraries: Libraries) -> Iterator[Outcome]:
    from draws import parsed
    from outcomes import measure, plan_for

    plan = replace(plan_for(options.threads, 9), seconds_each=1)
    for name in options.only:
        yield measure(parsed(name), options.libraries, libraries, plan)


def measured_by_chance(options: argparse.Namespace, libraries: Libraries) -> Iterator[Outcome]:
    from draws import KINDS, draw
    from outcomes import measure, plan_for

    kinds = options.kinds or list(KINDS)
    if unknown := set(kinds) - set(KINDS):
        raise SystemExit(f"--kinds: {unknown} not in {', '.join(KINDS)}")
    plan, start, number = plan_for(options.threads, 3), time.monotonic(), 0
    while (spent := time.monotonic() - start) < options.seconds:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\033[K{spent:.0f} of {options.seconds:.0f} s, {number} cases")
        yield measure(draw(options.seed, number, kinds), options.libraries, libraries, plan)
        number += 1


def main() -> int:
    options = parse_arguments()
    process.prepare(options)

    from draws import parsed
    from outcomes import (
        comparison,
        confirm,
        confirmed,
        listing,
        measure,
        plan_for,
        summary,
        worst,
    )
    from peers import Libraries

    libraries = Libraries(options.threads)
    libraries.load(options.libraries)
    if options.only:
        outcomes = list(measured_by_name(options, libraries))
        print(listing((outcome, outcome) for outcome in outcomes))
    else:
        outcomes = list(measured_by_chance(options, libraries))
        print(summary(outcomes))

        def again(outcome: Outcome, rounds: int = 9) -> Outcome:
            plan = plan_for(options.threads, rounds)
            return measure(parsed(outcome["name"]), options.libraries, libraries, plan)

        if options.confirm:
            confirm(outcomes, options.confirm, lambda outcome: again(outcome, 3))
            print("\n" + confirmed(outcomes, options.confirm))
        shown = [(outcome, again(outcome)) for outcome in worst(outcomes, options.worst)]
        print("\nMost behind, shortest samples:\n" + listing(shown))
    if options.compare:
        old = json.loads(options.compare.read_text())
        print(f"\nAgainst {options.compare}\n" + comparison(old, outcomes, options.worst))
    if options.output:
        options.output.write_text(json.dumps(outcomes, indent=1) + "\n")
    wrong = [(text, outcome["name"]) for outcome in outcomes for text in outcome["wrong"]]
    for text, name in wrong:
        print(f"WRONG {text}\n  {name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
