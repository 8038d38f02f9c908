"""Running a model: operators are compiled and bindings checked, then commands run in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlc.adapters.dxdispatch import files
from dmlc.adapters.dxdispatch.formatting import format_resource
from dmlc.adapters.dxdispatch.model import (
    Binding,
    Dispatchable,
    DispatchCommand,
    Model,
    PrintCommand,
    Resource,
    WriteFileCommand,
    resource_bytes,
)
from dmlc.descriptors import BufferTensorDesc
from dmlc.descriptors.json.operators import BindPoint, camel_case
from dmlc.descriptors.json.place import ModelError, Place, printable, quote
from dmlc.device import CompiledOperator, Device
from dmlc.enums import TensorDataType
from dmlc.errors import BindingError, InvalidDescriptorError

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How often each dispatch runs and what is told of its times.

    Parameters
    ----------
    iterations : int, optional
        Timed samples of each dispatch.
    repeat : int, optional
        Dispatches in each sample.
    milliseconds : float, optional
        Go on for so long instead of `iterations`.
    warmup : int, optional
        First samples that the statistics leave out; the last sample always counts.
    verbosity : int, optional
        0 prints the median, 1 cold and hot statistics and compile times, 2 every sample as well.
    """

    iterations: int = 1
    repeat: int = 1
    milliseconds: float | None = None
    warmup: int = 1
    verbosity: int = 0


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
        file cannot be written. Descriptors and sizes are checked before the first command runs.
    """
    _Runner(model, options or RunOptions(), write).run()


class _Runner:
    def __init__(self, model: Model, options: RunOptions, write: Callable[[str], object]) -> None:
        self.model = model
        self.options = options
        self.write = write
        self.buffers: dict[str, Bytes] = {}
        self.operators: dict[str, CompiledOperator] = {}
        # The tensor, as an array over the buffer, that each resource was last bound as.
        self.tensors: dict[str, npt.NDArray[Any]] = {}

    def run(self) -> None:
        for name, resource in self.model.resources.items():
            self.buffers[name] = _allocate(resource)
        device = Device()
        for dispatchable in self.model.dispatchables.values():
            self.compile(device, dispatchable)
        # What DirectML owns is what the resources hold before the first command.
        owned = {
            name: {
                point: self.bound_bytes(binding).copy()
                for point, binding in dispatchable.bindings.items()
            }
            for name, dispatchable in self.model.dispatchables.items()
        }
        for command in self.model.commands:
            if isinstance(command, DispatchCommand):
                self.check_bindings(command)
        for command in self.model.commands:
            match command:
                case DispatchCommand():
                    self.dispatch(command, owned[command.dispatchable])
                case PrintCommand():
                    self.print(command)
                case WriteFileCommand():
                    self.write_file(command)

    def compile(self, device: Device, dispatchable: Dispatchable) -> None:
        complaints = device.check(dispatchable.desc)
        if complaints:
            raise _at_json_place(complaints[0], dispatchable)
        start = time.perf_counter()
        self.operators[dispatchable.name] = device.compile_operator(dispatchable.desc)
        if self.options.verbosity >= 1:
            elapsed = (time.perf_counter() - start) * 1e3
            self.write(f"Initialize '{printable(dispatchable.name)}': {elapsed:.4f} ms")
        for point in dispatchable.bind_points:
            if point.name in dispatchable.bindings:
                _check_size(point, dispatchable.bindings[point.name])

    def check_bindings(self, command: DispatchCommand) -> None:
        for point in self.model.dispatchables[command.dispatchable].bind_points:
            if point.name in command.bindings:
                _check_size(point, command.bindings[point.name])

    def dispatch(self, command: DispatchCommand, owned: Mapping[str, Bytes]) -> None:
        operator = self.operators[command.dispatchable]
        inputs: list[Bytes] = []
        output: Bytes | None = None
        for point in self.model.dispatchables[command.dispatchable].bind_points:
            binding = command.bindings.get(point.name)
            memory = self.bound_bytes(binding) if binding else owned[point.name]
            if binding:
                self.tensors[binding.resource] = _tensor_view(memory, point.tensor)
            if point.is_output:
                output = _flat(memory, point.tensor)
            else:
                inputs.append(_flat(memory, point.tensor))
        try:
            samples = list(self.samples(lambda: operator(*inputs, out=output)))
        except BindingError as error:
            raise ModelError(f"{command.place}.bindings", str(error)) from None
        for line in _timing_lines(command.dispatchable, samples, self.options):
            self.write(line)

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

    def print(self, command: PrintCommand) -> None:
        arrays = self.typed_values(command.resource)
        self.write(format_resource(command.resource, arrays, verbose=command.verbose))

    def write_file(self, command: WriteFileCommand) -> None:
        resource = self.model.resources[command.resource]
        values: npt.NDArray[Any] = self.buffers[command.resource][: resource.size]
        if files.is_npy(command.target_path):
            values = self.array_to_write(command)
        target = Place(command.target_path, f"{command.place}.targetPath")
        files.write_target(target, self.model.folders, values)
        resource_name, path = printable(command.resource), printable(command.target_path)
        self.write(f"Resource '{resource_name}' written to '{path}'")

    def array_to_write(self, command: WriteFileCommand) -> npt.NDArray[Any]:
        """The resource in the shape that the command gives, or as it was last bound, or flat."""
        tensor = self.tensors.get(command.resource)
        if command.dimensions is None and tensor is not None:
            return tensor
        arrays = self.typed_values(command.resource)
        if len(arrays) > 1:
            raise ModelError(
                f"{command.place}.resource",
                f"an .npy file holds one data type, resource {quote(command.resource)} has a list",
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
        does it, wherever the initial values were put."""
        arrays = []
        position = 0
        for values in self.model.resources[name].initial_values:
            part = self.buffers[name][position : position + values.nbytes]
            # A copy: an item of a list need not be aligned.
            arrays.append(np.frombuffer(part.tobytes(), dtype=values.dtype))
            position += values.nbytes
        return arrays

    def bound_bytes(self, binding: Binding) -> Bytes:
        return self.buffers[binding.resource][binding.offset : binding.offset + binding.size]


