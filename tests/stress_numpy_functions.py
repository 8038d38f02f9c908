"""Random calls of np.roll, np.stack, np.tile and np.repeat, right and wrong: dmlc must do the same.

    python tests/stress_numpy_functions.py --cases 100000 --seed 1

So many of each. Compared are the result's dtype, shape and bits, or the class of the exception. Prints
what was run and exits with 1 at the first difference, with the call that shows it.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import dmlc
from stress_numpy_equality import Generator, main, outcome, random_array, same

# A call's arguments after the array, or after the arrays.
Arguments = tuple[Any, ...]


def pick(random: Generator, forms: list[Callable[[], Any]]) -> Any:
    return forms[random.integers(len(forms))]()


def integer(random: Generator, least: int, most: int) -> Any:
    """Of Python or of NumPy; now and then no integer at all, or one far away."""
    number = int(random.integers(least, most + 1))
    if random.random() < 0.9:
        return number
    return pick(
        random,
        [
            lambda: np.int8(number),
            lambda: np.int64(number),
            lambda: np.array(number),
            lambda: number > 0,
            lambda: number + 0.5,
            lambda: None,
            lambda: str(number),
        ],
    )


def axis_of(random: Generator, rank: int) -> Any:
    return (
        integer(random, -rank - 1, rank)
        if random.random() < 0.1
        else integer(random, -rank, rank - 1)
    )


def roll(random: Generator) -> Arguments:
    array = random_array(random)
    rank = max(array.ndim, 1)
    count = int(random.integers(0, 4))
    shifts = [integer(random, -20, 20) for _ in range(count)]
    return pick(
        random,
        [
            lambda: (array, integer(random, -50, 50)),
            lambda: (array, integer(random, -50, 50), axis_of(random, rank)),
            lambda: (array, shifts, [axis_of(random, rank) for _ in range(count)]),
            lambda: (array, tuple(shifts), tuple(axis_of(random, rank) for _ in range(count))),
            lambda: (
                array,
                integer(random, -9, 9),
                tuple(axis_of(random, rank) for _ in range(count)),
            ),
            lambda: (array, shifts, axis_of(random, rank)),
            lambda: (array, int(random.integers(-(2**62), 2**62)) * 4, axis_of(random, rank)),
        ],
    )


def stack(random: Generator) -> Arguments:
    array = random_array(random)
    arrays = [array]
    for _ in range(int(random.integers(0, 5))):
        form = random.random()
        if form < 0.05:
            arrays.append(random_array(random))
        elif form < 0.2:
            arrays.append(
                array.astype(random.choice(["u1", "i4", "f8", ">i4"]))
                if array.dtype.kind in "iuf?"
                else array
            )
        else:
            arrays.append(array[::-1] if array.ndim else array)
    if random.random() < 0.05:
        arrays = []
    given: Any = tuple(arrays) if random.random() < 0.5 else arrays
    return (given, axis_of(random, array.ndim + 1)) if random.random() < 0.8 else (given,)


def tile(random: Generator) -> Arguments:
    array = random_array(random)
    count = int(random.integers(0, 4))
    least = -1 if random.random() < 0.05 else 0
    reps = [integer(random, least, 3) for _ in range(count)]
    return pick(
        random,
        [
            lambda: (array, integer(random, least, 4)),
            lambda: (array, reps),
            lambda: (array, tuple(reps)),
            lambda: (array, np.array([least, 2, 3][:count], np.int64)),
        ],
    )


def repeat(random: Generator) -> Arguments:
    array = random_array(random)
    axis = axis_of(random, max(array.ndim, 1)) if random.random() < 0.8 else None
    least = -1 if random.random() < 0.05 else 0
    is_axis = isinstance(axis, int) and -array.ndim <= axis < array.ndim
    size = array.shape[axis] if is_axis else array.size
    if random.random() < 0.05:
        size += 1
    counts = random.integers(least, 4, size)
    return pick(
        random,
        [
            lambda: (array, integer(random, least, 5), axis),
            lambda: (array, [integer(random, least, 5)], axis),
            lambda: (array, counts, axis),
            lambda: (array, counts.tolist(), axis),
            lambda: (
                array,
                abs(counts).astype(random.choice(["i1", "u1", "u4", "f8", "u8"])),
                axis,
            ),
        ],
    )


FUNCTIONS = {"roll": roll, "stack": stack, "tile": tile, "repeat": repeat}


def is_comparable(name: str, arguments: Arguments) -> bool:
    """Errors that are by-products of how NumPy does it, and what it takes for an integer by comparing it, are left out."""
    if name == "roll":
        # A single element has nothing to be put together from.
        return arguments[0].ndim > 0 or len(arguments) == 2
    if name == "tile":
        # Of two mistakes NumPy names the first that it comes to; what equals 1 it does not look at as an integer.
        counts = list(np.ravel(np.array(arguments[1], object)))
        wrong = [count for count in counts if not isinstance(count, int | np.integer)]
        negative = any(str(count).startswith("-") for count in counts)
        equals = any(isinstance(count, np.bool_ | str) for count in counts)
        return not (wrong and negative) and not equals
    return True


def run(cases: int, seed: int) -> Counter[str]:
    """Run so many cases of each; raises AssertionError with the call where dmlc differs."""
    random = np.random.default_rng(seed)
    counts: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, draw in FUNCTIONS.items():
            while counts[name] < cases:
                arguments = draw(random)
                if not is_comparable(name, arguments):
                    continue
                expected = outcome(lambda: getattr(np, name)(*arguments))  # noqa: B023
                actual = outcome(lambda: getattr(dmlc, name)(*arguments))  # noqa: B023
                if not same(expected, actual):
                    raise AssertionError(
                        f"case {counts[name]} of seed {seed}: {name}{arguments!r}:\n"
                        f"NumPy {expected}\ndmlc {actual}"
                    )
                counts[name] += 1
                counts["exceptions" if isinstance(expected, type) else "results"] += 1
    return counts


if __name__ == "__main__":
    sys.exit(main("Compare functions of dmlc with NumPy's at random.", run))
