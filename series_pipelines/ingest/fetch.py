"""Fetches one page of a series from its vendor, and checks it."""

from series_pipelines.core.evidence import digest_rows
from series_pipelines.core.page import Page, check_ohlc_page, check_rate_page
from series_pipelines.core.plan import Cadence, Fetch
from series_pipelines.core.series import decode_interest_rate_series_id, decode_ohlc_series_id
from series_pipelines.errors import PageRefused, StoreError, VendorError, VendorRejected
from series_pipelines.vendors.contract import Reply, Request, Vendor
from series_pipelines.vendors.registry import Capability


def fetch_page(vendor: Vendor, capability: Capability, series_id: str, fetch: Fetch, cadence: Cadence) -> Page:
    """Ask the vendor and return a page that can be trusted, or raise a VendorError."""
    request = make_request(capability, series_id, fetch.time_ms)
    try:
        reply = vendor.fetch(request)
    except (StoreError, VendorError):
        raise
    except Exception as error:
        raise VendorRejected(f"vendor {vendor.name!r} broke on {series_id}: {type(error).__name__}: {error}") from error
    if not isinstance(reply, Reply) or type(reply.now_ms) is not int:
        raise PageRefused(f"vendor {vendor.name!r} answered {series_id} with {type(reply).__name__}, not a reply")
    try:
        return _check_page(reply, request, capability, cadence)
    except PageRefused as error:
        error.digest = digest_rows(reply.rows)
        raise


def _check_page(reply: Reply, request: Request, capability: Capability, cadence: Cadence) -> Page:
    closed_before_ms = reply.now_ms - capability.limits.grace_ms
    if cadence.duration is None:
        return check_rate_page(
            reply.rows, direction=request.direction, time_ms=request.time_ms, closed_before_ms=closed_before_ms
        )
    return check_ohlc_page(
        reply.rows,
        direction=request.direction,
        time_ms=request.time_ms,
        duration=cadence.duration,
        closed_before_ms=closed_before_ms,
    )


def make_request(capability: Capability, series_id: str, time_ms: int) -> Request:
    """Return the request for one page of a series."""
    if capability.table_name == "interest_rate":
        product_id, duration = decode_interest_rate_series_id(series_id), None
    else:
        product_id, duration = decode_ohlc_series_id(series_id)
    return Request(capability.method, product_id, duration, capability.direction, time_ms)
