"""Keeps products, capabilities and series equal to what the vendors say: series = capabilities × products.

A vendor that does not answer changes nothing: its products, capabilities and series stay as they are. Series that
are no longer offered retire; their rows and ranges stay. A product that its vendor no longer has is delisted: its
history is still backfilled, its head stops. One that is only no longer wanted retires.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Final

from series_pipelines.core.series import (
    TABLE_NAMES,
    TableName,
    check_product_id,
    encode_interest_rate_series_id,
    encode_ohlc_series_id,
)
from series_pipelines.errors import InvalidSeriesId
from series_pipelines.store import capabilities as capability_store
from series_pipelines.store import cursors, states
from series_pipelines.store import products as product_store
from series_pipelines.store.connection import Connection
from series_pipelines.vendors.contract import Product, Vendor
from series_pipelines.vendors.registry import Capability, Catalogue, Registry

MOST_ASKED_AT_ONCE: Final = 16
FEW_PRODUCTS: Final = 4
"""From this many on, a vendor that has lost more than half of its products at once is not believed."""


@dataclass(frozen=True, slots=True)
class UniverseReport:
    """What a look at the vendors found and changed."""

    capabilities: int
    products: int
    products_changed: int
    series: dict[str, int]
    series_changes: dict[str, states.SeriesChanges]
    delisted: tuple[str, ...]
    refused: tuple[str, ...]


@dataclass(slots=True)
class _Answers:
    products: dict[str, list[Product]] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    delisted: list[str] = field(default_factory=list)
    unwanted: set[str] = field(default_factory=set)


def sync_universe(conn: Connection, registry: Registry, now_ms: int) -> UniverseReport:
    """Ask every vendor what it has, and make the tables say the same."""
    catalogue = registry.read()
    answers = _ask_products(registry.vendors)
    answers.silent.update(catalogue.silent)
    with conn.transaction():
        cursors.ensure_months(conn, now_ms)
    with conn.transaction():
        for vendor in registry.vendors:
            if vendor.name not in answers.silent:
                _find_missing(conn, vendor, answers)
        product_store.delist(conn, answers.delisted, now_ms)
        return _write(conn, catalogue, answers, now_ms)


def _ask_products(vendors: Sequence[Vendor]) -> _Answers:
    answers = _Answers()
    with ThreadPoolExecutor(MOST_ASKED_AT_ONCE, "products") as pool:
        asked = [(vendor, pool.submit(vendor.products)) for vendor in vendors]
    for vendor, offer in asked:
        try:
            offered = list(offer.result())
        except Exception as error:
            answers.refused.append(f"vendor {vendor.name!r}: products() failed: {error}")
            answers.silent.add(vendor.name)
            continue
        answers.products[vendor.name] = []
        for product in offered:
            try:
                check_product_id(product.product_id)
            except InvalidSeriesId as error:
                answers.refused.append(f"vendor {vendor.name!r}: {error}")
                continue
            answers.products[vendor.name].append(product)
    return answers


def _find_missing(conn: Connection, vendor: Vendor, answers: _Answers) -> None:
    """Sort the products that the vendor does not offer any more into delisted and unwanted ones."""
    known = product_store.list_live(conn, vendor.name)
    offered = {product.product_id for product in answers.products[vendor.name]}
    missing = [product_id for product_id in known if product_id not in offered]
    still_listed = getattr(vendor, "still_listed", None)
    unwanted = set(still_listed(missing)) if missing and still_listed is not None else set()
    gone = [product_id for product_id in missing if product_id not in unwanted]
    answers.unwanted |= unwanted
    if len(known) >= FEW_PRODUCTS and len(gone) > len(known) // 2:
        answers.refused.append(
            f"vendor {vendor.name!r}: {len(gone)} of {len(known)} products are missing at once, which is not believed"
        )
    else:
        answers.delisted += gone


def _write(conn: Connection, catalogue: Catalogue, answers: _Answers, now_ms: int) -> UniverseReport:
    changed = sum(
        product_store.upsert(conn, name, [asdict(product) for product in products], now_ms)
        for name, products in answers.products.items()
    )
    capability_store.upsert(
        conn, [_describe(capability) for capability in catalogue.capabilities.values()], sorted(answers.silent)
    )
    kept = {state.cap_key for state in capability_store.read(conn) if state.vendor in answers.silent}
    product_ids = [known for known in product_store.list_ids(conn) if known[0] not in answers.unwanted]
    counts: dict[str, int] = {}
    changes: dict[str, states.SeriesChanges] = {}
    for table_name in TABLE_NAMES:
        series = {
            known.series_id: (known.series_id, known.product_id, known.cap_key)
            for known in states.list_series(conn, table_name)
            if known.active and known.cap_key in kept
        }
        offered = [capability for key, capability in catalogue.capabilities.items() if key not in kept]
        for entry in enumerate_series(offered, table_name, product_ids):
            series.setdefault(entry[0], entry)
        changes[table_name] = states.upsert_series(conn, table_name, list(series.values()))
        counts[table_name] = len(series)
    refused = (*catalogue.refused, *answers.refused)
    return UniverseReport(
        len(catalogue.capabilities), len(product_ids), changed, counts, changes, tuple(answers.delisted), refused
    )


def enumerate_series(
    capabilities: Iterable[Capability], table_name: TableName, product_ids: Iterable[tuple[str, bool]]
) -> Iterable[tuple[str, str, str]]:
    """Yield (series_id, product_id, cap_key); the longest matching prefix serves a series, then the first key."""
    ranked = sorted(
        (capability for capability in capabilities if capability.table_name == table_name),
        key=lambda capability: (-len(capability.product_prefix), capability.cap_key),
    )
    for product_id, no_interest_rate in product_ids:
        seen: set[str] = set()
        for capability in ranked:
            if not product_id.startswith(capability.product_prefix):
                continue
            if table_name == "interest_rate":
                if not no_interest_rate and not seen:
                    seen.add(product_id)
                    yield encode_interest_rate_series_id(product_id), product_id, capability.cap_key
                continue
            for duration in capability.durations:
                if duration not in seen:
                    seen.add(duration)
                    yield encode_ohlc_series_id(product_id, duration), product_id, capability.cap_key


def _describe(capability: Capability) -> dict[str, object]:
    return {
        "cap_key": capability.cap_key,
        "vendor": capability.vendor,
        "method": capability.method,
        "table_name": capability.table_name,
        "product_prefix": capability.product_prefix,
        "direction": capability.direction,
        "durations": list(capability.durations),
        "grace_ms": capability.limits.grace_ms,
        "page_rows": capability.limits.page_rows,
    }
