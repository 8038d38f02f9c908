"""Random shapes against NumPy and PyTorch, for as long as it may take.

    python bench/sweep.py --seconds 120 --threads 1
    python bench/sweep.py --isa avx2 --kinds pad,transpose
    python bench/sweep.py --only "Draw(use=Padding(...), ...)"

The cases of `run.py` are what people use; these are what nobody thought of. Case number n of a seed
is always the same, so that two runs have as many in common as the shorter one got through, and the
name of a case is the expression that makes it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, log2, prod
from pathlib import Path
from typing import Any, TypedDict

import process

options = argparse.Namespace()
if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    process.add_options(parser)
    add = parser.add_argument
    add("--seconds", metavar="S", type=float, default=60.0, help="how long to draw new cases")
    add("--seed", metavar="N", type=int, default=0)
    add("--kinds", metavar="A,B", default="", help="only these kinds of case")
    add("--libraries", metavar="A,B", default="dmlc,numpy,torch", help="as in run.py")
    add("--worst", metavar="N", type=int, default=12, help="how many cases to list")
    add("--only", metavar="NAME", action="append", default=[], help="only this case; repeatable")
    add("--output", metavar="JSON", type=Path, help="write the results")
    add("--compare", metavar="OLD.json", type=Path, help="also print old / new, worst first")
    options = parser.parse_args()
    process.prepare(options)

# What follows imports NumPy, which reads its settings then.
import numpy as np

from cases.case import Array, Case, Form, UnsupportedError
from cases.diagonal_matrix import Triangle
from cases.one_hot import OneHot
from cases.padding import Padding
from cases.slice import Window
from measure import Checker, calls_of, quickest
from peers import Libraries
from report import geometric_mean, microseconds, ratio, table
from results import OURS
from timing import Plan, Sampler, python_sampler, race

Random = np.random.Generator
Strides = tuple[int, ...]

MODES = ("constant", "edge", "reflect", "symmetric", "wrap")
TYPES = {
    1: ("uint8", "int8"),
    2: ("float16", "int16"),
    4: ("float32", "int32"),
    8: ("float64", "int64"),
    16: ("complex128",),
}
FEWEST, MOST = 256, 1 << 21
"""Elements of an output."""

DEEPEST_MEMORY = 1 << 26
"""Elements of the memory in which a strided array may lie."""


@dataclass(frozen=True)
class Draw:
    """One call: what is computed, and the strides in elements of its arrays, None where packed."""

    use: Padding | OneHot | Window | Triangle
    form: Form = "fresh"
    input_strides: Strides | None = None
    output_strides: Strides | None = None

    @property
    def kind(self) -> str:
        """The operator, with what changes most for a window."""
        if self.output_strides is not None:
            return "strided"
        if isinstance(self.use, Window):
            return "slice" if self.use.axes is None else "transpose"
        return {Padding: "pad", OneHot: "one_hot", Triangle: "triangle"}[type(self.use)]

    def buffers(self, case: Case) -> tuple[Array, Array]:
        x = case.make_input()
        return (
            placed(x, self.input_strides),
            placed(np.zeros(case.output_shape, case.output_dtype), self.output_strides),
        )


def placed(array: Array, strides: Strides | None) -> Array:
    """The same elements in memory of these strides."""
    if strides is None:
        return array
    reach = [(n - 1) * step for n, step in zip(array.shape, strides, strict=True)]
    memory = np.zeros(1 + sum(map(abs, reach)), array.dtype)
    first = memory[sum(-r for r in reach if r < 0) :]
    steps = [step * array.itemsize for step in strides]
    view = np.lib.stride_tricks.as_strided(first, array.shape, steps)
    view[...] = array
    return view


# ----------------------------------------------------------------------------------------- drawing


def log_uniform(rng: Random, low: int, high: int) -> int:
    """From low to high, small numbers as likely as large ones."""
    return round(2 ** rng.uniform(log2(low), log2(high)))


def draw_type(rng: Random) -> str:
    return str(rng.choice(TYPES[int(rng.choice(list(TYPES)))]))


def draw_shape(rng: Random, elements: int, fewest_axes: int = 1) -> tuple[int, ...]:
    """About so many elements; the last axis is often small, and others are often 1."""
    rank = int(rng.integers(fewest_axes, 6))
    sizes = [0] * rank
    for axis in range(rank):
        if rank > 1 and rng.random() < 0.12:
            sizes[axis] = 1
        elif axis == rank - 1 and rank > 1 and rng.random() < 0.45:
            sizes[axis] = int(rng.integers(1, 9))
    open_axes = [axis for axis in range(rank) if not sizes[axis]] or [0]
    left = max(1, elements // prod(n or 1 for n in sizes))
    parts = rng.dirichlet([2.0] * len(open_axes))
    for axis, part in zip(open_axes, parts, strict=True):
        sizes[axis] = max(1, round(left**part))
    return tuple(sizes)


def draw_strides(rng: Random, shape: tuple[int, ...]) -> Strides | None:
    """Memory with gaps, with elements skipped, or in another order of the axes."""
    order = list(range(len(shape)))
    if rng.random() < 0.3:
        order = rng.permutation(len(shape)).tolist()
    strides, step = [0] * len(shape), 1
    if rng.random() < 0.3:
        step = int(rng.integers(2, 5))
    for axis in reversed(order):
        strides[axis] = step
        gap = int(rng.integers(1, 5)) if rng.random() < 0.4 else 0
        step *= shape[axis] + gap
    return tuple(strides) if step <= DEEPEST_MEMORY else None


def draw_width(rng: Random, n: int) -> tuple[int, int]:
    """What a pad adds to an axis: often nothing or a little, seldom more than the axis has."""
    choice = rng.random()
    if choice < 0.35:
        return 0, 0
    if choice < 0.7:
        width = int(rng.integers(1, 5))
        return width, width
    most = max(1, 2 * n if choice > 0.95 else min(n - 1, 64))
    begin, end = rng.integers(0, most + 1, 2)
    return int(begin), int(end)


def draw_padding(rng: Random, elements: int) -> Padding:
    shape = draw_shape(rng, elements)
    widths = tuple(draw_width(rng, n) for n in shape)
    if not any(map(any, widths)):
        widths = (*widths[:-1], (1, 1))
    return Padding("sweep", shape, draw_type(rng), widths, str(rng.choice(MODES)))


def draw_one_hot(rng: Random, elements: int) -> OneHot:
    depth = min(log_uniform(rng, 2, 1000), elements)
    shape = draw_shape(rng, max(1, elements // depth))[:4]
    fitting = [t for t in ("uint8", "int32", "int64") if depth <= np.iinfo(t).max]
    axis = -1 if rng.random() < 0.5 else int(rng.integers(0, len(shape)))
    return OneHot("sweep", shape, str(rng.choice(fitting)), depth, draw_type(rng), axis)


def draw_triangle(rng: Random, elements: int) -> Triangle:
    shape = draw_shape(rng, elements, fewest_axes=2)
    k = 0 if rng.random() < 0.5 else int(rng.integers(-shape[-2], shape[-1] + 1))
    return Triangle("sweep", shape, draw_type(rng), str(rng.choice(["tril", "triu"])), k)


def draw_part(rng: Random, n: int) -> tuple[slice, int]:
    """A slice that takes n elements, and the size of an axis that has them."""
    choice = rng.random()
    step = 1 if choice < 0.6 else int(rng.integers(2, 5)) if choice < 0.8 else -1
    before, after = rng.integers(0, 5, 2) if rng.random() < 0.5 else (0, 0)
    size = int(before + (n - 1) * abs(step) + 1 + after)
    last = size - 1 - int(after)
    if step < 0:
        return slice(last, int(before) - 1 if before else None, step), size
    return slice(int(before), last + 1, None if step == 1 else step), size


def draw_slice(rng: Random, elements: int) -> Window:
    parts, sizes = zip(*(draw_part(rng, n) for n in draw_shape(rng, elements)), strict=True)
    return Window("sweep", sizes, draw_type(rng), tuple(parts))


def draw_transpose(rng: Random, elements: int) -> Window:
    shape = draw_shape(rng, elements, fewest_axes=2)
    order = list(range(len(shape)))
    while order == sorted(order):
        order = rng.permutation(len(shape)).tolist()
    return Window("sweep", shape, draw_type(rng), (slice(None),) * len(shape), tuple(order))


def draw_strided(rng: Random, elements: int) -> Window:
    """A copy into memory of the caller's strides."""
    shape = draw_shape(rng, elements)
    return Window("sweep", shape, draw_type(rng), (slice(None),) * len(shape))


