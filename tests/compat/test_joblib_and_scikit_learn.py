"""dmlc in joblib's workers and in scikit-learn's estimators: its results, and how many threads it takes there."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import numpy as np
import pytest

import dmlc
from robustness.processes import run_python

joblib: Any = pytest.importorskip("joblib", reason="joblib is not installed")

needs_openmp = pytest.mark.skipif(
    not dmlc.show_config()["openmp"], reason="the serial build has no threads"
)


def in_workers(jobs: int) -> list[int]:
    calls = (joblib.delayed(dmlc.get_num_threads)() for _ in range(2 * jobs))
    threads: list[int] = joblib.Parallel(n_jobs=jobs)(calls)
    return threads


@needs_openmp
def test_jobs_divide_the_processors() -> None:
    processors = joblib.cpu_count()
    for jobs in (1, 2):
        # One job is the process itself.
        most = dmlc.get_num_threads() if jobs == 1 else max(processors // jobs, 1)
        assert {*in_workers(jobs)} == {most}
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        assert {*in_workers(2)} == {1}


def test_jobs_have_the_results_of_one() -> None:
    image = np.arange(12, dtype=np.uint8).reshape(3, 4)
    calls = [(dmlc.pad, (image, 2, "reflect")), (dmlc.flip, (image,)), (dmlc.stack, ([image] * 3,))]
    for backend in ("loky", "threading"):
        with joblib.parallel_config(backend):
            results = joblib.Parallel(n_jobs=2)(
                joblib.delayed(f)(*arguments) for f, arguments in calls
            )
        for result, (function, arguments) in zip(results, calls, strict=True):
            np.testing.assert_array_equal(result, function(*arguments))


def test_steps_of_a_pipeline() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    random = np.random.default_rng(0)
    signals, values = random.normal(size=(60, 8)), random.normal(size=60)
    ours = partial(dmlc.pad, pad_width=((0, 0), (2, 2)), mode="reflect")
    numpys = partial(np.pad, pad_width=((0, 0), (2, 2)), mode="reflect")
    scores = [
        cross_val_score(
            make_pipeline(FunctionTransformer(pad), Ridge()), signals, values, n_jobs=jobs
        )
        for pad in (ours, numpys)
        for jobs in (1, 2)
    ]
    assert all(np.array_equal(score, scores[0]) for score in scores)


@needs_openmp
@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="/proc says what threads there are"
)
def test_scikit_learns_limits_hold_and_threads_do_not_add_up() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    program = """
import os, time
import numpy as np, dmlc, dmlc.compat.threadpoolctl, joblib, threadpoolctl
from sklearn.cluster import KMeans

points = np.random.default_rng(0).normal(size=(20000, 8))
image = np.arange(2**20, dtype=np.float32).reshape(1024, 1024)
assert "dmlc" in {library["user_api"] for library in threadpoolctl.threadpool_info()}
before = dmlc.get_num_threads()
with threadpoolctl.threadpool_limits(1, user_api="openmp"):
    assert dmlc.get_num_threads() == 1
assert dmlc.get_num_threads() == before

def threads():
    # A worker that wakes after a while may start another in its place: for a moment there are both.
    counts = []
    for _ in range(10):
        time.sleep(0.02)
        counts.append(len(os.listdir("/proc/self/task")))
    return min(counts)

def work(_):
    KMeans(4, n_init=1, max_iter=5).fit(points)
    assert np.array_equal(dmlc.flip(image), image[::-1, ::-1])

work(0)
own = threads()
for _ in range(5):
    work(0)
assert threads() == own
# Threads that call dmlc share one set of workers.
joblib.Parallel(n_jobs=2, backend="threading")(joblib.delayed(dmlc.flip)(image) for _ in range(20))
assert threads() <= own + 2 + before
"""
    run_python(program)
