"""Children of every start method, interpreters that end, and the same bytes whatever runs them."""

from __future__ import annotations

import hashlib
import multiprocessing
import queue
from typing import Any

import pytest

import dmlc
from robustness.every_operator import results
from robustness.processes import TESTS, TIMEOUT, run_python


def digest() -> str:
    state = hashlib.sha256()
    for name, bits in sorted(results().items()):
        state.update(name.encode() + bits)
    return state.hexdigest()


def put_digest(answers: Any) -> None:
    answers.put(digest())


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_run_every_operator_after_the_parent_used_threads(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this platform has no {method}")
    with dmlc.num_threads(2):
        expected = digest()
    if method == "fork":
        context: Any = multiprocessing.get_context(method)
        answers = context.Queue()
        children = [context.Process(target=put_digest, args=(answers,)) for _ in range(4)]
        for child in children:
            child.start()
        try:
            assert [answers.get(timeout=TIMEOUT) for _ in children] == [expected] * 4
        except queue.Empty:
            pytest.fail("a forked child hangs")
        finally:
            for child in children:
                child.kill()
                child.join()
        assert digest() == expected, "the parent after its forks"
        return
    # A child of another kind imports what it runs, so the parent is a program of its own.
    program = f"""
import multiprocessing, sys
sys.path.insert(0, {TESTS!r})
from robustness.test_processes import digest, put_digest

if __name__ == "__main__":
    context = multiprocessing.get_context({method!r})
    answers = context.Queue()
    here = digest()
    children = [context.Process(target=put_digest, args=(answers,), daemon=True) for _ in range(2)]
    for child in children:
        child.start()
    there = [answers.get(timeout={TIMEOUT // 2}) for _ in children]
    assert there == [here] * 2, there
    print(here)
"""
    assert run_python(program).strip() == expected


def test_a_data_loader_of_four_workers() -> None:
    """It forks where that is possible, after the parent has used threads."""
    data = pytest.importorskip("torch.utils.data", reason="PyTorch is not installed")
    with dmlc.num_threads(2):
        expected = digest()

    class Digests(data.Dataset):  # type: ignore[misc, name-defined]
        def __len__(self) -> int:
            return 8

        def __getitem__(self, place: int) -> str:
            return digest()

    loader = data.DataLoader(Digests(), batch_size=None, num_workers=4, timeout=TIMEOUT)
    for _ in range(2):
        assert list(loader) == [expected] * 8
    assert digest() == expected


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("isa", dmlc.show_config()["isas"])
def test_the_same_bytes_on_every_instruction_set_and_thread_count(isa: str, threads: str) -> None:
    program = f"""
import sys
sys.path.insert(0, {TESTS!r})
import dmlc
from robustness.test_processes import digest
assert dmlc.show_config()["isa"] == {isa!r}
assert dmlc.get_num_threads() == {threads}
print(digest())
"""
    answer = run_python(program, DMLC_ISA=isa, OMP_NUM_THREADS=threads)
    assert answer.strip() == digest()


EXITS = {
    "live arrays of the cache": """
import numpy as np, dmlc
kept = [dmlc.copy(np.zeros((1000, 1000))) for _ in range(5)]
views = [array[1:] for array in kept]
del kept[::2]
""",
    "arrays in a module and in a cycle": """
import sys, numpy as np, dmlc
sys.kept = dmlc.eye(500)
cycle = [dmlc.pad(np.zeros((600, 600)), 3)]
cycle.append(cycle)
""",
    "an operator and a device": """
import dmlc
tensor = dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, (400, 500))
operator = dmlc.Device().compile_operator(dmlc.DiagonalMatrixOperatorDesc(tensor, 0, 1.0))
output = operator()
""",
    "a call while the interpreter ends": """
import atexit, numpy as np, dmlc
class Last:
    def __del__(self):
        dmlc.copy(self.array)
last = Last()
last.array = np.zeros((700, 700))
atexit.register(lambda: dmlc.flip(last.array))
""",
    "a thread that still runs": """
import threading, numpy as np, dmlc
array = np.zeros((700, 700))
def work():
    while True:
        dmlc.flip(array)
threading.Thread(target=work, daemon=True).start()
dmlc.flip(array)
""",
}


@pytest.mark.parametrize("program", EXITS.values(), ids=EXITS.keys())
def test_interpreters_end_in_silence(program: str) -> None:
    assert run_python(program) == ""
