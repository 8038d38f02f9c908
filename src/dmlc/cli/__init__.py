"""The command ``dmlc``: one module per subcommand, each with `add_parser` and the work."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence

import dmlc
from dmlc.cli import demo, info, run, vectors

_DESCRIPTION = """\
DirectML's operators that pad, slice, one-hot encode and fill diagonals, on any CPU."""

_EPILOG = """\
start here:
  dmlc demo              every operator on a photograph, checked and timed against NumPy
  dmlc run model.json    run a DxDispatch model
  dmlc vectors set/      write a conformance set, which dmlc run set/ verifies
  dmlc info              what this installation runs on
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments, those of the process by default.

    Returns
    -------
    int
        0 for success, 1 where a result is not what was expected, 2 for a mistake in what was given,
        130 if interrupted.

    Examples
    --------
    >>> from dmlc.cli import main
    >>> main(["info"])  # doctest: +SKIP
    0
    """
    parser = argparse.ArgumentParser(
        prog="dmlc",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"dmlc {dmlc.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in (demo, run, vectors, info):
        command.add_parser(commands)
    arguments = parser.parse_args(argv)
    if not hasattr(arguments, "work"):
        parser.print_help(sys.stderr)
        return 2
    try:
        code: int = arguments.work(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader (`| head`) has enough. What is still buffered must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT  # as shells count
