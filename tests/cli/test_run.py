"""``dmlc run``, from the command line to what is printed and written."""

from __future__ import annotations

import copy
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dmlc.cli import main
from dmlc.device import Device
from models import dispatch, floats, padding_model, show, tensor

MODELS = Path(__file__).parents[2] / "examples" / "models"
MILLISECONDS = re.compile(r"\d+\.\d{4} ms")


class Runner:
    """Writes a model beside the test's other files and runs it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys

    def __call__(self, model: Any, *options: str) -> tuple[int, list[str], list[str]]:
        path = self.folder / "model.json"
        path.write_text(model if isinstance(model, str) else json.dumps(model), encoding="utf-8")
        code = main(["run", str(path), *options])
        printed = self.capsys.readouterr()
        errors = printed.err.replace(str(path), "model.json").splitlines()
        first, *lines = MILLISECONDS.sub("T ms", printed.out).splitlines()
        assert first == "Running on 'CPU'"
        return code, lines, errors

    def printed(self, model: Any, *options: str) -> list[str]:
        code, lines, errors = self(model, *options)
        assert (code, errors) == (0, [])
        return [line for line in lines if not line.startswith("Dispatch")]

    def refused(self, model: Any) -> str:
        code, lines, errors = self(model)
        assert code == 2
        assert lines == []
        assert len(errors) == 1
        return errors[0]


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Runner:
    monkeypatch.chdir(tmp_path)
    return Runner(tmp_path, capsys)


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.json")), ids=lambda path: path.stem)
def test_example_models_print_what_stands_beside_them(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(path)]) == 0
    expected = MILLISECONDS.sub("T ms", path.with_suffix(".out").read_text(encoding="utf-8"))
    assert MILLISECONDS.sub("T ms", capsys.readouterr().out) == expected


def test_there_is_an_example_for_every_operator() -> None:
    from dmlc.descriptors.json.operators import OPERATORS

    assert sorted(path.stem.upper() for path in MODELS.glob("*.json")) == sorted(OPERATORS)


def test_commands_run_in_order_and_their_effects_last(run: Runner) -> None:
    model = padding_model()
    model["commands"] = [
        show("out"),
        dispatch("pad", InputTensor="in", OutputTensor="out"),
        # The output, from its second element on, is an input now.
        dispatch("pad", InputTensor={"name": "out", "elementOffset": 2}, OutputTensor="again"),
        show("out"),
        show("again"),
    ]
    model["resources"]["again"] = floats(5)
    code, lines, errors = run(model)
    assert (code, errors) == (0, [])
    assert lines == [
        "Resource 'out': 0, 0, 0, 0, 0",
        "Dispatch 'pad': 1 iterations, T ms median (CPU)",
        "Dispatch 'pad': 1 iterations, T ms median (CPU)",
        "Resource 'out': 1, 1, 2, 3, 3",
        "Resource 'again': 2, 2, 3, 3, 3",
    ]


def test_a_resource_is_not_bound_to_its_initializers_type(run: Runner) -> None:
    model = padding_model()
    for end in ("InputTensor", "OutputTensor"):
        model["dispatchables"]["pad"]["desc"][end]["DataType"] = "UINT8"
    model["resources"] = {
        "in": {"initialValuesDataType": "UINT32", "initialValues": [0x030201]},
        "out": {"initialValuesDataType": "UINT16", "initialValues": {"valueCount": 3, "value": 0}},
    }
    assert run.printed(model) == [f"Resource 'out': {0x0101}, {0x0302}, 3"]


def test_flat_memory_is_read_through_the_descriptors_strides(run: Runner) -> None:
    # Four bytes bound to a UINT8 tensor of four elements that are one and the same.
    model = padding_model()
    model["resources"] = {
        "in": {"initialValuesDataType": "UINT8", "initialValues": [7, 1, 2, 3]},
        "out": {"initialValuesDataType": "UINT8", "initialValues": {"valueCount": 16, "value": 9}},
    }
    model["dispatchables"]["pad"]["desc"].update(
        InputTensor=tensor(4, data_type="UINT8", Strides=[0]),
        OutputTensor=tensor(6, data_type="UINT8", Strides=[2]),
    )
    expected = ", ".join(["7, 9"] * 6 + ["9"] * 4)
    assert run.printed(model) == [f"Resource 'out': {expected}"]


def test_a_matrix_is_filled_in_place(run: Runner) -> None:
    desc = {
        "InputTensor": tensor(2, 2),
        "OutputTensor": tensor(2, 2),
        "ValueDataType": "FLOAT32",
        "Value": 0,
        "DiagonalFillBegin": 0,
        "DiagonalFillEnd": 1,
    }
    model = {
        "resources": {"m": floats(4, 5)},
        "dispatchables": {"fill": {"type": "DIAGONAL_MATRIX1", "desc": desc}},
        "commands": [dispatch("fill", InputTensor="m", OutputTensor="m"), show("m")],
    }
    assert run.printed(model) == ["Resource 'm': 0, 5, 5, 0"]


def test_buffers_of_one_dispatch_must_not_overlap(run: Runner) -> None:
    model = padding_model()
    model["commands"][0]["bindings"] = {
        "InputTensor": {"name": "out", "elementOffset": 1},
        "OutputTensor": "out",
    }
    assert run.refused(model).startswith("model.json: commands[0].bindings: ")


def test_what_directml_owns_keeps_the_values_of_the_start(run: Runner) -> None:
    model = padding_model()
    model["dispatchables"]["pad"]["desc"]["InputTensor"]["Flags"] = "OWNED_BY_DML"
    model["dispatchables"]["pad"]["bindings"] = {"InputTensor": "in"}
    model["dispatchables"]["overwrite"] = {
        "type": "DIAGONAL_MATRIX",
        "desc": {"OutputTensor": tensor(1, 3), "Offset": 0, "Value": 8},
    }
    model["commands"] = [
        dispatch("overwrite", OutputTensor="in"),
        dispatch("pad", OutputTensor="out"),
        show("in"),
        show("out"),
    ]
    assert run.printed(model) == ["Resource 'in': 8, 0, 0", "Resource 'out': 1, 1, 2, 3, 3"]


def test_printing_does_not_show_what_rounds_up_the_size(run: Runner) -> None:
    model = {
        "resources": {
            "five": {"initialValuesDataType": "FLOAT16", "initialValues": [1, 2, 3, 4, 5]},
            "sized": {
                "initialValuesDataType": "INT8",
                "initialValues": [-1],
                "sizeInBytes": 256,
            },
            "shifted": {
                "initialValuesDataType": "INT8",
                "initialValues": [1, 2, 3],
                "initialValuesOffsetInBytes": 1,
            },
            "list": {
                "initialValuesDataType": "UNKNOWN",
                "initialValues": [
                    {"type": "UINT8", "value": 6},
                    {"type": "FLOAT32", "value": 2.3},
                ],
            },
        },
        "dispatchables": {},
        "commands": [show("five"), show("sized"), show("shifted"), show("list")],
    }
    assert run.printed(model) == [
        "Resource 'five': 1, 2, 3, 4, 5",
        "Resource 'sized': -1",
        "Resource 'shifted': 0, 1, 2",
        "Resource 'list': 6, 2.3",
    ]


def test_written_files(run: Runner, tmp_path: Path) -> None:
    model = padding_model()
    model["dispatchables"]["pad"]["desc"].update(
        InputTensor=tensor(1, 3),
        OutputTensor=tensor(1, 5, Strides=[9, 2]),
        DimensionCount=2,
        StartPadding=[0, 1],
        EndPadding=[0, 1],
    )
    model["resources"]["out"] = floats(9, -1)
    model["resources"]["odd"] = {"initialValuesDataType": "INT8", "initialValues": [1, 2, 3]}
    write = {"type": "writeFile", "resource": "out"}
    model["commands"] = [
        {**write, "targetPath": "flat.npy"},
        {**write, "targetPath": "shaped.npy", "dimensions": [3, 3]},
        model["commands"][0],
        {**write, "targetPath": "new/folder/tensor.NPY"},
        {**write, "targetPath": "raw.dat"},
        {"type": "writeFile", "resource": "odd", "targetPath": "odd.npy"},
        {"type": "writeFile", "resource": "odd", "targetPath": str(tmp_path / "odd.bin")},
    ]
    lines = run.printed(model)
    assert lines == [
        "Resource 'out' written to 'flat.npy'",
        "Resource 'out' written to 'shaped.npy'",
        "Resource 'out' written to 'new/folder/tensor.NPY'",
        "Resource 'out' written to 'raw.dat'",
        "Resource 'odd' written to 'odd.npy'",
        f"Resource 'odd' written to '{tmp_path / 'odd.bin'}'",
    ]
    assert np.load(tmp_path / "flat.npy").tolist() == [-1] * 9
    assert np.load(tmp_path / "shaped.npy").tolist() == [[-1] * 3] * 3
    written = np.load(tmp_path / "new/folder/tensor.NPY")
    assert written.tolist() == [[1, 1, 2, 3, 3]]
    assert written.dtype == np.float32
    raw = np.fromfile(tmp_path / "raw.dat", np.float32)
    assert raw.tolist() == [1, -1, 1, -1, 2, -1, 3, -1, 3]
    assert np.load(tmp_path / "odd.npy").tolist() == [1, 2, 3]
    assert (tmp_path / "odd.bin").read_bytes() == b"\1\2\3"


def test_a_written_file_is_a_source(run: Runner) -> None:
    values = [1.5, "nan", "-inf"]
    model = {
        "resources": {"r": {"initialValuesDataType": "FLOAT16", "initialValues": values}},
        "dispatchables": {},
        "commands": [{"type": "writeFile", "resource": "r", "targetPath": "r.npy"}, show("r")],
    }
    first = run.printed(model)[1]
    model["resources"] = {"r": {"initialValues": {"sourcePath": "r.npy"}}}
    assert run.printed(model)[1] == first == "Resource 'r': 1.5, nan, -inf"


def test_files_that_cannot_be_written(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "file").write_text("")
    model = padding_model()
    command: dict[str, Any] = {"type": "writeFile", "resource": "out"}
    command["targetPath"] = "folder.npy"
    model["commands"] = [command]
    place = "model.json: commands[0].targetPath: cannot write"
    assert run.refused(model) == f'{place} "folder.npy": Is a directory'
    command["targetPath"] = "file/out.dat"
    assert run.refused(model).startswith(f'{place} "file/out.dat": ')
    command["targetPath"] = "\0.dat"
    assert run.refused(model).startswith(f'{place} "\\u0000.dat": ')
    command["targetPath"] = "\ud800.dat"
    assert run.refused(model).startswith(place)
    command.update(targetPath="out.npy", dimensions=[2, 2])
    assert run.refused(model) == (
        "model.json: commands[0].dimensions: must hold 5 elements, got [2, 2]"
    )
    model["resources"]["out"] = {
        "initialValues": [{"type": "INT8", "value": 1}, {"type": "INT16", "value": 1}]
    }
    assert run.refused(model) == (
        "model.json: commands[0].resource: a file of this kind holds one data type, "
        'resource "out" has a list'
    )


# Timing


def test_iterations_warm_up_and_verbosity(run: Runner) -> None:
    model = padding_model()
    model["commands"] = model["commands"][:1]
    head = "Dispatch 'pad': 4 iterations"
    code, lines, _ = run(model, "-i", "4")
    assert (code, lines) == (0, [f"{head}, T ms median (CPU)"])
    statistics = "T ms average, T ms min, T ms median, T ms max"
    detailed = [
        "Initialize 'pad': T ms",
        head,
        f"CPU Timings (Cold) : 1 samples, {statistics}",
        f"CPU Timings (Hot)  : 3 samples, {statistics}",
    ]
    assert run(model, "-i", "4", "-v", "1")[1] == detailed
    assert run(model, "-i", "4", "-v", "2", "-r", "3")[1] == [
        *detailed,
        "The timings of each iteration:",
        *(f"iteration {index}: T ms (CPU)" for index in range(4)),
    ]
    assert run(model, "-i", "4", "-v", "1", "-w", "9")[1][2:] == [
        f"CPU Timings (Cold) : 3 samples, {statistics}",
        f"CPU Timings (Hot)  : 1 samples, {statistics}",
    ]
    assert run(model, "-i", "4", "-v", "1", "-w", "0")[1][2:] == [
        f"CPU Timings (Hot)  : 4 samples, {statistics}",
    ]


def test_each_iteration_runs_the_repeats(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    from dmlc.adapters.dxdispatch import running

    calls = []

    class CountingDevice(Device):
        def compile_operator(self, desc: Any) -> Any:
            operator = super().compile_operator(desc)

            def call(*inputs: Any, out: Any) -> Any:
                calls.append(desc)
                return operator(*inputs, out=out)

            return call

    monkeypatch.setattr(running, "Device", CountingDevice)
    model = padding_model()
    model["commands"] = model["commands"][:1]
    assert run(model, "-i", "4", "-r", "3")[0] == 0
    assert len(calls) == 12


def test_a_time_replaces_the_iterations(run: Runner) -> None:
    model = padding_model()
    code, lines, _ = run(model, "-i", "1", "-t", "20")
    assert code == 0
    assert int(lines[0].split()[2]) > 1
    assert run(model, "-i", "5", "-t", "0.0001")[1][0].startswith("Dispatch 'pad': 1 iterations")


@pytest.mark.parametrize(
    "options",
    [["-i", "0"], ["-r", "-1"], ["-t", "0"], ["-t", "nan"], ["-w", "-1"], ["-v", "3"], ["-i", "x"]],
)
def test_wrong_options(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", "model.json", *options])
    assert caught.value.code == 2
    assert f"argument {options[0]}/" in capsys.readouterr().err


# Wrong models


def test_the_example_of_a_message(run: Runner) -> None:
    model = padding_model()
    model["dispatchables"]["pad"]["desc"]["StartPadding"] = ["x"]
    model["commands"].insert(0, show("out"))
    assert run.refused(model) == (
        'model.json: dispatchables.pad.desc.StartPadding[0]: must be an integer, got "x"'
    )


def test_a_syntax_error_has_line_and_column(run: Runner) -> None:
    assert run.refused('{\n  "resources": {},\n  "commands" []\n}') == (
        "model.json: line 3, column 14: expecting ':' delimiter"
    )
    assert run.refused("[" * 100_000).startswith("model.json: line 1, column 1: ")


def test_descriptor_complaints_name_the_place_in_the_file(run: Runner) -> None:
    model = padding_model()
    model["commands"].insert(0, show("out"))
    desc = model["dispatchables"]["pad"]["desc"]

    desc["OutputTensor"]["Sizes"] = [6]
    complaint = run.refused(model)
    assert complaint.startswith("model.json: dispatchables.pad.desc.OutputTensor.Sizes[0]: must be")
    assert complaint.endswith("3 + 1 + 1 = 5, got 6")

    desc["OutputTensor"] = {"Type": "BUFFER", "Desc": desc["OutputTensor"]}
    place = "model.json: dispatchables.pad.desc.OutputTensor.Desc.Sizes[0]: "
    assert run.refused(model).startswith(place)

    desc["OutputTensor"] = tensor(5, TotalTensorSizeInBytes=8)
    place = "model.json: dispatchables.pad.desc.OutputTensor.TotalTensorSizeInBytes: "
    assert run.refused(model).startswith(place)

    model["dispatchables"]["pad"] = {
        "type": "PADDING",
        **desc,
        "OutputTensor": tensor(5, Strides=[0]),
    }
    place = "model.json: dispatchables.pad.OutputTensor.Strides"
    assert run.refused(model).startswith(place)


def test_of_several_complaints_the_first_field_has_its_say(run: Runner) -> None:
    model = padding_model()
    desc = model["dispatchables"]["pad"]["desc"]
    desc["InputTensor"]["TotalTensorSizeInBytes"] = 4
    desc["OutputTensor"]["DataType"] = "FLOAT16"
    assert run.refused(model) == (
        "model.json: dispatchables.pad.desc.InputTensor.TotalTensorSizeInBytes: "
        "must be at least the minimum implied size 12, got 4"
    )


def test_a_tensor_must_fit_what_it_is_bound_to(run: Runner) -> None:
    model = padding_model()
    model["resources"]["out"] = floats(4)
    model["commands"].insert(0, show("out"))
    assert run.refused(model) == (
        "model.json: commands[1].bindings.OutputTensor: OutputTensor takes 20 bytes, "
        'resource "out" has 16 from byte 0'
    )
    model["resources"]["out"] = floats(5)
    model["commands"][1]["bindings"]["InputTensor"] = {"name": "in", "elementOffset": 1}
    assert run.refused(model) == (
        "model.json: commands[1].bindings.InputTensor: InputTensor takes 12 bytes, "
        'resource "in" has 8 from byte 4'
    )
    model["dispatchables"]["pad"]["bindings"] = {"InputTensor": {"name": "in", "elementCount": 2}}
    assert run.refused(model) == (
        "model.json: dispatchables.pad.bindings.InputTensor: InputTensor takes 12 bytes, "
        'resource "in" has 8 from byte 0'
    )


def test_a_size_that_no_memory_holds(run: Runner) -> None:
    model = padding_model()
    model["resources"]["out"]["sizeInBytes"] = 2**63
    assert run.refused(model) == (
        f"model.json: resources.out: {2**63} bytes are more than memory can hold"
    )


def test_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "no/such/model.json"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "Running on 'CPU'\n"
    assert printed.err == ("no/such/model.json: cannot read the model: No such file or directory\n")


def test_names_that_the_terminal_cannot_show_are_escaped(run: Runner) -> None:
    model = padding_model()
    model["resources"]["\ud800"] = model["resources"].pop("in")
    model["commands"] = [show("\ud800")]
    assert run.printed(model) == ["Resource '\\ud800': 1, 2, 3"]


# Random files: an exit code and at most one message, whatever the file holds.


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything inside a JSON value."""
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    return [path] + [place for key, inner in items for place in _places(inner, (*path, key))]


