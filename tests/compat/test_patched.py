"""dmlc.compat.numpy.patched: what NumPy's names mean inside, and after, whatever happens."""

from __future__ import annotations

import sys
import threading
import types
from collections.abc import Iterator

import numpy as np
import pytest

from dmlc.compat import numpy as compat

ORIGINAL = {name: getattr(np, name) for name in compat.Patch.functions}


def standing() -> dict[str, object]:
    return {name: getattr(np, name) for name in ORIGINAL}


OURS = {name: getattr(compat, name) for name in ORIGINAL}


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    assert standing() == ORIGINAL
    yield
    assert standing() == ORIGINAL


def test_inside_and_after() -> None:
    with compat.patched() as patch:
        assert standing() == OURS
        assert patch.active
        assert repr(patch).endswith("by dmlc: active>")
        assert np.pad(np.arange(3), 1).tolist() == [0, 0, 1, 2, 0]
        assert np.pad([1, 2], 1, "mean").tolist() == [2, 1, 2, 2]
    assert not patch.active
    assert repr(patch).endswith("by dmlc: not active>")


def test_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), compat.patched():
        raise ZeroDivisionError
    assert standing() == ORIGINAL


def test_nested() -> None:
    with compat.patched() as outer:
        with compat.patched() as inner:
            assert standing() == OURS
        assert standing() == OURS
        assert outer.active
        assert inner.active
    assert standing() == ORIGINAL


def test_as_a_decorator() -> None:
    @compat.patched()
    def inside() -> dict[str, object]:
        return standing()

    assert inside() == inside() == OURS


def test_threads_that_leave_in_another_order() -> None:
    """The last one out undoes it."""
    first_left = threading.Event()
    second_in = threading.Event()
    seen: list[dict[str, object]] = []

    def second() -> None:
        with compat.patched():
            second_in.set()
            assert first_left.wait(30)
            seen.append(standing())
        seen.append(standing())

    thread = threading.Thread(target=second)
    with compat.patched():
        thread.start()
        assert second_in.wait(30)
    first_left.set()
    thread.join()
    assert seen == [OURS, ORIGINAL]


def test_who_replaced_a_name_before_has_it_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def mine() -> None: ...

    with monkeypatch.context() as patching:
        patching.setattr(np, "pad", mine)
        with compat.patched():
            assert standing() == OURS
        assert np.pad is mine


def test_who_replaces_a_name_inside_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def mine() -> None: ...

    with monkeypatch.context() as patching:
        patching.setattr(np, "pad", np.pad)
        with compat.patched() as patch:
            np.pad = mine
            assert not patch.active
        assert np.pad is mine
        assert np.eye is ORIGINAL["eye"]


def test_what_was_taken_before_is_missed_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    before = types.ModuleType("took_before")
    exec("from numpy import pad, eye as identity", before.__dict__)  # noqa: S102
    monkeypatch.setitem(sys.modules, "took_before", before)
    with compat.patched() as patch:
        after = types.ModuleType("took_after")
        exec("from numpy import pad", after.__dict__)  # noqa: S102
        monkeypatch.setitem(sys.modules, "took_after", after)
        missed = [name for name in patch.missed() if name.startswith("took_")]
        assert missed == ["took_before.identity", "took_before.pad"]
        assert before.__dict__["pad"] is ORIGINAL["pad"]
