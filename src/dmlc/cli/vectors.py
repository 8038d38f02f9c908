"""``dmlc vectors OUTDIR``: write a conformance set, or judge results by one."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from dmlc.adapters import dxdispatch, vectors
from dmlc.cli.terminal import Progress, fail, natural_number, write_line

if TYPE_CHECKING:
    from dmlc.cli.terminal import Subparsers

_DESCRIPTION = """\
Write a conformance set: DxDispatch models with inputs and expected outputs, for each operator its
data types, dimension counts, modes and edge cases at the lowest feature level that has them. The
expected outputs are those of slow index formulas in NumPy, not of the kernels of dmlc. The same
seed gives the same bytes."""

_EPILOG = """\
examples:
  dmlc vectors set/                     write the set
  dmlc run set/                         verify that dmlc computes what is expected
  dmlc vectors set/ --judge results/    judge what another implementation has written

OUTDIR/index.json lists the vectors: "model" is run, its resource "resource" must then hold
"expected", and it writes that to "output", below --output_path where DxDispatch runs it."""


def add_parser(commands: Subparsers) -> None:
    """Add ``dmlc vectors`` to the commands."""
    parser = commands.add_parser(
        "vectors",
        help="write a conformance set, or judge results by one",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("outdir", metavar="OUTDIR", help="the folder of the set")
    parser.add_argument(
        "--seed",
        metavar="N",
        type=natural_number,
        default=0,
        help="what sizes and values are drawn from (default: 0)",
    )
    parser.add_argument(
        "--judge",
        metavar="RESULTS",
        help="write nothing: compare the outputs in this folder with a set written before",
    )
    parser.add_argument(
        "--ulp",
        metavar="N",
        type=natural_number,
        help="with --judge, let elements be N units in the last place apart",
    )
    parser.set_defaults(work=work)


def work(arguments: argparse.Namespace) -> int:
    """Write a set or judge by one; return 0, 1 where a result differs, 2 for a mistake."""
    try:
        if arguments.judge is not None:
            return _judge(arguments)
        if arguments.ulp is not None:
            return fail("dmlc vectors: --ulp needs --judge")
        progress: Progress | None = None
        count = 0
        for left in vectors.write_set(arguments.outdir, arguments.seed):
            progress = progress or Progress(left)
            progress.show()
            progress.advance()
            count += 1
        if progress:
            progress.clear()
    except dxdispatch.ModelError as error:
        return fail(str(error))
    write_line(f"{count} vectors written to '{dxdispatch.printable(arguments.outdir)}'")
    return 0


def _judge(arguments: argparse.Namespace) -> int:
    judged = vectors.read_index(arguments.outdir)
    if not os.path.isdir(arguments.judge):
        return fail(f"{dxdispatch.printable(arguments.judge)}: is no folder of results")
    progress = Progress(len(judged))
    counts = {"passed": 0, "differs": 0, "missing": 0}
    for vector in judged:
        progress.show()
        result = str(Path(arguments.judge) / vector.output)
        try:
            comparison = dxdispatch.compare_files(result, str(vector.expected), arguments.ulp)
        except dxdispatch.ModelError as error:
            counts["missing"] += 1
            progress.clear()
            fail(f"{dxdispatch.printable(vector.output)}: {error}")
        else:
            counts["passed" if comparison.is_equal else "differs"] += 1
            if not comparison.is_equal:
                progress.clear()
                write_line(comparison.line())
        progress.advance()
    progress.clear()
    parts = [f"{count} {status}" for status, count in counts.items() if count]
    write_line(f"{len(judged)} vectors: {', '.join(parts)}")
    return 2 if counts["missing"] else 1 if counts["differs"] else 0
