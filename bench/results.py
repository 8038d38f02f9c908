"""What a run leaves behind: plain data, as it stands in the JSON file, and how to read it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

from cases.case import Form


class TimedCall(TypedDict):
    """The fastest call of one library in one form; `seconds` is the median of `samples`."""

    library: str
    form: Form
    expression: str
    seconds: float
    samples: list[float]


class CaseResult(TypedDict):
    """`blank` says why a library is not among the calls, `wrong` which dmlc calls were.

    `cores_of_others` is how many cores other processes kept busy meanwhile.
    """

    name: str
    operator: str
    kind: str
    bytes_read: int
    bytes_written: int
    limit: float | None
    cores_of_others: float | None
    calls: list[TimedCall]
    blank: dict[str, str]
    wrong: list[str]


class ScalingResult(TypedDict):
    """Seconds with one thread and with `threads`, for dmlc's out= and for the limit's loop."""

    name: str
    operator: str
    threads: int
    cores_of_others: float | None
    dmlc: tuple[float, float]
    limit: tuple[float, float] | None


class TinyCall(TypedDict):
    """Seconds of one call on a 4x4 array, by library."""

    name: str
    seconds: dict[str, float]


class Results(TypedDict):
    """One run."""

    machine: dict[str, str]
    options: dict[str, str]
    libraries: dict[str, str]
    instruction_sets: dict[str, str]
    missing: dict[str, str]
    cases: list[CaseResult]
    scaling: list[ScalingResult]
    tiny_calls: list[TinyCall]


OURS = "dmlc"


def timed(case: CaseResult, library: str, form: Form) -> TimedCall | None:
    """A library's call of one form, if it has one."""
    found = (c for c in case["calls"] if c["library"] == library and c["form"] == form)
    return next(found, None)


def standing(case: CaseResult, library: str, form: Form) -> TimedCall | None:
    """What a library offers to a caller who wants this form.

    Who keeps an output still takes a fresh one from a library that cannot do better.
    """
    exact = timed(case, library, form)
    return timed(case, library, "fresh") if exact is None and library != OURS else exact


def best_peer(case: CaseResult, form: Form) -> TimedCall | None:
    """The fastest of everything but dmlc."""
    libraries = {c["library"] for c in case["calls"]} - {OURS}
    calls = [call for name in libraries if (call := standing(case, name, form)) is not None]
    return min(calls, key=lambda call: call["seconds"], default=None)


def ratio_to(case: CaseResult, peer: TimedCall | None, form: Form) -> float | None:
    """How many times faster dmlc is than a peer's call."""
    ours = timed(case, OURS, form)
    return None if ours is None or peer is None else peer["seconds"] / ours["seconds"]


def ratio_to_best(case: CaseResult, form: Form) -> float | None:
    return ratio_to(case, best_peer(case, form), form)


def ratio_to_numpy(case: CaseResult, form: Form) -> float | None:
    return ratio_to(case, standing(case, "numpy", form), form)


def over_limit(case: CaseResult, form: Form) -> float | None:
    """How many times the memory's own time dmlc takes, by the shortest samples of both."""
    ours = timed(case, OURS, form)
    if ours is None or not case["limit"]:
        return None
    return min(ours["samples"]) / case["limit"]


def load(path: Path) -> Results:
    results: Results = json.loads(path.read_text())
    return results


def save(results: Results, path: Path) -> None:
    path.write_text(json.dumps(results, indent=1) + "\n")


def figures(run: Results) -> dict[str, Any]:
    """What the documentation's figures are made of, small: dmlc, NumPy and the fastest peer of each case.

    A call is its library, its form, the median and the shortest sample, with four digits.
    """
    rows = []
    forms: tuple[Form, Form] = ("fresh", "out")
    for case in run["cases"]:
        calls = [
            (
                call["library"],
                call["form"],
                _rounded(call["seconds"]),
                _rounded(min(call["samples"])),
            )
            for form in forms
            for call in (
                timed(case, OURS, form),
                standing(case, "numpy", form),
                best_peer(case, form),
            )
            if call is not None
        ]
        limit = case["limit"] and _rounded(case["limit"])
        rows.append(
            [case["name"], case["operator"], case["kind"], limit, list(dict.fromkeys(calls))]
        )
    machine = {name: run["machine"][name] for name in ("processor", "threads")}
    kept = {name: run[name] for name in ("options", "libraries", "instruction_sets")}
    return {"machine": machine, **kept, "cases": rows}


def _rounded(seconds: float) -> float:
    return float(f"{seconds:.4g}")


def save_figures(runs: Sequence[Results], path: Path) -> None:
    """A case on each line."""
    texts = []
    for run in map(figures, runs):
        cases = ",\n".join(json.dumps(row, separators=(",", ":")) for row in run["cases"])
        texts.append(json.dumps({**run, "cases": []}, indent=1).replace("[]", f"[\n{cases}\n ]"))
    path.write_text("[" + ",\n".join(texts) + "]\n", encoding="utf-8")


def load_figures(path: Path) -> list[Results]:
    """The runs again, without what no figure is made of."""
    runs: list[Results] = []
    for run in json.loads(path.read_text("utf-8")):
        cases = [
            CaseResult(
                name=name,
                operator=operator,
                kind=kind,
                bytes_read=0,
                bytes_written=0,
                limit=limit,
                cores_of_others=None,
                calls=[
                    TimedCall(
                        library=call[0],
                        form=call[1],
                        expression="",
                        seconds=call[2],
                        samples=[call[3]],
                    )
                    for call in calls
                ],
                blank={},
                wrong=[],
            )
            for name, operator, kind, limit, calls in run["cases"]
        ]
        runs.append(
            Results(**{**run, "missing": {}, "cases": cases, "scaling": [], "tiny_calls": []})
        )
    return runs
