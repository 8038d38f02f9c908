"""Fuzz the Python faces; atheris chooses the examples by what they reach: fuzz_python.py TARGET [OPTION|FOLDER...]

functions   calls of every function on any array into any memory, against the slow twins
arguments   calls of every function, descriptor and operator with arguments that no one should pass
operators   operators of descriptors that were changed behind their back or in their pickle, against the slow twins
models      `dmlc run` on texts and on changed models: 0 or 2, and one message

Options and folders are libFuzzer's.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import atheris

with atheris.instrument_imports(include=["dmlc"]):
    from cli import test_run
    from dmlc.cli import main
    from functions import test_random_calls
    from operators import test_made_operators
    from robustness import test_hostile_arguments, test_hostile_descriptors

from hypothesis import given, settings
from hypothesis import strategies as st

EXAMPLE_BYTES = 4096

# A model may ask for any memory; so much is given to it.
MODEL_BYTES = 128 << 20

Target = Callable[[bytes], Any]


def inner(test: Any) -> Any:
    """A property test without what draws its examples."""
    return test.hypothesis.inner_test


def fuzz(test: Any) -> Target:
    """What a property test does with the bytes that its examples are drawn from.

    An example needs more bytes than the fuzzer begins with, and is dropped where they end: random
    ones follow.
    """
    one_input: Target = settings(database=None)(test).hypothesis.fuzz_one_input
    return lambda data: one_input(data + random.Random(data).randbytes(EXAMPLE_BYTES))


@given(st.sampled_from(sorted(test_hostile_arguments.SIGNATURES)), st.data())
def hostile_arguments(name: str, data: st.DataObject) -> None:
    inner(test_hostile_arguments.test_hostile_arguments)(name, data)


@given(st.sampled_from(sorted(test_hostile_descriptors.FIELDS)), st.data())
def hostile_fields(name: str, data: st.DataObject) -> None:
    inner(test_hostile_descriptors.test_hostile_fields)(name, data)


@given(
    st.sampled_from(sorted(test_hostile_descriptors.OPERATORS)),
    st.lists(test_hostile_descriptors.bound, max_size=3),
    test_hostile_descriptors.bound,
)
def hostile_bindings(name: str, inputs: list[Any], out: Any) -> None:
    inner(test_hostile_descriptors.test_hostile_bindings)(name, inputs, out)


@given(st.sampled_from(sorted(test_made_operators.VALID)), st.data(), st.integers(0, 2**32 - 1))
def changed_descriptors(name: str, data: st.DataObject, seed: int) -> None:
    inner(test_made_operators.test_changed_behind_their_back)(name, data, seed)


@given(st.sampled_from(sorted(test_made_operators.VALID)), st.data(), st.integers(0, 2**32 - 1))
def changed_pickles(name: str, data: st.DataObject, seed: int) -> None:
    inner(test_made_operators.test_changed_pickles)(name, data, seed)


class MemoryOutput(io.StringIO):
    """What is printed, on a stream that has an encoding as the terminal's has."""

    encoding = "utf-8"


def run_text(text: bytes, folder: Path, *options: str) -> tuple[int, list[str], list[str]]:
    """The exit code of `dmlc run`, and the lines on both streams."""
    # Models write here and nowhere else; what the last one wrote is in nobody's way.
    shutil.rmtree(folder)
    folder.mkdir()
    os.chdir(folder)
    path = folder / "model.json"
    path.write_bytes(text)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    printed, errors = MemoryOutput(), MemoryOutput()
    resource.setrlimit(resource.RLIMIT_AS, (used + MODEL_BYTES, limits[1]))
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors):
            code = main(["run", str(path), *options])
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    told = errors.getvalue().replace(str(path), "model.json").splitlines()
    return code, printed.getvalue().splitlines(), told


def models(folder: Path) -> Target:
    def run_and_check(text: bytes) -> None:
        code, _, errors = run_text(text, folder)
        checked, complaints, _ = run_text(text, folder, "--check")
        test_run.judge_ends(code, errors, checked, complaints)

    @given(st.data())
    def changed_model(data: st.DataObject) -> None:
        run_and_check(json.dumps(test_run.changed_model(data)).encode())

    def any_text(text: bytes) -> None:
        code, _, errors = run_text(text, folder)
        assert (code, len(errors)) in {(0, 0), (2, 1)}, (code, errors)
        assert code == 0 or errors[0].startswith("model.json: "), errors

    change = fuzz(changed_model)
    # No text begins with such a byte.
    return lambda data: change(data[1:]) if data[:1] >= b"\x80" else any_text(data)


def in_turn(targets: list[Target]) -> Target:
    return lambda data: targets[data[0] % len(targets)](data[1:]) if data else None


def main_loop() -> None:
    name = sys.argv.pop(1)
    # Models write below the current folder, so that is an empty one; folders and finds stay where
    # the caller is.
    here = Path.cwd()
    arguments = [a if a.startswith("-") else str(here / a) for a in sys.argv[1:]]
    sys.argv[1:] = [f"-artifact_prefix={here}/", *arguments]
    folder = Path(tempfile.mkdtemp())
    os.chdir(folder)
    makers: dict[str, Callable[[], Target]] = {
        "functions": lambda: fuzz(test_random_calls.test_a_call_is_its_twin),
        "arguments": lambda: in_turn(
            [fuzz(test) for test in (hostile_arguments, hostile_fields, hostile_bindings)]
        ),
        "operators": lambda: in_turn(
            [fuzz(test) for test in (changed_descriptors, changed_pickles)]
        ),
        "models": lambda: models(folder),
    }
    target = makers[name]()

    def one_input(data: bytes) -> None:
        target(data)

    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main_loop()