KINDS: dict[str, Callable[[Random, int], Any]] = {
    "pad": draw_padding,
    "one_hot": draw_one_hot,
    "triangle": draw_triangle,
    "slice": draw_slice,
    "transpose": draw_transpose,
    "strided": draw_strided,
}


def draw(seed: int, number: int, kinds: Sequence[str]) -> Draw:
    """Case number `number`: kinds take turns, so that each has as many."""
    kind = kinds[number % len(kinds)]
    rng = np.random.default_rng([seed, number])
    while True:
        use = KINDS[kind](rng, log_uniform(rng, FEWEST, MOST))
        case = use.case()
        if not FEWEST <= prod(case.output_shape) <= MOST:
            continue
        if kind == "strided":
            strides = draw_strides(rng, case.output_shape)
            if strides is None or strides == packed(case.output_shape):
                continue
            return Draw(use, "out", None, strides)
        strided_input = rng.random() < 0.25
        strides = draw_strides(rng, case.make_input().shape) if strided_input else None
        return Draw(use, "fresh" if rng.random() < 0.5 else "out", strides)


def packed(shape: tuple[int, ...]) -> Strides:
    return tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))


# --------------------------------------------------------------------------------------- measuring


class Outcome(TypedDict):
    """Shortest seconds of each library's fastest call, by library."""

    name: str
    kind: str
    width: int
    bytes_written: int
    expressions: dict[str, str]
    seconds: dict[str, float]
    wrong: list[str]


