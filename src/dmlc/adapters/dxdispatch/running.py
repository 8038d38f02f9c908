"""Running a model: operators are compiled and bindings checked, then commands run in order."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlc.adapters.dxdispatch import files
from dmlc.adapters.dxdispatch.events import (
    CommandEnded,
    CommandStarted,
    Dispatched,
    Event,
    Failed,
    Initialized,
    Printed,
    Written,
)
from dmlc.adapters.dxdispatch.formatting import event_lines
from dmlc.adapters.dxdispatch.model import (
    Binding,
    Command,
    Dispatchable,
    DispatchCommand,
    Model,
    PrintCommand,
    Resource,
    WriteFileCommand,
    resource_bytes,
)
from dmlc.adapters.dxdispatch.options import RunOptions
from dmlc.descriptors import BufferTensorDesc
from dmlc.descriptors.json.field_kinds import camel_case
from dmlc.descriptors.json.operators import BindPoint
from dmlc.descriptors.json.place import ModelError, Place, quote
from dmlc.device import CompiledOperator, Device
from dmlc.enums import TensorDataType
from dmlc.errors import BindingError, InvalidDescriptorError

Bytes = npt.NDArray[np.uint8]


def run_model(
    model: Model,
    options: RunOptions | None = None,
    write: Callable[[str], object] = print,
) -> None:
    """Run a model's commands.

    Parameters
    ----------
    model : Model
    options : RunOptions, optional
    write : callable, optional
        Gets each line that is printed.

    Raises
    ------
    ModelError
        If a descriptor is invalid, a tensor does not fit the resource that it is bound to, or a
        file cannot be written. Descriptors and sizes are checked before the first command runs; of
        files that cannot be written, the first one is told when all commands have run.
    """
    options = options or RunOptions()
    failures = []
    for event in ModelRun(model, options).events():
        if isinstance(event, Failed):
            failures.append(event.error)
        for line in event_lines(event, options):
            write(line)
    for error in failures:
        raise error


def check_model(model: Model, options: RunOptions | None = None) -> list[ModelError]:
    """Return every complaint about a model's operators and bindings, without running anything."""
    device = Device((options or RunOptions()).feature_level)
    complaints = []
    valid = set()
    for name, dispatchable in model.dispatchables.items():
        found = device.check(dispatchable.desc)
        complaints += [_at_json_place(complaint, dispatchable) for complaint in found]
        if not found:
            valid.add(name)
    return [*complaints, *_binding_complaints(model, valid)]


