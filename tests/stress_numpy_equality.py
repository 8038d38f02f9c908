"""Random np.pad calls, right and wrong, by the hundred thousand: dmlc.pad must do the same.

    python tests/stress_numpy_equality.py --cases 100000 --seed 1

Compared are the result's dtype, shape and bits, or the class of the exception. Prints what was
run and exits with 1 at the first difference, with the call that shows it.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import dmlc

Generator = np.random.Generator

MODES: list[Any] = ["constant", "edge", "reflect", "symmetric", "wrap"]
DTYPES = ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8", "c8", "c16", "?"]
DTYPES += ["M8[s]", ">i4", ">f8"]


def random_array(random: Generator) -> Any:
    """Up to four dimensions, any of the usual views, now and then empty."""
    rank = int(random.integers(0, 5))
    longest = [1, 40, 12, 6, 4][rank]
    least = 0 if random.random() < 0.05 else 1
    shape = random.integers(least, longest + 1, rank)
    dtype = np.dtype(DTYPES[random.integers(len(DTYPES))])
    steps = random.choice([1, 1, 1, 2, -1, -3], rank)
    whole = [int(n) * abs(int(step)) for n, step in zip(shape, steps, strict=True)]
    values = random.integers(0, 256, (int(np.prod(whole)), dtype.itemsize), np.uint8)
    if dtype == np.bool_:
        values &= 1
    array = values.view(dtype).reshape(whole)
    array = array[tuple(slice(None, None, int(step)) for step in steps)]
    return array.transpose(random.permutation(rank)) if random.random() < 0.3 else array


def random_width(random: Generator) -> int:
    if random.random() < 0.01:
        return -int(random.integers(1, 4))
    return int(random.integers(0, random.choice([2, 4, 9, 30])))


def random_pad_width(random: Generator, rank: int) -> Any:
    """Every form that NumPy takes, and a few that it refuses; no crops, which it lacks."""
    form = random.integers(0, 9)
    one = random_width(random)
    pair = (random_width(random), random_width(random))
    pairs = [(random_width(random), random_width(random)) for _ in range(rank)]
    if rank >= 3 and form >= 5:
        pairs = [(min(b, 4), min(a, 4)) for b, a in pairs]
    forms: list[Callable[[], Any]] = [
        lambda: min(one, 5),
        lambda: (min(one, 5),),
        lambda: tuple(min(n, 5) for n in pair),
        lambda: (tuple(min(n, 5) for n in pair),),
        lambda: np.array(min(one, 5), random.choice(["i1", "i4", "i8"])),
        lambda: pairs,
        lambda: np.array(pairs, "i4").reshape(-1, 2),
        lambda: {int(random.integers(-rank, rank)): pair for _ in range(2)} if rank else 1,
        lambda: random.choice(
            np.array([1.5, "2", None, 2.0, ((1, 2),) * (rank + 2)], object)  # refused
        ),
    ]
    return forms[form]()


def random_constants(random: Generator, array: Any) -> dict[str, Any]:
    if random.random() < 0.5 or array.dtype.kind in "M?":
        return {}
    values: Any
    if array.dtype.kind in "iu":
        values = random.integers(0, 100, (array.ndim, 2))
    else:
        values = random.normal(size=(array.ndim, 2))
    forms = [7, values.tolist(), values, (1, 2), ((3, 4),), 2.75]
    return {"constant_values": forms[random.integers(len(forms))]}


def outcome(call: Callable[[], Any]) -> Any:
    try:
        result = call()
    except Exception as error:
        return type(error)
    return result.dtype, result.shape, result.tobytes()


def same(expected: Any, actual: Any) -> bool:
    if isinstance(expected, type) and isinstance(actual, type):
        return issubclass(actual, expected)
    return bool(expected == actual)


def is_comparable(pad_width: Any) -> bool:
    """Negative widths are an error of NumPy's and a feature of dmlc's.

    Of no widths at all, given as integers, NumPy's error is a by-product of taking their minimum.
    """
    values = list(pad_width.values()) if isinstance(pad_width, dict) else pad_width
    numbers = np.asarray(values)
    return numbers.dtype.kind != "i" or (numbers.size > 0 and int(numbers.min()) >= 0)


def run(cases: int, seed: int) -> Counter[str]:
    """Run the cases; raises AssertionError with the call where dmlc differs."""
    random = np.random.default_rng(seed)
    counts: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while counts["cases"] < cases:
            array = random_array(random)
            mode = MODES[random.integers(len(MODES))]
            pad_width = random_pad_width(random, array.ndim)
            if not is_comparable(pad_width):
                continue
            keywords = random_constants(random, array) if mode == "constant" else {}
            expected = outcome(lambda: np.pad(array, pad_width, mode, **keywords))  # noqa: B023
            actual = outcome(lambda: dmlc.pad(array, pad_width, mode, **keywords))  # noqa: B023
            if not same(expected, actual):
                raise AssertionError(
                    f"case {counts['cases']} of seed {seed}: array of {array.dtype}, shape "
                    f"{array.shape}, strides {array.strides}; pad({pad_width!r}, {mode!r}, "
                    f"**{keywords!r}):\nNumPy {expected}\ndmlc {actual}"
                )
            counts["cases"] += 1
            counts[mode] += 1
            counts["exceptions" if isinstance(expected, type) else "results"] += 1
    return counts


def main(description: str, run: Callable[[int, int], Mapping[str, int]]) -> int:
    """Run so many cases of a seed, as the command line says; 1 at the first difference."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    begin = time.perf_counter()
    try:
        counts = run(arguments.cases, arguments.seed)
    except AssertionError as difference:
        print(difference, file=sys.stderr)
        return 1
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    print(f"all the same as NumPy {np.__version__}, in {time.perf_counter() - begin:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main("Compare dmlc.pad with numpy.pad at random.", run))
