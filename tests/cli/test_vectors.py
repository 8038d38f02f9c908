"""Conformance sets: what they cover, that they repeat, and that they judge."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from dmlc import Device
from dmlc.adapters.vectors import sets
from dmlc.adapters.vectors.cases import cases
from dmlc.adapters.vectors.expected import write_expected
from dmlc.cli import main
from dmlc.descriptors.json.operators import OPERATORS
from dmlc.enums import FeatureLevel, PaddingMode
from dmlc.validation import check, feature_levels


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vectors") / "set"
    assert main(["vectors", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of every tenth question and of those that are asked for by name."""
    folder = tmp_path_factory.mktemp("vectors") / "few"
    named = {"float32-edge", "rank-1", "rank-2", "rank-3", "strided-edge"}
    some = [case for i, case in enumerate(cases(0)) if i % 10 == 0 or case.name in named]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sets, "cases", lambda _: iter(some))
        assert main(["vectors", str(folder)]) == 0
    assert {case.operator for case in some} == OPERATORS.keys()
    return folder


def index(folder: Path) -> Any:
    return json.loads((folder / "index.json").read_text())


def files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def run(capsys: Any, *arguments: str) -> tuple[int, list[str], list[str]]:
    code = main(list(arguments))
    printed = capsys.readouterr()
    return code, printed.out.splitlines(), printed.err.splitlines()


# What there is


def test_every_operator_type_level_and_mode_is_asked_about() -> None:
    types, levels, ranks, modes = defaultdict(set), defaultdict(set), defaultdict(set), set()
    for case in cases(0):
        output = case.desc.output_tensor
        types[case.operator].add(output.data_type)
        levels[case.operator].add(case.feature_level)
        ranks[case.operator].add(output.dimension_count)
        if case.operator in ("PADDING", "PADDING1"):
            mode = case.desc.padding_mode  # type: ignore[union-attr]
            modes.add((case.operator, output.data_type, mode))
    tables = {
        "PADDING": feature_levels.PADDING,
        "PADDING1": feature_levels.PADDING1,
        "ONE_HOT": feature_levels.ONE_HOT_VALUES,
        "SLICE": feature_levels.SLICE,
        "SLICE1": feature_levels.SLICE1,
        "DIAGONAL_MATRIX": feature_levels.DIAGONAL_MATRIX,
        "DIAGONAL_MATRIX1": feature_levels.DIAGONAL_MATRIX1,
    }
    assert tables.keys() == OPERATORS.keys()
    for operator, table in tables.items():
        assert types[operator] == set(table.data_types)
        assert ranks[operator] == set(table.dimension_counts)
        introduced = {*table.data_types.values(), *table.dimension_counts.values()}
        assert levels[operator] >= introduced, operator
    assert {FeatureLevel.LEVEL_3_0, FeatureLevel.LEVEL_6_4} <= levels["PADDING"]
    for operator in ("PADDING", "PADDING1"):
        for data_type in feature_levels.PADDING.data_types:
            assert {(operator, data_type, mode) for mode in PaddingMode} <= modes


def test_every_index_type_is_asked_about_with_every_value_type() -> None:
    pairs = {
        (case.desc.indices_tensor.data_type, case.desc.output_tensor.data_type)  # type: ignore[union-attr]
        for case in cases(0)
        if case.operator == "ONE_HOT"
    }
    known = feature_levels.ONE_HOT_INDICES.data_types, feature_levels.ONE_HOT_VALUES.data_types
    assert pairs == {(index, value) for index in known[0] for value in known[1]}


def test_levels_are_the_lowest_and_names_are_apart() -> None:
    names = []
    for case in cases(3):
        level = case.feature_level
        assert check(case.desc, level) == []
        below = [other for other in FeatureLevel if other < level]
        assert all(check(case.desc, other) for other in below[-1:])
        names.append((case.operator, case.name))
    assert len(set(names)) == len(names)


