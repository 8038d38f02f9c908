"""``dmlc run MODEL.json``: run a DxDispatch model."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from dmlc.adapters import dxdispatch
from dmlc.cli.terminal import (
    fail,
    natural_number,
    positive_integer,
    positive_number,
    write_line,
)

if TYPE_CHECKING:
    from dmlc.cli.terminal import Subparsers

_DESCRIPTION = """\
Run a DxDispatch model: a JSON file that describes buffers, DirectML operators and the commands
dispatch, print and writeFile. The operators are those of dmlc: PADDING, PADDING1, ONE_HOT, SLICE,
SLICE1, DIAGONAL_MATRIX and DIAGONAL_MATRIX1. A mistake in the file is reported with its place in
it, and the exit code is 2."""


def add_parser(commands: Subparsers) -> None:
    """Add ``dmlc run`` to the commands."""
    parser = commands.add_parser(
        "run", help="run a DxDispatch model file", description=_DESCRIPTION
    )
    parser.add_argument("model", metavar="MODEL.json", help="the model file")
    files = parser.add_argument_group("files")
    files.add_argument(
        "--input_path", metavar="FOLDER", help="where source files are looked up first"
    )
    files.add_argument(
        "--output_path", metavar="FOLDER", help="where files are written (default: here)"
    )
    files.add_argument(
        "--allow-outside",
        action="store_true",
        help="let the model read and write outside its own folder, the current one and these two",
    )
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
    parser.set_defaults(work=work)


def work(arguments: argparse.Namespace) -> int:
    """Run a model; return 0, or 2 with one message about what is wrong in it."""
    options = dxdispatch.RunOptions(
        iterations=arguments.dispatch_iterations,
        repeat=arguments.dispatch_repeat,
        milliseconds=arguments.milliseconds_to_run,
        warmup=arguments.warmup_samples,
        verbosity=arguments.timing_verbosity,
    )
    name = dxdispatch.printable(arguments.model)
    try:
        model = dxdispatch.load_model(
            arguments.model,
            input_path=arguments.input_path,
            output_path=arguments.output_path,
            allow_outside=arguments.allow_outside,
        )
        dxdispatch.run_model(model, options, write_line)
    except dxdispatch.ModelError as error:
        return fail(f"{name}: {error}")
    except MemoryError:
        return fail(f"{name}: takes more memory than there is")
    return 0
