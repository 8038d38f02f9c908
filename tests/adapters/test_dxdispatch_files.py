"""The files that a model names: hostile ones are refused, none is overwritten by half."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dmlc.adapters.dxdispatch import files
from dmlc.adapters.dxdispatch.parsing import load_model, parse_model
from dmlc.adapters.dxdispatch.running import run_model
from dmlc.descriptors.json.place import ModelError, quote

SOURCE_PLACE = "resources.r.initialValues.sourcePath"

needs_symbolic_links = pytest.mark.skipif(
    sys.platform == "win32", reason="making a symbolic link is a privilege there"
)
needs_fifos = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs")


def source(name: str, data_type: str = "FLOAT32") -> dict[str, Any]:
    resource = {"initialValuesDataType": data_type, "initialValues": {"sourcePath": name}}
    return {"resources": {"r": resource}, "dispatchables": {}, "commands": []}


def target(name: str, values: Any = (1, 2)) -> dict[str, Any]:
    resource = {"initialValuesDataType": "FLOAT32", "initialValues": list(values)}
    command = {"type": "writeFile", "resource": "r", "targetPath": name}
    return {"resources": {"r": resource}, "dispatchables": {}, "commands": [command]}


def refused(model: Any, folder: Path, **options: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        run_model(parse_model(json.dumps(model), folder / "model.json", **options))
    return caught.value


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The model's own folder, the current one, with another folder beside it."""
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "outside").mkdir()
    monkeypatch.chdir(inside)
    return inside


# Headers


def npy(header: str | bytes, data: bytes = bytes(12), version: tuple[int, int] = (1, 0)) -> bytes:
    text = header.encode() if isinstance(header, str) else header
    length = len(text).to_bytes(2 if version == (1, 0) else 4, "little")
    return b"\x93NUMPY" + bytes(version) + length + text + data


def header(descr: str = "'<f4'", order: str = "False", shape: str = "(3,)") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is no .npy file"),
        (b"\x93NUMP", "is no .npy file"),
        (b"PK\3\4 an archive", "is no .npy file"),
        (npy(header())[:9], "is cut off inside its header"),
        (npy(header())[:40], "is cut off inside its header"),
        (npy(header(), version=(2, 0))[:10], "is cut off inside its header"),
        (b"\x93NUMPY\2\0" + (2**31).to_bytes(4, "little"), "has a header of 2147483648 bytes"),
        (npy(header(), version=(9, 0)), "has .npy version 9.0"),
        (npy(header(shape="(4,)")), "holds 12 bytes of elements, its header says 16"),
        (npy(header(shape="(2,)")), "holds 12 bytes of elements, its header says 8"),
        (
            npy(header(shape="(1152921504606846976,)")),
            "holds 12 bytes of elements, its header says 4611686018427387904",
        ),
        (npy(header(shape="(4294967296, 4294967296)")), "holds 12 bytes of elements, its header"),
        (npy(header(shape=f"({'9' * 20}, {'9' * 20})")), "holds 12 bytes of elements, its header"),
        (npy(header(shape=f"({'9' * 5000},)")), "has a header that cannot be read"),
        (npy(header(shape="(-3,)")), "has a header that cannot be read"),
        (npy(header(shape="(True,)")), "has a header that cannot be read"),
        (npy(header(shape="(3.0,)")), "has a header that cannot be read"),
        (npy(header(shape="3")), "has a header that cannot be read"),
        (npy(header(shape="(3,")), "has a header that cannot be read"),
        (npy(header(order="0")), "has a header that cannot be read"),
        (npy("{'descr': '<f4', 'shape': (3,), }"), "has a header that cannot be read"),
        (npy("{'descr': '<f4', 'fortran_order': False, }"), "has a header that cannot be read"),
        (npy(header()[:-3] + "'shape': (3,)}"), "has a header that cannot be read"),
        (npy("{1: 2, 'shape': (3,)}"), "has a header that cannot be read"),
        (npy("(" * 5000), "has a header that cannot be read"),
        (npy("-" * 9000 + "1"), "has a header that cannot be read"),
        (npy("{'descr': " + "[" * 5000), "has a header that cannot be read"),
        (npy("  \n   {'a': \n 1}\n  x"), "has a header that cannot be read"),
        (npy(b"\0" * 100), "has a header that cannot be read"),
        (npy(b"\xff" * 100, version=(3, 0)), "has a header that cannot be read"),
        (npy(header(descr="','")), "has a header that cannot be read"),
        (npy(header(descr="'<f4,('")), "has a header that cannot be read"),
        (npy(header(descr="'f'*3")), "has a header that cannot be read"),
        (npy(header(descr="('<f4', (99999999999,))")), "has a header that cannot be read"),
        (npy(header(descr="[('a', '<f4')]")), "has a header that cannot be read"),
        (npy(header(descr="'|O'")), 'holds pickled objects ("|O"), which are never read'),
        (npy(header(descr="'O8'")), 'holds pickled objects ("O8"), which are never read'),
        (npy(header(descr="'<f3'")), 'holds elements of type "<f3", which no tensor has'),
        (npy(header(descr="'<f99'")), 'holds elements of type "<f99", which no tensor has'),
        (npy(header(descr="'|V0'")), 'holds elements of type "|V0", which no tensor has'),
        (npy(header(descr="'<U2'")), 'holds elements of type "<U2", which no tensor has'),
        (npy(header(descr="'|b1'")), 'holds elements of type "|b1", which no tensor has'),
        (npy(header(descr="'<c8'")), 'holds elements of type "<c8", which no tensor has'),
    ],
)
def test_npy_files_that_are_none(folder: Path, content: bytes, problem: str) -> None:
    (folder / "x.npy").write_bytes(content)
    error = refused(source("x.npy"), folder)
    assert error.place == SOURCE_PLACE
    assert error.problem.startswith(f'cannot read "x.npy": it {problem}')
    assert len(str(error)) < 600


