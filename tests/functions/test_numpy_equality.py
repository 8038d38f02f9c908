"""A short run of tests/stress_numpy_equality.py."""

from __future__ import annotations

import stress_numpy_equality


def test_random_pads_are_numpys() -> None:
    counts = stress_numpy_equality.run(cases=4000, seed=7)
    assert counts["results"] > 2000
    assert counts["exceptions"] > 50
    assert all(counts[mode] > 500 for mode in stress_numpy_equality.MODES)
