"""The command itself: version, help, info, and the scripts of the examples."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import dmlc
from dmlc.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"


def environment() -> dict[str, str]:
    """What a child process needs to import the tests' own dmlc, wherever that came from."""
    paths = [str(Path(dmlc.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"dmlc {dmlc.__version__}\n"


def test_no_command_prints_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    printed = capsys.readouterr().err
    for name in ("demo", "run", "vectors", "info"):
        assert f"dmlc {name}" in printed


@pytest.mark.parametrize("name", ["demo", "run", "vectors", "info"])
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: dmlc {name}")


def test_an_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["show"])
    assert caught.value.code == 2
    assert "invalid choice: 'show'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("-i", "abc", "must be an integer of at least 1, got 'abc'"),
        ("-i", "0", "must be an integer of at least 1, got '0'"),
        ("--ulp", "-1", "must be an integer of at least 0, got '-1'"),
        ("-t", "abc", "must be a number of more than 0, got 'abc'"),
        ("-t", "inf", "must be a number of more than 0, got 'inf'"),
        ("-w", "1.5", "must be an integer of at least 0, got '1.5'"),
    ],
)
def test_numbers_in_options(
    option: str, value: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["run", "model.json", option, value])
    assert message in capsys.readouterr().err


def test_info_prints_the_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == list(dmlc.show_config())
    assert lines[0].split() == ["version:", dmlc.__version__]


def test_python_m_dmlc_is_the_same_command() -> None:
    result = python("-m", "dmlc", "run", str(EXAMPLES / "models" / "slice.json"))
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith("Resource 'output': 7, 9, 12, 14, 17, 19\n")
    assert python("-m", "dmlc", "run", "absent.json").returncode == 2


def test_a_reader_that_stops_reading_is_no_error() -> None:
    model = str(EXAMPLES / "models" / "slice.json")
    with subprocess.Popen(
        [sys.executable, "-m", "dmlc", "run", model, "-i", "20000", "-v", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


@pytest.mark.skipif(sys.platform != "linux", reason="memory cannot be limited")
@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""),
    reason="AddressSanitizer takes more than any limit",
)
def test_a_model_that_takes_more_memory_than_there_is(tmp_path: Path) -> None:
    """Its numbers fit; the text that they are printed as does not."""
    path = tmp_path / "model.json"
    path.write_text(
        """{
        "resources": {
            "in": {
                "initialValuesDataType": "UINT8",
                "initialValues": { "valueCount": 200000000, "value": 3 }
            }
        },
        "dispatchables": {},
        "commands": [{ "type": "print", "resource": "in" }]
        }"""
    )
    result = python(
        "-c",
        "import resource, sys; from dmlc.cli import main;"
        "resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31)); sys.exit(main())",
        "run",
        str(path),
    )
    assert result.returncode == 2, result.stderr
    assert result.stderr == f"{path}: takes more memory than there is\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be sent a SIGINT")
def test_an_interrupt_ends_in_silence() -> None:
    model = str(EXAMPLES / "models" / "slice.json")
    # A background job ignores the signal, and so do its children.
    program = (
        "import signal, sys; from dmlc.cli import main;"
        "signal.signal(signal.SIGINT, signal.default_int_handler); sys.exit(main())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, "run", "-t", "30000", model],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment(), "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"Running on 'CPU'\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate() == (b"", b"")
        assert process.returncode == 130


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_example_scripts_check_themselves(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = re.findall(r"^(?:import|from) (\w+)", path.read_text("utf-8"), re.MULTILINE)
    for package in {*packages} - {"__future__", "dmlc"}:
        pytest.importorskip(package)
    monkeypatch.setenv("MPLBACKEND", "agg")
    result = python(str(path))
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("\n") >= 2
