"""What the subcommands share: printing that cannot fail, progress, and numbers in arguments."""

from __future__ import annotations

import argparse
import math
import sys
import time
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


class Progress:
    """A bar of what is done, on the standard error and only if that is a terminal.

    Parameters
    ----------
    total : int
        How many steps there are; of one or none no bar is shown.
    """

    _WIDTH = 30

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._stream = sys.stderr
        self._shown = ""
        self._next = 0.0
        self._enabled = total > 1 and self._stream.isatty()

    def show(self) -> None:
        """Draw the bar, at most ten times a second."""
        now = time.monotonic()
        if not self._enabled or now < self._next:
            return
        self._next = now + 0.1
        full = self._WIDTH * self._done // self._total
        self._draw(f"[{'#' * full}{'.' * (self._WIDTH - full)}] {self._done}/{self._total}")

    def advance(self) -> None:
        """Count one more step as done."""
        self._done += 1

    def clear(self) -> None:
        """Remove the bar, so that a line can be printed where it stood."""
        if self._shown:
            self._draw("")
            self._next = 0.0

    def _draw(self, text: str) -> None:
        self._stream.write(f"\r{text.ljust(len(self._shown))}" + ("" if text else "\r"))
        self._stream.flush()
        self._shown = text


def positive_integer(text: str) -> int:
    """Read an argument that is at least 1."""
    return _integer(text, 1)


def natural_number(text: str) -> int:
    """Read an argument that is at least 0."""
    return _integer(text, 0)


def positive_number(text: str) -> float:
    """Read a finite argument of more than 0."""
    number = _number(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number of more than 0, got {text!r}")
    return number


def nonnegative_number(text: str) -> float:
    """Read a finite argument of at least 0."""
    number = _number(text)
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number of at least 0, got {text!r}")
    return number


def _integer(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise argparse.ArgumentTypeError(f"must be an integer of at least {least}, got {text!r}")
    return number


def _number(text: str) -> float:
    """Read a number; what is none is no number within any bounds."""
    try:
        return float(text)
    except ValueError:
        return math.nan
