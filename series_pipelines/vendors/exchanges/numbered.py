"""Finds the page for a time where an exchange only numbers its pages, newest rows first.

New rows push old ones to higher numbers, so pages read from new to old repeat rows but never skip one; a page that
was read before a newer one is read again. What was read last of each series is kept, and the next request of a
backward walk is answered with one more page.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from series_pipelines.core.ranges import MAX_OVERLAP_MS
from series_pipelines.errors import PageRefused
from series_pipelines.vendors.exchanges.wire import Rate

MOST_REQUESTS: Final = 24
GUESSES: Final = 4
MOST_SERIES: Final = 4_096

Ask = Callable[[int], list[Rate]]
"""Reads one page by its number, from 1; oldest row first, empty after the last page."""


@dataclass(slots=True)
class KnownRows:
    """Rows without a hole between them, oldest first, and the page that held the oldest when it was read."""

    rows: list[Rate]
    page: int

    def joins(self, time_ms: int) -> bool:
        """Whether the newest row before the time is surely among these."""
        return bool(self.rows) and self.rows[0][0] < time_ms <= self.rows[-1][0]


@dataclass(slots=True)
class PageMemory:
    """What was read last of each series, in this process; the oldest entry goes first."""

    stretches: dict[str, KnownRows] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def get(self, series: str) -> KnownRows | None:
        with self.lock:
            return self.stretches.get(series)

    def put(self, series: str, stretch: KnownRows) -> None:
        with self.lock:
            self.stretches.pop(series, None)
            self.stretches[series] = stretch
            if len(self.stretches) > MOST_SERIES:
                self.stretches.pop(next(iter(self.stretches)))


def fetch_before(ask: Ask, page_rows: int, series: str, time_ms: int, memory: PageMemory) -> list[Rate]:
    """Return the newest rows before the time, at least a page of them if there are so many; none if there are none."""
    known = memory.get(series)
    joined = known is not None and known.joins(time_ms)
    found = _read_on(ask, known) if joined and known else _search(ask, page_rows, time_ms)
    if found is None:
        return []
    if not joined and found.rows[0][0] >= time_ms - MAX_OVERLAP_MS:
        found = _read_on(ask, found)
    asks_for_newest = found.page == 1 and found.rows[-1][0] < time_ms
    if known is None or not asks_for_newest:
        memory.put(series, KnownRows(found.rows[: 2 * page_rows], found.page))
    return [rate for rate in found.rows if rate[0] < time_ms]


def _read_on(ask: Ask, known: KnownRows) -> KnownRows:
    oldest_ms = known.rows[0][0]
    page = known.page + 1
    for _ in range(MOST_REQUESTS):
        rows = ask(page)
        older = [rate for rate in rows if rate[0] < oldest_ms]
        if not rows:
            return known
        if older:
            return KnownRows([*older, *known.rows], page)
        page += 1
    raise PageRefused(f"{MOST_REQUESTS} pages show nothing before {oldest_ms}, and do not end")


def _search(ask: Ask, page_rows: int, time_ms: int) -> KnownRows | None:
    first = ask(1)
    if not first:
        return None
    if first[0][0] < time_ms:
        return KnownRows(first, 1)
    newer, older = 1, None
    oldest_ms, cadence_ms = first[0][0], _find_cadence(first)
    for attempt in range(MOST_REQUESTS):
        page = newer + 1 + max(0, (oldest_ms - time_ms) // (cadence_ms * page_rows))
        if attempt >= GUESSES:
            page = newer + (1 << attempt) if older is None else (newer + older) // 2
        if older is not None:
            page = max(newer + 1, min(page, older - 1))
        rows = ask(page)
        if rows and rows[0][0] >= time_ms:
            newer, oldest_ms, cadence_ms = page, rows[0][0], _find_cadence(rows)
            if older is not None and older <= newer:
                older = None
        elif rows and (rows[-1][0] >= time_ms or page == newer + 1):
            return KnownRows(rows, page)
        elif page == newer + 1:
            return None
        else:
            older = page
            if rows:
                # Too far: the rows between are closer together than the cadence said.
                cadence_ms = max(1, (oldest_ms - rows[-1][0]) // max(1, (page - newer - 1) * page_rows))
            else:
                cadence_ms = max(cadence_ms, (oldest_ms - time_ms) * 2 // ((page - newer) * page_rows))
    raise PageRefused(f"the page for {time_ms} was not found in {MOST_REQUESTS} requests")


def _find_cadence(rows: list[Rate]) -> int:
    return max(1, (rows[-1][0] - rows[0][0]) // max(1, len(rows) - 1)) if len(rows) > 1 else 3_600_000
