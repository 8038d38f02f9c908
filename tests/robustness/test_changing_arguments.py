"""Arguments that change while a call reads them: converting one may run anything, and other threads run too."""

from __future__ import annotations

import pytest

from robustness.processes import run_python

# Arrays so large that memory they give up is no one's any more: whoever still reads or writes it ends the process.
CHANGES = """
import itertools, warnings
import numpy as np
import dmlc

# NumPy is about to end this, from the shape on; until then arrays do change under us.
warnings.filterwarnings("ignore", "Setting the (shape|dtype)", DeprecationWarning)

LARGE = 1 << 12


class Sub(np.ndarray):
    pass


def resize(array):
    array.resize(1, refcheck=False)


def forget(array):
    array.__setstate__((1, (1,), np.dtype("u1"), False, b"x"))


def reshape(array):
    array.shape = (array.size,)


def retype(array):
    array.dtype = np.dtype("u1")


def widen(array):
    array.dtype = np.dtype("c16")


CHANGES = (resize, forget, reshape, retype, widen)


class Hook:
    "Changes an array whenever it is asked what it is worth."

    def __init__(self, change, array, worth):
        self.change, self.array, self.worth = change, array, worth
        self.asked = False

    def ask(self):
        if not self.asked:
            self.asked = True
            self.change(self.array)
        return self.worth

    def __index__(self):
        return self.ask()

    def __float__(self):
        return float(self.ask())

    def __array__(self, dtype=None, copy=None):
        return np.array(self.ask(), dtype)

    @property
    def dtype(self):
        return np.dtype(self.ask())


def check(call):
    "A change is refused with an error, or has its effect in time."
    try:
        results = call()
    except (ValueError, TypeError, IndexError, BufferError, AttributeError):
        return "refused"
    for result in results if isinstance(results, tuple) else (results,):
        assert isinstance(result, np.ndarray), result
        np.asarray(result).tobytes()
    return "done"


def try_all(dtype, calls, shape=(LARGE, LARGE), kinds=(np.ndarray, Sub)):
    outcomes = set()
    for kind, change, call in itertools.product(kinds, CHANGES, calls):
        array = kind(shape, dtype)  # on memory of its own; pages that no one has written hold zeros
        outcomes.add(check(lambda: call(array, lambda worth: Hook(change, array, worth))))
    assert "refused" in outcomes, outcomes
"""

