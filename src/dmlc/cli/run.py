"""``dmlc run MODEL.json``: run DxDispatch models."""

from __future__ import annotations

import argparse
import json
import os
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dmlc.adapters import dxdispatch, vectors
from dmlc.cli.terminal import (
    Progress,
    fail,
    natural_number,
    nonnegative_number,
    positive_integer,
    positive_number,
    write_line,
)
from dmlc.descriptors.json.operators import OPERATORS
from dmlc.enums import FeatureLevel

if TYPE_CHECKING:
    from dmlc.cli.terminal import Subparsers

_OPERATORS = textwrap.fill(f"{', '.join(OPERATORS)}.", 95)
_DESCRIPTION = f"""\
Run DxDispatch models: JSON files that describe buffers, DirectML operators and the commands
dispatch, print and writeFile. The operators are those of dmlc:
{_OPERATORS}

The lines are those of DxDispatch, and so are the options with an underscore and a single letter.
Unlike DxDispatch, 8-bit values are printed as numbers, bits with leading zeros and control
characters escaped; and where a file cannot be written, the other commands still run, but the exit
code is 2."""

_EPILOG = """\
a folder:
  Every .json file below it is run, but for those whose names start with "_" or ".". A folder that
  `dmlc vectors` has written, itself or below, is verified instead: what each model computes is
  compared with what was written for it, and no file is written unless --output_path is given.

json:
  { "adapter", "summary": { "passed", "differs", "failed" }, "models": [ { "model", "status",
  "featureLevel", "errors": [ { "place", "problem" } ], "events": [ { "event", ... } ], and
  where something was compared "comparison": { "differing", "first", ... } } ] }

exit codes:
  0  all is well
  1  a result differs from what was expected
  2  a mistake in what was given, or with --check a complaint

examples:
  dmlc run model.json
  dmlc run models/ --check
  dmlc run model.json --compare expected.npy --resource out --ulp 1
  dmlc run model.json --feature-level 5_0 --json
"""

_ADAPTER = "CPU"


def add_parser(commands: Subparsers) -> None:
    """Add ``dmlc run`` to the commands."""
    parser = commands.add_parser(
        "run",
        help="run, check or verify DxDispatch models",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "models", metavar="MODEL", nargs="*", help="a model file, or a folder of them"
    )
    parser.add_argument("-m", "--model", metavar="MODEL", help="a model file, as DxDispatch has it")
    _add_judging(parser)
    _add_files(parser)
    _add_timing(parser)
    parser.set_defaults(work=work)


def _add_judging(parser: argparse.ArgumentParser) -> None:
    judging = parser.add_argument_group("judging")
    judging.add_argument(
        "--check",
        action="store_true",
        help="list every complaint about every operator and binding, and run nothing",
    )
    judging.add_argument(
        "--feature-level",
        "--dml_feature_level",
        metavar="LEVEL",
        type=feature_level,
        default=None,
        help="what the device can do, 1_0 to 6_4 (default: 6_4, or what a vector names)",
    )
    judging.add_argument(
        "--compare",
        metavar="EXPECTED.npy",
        help="compare a resource with this file, bit for bit, once the model has run",
    )
    judging.add_argument("--resource", metavar="NAME", help="the resource that is compared")
    judging.add_argument(
        "--ulp",
        metavar="N",
        type=natural_number,
        help="let elements be N units in the last place apart; all NaNs are then alike",
    )
    judging.add_argument(
        "--json", action="store_true", help="print one JSON document instead of lines"
    )
    judging.add_argument(
        "--print_commands",
        action="store_true",
        help="print a line before and after each command",
    )


def _add_files(parser: argparse.ArgumentParser) -> None:
    files = parser.add_argument_group("files")
    files.add_argument(
        "--input_path",
        metavar="FOLDER",
        help="where source files are looked up first, and models last",
    )
    files.add_argument(
        "--output_path", metavar="FOLDER", help="where files are written (default: here)"
    )
    files.add_argument(
        "--allow-outside",
        action="store_true",
        help="let a model read and write outside its own folder, the current one and these two",
    )


def _add_timing(parser: argparse.ArgumentParser) -> None:
    timing = parser.add_argument_group("timing")
    timing.add_argument(
        "-i",
        "--dispatch_iterations",
        metavar="N",
        type=positive_integer,
        default=1,
        help="timed iterations of each dispatch (default: 1)",
    )
    timing.add_argument(
        "-r",
        "--dispatch_repeat",
        metavar="N",
        type=positive_integer,
        default=1,
        help="dispatches in each iteration, for very short ones (default: 1)",
    )
    timing.add_argument(
        "-t",
        "--milliseconds_to_run",
        metavar="MS",
        type=positive_number,
        help="repeat each dispatch for so long instead of -i",
    )
    timing.add_argument(
        "-I",
        "--dispatch_interval",
        metavar="MS",
        type=nonnegative_number,
        default=0.0,
        help="least time from the start of an iteration to that of the next (default: 0)",
    )
    timing.add_argument(
        "-w",
        "--warmup_samples",
        metavar="N",
        type=natural_number,
        default=1,
        help="first iterations that the median leaves out, if more follow (default: 1)",
    )
    timing.add_argument(
        "-v",
        "--timing_verbosity",
        metavar="LEVEL",
        type=int,
        choices=(0, 1, 2),
        default=0,
        help="0: the median, 1: cold and hot statistics, 2: every iteration (default: 0)",
    )


def feature_level(text: str) -> FeatureLevel:
    """Read ``5_0``, ``5.0`` or ``DML_FEATURE_LEVEL_5_0``."""
    label = text.upper().removeprefix("DML_FEATURE_").removeprefix("LEVEL_").replace(".", "_")
    if f"LEVEL_{label}" not in FeatureLevel.__members__:
        known = ", ".join(level.label for level in FeatureLevel)
        raise argparse.ArgumentTypeError(f"must be one of {known}, got {text!r}")
    return FeatureLevel[f"LEVEL_{label}"]


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
