"""Keeps products, capabilities and series equal to what the vendors say: series = capabilities × products.

All vendors are asked side by side, and each is written in transactions of its own: whatever one does or can't do, the
others are synced. One that does not answer changes nothing: its products, capabilities and series stay as they are.
Series that are no longer offered retire; their rows and ranges stay. A product that its vendor no longer has is
delisted: its history is still backfilled, its head stops. One that is only no longer wanted retires.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Final, TypeVar

from series_pipelines.core.tables import TABLES
from series_pipelines.errors import DatabaseContended, StoreError, VendorError, VendorUnavailable
from series_pipelines.ingest.catalogue import products as product_store
from series_pipelines.ingest.catalogue.universe_plan import (
    Entry,
    HeldBack,
    Known,
    SeriesPlan,
    Share,
    decide_series,
    share_products,
)
from series_pipelines.ingest.ledger import append as cursors
from series_pipelines.ingest.storing import capabilities as capability_store
from series_pipelines.ingest.storing import states
from series_pipelines.ingest.storing.commit import NO_PAGE_TO_BLAME
from series_pipelines.postgres.connection import Connection, translated_errors
from series_pipelines.postgres.reopening import find_pause
from series_pipelines.vendors.contract import Product
from series_pipelines.vendors.offers import Offer, look_at_all
from series_pipelines.vendors.registry import Catalogue, Registry
from series_pipelines.vendors.services import Capability

Result = TypeVar("Result")

_PRODUCT_FIELDS: Final = tuple(field.name for field in fields(Product))


@dataclass(frozen=True, slots=True)
class UniverseReport:
    """What a look at the vendors found and changed; what was refused, and what would have retired and was not."""

    capabilities: int
    products: int
    products_changed: int
    series: dict[str, int]
    series_changes: dict[str, states.SeriesChanges]
    delisted: tuple[str, ...]
    refused: tuple[str, ...]
    held_back: tuple[HeldBack, ...] = ()


@dataclass(frozen=True, slots=True)
class _Plan:
    catalogue: Catalogue
    shares: dict[str, Share]
    series: SeriesPlan


def sync_universe(
    conn: Connection,
    registry: Registry,
    now_ms: int,
    *,
    may_retire: bool = False,
    wait: Callable[[int], object] = lambda pause_ms: None,
) -> UniverseReport:
    """Ask every vendor what it has, and make the tables say the same.

    Unless `may_retire`, losing a vendor or more than half of a table's series is refused: they stay as they are.
    `wait` lets so many milliseconds pass while other transactions are in the way.
    """
    with conn.transaction():
        cursors.ensure_months(conn, now_ms)
    known = _read_known(conn)
    looks = look_at_all(registry, known.list_live())
    plan = _make_plan(registry, known, looks, may_retire)
    failed: dict[str, VendorError] = {}
    changed = 0
    for name in _list_written(known, plan):
        try:
            changed += _write_alone(conn, wait, partial(_write_vendor, conn, name, plan, now_ms))
        except _Refused as error:
            failed[name] = VendorUnavailable(f"vendor {name!r}: what it offers can't be written: {error}")
    if failed:
        # What was not written is not known either: what rests on it stays as it was.
        known, looks = _read_known(conn), {**looks, **failed}
        plan = _make_plan(registry, known, looks, may_retire)
    changes, unwritten = _write_series(conn, known, plan, wait)
    refused = [*plan.catalogue.refused, *plan.series.refused, *unwritten]
    for share in plan.shares.values():
        refused += share.refused
    for look in looks.values():
        refused += look.products.refused if isinstance(look, Offer) else ()
    return UniverseReport(
        capabilities=len(plan.catalogue.capabilities),
        products=plan.series.products,
        products_changed=changed,
        series={table_name: len(entries) for table_name, entries in plan.series.wanted.items()},
        series_changes=changes,
        delisted=tuple(product_id for share in plan.shares.values() for product_id in share.delisted),
        refused=(*refused, *(str(held) for held in plan.series.held_back)),
        held_back=plan.series.held_back,
    )


def _read_known(conn: Connection) -> Known:
    with conn.transaction():
        return Known(
            product_store.list_known(conn),
            capability_store.read(conn),
            {table_name: states.list_series(conn, table_name) for table_name in TABLES},
        )


def _make_plan(registry: Registry, known: Known, looks: Mapping[str, Offer | VendorError], may_retire: bool) -> _Plan:
    offers = {name: look for name, look in looks.items() if isinstance(look, Offer)}
    answers = {name: look.services if isinstance(look, Offer) else look for name, look in looks.items()}
    if registry.refused:
        # The names of vendors that could not be loaded are not known: it may be any that is not there.
        for name in sorted(known.list_vendors() - looks.keys()):
            answers[name] = VendorUnavailable(f"vendor {name!r} is not among those that could be loaded")
    catalogue = registry.join(answers, known.find_holders())
    shares = share_products(known, offers, catalogue)
    return _Plan(catalogue, shares, decide_series(known, offers, catalogue, shares, may_retire=may_retire))


def _list_written(known: Known, plan: _Plan) -> list[str]:
    """Return the vendors that have something to write: those that answered, and those that are gone for good."""
    gone = {state.vendor for state in known.capabilities if state.cap_key not in plan.series.kept_keys}
    return [*plan.shares, *sorted(gone - plan.shares.keys() - plan.catalogue.silent)]


def _write_vendor(conn: Connection, name: str, plan: _Plan, now_ms: int) -> int:
    """Write one vendor's products and capabilities, and return how many products were new or changed."""
    share = plan.shares.get(name, Share())
    offered = [_describe(each) for each in plan.catalogue.capabilities.values() if each.vendor == name]
    products = [_to_plain(product) for product in share.products]
    product_store.delist(conn, name, share.delisted, now_ms)
    changed = product_store.upsert(conn, name, products, now_ms, share.taken_over)
    capability_store.upsert(conn, name, offered, sorted(plan.series.kept_keys))
    return changed


