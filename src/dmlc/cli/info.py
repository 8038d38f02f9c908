"""``dmlc info``: what this installation runs on."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import dmlc
from dmlc.cli.terminal import write_line

if TYPE_CHECKING:
    from dmlc.cli.terminal import Subparsers


def add_parser(commands: Subparsers) -> None:
    """Add ``dmlc info`` to the commands."""
    parser = commands.add_parser(
        "info",
        help="print version, threads and instruction sets",
        description="Print what this installation of dmlc runs on; put it into a bug report.",
    )
    parser.set_defaults(work=work)


def work(arguments: argparse.Namespace) -> int:
    """Print what ``dmlc.show_config`` returns, a line an entry; return 0."""
    configuration = dmlc.show_config()
    width = max(map(len, configuration)) + 2
    for name, value in configuration.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
        write_line(f"{name + ':':{width}}{shown}")
    return 0
