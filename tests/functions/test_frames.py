"""dmlc.frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlc
import strategies
from arrays import Target, assert_fresh, assert_same, random_values
from reference import padding


@given(st.data())
def test_frames_are_the_twins(data: st.DataObject) -> None:
    array = data.draw(strategies.laid_out(strategies.shapes(1, 3, 1, 120)))
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    center, mode = data.draw(st.booleans()), data.draw(strategies.modes)
    samples = array.shape[axis]
    length = data.draw(st.integers(1, 30 if center else samples))
    hop = data.draw(st.integers(1, 40))
    expected = padding.frames(array, length, hop, axis, center, mode)
    result = dmlc.frames(array, length, hop, axis=axis, center=center, mode=mode)
    assert_same(result, expected)
    assert_fresh(result)
    target = Target(expected.shape, expected.dtype, data.draw(strategies.writable_layouts))
    dmlc.frames(array, length, hop, axis=axis, center=center, mode=mode, out=target.view)
    assert_same(np.array(target.view, order="C"), expected)
    target.assert_gaps_untouched()


@pytest.mark.parametrize("length", [1, 2, 7, 400, 401, 2048])
@pytest.mark.parametrize("hop", [1, 160, 512, 5000, 2**62, 2**70])
@pytest.mark.parametrize("mode", ["reflect", "constant"])
def test_frames_are_those_of_a_padded_signal(mode: Any, hop: int, length: int) -> None:
    signal = random_values((2, 3000), np.dtype(np.float32), 1)
    padded = np.pad(signal, ((0, 0), (length // 2, length // 2)), mode)
    views = np.lib.stride_tricks.sliding_window_view(padded, length, -1)
    expected = views[:, :: min(hop, 10_000)].copy()
    assert_same(dmlc.frames(signal, length, hop, mode=mode), expected)
    if length % 2 == 0:
        assert expected.shape[1] == 1 + 3000 // hop


def test_frames_over_their_own_signal() -> None:
    memory = np.arange(64)
    signal = memory[:16]
    whole = dmlc.frames(signal.copy(), 4, 2)
    out = memory[: whole.size].reshape(whole.shape)
    assert dmlc.frames(signal, 4, 2, out=out) is out
    assert_same(out.copy(), whole)


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "message"),
    [
        (([1, 2], 0, 1), {}, ValueError, "length must be at least 1, got 0"),
        (([1, 2], 1, -1), {}, ValueError, "hop must be at least 1, got -1"),
        (([1, 2], 1.5, 1), {}, TypeError, "length must be an integer, got float"),
        (
            ([1, 2], 1, 1),
            {"mode": "mean"},
            ValueError,
            "mode must be one of constant, .*, got 'mean'",
        ),
        (
            ([1, 2], 3, 1),
            {"center": False},
            ValueError,
            "at least 3 samples along axis 0, got 2",
        ),
        (([], 2, 1), {}, ValueError, "a sample along axis 0 in mode 'reflect', got none"),
        (([], 3, 1), {"mode": "constant"}, ValueError, "at least 1 samples along axis 0, got 0"),
        ((1, 1, 1), {}, np.exceptions.AxisError, "out of bounds"),
        (([1, 2], 1, 1), {"axis": 1}, np.exceptions.AxisError, "out of bounds"),
    ],
)
def test_errors(arguments: Any, keywords: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        dmlc.frames(*arguments, **keywords)
    assert dmlc.frames([], 2, 1, mode="constant").tolist() == [[0, 0]]
