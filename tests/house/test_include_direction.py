"""Data flows one way in the C core too: a room includes itself and the rooms below it.

    plan > run > memory > dispatch > kernels > language

The public header `dmlc.h` is vocabulary for all.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "csrc"
ROOMS = ["plan", "run", "memory", "dispatch", "kernels", "language"]
OUTSIDE = {"include", "package", "tests"}

pytestmark = pytest.mark.skipif(not CORE.is_dir(), reason="the C core is not beside the tests")


def rooms_included(source: str) -> list[str]:
    """The rooms of the core's own headers, by their first folder; '' for one that has none."""
    names = re.findall(r'^\s*#\s*include\s+"([^"]+)"', source, re.MULTILINE)
    return [name.split("/")[0] if "/" in name else "" for name in names if name != "dmlc.h"]


def wrong_includes(room: str, source: str) -> list[str]:
    """What a file of the room should not have included."""
    below = set(ROOMS[ROOMS.index(room) :])
    return [name for name in rooms_included(source) if name not in below]


def test_every_room_is_known() -> None:
    assert {path.name for path in CORE.iterdir() if path.is_dir()} == set(ROOMS) | OUTSIDE


@pytest.mark.parametrize("room", ROOMS)
def test_includes_go_down(room: str) -> None:
    sources = [path for path in (CORE / room).iterdir() if path.suffix in (".c", ".h", ".inc")]
    assert sources
    assert {path.name: wrong_includes(room, path.read_text("utf-8")) for path in sources} == {
        path.name: [] for path in sources
    }


def test_an_include_that_goes_up_is_found() -> None:
    assert wrong_includes("kernels", '#include "plan/planner.h"\n#include "language/plan.h"\n') == [
        "plan"
    ]
    assert wrong_includes("run", '#include "run.h"\n') == [""]
