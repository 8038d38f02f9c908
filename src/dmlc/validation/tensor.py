"""The rules of `BufferTensorDesc`, and those that operators share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from dmlc.arrays import printed
from dmlc.descriptors.tensor import BufferTensorDesc
from dmlc.enums import TensorDataType
from dmlc.validation.complaints import Complaints
from dmlc.validation.feature_levels import Support

__all__ = [
    "INT",
    "SIZES",
    "UINT",
    "check_array",
    "check_integer",
    "check_same_data_type",
    "check_same_dimension_count",
    "check_tensor",
    "dimensions",
    "in_range",
]

UINT = range(2**32)
SIZES = range(1, 2**32)
INT = range(-(2**31), 2**31)

MAXIMUM_DIMENSION_COUNT = 8
MAXIMUM_ELEMENT_COUNT = 2**32 - 1
# Offsets are signed (a negative stride steps back) and 64 bits wide.
MAXIMUM_SIZE_IN_BYTES = 2**63 - 1
MAXIMUM_ALIGNMENT = 2**31


def in_range(allowed: range, values: Iterable[int]) -> bool:
    """Return whether all values are allowed: only then do rules that calculate with them apply."""
    return all(value in allowed for value in values)


def dimensions(*arrays: Sequence[int]) -> Iterable[tuple[int, tuple[int, ...]]]:
    """Yield ``i, (arrays[0][i], arrays[1][i], ...)``, or nothing if the lengths disagree.

    Then another rule says so, and there is no dimension to speak of.
    """
    counts = {len(array) for array in arrays}
    if len(counts) > 1 or max(counts) > MAXIMUM_DIMENSION_COUNT:
        return ()
    return enumerate(zip(*arrays, strict=True))


def check_integer(complaints: Complaints, field: str, value: int, allowed: range) -> None:
    """Complain about an integer outside its range."""
    if value not in allowed:
        message = f"must be {allowed[0]} to {allowed[-1]}, got {printed(value)}"
        complaints.add(field, message)


def check_array(
    complaints: Complaints, field: str, values: Sequence[int], count: int, allowed: range
) -> None:
    """Complain about a wrong number of entries, or entries outside their range."""
    if len(values) != count:
        complaints.add(field, f"must have one entry per dimension = {count}, got {len(values)}")
    elif count <= MAXIMUM_DIMENSION_COUNT:
        for i, value in enumerate(values):
            check_integer(complaints, f"{field}[{i}]", value, allowed)


def check_same_data_type(
    complaints: Complaints, field: str, got: TensorDataType, owner: str, expected: TensorDataType
) -> None:
    """Complain about a data type that differs from its owner's (``"the input's"``)."""
    if TensorDataType.UNKNOWN not in (got, expected) and got is not expected:
        message = f"must equal {owner} data type {expected.name}, got {got.name}"
        complaints.add(field, message)


def check_same_dimension_count(
    complaints: Complaints, field: str, got: Sequence[int], owner: str, expected: Sequence[int]
) -> None:
    """Complain about sizes that are not as many as their owner's (``"the input's"``)."""
    if len(got) != len(expected):
        message = f"must have {owner} dimension count {len(expected)}, got {len(got)}"
        complaints.add(field, message)


def check_tensor(
    complaints: Complaints,
    field: str,
    tensor: BufferTensorDesc,
    support: Support,
    *,
    is_output: bool = False,
) -> None:
    """Complain about everything in a tensor that is wrong by itself."""
    _check_data_type(complaints, f"{field}.data_type", tensor.data_type, support)
    _check_sizes(complaints, f"{field}.sizes", tensor.sizes, support)
    if tensor.strides is not None:
        _check_strides(complaints, f"{field}.strides", tensor.sizes, tensor.strides, is_output)
    if tensor.data_type is not TensorDataType.UNKNOWN:
        _check_span(complaints, field, tensor)
        _check_alignment(complaints, field, tensor)


def _check_data_type(
    complaints: Complaints, field: str, data_type: TensorDataType, support: Support
) -> None:
    required = support.data_types.get(data_type)
    if required is None:
        allowed = ", ".join(allowed.name for allowed in sorted(support.data_types))
        complaints.add(field, f"must be one of {allowed}, got {data_type.name}")
    else:
        complaints.require_level(field, f"{data_type.name} needs", required)


