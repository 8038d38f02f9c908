"""Short runs of tests/stress_numpy_equality.py and tests/stress_numpy_functions.py."""

from __future__ import annotations

import stress_numpy_equality
import stress_numpy_functions


def test_random_pads_are_numpys() -> None:
    counts = stress_numpy_equality.run(cases=4000, seed=7)
    assert counts["results"] > 2000
    assert counts["exceptions"] > 50
    assert all(counts[mode] > 500 for mode in stress_numpy_equality.MODES)


def test_random_calls_are_numpys() -> None:
    counts = stress_numpy_functions.run(cases=2000, seed=7)
    assert counts["results"] > 5000
    assert counts["exceptions"] > 500
