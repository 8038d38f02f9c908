"""One case: every library's calls checked bit for bit, the fastest of each kept, then the race."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

import numpy as np

import limit as limits
from cases.case import Array, Call, Case, Form, UnsupportedError
from peers import Libraries
from results import OURS, CaseResult, ScalingResult, TimedCall
from timing import Plan, Sampler, fastest, python_sampler, race_undisturbed

TWIN_BYTES = 1 << 20
"""Up to this size of output the reference twin decides what is right, above it NumPy does."""

Entry = tuple[str, Form]


class Checker:
    """Knows the right answer of a case and whether a call gives it."""

    def __init__(
        self,
        case: Case,
        x: Array,
        out: Array,
        numpy_calls: list[Call],
        twin_bytes: int = TWIN_BYTES,
    ) -> None:
        self.case, self.x, self.out = case, x, out
        if case.output_bytes <= twin_bytes:
            self.expected = case.twin(x)
        else:
            self.expected = np.array(self.result(numpy_calls[0]))

    def result(self, call: Call) -> Array:
        """What a call computes, from an output that holds nothing of an earlier call."""
        if self.case.in_place:
            self.out[...] = self.x
        elif call.form == "out":
            self.out[...] = np.full(self.out.itemsize, 0xA5, np.uint8).view(self.out.dtype)
        returned = call.run()
        return self.out if call.form == "out" else np.asarray(returned)

    def complaint(self, call: Call) -> str | None:
        """What is wrong with a call, if anything."""
        try:
            result = self.result(call)
        except Exception as error:  # noqa: BLE001  a foreign library may raise anything
            return f"{call.expression}: {first_line(error)}"
        expected = self.expected
        if (result.shape, result.dtype) != (expected.shape, expected.dtype):
            return (
                f"{call.expression}: returns {result.dtype}{list(result.shape)} instead of "
                f"{expected.dtype}{list(expected.shape)}"
            )
        if call.form == "fresh" and not result.flags.c_contiguous:
            return f"{call.expression}: returns a view instead of a packed array"
        if not np.array_equal(as_bytes(result), as_bytes(expected)):
            return f"{call.expression}: returns other values"
        return None


def as_bytes(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def first_line(error: Exception) -> str:
    text = str(error).strip() or "no message"
    return f"{type(error).__name__}: {text.splitlines()[0][:200]}"


def buffers(case: Case) -> tuple[Array, Array]:
    """The input, and the output that every library writes."""
    x = case.make_input()
    return x, x.copy() if case.in_place else np.empty(case.output_shape, case.output_dtype)


def calls_of(case: Case, library: str, libraries: Libraries, x: Array, out: Array) -> list[Call]:
    """A library's calls for a case; UnsupportedError says why there are none."""
    if library == "torch.compile":
        compiler = libraries.get(library)
        return list(compiler.calls(calls_of(case, "torch", libraries, x, out)))
    if library not in case.libraries:
        raise UnsupportedError("has no expression for this case")
    module = libraries.get(library)
    try:
        return list(case.libraries[library](module, x, out))
    except UnsupportedError:
        raise
    except Exception as error:  # a foreign library may raise anything
        raise UnsupportedError(first_line(error)) from error


def measure(
    case: Case, names: list[str], libraries: Libraries, limit: limits.Limit | None, plan: Plan
) -> CaseResult:
    """Check and time one case."""
    x, out = buffers(case)
    checker = Checker(case, x, out, calls_of(case, "numpy", libraries, x, out))
    blank: dict[str, str] = {}
    wrong: list[str] = []
    rivals: dict[Entry, list[Call]] = {}
    for name in names:
        try:
            calls = calls_of(case, name, libraries, x, out)
        except UnsupportedError as reason:
            blank[name] = str(reason)
            continue
        complaints = []
        if case.kept_only and any(call.form == "out" for call in calls):
            calls = [call for call in calls if call.form == "out"]
        for call in calls:
            complaint = checker.complaint(call)
            if complaint is None:
                rivals.setdefault((name, call.form), []).append(call)
            else:
                complaints.append(complaint)
        if complaints and name == OURS:
            wrong += complaints
        elif complaints:
            blank[name] = "; ".join(complaints)

    chosen = {entry: quickest(calls) for entry, calls in rivals.items()}
    samplers: dict[tuple[str, str], Sampler] = {
        entry: python_sampler(call.run) for entry, call in chosen.items()
    }
    if limit is not None:
        for part, sampler in limit.samplers(case).items():
            samplers["limit", part] = sampler
    samples, cores_of_others = race_undisturbed(samplers, plan)
    limit_samples = {part: values for (who, part), values in samples.items() if who == "limit"}
    return {
        "name": case.name,
        "operator": case.operator,
        "kind": case.kind,
        "bytes_read": case.bytes_read,
        "bytes_written": case.bytes_written,
        "limit": limits.seconds(limit_samples) if limit_samples else None,
        "cores_of_others": cores_of_others,
        "calls": [timed_call(call, entry, samples[entry]) for entry, call in chosen.items()],
        "blank": blank,
        "wrong": wrong,
    }


def quickest(calls: list[Call]) -> Call:
    return calls[fastest({k: python_sampler(call.run) for k, call in enumerate(calls)})]


def timed_call(call: Call, entry: Entry, samples: list[float]) -> TimedCall:
    return {
        "library": entry[0],
        "form": entry[1],
        "expression": call.expression,
        "seconds": median(samples),
        "samples": samples,
    }


# ----------------------------------------------------------------------------------------- threads


def scaling_cases(cases: list[Case], cache_bytes: int) -> Iterator[Case]:
    """The cases that are worth two threads and still in cache."""
    for case in cases:
        if case.bytes_written > 1 << 20 and case.bytes_read + case.bytes_written <= cache_bytes:
            yield case


def measure_scaling(
    case: Case, libraries: Libraries, limit: limits.Limit | None, plan: Plan, threads: int
) -> ScalingResult:
    """dmlc with out= on one thread and on all, and the plain loop of the limit likewise."""
    x, out = buffers(case)
    dmlc = libraries.get(OURS)
    run = next(call.run for call in calls_of(case, OURS, libraries, x, out) if call.form == "out")
    samplers: dict[tuple[str, int], Sampler] = {
        (OURS, n): with_threads(dmlc, n, python_sampler(run)) for n in (1, threads)
    }
    if limit is not None:
        limit.reserve(case.bytes_written)
        for n in (1, threads):
            function = "limit_copy" if case.bytes_read else "limit_fill"
            samplers["limit", n] = limit.sampler(function, case.bytes_written, n, False)
    samples, cores_of_others = race_undisturbed(samplers, plan)
    seconds = {key: median(values) for key, values in samples.items()}
    return {
        "name": case.name,
        "operator": case.operator,
        "threads": threads,
        "cores_of_others": cores_of_others,
        "dmlc": (seconds[OURS, 1], seconds[OURS, threads]),
        "limit": None if limit is None else (seconds["limit", 1], seconds["limit", threads]),
    }


def with_threads(dmlc: Any, n: int, sampler: Sampler) -> Sampler:
    def sample(repeats: int) -> float:
        with dmlc.num_threads(n):
            return sampler(repeats)

    return sample
