"""Fetches one page of a series from its vendor, and checks it."""

from typing import Any, Final

from series_pipelines.core.duration import parse_duration
from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import TABLES
from series_pipelines.core.text import show_value
from series_pipelines.errors import PageRefused
from series_pipelines.ingest.pages.check import Page, check_bar_page, check_instant_page
from series_pipelines.ingest.pages.clocks import ReadClocks, check_vendor_clock
from series_pipelines.ingest.pages.evidence import digest_answer
from series_pipelines.vendors.asking import ask, blame_vendor
from series_pipelines.vendors.contract import Reply, Request, Vendor
from series_pipelines.vendors.services import Capability

LONGEST_FETCH_MS: Final = 60_000
"""A vendor that takes longer for a page is left behind."""


def fetch_page(
    vendor: Vendor,
    capability: Capability,
    series_id: str,
    time_ms: int,
    life: Range,
    read_clocks: ReadClocks | None,
) -> Page:
    """Ask the vendor and return a page that can be trusted, or raise a VendorError, whatever the vendor does.

    Rows must lie in the product's possible life. Without clocks to hold it against, the vendor's own is believed.
    """
    request = make_request(capability, series_id, time_ms)
    reply: Any = None
    try:
        reply = vendor.fetch(request)
        # A class of its own might say another time each time that it is asked.
        if type(reply) is not Reply or type(reply.now_ms) is not int:
            raise PageRefused(
                f"vendor {capability.vendor!r} answered {series_id} with {show_value(reply)}, not a reply"
            )
        if read_clocks is not None:
            check_vendor_clock(reply.now_ms, read_clocks())
        return _check_page(reply, request, capability, life)
    except BaseException as error:
        # Not chained: what a vendor raised may do anything when somebody prints it.
        blamed = blame_vendor(capability.vendor, error, f" on {series_id}")
    if isinstance(blamed, PageRefused) and type(reply) is Reply:
        raise type(blamed)(str(blamed), digest_answer(reply.rows))
    raise blamed


def _check_page(reply: Reply, request: Request, capability: Capability, life: Range) -> Page:
    limits = capability.limits
    closed_before_ms = reply.now_ms - limits.grace_ms
    table = TABLES[capability.table_name]
    if request.duration is None:
        return check_instant_page(
            table,
            reply.rows,
            direction=request.direction,
            time_ms=request.time_ms,
            closed_before_ms=closed_before_ms,
            life=life,
            page_rows=limits.page_rows,
        )
    return check_bar_page(
        table,
        reply.rows,
        direction=request.direction,
        time_ms=request.time_ms,
        duration=parse_duration(request.duration),
        closed_before_ms=closed_before_ms,
        life=life,
        on_grid=limits.on_grid,
        page_rows=limits.page_rows,
    )


def ask_page(
    vendor: Vendor,
    capability: Capability,
    series_id: str,
    time_ms: int,
    life: Range,
    read_clocks: ReadClocks | None,
) -> Page:
    """Fetch a page and wait for it, but no longer than a vendor may take."""
    return ask(
        capability.vendor,
        f"fetch() of {series_id}",
        lambda: fetch_page(vendor, capability, series_id, time_ms, life, read_clocks),
        LONGEST_FETCH_MS / 1000,
    )


def make_request(capability: Capability, series_id: str, time_ms: int) -> Request:
    """Return the request for one page of a series."""
    product_id, duration = TABLES[capability.table_name].decode(series_id)
    return Request(capability.method, product_id, duration, capability.direction, time_ms)
