"""What happens in a run as the lines that DxDispatch prints.

Where the lines of DxDispatch are hard to read, these differ: 8-bit values are numbers, not
characters; the digits of a value's bits are filled up with zeros, not spaces; no line ends in a
space; control characters in names are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

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
from dmlc.adapters.dxdispatch.options import RunOptions
from dmlc.descriptors.json.place import printable

_S_OK, _E_FAIL = "0x00000000", "0x80004005"


def event_lines(event: Event, options: RunOptions) -> list[str]:
    """Return what DxDispatch prints when `event` happens."""
    match event:
        case Initialized() if options.verbosity >= 1:
            return [f"Initialize '{printable(event.dispatchable)}': {event.milliseconds:.4f} ms"]
        case CommandStarted() if options.print_commands:
            return [f"[StartCmd][{event.index:04}]\t: {printable(event.text)}"]
        case CommandEnded() if options.print_commands:
            result = f"hr={_S_OK}" if event.error is None else f"hr={_E_FAIL} {event.error}"
            return [f"[EndCmd][{event.index:04}]\t: {result}", ""]
        case Dispatched():
            return list(_timing_lines(event.dispatchable, event.samples, options))
        case Printed():
            return [format_resource(event.resource, event.arrays, verbose=event.verbose)]
        case Written():
            return [f"Resource '{printable(event.resource)}' written to '{printable(event.path)}'"]
        case Initialized() | CommandStarted() | CommandEnded() | Failed():
            return []


def format_elements(arrays: Iterable[npt.NDArray[Any]]) -> list[str]:
    """Return each element as text: 6 significant digits, ``nan``, ``inf``, ``-inf``.

    Examples
    --------
    >>> import numpy as np
    >>> format_elements([np.array([1.5, 1e6, 100000, 1 / 3, np.nan], np.float32)])
    ['1.5', '1e+06', '100000', '0.333333', 'nan']
    """
    texts: list[str] = []
    for array in arrays:
        template = "%g" if array.dtype.kind == "f" else "%d"
        texts += [template % value for value in array.tolist()]
    return texts


def format_bits(arrays: Iterable[npt.NDArray[Any]]) -> list[str]:
    """Return each element's bits in hexadecimal, two digits for each byte.

    Examples
    --------
    >>> import numpy as np
    >>> format_bits([np.array([1, -1], np.float16)])
    ['0x3C00', '0xBC00']
    """
    texts: list[str] = []
    for array in arrays:
        bits = array.view(np.dtype(f"u{array.itemsize}"))
        texts += [f"0x{value:0{2 * array.itemsize}X}" for value in bits.tolist()]
    return texts


def format_resource(name: str, arrays: Iterable[npt.NDArray[Any]], *, verbose: bool) -> str:
    """Return what the print command prints, without a final line end."""
    arrays = tuple(arrays)
    values = format_elements(arrays)
    name = printable(name)
    if not verbose:
        return f"Resource '{name}': {', '.join(values)}"
    width = len(str(len(values)))
    bits = format_bits(arrays)
    lines = [
        f"[{index:{width}}] {value} ({hexadecimal})"
        for index, (value, hexadecimal) in enumerate(zip(values, bits, strict=True))
    ]
    return "\n".join([f"Resource '{name}':", *lines])


def _timing_lines(name: str, samples: Sequence[float], options: RunOptions) -> Iterator[str]:
    cold_count = min(len(samples) - 1, options.warmup)
    cold, hot = samples[:cold_count], samples[cold_count:]
    head = f"Dispatch '{printable(name)}': {len(samples)} iterations"
    if options.verbosity == 0:
        yield f"{head}, {median(hot):.4f} ms median (CPU)"
        return
    yield head
    for label, part in (("Cold", cold), ("Hot", hot)):
        if part:
            average = sum(part) / len(part)
            yield (
                f"CPU Timings {f'({label})':6} : {len(part)} samples, {average:.4f} ms average, "
                f"{min(part):.4f} ms min, {median(part):.4f} ms median, {max(part):.4f} ms max"
            )
    if options.verbosity >= 2:
        yield "The timings of each iteration:"
        for index, sample in enumerate(samples):
            yield f"iteration {index}: {sample:.4f} ms (CPU)"


def median(samples: Sequence[float]) -> float:
    """Return DxDispatch's median: of an even count, the larger of the two in the middle."""
    return sorted(samples)[len(samples) // 2]
