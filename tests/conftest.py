"""Settings of the whole suite.

DMLC_TEST_EXAMPLES multiplies hypothesis's examples: without it a seventh of them is drawn, so that a
user waits minutes at most; CI sets it to 1. DMLC_GUARD_ARRAYS=1 puts every array next to a page that
no one may touch, see guarded_arrays.py.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "dmlc",
    max_examples=int(250 * float(os.environ.get("DMLC_TEST_EXAMPLES", "0.15"))),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    print_blob=True,
)
settings.load_profile("dmlc")

if os.environ.get("DMLC_GUARD_ARRAYS") == "1":
    from guarded_arrays import install

    install()
