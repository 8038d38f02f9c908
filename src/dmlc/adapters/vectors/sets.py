"""A conformance set in a folder: models, their files and an index, written and read again.

    OUTDIR/index.json                              what there is
    OUTDIR/padding/float32-edge.json               a model
                   float32-edge.input_tensor.npy   what it reads
                   float32-edge.expected.npy       what the resource "output" must hold afterwards
                   float32-edge.output.npy         where the model writes it, below the output path

A packed tensor's files have its shape. One with strides is a flat buffer, gaps included: those of
an output must not change.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlc.adapters.dxdispatch.folders import Folders, OutsideError, open_file, replace_file
from dmlc.adapters.vectors.cases import Case, cases
from dmlc.adapters.vectors.expected import Bytes, write_expected
from dmlc.descriptors import BufferTensorDesc
from dmlc.descriptors.json.field_kinds import camel_case
from dmlc.descriptors.json.place import ModelError, Place, printable, quote, reason
from dmlc.descriptors.json.relaxed_json import RelaxedJSONError, parse
from dmlc.enums import FeatureLevel

_INDEX = "index.json"
_FORMAT = "dmlc conformance vectors, version 1"
_GUARD = 77  # what an output holds before: every type has it, and few results do


@dataclass(frozen=True, slots=True)
class Vector:
    """A question of a set and where its files are.

    Parameters
    ----------
    model, expected : pathlib.Path
    output : str
        Where the model writes its result, relative to the output path.
    resource : str
        What holds the result.
    feature_level : FeatureLevel
        The lowest that has what is asked.
    """

    model: Path
    expected: Path
    output: str
    resource: str
    feature_level: FeatureLevel


def write_set(folder: str | Path, seed: int) -> Iterator[int]:
    """Write the set of a seed, and yield how many vectors are still to come.

    Parameters
    ----------
    folder : str or pathlib.Path
        Made if need be; else it must be empty or hold a set, which is written over.
    seed : int

    Raises
    ------
    ModelError
        If the folder holds anything else, or cannot be written to.
    """
    folder = Path(folder)
    try:
        if folder.exists() and any(folder.iterdir()) and not is_set(folder):
            raise ModelError(printable(str(folder)), "must be empty or hold a set of vectors")
        questions = list(cases(seed))
        # The index comes first: a folder where this was interrupted may be written over too.
        entries = [_entry(case) for case in questions]
        index = {"format": _FORMAT, "seed": seed, "vectors": entries}
        _write_json(folder / _INDEX, index)
        for done, case in enumerate(questions):
            yield len(questions) - done
            _write_case(folder, case)
    except OSError as error:
        raise ModelError(printable(str(folder)), f"cannot be written: {reason(error)}") from None


def is_set(folder: str | Path) -> bool:
    """Whether a folder holds a set."""
    try:
        with open_file(Path(folder) / _INDEX) as file:
            return _FORMAT.encode() in file.read(1000)
    except (OSError, ValueError):
        return False


def read_index(folder: str | Path) -> list[Vector]:
    """Return the vectors of a set.

    Raises
    ------
    ModelError
        If the index is none, or names a file outside of its folder.
    """
    index = Path(folder) / _INDEX
    try:
        with open_file(index) as file:
            root = Place(parse(file.read().decode("utf-8-sig")))
        folders = Folders((Path(folder),), Path(folder))
        return [_read_vector(place, folders) for place in root.member("vectors").elements()]
    except ModelError as error:
        raise ModelError(printable(str(index)), str(error)) from None
    except (OSError, UnicodeDecodeError, RelaxedJSONError) as error:
        raise ModelError(printable(str(index)), f"cannot be read: {reason(error)}") from None


def _read_vector(place: Place, folders: Folders) -> Vector:
    labels = {level.label: level for level in FeatureLevel}
    level = place.member("featureLevel")
    if level.string() not in labels:
        level.expect(f"one of {', '.join(labels)}")
    return Vector(
        _file(place.member("model"), folders),
        _file(place.member("expected"), folders),
        place.member("output").string(),
        place.member("resource").string(),
        labels[level.string()],
    )


def _file(place: Place, folders: Folders) -> Path:
    name = place.string()
    try:
        path = folders.find(name)
    except OutsideError:
        place.expect("a path below the folder of the index")
    except (OSError, ValueError) as error:
        place.fail(f"cannot read {quote(name)}: {reason(error)}")
    if path is None:
        place.fail(f"finds no file {quote(name)}")
    # As it is named, not where links lead: this is what messages show.
    return folders.target / name


def _entry(case: Case) -> dict[str, Any]:
    """Return what the index says of a case."""
    stem = _stem(case)
    return {
        "model": f"{stem}.json",
        "operator": case.operator,
        "covers": case.covers,
        "featureLevel": case.feature_level.label,
        "resource": _result_of(case),
        "output": f"{stem}.output.npy",
        "expected": f"{stem}.expected.npy",
    }


def _stem(case: Case) -> str:
    return f"{case.operator.lower()}/{case.name}"


def _result_of(case: Case) -> str:
    return "input_tensor" if case.in_place else "output"


def _write_case(folder: Path, case: Case) -> None:
    """Write the files of a case."""
    stem = _stem(case)
    resource = _result_of(case)
    output = case.desc.output_tensor
    resources: dict[str, Any] = {}
    bindings: dict[str, str] = {}
    for field, buffer in case.inputs.items():
        tensor = getattr(case.desc, field)
        _write_npy(folder / f"{stem}.{field}.npy", tensor, buffer)
        resources[field] = {
            "initialValuesDataType": tensor.data_type.name,
            "initialValues": {"sourcePath": f"{case.name}.{field}.npy"},
        }
        bindings[camel_case(field)] = field
    if case.in_place:
        result = case.inputs[resource].copy()
    else:
        result = _guarded(output)
        count = result.nbytes // output.data_type.itemsize
        resources[resource] = {
            "initialValuesDataType": output.data_type.name,
            "initialValues": {"valueCount": count, "value": _GUARD},
        }
    bindings["OutputTensor"] = resource
    write_expected(case.desc, case.inputs, result)
    expected = _write_npy(folder / f"{stem}.expected.npy", output, result)
    model = {
        "about": f"{case.operator}: {case.covers}",
        "resources": resources,
        "dispatchables": {case.name: case.desc.to_json()},
        "commands": [
            {"type": "dispatch", "dispatchable": case.name, "bindings": bindings},
            {
                "type": "writeFile",
                "resource": resource,
                "targetPath": f"{stem}.output.npy",
                "dimensions": list(expected.shape),
            },
        ],
    }
    _write_json(folder / f"{stem}.json", model)


def _guarded(tensor: BufferTensorDesc) -> Bytes:
    """A buffer of a tensor, without what rounds up its size to 4 bytes, full of `_GUARD`."""
    return np.full(_element_count(tensor), _GUARD, tensor.data_type.numpy_dtype).view(np.uint8)


def _element_count(tensor: BufferTensorDesc) -> int:
    steps = zip(tensor.sizes, tensor.effective_strides, strict=True)
    return 1 + sum((size - 1) * stride for size, stride in steps)


def _write_npy(path: Path, tensor: BufferTensorDesc, buffer: Bytes) -> npt.NDArray[Any]:
    array = buffer.view(tensor.data_type.numpy_dtype)[: _element_count(tensor)]
    if tensor.strides is None:
        array = array.reshape(tensor.sizes)
    with replace_file(path) as file:
        little = array.dtype.newbyteorder("<")
        np.save(file, array.astype(little, copy=False), allow_pickle=False)
    return array


def _write_json(path: Path, document: Mapping[str, Any]) -> None:
    with replace_file(path) as file:
        file.write(json.dumps(document, indent=1, allow_nan=False).encode() + b"\n")