def plan_for(threads: int, rounds: int) -> Plan:
    """With one thread nothing spins and nothing has to wake: samples need not wait for either."""
    if threads == 1:
        return Plan(rounds, 0.1, 1, warm_up_seconds=0.0005, silence=False)
    return Plan(rounds, 0.1, 1)


def measure(drawn: Draw, names: Sequence[str], libraries: Libraries, plan: Plan) -> Outcome:
    """Check and time one case; a peer without an output of the caller's stands with a fresh one."""
    case = drawn.use.case()
    x, out = drawn.buffers(case)
    checker = Checker(case, x, out, calls_of(case, "numpy", libraries, x, out), twin_bytes=0)
    wrong, samplers, expressions = [], dict[str, Sampler](), dict[str, str]()
    for name in names:
        try:
            calls = calls_of(case, name, libraries, x, out)
        except UnsupportedError:
            continue
        exact = [call for call in calls if call.form == drawn.form]
        if not exact and name != OURS and drawn.output_strides is None:
            exact = calls
        complaints = {call.expression: checker.complaint(call) for call in exact}
        if name == OURS:
            wrong += [complaint for complaint in complaints.values() if complaint]
        right = [call for call in exact if complaints[call.expression] is None]
        if right:
            call = quickest(right)
            samplers[name], expressions[name] = python_sampler(call.run), call.expression
    seconds = shortest(race(samplers, plan))
    outcome: Outcome = {
        "name": repr(drawn),
        "kind": drawn.kind,
        "width": case.output_dtype.itemsize,
        "bytes_written": case.bytes_written,
        "expressions": expressions,
        "seconds": seconds,
        "wrong": wrong,
    }
    if (ratio_to_best(outcome) or 1) < 1:  # other work on the machine does not repeat, dmlc does
        again = shortest(race(samplers, plan))
        outcome["seconds"] = {name: min(seconds[name], again[name]) for name in seconds}
    return outcome


def shortest(samples: dict[str, list[float]]) -> dict[str, float]:
    return {name: min(values) for name, values in samples.items()}


