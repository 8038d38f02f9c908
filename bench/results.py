"""What a run leaves behind: plain data, as it stands in the JSON file, and how to read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict

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