def _shortened(sizes: Sequence[int]) -> str:
    more = ", ..." if len(sizes) > 8 else ""
    return f"[{', '.join(map(str, sizes[:8]))}{more}]"


def _allocate(resource: Resource) -> Bytes:
    try:
        return resource_bytes(resource)
    except (MemoryError, ValueError, OverflowError):
        raise ModelError(
            resource.place, f"{resource.size} bytes are more than memory can hold"
        ) from None


def _at_json_place(complaint: InvalidDescriptorError, dispatchable: Dispatchable) -> ModelError:
    """Say the complaint about ``output_tensor.sizes[2]`` at ``...OutputTensor.Sizes[2]``."""
    field, _, inner = complaint.field.partition(".")
    name, bracket, index = field.partition("[")
    place = dispatchable.places.get(name, dispatchable.place) + bracket + index
    return ModelError(f"{place}.{camel_case(inner)}" if inner else place, complaint.message)


def _check_size(point: BindPoint, binding: Binding) -> None:
    needed = point.tensor.size_in_bytes
    if needed > binding.size:
        raise ModelError(
            binding.place,
            f"{point.name} takes {needed} bytes, resource {quote(binding.resource)} has "
            f"{binding.size} from byte {binding.offset}",
        )


def _flat(memory: Bytes, tensor: BufferTensorDesc) -> npt.NDArray[Any]:
    """Type the bytes so that they are no array of the tensor's type, which would be read through
    its own strides: flat memory is read through the descriptor's."""
    return memory.view(np.int8) if tensor.data_type == TensorDataType.UINT8 else memory


def _tensor_view(memory: Bytes, tensor: BufferTensorDesc) -> npt.NDArray[Any]:
    dtype = tensor.data_type.numpy_dtype
    strides = tuple(stride * dtype.itemsize for stride in tensor.effective_strides)
    return np.ndarray(tensor.sizes, dtype, buffer=memory, strides=strides)


def _timing_lines(name: str, samples: Sequence[float], options: RunOptions) -> Iterator[str]:
    cold_count = min(len(samples) - 1, options.warmup)
    cold, hot = samples[:cold_count], samples[cold_count:]
    head = f"Dispatch '{printable(name)}': {len(samples)} iterations"
    if options.verbosity == 0:
        yield f"{head}, {_median(hot):.4f} ms median (CPU)"
        return
    yield head
    for label, part in (("Cold", cold), ("Hot", hot)):
        if part:
            average = sum(part) / len(part)
            yield (
                f"CPU Timings {f'({label})':6} : {len(part)} samples, {average:.4f} ms average, "
                f"{min(part):.4f} ms min, {_median(part):.4f} ms median, {max(part):.4f} ms max"
            )
    if options.verbosity >= 2:
        yield "The timings of each iteration:"
        for index, sample in enumerate(samples):
            yield f"iteration {index}: {sample:.4f} ms (CPU)"


def _median(samples: Sequence[float]) -> float:
    return sorted(samples)[len(samples) // 2]
