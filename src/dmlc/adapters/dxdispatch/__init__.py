"""DxDispatch models: JSON files that describe tensors, operators and what to do with them.

DxDispatch is DirectML's own command-line runner for such files. There are two rooms here:

    text --parsing--> Model --running--> events --formatting--> lines
                                               --reports-----> JSON

`parsing` reads no tensor memory but that of source files and runs nothing; `running` runs, writes
files and never looks at JSON. What reads and writes descriptors stands in `descriptors.json`.
"""

from __future__ import annotations

from dmlc.adapters.dxdispatch.comparing import (
    Comparison,
    check_resource,
    compare_files,
    compare_resource,
)
from dmlc.adapters.dxdispatch.events import Event, Failed
from dmlc.adapters.dxdispatch.files import read_array
from dmlc.adapters.dxdispatch.formatting import event_lines
from dmlc.adapters.dxdispatch.model import Model
from dmlc.adapters.dxdispatch.options import RunOptions
from dmlc.adapters.dxdispatch.parsing import load_model, parse_model
from dmlc.adapters.dxdispatch.reports import comparison_report, error_report, event_report
from dmlc.adapters.dxdispatch.running import ModelRun, check_model, run_model
from dmlc.descriptors.json.place import ModelError, printable

__all__ = [
    "Comparison",
    "Event",
    "Failed",
    "Model",
    "ModelError",
    "ModelRun",
    "RunOptions",
    "check_model",
    "check_resource",
    "compare_files",
    "compare_resource",
    "comparison_report",
    "error_report",
    "event_lines",
    "event_report",
    "load_model",
    "parse_model",
    "printable",
    "read_array",
    "run_model",
]
