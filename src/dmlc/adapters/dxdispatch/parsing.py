"""From a model file to a `Model`: everything that can be wrong with a file alone is found here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from dmlc.adapters.dxdispatch import files
from dmlc.adapters.dxdispatch.folders import Folders, open_file
from dmlc.adapters.dxdispatch.model import (
    Binding,
    Command,
    Dispatchable,
    DispatchCommand,
    Model,
    PrintCommand,
    Resource,
    WriteFileCommand,
)
from dmlc.adapters.dxdispatch.values import read_initial_values, read_resampling
from dmlc.descriptors.json.documents import read_dispatchable
from dmlc.descriptors.json.operators import BindPoint
from dmlc.descriptors.json.place import (
    UINT32_RANGE,
    UINT64_RANGE,
    ModelError,
    Place,
    compact,
    quote,
    reason,
)
from dmlc.descriptors.json.relaxed_json import RelaxedJSONError, parse
from dmlc.descriptors.json.values import read_data_type
from dmlc.enums import TensorDataType

_MODEL_MEMBERS = ("$schema", "resources", "dispatchables", "commands")
_RESOURCE_MEMBERS = (
    "initialValuesDataType",
    "initialValues",
    "sizeInBytes",
    "initialValuesOffsetInBytes",
    "resampleSize",
    "resampleMode",
)
_COMMAND_MEMBERS = {
    "dispatch": ("type", "dispatchable", "bindings", "threadGroupCount"),
    "print": ("type", "resource", "verbose"),
    "writeFile": ("type", "resource", "targetPath", "dimensions"),
}
_BINDING_MEMBERS = (
    "name",
    "elementOffset",
    "elementCount",
    "elementSizeInBytes",
    # For the other kinds of dispatchable: read by DxDispatch, without effect on an operator.
    "elementStride",
    "format",
    "shape",
    "counter",
    "counterOffsetBytes",
)


_Item = TypeVar("_Item")


def load_model(
    path: str | Path,
    *,
    input_path: str | Path | None = None,
    output_path: str | Path | None = None,
    allow_outside: bool = False,
    problems: list[ModelError] | None = None,
) -> Model:
    """Read a DxDispatch model file.

    Parameters
    ----------
    path : str or pathlib.Path
        Where there is no such file, it is taken relative to `input_path`.
    input_path, output_path, allow_outside, problems : optional
        As for `parse_model`.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If the file, or one that it names, cannot be read or says something wrong. Whether the
        operators' descriptors are valid is not asked here but by `run_model`.
    """
    if input_path is not None and not os.path.lexists(path):
        below = Path(input_path) / path
        path = below if os.path.lexists(below) else path
    try:
        with open_file(Path(path)) as file:
            text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError("", f"must be UTF-8 text, byte {error.start} is not") from None
    except (OSError, ValueError) as error:
        raise ModelError("", f"cannot read the model: {reason(error)}") from None
    return parse_model(
        text,
        path,
        input_path=input_path,
        output_path=output_path,
        allow_outside=allow_outside,
        problems=problems,
    )


def parse_model(
    text: str,
    path: str | Path = "model.json",
    *,
    input_path: str | Path | None = None,
    output_path: str | Path | None = None,
    allow_outside: bool = False,
    problems: list[ModelError] | None = None,
) -> Model:
    """Read a DxDispatch model from text.

    Parameters
    ----------
    text : str
        JSON; comments and trailing commas are allowed, what follows the document is ignored.
    path : str or pathlib.Path
        Source files are looked up in its folder, then in the current one.
    input_path : str or pathlib.Path, optional
        Where source files are looked up first.
    output_path : str or pathlib.Path, optional
        Where files are written; the current folder by default.
    allow_outside : bool, optional
        Whether the model may read and write outside all these folders.
    problems : list of ModelError, optional
        Gets what is wrong with each resource, dispatchable and command, instead of raising the
        first; the model that is returned lacks them. A text that has none of these raises.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        As `load_model`.

    Examples
    --------
    >>> from dmlc.adapters import dxdispatch
    >>> model = dxdispatch.parse_model('''
    ... {
    ...     "resources": {
    ...         "out": { "initialValuesDataType": "INT8", "initialValues": [1, 2, 3] }, // 3 bytes
    ...     },
    ...     "dispatchables": {},
    ...     "commands": [ { "type": "print", "resource": "out" } ]
    ... }''')
    >>> dxdispatch.run_model(model)
    Resource 'out': 1, 2, 3
    """
    try:
        root = Place(parse(text))
    except RelaxedJSONError as error:
        raise ModelError("", str(error)) from None
    folders = Folders.of_model(Path(path), input_path, output_path, allow_outside=allow_outside)
    root.no_misspelt_members(_MODEL_MEMBERS)
    resources = {
        name: _read(problems, _read_resource, name, place, folders)
        for name, place in root.member("resources").members()
    }
    dispatchables = {
        name: _read(problems, _read_dispatchable, name, place, resources)
        for name, place in root.member("dispatchables").members()
    }
    places = root.member("commands").elements()
    commands = [
        _read(problems, _read_command, place, resources, dispatchables, folders) for place in places
    ]
    return Model(
        folders,
        {name: resource for name, resource in resources.items() if resource},
        {name: dispatchable for name, dispatchable in dispatchables.items() if dispatchable},
        tuple(command for command in commands if command),
        tuple(
            compact(place.value) for place, command in zip(places, commands, strict=True) if command
        ),
    )


class _UnreadError(Exception):
    """What is named here was found wrong before: there is nothing new to say."""


def _read(
    problems: list[ModelError] | None, read: Callable[..., _Item], *arguments: Any
) -> _Item | None:
    """Return what `read` returns, or None where it finds a problem and problems are collected."""
    try:
        return read(*arguments)
    except _UnreadError:
        return None
    except ModelError as error:
        if problems is None:
            raise
        problems += (error, *error.others)
        return None


def _read_resource(name: str, place: Place, folders: Folders) -> Resource:
    place.no_misspelt_members(_RESOURCE_MEMBERS)
    named_type = place.optional("initialValuesDataType")
    data_type = read_data_type(named_type) if named_type else TensorDataType.UNKNOWN
    if place.member("initialValues").value == "deferred":
        return Resource(name, place.path, (), 0, 0)
    resample = read_resampling(place)
    values = read_initial_values(place.member("initialValues"), data_type, folders, resample)
    offset = _integer_or(place.optional("initialValuesOffsetInBytes"), 0)
    needed = offset + sum(part.nbytes for part in values)
    size = _integer_or(place.optional("sizeInBytes"), needed)
    if size < needed:
        place.member("sizeInBytes").fail(
            f"must be at least offset + values = {offset} + {needed - offset} = {needed}, "
            f"got {size}"
        )
    return Resource(name, place.path, values, offset, size)


def _read_dispatchable(
    name: str, place: Place, resources: Mapping[str, Resource | None]
) -> Dispatchable:
    desc, read = read_dispatchable(place)
    inputs = [point for point in read.bind_points if not point.is_output]
    initial = place.optional("bindings")
    bindings = _read_bindings(initial, inputs, resources) if initial else {}
    return Dispatchable(name, desc.path, read.desc, read.places, read.bind_points, bindings)


def _read_command(
    place: Place,
    resources: Mapping[str, Resource | None],
    dispatchables: Mapping[str, Dispatchable | None],
    folders: Folders,
) -> Command:
    kind = place.member("type")
    kinds = {name.lower(): name for name in _COMMAND_MEMBERS}
    name = kinds.get(kind.string().lower())
    if name is None:
        kind.expect("dispatch, print or writeFile")
    place.no_misspelt_members(_COMMAND_MEMBERS[name])
    if name == "dispatch":
        return _read_dispatch(place, resources, dispatchables)
    resource = _named(place.member("resource"), "resource", resources).name
    if name == "print":
        verbose = place.optional("verbose")
        return PrintCommand(place.path, resource, verbose.boolean() if verbose else False)
    dimensions = place.optional("dimensions")
    return WriteFileCommand(
        place.path,
        resource,
        files.check_target(place.member("targetPath"), folders),
        dimensions.integers(UINT32_RANGE) if dimensions else None,
    )


def _read_dispatch(
    place: Place,
    resources: Mapping[str, Resource | None],
    dispatchables: Mapping[str, Dispatchable | None],
) -> DispatchCommand:
    dispatchable = _named(place.member("dispatchable"), "dispatchable", dispatchables)
    bindings_place = place.member("bindings")
    bindings = _read_bindings(bindings_place, dispatchable.bind_points, resources)
    for point in dispatchable.bind_points:
        if point.name not in bindings and point.name not in dispatchable.bindings:
            bindings_place.fail(f"{point.name} is required")
    return DispatchCommand(place.path, dispatchable.name, bindings)


def _read_bindings(
    place: Place, points: Iterable[BindPoint], resources: Mapping[str, Resource | None]
) -> dict[str, Binding]:
    place.only_members([point.name for point in points])
    return {name: _read_binding(value, resources) for name, value in place.members()}


def _read_binding(place: Place, resources: Mapping[str, Resource | None]) -> Binding:
    if isinstance(place.value, list):
        if len(place.value) != 1:
            place.fail(f"must list one resource, got {len(place.value)}")
        place = place.elements()[0]
    if isinstance(place.value, str):
        resource = _named(place, "resource", resources)
        whole = None if resource.is_deferred else resource.allocated_size
        return Binding(place.path, resource.name, 0, whole)

    place.only_members(_BINDING_MEMBERS)
    resource = _named(place.member("name"), "resource", resources)
    name = resource.name
    element_offset = _integer_or(place.optional("elementOffset"), 0)
    element_count = _integer_or(place.optional("elementCount"), 0)
    element_size = _integer_or(place.optional("elementSizeInBytes"), 0)
    if resource.is_deferred:
        if element_offset or element_count:
            place.fail(f"must be a whole resource, {quote(name)} is deferred")
        return Binding(place.path, name, 0, None)
    # As in DxDispatch, a size of 0 is that of the initializer's elements, a count of 0 the rest.
    if element_size == 0 and resource.data_type != TensorDataType.UNKNOWN:
        element_size = resource.data_type.itemsize
    if element_size == 0 and element_offset + element_count > 0:
        place.fail(f"elementSizeInBytes is required, resource {quote(name)} has mixed elements")
    offset = element_offset * element_size
    rest = resource.allocated_size - offset
    size = element_count * element_size if element_count else max(rest, 0)
    if size > rest:
        place.fail(
            f"must lie inside resource {quote(name)}, "
            f"wants bytes {offset} to {offset + size} of {resource.allocated_size}"
        )
    return Binding(place.path, name, offset, min((size + 3) & ~3, rest))


def _named(place: Place, what: str, known: Mapping[str, _Item | None]) -> _Item:
    name = place.string()
    if name not in known:
        place.expect(f"the name of a {what}")
    item = known[name]
    if item is None:
        raise _UnreadError
    return item


def _integer_or(place: Place | None, default: int) -> int:
    return place.integer(UINT64_RANGE) if place else default
