"""What every benchmark uses: the row it returns, a stopwatch, paired rounds, progress lines on stderr."""

import gc
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the result: what was measured, what is wanted, what came out."""

    what: str
    target: str
    measured: str
    ok: bool
    detail: str
    numbers: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Pairs:
    """Times of ours and of the yardstick, taken in turns, so that a noisy moment hits both."""

    ours: list[float] = field(default_factory=list)
    yardstick: list[float] = field(default_factory=list)

    def run(self, ours: Callable[[], object], yardstick: Callable[[], object]) -> None:
        """Time both once; who goes first alternates."""
        if len(self.ours) % 2:
            self.yardstick.append(time_call(yardstick))
            self.ours.append(time_call(ours))
        else:
            self.ours.append(time_call(ours))
            self.yardstick.append(time_call(yardstick))

    @property
    def speedup(self) -> float:
        """How many times as fast as the yardstick ours is, in the median round."""
        return median(yardstick / ours for ours, yardstick in zip(self.ours, self.yardstick, strict=True))


def time_call(call: Callable[[], object]) -> float:
    """Return the seconds a call takes; garbage of what came before is collected first."""
    gc.collect()
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def say(text: str) -> None:
    """Write a progress line."""
    sys.stderr.write(f"bench: {text}\n")
    sys.stderr.flush()