def _whole_model() -> dict[str, Any]:
    model = padding_model()
    model["resources"]["bytes"] = {
        "initialValues": [{"type": "UINT8", "value": 3}],
        "sizeInBytes": 64,
        "initialValuesOffsetInBytes": 4,
    }
    model["resources"]["ramp"] = {
        "initialValuesDataType": "INT16",
        "initialValues": {"valueCount": 5, "valueStart": 1, "valueDelta": 2},
    }
    model["dispatchables"]["fill"] = {
        "type": "DML_OPERATOR_DIAGONAL_MATRIX1",
        "Desc": {
            "InputTensor": {"Type": "BUFFER", "Desc": tensor(1, 5, Strides=[5, 1], Flags=["NONE"])},
            "OutputTensor": tensor(1, 5),
            "ValueDataType": "FLOAT32",
            "Value": {"Float32": 1},
            "DiagonalFillBegin": -1,
            "DiagonalFillEnd": 1,
        },
    }
    model["resources"]["later"] = {"initialValues": "deferred"}
    model["commands"] += [
        dispatch("fill", InputTensor=[{"name": "out", "elementOffset": 0}], OutputTensor="out"),
        dispatch("pad", InputTensor="in", OutputTensor="later"),
        dispatch("fill", InputTensor="later", OutputTensor={"name": "later"}),
        show("later"),
        {"type": "writeFile", "resource": "later", "targetPath": "later.dat"},
        {"type": "print", "resource": "ramp", "verbose": True},
        {"type": "writeFile", "resource": "out", "targetPath": "out.npy", "dimensions": [5]},
    ]
    return model