def test_gaps_repeats_and_odd_bits_are_among_them() -> None:
    everything = list(cases(0))
    tensors = [case.desc.output_tensor for case in everything]
    assert any(
        t.strides and t.minimum_implied_size_in_bytes > t.element_count * t.data_type.itemsize + 4
        for t in tensors
    )
    inputs = [getattr(case.desc, "input_tensor", None) for case in everything]
    assert any(t and t.strides and 0 in t.strides for t in inputs)
    assert any(case.in_place for case in everything)


# Repeating


def test_the_same_seed_gives_the_same_bytes(vectors: Path, tmp_path: Path, capsys: Any) -> None:
    again, other = tmp_path / "again", tmp_path / "other"
    count = len(index(vectors)["vectors"])
    line = f"{count} vectors written to '{again}'"
    assert run(capsys, "vectors", str(again)) == (0, [line], [])
    assert files(again) == files(vectors)
    assert run(capsys, "vectors", str(other), "--seed", "1")[0] == 0
    assert files(other).keys() == files(vectors).keys()
    assert files(other) != files(vectors)
    # A set may be written over.
    assert run(capsys, "vectors", str(other))[0] == 0
    assert files(other) == files(vectors)


def test_known_bytes(vectors: Path) -> None:
    """One question in full: it is the same on every machine and in every version."""
    model = json.loads((vectors / "slice" / "rank-1.json").read_text())
    assert model["dispatchables"]["rank-1"] == KNOWN_DISPATCHABLE
    assert np.load(vectors / "slice" / "rank-1.expected.npy").view(np.uint32).tolist() == KNOWN_BITS


KNOWN_DISPATCHABLE = {
    "type": "DML_OPERATOR_SLICE",
    "desc": {
        "InputTensor": {"DataType": "FLOAT32", "Sizes": [5]},
        "OutputTensor": {"DataType": "FLOAT32", "Sizes": [2]},
        "DimensionCount": 1,
        "Offsets": [0],
        "Sizes": [2],
        "Strides": [3],
    },
}
KNOWN_BITS = [0x3ED1AD47, 0x7D971E09]


def test_a_set_that_was_interrupted_may_be_written_again(
    tmp_path: Path, vectors: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "set"
    with monkeypatch.context() as patched:
        patched.setattr(sets, "write_expected", interrupt)
        assert run(capsys, "vectors", str(folder))[0] == 130
    code, _, errors = run(capsys, "run", str(folder))
    assert code == 2
    assert len(errors) == 1
    assert run(capsys, "vectors", str(folder))[0] == 0
    assert files(folder) == files(vectors)


# Judging


def test_expected_outputs_owe_nothing_to_the_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vectors: Path
) -> None:
    def fail(*_: Any) -> None:
        raise AssertionError("a kernel was asked")

    monkeypatch.setattr(Device, "compile_operator", fail)
    assert main(["vectors", str(tmp_path / "set")]) == 0
    assert files(tmp_path / "set") == files(vectors)