def _check_sizes(
    complaints: Complaints, field: str, sizes: tuple[int, ...], support: Support
) -> None:
    count = len(sizes)
    required = support.dimension_counts.get(count)
    if required is None:
        fewest, most = min(support.dimension_counts), max(support.dimension_counts)
        complaints.add(field, f"must have {fewest} to {most} dimensions, got {count}")
    else:
        need = "1 dimension needs" if count == 1 else f"{count} dimensions need"
        complaints.require_level(field, need, required)
    if count > MAXIMUM_DIMENSION_COUNT:
        return
    for i, size in enumerate(sizes):
        check_integer(complaints, f"{field}[{i}]", size, SIZES)
    elements = math.prod(sizes) if in_range(SIZES, sizes) else 0
    if elements > MAXIMUM_ELEMENT_COUNT:
        product = " x ".join(map(str, sizes))
        message = f"must be at most {MAXIMUM_ELEMENT_COUNT} elements, got {product} = {elements}"
        complaints.add(field, message)


def _check_strides(
    complaints: Complaints,
    field: str,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    is_output: bool,
) -> None:
    check_array(complaints, field, strides, len(sizes), UINT)
    if is_output and in_range(SIZES, sizes) and in_range(UINT, strides):
        _check_no_overlap(complaints, field, sizes, strides)


def _check_no_overlap(
    complaints: Complaints, field: str, sizes: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    # From the smallest stride to the largest, each must step over all that the smaller ones reach:
    #
    #     sizes (2, 3), strides (4, 1)     reach of 1: 2    4 > 2     a a a . b b b
    #     sizes (2, 3), strides (2, 1)     reach of 1: 2    2 = 2     a a *   b b      * is shared
    #
    # This is enough to prove that no two elements meet, though some that it refuses do not meet
    # either. A dimension of size 1 takes no step, whatever its stride.
    reach = 0
    steps = sorted((stride, i) for i, (size, stride) in dimensions(sizes, strides) if size > 1)
    for stride, i in steps:
        if stride == 0:
            message = f"must not be 0 (to broadcast) in an output, got 0 at size {sizes[i]}"
            complaints.add(f"{field}[{i}]", message)
        elif stride <= reach:
            rule = f"must exceed {reach}, the reach of the smaller strides, or elements may overlap"
            complaints.add(f"{field}[{i}]", f"{rule}, got {stride}")
        reach += (sizes[i] - 1) * stride


def _check_span(complaints: Complaints, field: str, tensor: BufferTensorDesc) -> None:
    total = tensor.total_tensor_size_in_bytes
    if total is not None and total > MAXIMUM_SIZE_IN_BYTES:
        rule = f"must be at most {MAXIMUM_SIZE_IN_BYTES}"
        complaints.add(f"{field}.total_tensor_size_in_bytes", f"{rule}, got {printed(total)}")
    if not _has_span(tensor.sizes, tensor.strides):
        return
    minimum = tensor.minimum_implied_size_in_bytes
    if minimum > MAXIMUM_SIZE_IN_BYTES:
        # Packed, that is too many elements, which another rule says.
        if tensor.strides is not None:
            rule = f"must span at most {MAXIMUM_SIZE_IN_BYTES} bytes"
            complaints.add(f"{field}.strides", f"{rule}, got {minimum}")
    elif total is not None and total < minimum:
        rule = f"must be at least the minimum implied size {minimum}"
        complaints.add(f"{field}.total_tensor_size_in_bytes", f"{rule}, got {printed(total)}")


def _has_span(sizes: tuple[int, ...], strides: tuple[int, ...] | None) -> bool:
    """Return whether a size in bytes follows: sizes and strides are right by themselves."""
    if len(sizes) not in range(1, MAXIMUM_DIMENSION_COUNT + 1) or not in_range(SIZES, sizes):
        return False
    return strides is None or (len(strides) == len(sizes) and in_range(UINT, strides))


def _check_alignment(complaints: Complaints, field: str, tensor: BufferTensorDesc) -> None:
    alignment, itemsize = tensor.guaranteed_base_offset_alignment, tensor.data_type.itemsize
    is_power_of_two = alignment > 0 and alignment & (alignment - 1) == 0
    if alignment == 0 or (is_power_of_two and itemsize <= alignment <= MAXIMUM_ALIGNMENT):
        return
    rule = f"must be 0 or a power of two from the element size {itemsize} to {MAXIMUM_ALIGNMENT}"
    complaints.add(f"{field}.guaranteed_base_offset_alignment", f"{rule}, got {printed(alignment)}")
