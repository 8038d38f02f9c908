"""Results as text: the tables, the summary, the comparison with an earlier run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, log

from cases.case import Form
from results import (
    OURS,
    CaseResult,
    Results,
    best_peer,
    over_limit,
    ratio_to_best,
    ratio_to_numpy,
    standing,
    timed,
)
from timing import DISTURBING_CORES

LIMIT_WORTH_REACHING = 10e-6
"""Below this many seconds a call's overhead counts for more than the memory."""

SMALLEST_LIMIT = 1e-6
"""Below this the ratio to the limit says nothing."""

Measure = Callable[[CaseResult], float | None]


def table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns as wide as their widest entry, the first aligned left, the others right."""
    lines = [list(heading), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            entry.rjust(width) if column else entry.ljust(width)
            for column, (entry, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def microseconds(seconds: float | None) -> str:
    if seconds is None:
        return ""
    value = seconds * 1e6
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def geometric_mean(values: Sequence[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


def measured_libraries(results: Results) -> list[str]:
    """Every library with a time, dmlc first, in the order in which they were asked."""
    names = {call["library"]: None for case in results["cases"] for call in case["calls"]}
    return sorted(names, key=lambda name: name != OURS)


def cases_table(results: Results, form: Form) -> str:
    """Microseconds of every library; `*` marks a fresh output where a library has no other."""
    libraries = measured_libraries(results)
    rows = []
    for case in results["cases"]:
        entries = []
        for library in libraries:
            call = standing(case, library, form)
            mark = "*" if call is not None and call["form"] != form else ""
            entries.append(microseconds(call["seconds"] if call else None) + mark)
        if not any(entries) or (form == "fresh" and timed(case, "numpy", form) is None):
            continue
        peer = best_peer(case, form)
        limit = case["limit"]
        rows.append(
            [
                case["name"],
                *entries,
                microseconds(limit),
                peer["library"] if peer else "",
                ratio(ratio_to_best(case, form)),
                ratio(over_limit(case, form)) if limit and limit >= SMALLEST_LIMIT else "",
            ]
        )
    heading = ["case (µs)", *libraries, "limit", "best peer", "best/dmlc", "dmlc/limit"]
    return table(heading, rows)


def summary_rows(
    results: Results, name: str, measure: Measure, higher_is_better: bool
) -> Iterable[list[str]]:
    operators = list(dict.fromkeys(case["operator"] for case in results["cases"]))
    for operator in [*operators, "all"]:
        values = {
            case["name"]: value
            for case in results["cases"]
            if operator in (case["operator"], "all") and (value := measure(case)) is not None
        }
        if not values:
            continue
        worst = (min if higher_is_better else max)(values, key=lambda key: values[key])
        ahead = sum(value >= 1 for value in values.values())
        yield [
            f"{name}: {operator}",
            str(len(values)),
            ratio(geometric_mean(list(values.values()))),
            ratio(values[worst]),
            worst,
            f"{ahead} of {len(values)}" if higher_is_better else "",
        ]


def limit_ratio(case: CaseResult, form: Form) -> float | None:
    """How many times the memory's time dmlc takes, where that can be told from a call."""
    worth = case["limit"] is not None and case["limit"] > LIMIT_WORTH_REACHING
    return over_limit(case, form) if worth else None


def summary(results: Results) -> str:
    """Geometric mean and worst case by operator."""
    measures: list[tuple[str, Measure, bool]] = [
        ("fastest peer / dmlc", lambda case: ratio_to_best(case, "fresh"), True),
        ("fastest peer / dmlc, out=", lambda case: ratio_to_best(case, "out"), True),
        ("NumPy / dmlc", lambda case: ratio_to_numpy(case, "fresh"), True),
        ("NumPy / dmlc, out=", lambda case: ratio_to_numpy(case, "out"), True),
        ("dmlc / limit, out=", lambda case: limit_ratio(case, "out"), False),
    ]
    rows = [row for measure in measures for row in summary_rows(results, *measure)]
    heading = ["", "cases", "mean", "worst", "worst case", "ahead"]
    return table(heading, rows) if rows else "nothing to summarise: dmlc was not measured"