INPUTS = {
    "pad": """
try_all("f4", [
    lambda a, hook: dmlc.pad(a, 1, constant_values=hook(0)),
    lambda a, hook: dmlc.pad(a, 1, constant_values=[(hook(0), 1)]),
    lambda a, hook: dmlc.pad(a, {0: (1, hook(1))}),
    lambda a, hook: dmlc.pad(a, {0: (hook(1), 1)}, "edge"),
    lambda a, hook: dmlc.pad(a, {0: (hook(-2), 1)}, "wrap"),
    lambda a, hook: dmlc.pad(a, -1, constant_values=hook(0)),
])
""",
    "one_hot": """
try_all("i4", [
    lambda a, hook: dmlc.one_hot(a, hook(2), dtype="u1"),
    lambda a, hook: dmlc.one_hot(a, 2, dtype="u1", axis=hook(0)),
    lambda a, hook: dmlc.one_hot(a, 2, dtype="u1", on_value=hook(2)),
    lambda a, hook: dmlc.one_hot(a, 2, dtype="u1", off_value=hook(2), negative="error"),
    lambda a, hook: dmlc.one_hot(a, 2, dtype=hook("u1")),
])
""",
    "slice": """
try_all("f4", [
    lambda a, hook: dmlc.slice(a, (hook(0), 0), a.shape, (1, 1)),
    lambda a, hook: dmlc.slice(a, (0, 0), (LARGE, hook(LARGE)), (1, -1)),
    lambda a, hook: dmlc.slice(a, (0, 0), a.shape, (hook(-1), 1)),
    lambda a, hook: dmlc.slice(a, (0, 0), a.shape, (1, 1), output_sizes=(hook(LARGE), LARGE)),
])
""",
    "flip": """
try_all("f4", [lambda a, hook: dmlc.flip(a, hook(0)), lambda a, hook: dmlc.flip(a, (0, hook(1)))])
""",
    "bands": """
try_all("f4", [
    lambda a, hook: dmlc.tril(a, hook(1)),
    lambda a, hook: dmlc.triu(a, hook(1)),
    lambda a, hook: dmlc.fill_band(a, hook(0), 1, 2),
    lambda a, hook: dmlc.fill_band(a, 0, hook(1), 2),
    lambda a, hook: dmlc.fill_band(a, 0, 1, hook(2)),
    lambda a, hook: dmlc.fill_band(a, 0, 1, hook(2), out=a),
])
try_all("f4", [lambda a, hook: dmlc.tril(a, hook(1))], (LARGE,))
""",
    "pad_sequence": """
class Row(Hook):
    def __array__(self, dtype=None, copy=None):
        self.ask()
        return np.zeros((1, LARGE), "f4")

try_all("f4", [
    lambda a, hook: dmlc.pad_sequence([a, a[:1].copy()], value=hook(2)),
    lambda a, hook: dmlc.pad_sequence([a[:1].copy(), a], value=hook(2), side="left"),
    lambda a, hook: dmlc.pad_sequence([a, a], multiple_of=hook(2), return_mask=True),
    lambda a, hook: dmlc.pad_sequence([a, Row(hook(1).change, a, 1)]),
    lambda a, hook: dmlc.pad_sequence(iter([a, Row(hook(1).change, a, 1)]), value=1),
])
""",
    "window": """
try_all("f4", [
    lambda a, hook: dmlc.window(a, (hook(0), 1), a.shape),
    lambda a, hook: dmlc.window(a, (0, 1), (LARGE, hook(LARGE)), "wrap"),
    lambda a, hook: dmlc.window(a, (0, 1), a.shape, constant_values=hook(0)),
])
""",
    "frames": """
try_all("f4", [
    lambda a, hook: dmlc.frames(a, hook(4), 1000),
    lambda a, hook: dmlc.frames(a, 4, hook(1000)),
    lambda a, hook: dmlc.frames(a, 4, 1000, axis=hook(0)),
])
""",
    "tile and repeat": """
try_all("f4", [
    lambda a, hook: dmlc.tile(a, (1, hook(1))),
    lambda a, hook: dmlc.repeat(a, hook(1)),
    lambda a, hook: dmlc.repeat(a, hook(1), 0),
    lambda a, hook: dmlc.repeat(a, 1, hook(1)),
])
""",
    "roll": """
try_all("f4", [
    lambda a, hook: dmlc.roll(a, hook(1), 0),
    lambda a, hook: dmlc.roll(a, 1, hook(0)),
    lambda a, hook: dmlc.roll(a, (1, hook(2)), (0, 1)),
])
""",
    "stack": """
class Row(Hook):
    def __array__(self, dtype=None, copy=None):
        self.ask()
        return np.zeros((LARGE, LARGE), "f4")

try_all("f4", [
    lambda a, hook: dmlc.stack([a, a], hook(0)),
    lambda a, hook: dmlc.stack([a, Row(hook(1).change, a, 1)]),
])
""",
    "collate": """
class Row(Hook):
    def __array__(self, dtype=None, copy=None):
        self.ask()
        return np.zeros((1, LARGE), "f4")

try_all("f4", [
    lambda a, hook: dmlc.collate([a, a[:1].copy()], value=hook(2)),
    lambda a, hook: dmlc.collate([a, a], shape=(hook(3), LARGE), return_mask=True),
    lambda a, hook: dmlc.collate([a, Row(hook(1).change, a, 1)], mode="edge"),
])
""",
}

OUTPUTS = """
shape = (LARGE, LARGE)
source, indices = np.zeros(shape, "f4"), np.zeros(LARGE, "i4")
try_all("f4", [
    lambda a, hook: dmlc.pad(source, 0, constant_values=hook(0), out=a),
    lambda a, hook: dmlc.one_hot(indices, hook(LARGE), out=a),
    lambda a, hook: dmlc.one_hot(indices, LARGE, on_value=hook(1), out=a),
    lambda a, hook: dmlc.one_hot(indices, LARGE, dtype=hook("f4"), out=a),
    lambda a, hook: dmlc.slice(source, (hook(0), 0), shape, (1, 1), out=a),
    lambda a, hook: dmlc.flip(source, hook(0), out=a),
    lambda a, hook: dmlc.window(source, (hook(0), 1), shape, out=a),
    lambda a, hook: dmlc.roll(source, hook(1), 1, out=a),
    lambda a, hook: dmlc.stack(list(source), hook(0), out=a),
    lambda a, hook: dmlc.collate(list(source), value=hook(1), out=a),
    lambda a, hook: dmlc.pad_sequence(list(source), value=hook(1), out=a),
    lambda a, hook: dmlc.tril(source, hook(1), out=a),
    lambda a, hook: dmlc.fill_band(source, 0, 1, hook(2), out=a),
    lambda a, hook: dmlc.eye(LARGE, k=hook(1), dtype="f4", out=a),
    lambda a, hook: dmlc.eye(LARGE, dtype=hook("f4"), out=a),
    lambda a, hook: dmlc.tri(hook(LARGE), dtype="f4", out=a),
    lambda a, hook: dmlc.diagonal_matrix(shape, value=hook(1), out=a),
    lambda a, hook: dmlc.causal_mask(LARGE, window=hook(1), out=a),
])
class Source(Hook):
    def __array__(self, dtype=None, copy=None):
        self.ask()
        return source

try_all("f4", [
    lambda a, hook: dmlc.copy(Source(hook(1).change, a, 1), out=a),
    lambda a, hook: dmlc.flip(Source(hook(1).change, a, 1), out=a),
])
"""