@pytest.mark.parametrize(
    "text",
    [
        header(),
        header().strip() + " " * 40 + "\n",
        '{"shape": (3,), "fortran_order": True, "descr": "<f4"}',
        "{ 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 3 , ) }",
        "{'descr':'=f4','fortran_order':False,'shape':(3L,)}",
    ],
)
@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_headers_as_others_write_them(folder: Path, text: str, version: tuple[int, int]) -> None:
    values = np.array([1, 2, 3], "<f4")
    (folder / "x.npy").write_bytes(npy(text, values.tobytes(), version))
    model = parse_model(json.dumps(source("x.npy")), folder / "model.json")
    assert model.resources["r"].initial_values[0].tolist() == [1, 2, 3]


@pytest.mark.parametrize("dtype", ["<f2", ">f8", "|u1", "|i1", "<i2", ">i4", "<i8", "<u2", ">u8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_type_and_order_that_numpy_writes(folder: Path, dtype: str, order: Any) -> None:
    values = np.arange(6).astype(dtype).reshape(2, 3, order=order)
    np.save(folder / "x.npy", values)
    model = parse_model(json.dumps(source("x.npy", "UNKNOWN")), folder / "model.json")
    (read,) = model.resources["r"].initial_values
    assert read.dtype == values.dtype.newbyteorder("=")
    assert read.tolist() == values.reshape(-1).tolist()


def test_a_scalar_is_one_element(folder: Path) -> None:
    np.save(folder / "x.npy", np.float32(7))
    model = parse_model(json.dumps(source("x.npy")), folder / "model.json")
    assert model.resources["r"].initial_values[0].tolist() == [7]


# Paths


@pytest.mark.parametrize("name", ["x" * 300 + ".npy", "x" * 300 + ".dat", "x/" * 3000 + "x.npy"])
def test_paths_that_are_too_long(folder: Path, name: str) -> None:
    error = refused(source(name), folder)
    assert error.place == SOURCE_PLACE
    assert "File name too long" in error.problem or "finds no file" in error.problem
    error = refused(target(name), folder)
    assert error.place == "commands[0].targetPath"
    assert error.problem.startswith("cannot write ")
    assert len(str(error)) < 400


@pytest.mark.parametrize("name", ["\0.npy", "a\0b.bin", "\ud800.npy"])
def test_paths_that_no_file_can_have(folder: Path, name: str) -> None:
    assert refused(source(name), folder).place == SOURCE_PLACE
    assert refused(target(name), folder).place == "commands[0].targetPath"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read all")
def test_files_without_permission(folder: Path) -> None:
    (folder / "x.bin").write_bytes(bytes(4))
    (folder / "x.bin").chmod(0)
    assert "Permission denied" in refused(source("x.bin"), folder).problem
    assert "Permission denied" in refused(target("x.bin"), folder).problem
    (folder / "closed").mkdir(0)
    assert "Permission denied" in refused(source("closed/x.bin"), folder).problem


def test_a_folder_is_no_source_and_no_target(folder: Path) -> None:
    (folder / "x.npy").mkdir()
    assert refused(source("x.npy"), folder).problem == 'cannot read "x.npy": Is a directory'
    assert refused(target("x.npy"), folder).problem == 'cannot write "x.npy": Is a directory'


def outside_names(folder: Path) -> list[str]:
    names = [str(folder.parent / "outside" / "x.bin"), "../outside/x.bin", "a/../../outside/x.bin"]
    if sys.platform != "win32":
        (folder / "link.bin").symlink_to(folder.parent / "outside" / "x.bin")
        (folder / "folder").symlink_to(folder.parent / "outside")
        names += ["link.bin", "folder/x.bin", "folder/../outside/x.bin"]
    return names


def test_what_lies_outside_is_refused_by_name(folder: Path) -> None:
    (folder / "a").mkdir()
    secret = folder.parent / "outside" / "x.bin"
    secret.write_bytes(b"old!")
    for name in outside_names(folder):
        for model, place in (
            (source(name), SOURCE_PLACE),
            (target(name), "commands[0].targetPath"),
        ):
            error = refused(model, folder)
            assert error.place == place
            assert error.problem.startswith("must be a path below ")
            assert error.problem.endswith(f"(--allow-outside lifts this), got {quote(name)}")
        assert secret.read_bytes() == b"old!"
        model = parse_model(json.dumps(source(name)), folder / "model.json", allow_outside=True)
        assert model.resources["r"].initial_values[0].tobytes() == b"old!"


def test_targets_outside_may_be_allowed(folder: Path) -> None:
    for name in outside_names(folder):
        model = parse_model(json.dumps(target(name)), folder / "model.json", allow_outside=True)
        run_model(model, write=lambda line: None)
        written = folder.parent / "outside" / "x.bin"
        assert np.fromfile(written, np.float32).tolist() == [1, 2]
        written.unlink()


def test_an_outside_target_is_refused_before_anything_runs(folder: Path) -> None:
    model = target("../outside/x.bin")
    model["commands"].insert(0, {**model["commands"][0], "targetPath": "first.bin"})
    assert refused(model, folder).place == "commands[1].targetPath"
    assert not (folder / "first.bin").exists()


def test_an_outside_name_that_does_not_exist_is_refused_the_same(folder: Path) -> None:
    """What a model is told does not depend on what lies outside."""
    there, absent = folder.parent / "outside" / "x.bin", folder.parent / "outside" / "y.bin"
    there.write_bytes(bytes(4))
    problems = {
        refused(source(str(path)), folder).problem.replace("y.bin", "x.bin")
        for path in (there, absent)
    }
    assert len(problems) == 1


def test_what_stays_inside_may_be_written_in_any_way(folder: Path) -> None:
    (folder / "a").mkdir()
    names = ["x.bin", "./x.bin", "a/../x.bin", str(folder / "x.bin")]
    if sys.platform != "win32":
        (folder / "link.bin").symlink_to("x.bin")
        (folder / "here").symlink_to(folder)
        names += ["link.bin", "here/x.bin"]
    for count, name in enumerate(names):
        run_model(parse_model(json.dumps(target(name, [count])), folder / "model.json"), write=str)
        assert np.fromfile(folder / "x.bin", np.float32).tolist() == [count]
        model = parse_model(json.dumps(source(name)), folder / "model.json")
        assert model.resources["r"].initial_values[0].tolist() == [count]
    if sys.platform != "win32":
        assert (folder / "link.bin").is_symlink()


def test_named_folders_are_looked_up_first_and_are_inside(folder: Path, tmp_path: Path) -> None:
    elsewhere, results = tmp_path / "outside", tmp_path / "results"
    results.mkdir()
    (elsewhere / "x.bin").write_bytes(np.float32(1).tobytes())
    (folder / "x.bin").write_bytes(np.float32(2).tobytes())
    (folder / "y.bin").write_bytes(np.float32(3).tobytes())
    named: dict[str, Any] = {"input_path": elsewhere, "output_path": results}

    def value(name: str, **options: Any) -> float:
        model = parse_model(json.dumps(source(name)), folder / "model.json", **options)
        return float(model.resources["r"].initial_values[0][0])

    assert value("x.bin", **named) == 1
    assert value("y.bin", **named) == 3
    assert value("x.bin") == 2
    assert value("../outside/x.bin", **named) == 1
    run_model(parse_model(json.dumps(target("z.bin")), folder / "m.json", **named), write=str)
    assert (results / "z.bin").exists()
    assert not (folder / "z.bin").exists()


def test_a_models_folder_is_readable_from_elsewhere(folder: Path, tmp_path: Path) -> None:
    """The model lies outside the current folder: its own folder counts all the same."""
    other = tmp_path / "outside"
    (other / "x.bin").write_bytes(bytes(4))
    (other / "model.json").write_text(json.dumps(source("x.bin")))
    assert load_model(other / "model.json").resources["r"].size == 4
    assert load_model(Path("../outside/model.json")).resources["r"].size == 4


# What is not a file


def run_in_a_child(path: Path, cwd: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run with a time limit, for what may hang."""
    import dmlc

    paths = [str(Path(dmlc.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, "-m", "dmlc", "run", str(path), *options],
        capture_output=True,
        text=True,
        timeout=20,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        check=False,
    )


@needs_fifos
def test_a_fifo_does_not_hang(folder: Path) -> None:
    os.mkfifo(folder / "x.npy")
    os.mkfifo(folder / "m.json")
    for name, model in (("source.json", source("x.npy")), ("target.json", target("x.npy"))):
        (folder / name).write_text(json.dumps(model))
    for name in ("source.json", "target.json", "m.json"):
        result = run_in_a_child(Path(name), folder)
        assert result.returncode == 2
        assert result.stderr.rstrip().endswith("it is not a regular file"), result.stderr
        assert result.stderr.count("\n") == 1
    assert stat.S_ISFIFO((folder / "x.npy").stat().st_mode)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device")
def test_a_device_is_no_file(folder: Path) -> None:
    (folder / "x.bin").symlink_to("/dev/zero")
    for model in (source("x.bin"), target("x.bin")):
        problem = refused(model, folder, allow_outside=True).problem
        assert problem.endswith('"x.bin": it is not a regular file')
    result = run_in_a_child(Path("/dev/zero"), folder)
    assert result.returncode == 2
    assert result.stderr == "/dev/zero: cannot read the model: it is not a regular file\n"


# Writing


def fail_half_way(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def write(file: Any, values: Any, **_: Any) -> None:
        file.write(b"half")
        raise error

    monkeypatch.setattr(files.np, "save", write)  # type: ignore[attr-defined]


@pytest.mark.parametrize("existing", [b"", b"the old content"])
def test_a_file_is_never_overwritten_by_half(
    folder: Path, monkeypatch: pytest.MonkeyPatch, existing: bytes
) -> None:
    if existing:
        (folder / "x.npy").write_bytes(existing)
    fail_half_way(monkeypatch, OSError(28, "No space left on device"))
    error = refused(target("x.npy"), folder)
    assert error.problem == 'cannot write "x.npy": No space left on device'
    fail_half_way(monkeypatch, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run_model(parse_model(json.dumps(target("x.npy")), folder / "model.json"))
    left = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert left == ({"x.npy": existing} if existing else {})


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such permissions")
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o000])
def test_permissions_are_those_of_a_plain_open(folder: Path, umask: int) -> None:
    old = os.umask(umask)
    try:
        (folder / "plain").open("wb").close()
        run_model(parse_model(json.dumps(target("x.bin")), folder / "model.json"), write=str)
        (folder / "y.bin").write_bytes(b"")
        (folder / "y.bin").chmod(0o641)
        run_model(parse_model(json.dumps(target("y.bin")), folder / "model.json"), write=str)
    finally:
        os.umask(old)
    assert (folder / "x.bin").stat().st_mode == (folder / "plain").stat().st_mode
    assert stat.S_IMODE((folder / "y.bin").stat().st_mode) == 0o641


def test_a_long_name_has_a_short_temporary_one(folder: Path) -> None:
    name = "x" * 251 + ".bin"
    run_model(parse_model(json.dumps(target(name)), folder / "model.json"), write=str)
    assert [path.name for path in folder.iterdir()] == [name]


# Other sizes


def test_arrays_that_are_longer_than_any_rule_allows(folder: Path) -> None:
    desc = {
        "OutputTensor": {"DataType": "FLOAT32", "Sizes": [1] * (2**20 + 1)},
        "Offset": 0,
        "Value": 0,
    }
    model = {
        "resources": {},
        "dispatchables": {"d": {"type": "DIAGONAL_MATRIX", "desc": desc}},
        "commands": [],
    }
    error = refused(model, folder)
    assert str(error) == (
        "dispatchables.d.desc.OutputTensor.Sizes: must have at most 1048576 entries, got 1048577"
    )
