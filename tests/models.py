"""DxDispatch models as JSON values, for the tests of the command line."""

from __future__ import annotations

from typing import Any


def floats(count: int, value: float = 0) -> dict[str, Any]:
    return {
        "initialValuesDataType": "FLOAT32",
        "initialValues": {"valueCount": count, "value": value},
    }


def tensor(*sizes: int, data_type: str = "FLOAT32", **more: Any) -> dict[str, Any]:
    return {"DataType": data_type, "Sizes": list(sizes), **more}


def dispatch(name: str, **bindings: Any) -> dict[str, Any]:
    return {"type": "dispatch", "dispatchable": name, "bindings": bindings}


def show(resource: str) -> dict[str, Any]:
    return {"type": "print", "resource": resource}


def edge_padding(**changes: Any) -> dict[str, Any]:
    """``1 2 3`` to ``1 1 2 3 3``, with other fields if need be."""
    desc = {
        "InputTensor": tensor(3),
        "OutputTensor": tensor(5),
        "PaddingMode": "EDGE",
        "PaddingValue": 0,
        "DimensionCount": 1,
        "StartPadding": [1],
        "EndPadding": [1],
        **changes,
    }
    return {"type": "PADDING", "desc": desc}


def padding_model() -> dict[str, Any]:
    return {
        "resources": {
            "in": {"initialValuesDataType": "FLOAT32", "initialValues": [1, 2, 3]},
            "out": floats(5),
        },
        "dispatchables": {"pad": edge_padding()},
        "commands": [dispatch("pad", InputTensor="in", OutputTensor="out"), show("out")],
    }
