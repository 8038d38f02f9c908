"""A test that hangs ends the run, with every thread's place in it."""

from __future__ import annotations

import faulthandler
import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def end_a_hang() -> Iterator[None]:
    # pytest has a stream of its own in place of stderr, which has no descriptor.
    assert sys.__stderr__ is not None
    faulthandler.dump_traceback_later(300, exit=True, file=sys.__stderr__)
    yield
    faulthandler.cancel_dump_traceback_later()
