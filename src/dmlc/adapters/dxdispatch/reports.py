"""What happens in a run as JSON, for programs that read it."""

from __future__ import annotations

from typing import Any

from dmlc.adapters.dxdispatch.comparing import Comparison
from dmlc.adapters.dxdispatch.events import (
    Dispatched,
    Event,
    Initialized,
    Printed,
    Written,
)
from dmlc.adapters.dxdispatch.formatting import format_bits, median
from dmlc.adapters.dxdispatch.options import RunOptions
from dmlc.descriptors.json.place import ModelError
from dmlc.descriptors.json.values import write_number
from dmlc.enums import TensorDataType


def event_report(event: Event, options: RunOptions) -> dict[str, Any] | None:
    """Return an event as `json.dumps` takes it, or None for one that reports leave out."""
    match event:
        case Initialized():
            return {
                "event": "initialize",
                "dispatchable": event.dispatchable,
                "milliseconds": event.milliseconds,
            }
        case Dispatched():
            hot = event.samples[min(len(event.samples) - 1, options.warmup) :]
            return {
                "event": "dispatch",
                "dispatchable": event.dispatchable,
                "milliseconds": list(event.samples),
                "median": median(hot),
            }
        case Printed():
            parts = [
                {
                    "dataType": TensorDataType.from_dtype(array.dtype).name,
                    "values": [write_number(value) for value in array.tolist()],
                    "bits": format_bits([array]),
                }
                for array in event.arrays
            ]
            return {"event": "print", "resource": event.resource, "values": parts}
        case Written():
            return {"event": "writeFile", "resource": event.resource, "targetPath": event.path}
        case _:
            return None


def comparison_report(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as `json.dumps` takes it."""
    report: dict[str, Any] = {
        "resource": comparison.resource,
        "expected": comparison.expected,
        "elements": comparison.elements,
        "differing": comparison.differing,
        "ulp": comparison.ulp,
    }
    if comparison.value is not None and comparison.expected_value is not None:
        both = [comparison.value, comparison.expected_value]
        values = [write_number(value.item()) for value in both]
        bits = [format_bits([value.reshape(1)])[0] for value in both]
        report["first"] = {
            "coordinates": list(comparison.coordinates or ()),
            "got": {"value": values[0], "bits": bits[0]},
            "expected": {"value": values[1], "bits": bits[1]},
        }
    return report


def error_report(error: ModelError) -> dict[str, Any]:
    """Return what is wrong with a model as `json.dumps` takes it."""
    return {"place": error.place, "problem": error.problem}
