"""What the subcommands share: printing that cannot fail, and numbers in arguments."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, TextIO, TypeAlias

if TYPE_CHECKING:
    Subparsers: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]


def write_line(text: str, stream: TextIO | None = None) -> None:
    """Print a line; characters that the stream cannot show are escaped instead of raising."""
    stream = stream or sys.stdout
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def fail(message: str) -> int:
    """Print a message to the standard error and return the exit code for a user's mistake."""
    write_line(message, sys.stderr)
    return 2


def positive_integer(text: str) -> int:
    """Read an argument that is at least 1."""
    return _at_least(int(text), 1)


def natural_number(text: str) -> int:
    """Read an argument that is at least 0."""
    return _at_least(int(text), 0)


def positive_number(text: str) -> float:
    """Read a finite argument of more than 0."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"must be more than 0, got {text}")
    return number


def _at_least(number: int, least: int) -> int:
    if number < least:
        raise argparse.ArgumentTypeError(f"must be at least {least}, got {number}")
    return number
