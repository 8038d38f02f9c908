"""How a model is run."""

from __future__ import annotations

from dataclasses import dataclass

from dmlc.enums import FeatureLevel


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How often each dispatch runs, what is told of it, and what the device can do.

    Parameters
    ----------
    iterations : int, optional
        Timed samples of each dispatch.
    repeat : int, optional
        Dispatches in each sample.
    milliseconds : float, optional
        Go on for so long instead of `iterations`.
    interval : float, optional
        At least so many milliseconds from the start of a sample to the start of the next.
    warmup : int, optional
        First samples that the statistics leave out; the last sample always counts.
    verbosity : int, optional
        0 prints the median, 1 cold and hot statistics and compile times, 2 every sample as well.
    print_commands : bool, optional
        Print a line before and after each command.
    feature_level : FeatureLevel, optional
        What the device can do; the newest level by default.
    write_files : bool, optional
        Whether writeFile commands write.
    """

    iterations: int = 1
    repeat: int = 1
    milliseconds: float | None = None
    interval: float = 0
    warmup: int = 1
    verbosity: int = 0
    print_commands: bool = False
    feature_level: FeatureLevel = FeatureLevel.LEVEL_6_4
    write_files: bool = True
