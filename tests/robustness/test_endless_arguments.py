"""Iterators and sequences without end, in place of every argument: refused, with neither time nor memory lost.

Each program has little memory: one that reads on ends with MemoryError, or takes too long, which fails as well.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections import UserList, deque

import numpy as np
import pytest

import dmlc
from robustness.processes import run_python

needs_limits = pytest.mark.skipif(
    sys.platform == "win32" or "libasan" in os.environ.get("LD_PRELOAD", ""),
    reason="a process' memory is limited by POSIX alone, and the sanitizer takes terabytes of addresses",
)

# What goes on for ever, each of another kind, around an entry.
ENDLESS = """
import itertools, resource
import numpy as np
import dmlc

resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))

class Entries:
    def __init__(self, entry): self.entry = entry
    def __getitem__(self, place): return self.entry

class Iterable:
    def __init__(self, entry): self.entry = entry
    def __iter__(self): return itertools.repeat(self.entry)

class Claim(Entries):
    def __len__(self): return 2

class Endless(list):
    def __iter__(self): return itertools.repeat(self[0])

def endless(entry):
    yield itertools.repeat(entry)
    yield itertools.cycle([entry])
    yield (entry for _ in itertools.count())
    yield Entries(entry)
    yield Iterable(entry)
    yield Claim(entry)
    yield Endless([entry, entry])
"""

# Where an integer, or a number of them, is expected; and in place of arrays.
ATTEMPTS = """
pair = np.zeros((2, 2), np.int8)
row = np.zeros(3)
int8 = dmlc.TensorDataType.INT8
tensor = dmlc.BufferTensorDesc(int8, (1,))
attempts = [
    lambda e: dmlc.pad(e, 1),
    lambda e: dmlc.pad(pair, e),
    lambda e: dmlc.pad(pair, [e, e]),
    lambda e: dmlc.pad(pair, [[e, 1], [1, 1]]),
    lambda e: dmlc.pad(pair, {0: e}),
    lambda e: dmlc.pad(pair, 1, constant_values=e),
    lambda e: dmlc.pad(pair, 1, constant_values=[e]),
    lambda e: dmlc.one_hot(e, 3),
    lambda e: dmlc.one_hot([1], e),
    lambda e: dmlc.one_hot([1], 3, on_value=e),
    lambda e: dmlc.slice(pair, e, (1, 1), (1, 1)),
    lambda e: dmlc.slice(pair, (0, 0), e, (1, 1)),
    lambda e: dmlc.slice(pair, (0, 0), (1, 1), e),
    lambda e: dmlc.slice(pair, (0, 0), (1, 1), (1, 1), output_sizes=e),
    lambda e: dmlc.copy(e),
    lambda e: dmlc.copy(pair, out=e),
    lambda e: dmlc.flip(e),
    lambda e: dmlc.flip(pair, e),
    lambda e: dmlc.eye(e),
    lambda e: dmlc.tri(e),
    lambda e: dmlc.tril(e),
    lambda e: dmlc.triu(pair, e),
    lambda e: dmlc.diagonal_matrix(e),
    lambda e: dmlc.diagonal_matrix((2, 2), value=e),
    lambda e: dmlc.fill_band(e, 0, 1, 1),
    lambda e: dmlc.fill_band(pair, 0, 1, e),
    lambda e: dmlc.causal_mask(e),
    lambda e: dmlc.pad_sequence(e),
    lambda e: dmlc.pad_sequence([row, e]),
    lambda e: dmlc.pad_sequence([row], value=e),
    lambda e: dmlc.pad_sequence([row], multiple_of=e),
    lambda e: dmlc.stack(e),
    lambda e: dmlc.stack([row, e]),
    lambda e: dmlc.stack([row], e),
    lambda e: dmlc.collate(e),
    lambda e: dmlc.collate([row, e]),
    lambda e: dmlc.collate([row], shape=e),
    lambda e: dmlc.collate([row], value=e),
    lambda e: dmlc.window(e, 0, 1),
    lambda e: dmlc.window(pair, e, (1, 1)),
    lambda e: dmlc.window(pair, (0, 0), e),
    lambda e: dmlc.window(pair, (0, 0), (1, 1), constant_values=e),
    lambda e: dmlc.roll(e, 1),
    lambda e: dmlc.roll(pair, e),
    lambda e: dmlc.roll(pair, [e], 0),
    lambda e: dmlc.roll(pair, e, (0, 1)),
    lambda e: dmlc.roll(pair, 1, e),
    lambda e: dmlc.frames(e, 2, 1),
    lambda e: dmlc.frames(row, e, 1),
    lambda e: dmlc.tile(e, 2),
    lambda e: dmlc.tile(pair, e),
    lambda e: dmlc.tile(pair, [e]),
    lambda e: dmlc.repeat(e, 2),
    lambda e: dmlc.repeat(pair, e),
    lambda e: dmlc.repeat(pair, [e, e], 0),
    lambda e: dmlc.repeat(pair, 2, e),
    lambda e: dmlc.BufferTensorDesc(int8, e),
    lambda e: dmlc.BufferTensorDesc(int8, (1,), e),
    lambda e: dmlc.Slice1OperatorDesc(tensor, tensor, (0,), e, (1,)),
]
for number, attempt in enumerate(attempts):
    for e in endless(0):
        try:
            attempt(e)
        except (TypeError, ValueError):
            continue
        raise AssertionError(f"attempt {number} with {type(e).__name__}: not refused")
