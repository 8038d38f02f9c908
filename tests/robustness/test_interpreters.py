"""The interpreter around the library: signals, other interpreters, second imports, pickles, resized arrays."""

from __future__ import annotations

import importlib.util
import pickle
import sys
import sysconfig

import pytest

import dmlc
from robustness.processes import TESTS, run_python
from robustness.test_hostile_descriptors import OPERATORS


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself a SIGINT")
def test_an_interrupt_in_a_long_call_leaves_all_usable() -> None:
    program = f"""
import os, signal, sys, threading, time
sys.path.insert(0, {TESTS!r})
import numpy as np, dmlc
from robustness.test_processes import digest

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
expected = digest()
array = np.arange(2**22, dtype=np.uint64).reshape(2**11, 2**11)
out = np.empty(array.T.shape, np.uint64)
answered = 0
for _ in range(5):
    def interrupt():
        inside.wait()
        time.sleep(0.03)
        os.kill(os.getpid(), signal.SIGINT)
    inside = threading.Event()
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        inside.set()
        while True:
            dmlc.copy(array.T, out=out)
    except KeyboardInterrupt:
        answered += 1
    thread.join()
    dmlc.copy(array.T, out=out)
    assert np.array_equal(out, array.T)
    assert digest() == expected
print(answered)
"""
    assert run_python(program) == "5\n"


def test_other_interpreters_are_refused_or_work() -> None:
    names = ("_interpreters", "_xxsubinterpreters")
    module = next((name for name in names if importlib.util.find_spec(name)), None)
    if module is None:
        pytest.skip("this Python cannot make another interpreter")
    program = f"""
import {module} as interpreters
import numpy as np, dmlc

inside = '''
try:
    import numpy as np, dmlc
    assert dmlc.flip(np.arange(3)).tolist() == [2, 1, 0]
except ImportError as error:
    assert str(error), "refused without a word"
'''
for _ in range(2):
    other = interpreters.create()
    failure = interpreters.run_string(other, inside)
    assert failure is None, failure
    interpreters.destroy(other)
    assert dmlc.flip(np.arange(3)).tolist() == [2, 1, 0]
"""
    run_python(program)


def test_importing_again_and_reloading() -> None:
    program = f"""
import importlib, sys
sys.path.insert(0, {TESTS!r})
import numpy as np, dmlc
from robustness.test_processes import digest

expected = digest()
before = dmlc.copy(np.ones((400, 500)))
dmlc.set_output_cache(12345)
assert importlib.reload(dmlc) is dmlc
assert dmlc.show_config()["output_cache"] == 12345
for name in [name for name in sys.modules if name.split(".")[0] == "dmlc"]:
    del sys.modules[name]
import dmlc as again
assert again is not dmlc
for library in (dmlc, again):
    assert np.array_equal(library.flip(before), before)
    tensor = library.BufferTensorDesc(library.TensorDataType.FLOAT32, (2, 2))
    operator = library.Device().compile_operator(library.DiagonalMatrixOperatorDesc(tensor, 0, 1.0))
    assert np.array_equal(operator(), np.eye(2))
assert digest() == expected
"""
    run_python(program)


@pytest.mark.parametrize("name", OPERATORS)
def test_compiled_operators_are_pickled(name: str) -> None:
    operator = OPERATORS[name]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(operator, protocol))
        assert again.desc == operator.desc
        assert repr(again) == repr(operator)


def test_functions_are_pickled_by_name() -> None:
    for name in dmlc.__all__:
        value = getattr(dmlc, name)
        assert pickle.loads(pickle.dumps(value)) is value or name == "__version__"


def test_arrays_that_another_thread_resizes() -> None:
    """A call holds its arrays, so that their memory stays where it is; the next call sees the new size."""
    run_python(
        """
import threading
import numpy as np
import dmlc

LONG, SHORT = 300_000, 10
array = [np.zeros(LONG)]
text = bytearray(8 * LONG)
tensor = dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT64, (LONG,))
desc = dmlc.Slice1OperatorDesc(tensor, tensor, (0,), (LONG,), (-1,))
operator = dmlc.Device().compile_operator(desc)
stop, resized, refused, short = threading.Event(), [0], [0], [0]

def resize():
    while not stop.is_set():
        for length in (SHORT, LONG):
            try:
                array[0].resize(length)
                del text[8 * length:]
                text.extend(bytes(8 * length - len(text)))
                resized[0] += 1
            except (ValueError, BufferError):
                refused[0] += 1

thread = threading.Thread(target=resize)
thread.start()
for _ in range(150):
    result = dmlc.flip(array[0])
    assert result.size in (LONG, SHORT) and not result.any()
    try:
        assert not operator(text).any()
    except dmlc.BindingError:
        short[0] += 1
stop.set()
thread.join()
assert resized[0] > 0
"""
    )


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"),
    reason="this Python has its global lock built in",
)
def test_a_free_threaded_python_stays_so() -> None:
    run_python("import sys, dmlc; assert not sys._is_gil_enabled()")