def sweep(options: argparse.Namespace, libraries: Libraries) -> Iterator[Outcome]:
    names, kinds = options.libraries.split(","), options.kinds.split(",")
    kinds = list(KINDS) if kinds == [""] else kinds
    if options.only:
        for name in options.only:
            yield measure(
                parsed(name),
                names,
                libraries,
                replace(plan_for(options.threads, 9), seconds_each=1),
            )
        return
    plan, start, number = plan_for(options.threads, 3), time.monotonic(), 0
    while (spent := time.monotonic() - start) < options.seconds:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\033[K{spent:.0f} of {options.seconds:.0f} s, {number} cases")
        yield measure(draw(options.seed, number, kinds), names, libraries, plan)
        number += 1


def parsed(name: str) -> Draw:
    """The case of a name that an earlier run printed."""
    known = [Draw, Padding, OneHot, Window, Triangle, slice]
    result: Draw = eval(name, {"__builtins__": {}, **{kind.__name__: kind for kind in known}})
    return result


# ---------------------------------------------------------------------------------------- reporting


def ratio_of(outcome: Outcome, libraries: Iterable[str]) -> float | None:
    """The fastest of these libraries' time divided by dmlc's."""
    seconds = outcome["seconds"]
    peers = [seconds[name] for name in libraries if name in seconds and name != OURS]
    return min(peers) / seconds[OURS] if peers and OURS in seconds else None


def ratio_to_best(outcome: Outcome) -> float | None:
    return ratio_of(outcome, outcome["seconds"])


def size_class(outcome: Outcome) -> str:
    """Powers of 16 from 4 KiB on."""
    power = max(0, ceil(log2(outcome["bytes_written"] / 4096) / 4))
    return f"to {4 * 16**power:5} KiB"


GROUPS: dict[str, Callable[[Outcome], str]] = {
    "kind": lambda outcome: outcome["kind"],
    "width": lambda outcome: f"{outcome['width']:2} bytes",
    "output": size_class,
    "all": lambda outcome: "",
}


def summary(outcomes: list[Outcome]) -> str:
    """How dmlc stands to the fastest peer, and the mean to each."""
    peers = sorted({name for outcome in outcomes for name in outcome["seconds"]} - {OURS})
    rows = []
    for title, group_of in GROUPS.items():
        for group in sorted({group_of(outcome) for outcome in outcomes}):
            members = [outcome for outcome in outcomes if group_of(outcome) == group]
            values = [value for m in members if (value := ratio_to_best(m)) is not None]
            if not values:
                continue
            means = [
                [value for m in members if (value := ratio_of(m, [peer])) is not None]
                for peer in peers
            ]
            rows.append(
                [
                    f"{title} {group}".strip(),
                    str(len(values)),
                    f"{sum(value < 1 for value in values) / len(values):.1%}",
                    f"{sum(value < 0.5 for value in values) / len(values):.1%}",
                    ratio(min(values)),
                    ratio(geometric_mean(values)),
                    *(ratio(geometric_mean(column)) if column else "" for column in means),
                ]
            )
    heading = ["", "cases", "behind", "below half", "worst", "mean", *(f"to {p}" for p in peers)]
    return table(heading, rows) if rows else "no case has both dmlc and a peer"


def worst(outcomes: list[Outcome], count: int) -> list[Outcome]:
    """The cases most behind."""
    behind = [outcome for outcome in outcomes if (ratio_to_best(outcome) or 1) < 1]
    return sorted(behind, key=lambda outcome: ratio_to_best(outcome) or 1)[:count]


def listing(pairs: Iterable[tuple[Outcome, Outcome]]) -> str:
    """Cases with their names; the second of a pair is the same case measured again."""
    lines = []
    for outcome, again in pairs:
        times = ", ".join(f"{n} {microseconds(s)}" for n, s in again["seconds"].items())
        first, second = (ratio(ratio_to_best(each)) for each in (outcome, again))
        lines.append(f"{first}, again {second}: {times} us\n  {outcome['name']}")
    return "\n".join(lines)


def comparison(old: list[Outcome], new: list[Outcome], count: int) -> str:
    """old / new seconds of dmlc where both runs have a case: the mean, and the worst."""
    before = {outcome["name"]: outcome["seconds"].get(OURS) for outcome in old}
    gains = [
        (was / outcome["seconds"][OURS], outcome["name"])
        for outcome in new
        if OURS in outcome["seconds"] and (was := before.get(outcome["name"])) is not None
    ]
    if not gains:
        return "the two runs have no case in common"
    mean = geometric_mean([gain for gain, _ in gains])
    slower = sum(gain < 0.9 for gain, _ in gains), sum(gain > 1.1 for gain, _ in gains)
    lines = [f"{gain:.2f}  {name}" for gain, name in sorted(gains)[:count]]
    return (
        f"old / new over {len(gains)} cases: mean {mean:.3f}, {slower[0]} below 0.9, "
        f"{slower[1]} above 1.1; the worst:\n" + "\n".join(lines)
    )


def main(options: argparse.Namespace) -> int:
    libraries = Libraries(options.threads)
    outcomes = list(sweep(options, libraries))
    plan = plan_for(options.threads, 9)
    if options.only:
        print(listing((outcome, outcome) for outcome in outcomes))
    else:
        print(summary(outcomes))
        names = options.libraries.split(",")
        shown = [
            (outcome, measure(parsed(outcome["name"]), names, libraries, plan))
            for outcome in worst(outcomes, options.worst)
        ]
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
    sys.exit(main(options))