"""

# Each entry is an array that is right.
BATCHES = """
row = np.zeros(3)
for function in (dmlc.stack, dmlc.collate, dmlc.pad_sequence):
    for arrays in (itertools.repeat(row), Entries(row), Claim(row), Endless([row, row])):
        try:
            function(arrays)
        except (TypeError, ValueError) as error:
            print(function.__name__, type(arrays).__name__, error, sep="|")
            continue
        raise AssertionError(f"{function.__name__} of {type(arrays).__name__}: not refused")
"""


@needs_limits
def test_endless_arguments_are_refused() -> None:
    run_python(ENDLESS + ATTEMPTS)


@needs_limits
def test_endless_batches_say_what_they_may_be() -> None:
    lines = run_python(ENDLESS + BATCHES).splitlines()
    said = {tuple(line.split("|")[:2]): line.split("|")[2] for line in lines}
    assert len(said) == 3 * 4
    for (function, kind), error in said.items():
        if kind in ("Claim", "Endless"):
            rule = "must end where its length says, after 2 entries, got more"
        elif function == "pad_sequence":
            rule = "must have at most 1048576 entries where it has no length, got more"
        else:
            rule = f"must be a sequence such as a list or a tuple, got {kind}"
        assert error == f"{function}: arrays {rule}"


def test_what_ends_is_read() -> None:
    rows = [np.array([1, 2]), np.array([3])]

    class NoLength(UserList[np.ndarray]):
        def __len__(self) -> int:
            raise TypeError

    wanted = [[1, 2], [3, 0]]
    for finite in (iter(rows), (row for row in rows), deque(rows), UserList(rows), NoLength(rows)):
        assert dmlc.pad_sequence(finite).tolist() == wanted
    assert dmlc.pad_sequence(itertools.repeat(rows[0], 3)).tolist() == [[1, 2]] * 3
    assert dmlc.collate(UserList(rows)).tolist() == wanted
    assert dmlc.stack(deque([rows[0]])).tolist() == [[1, 2]]
    assert dmlc.pad(deque([1, 2]), deque([1, 0])).tolist() == [0, 1, 2]
    assert dmlc.roll(UserList([1, 2, 3]), deque([1])).tolist() == [3, 1, 2]
    assert dmlc.repeat(deque([1, 2]), UserList([2, 1])).tolist() == [1, 1, 2]