OPERATORS = """
from dmlc import BufferTensorDesc, TensorDataType

square = BufferTensorDesc(TensorDataType.FLOAT32, (LARGE, LARGE))
pad = dmlc.CompiledOperator(dmlc.PaddingOperatorDesc(square, square, dmlc.PaddingMode.EDGE, 0.0, (0, 0), (0, 0)))
one_hot = dmlc.CompiledOperator(dmlc.OneHotOperatorDesc(
    BufferTensorDesc(TensorDataType.INT32, (LARGE, 1)),
    BufferTensorDesc(TensorDataType.FLOAT32, (1, 2)),
    square,
    1,
))

class Input(Hook):
    def __array__(self, dtype=None, copy=None):
        self.ask()
        return self.worth

source, indices = np.zeros((LARGE, LARGE), "f4"), np.zeros((LARGE, 1), "i4")
pair = np.zeros((1, 2), "f4")
try_all("f4", [
    lambda a, hook: pad(Input(hook(1).change, a, source), out=a),
    lambda a, hook: one_hot(indices, Input(hook(1).change, a, pair), out=a),
])
# Indices, values and flat memory of a size of their own.
try_all("i4", [lambda a, hook: one_hot(a, Input(hook(1).change, a, pair))], (LARGE, 1))
try_all("i4", [lambda a, hook: one_hot(a, Input(hook(1).change, a, pair))], (LARGE * 64,))
try_all("u1", [lambda a, hook: one_hot(indices, Input(hook(1).change, a, pair), out=a)], (4 * LARGE * LARGE,))
"""


@pytest.mark.parametrize("name", INPUTS)
def test_inputs_that_change_while_arguments_are_converted(name: str) -> None:
    run_python(CHANGES + INPUTS[name])


def test_outputs_that_change_while_arguments_are_converted() -> None:
    run_python(CHANGES + OUTPUTS)


def test_bound_arrays_that_change_while_others_are_bound() -> None:
    run_python(CHANGES + OPERATORS)


def test_handlers_of_numpys_errors_change_arrays() -> None:
    """Even a plain number: one that overflows the dtype calls what `numpy.seterr` was given."""
    run_python(
        """
import numpy as np
import dmlc

for call in (
    lambda a: dmlc.pad(a, 1, constant_values=1e300),
    lambda a: dmlc.pad(a[:0], 0, constant_values=1e300, out=a),
    lambda a: dmlc.fill_band(a, 0, 1, 1e300),
    lambda a: dmlc.fill_band(a, 0, 1, 1e300, out=a),
    lambda a: dmlc.diagonal_matrix(a.shape, value=1e300, out=a),
    lambda a: dmlc.one_hot([0], 2, on_value=1e300, out=a),
):
    array = np.zeros((1 << 10, 1 << 10), "f4")

    def handle(*error):
        array.resize(1, refcheck=False)

    with np.errstate(all="call", call=handle):
        try:
            call(array)
        except ValueError:
            pass
"""
    )


def test_no_array_is_resized_while_a_thread_runs_on_it() -> None:
    """The GIL is released for so much; its memory would be gone before the run is over."""
    run_python(
        """
import threading
import numpy as np
import dmlc

SIZE = 1 << 25
MOST = 40


def resizes(array, run):
    "Resize an array while a thread runs; how often that was refused because it ran."
    done, refused = threading.Event(), 0

    def work():
        try:
            run()
        except ValueError:
            pass
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        try:
            array.resize(1, refcheck=False)
        except ValueError:
            refused += 1
    thread.join()
    return refused


dmlc.set_num_threads(1)
desc = dmlc.BufferTensorDesc(dmlc.TensorDataType.UINT8, (SIZE,))
pad = dmlc.CompiledOperator(dmlc.PaddingOperatorDesc(desc, desc, dmlc.PaddingMode.EDGE, 0.0, (0,), (0,)))
out = np.zeros(SIZE, np.uint8)
for make in (
    lambda a: lambda: dmlc.copy(a),
    lambda a: lambda: dmlc.flip(a),
    lambda a: lambda: dmlc.copy(out, out=a),
    lambda a: lambda: pad(a, out=out),
    lambda a: lambda: dmlc.pad_sequence([a, a]),
    lambda a: lambda: dmlc.stack([out, a]),
    lambda a: lambda: dmlc.collate([out[:-1], a]),
    lambda a: lambda: dmlc.stack([out[: SIZE // 2], out[SIZE // 2 :]], out=a.reshape(2, -1)),
    lambda a: lambda: dmlc.roll(a, 1),
):
    for _ in range(MOST):
        array = np.zeros(SIZE, np.uint8)
        if resizes(array, make(array)):
            break
    else:
        raise AssertionError("never refused")
"""
    )