@pytest.mark.parametrize("seed", range(1, 2 + settings().max_examples // 100))
def test_dmlc_conforms(tmp_path: Path, capsys: Any, seed: int) -> None:
    folder = str(tmp_path / "set")
    run(capsys, "vectors", folder, "--seed", str(seed))
    code, lines, errors = run(capsys, "run", folder)
    count = len(index(tmp_path / "set")["vectors"])
    assert (code, errors) == (0, [])
    assert lines == ["Running on 'CPU'", f"{count} models: {count} passed"]


def test_running_a_set_writes_nothing_unless_asked(
    few: Path, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = files(few)
    assert run(capsys, "run", str(few))[0] == 0
    assert files(few) == before
    assert files(tmp_path) == {}
    assert run(capsys, "run", str(few), "--output_path", "results")[0] == 0
    outputs = {vector["output"] for vector in index(few)["vectors"]}
    assert files(tmp_path / "results").keys() == {str(Path(output)) for output in outputs}
    # And what was written is judged to be right.
    count = len(outputs)
    assert run(capsys, "vectors", str(few), "--judge", "results") == (
        0,
        [f"{count} vectors: {count} passed"],
        [],
    )


def test_a_set_inside_a_folder_is_verified_too(
    few: Path, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(few, tmp_path / "a" / "set")
    (tmp_path / "a" / "z.json").write_text(
        """{ "resources": { "r": { "initialValuesDataType": "INT8", "initialValues": [3] } },
        "dispatchables": {}, "commands": [ { "type": "print", "resource": "r" } ] }"""
    )
    before = files(tmp_path)
    code, lines, errors = run(capsys, "run", "a")
    count = len(index(few)["vectors"]) + 1
    assert (code, errors) == (0, [])
    assert lines == [
        "Running on 'CPU'",
        f"{Path('a/z.json')}:",
        "Resource 'r': 3",
        f"{count} models: {count} passed",
    ]
    assert files(tmp_path) == before


def test_a_set_is_not_compared_with_a_file(few: Path, tmp_path: Path, capsys: Any) -> None:
    np.save(tmp_path / "a.npy", np.zeros(1))
    options = ("--compare", str(tmp_path / "a.npy"), "--resource", "output")
    message = "dmlc run: --compare takes a model, got a folder of vectors"
    assert run(capsys, "run", str(few), *options) == (2, [], [message])


def spoil(path: Path) -> tuple[int, ...]:
    """Change the last element of a file by one bit."""
    array = np.load(path)
    array.reshape(-1).view(f"u{array.itemsize}")[-1] ^= 1
    np.save(path, array)
    return tuple(size - 1 for size in array.shape)


def test_what_differs_is_told(few: Path, tmp_path: Path, capsys: Any) -> None:
    shutil.copytree(few, tmp_path / "set")
    last = spoil(tmp_path / "set" / "slice1" / "rank-3.expected.npy")
    # In a buffer with gaps, that is one of the gaps or the last element.
    spoil(tmp_path / "set" / "padding" / "strided-edge.expected.npy")
    (tmp_path / "set" / "one_hot" / "rank-2.json").write_text("{")
    code, lines, errors = run(capsys, "run", str(tmp_path / "set"))
    assert code == 2
    assert len(errors) == 1
    assert "rank-2.json: line 1, column 2: " in errors[0]
    assert len(lines) == 4
    assert "strided-edge.json: Resource 'output' differs from " in lines[1]
    assert "rank-3.json: Resource 'output' differs from " in lines[2]
    assert f"at {list(last)}: got " in lines[2]
    count = len(index(few)["vectors"])
    assert lines[3] == f"{count} models: {count - 3} passed, 2 differs, 1 failed"

    (tmp_path / "set" / "one_hot" / "rank-2.json").write_bytes(
        (few / "one_hot" / "rank-2.json").read_bytes()
    )
    code, lines, errors = run(capsys, "run", "--json", str(tmp_path / "set"))
    assert (code, errors) == (1, [])
    document = json.loads("\n".join(lines))
    assert document["summary"] == {"passed": count - 2, "differs": 2, "failed": 0}


def test_what_another_implementation_writes_is_judged(
    few: Path, tmp_path: Path, capsys: Any
) -> None:
    results = tmp_path / "results"
    assert run(capsys, "run", str(few), "--output_path", str(results))[0] == 0
    last = spoil(results / "padding" / "float32-edge.output.npy")
    judge = ("vectors", str(few), "--judge", str(results))
    code, lines, errors = run(capsys, *judge)
    assert (code, errors) == (1, [])
    assert len(lines) == 2
    assert f"at {list(last)}: got " in lines[0]
    assert run(capsys, *judge, "--ulp", "1")[0] == 0
    (results / "padding" / "float32-edge.output.npy").unlink()
    code, lines, errors = run(capsys, *judge)
    assert code == 2
    assert len(errors) == 1
    assert errors[0].startswith("padding/float32-edge.output.npy: cannot read ")
    assert run(capsys, "vectors", str(few), "--judge", str(tmp_path / "absent")) == (
        2,
        [],
        [f"{tmp_path / 'absent'}: is no folder of results"],
    )


def test_levels_below_what_a_vector_needs_are_complaints(few: Path, capsys: Any) -> None:
    code, lines, errors = run(capsys, "run", str(few), "--feature-level", "1_0")
    assert code == 2
    passed = sum(vector["featureLevel"] == "1_0" for vector in index(few)["vectors"])
    assert 0 < passed
    assert lines[-1].split(": ")[1].startswith(f"{passed} passed, ")
    assert all("feature level" in error for error in errors)
    assert run(capsys, "run", str(few), "--check") == (
        0,
        [f"{len(index(few)['vectors'])} models: {len(index(few)['vectors'])} passed"],
        [],
    )


def test_the_expected_value_of_one_question_by_hand() -> None:
    """Of all that is judged here the judge itself is judged once, without the twins."""
    case = next(c for c in cases(0) if (c.operator, c.name) == ("DIAGONAL_MATRIX", "offset-1"))
    tensor = case.desc.output_tensor
    buffer = np.zeros(tensor.size_in_bytes, np.uint8)
    write_expected(case.desc, case.inputs, buffer)
    value = np.float32(case.desc.value)  # type: ignore[union-attr]
    expected = np.stack([np.eye(6, k=1, dtype=np.float32) * value] * 2)
    assert (buffer.view(np.float32).reshape(2, 6, 6) == expected).all()


# Misuse


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    code, lines, errors = run(capsys, "vectors", str(tmp_path))
    assert (code, lines) == (2, [])
    assert errors == [f"{tmp_path}: must be empty or hold a set of vectors"]
    assert files(tmp_path) == {"mine.txt": b"mine"}
    code, _, errors = run(capsys, "vectors", str(tmp_path / "mine.txt"))
    assert code == 2
    assert errors[0].startswith(f"{tmp_path / 'mine.txt'}: cannot be written: ")
    judge = run(capsys, "vectors", str(tmp_path), "--judge", str(tmp_path))
    assert judge[0] == 2
    assert judge[2][0].endswith("index.json: cannot be read: No such file or directory")
    assert run(capsys, "vectors", str(tmp_path), "--ulp", "1")[2] == [
        "dmlc vectors: --ulp needs --judge"
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "../outside.json"}, "must be a path below the folder of the index, got "),
        ({"expected": "/etc/passwd"}, "must be a path below the folder of the index, got "),
        ({"model": "padding/absent.json"}, 'finds no file "padding/absent.json"'),
        ({"model": "x" * 300}, "cannot read "),
        ({"model": "\0"}, "cannot read "),
        ({"model": 3}, "must be a string, got 3"),
        ({"featureLevel": "7_0"}, "must be one of 1_0, 2_0, "),
    ],
)
def test_an_index_is_data(
    few: Path, tmp_path: Path, capsys: Any, change: Any, message: str
) -> None:
    (tmp_path / "outside.json").write_text("{}")
    shutil.copytree(few, tmp_path / "set")
    document = index(few)
    document["vectors"] = [{**document["vectors"][0], **change}]
    (tmp_path / "set" / "index.json").write_text(json.dumps(document))
    code, lines, errors = run(capsys, "run", str(tmp_path / "set"))
    assert (code, lines) == (2, [])
    (field,) = change
    assert errors[0].startswith(f"{tmp_path / 'set' / 'index.json'}: vectors[0].{field}: {message}")
    (tmp_path / "set" / "index.json").write_text(document["format"] + "[")
    assert run(capsys, "run", str(tmp_path / "set"))[0] == 2
