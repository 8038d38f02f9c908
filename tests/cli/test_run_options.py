"""What ``dmlc run`` does beyond one plain model: levels, checks, comparisons, folders, JSON."""

from __future__ import annotations

import io
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dmlc.cli import main, terminal
from models import edge_padding, padding_model, tensor


class Command:
    """``dmlc run`` in a folder of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys

    def write(self, name: str, model: Any) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(model))
        return name

    def __call__(self, *arguments: str) -> tuple[int, list[str], list[str]]:
        code = main(["run", *arguments])
        printed = self.capsys.readouterr()
        return code, printed.out.splitlines(), printed.err.splitlines()

    def json(self, *arguments: str) -> tuple[int, Any]:
        code = main(["run", "--json", *arguments])
        printed = self.capsys.readouterr()
        assert printed.err == ""
        return code, json.loads(printed.out)


@pytest.fixture
def command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, capsys)


# DxDispatch's command line


def test_the_model_may_be_an_option(command: Command) -> None:
    command.write("m.json", padding_model())
    for option in ("-m", "--model"):
        code, lines, errors = command(option, "m.json")
        assert (code, errors) == (0, [])
        assert lines[0] == "Running on 'CPU'"
        assert lines[-1] == "Resource 'out': 1, 1, 2, 3, 3"
    code, lines, errors = command()
    assert (code, lines) == (2, [])
    assert errors == ["dmlc run: name a model file or a folder of them, see dmlc run --help"]


def test_a_model_is_looked_up_in_the_input_path_too(command: Command) -> None:
    command.write("models/m.json", padding_model())
    assert command("m.json")[0] == 2
    code, lines, errors = command("m.json", "--input_path", "models")
    assert (code, errors) == (0, [])
    assert lines[-1] == "Resource 'out': 1, 1, 2, 3, 3"


def test_commands_are_printed(command: Command) -> None:
    model = padding_model()
    write = {"type": "writeFile", "resource": "out", "targetPath": "m.json/x.bin", "é\x1b": [1.5]}
    model["commands"] = [*model["commands"], write, model["commands"][1]]
    command.write("m.json", model)
    code, lines, errors = command("m.json", "--print_commands")
    assert (code, len(errors)) == (2, 1)
    problem = errors[0].removeprefix("m.json: ")
    assert problem.startswith('commands[2].targetPath: cannot write "m.json/x.bin": ')
    assert lines[1].startswith('[StartCmd][0000]\t: {"type":"dispatch","dispatchable":"pad",')
    assert lines[3:8] == [
        "[EndCmd][0000]\t: hr=0x00000000",
        "",
        '[StartCmd][0001]\t: {"type":"print","resource":"out"}',
        "Resource 'out': 1, 1, 2, 3, 3",
        "[EndCmd][0001]\t: hr=0x00000000",
    ]
    assert lines[9] == (
        '[StartCmd][0002]\t: {"type":"writeFile","resource":"out","targetPath":"m.json/x.bin",'
        '"é\\u001b":[1.5]}'
    )
    assert lines[10] == f"[EndCmd][0002]\t: hr=0x80004005 {problem}"
    # The commands behind it run all the same.
    assert lines[13:15] == ["Resource 'out': 1, 1, 2, 3, 3", "[EndCmd][0003]\t: hr=0x00000000"]


def test_an_interval_is_waited_between_iterations(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    command.write("m.json", padding_model())
    assert command("m.json", "-i", "3", "-I", "100000")[0] == 0
    assert len(waits) == 2
    assert all(90 < wait <= 100 for wait in waits)
    waits.clear()
    assert command("m.json", "-i", "3")[0] == 0
    assert waits == []


@pytest.mark.parametrize(
    "options", [["-I", "-1"], ["-I", "inf"], ["--ulp", "-1"], ["--feature-level", "5"]]
)
def test_wrong_options(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", "m.json", *options])
    assert caught.value.code == 2
    assert "error: argument" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--feature-level", "--dml_feature_level"])
@pytest.mark.parametrize("form", ["{}", "LEVEL_{}", "DML_FEATURE_LEVEL_{}", "dml_feature_level_{}"])
def test_feature_levels(command: Command, option: str, form: str) -> None:
    command.write("m.json", padding_model())
    assert command("m.json", option, form.format("3_1"))[0] == 0
    assert command("m.json", option, form.format("3.1"))[0] == 0
    code, lines, errors = command("m.json", option, form.format("2_1"))
    assert (code, lines) == (2, ["Running on 'CPU'"])
    place = "m.json: dispatchables.pad.desc.InputTensor.Sizes"
    assert errors == [f"{place}: 1 dimension needs feature level 3_1, got 2_1"]


# Deferred resources


def deferred_model() -> dict[str, Any]:
    model = padding_model()
    model["resources"]["out"] = {"initialValues": "deferred"}
    return model


def test_a_deferred_resource_is_the_output_that_it_is_bound_to(command: Command) -> None:
    model = deferred_model()
    model["resources"]["again"] = {"initialValues": "deferred"}
    model["dispatchables"]["more"] = edge_padding(
        InputTensor=tensor(5), OutputTensor=tensor(7, Strides=[2])
    )
    bindings = {"InputTensor": "out", "OutputTensor": [{"name": "again"}]}
    model["commands"] += [
        {"type": "dispatch", "dispatchable": "more", "bindings": bindings},
        {"type": "print", "resource": "again"},
        {"type": "writeFile", "resource": "again", "targetPath": "again.npy"},
        {"type": "writeFile", "resource": "again", "targetPath": "again.dat"},
        # Written again by a smaller output, it is new memory.
        {**model["commands"][0], "bindings": {"InputTensor": "in", "OutputTensor": "again"}},
        {"type": "print", "resource": "again", "verbose": True},
    ]
    command.write("m.json", model)
    code, lines, errors = command("m.json")
    assert (code, errors) == (0, [])
    resources = [line for line in lines if line.startswith("Resource")]
    assert resources[:2] == [
        "Resource 'out': 1, 1, 2, 3, 3",
        "Resource 'again': 1, 1, 1, 2, 3, 3, 3",
    ]
    assert lines[-1] == "[4] 3 (0x40400000)"
    assert np.load("again.npy").tolist() == [1, 1, 1, 2, 3, 3, 3]
    assert np.fromfile("again.dat", np.float32).tolist() == [1, 0, 1, 0, 1, 0, 2, 0, 3, 0, 3, 0, 3]


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        (
            [{"type": "print", "resource": "out"}],
            (
                'commands[0]: resource "out" is deferred, and no dispatch before this command '
                "writes it"
            ),
        ),
        (
            [
                {
                    "type": "dispatch",
                    "dispatchable": "pad",
                    "bindings": {"InputTensor": "out", "OutputTensor": "in"},
                }
            ],
            (
                'commands[0].bindings.InputTensor: resource "out" is deferred, and no dispatch '
                "before this one writes it"
            ),
        ),
        (
            [
                {
                    "type": "dispatch",
                    "dispatchable": "pad",
                    "bindings": {
                        "InputTensor": "in",
                        "OutputTensor": {"name": "out", "elementOffset": 1},
                    },
                }
            ],
            'commands[0].bindings.OutputTensor: must be a whole resource, "out" is deferred',
        ),
        (
            [
                {
                    "type": "dispatch",
                    "dispatchable": "pad",
                    "bindings": {"InputTensor": "in", "OutputTensor": "out"},
                },
                {
                    "type": "dispatch",
                    "dispatchable": "large",
                    "bindings": {"InputTensor": "out", "OutputTensor": "out"},
                },
            ],
            (
                'commands[1].bindings.InputTensor: InputTensor takes 24 bytes, resource "out" has '
                "20 from byte 0"
            ),
        ),
    ],
)
def test_deferred_resources_that_are_not_there(
    command: Command, commands: Any, message: str
) -> None:
    model = deferred_model()
    model["dispatchables"]["large"] = edge_padding(InputTensor=tensor(6), OutputTensor=tensor(8))
    model["commands"] = commands
    command.write("m.json", model)
    assert command("m.json") == (2, ["Running on 'CPU'"], [f"m.json: {message}"])


def test_a_deferred_matrix_is_filled_in_place(command: Command) -> None:
    fill = {
        "OutputTensor": tensor(2, 2),
        "ValueDataType": "FLOAT32",
        "Value": 7,
        "DiagonalFillBegin": 0,
        "DiagonalFillEnd": 1,
    }
    again = {**fill, "InputTensor": tensor(2, 2), "Value": 8, "DiagonalFillBegin": 1}
    again["DiagonalFillEnd"] = 2
    model = {
        "resources": {"m": {"initialValues": "deferred"}},
        "dispatchables": {
            "fill": {"type": "DIAGONAL_MATRIX1", "desc": fill},
            "again": {"type": "DIAGONAL_MATRIX1", "desc": again},
        },
        "commands": [
            {"type": "dispatch", "dispatchable": "fill", "bindings": {"OutputTensor": "m"}},
            {
                "type": "dispatch",
                "dispatchable": "again",
                "bindings": {"InputTensor": "m", "OutputTensor": "m"},
            },
            {"type": "print", "resource": "m"},
        ],
    }
    command.write("m.json", model)
    assert command("m.json")[1][-1] == "Resource 'm': 7, 8, 0, 7"


# --check


def test_check_lists_every_complaint_and_runs_nothing(command: Command) -> None:
    model = padding_model()
    model["resources"]["broken"] = {"initialValues": [1]}
    model["resources"]["small"] = {"initialValuesDataType": "FLOAT32", "initialValues": [1]}
    model["dispatchables"]["pad"]["desc"]["OutputTensor"] = tensor(9)
    model["dispatchables"]["pad"]["desc"]["InputTensor"]["TotalTensorSizeInBytes"] = 4
    model["dispatchables"]["right"] = edge_padding()
    model["dispatchables"]["wrong"] = edge_padding(PaddingMode="MIRROR")
    model["commands"] = [
        {"type": "writeFile", "resource": "out", "targetPath": "out.bin"},
        {"type": "print", "resource": "broken"},
        {"type": "print", "resource": "absent"},
        {"type": "dispatch", "dispatchable": "wrong", "bindings": {}},
        {
            "type": "dispatch",
            "dispatchable": "right",
            "bindings": {"InputTensor": "small", "OutputTensor": "small"},
        },
    ]
    command.write("m.json", model)
    code, lines, errors = command("m.json", "--check")
    assert (code, errors) == (2, [])
    desc = "dispatchables.pad.desc"
    assert lines == [
        "m.json: resources.broken.initialValues[0]: must be an object, got 1",
        (
            "m.json: dispatchables.wrong.desc.PaddingMode: must be CONSTANT, EDGE, REFLECTION, "
            'SYMMETRIC or WRAP (or DML_PADDING_MODE_...), got "MIRROR"'
        ),
        'm.json: commands[2].resource: must be the name of a resource, got "absent"',
        (
            f"m.json: {desc}.InputTensor.TotalTensorSizeInBytes: must be at least the minimum "
            "implied size 12, got 4"
        ),
        f"m.json: {desc}.OutputTensor.Sizes[0]: must be input size + start + end = 3 + 1 + 1 = 5, got 9",
        (
            "m.json: commands[4].bindings.InputTensor: InputTensor takes 12 bytes, resource "
            '"small" has 4 from byte 0'
        ),
        (
            "m.json: commands[4].bindings.OutputTensor: OutputTensor takes 20 bytes, resource "
            '"small" has 4 from byte 0'
        ),
    ]
    assert not (command.folder / "out.bin").exists()


def test_check_lists_every_complaint_about_a_descriptor(command: Command) -> None:
    """What cannot be read of one field hides nothing of the others, and each is said once."""
    model = padding_model()
    desc = model["dispatchables"]["pad"]["desc"]
    desc |= {"Extra": 1, "PaddingMode": "EDGES", "PaddingValue": "x", "EndPadding": [-1]}
    desc["InputTensor"] = {"DataType": "FLOAT", "Sizes": [1.5], "Flags": "NO", "Extra": 2}
    del desc["OutputTensor"]["Sizes"]
    model["dispatchables"]["pad1"] = {
        "type": "PADDING1",
        "desc": desc | {"PaddingValueDataType": "FLOAT", "PaddingMode": "EDGE"},
    }
    command.write("m.json", model)
    code, lines, errors = command("m.json", "--check")
    assert (code, errors) == (2, [])
    rules = [line.removeprefix("m.json: dispatchables.").split(", got ")[0] for line in lines]
    fields = ["InputTensor", "InputTensor.DataType", "InputTensor.Sizes[0]", "InputTensor.Flags"]
    both = ["", *fields, "OutputTensor", "PaddingMode", "PaddingValue", "EndPadding[0]"]
    typed = ["", *fields, "OutputTensor", "PaddingValueDataType", "EndPadding[0]"]
    places = [
        f"{name}.desc.{field}".rstrip(".")
        for name, all in (("pad", both), ("pad1", typed))
        for field in all
    ]
    assert [
        rule.split(": ")[0] for rule in rules if not rule.startswith("m.json: commands")
    ] == places


def test_check_of_what_is_right(command: Command) -> None:
    command.write("m.json", padding_model())
    assert command("m.json", "--check") == (0, ["m.json: no complaints"], [])
    assert command("m.json", "--check", "--feature-level", "1_0")[0] == 2


def test_check_of_what_is_no_model(command: Command) -> None:
    (command.folder / "m.json").write_text("[")
    assert command("m.json", "--check") == (
        2,
        ["m.json: line 1, column 2: the file ends inside the document"],
        [],
    )


# --compare


def compare(command: Command, expected: Any, *options: str) -> tuple[int, list[str], list[str]]:
    np.save(command.folder / "e.npy", expected)
    command.write("m.json", padding_model())
    code, lines, errors = command("m.json", "--compare", "e.npy", "--resource", "out", *options)
    assert lines[:1] == ["Running on 'CPU'"]
    return code, lines[3:], errors


def test_compare_bits(command: Command) -> None:
    right = np.array([1, 1, 2, 3, 3], np.float32)
    assert compare(command, right) == (
        0,
        ["Resource 'out' equals 'e.npy': 5 elements, bit for bit"],
        [],
    )
    wrong = right.copy()
    wrong[3:] = np.nextafter(np.float32(3), np.float32(4))
    assert compare(command, wrong) == (
        1,
        [
            (
                "Resource 'out' differs from 'e.npy' at [3]: got 3.0 (0x40400000), expected "
                "3.0000002 (0x40400001); 2 of 5 elements differ"
            )
        ],
        [],
    )
    assert compare(command, wrong, "--ulp", "0")[0] == 1
    assert compare(command, wrong, "--ulp", "1") == (
        0,
        ["Resource 'out' equals 'e.npy': 5 elements, within 1 ulp"],
        [],
    )


def test_what_is_expected_is_read_before_the_run(command: Command) -> None:
    """A model that writes the file would otherwise be compared with itself."""
    model = padding_model()
    model["commands"].append({"type": "writeFile", "resource": "out", "targetPath": "e.npy"})
    command.write("m.json", model)
    np.save("e.npy", np.zeros(5, np.float32))
    code, lines, _ = command("m.json", "--compare", "e.npy", "--resource", "out")
    assert code == 1
    assert lines[-1].endswith("5 of 5 elements differ")
    assert np.load("e.npy").tolist() == [1, 1, 2, 3, 3]
    # What cannot be read is found before anything runs.
    (command.folder / "e.npy").write_text("")
    code, lines, _ = command("m.json", "--compare", "e.npy", "--resource", "out")
    assert (code, lines) == (2, ["Running on 'CPU'"])


def test_compare_other_types_and_shapes(command: Command) -> None:
    right = np.array([1, 1, 2, 3, 3], np.float32)
    assert compare(command, right.astype(np.float16)) == (
        2,
        [],
        ['m.json: resource "out" holds FLOAT32, "e.npy" holds FLOAT16'],
    )
    assert compare(command, right.reshape(5, 1))[2] == [
        'm.json: resource "out" has shape [5], "e.npy" has [5, 1]'
    ]
    assert compare(command, right[:4])[2] == [
        'm.json: resource "out" has shape [5], "e.npy" has [4]'
    ]


def test_compare_needs_a_resource_and_a_file(command: Command) -> None:
    command.write("m.json", padding_model())
    command.write("n.json", padding_model())
    np.save("e.npy", np.zeros(5, np.float32))
    both = "dmlc run: --compare and --resource need each other"
    assert command("m.json", "--compare", "e.npy") == (2, [], [both])
    assert command("m.json", "--resource", "out") == (2, [], [both])
    ulp = "dmlc run: --ulp needs --compare, or a folder of vectors"
    assert command("m.json", "--ulp", "1") == (2, [], [ulp])
    options = ["--compare", "e.npy", "--resource", "out"]
    one = "dmlc run: --compare takes one model, got 2"
    assert command("m.json", "n.json", *options) == (2, [], [one])
    nothing = "dmlc run: --check runs nothing that --compare could judge"
    assert command("m.json", "--check", *options) == (2, [], [nothing])
    assert command("m.json", "--compare", "f.npy", "--resource", "out")[2] == [
        'm.json: cannot read "f.npy": No such file or directory'
    ]
    _, lines, errors = command("m.json", "--compare", "e.npy", "--resource", "x")
    assert lines == ["Running on 'CPU'"]
    assert errors == ['m.json: has no resource "x" to compare']


# Many


def test_many_models(command: Command) -> None:
    wrong = padding_model()
    wrong["commands"].append({"type": "print", "resource": "absent"})
    command.write("b/second.json", padding_model())
    command.write("b/a/first.json", padding_model())
    command.write("b/_schema.json", {})
    command.write("b/.hidden.json", {})
    command.write("wrong.json", wrong)
    (command.folder / "b" / "folder.json").mkdir()
    code, lines, errors = command("b", "wrong.json")
    assert code == 2
    place = 'commands[2].resource: must be the name of a resource, got "absent"'
    assert errors == [f"wrong.json: {place}"]
    assert [line for line in lines if not line.startswith("Dispatch")] == [
        "Running on 'CPU'",
        f"{Path('b/second.json')}:",
        "Resource 'out': 1, 1, 2, 3, 3",
        f"{Path('b/a/first.json')}:",
        "Resource 'out': 1, 1, 2, 3, 3",
        "wrong.json:",
        "3 models: 2 passed, 1 failed",
    ]
    assert command("b", "--check") == (0, ["2 models: 2 passed"], [])


def test_a_folder_without_models(command: Command) -> None:
    (command.folder / "empty").mkdir()
    assert command("empty") == (2, [], ["empty: is a folder without a model"])


def test_a_path_that_is_too_long(command: Command) -> None:
    for path in ("x" * 300, "x" * 300 + "/m.json", "x/" * 3000):
        code, lines, errors = command(path)
        assert (code, lines) == (2, ["Running on 'CPU'"])
        assert len(errors) == 1
        assert errors[0].startswith(f"{path}: cannot read the model: ")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_for_terminals(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        command.write(f"{name}.json", padding_model())
    names = ["a.json", "b.json", "c.json"]
    assert command(*names)[2] == []
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(terminal.time, "monotonic", iter(range(100)).__next__)
    assert main(["run", *names]) == 0
    steps = shown.getvalue().split("\r")
    assert "[..............................] 0/3" in steps
    assert "[####################..........] 2/3" in steps
    # At the end nothing is left of it.
    assert steps[-1] == ""
    assert steps[-2].strip() == ""
    shown.truncate(0)
    assert main(["run", "a.json"]) == 0
    assert shown.getvalue().strip("\0") == ""


# --json


def test_json(command: Command) -> None:
    model = padding_model()
    model["resources"]["in"]["initialValues"] = ["nan", -1.5, "inf"]
    model["commands"].append({"type": "writeFile", "resource": "out", "targetPath": "\x1b.bin"})
    command.write("m.json", model)
    code, document = command.json("m.json", "-i", "3", "--feature-level", "6_2")
    assert code == 0
    assert document["adapter"] == "CPU"
    assert document["summary"] == {"passed": 1, "differs": 0, "failed": 0}
    (report,) = document["models"]
    assert report["model"] == "m.json"
    assert report["status"] == "passed"
    assert report["featureLevel"] == "6_2"
    assert report["errors"] == []
    initialize, dispatch, shown, written = report["events"]
    assert initialize["event"] == "initialize"
    assert dispatch["dispatchable"] == "pad"
    assert len(dispatch["milliseconds"]) == 3
    assert dispatch["median"] in dispatch["milliseconds"][1:]
    (values,) = shown["values"]
    assert values["dataType"] == "FLOAT32"
    assert values["values"] == ["nan", "nan", -1.5, "inf", "inf"]
    assert values["bits"][2] == "0xBFC00000"
    assert written == {"event": "writeFile", "resource": "out", "targetPath": "\x1b.bin"}


def test_json_of_a_difference_and_of_an_error(command: Command) -> None:
    command.write("m.json", padding_model())
    np.save("e.npy", np.array([1, 1, 2, 3, np.nan], np.float32))
    code, document = command.json("m.json", "--compare", "e.npy", "--resource", "out")
    assert code == 1
    (report,) = document["models"]
    assert report["status"] == "differs"
    assert report["comparison"] == {
        "resource": "out",
        "expected": "e.npy",
        "elements": 5,
        "differing": 1,
        "ulp": None,
        "first": {
            "coordinates": [4],
            "got": {"value": 3.0, "bits": "0x40400000"},
            "expected": {"value": "nan", "bits": "0x7FC00000"},
        },
    }
    code, document = command.json("absent.json")
    assert code == 2
    problem = "cannot read the model: No such file or directory"
    assert document["models"][0]["errors"] == [{"place": "", "problem": problem}]


def test_json_is_ascii_that_no_terminal_obeys(command: Command, capsys: Any) -> None:
    command.write("m.json", {"resources": {"\x9b2J\u202e": 3}})
    assert main(["run", "--json", "m.json"]) == 2
    assert capsys.readouterr().out.isascii()