WHOLE_MODEL = _whole_model()
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 70)
    | st.sampled_from([2**31, -(2**31), 2**32 - 1, 2**32, 2**63, 2**64])
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["in", "out", "FLOAT16", "UINT8", "UNKNOWN", "nan", "CONSTANT", "PADDING1"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)


def _small(value: Any) -> bool:
    """Whether a count is one that a test can allocate."""
    return isinstance(value, bool) or not isinstance(value, int) or abs(value) < 1000


def changed_model(data: st.DataObject) -> Any:
    model = copy.deepcopy(WHOLE_MODEL)
    for _ in range(data.draw(st.integers(1, 2))):
        *path, last = data.draw(st.sampled_from(_places(model)[1:]))
        holder = model
        for step in path:
            holder = holder[step]
        change = data.draw(st.sampled_from(["replace", "remove", "add"]))
        if change == "remove":
            del holder[last]
        elif change == "replace":
            holder[last] = data.draw(VALUES)
            if last in ("valueCount", "sizeInBytes", "initialValuesOffsetInBytes"):
                holder[last] = holder[last] if _small(holder[last]) else 10
        elif isinstance(holder, dict):
            holder[data.draw(st.text(max_size=3))] = data.draw(VALUES)
    return model


def judge_ends(ran: int, errors: list[str], checked: int, complaints: list[str]) -> None:
    """How a model may end that ran, and was then checked alone."""
    assert (ran == 0 and errors == []) or (ran == 2 and len(errors) == 1)
    assert ran == 0 or errors[0].startswith("model.json: ")
    # What is complained about does not run; an overlap of buffers is found by running alone.
    assert checked in (0, 2)
    assert ran >= checked
    assert len(complaints) >= 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_model_with_a_random_change_never_ends_in_a_traceback(
    run: Runner, data: st.DataObject
) -> None:
    code, _, errors = run(changed_model(data))
    checked = main(["run", "--check", str(run.folder / "model.json")])
    judge_ends(code, errors, checked, run.capsys.readouterr().out.splitlines())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(VALUES.map(json.dumps), st.text(max_size=40)))
