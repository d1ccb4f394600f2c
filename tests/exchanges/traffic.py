"""What a server received: every arrival with its path and weight, and what came of it."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Arrival:
    """One request. `time_ms` is monotonic; `pool` is what its weight counts in."""

    time_ms: float
    path: str
    pool: str
    weight: int


@dataclass
class Traffic:
    """The log of one server since its start or its last reset."""

    arrivals: list[Arrival] = field(default_factory=list)
    pages: Counter[str] = field(default_factory=Counter)
    empty_pages: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    violations: int = 0
    during_ban: int = 0
    _minute: int = 0
    _used: Counter[str] = field(default_factory=Counter)

    def note(self, arrival: Arrival, minute: int) -> int:
        """Log an arrival; return the weight used in its pool in this minute of the server's clock."""
        self.arrivals.append(arrival)
        if minute != self._minute:
            self._minute, self._used = minute, Counter()
        self._used[arrival.pool] += arrival.weight
        return self._used[arrival.pool]

    def report(self, window_ms: float | None, *, with_arrivals: bool) -> dict[str, Any]:
        """Return everything as JSON holds it; with a window also the most that ever arrived in one."""
        report: dict[str, Any] = {
            "requests": len(self.arrivals),
            "weight": sum(arrival.weight for arrival in self.arrivals),
            "by_path": dict(Counter(arrival.path for arrival in self.arrivals)),
            "pages": self.pages.total(),
            "pages_by_path": dict(self.pages),
            "empty_pages": self.empty_pages.total(),
            "rows": self.rows.total(),
            "rows_by_path": dict(self.rows),
            "statuses": dict(self.statuses),
            "faults": dict(self.faults),
            "violations": self.violations,
            "during_ban": self.during_ban,
        }
        if window_ms is not None:
            report["window"] = self._report_window(window_ms)
        if with_arrivals:
            report["arrivals"] = [[each.time_ms, each.path, each.pool, each.weight] for each in self.arrivals]
        return report

    def _report_window(self, window_ms: float) -> dict[str, Any]:
        by_path: dict[str, list[Arrival]] = {}
        by_pool: dict[str, list[Arrival]] = {}
        for arrival in self.arrivals:
            by_path.setdefault(arrival.path, []).append(arrival)
            by_pool.setdefault(arrival.pool, []).append(arrival)
        return {
            "window_ms": window_ms,
            "max_requests": find_most(self.arrivals, window_ms, lambda arrival: 1),
            "max_weight": find_most(self.arrivals, window_ms, lambda arrival: arrival.weight),
            "max_requests_by_path": {
                path: find_most(arrivals, window_ms, lambda arrival: 1) for path, arrivals in by_path.items()
            },
            "max_weight_by_pool": {
                pool: find_most(arrivals, window_ms, lambda arrival: arrival.weight)
                for pool, arrivals in by_pool.items()
            },
        }


def find_most(arrivals: Iterable[Arrival], window_ms: float, count: Callable[[Arrival], int]) -> int:
    """Return the most that arrived in any half-open window of this length."""
    ordered = sorted(arrivals, key=lambda arrival: arrival.time_ms)
    times = [arrival.time_ms for arrival in ordered]
    totals = [0]
    for arrival in ordered:
        totals.append(totals[-1] + count(arrival))
    starts = (bisect_right(times, time_ms - window_ms) for time_ms in times)
    return max((totals[end] - totals[start] for end, start in enumerate(starts, 1)), default=0)
