"""Asks for pages as a lane does: through `fetch_page`, each with an overlap into what is known."""

from dataclasses import dataclass
from typing import Any

from series_pipelines.core.duration import DAY_MS, parse_duration
from series_pipelines.ingest.lane.fetch import fetch_page
from series_pipelines.ingest.pages.check import ALL_TIME, Page
from series_pipelines.ingest.planning.requests import Fetch
from series_pipelines.vendors.contract import Vendor
from tests.contract.vendor_case import Series


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk over pages brought; it has ended if the last page brought nothing more."""

    rows: list[Any]
    pages: int
    has_ended: bool


def ask(vendor: Vendor, series: Series, time_ms: int) -> Page:
    """Fetch one page and check it."""
    fetch = Fetch("head", "head", time_ms, "the contract's tests ask")
    return fetch_page(vendor, series.capability, series.series_id, fetch.time_ms, ALL_TIME, None)


def find_head_time(series: Series, now_ms: int) -> int:
    """Return the time that asks for the newest rows: now, or a while before it for a vendor that pages forward."""
    if series.is_backward:
        return now_ms
    return now_ms - (DAY_MS if series.duration is None else 60 * parse_duration(series.duration).nominal_ms)


def walk(vendor: Vendor, series: Series, time_ms: int, most_pages: int) -> Walk:
    """Page away from a time until nothing more comes; every page must hold a row of the one before, unchanged."""
    rows: dict[int, Any] = {}
    for pages in range(1, most_pages + 1):
        page = ask(vendor, series, time_ms)
        assert page.outside == 0, f"{series.series_id}: rows outside the asked direction"
        found = {row[0]: row for row in page.rows}
        assert not rows or found.keys() & rows.keys(), f"{series.series_id}: page {pages} leaves a hole"
        assert all(found[time] == rows[time] for time in found.keys() & rows.keys()), series.series_id
        is_new = bool(found.keys() - rows.keys())
        rows |= found
        if not is_new or page.range is None:
            return Walk([rows[time] for time in sorted(rows)], pages, True)
        overlap_ms = series.cadence.overlap_ms
        time_ms = page.range.start_ms + overlap_ms if series.is_backward else page.range.end_ms - overlap_ms
    return Walk([rows[time] for time in sorted(rows)], most_pages, False)
