"""``dmlc run MODEL.json``: run DxDispatch models."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dmlc.adapters import dxdispatch, vectors
from dmlc.cli import run_options
from dmlc.cli.terminal import Progress, fail, write_line
from dmlc.enums import FeatureLevel

if TYPE_CHECKING:
    from dmlc.cli.terminal import Subparsers

_ADAPTER = "CPU"


def add_parser(commands: Subparsers) -> None:
    """Add ``dmlc run`` to the commands."""
    parser = commands.add_parser(
        "run",
        help="run, check or verify DxDispatch models",
        description=run_options.DESCRIPTION,
        epilog=run_options.EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run_options.add_to(parser)
    parser.set_defaults(work=work)


@dataclass
class _Job:
    """A model to run, and what is expected of it."""

    path: str
    feature_level: FeatureLevel
    vector: vectors.Vector | None = None
    expected: str | None = None
    resource: str | None = None


@dataclass
class _Outcome:
    """What became of a model."""

    job: _Job
    events: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dxdispatch.ModelError] = field(default_factory=list)
    comparison: dxdispatch.Comparison | None = None

    @property
    def status(self) -> str:
        if self.errors:
            return "failed"
        return "differs" if self.comparison and not self.comparison.is_equal else "passed"


def work(arguments: argparse.Namespace) -> int:
    """Run models; return 0, 1 where a result differs, 2 where something is wrong in what is given."""
    given = arguments.models + ([arguments.model] if arguments.model else [])
    if not given:
        return fail("dmlc run: name a model file or a folder of them, see dmlc run --help")
    if (arguments.compare is None) != (arguments.resource is None):
        return fail("dmlc run: --compare and --resource need each other")
    if arguments.check and arguments.compare is not None:
        return fail("dmlc run: --check runs nothing that --compare could judge")
    try:
        jobs = [job for path in given for job in _jobs(path, arguments)]
    except dxdispatch.ModelError as error:
        return fail(str(error))
    if arguments.compare is not None and _is_set(jobs):
        return fail("dmlc run: --compare takes a model, got a folder of vectors")
    if arguments.compare is not None and len(jobs) > 1:
        return fail(f"dmlc run: --compare takes one model, got {len(jobs)}")
    if arguments.ulp is not None and arguments.compare is None and not _is_set(jobs):
        return fail("dmlc run: --ulp needs --compare, or a folder of vectors")

    printer = _Printer(arguments, jobs)
    outcomes = []
    for job in jobs:
        printer.begin(job)
        outcome = _run(job, arguments, printer)
        outcomes.append(outcome)
        printer.end(outcome)
    printer.finish(outcomes)
    statuses = {outcome.status for outcome in outcomes}
    return 2 if "failed" in statuses else 1 if "differs" in statuses else 0


def _jobs(path: str, arguments: argparse.Namespace) -> list[_Job]:
    level = arguments.feature_level or FeatureLevel.LEVEL_6_4
    if not os.path.isdir(path):  # Path.is_dir raises where a path is too long
        return [_Job(path, level, None, arguments.compare, arguments.resource)]
    jobs = []
    for folder, below, names in os.walk(path):
        if vectors.is_set(folder):
            jobs += [_vector_job(vector, arguments) for vector in vectors.read_index(folder)]
            below.clear()
            continue
        below.sort()
        for name in sorted(names):
            file = Path(folder) / name
            if name.endswith(".json") and not name.startswith(("_", ".")) and file.is_file():
                jobs.append(_Job(str(file), level, None, arguments.compare, arguments.resource))
    if not jobs:
        raise dxdispatch.ModelError(dxdispatch.printable(path), "is a folder without a model")
    return jobs


def _vector_job(vector: vectors.Vector, arguments: argparse.Namespace) -> _Job:
    level = arguments.feature_level or vector.feature_level
    return _Job(str(vector.model), level, vector, str(vector.expected), vector.resource)


def _is_set(jobs: Sequence[_Job]) -> bool:
    return any(job.vector is not None for job in jobs)


def _run(job: _Job, arguments: argparse.Namespace, printer: _Printer) -> _Outcome:
    outcome = _Outcome(job)
    options = dxdispatch.RunOptions(
        iterations=arguments.dispatch_iterations,
        repeat=arguments.dispatch_repeat,
        milliseconds=arguments.milliseconds_to_run,
        interval=arguments.dispatch_interval,
        warmup=arguments.warmup_samples,
        verbosity=arguments.timing_verbosity,
        print_commands=arguments.print_commands,
        feature_level=job.feature_level,
        write_files=job.vector is None or arguments.output_path is not None,
    )
    problems: list[dxdispatch.ModelError] | None = outcome.errors if arguments.check else None
    try:
        expected = None
        if job.expected is not None and not arguments.check:
            # Read before the run, which may write this file.
            expected = dxdispatch.read_array(job.expected)
        model = dxdispatch.load_model(
            job.path,
            input_path=arguments.input_path,
            output_path=arguments.output_path,
            allow_outside=arguments.allow_outside,
            problems=problems,
        )
        if arguments.check:
            outcome.errors += dxdispatch.check_model(model, options)
            return outcome
        if job.resource is not None:
            dxdispatch.check_resource(model, job.resource)
        run = dxdispatch.ModelRun(model, options)
        for event in run.events():
            if isinstance(event, dxdispatch.Failed):
                outcome.errors.append(event.error)
            report = dxdispatch.event_report(event, options) if arguments.json else None
            if report is not None:
                outcome.events.append(report)
            printer.lines(dxdispatch.event_lines(event, options))
        if expected is not None and job.expected is not None and job.resource is not None:
            outcome.comparison = dxdispatch.compare_resource(
                run, job.resource, job.expected, expected, arguments.ulp
            )
    except dxdispatch.ModelError as error:
        outcome.errors.append(error)
    except MemoryError:
        outcome.errors.append(dxdispatch.ModelError("", "takes more memory than there is"))
    return outcome


class _Printer:
    """Prints what happens: lines as they come, or one document at the end.

    Of one model everything is told; of several, each one's name before its lines; of a set of
    vectors only what is wrong.
    """

    def __init__(self, arguments: argparse.Namespace, jobs: Sequence[_Job]) -> None:
        self.arguments = arguments
        self.many = len(jobs) > 1 or _is_set(jobs)
        self.quiet = False
        self.progress = Progress(len(jobs) if self.many else 0)
        if not (arguments.json or arguments.check):
            write_line(f"Running on '{_ADAPTER}'")

    def begin(self, job: _Job) -> None:
        self.quiet = self.arguments.json or self.arguments.check or job.vector is not None
        self.progress.show()
        if self.many and not self.quiet:
            self.lines([f"{dxdispatch.printable(job.path)}:"])

    def lines(self, lines: Sequence[str]) -> None:
        if lines and not self.quiet:
            self.progress.clear()
            for line in lines:
                write_line(line)

    def end(self, outcome: _Outcome) -> None:
        self.progress.advance()
        if self.arguments.json:
            return
        name = dxdispatch.printable(outcome.job.path)
        comparison = outcome.comparison
        if outcome.errors or (comparison and not (self.quiet and comparison.is_equal)):
            self.progress.clear()
        for error in outcome.errors:
            if self.arguments.check:
                write_line(f"{name}: {error}")
            else:
                fail(f"{name}: {error}")
        if self.arguments.check and not outcome.errors and not self.many:
            write_line(f"{name}: no complaints")
        if comparison and not (self.quiet and comparison.is_equal):
            write_line(f"{name}: {comparison.line()}" if self.many else comparison.line())

    def finish(self, outcomes: Sequence[_Outcome]) -> None:
        self.progress.clear()
        counts = {
            status: sum(outcome.status == status for outcome in outcomes)
            for status in ("passed", "differs", "failed")
        }
        if self.arguments.json:
            write_line(json.dumps(self.document(outcomes, counts), indent=2))
        elif self.many:
            parts = [f"{count} {status}" for status, count in counts.items() if count]
            write_line(f"{len(outcomes)} models: {', '.join(parts)}")

    def document(self, outcomes: Sequence[_Outcome], counts: dict[str, int]) -> dict[str, Any]:
        models = []
        for outcome in outcomes:
            model: dict[str, Any] = {
                "model": outcome.job.path,
                "status": outcome.status,
                "featureLevel": outcome.job.feature_level.label,
                "errors": [dxdispatch.error_report(error) for error in outcome.errors],
                "events": outcome.events,
            }
            if outcome.comparison:
                model["comparison"] = dxdispatch.comparison_report(outcome.comparison)
            models.append(model)
        return {"adapter": _ADAPTER, "summary": counts, "models": models}
