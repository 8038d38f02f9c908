"""A process's threads, its environment, signals and limits belong to the program, not to the library.

Each program runs in an interpreter of its own, and calls after it has moved to each processor in
turn, so that the threads that help it are woken where it runs as well as elsewhere.
"""

from __future__ import annotations

import importlib.util
import os
import sys

import pytest

import dmlc
from robustness.processes import run_python

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="/proc says what threads there are"),
    pytest.mark.skipif(not dmlc.show_config()["openmp"], reason="the serial build has no threads"),
]

needs_two_processors = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2, reason="one processor"
)
needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch is not installed"
)

PRELUDE = """
import contextlib, ctypes, os, pathlib, sys, threading, time
import numpy as np, dmlc

image = np.arange(2**20, dtype=np.float32).reshape(1024, 1024)
out = np.empty_like(image)
processors = os.sched_getaffinity(0)

def threads():
    return {int(name) for name in os.listdir("/proc/self/task")}

def masks():
    # a worker may leave its place to a new one, and so end, at any time
    found = {}
    for thread in threads():
        with contextlib.suppress(ProcessLookupError):
            found[thread] = frozenset(os.sched_getaffinity(thread))
    return found

def openmp():
    libraries = {line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines()}
    return ctypes.CDLL(next(name for name in libraries if "libgomp" in name))

def call(times=100):
    for _ in range(times):
        for processor in processors:
            mine = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {processor})
            os.sched_setaffinity(0, mine)
            out.fill(0)
            dmlc.flip(image, out=out)
            assert out[0, 0] == image[-1, -1] and out[-1, -1] == image[0, 0]
"""

AFFINITY = """
before = masks()
for _ in range(3):
    call()
    after = masks()
    changed = {t: (before[t], after[t]) for t in before.keys() & after.keys() if before[t] != after[t]}
    assert not changed, changed
    started = {t: after[t] for t in after.keys() - before.keys()}
    assert all(mask == before[os.getpid()] for mask in started.values()), started
"""


def skip_without_libgomp() -> None:
    """The runtimes have the same functions, but not the same file."""
    maps = "from pathlib import Path; import dmlc; print(Path('/proc/self/maps').read_text())"
    if "libgomp" not in run_python(maps):
        pytest.skip("the OpenMP runtime is not libgomp")


@needs_two_processors
@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"OMP_THREAD_LIMIT": "1"},
        {"OMP_DYNAMIC": "true"},
        {"OMP_NUM_THREADS": "3"},
        {"OMP_WAIT_POLICY": "passive"},
    ],
    ids=str,
)
def test_no_thread_changes_its_processors(environment: dict[str, str]) -> None:
    """Nor does the caller's own thread, nor one that the program started."""
    program = """
dmlc.set_num_threads(2)
end = threading.Event()
own = [threading.Thread(target=end.wait, daemon=True) for _ in range(3)]
for thread in own:
    thread.start()
"""
    run_python(PRELUDE + program + AFFINITY + "end.set()", **environment)


@needs_two_processors
def test_threads_run_where_openmp_binds_its_own() -> None:
    """It binds the program's first thread to one processor, which threads that start later begin with."""
    program = """
bound = masks()[os.getpid()]
before = threads()
dmlc.set_num_threads(2)
for _ in range(20):
    dmlc.flip(image, out=out)
started = {t: mask for t, mask in masks().items() if t not in before}
assert started and all(mask == {0, 1} - bound for mask in started.values()), started
assert masks()[os.getpid()] == bound and len(bound) == 1
"""
    if not {0, 1} <= os.sched_getaffinity(0):
        pytest.skip("processors 0 and 1 are not this process's")
    run_python(PRELUDE + program, OMP_PROC_BIND="true", OMP_PLACES="{0},{1}")


@needs_two_processors
def test_threads_that_were_placed_keep_their_places() -> None:
    """The library's threads as well: whoever has placed them, the program or a launcher."""
    program = """
dmlc.set_num_threads(2)
call()
for number, thread in enumerate(sorted(threads() - {os.getpid()})):
    with contextlib.suppress(ProcessLookupError):  # it has ended
        os.sched_setaffinity(thread, {sorted(processors)[number % len(processors)]})
before = masks()
call()
after = masks()
changed = {t: (before[t], after[t]) for t in before.keys() & after.keys() if before[t] != after[t]}
assert not changed, changed
"""
    run_python(PRELUDE + program)


@needs_two_processors
@needs_torch
@pytest.mark.parametrize("first", ["torch", "dmlc"])
def test_pytorchs_threads_are_left_alone(first: str) -> None:
    """PyTorch has an OpenMP runtime, which serves both where it was loaded first."""
    program = """
torch.set_num_threads(2)
dmlc.set_num_threads(2)
tensor = torch.ones(2**22)
for _ in range(20):
    tensor.add_(1)
"""
    imports = "import torch\n" + PRELUDE if first == "torch" else PRELUDE + "import torch\n"
    run_python(imports + program + AFFINITY + "assert before.keys() <= after.keys()")


def test_an_import_leaves_the_environment_alone() -> None:
    """Another thread may be reading it, in C and without a lock."""
    program = """
import sys
import numpy
changes = []
def note(event, arguments):
    if event in {"os.putenv", "os.unsetenv"}:
        changes.append(arguments)
sys.addaudithook(note)
import dmlc
assert changes == [], changes
"""
    run_python(program)