def test_names_run_no_code() -> None:
    """A string's own comparison might change the rows after they were looked at."""
    program = """
import numpy as np
import dmlc

class Name(str):
    __hash__ = str.__hash__

    def __eq__(self, other):
        rows[0].resize(9, refcheck=False)
        return str.__eq__(self, other)

for side in ("left", "right"):
    rows = [np.ones(3), np.ones(2)]
    name = Name(side)
    try:
        result = dmlc.pad_sequence(rows, side=name)
    except ValueError as error:
        assert "must stay as it is" in str(error) or "side must be" in str(error), error
    else:
        assert result.shape == (2, max(map(len, rows))), (result.shape, side)
for wrong in (np.array(["left", "right"]), None, 1):
    for call in (lambda: dmlc.pad_sequence([np.ones(2)], side=wrong), lambda: dmlc.one_hot([1], 3, negative=wrong)):
        try:
            call()
        except ValueError as error:
            assert "must be 'right' or 'left'" in str(error) or "must be 'wrap', 'off' or 'error'" in str(error), error
        else:
            raise AssertionError(wrong)
"""
    run_python(program)


def test_overridden_attributes_are_not_believed() -> None:
    run_python(
        """
import numpy as np
import dmlc


class Liar(np.ndarray):
    shape = property(lambda self: (1 << 20, 1 << 20))
    strides = property(lambda self: (1, 1))
    ndim = property(lambda self: 5)
    size = property(lambda self: 1 << 40)
    dtype = property(lambda self: np.dtype("f8"))
    flags = property(lambda self: None)
    __array_interface__ = property(lambda self: {})

    def __getitem__(self, key):
        raise AssertionError("asked")

    def __array_function__(self, *arguments):
        raise AssertionError("asked")

    def view(self, *arguments):
        raise AssertionError("asked")


plain = np.arange(12, dtype="f4").reshape(3, 4)
for name, call in {
    "pad": lambda a, out: dmlc.pad(a, 0, "edge", out=out),
    "copy": lambda a, out: dmlc.copy(a, out=out),
    "flip": lambda a, out: dmlc.flip(a, out=out),
    "slice": lambda a, out: dmlc.slice(a, (0, 0), (3, 4), (1, 1), out=out),
    "tril": lambda a, out: dmlc.tril(a, out=out),
    "fill_band": lambda a, out: dmlc.fill_band(a, 0, 1, 7, out=out),
}.items():
    expected = call(plain, None)
    result = call(plain.view(Liar), None)
    assert type(result) is np.ndarray and np.array_equal(result, expected), name
    memory = np.zeros((3, 4), "f4")
    out = memory.view(Liar)
    assert call(plain, out) is out and np.array_equal(memory, expected), name
    memory[...] = plain
    assert call(out, out) is out and np.array_equal(memory, expected), name
"""
    )


def test_sizes_that_change_between_two_looks() -> None:
    run_python(
        """
import numpy as np
import dmlc


class Changing(int):
    looks = 0

    def __index__(self):
        Changing.looks += 1
        return 1 << 20 if Changing.looks % 2 else 1

    __int__ = __index__


array = np.arange(16, dtype="f4").reshape(4, 4)
for call in (
    lambda: dmlc.pad(array, {0: (Changing(1), 1)}),
    lambda: dmlc.slice(array, (Changing(0), 0), (4, 4), (1, 1)),
    lambda: dmlc.slice(array, (0, 0), (4, 4), (1, 1), output_sizes=(Changing(4), 4)),
    lambda: dmlc.flip(array, Changing(0)),
    lambda: dmlc.tril(array, Changing(0)),
    lambda: dmlc.one_hot([0, 1], Changing(2)),
    lambda: dmlc.eye(Changing(2), 3),
    lambda: dmlc.diagonal_matrix((Changing(2), 2)),
    lambda: dmlc.pad_sequence([array], multiple_of=Changing(2)),
):
    try:
        result = call()
    except (ValueError, MemoryError):
        continue
    result.tobytes()
"""
    )