def test_a_random_text_is_refused_with_one_message(run: Runner, text: str) -> None:
    assert run.refused(text).startswith("model.json: ")


@pytest.mark.parametrize("cut", range(0, len(json.dumps(WHOLE_MODEL)), 23))
def test_a_cut_file_is_refused(run: Runner, cut: int) -> None:
    assert run.refused(json.dumps(WHOLE_MODEL)[:cut]).startswith("model.json: line 1, column ")


# Hostile texts


@pytest.mark.skipif(sys.platform == "win32", reason="file names have no control characters there")
def test_control_characters_in_names_reach_no_terminal(
    run: Runner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An escape sequence in a name could rewrite the screen or the clipboard of who runs it."""
    evil = "\x1b]0;owned\x07\n\r\x9b2J\u202e"
    model = padding_model()
    model["resources"] = {name + evil: value for name, value in model["resources"].items()}
    model["dispatchables"] = {evil: model["dispatchables"]["pad"]}
    model["commands"] = [
        dispatch(evil, InputTensor="in" + evil, OutputTensor="out" + evil),
        {**show("out" + evil), "verbose": True},
        show("out" + evil),
        {"type": "writeFile", "resource": "out" + evil, "targetPath": f"{evil}.bin"},
    ]
    code, lines, errors = run(model, "-v", "2")
    assert (code, errors) == (0, [])
    shown = "\\u001b]0;owned\\u0007\\u000a\\u000d\\u009b2J\\u202e"
    assert lines[0] == f"Initialize '{shown}': T ms"
    assert lines[1] == f"Dispatch '{shown}': 1 iterations"
    assert lines[-2] == f"Resource 'out{shown}': 1, 1, 2, 3, 3"
    assert lines[-1] == f"Resource 'out{shown}' written to '{shown}.bin'"
    assert all(line.isprintable() for line in lines)
    assert (tmp_path / f"{evil}.bin").exists()

    # What is refused, and the model's own name.
    model["commands"] = [{**show("out"), evil: 1}, show(evil)]
    path = tmp_path / f"{evil}.json"
    path.write_text(json.dumps(model))
    for wrong in (str(path), str(tmp_path / f"absent{evil}.json")):
        assert main(["run", wrong]) == 2
        printed = capsys.readouterr()
        assert printed.err.removesuffix("\n").isprintable()
        assert shown in printed.err
    path.write_text('{"resources": {"' + "\x1b[2J" + '": 1}}')
    assert main(["run", str(path)]) == 2
    assert capsys.readouterr().err.removesuffix("\n").isprintable()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a":' * 100_000, "line 1, column 1: arrays and objects are nested too deeply"),
        ("[" * 900 + "]" * 900, "must be an object, got an array"),
        ("9" * 100_000, "must be an object, got a number too large"),
        ('{"resources": {}, "commands": [], "resources": {}}', 'names "resources" twice'),
        ('{"resources": {"r": NaN}}', "resources.r: must be an object, got NaN"),
        ('{"resources": {"r": -Infinity}}', "resources.r: must be an object, got -Infinity"),
        (
            '{"resources": {"r": {"initialValues": [{"type": "INT64", "value": 1'
            + "0" * 5000
            + "}]}}}",
            "resources.r.initialValues[0].value: must be an integer, got a number too large",
        ),
    ],
)
def test_hostile_texts(run: Runner, text: str, message: str) -> None:
    assert run.refused(text) == f"model.json: {message}"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "cp037"])
def test_wrong_encodings(tmp_path: Path, capsys: Any, encoding: str) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(json.dumps(padding_model()).encode(encoding))
    assert main(["run", str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == "Running on 'CPU'\n"
    assert printed.err.startswith(f"{path}: ")
    assert printed.err.count("\n") == 1


def test_allow_outside_and_the_two_paths(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "work").mkdir()
    run.folder = tmp_path / "work"
    outside = tmp_path / "results" / "out.bin"
    model = padding_model()
    model["commands"].append(
        {"type": "writeFile", "resource": "out", "targetPath": "../results/out.bin"}
    )
    monkeypatch.chdir(tmp_path / "work")
    assert run.refused(model) == (
        "model.json: commands[2].targetPath: must be a path below the model's folder, the current "
        'one, --input_path or --output_path (--allow-outside lifts this), got "../results/out.bin"'
    )
    assert not outside.exists()
    assert run.printed(model, "--allow-outside")[-1].endswith("written to '../results/out.bin'")
    assert outside.exists()
    outside.unlink()
    model["commands"][-1]["targetPath"] = "out.bin"
    run.printed(model, "--output_path", str(tmp_path / "results"))
    assert outside.exists()
    model["resources"]["in"] = {"initialValues": {"sourcePath": "three.npy"}}
    np.save(tmp_path / "results" / "three.npy", np.array([4, 5, 6], np.float32))
    assert run.printed(model, "--input_path", str(tmp_path / "results"))[0] == (
        "Resource 'out': 4, 4, 5, 6, 6"
    )
