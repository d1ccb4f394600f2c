"""Tries what a vendor offers: its services, its products, and one page of each service, as a lane would fetch it.

Whatever the vendor does, it is one finding. Its budgets are kept: each page waits for its turn, like a lane's.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from series_pipelines.core.clock import Clock
from series_pipelines.core.duration import DAY_MS
from series_pipelines.core.tables import TABLES
from series_pipelines.core.text import clean_text
from series_pipelines.core.times import format_time
from series_pipelines.errors import SeriesError, VendorBusy
from series_pipelines.ingest.budgets.turns import LaneTurns, NoTurn
from series_pipelines.ingest.lane.fetch import ask_page
from series_pipelines.ingest.pages.check import Page, find_possible_life
from series_pipelines.ingest.pages.clocks import Clocks
from series_pipelines.postgres.connection import Connection, translated_errors
from series_pipelines.vendors.asking import ask
from series_pipelines.vendors.contract import Product, Vendor
from series_pipelines.vendors.offers import read_products
from series_pipelines.vendors.registry import LOOK_SECONDS, Registry
from series_pipelines.vendors.services import Capability

PATIENCE_MS: Final = 30_000

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Trial:
    """What was tried of a vendor, whether it works, and what was seen or went wrong."""

    vendor: str
    what: str
    ok: bool
    detail: str


def check_vendor(vendor: Vendor, clock: Clock, connect: Callable[[], Connection] | None) -> Iterator[Trial]:
    """Try all that a vendor offers, each thing once; `connect` reaches the books of its turns, if anybody keeps any."""
    registry = Registry([vendor])
    [name] = registry.by_name
    catalogue = registry.read()
    count = len(catalogue.capabilities)
    yield Trial(name, "services", not catalogue.refused, "; ".join(catalogue.refused) or f"{count} services")
    products: list[Product] = []
    tried = _try(lambda: ask(name, "products()", partial(read_products, name, vendor), LOOK_SECONDS))
    if isinstance(tried, str):
        yield Trial(name, "products", False, tried)
    else:
        products = list(tried.taken.values())
        detail = "; ".join((f"{len(products)} products", *tried.refused))
        yield Trial(name, "products", bool(products) and not tried.refused, detail)
    for capability in catalogue.capabilities.values():
        what = f"{capability.method} {capability.product_prefix}"
        product = _choose_product(products, capability, clock.now_ms())
        if product is None:
            yield Trial(name, what, False, "there is no product to try it with")
            continue
        page = _try(partial(_fetch, vendor, capability, product, clock, connect))
        is_page = isinstance(page, Page)
        yield Trial(name, what, is_page, _describe(product, page) if isinstance(page, Page) else page)


def _choose_product(products: Iterable[Product], capability: Capability, now_ms: int) -> Product | None:
    """Return the product most likely to have rows: one that still trades and has been listed for longest."""
    alive = [
        product
        for product in products
        if product.product_id.startswith(capability.product_prefix)
        and (product.delisted_ms is None or product.delisted_ms > now_ms)
        and not TABLES[capability.table_name].leaves_out(product)
    ]
    return min(alive, key=lambda product: (product.listed_ms or 0, product.product_id), default=None)


def _fetch(
    vendor: Vendor, capability: Capability, product: Product, clock: Clock, connect: Callable[[], Connection] | None
) -> Page:
    series_id = next(TABLES[capability.table_name].list_series(product.product_id, capability.durations))
    now_ms = clock.now_ms()
    time_ms = now_ms if capability.direction == "backward" else now_ms - DAY_MS
    life = find_possible_life(product.listed_ms, product.delisted_ms)
    # Its clock is held against ours alone: a check need not have a database.
    ask_vendor = partial(ask_page, vendor, capability, series_id, time_ms, life, lambda: Clocks(now_ms, now_ms))
    if capability.limits.requests is None or connect is None:
        return ask_vendor()
    with translated_errors(), connect() as control:
        turns = LaneTurns(control, capability, clock)
        turn = turns.take(clock.now_ms() + PATIENCE_MS)
        if isinstance(turn, NoTurn):
            raise VendorBusy(turn.why)
        try:
            return ask_vendor()
        finally:
            turns.settle(turn)
            turns.tell()


def _describe(product: Product, page: Page) -> str:
    if page.range is None:
        return f"{product.product_id}: an empty page"
    return f"{product.product_id}: {len(page.rows)} rows, the newest until {format_time(page.range.end_ms)}"


def _try(action: Callable[[], Result]) -> Result | str:
    try:
        return action()
    except SeriesError as error:
        return clean_text(error)