@dataclass(frozen=True)
class Share:
    """Geometric means over cases where the memory sets the pace.

    `possible` is NumPy / limit: what `reached`, NumPy / dmlc, could be at most.
    """

    cases: int
    reached: float
    possible: float

    @property
    def percent(self) -> str:
        return f"{self.reached / self.possible:.0%}"

    def __str__(self) -> str:
        return f"{self.reached:.1f} of {self.possible:.1f} times NumPy, {self.percent}"


def share_of_the_possible(results: Results, form: Form) -> Share | None:
    """Cases whose limit is long enough to be told from a call; shortest samples, as the limit's."""
    reached, possible = [], []
    for case in results["cases"]:
        numpy, ours = standing(case, "numpy", form), timed(case, OURS, form)
        limit = case["limit"] or 0.0
        if numpy is None or ours is None or limit < LIMIT_WORTH_REACHING:
            continue
        reached.append(min(numpy["samples"]) / min(ours["samples"]))
        possible.append(min(numpy["samples"]) / limit)
    if not reached:
        return None
    return Share(len(reached), geometric_mean(reached), geometric_mean(possible))


def shares(results: Results) -> str:
    """What of the possible is reached, in both forms."""
    forms: tuple[Form, Form] = ("fresh", "out")
    lines = [
        f"{share}, in {share.cases} cases with {'fresh' if form == 'fresh' else 'kept'} outputs"
        for form in forms
        if (share := share_of_the_possible(results, form)) is not None
    ]
    return "\n".join(lines) or "no case of dmlc and NumPy has a limit that says anything"


def scaling_table(results: Results) -> str:
    rows, gains = [], []
    for case in results["scaling"]:
        one, many = case["dmlc"]
        gains.append(one / many)
        limit = case["limit"]
        rows.append(
            [
                case["name"],
                microseconds(one),
                microseconds(many),
                ratio(one / many),
                ratio(limit[0] / limit[1]) if limit else "",
            ]
        )
    if not rows:
        return "no case is in cache and writes more than 1 MiB"
    rows.append(["geometric mean", "", "", ratio(geometric_mean(gains)), ""])
    threads = results["scaling"][0]["threads"]
    return table(["case (µs)", "1 thread", f"{threads} threads", "gain", "limit's gain"], rows)


def tiny_calls_table(results: Results) -> str:
    libraries = list(dict.fromkeys(k for call in results["tiny_calls"] for k in call["seconds"]))
    rows = [
        [
            call["name"],
            *(
                f"{call['seconds'][library] * 1e9:.0f}" if library in call["seconds"] else ""
                for library in libraries
            ),
        ]
        for call in results["tiny_calls"]
    ]
    return table(["call (ns)", *libraries], rows)


def comparison(old: Results, new: Results) -> str:
    """old / new seconds of dmlc, worst first; NumPy's ratio shows the machine's own change."""
    before = {case["name"]: case for case in old["cases"]}
    forms: tuple[Form, Form] = ("fresh", "out")
    found: list[tuple[float, list[str]]] = []
    for case in new["cases"]:
        for form in forms:
            earlier = before.get(case["name"])
            was = timed(earlier, OURS, form) if earlier else None
            now = timed(case, OURS, form)
            if earlier is None or was is None or now is None:
                continue
            numpy_was, numpy_now = standing(earlier, "numpy", form), standing(case, "numpy", form)
            gain = was["seconds"] / now["seconds"]
            entry = [
                case["name"],
                form,
                microseconds(was["seconds"]),
                microseconds(now["seconds"]),
                ratio(gain),
                ratio(numpy_was["seconds"] / numpy_now["seconds"])
                if numpy_was and numpy_now
                else "",
            ]
            found.append((gain, entry))
    found.sort(key=lambda pair: pair[0])
    rows = [entry for _, entry in found]
    if rows:
        mean = geometric_mean([gain for gain, _ in found])
        rows.append(["geometric mean", "", "", "", ratio(mean), ""])
    heading = ["case (µs)", "form", "old", "new", "old/new", "NumPy old/new"]
    return table(heading, rows) if rows else "the two runs have no case of dmlc in common"