class ModelRun:
    """A model and the memory that it runs on.

    Parameters
    ----------
    model : Model
    options : RunOptions
    """

    def __init__(self, model: Model, options: RunOptions) -> None:
        self.model = model
        self.options = options
        self.buffers: dict[str, Bytes] = {}
        self.operators: dict[str, CompiledOperator] = {}
        # The tensor, as an array over the buffer, that each resource was last bound as.
        self.tensors: dict[str, npt.NDArray[Any]] = {}

    def events(self) -> Iterator[Event]:
        """Run, and yield what happens as it happens.

        Raises
        ------
        ModelError
            As `run_model`, but files that cannot be written are events.
        """
        device = Device(self.options.feature_level)
        for dispatchable in self.model.dispatchables.values():
            for complaint in device.check(dispatchable.desc):
                raise _at_json_place(complaint, dispatchable)
        for error in _binding_complaints(self.model, self.model.dispatchables.keys()):
            raise error
        for name, resource in self.model.resources.items():
            if not resource.is_deferred:
                self.buffers[name] = _allocate(resource)
        for dispatchable in self.model.dispatchables.values():
            start = time.perf_counter()
            self.operators[dispatchable.name] = device.compile_operator(dispatchable.desc)
            yield Initialized(dispatchable.name, (time.perf_counter() - start) * 1e3)
        # What DirectML owns is what the resources hold before the first command.
        owned = {
            name: {
                point: self.bound_bytes(binding).copy()
                for point, binding in dispatchable.bindings.items()
            }
            for name, dispatchable in self.model.dispatchables.items()
        }
        for index, command in enumerate(self.model.commands):
            if isinstance(command, WriteFileCommand) and not self.options.write_files:
                continue
            yield CommandStarted(index, self.model.command_texts[index])
            try:
                done = self.execute(command, owned)
            except ModelError as error:
                yield CommandEnded(index, error)
                if not isinstance(command, WriteFileCommand):
                    raise
                yield Failed(error)
            else:
                yield done
                yield CommandEnded(index, None)

    def execute(self, command: Command, owned: Mapping[str, Mapping[str, Bytes]]) -> Event:
        """Run one command."""
        match command:
            case DispatchCommand():
                return self.dispatch(command, owned[command.dispatchable])
            case PrintCommand():
                arrays = tuple(self.typed_values(command.resource))
                return Printed(command.resource, arrays, command.verbose)
            case WriteFileCommand():
                return self.write_file(command)

    def dispatch(self, command: DispatchCommand, owned: Mapping[str, Bytes]) -> Event:
        operator = self.operators[command.dispatchable]
        points = self.model.dispatchables[command.dispatchable].bind_points
        for name, point in _deferred_outputs(command, points).items():
            resource = self.model.resources[command.bindings[name].resource]
            self.buffers[resource.name] = _allocate(resource, point.tensor.size_in_bytes)
        inputs: list[Bytes] = []
        output: Bytes | None = None
        for point in points:
            binding = command.bindings.get(point.name)
            memory = self.bound_bytes(binding) if binding else owned[point.name]
            if binding:
                self.tensors[binding.resource] = _tensor_view(memory, point.tensor)
            if point.is_output:
                output = _flat(memory, point.tensor)
            else:
                inputs.append(_flat(memory, point.tensor))
        try:
            samples = tuple(self.samples(lambda: operator(*inputs, out=output)))
        except BindingError as error:
            raise ModelError(f"{command.place}.bindings", str(error)) from None
        return Dispatched(command.dispatchable, samples)

    def samples(self, call: Callable[[], object]) -> Iterator[float]:
        """Call as often as the options say; yield the milliseconds of a call in each sample."""
        begin = time.perf_counter()
        done = 0
        while True:
            start = time.perf_counter()
            for _ in range(self.options.repeat):
                call()
            end = time.perf_counter()
            yield (end - start) * 1e3 / self.options.repeat
            done += 1
            if self.options.milliseconds is None:
                finished = done >= self.options.iterations
            else:
                finished = (end - begin) * 1e3 >= self.options.milliseconds
            if finished:
                return
            rest = self.options.interval - (time.perf_counter() - start) * 1e3
            if rest > 0:
                time.sleep(rest / 1e3)

    def write_file(self, command: WriteFileCommand) -> Event:
        resource = self.model.resources[command.resource]
        buffer = self.buffers[command.resource]
        values: npt.NDArray[Any] = buffer if resource.is_deferred else buffer[: resource.size]
        if not files.is_raw(command.target_path):
            values = self.array_to_write(command)
        target = Place(command.target_path, f"{command.place}.targetPath")
        files.write_target(target, self.model.folders, values)
        return Written(command.resource, command.target_path)

    def array_to_write(self, command: WriteFileCommand) -> npt.NDArray[Any]:
        """The resource in the shape that the command gives, or as it was last bound, or flat."""
        if command.dimensions is None and command.resource in self.tensors:
            return self.tensors[command.resource]
        arrays = self.typed_values(command.resource)
        if len(arrays) > 1:
            raise ModelError(
                f"{command.place}.resource",
                f"a file of this kind holds one data type, resource {quote(command.resource)} "
                "has a list",
            )
        if command.dimensions is None:
            return arrays[0]
        try:
            return arrays[0].reshape(command.dimensions)
        except ValueError:
            raise ModelError(
                f"{command.place}.dimensions",
                f"must hold {arrays[0].size} elements, got {_shortened(command.dimensions)}",
            ) from None

    def typed_values(self, name: str) -> list[npt.NDArray[Any]]:
        """A resource's bytes, typed and counted by its initializer: from the start, as DxDispatch
        does it, wherever the initial values were put. A deferred one is the tensor that it was."""
        if self.model.resources[name].is_deferred:
            return [self.tensors[name].reshape(-1)]
        arrays = []
        position = 0
        for values in self.model.resources[name].initial_values:
            part = self.buffers[name][position : position + values.nbytes]
            # A copy: an item of a list need not be aligned.
            arrays.append(np.frombuffer(part.tobytes(), dtype=values.dtype))
            position += values.nbytes
        return arrays

    def bound_bytes(self, binding: Binding) -> Bytes:
        """The memory that a binding names."""
        buffer = self.buffers[binding.resource]
        return buffer if binding.size is None else buffer[binding.offset :][: binding.size]


