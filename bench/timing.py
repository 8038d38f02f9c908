"""Interleaved timing: every contestant once per round, medians over rounds.

    round 0   A B C D
    round 1   B C D A      the order rotates, so that no contestant always follows the same one
    round 2   C D A B

Before a sample the process falls silent: OpenMP and other thread pools spin for some milliseconds
after their last work and would take a core away from whoever comes next. An untimed warm-up then
brings a contestant's data into the caches and its threads back to life.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from timeit import Timer
from typing import TypeVar

Sampler = Callable[[int], float]
"""sampler(repeats): the seconds that so many repetitions take together."""

Key = TypeVar("Key", bound=Hashable)

SAMPLE_SECONDS = 200e-6
SILENCE_SECONDS = 0.006  # longer than the 4 ms after which Linux updates a running thread's clock
LONGEST_WAIT_SECONDS = 0.1
DISTURBING_CORES = 0.2
"""Other processes that take more of a core than this make times doubtful."""


@dataclass(frozen=True)
class Plan:
    """How long to measure."""

    rounds: int = 9
    seconds_each: float = 2.0  # a contestant that has used as much stops after three samples
    attempts: int = 3  # a race that other work disturbed is held again: so many races at most
    warm_up_seconds: float = 0.010  # two scheduler ticks: woken threads may share a core for one
    silence: bool = True  # before each sample; threads that nobody has need no wait


QUICK = Plan(rounds=3, seconds_each=0.5, attempts=2)


@dataclass
class Contestant:
    """A sampler, how often to repeat it in a sample, and what came of it."""

    sampler: Sampler
    repeats: int = 1
    spent: float = 0.0
    seconds: list[float] = field(default_factory=list)

    def take_sample(self, plan: Plan) -> None:
        if plan.silence:
            fall_silent()
        warm_up(self.sampler, self.repeats, plan.warm_up_seconds)
        total = self.sampler(self.repeats)
        self.spent += 2 * total
        self.seconds.append(total / self.repeats)


def python_sampler(run: Callable[[], object]) -> Sampler:
    return Timer(run).timeit


def warm_up(sampler: Sampler, repeats: int, seconds: float) -> None:
    """Run until the caches are filled and the scheduler has spread the threads over the cores."""
    deadline = time.perf_counter() + seconds
    while time.perf_counter() < deadline:
        sampler(repeats)


def fall_silent() -> None:
    """Wait until no thread of this process runs any more."""
    deadline = time.perf_counter() + LONGEST_WAIT_SECONDS
    while time.perf_counter() < deadline:
        before = time.process_time()
        time.sleep(SILENCE_SECONDS)
        if time.process_time() - before < SILENCE_SECONDS / 10:
            return


def repeats_for(sampler: Sampler, target: float = SAMPLE_SECONDS) -> int:
    """How many repetitions make a sample of at least `target` seconds."""
    repeats, total = 1, sampler(1)
    while total < target:
        needed = math.ceil(1.2 * repeats * target / max(total, 1e-9))
        repeats = min(max(2 * repeats, needed), 100 * repeats)
        total = sampler(repeats)
    return repeats


def race(samplers: Mapping[Key, Sampler], plan: Plan) -> dict[Key, list[float]]:
    """Seconds per repetition of every sampler, one entry per round."""
    contestants = []
    for sampler in samplers.values():
        sampler(1)  # the first call of all plans, compiles and faults pages in
        contestants.append(Contestant(sampler, repeats_for(sampler)))
    for number in range(plan.rounds):
        start = number % max(len(contestants), 1)
        for contestant in contestants[start:] + contestants[:start]:
            if contestant.spent < plan.seconds_each or len(contestant.seconds) < 3:
                contestant.take_sample(plan)
    return {key: c.seconds for key, c in zip(samplers, contestants, strict=True)}


class OtherWork:
    """How many cores somebody else keeps busy, between its making and a call of `cores`."""

    def __init__(self) -> None:
        self.wall, self.machine, self.own = time.monotonic(), busy_seconds(), time.process_time()

    def cores(self) -> float | None:
        now = busy_seconds()
        if self.machine is None or now is None:
            return None
        others = (now - self.machine) - (time.process_time() - self.own)
        return max(0.0, others) / (time.monotonic() - self.wall)


def race_undisturbed(
    samplers: Mapping[Key, Sampler], plan: Plan
) -> tuple[dict[Key, list[float]], float | None]:
    """The least disturbed of some races, and how many cores others took meanwhile."""
    best: dict[Key, list[float]] = {}
    least = math.inf
    for _ in range(plan.attempts):
        other_work = OtherWork()
        samples = race(samplers, plan)
        cores = other_work.cores()
        if cores is None:
            return samples, None
        if cores < least:
            best, least = samples, cores
        if cores <= DISTURBING_CORES:
            break
    return best, least


def busy_seconds() -> float | None:
    """Seconds that all cores together have worked for anybody, None where it is not told."""
    try:
        line = Path("/proc/stat").read_text().splitlines()[0]
    except OSError:
        return None
    user, nice, system, _idle, _waiting, *interrupts_and_stolen = map(int, line.split()[1:9])
    return (user + nice + system + sum(interrupts_and_stolen)) / os.sysconf("SC_CLK_TCK")


def fastest(samplers: Mapping[Key, Sampler]) -> Key:
    """The quickest of some rivals from one library, by a short look at each."""
    if len(samplers) == 1:
        return next(iter(samplers))
    fall_silent()
    repeats = {key: repeats_for(sampler) for key, sampler in samplers.items()}
    best = dict.fromkeys(samplers, math.inf)
    for _ in range(3):
        for key, sampler in samplers.items():
            best[key] = min(best[key], sampler(repeats[key]) / repeats[key])
    return min(best, key=lambda key: best[key])