def wrong_results(results: Results) -> list[str]:
    """Every dmlc call that did not give the right bits."""
    return [f"{case['name']}: {text}" for case in results["cases"] for text in case["wrong"]]


def disturbances(results: Results) -> str:
    """Which cases shared the machine with other work, most disturbed first."""
    found = [
        (cores, case["name"])
        for case in [*results["cases"], *results["scaling"]]
        if (cores := case["cores_of_others"] or 0) > DISTURBING_CORES
    ]
    if not found:
        return "no case shared the machine with other work"
    worst = ", ".join(f"{name} ({cores:.2f})" for cores, name in sorted(found, reverse=True)[:5])
    return f"{len(found)} cases shared the machine with other work (cores taken): {worst}, ..."


def instruction_sets(results: Results) -> str:
    """What every library used; a peer without a switch keeps the machine's widest."""
    used = ", ".join(f"{name} {isa}" for name, isa in results["instruction_sets"].items())
    return f"{results['machine']['threads']} threads; instruction sets: {used}"


def text(results: Results) -> str:
    """The whole report."""
    sections = [instruction_sets(results)]
    if results["cases"]:
        sections += [
            "Fresh outputs\n" + cases_table(results, "fresh"),
            "Kept outputs, out= (* has fresh outputs only)\n" + cases_table(results, "out"),
            "Summary\n" + summary(results),
            "Of what the memory allows\n" + shares(results),
        ]
    if results["scaling"]:
        sections.append("Threads, out=\n" + scaling_table(results))
    if results["tiny_calls"]:
        sections.append("Calls on 4x4 arrays\n" + tiny_calls_table(results))
    sections.append(disturbances(results))
    return "\n\n".join(sections)


# ------------------------------------------------------------------------------- several runs


OUTPUTS: dict[Form, str] = {"fresh": "fresh", "out": "kept"}


def readme_table(runs: Sequence[Results]) -> str:
    """Markdown: two lines for each run, of fresh outputs and of those that the caller keeps."""
    names = ["kernels", "threads", "outputs", "ahead of all", "mean to the fastest", "worst"]
    names += ["mean to NumPy", "of the possible", "time / memory's limit"]
    lines = [f"| {' | '.join(names)} |", "|" + " --- |" * len(names)]
    for run, form in product(runs, OUTPUTS):
        best = [v for case in run["cases"] if (v := ratio_to_best(case, form)) is not None]
        numpy = [v for case in run["cases"] if (v := ratio_to_numpy(case, form)) is not None]
        limit = [v for case in run["cases"] if (v := limit_ratio(case, form)) is not None]
        share = share_of_the_possible(run, form)
        lines.append(
            f"| {run['instruction_sets']['dmlc']} | {run['machine']['threads']} | {OUTPUTS[form]} "
            f"| {sum(value >= 1 for value in best)} of {len(best)} | {geometric_mean(best):.2f} "
            f"| {min(best):.2f} | {geometric_mean(numpy):.2f} | {share.percent if share else ''} "
            f"| {f'{geometric_mean(limit):.2f}' if limit else ''} |"
        )
    return "\n".join(lines)


def behind_table(runs: Sequence[Results], most: int = 5) -> str:
    """Markdown: the cases of each run that are farthest behind."""
    lines = ["| kernels | threads | outputs | case | fastest | its time / dmlc's |"]
    lines.append("|" + " --- |" * 6)
    for run, form in product(runs, OUTPUTS):
        found = [
            (value, case["name"], peer["library"])
            for case in run["cases"]
            if (value := ratio_to_best(case, form)) is not None
            and value < 1
            and (peer := best_peer(case, form)) is not None
        ]
        lines += [
            f"| {run['instruction_sets']['dmlc']} | {run['machine']['threads']} | {OUTPUTS[form]} "
            f"| `{name}` | {library} | {value:.2f} |"
            for value, name, library in sorted(found)[:most]
        ]
    return "\n".join(lines)