@needs_two_processors
def test_signals_reach_no_thread_of_the_library() -> None:
    program = """
import signal
before = threads()
dmlc.set_num_threads(2)
call()
time.sleep(0.1)  # nobody looks for work any longer, so hardly any ends
seen = 0
for thread in threads() - before:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended
        status = pathlib.Path(f"/proc/self/task/{thread}/status").read_text().splitlines()
        status = dict(line.split(":", 1) for line in status)
        blocked = int(status["SigBlk"], 16)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD, signal.SIGUSR1):
            assert blocked >> (number - 1) & 1, number
        seen += 1
assert seen > 0
assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == set()
"""
    run_python(PRELUDE + program)


def test_no_more_threads_than_processors() -> None:
    program = """
before = threads()
dmlc.set_num_threads(16)
assert dmlc.get_num_threads() == 16
call(10)
seen = []
for _ in range(10):  # a worker that left its place to a new one ends a moment later
    time.sleep(0.02)
    seen.append(threads() - before)
assert min(map(len, seen)) < len(processors), (before, seen)
"""
    run_python(PRELUDE + program)


@needs_two_processors
def test_a_caller_bound_to_one_processor_starts_no_thread() -> None:
    program = """
before = threads()
os.sched_setaffinity(0, {min(processors)})
dmlc.set_num_threads(2)
for _ in range(10):
    dmlc.flip(image, out=out)
assert threads() == before
"""
    run_python(PRELUDE + program)


def test_where_no_thread_can_be_started() -> None:
    """A stack has no room in the address space: the call takes the threads that there are."""
    program = """
import resource
dmlc.flip(image, out=out)  # on all that is there, in memory that is there
from dmlc import _dmlc
_dmlc.set_oversubscribe(True)
dmlc.set_num_threads(64)
used = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
resource.setrlimit(resource.RLIMIT_AS, (used + 2**20, resource.RLIM_INFINITY))
call(3)
"""
    run_python(PRELUDE + program)


@needs_two_processors
def test_threads_have_room_for_what_kernels_keep_on_the_stack() -> None:
    """A program, or its C library, may give threads less than that unless they ask for more."""
    program = """
libc = ctypes.CDLL(None)
if not hasattr(libc, "pthread_setattr_default_np"):
    raise SystemExit  # this C library has no other size to be set
attributes = ctypes.create_string_buffer(64)
assert libc.pthread_attr_init(attributes) == 0
assert libc.pthread_attr_setstacksize(attributes, ctypes.c_size_t(64 * 1024)) == 0
assert libc.pthread_setattr_default_np(attributes) == 0
from dmlc import _dmlc
_dmlc.set_oversubscribe(True)
_dmlc.set_cache_bytes(2**16)  # what goes past the cache has the largest stages
dmlc.set_num_threads(2)
indices = np.arange(30000) % 50
bytes = np.ones((70, 70, 3, 32), np.uint8).transpose(3, 2, 1, 0)
before = threads()
for _ in range(100):
    assert dmlc.one_hot(indices, 50).sum() == 30000
    assert dmlc.tile(bytes.T, (1, 2, 1, 2)).all()
assert len(threads()) > len(before), "all ran on one thread"
"""
    run_python(PRELUDE + program)


def test_a_forked_child_starts_no_thread() -> None:
    program = """
dmlc.set_num_threads(2)
call(10)
child = os.fork()
if child == 0:
    try:
        call(10)
        os._exit(len(threads()) - 1)
    except BaseException:
        os._exit(100)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
call(10)
"""
    run_python(PRELUDE + program)


def test_openmps_number_counts_when_it_is_set() -> None:
    """Before the first call, after it, and for the thread that set it alone."""
    program = """
openmp().omp_set_num_threads(1)
assert dmlc.get_num_threads() == 1
before = threads()
call(3)
assert threads() == before
elsewhere = []
thread = threading.Thread(target=lambda: elsewhere.append(dmlc.get_num_threads()))
thread.start()
thread.join()
assert elsewhere == [initial], elsewhere
openmp().omp_set_num_threads(initial)
assert dmlc.get_num_threads() == initial
with dmlc.num_threads(2):
    openmp().omp_set_num_threads(1)
    assert dmlc.get_num_threads() == 2
assert dmlc.get_num_threads() == 1
dmlc.set_num_threads(3)
assert dmlc.get_num_threads() == 3
"""
    skip_without_libgomp()
    initial = int(run_python("import dmlc; print(dmlc.get_num_threads())"))
    run_python(f"initial = {initial}" + PRELUDE + program)


@needs_two_processors
def test_threadpoolctls_limits_count() -> None:
    pytest.importorskip("threadpoolctl", reason="threadpoolctl is not installed")
    program = """
from threadpoolctl import threadpool_info, threadpool_limits
if all(library["user_api"] != "openmp" for library in threadpool_info()):
    print("threadpoolctl sees no OpenMP")
    sys.exit()
with threadpool_limits(1):
    assert dmlc.get_num_threads() == 1
initial = dmlc.get_num_threads()
assert initial > 1
call(3)
with threadpool_limits(1):
    assert dmlc.get_num_threads() == 1
assert dmlc.get_num_threads() == initial
"""
    if reason := run_python(PRELUDE + program):
        pytest.skip(reason.strip())


def test_the_thread_limit_counts() -> None:
    assert run_python("import dmlc; print(dmlc.get_num_threads())", OMP_THREAD_LIMIT="1") == "1\n"
    program = """
before = threads()
dmlc.set_num_threads(2)
call(10)
assert threads() == before
"""
    run_python(PRELUDE + program, OMP_THREAD_LIMIT="1")