def _write_series(
    conn: Connection, known: Known, plan: _Plan, wait: Callable[[int], object]
) -> tuple[dict[str, states.SeriesChanges], list[str]]:
    """Write what is new of the series, those of each vendor's capabilities on their own."""
    vendor_of = known.find_holders() | {key: each.vendor for key, each in plan.catalogue.capabilities.items()}
    fresh: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
    gone: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for table_name in TABLES:
        now = {(each.series_id, each.product_id, each.cap_key) for each in known.series[table_name] if each.active}
        for entry in plan.series.wanted[table_name]:
            if entry not in now:
                fresh[vendor_of[entry[2]], table_name].append(entry)
        for series in plan.series.retired[table_name]:
            gone[vendor_of.get(series.cap_key, ""), table_name].append(series.series_id)
    refused: list[str] = []
    changes: dict[str, states.SeriesChanges] = {name: states.SeriesChanges(0, 0, 0) for name in TABLES}
    for key in sorted(fresh.keys() | gone.keys()):
        vendor, table_name = key
        change = partial(_change_series, conn, table_name, fresh[key], gone[key])
        try:
            made = _write_alone(conn, wait, change)
        except _Refused as error:
            refused.append(f"vendor {vendor!r}: its series of {table_name} can't be written: {error}")
            continue
        before = changes[table_name]
        changes[table_name] = states.SeriesChanges(
            before.added + made.added, before.changed + made.changed, before.retired + made.retired
        )
    return changes, refused


def _change_series(
    conn: Connection, table_name: str, fresh: Sequence[Entry], gone: Sequence[str]
) -> states.SeriesChanges:
    added, changed = states.upsert_series(conn, table_name, fresh)
    return states.SeriesChanges(added, changed, states.retire_series(conn, table_name, gone))


class _Refused(Exception):
    """The database refuses what one vendor brought; it goes on with the others."""


def _write_alone(conn: Connection, wait: Callable[[int], object], write: Callable[[], Result]) -> Result:
    """Write something of one vendor in a transaction of its own; again, while other transactions are in the way."""
    failures = 0
    while True:
        try:
            with translated_errors(), conn.transaction():
                return write()
        except NO_PAGE_TO_BLAME:
            raise
        except DatabaseContended as error:
            failures += 1
            pause_ms = find_pause(error, failures)
            if pause_ms is None:
                raise
            wait(pause_ms)
        except StoreError as error:
            raise _Refused(str(error)) from error


def _to_plain(product: Product) -> dict[str, object]:
    return {name: getattr(product, name) for name in _PRODUCT_FIELDS}


def _describe(capability: Capability) -> dict[str, object]:
    return {
        "cap_key": capability.cap_key,
        "method": capability.method,
        "table_name": capability.table_name,
        "product_prefix": capability.product_prefix,
        "direction": capability.direction,
        "durations": list(capability.durations),
        "grace_ms": capability.limits.grace_ms,
        "page_rows": capability.limits.page_rows,
    }
