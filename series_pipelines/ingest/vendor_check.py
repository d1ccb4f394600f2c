"""Tries what a vendor offers: its services, its products, and one page of each service, as a lane would fetch it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from series_pipelines.core.duration import DAY_MS
from series_pipelines.core.page import Page, find_possible_life
from series_pipelines.core.plan import Fetch, find_cadence
from series_pipelines.core.series import encode_interest_rate_series_id, encode_ohlc_series_id
from series_pipelines.core.times import format_time
from series_pipelines.errors import SeriesError
from series_pipelines.ingest.fetch import ask_page
from series_pipelines.vendors.contract import Product, Vendor
from series_pipelines.vendors.registry import Capability, Registry

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Finding:
    """What was tried of a vendor, whether it works, and what was seen or went wrong."""

    vendor: str
    what: str
    ok: bool
    detail: str


def check_vendor(vendor: Vendor, now_ms: int) -> Iterator[Finding]:
    """Try all that a vendor offers, each thing once."""
    catalogue = Registry([vendor]).read()
    count = len(catalogue.capabilities)
    yield Finding(vendor.name, "services", not catalogue.refused, "; ".join(catalogue.refused) or f"{count} services")
    products: list[Product] = []
    tried = _try(lambda: list(vendor.products()))
    if isinstance(tried, str):
        yield Finding(vendor.name, "products", False, tried)
    else:
        products = tried
        yield Finding(vendor.name, "products", bool(products), f"{len(products)} products")
    for capability in catalogue.capabilities.values():
        what = f"{capability.method} {capability.product_prefix}"
        product = _choose_product(products, capability, now_ms)
        if product is None:
            yield Finding(vendor.name, what, False, "there is no product to try it with")
            continue
        page = _try(lambda: _fetch(vendor, capability, product, now_ms))  # noqa: B023 - called at once
        is_page = isinstance(page, Page)
        yield Finding(vendor.name, what, is_page, _describe(product, page) if isinstance(page, Page) else page)


def _choose_product(products: list[Product], capability: Capability, now_ms: int) -> Product | None:
    """Return the product most likely to have rows: one that still trades and has been listed for longest."""
    alive = [
        product
        for product in products
        if product.product_id.startswith(capability.product_prefix)
        and (product.delisted_ms is None or product.delisted_ms > now_ms)
        and not (capability.table_name == "interest_rate" and product.no_interest_rate)
    ]
    return min(alive, key=lambda product: (product.listed_ms or 0, product.product_id), default=None)


def _fetch(vendor: Vendor, capability: Capability, product: Product, now_ms: int) -> Page:
    if capability.table_name == "interest_rate":
        series_id = encode_interest_rate_series_id(product.product_id)
    else:
        series_id = encode_ohlc_series_id(product.product_id, capability.durations[0])
    time_ms = now_ms if capability.direction == "backward" else now_ms - DAY_MS
    cadence = find_cadence(capability.table_name, series_id, capability.limits.grace_ms)
    life = find_possible_life(product.listed_ms, product.delisted_ms)
    return ask_page(vendor, capability, series_id, Fetch("head", "head", time_ms, "check"), cadence, life, None)


def _describe(product: Product, page: Page) -> str:
    if page.range is None:
        return f"{product.product_id}: an empty page"
    return f"{product.product_id}: {len(page.rows)} rows, the newest until {format_time(page.range.end_ms)}"


def _try(action: Callable[[], Result]) -> Result | str:
    try:
        return action()
    except SeriesError as error:
        return str(error)
    except Exception as error:  # whatever a vendor does wrong is what is to be found out
        return f"{type(error).__name__}: {error}"
