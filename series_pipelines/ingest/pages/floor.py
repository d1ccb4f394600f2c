"""Proves where a history starts. One answer never does: a tail ends only when two independent grounds agree.

| ground | what it is |
|---|---|
| `listing` | the exchange's listing date is where the first row is |
| `empty` | two answers apart in time show nothing before the first row |
| `probe` | an answer to a request for earlier time has nothing there |
| `coarser` | the same product's history at a coarser duration is proven to begin there |

A floor is a `listing` where the product began, and a `retention` where the vendor keeps nothing older. Both are
verified again on a schedule. Data from before a floor takes it away.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

from series_pipelines.core.duration import DAY_MS, MINUTE_MS
from series_pipelines.ingest.pages.check import Page
from series_pipelines.ingest.planning.cadence import Cadence
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.planning.requests import PROBE, Fetch, find_oldest

FloorKind = Literal["listing", "retention"]

ENOUGH_GROUNDS: Final = 2
APART_MS: Final = 5 * MINUTE_MS
"""Answers closer together than this are one answer."""
RECHECK_MS: Final = 7 * DAY_MS
"""How long a floor stands before it is verified again, unless it is set otherwise."""


@dataclass(frozen=True, slots=True)
class Floor:
    """What is known about the start of a history: the proven floor, if it is proven, and what speaks for it."""

    time_ms: int | None
    kind: str | None
    grounds: tuple[str, ...]
    nothing_earlier_ms: int | None
    recheck_ms: int | None


def keep_floor(facts: SeriesFacts) -> Floor:
    """Return what is known already; an attempt that failed says nothing new."""
    return Floor(
        facts.floor_ms, facts.floor_kind, tuple(facts.floor_grounds), facts.nothing_earlier_ms, facts.recheck_ms
    )


def prove_floor(
    facts: SeriesFacts, fetch: Fetch, page: Page, cadence: Cadence, now_ms: int, recheck_after_ms: int = RECHECK_MS
) -> Floor:
    """Return what is known about the start after a well-formed answer."""
    has_new_start = page.range is not None and (facts.start_ms is None or page.range.start_ms < facts.start_ms)
    if not has_new_start and fetch.target != "start":
        return keep_floor(facts)
    start_ms = page.range.start_ms if has_new_start and page.range is not None else facts.start_ms
    if start_ms is None:
        return keep_floor(facts)
    grounds = set() if has_new_start else set(facts.floor_grounds)
    nothing_earlier_ms = None if has_new_start else facts.nothing_earlier_ms
    if not has_new_start:
        if nothing_earlier_ms is None:
            nothing_earlier_ms = now_ms
        elif now_ms - nothing_earlier_ms >= APART_MS:
            grounds.add("empty")
    if _asked_earlier(facts, fetch, page, start_ms, cadence):
        grounds.add(PROBE)
    if facts.listed_ms is not None and abs(start_ms - facts.listed_ms) < _find_step(page, cadence):
        grounds.add("listing")
    if facts.coarser_start_ms is not None and facts.coarser_bar_ms is not None:
        is_there = facts.coarser_start_ms <= start_ms < facts.coarser_start_ms + facts.coarser_bar_ms
        grounds |= {"coarser"} if is_there else set()
    if len(grounds) < ENOUGH_GROUNDS:
        return Floor(None, None, tuple(sorted(grounds)), nothing_earlier_ms, None)
    kind = _name_floor(start_ms, facts, grounds, cadence)
    return Floor(start_ms, kind, tuple(sorted(grounds)), nothing_earlier_ms, now_ms + recheck_after_ms)


def _asked_earlier(facts: SeriesFacts, fetch: Fetch, page: Page, start_ms: int, cadence: Cadence) -> bool:
    """Whether the answer would have shown rows from before the first one, and shows none."""
    if fetch.direction == "forward":
        # From any later time an outage before the first row would look the same.
        asked_all = fetch.time_ms <= min(start_ms - cadence.bar_ms, find_oldest(facts, cadence))
        return asked_all and (page.range is None or page.range.start_ms >= start_ms)
    if page.is_empty:
        return fetch.time_ms <= start_ms
    # A page that is not full had room for earlier rows; of bars also within the time that a full page spans.
    if cadence.page_rows is None or cadence.page_ms is None or page.received >= cadence.page_rows:
        return False
    return cadence.duration is None or fetch.time_ms - cadence.page_ms < start_ms - cadence.bar_ms


def _find_step(page: Page, cadence: Cadence) -> int:
    """Return one bar, or for rates the page's own first interval: no whole one fits between listing and first row."""
    if cadence.duration is not None:
        return cadence.duration.nominal_ms
    return page.rows[1][0] - page.rows[0][0] if len(page.rows) > 1 else 1


def _name_floor(start_ms: int, facts: SeriesFacts, grounds: Collection[str], cadence: Cadence) -> FloorKind:
    if "listing" in grounds:
        return "listing"
    near_ms = max(DAY_MS, cadence.bar_ms)
    if facts.listed_ms is not None:
        return "listing" if start_ms - facts.listed_ms <= near_ms else "retention"
    is_cut = facts.coarser_start_ms is not None and start_ms - facts.coarser_start_ms > (facts.coarser_bar_ms or 0)
    return "retention" if is_cut else "listing"
