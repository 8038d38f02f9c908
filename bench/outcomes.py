"""What the sweep finds: random cases checked and timed, counted, listed and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import ceil, log2
from typing import TypedDict

from cases.case import UnsupportedError
from draws import Draw
from measure import Checker, calls_of, quickest
from peers import Libraries
from report import geometric_mean, microseconds, ratio, table
from results import OURS
from timing import Plan, Sampler, python_sampler, race


class Outcome(TypedDict):
    """Shortest seconds of each library's fastest call, by library."""

    name: str
    kind: str
    width: int
    bytes_written: int
    expressions: dict[str, str]
    seconds: dict[str, float]
    wrong: list[str]
    again: list[float]  # the fastest peer / dmlc, each time that it was confirmed


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
        "again": [],
    }
    if (ratio_to_best(outcome) or 1) < 1:  # other work on the machine does not repeat, dmlc does
        again = shortest(race(samplers, plan))
        outcome["seconds"] = {name: min(seconds[name], again[name]) for name in seconds}
    return outcome


def shortest(samples: dict[str, list[float]]) -> dict[str, float]:
    return {name: min(values) for name, values in samples.items()}


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


TIE = 0.97
"""What is above takes as long, for all that these samples tell."""


def confirm(outcomes: list[Outcome], times: int, remeasure: Callable[[Outcome], Outcome]) -> None:
    """Measure again what is behind; `again` holds what came of it."""
    for outcome in outcomes:
        if (ratio_to_best(outcome) or 1) < 1:
            repeats = (ratio_to_best(remeasure(outcome)) or 1 for _ in range(times))
            outcome["again"] = list(repeats)


def confirmed(outcomes: list[Outcome], times: int) -> str:
    """How many are behind each time, by anything, by more than a tie, and by half."""
    count = sum(ratio_to_best(outcome) is not None for outcome in outcomes)
    best = [max(outcome["again"]) for outcome in outcomes if outcome["again"]]
    shares = [
        f"{text} {(n := sum(value < limit for value in best))} ({n / max(count, 1):.2%})"
        for text, limit in (("behind", 1), (f"below {TIE}", TIE), ("below half", 0.5))
    ]
    return f"In each of {times} repeats, of {count}: " + ", ".join(shares)


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