def _shortened(sizes: Sequence[int]) -> str:
    more = ", ..." if len(sizes) > 8 else ""
    return f"[{', '.join(map(str, sizes[:8]))}{more}]"


def _allocate(resource: Resource, size: int | None = None) -> Bytes:
    try:
        return resource_bytes(resource, size)
    except (MemoryError, ValueError, OverflowError):
        raise ModelError(
            resource.place,
            f"{resource.size if size is None else size} bytes are more than memory can hold",
        ) from None


def _at_json_place(complaint: InvalidDescriptorError, dispatchable: Dispatchable) -> ModelError:
    """Say the complaint about ``output_tensor.sizes[2]`` at ``...OutputTensor.Sizes[2]``."""
    field, _, inner = complaint.field.partition(".")
    name, bracket, index = field.partition("[")
    place = dispatchable.places.get(name, dispatchable.place) + bracket + index
    return ModelError(f"{place}.{camel_case(inner)}" if inner else place, complaint.message)


def _binding_complaints(model: Model, valid: AbstractSet[str]) -> Iterator[ModelError]:
    """Yield what is wrong with the sizes of what is bound, and with what is deferred.

    Parameters
    ----------
    model : Model
    valid : set of str
        The dispatchables whose tensors have sizes that mean something.
    """
    for dispatchable in model.dispatchables.values():
        if dispatchable.name in valid:
            for point in dispatchable.bind_points:
                yield from _size_complaints(point, dispatchable.bindings.get(point.name), {})
    sizes: dict[str, float] = {}  # of deferred resources that have been written
    for command in model.commands:
        if not isinstance(command, DispatchCommand):
            if model.resources[command.resource].is_deferred and command.resource not in sizes:
                yield ModelError(
                    command.place,
                    f"resource {quote(command.resource)} is deferred, and no dispatch before this "
                    "command writes it",
                )
            continue
        points = model.dispatchables[command.dispatchable].bind_points
        made = _deferred_outputs(command, points)
        if command.dispatchable in valid:
            for point in points:
                if point.name not in made:
                    yield from _size_complaints(point, command.bindings.get(point.name), sizes)
        for point in made.values():
            # Of a tensor that is not valid no size is known: nothing is said of what reads it.
            needed = point.tensor.size_in_bytes if command.dispatchable in valid else math.inf
            sizes[command.bindings[point.name].resource] = needed


def _deferred_outputs(
    command: DispatchCommand, points: Sequence[BindPoint]
) -> dict[str, BindPoint]:
    """The outputs that are new memory: bound to deferred resources that are no input as well."""
    bound = [point for point in points if point.name in command.bindings]
    read = {command.bindings[point.name].resource for point in bound if not point.is_output}
    outputs = {point.name: point for point in bound if point.is_output}
    return {
        name: point
        for name, point in outputs.items()
        if command.bindings[name].size is None and command.bindings[name].resource not in read
    }


def _size_complaints(
    point: BindPoint, binding: Binding | None, deferred: Mapping[str, float]
) -> Iterator[ModelError]:
    if binding is None:
        return
    size = deferred.get(binding.resource) if binding.size is None else binding.size
    if size is None:
        yield ModelError(
            binding.place,
            f"resource {quote(binding.resource)} is deferred, and no dispatch before this one "
            "writes it",
        )
        return
    needed = point.tensor.size_in_bytes
    if needed > size:
        yield ModelError(
            binding.place,
            f"{point.name} takes {needed} bytes, resource {quote(binding.resource)} has "
            f"{size} from byte {binding.offset}",
        )


def _flat(memory: Bytes, tensor: BufferTensorDesc) -> npt.NDArray[Any]:
    """Type the bytes so that they are no array of the tensor's type, which would be read through
    its own strides: flat memory is read through the descriptor's."""
    return memory.view(np.int8) if tensor.data_type == TensorDataType.UINT8 else memory


def _tensor_view(memory: Bytes, tensor: BufferTensorDesc) -> npt.NDArray[Any]:
    dtype = tensor.data_type.numpy_dtype
    strides = tuple(stride * dtype.itemsize for stride in tensor.effective_strides)
    return np.ndarray(tensor.sizes, dtype, buffer=memory, strides=strides)
