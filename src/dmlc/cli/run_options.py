"""What ``dmlc run`` takes and says of itself."""

from __future__ import annotations

import argparse
import textwrap

from dmlc.cli.terminal import (
    natural_number,
    nonnegative_number,
    positive_integer,
    positive_number,
)
from dmlc.descriptors.json.operators import OPERATORS
from dmlc.enums import FeatureLevel

__all__ = ["DESCRIPTION", "EPILOG", "add_to"]

_OPERATORS = textwrap.fill(f"{', '.join(OPERATORS)}.", 95)
DESCRIPTION = f"""\
Run DxDispatch models: JSON files that describe buffers, DirectML operators and the commands
dispatch, print and writeFile. The operators are those of dmlc:
{_OPERATORS}

The lines are those of DxDispatch, and so are the options with an underscore and a single letter.
Unlike DxDispatch, 8-bit values are printed as numbers, bits with leading zeros and control
characters escaped; and where a file cannot be written, the other commands still run, but the exit
code is 2."""

EPILOG = """\
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


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the models and all options."""
    parser.add_argument(
        "models", metavar="MODEL", nargs="*", help="a model file, or a folder of them"
    )
    parser.add_argument("-m", "--model", metavar="MODEL", help="a model file, as DxDispatch has it")
    _add_judging(parser)
    _add_files(parser)
    _add_timing(parser)


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
        type=_feature_level,
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


def _feature_level(text: str) -> FeatureLevel:
    """Read ``5_0``, ``5.0`` or ``DML_FEATURE_LEVEL_5_0``."""
    label = text.upper().removeprefix("DML_FEATURE_").removeprefix("LEVEL_").replace(".", "_")
    if f"LEVEL_{label}" not in FeatureLevel.__members__:
        known = ", ".join(level.label for level in FeatureLevel)
        raise argparse.ArgumentTypeError(f"must be one of {known}, got {text!r}")
    return FeatureLevel[f"LEVEL_{label}"]
