"""What has to stand in the process before a library is imported: threads, instruction sets, paths."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that `prepare` reads."""
    cores = len(os.sched_getaffinity(0))
    add = parser.add_argument
    add("--threads", metavar="N", type=positive, default=cores, help="threads of every library")
    add("--isa", metavar="NAME", help="kernels to use, as DMLC_ISA names them")


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {value}")
    return value


def prepare(options: argparse.Namespace) -> None:
    """Everything that libraries read once, when they are imported."""
    if options.isa:
        os.environ["DMLC_ISA"] = options.isa
    cores = sorted(os.sched_getaffinity(0))
    if options.threads != len(cores):
        # XLA has no setting for its threads but counts the cores that it may use.
        os.sched_setaffinity(0, cores[: options.threads])
        os.environ["OMP_NUM_THREADS"] = str(options.threads)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.path.append(str(HERE.parent / "tests"))  # the reference twins
