"""A zero-latency demo vendor for benchmarks, its series in the database, and pages ready to be committed.

`create` is the vendor's factory for Dagster's processes: `SERIES_VENDORS=benchmarks.market:create`.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import uuid4

from series_pipelines.core.duration import DAY_MS, MINUTE_MS
from series_pipelines.ingest.catalogue.universe import sync_universe
from series_pipelines.ingest.lane.fetch import fetch_page
from series_pipelines.ingest.ledger.append import Author
from series_pipelines.ingest.pages.check import ALL_TIME
from series_pipelines.ingest.pages.outcome import judge_page
from series_pipelines.ingest.planning.cadence import find_cadence
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.planning.requests import Fetch
from series_pipelines.ingest.storing import states
from series_pipelines.ingest.storing.commit import Finished, commit_group
from series_pipelines.ingest.storing.writer import MAX_GROUP
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.contract import INGEST_OHLC, Direction, Limits, Product, Vendor
from series_pipelines.vendors.demo.market import DemoProduct
from series_pipelines.vendors.demo.vendor import DemoService, DemoVendor
from series_pipelines.vendors.registry import Registry
from series_pipelines.vendors.services import Capability

TABLE: Final = "ohlc_v2"
SERIES_VARIABLE: Final = "BENCH_SERIES"
PAGE_ROWS: Final[Mapping[Direction, int]] = {"backward": 300, "forward": 1_000}


def read_clock() -> int:
    """Return the time now, in UTC epoch milliseconds."""
    return time.time_ns() // 1_000_000


def make_vendor(
    series: int, page_rows: Mapping[Direction, int] = PAGE_ROWS, clock: Callable[[], int] = read_clock
) -> DemoVendor:
    """Make a vendor with one capability a direction, each with this many one-minute series."""
    listing_ms = read_clock() // DAY_MS * DAY_MS - 365 * DAY_MS
    services = [
        DemoService(INGEST_OHLC, find_prefix(direction), direction, rows, ("PT1M",), Limits(grace_ms=0))
        for direction, rows in page_rows.items()
    ]
    products = [
        DemoProduct(Product(f"{service.prefix}P{number:05d}", price_step="0.01", listed_ms=listing_ms), listing_ms)
        for service in services
        for number in range(series)
    ]
    return DemoVendor("bench", services, products, clock=clock)


def find_prefix(direction: Direction) -> str:
    """Return the product prefix of the direction's capability."""
    return f"BENCH/{direction.upper()}/"


def create(options: Mapping[str, Any]) -> Sequence[Vendor]:
    """Make the vendor inside a process that Dagster starts."""
    return [make_vendor(int(os.environ[SERIES_VARIABLE]))]


def register(conn: Connection, vendor: DemoVendor) -> dict[str, Capability]:
    """Write the vendor's products, capabilities and series as the universe sensor does; return its capabilities."""
    registry = Registry([vendor])
    sync_universe(conn, registry, read_clock())
    return {capability.direction: capability for capability in registry.read().capabilities.values()}


def read_series(conn: Connection, capability: Capability) -> list[SeriesFacts]:
    """Return a capability's series, in key order."""
    with conn.transaction():
        return sorted(states.read_facts(conn, TABLE, cap_key=capability.cap_key))


def fetch_older(vendor: DemoVendor, capability: Capability, facts: SeriesFacts, now_ms: int) -> Finished:
    """Fetch the page that ends where the series begins; a backward vendor's next page of history, without overlap."""
    kind, target = ("head", "head") if facts.start_ms is None else ("tail", "start")
    time_ms = now_ms if facts.start_ms is None else facts.start_ms
    return _fetch(vendor, capability, facts, Fetch(kind, target, time_ms, "bench"), now_ms)  # type: ignore[arg-type]


def fetch_newer(vendor: DemoVendor, capability: Capability, facts: SeriesFacts, time_ms: int) -> Finished:
    """Fetch the head page from a time on, or up to it when the vendor pages backward."""
    return _fetch(vendor, capability, facts, Fetch("head", "head", time_ms, "bench"), vendor.clock())


def advance(finished: Finished) -> SeriesFacts:
    """Return what is known of a series once the attempt is committed."""
    assert finished.page is not None
    assert finished.page.range is not None
    facts, covered = finished.facts, finished.page.range
    return facts._replace(
        start_ms=covered.start_ms if facts.start_ms is None else min(facts.start_ms, covered.start_ms),
        end_ms=covered.end_ms if facts.end_ms is None else max(facts.end_ms, covered.end_ms),
        page_span_ms=finished.outcome.page_span_ms,
    )


def commit_pages(conn: Connection, capability: Capability, pages: Sequence[Finished]) -> None:
    """Commit pages, one a series, in groups as large as a lane's writer makes them."""
    # One lane a call, as each page has a number of its own in its lane.
    author = Author(capability.cap_key, capability.direction, uuid4().hex)
    numbered = [replace(finished, number=number) for number, finished in enumerate(pages)]
    for position in range(0, len(pages), MAX_GROUP):
        commit_group(conn, TABLE, author, numbered[position : position + MAX_GROUP])


def _fetch(vendor: DemoVendor, capability: Capability, facts: SeriesFacts, fetch: Fetch, now_ms: int) -> Finished:
    cadence = find_cadence(TABLE, facts.series_id, capability.limits.grace_ms)
    page = fetch_page(vendor, capability, facts.series_id, fetch.time_ms, ALL_TIME, None)
    return Finished(facts, fetch, now_ms, page, judge_page(facts, fetch, page, cadence, now_ms))


def find_minute(minutes_ago: int) -> int:
    """Return the start of a whole minute in the past."""
    return read_clock() // MINUTE_MS * MINUTE_MS - minutes_ago * MINUTE_MS
