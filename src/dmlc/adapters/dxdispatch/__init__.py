"""DxDispatch models: JSON files that describe tensors, operators and what to do with them.

DxDispatch is DirectML's own command-line runner for such files. There are two rooms here:

    text --relaxed_json--> values --parsing--> Model --running--> printed lines and written files

`parsing` reads no tensor memory but that of source files and runs nothing; `running` runs and
never looks at JSON.
"""

from __future__ import annotations

from dmlc.adapters.dxdispatch.model import Model
from dmlc.adapters.dxdispatch.parsing import load_model, parse_model
from dmlc.adapters.dxdispatch.running import RunOptions, run_model
from dmlc.descriptors.json.place import ModelError, printable

__all__ = [
    "Model",
    "ModelError",
    "RunOptions",
    "load_model",
    "parse_model",
    "printable",
    "run_model",
]
