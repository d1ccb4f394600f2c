"""Decides, purely, what a look at the vendors means: whose each product is, which series there are, what may retire.

A vendor only touches what is its own. A product is of the vendor whose service covers it and who had it first; another
one gets it only when that vendor is configured no more, or answers and offers it no more. Losing a vendor, or more
than half of a table's series, retires nothing unless somebody means it.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from series_pipelines.core.tables import TABLES, SeriesTable
from series_pipelines.core.text import show_value
from series_pipelines.ingest.catalogue.products import KnownProduct
from series_pipelines.ingest.storing.capabilities import CapabilityState
from series_pipelines.ingest.storing.states import KnownSeries
from series_pipelines.vendors.contract import Product
from series_pipelines.vendors.offers import Offer
from series_pipelines.vendors.refusals import Refusals
from series_pipelines.vendors.registry import Catalogue
from series_pipelines.vendors.services import Capability

FEW_PRODUCTS: Final = 4
"""From this many on, a vendor that has lost more than half of its products at once is not believed."""
MOST_EXAMPLES: Final = 3

Entry = tuple[str, str, str]
"""A series id, its product id and the capability that serves it."""
Owned = Mapping[str, Sequence[KnownProduct | Product]]
"""The products of each vendor."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the tables say before a look at the vendors: products, active capabilities, and series."""

    products: Sequence[KnownProduct]
    capabilities: Sequence[CapabilityState]
    series: Mapping[str, Sequence[KnownSeries]]

    def find_holders(self) -> dict[str, str]:
        """Return the vendor of each capability."""
        return {state.cap_key: state.vendor for state in self.capabilities}

    def list_live(self) -> dict[str, list[str]]:
        """Return the products of each vendor that nobody has called delisted."""
        live: defaultdict[str, list[str]] = defaultdict(list)
        for product in self.products:
            if product.is_live:
                live[product.vendor].append(product.product_id)
        return dict(live)

    def list_vendors(self) -> set[str]:
        """Return the vendors that have anything."""
        return {state.vendor for state in self.capabilities} | {product.vendor for product in self.products}


@dataclass(slots=True)
class Share:
    """What a look does to one vendor's products."""

    products: list[Product] = field(default_factory=list)
    taken_over: list[str] = field(default_factory=list)
    delisted: list[str] = field(default_factory=list)
    unwanted: list[str] = field(default_factory=list)
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldBack:
    """Series of one vendor and table that would retire, and stay because nobody has said that it is meant."""

    vendor: str
    table_name: str
    why: str
    count: int
    examples: tuple[str, ...]

    def __str__(self) -> str:
        examples = ", ".join(self.examples) + (", …" if self.count > len(self.examples) else "")
        return (
            f"vendor {self.vendor!r}: {self.why}, so {self.count} series of {self.table_name} would retire "
            f"({examples}); they stay: `series products --refresh --retire` retires them"
        )


@dataclass(frozen=True, slots=True)
class SeriesPlan:
    """What becomes of the series: which are active where, which retire, and which stay only because they must.

    A capability that is not offered stays active while it is kept for those who stay.
    """

    products: int
    wanted: dict[str, list[Entry]]
    retired: dict[str, list[KnownSeries]]
    kept_keys: set[str]
    held_back: tuple[HeldBack, ...]
    refused: tuple[str, ...]
    """The capabilities that would serve what its own vendors serve, and nothing else."""


def share_products(known: Known, offers: Mapping[str, Offer], catalogue: Catalogue) -> dict[str, Share]:
    """Return what becomes of each vendor's products, of those vendors that answered, in their order."""
    owners = {product.product_id: product.vendor for product in known.products}
    prefixes = {name: _find_prefixes(name, offer, known, catalogue) for name, offer in offers.items()}
    shares: dict[str, Share] = {}
    first: dict[str, str] = {}
    for name, offer in offers.items():
        share = shares[name] = Share()
        refusals = Refusals(name, "products")
        for product_id, product in offer.products.taken.items():
            owner = owners.get(product_id, name)
            if not product_id.startswith(prefixes[name]):
                why = "no service of this vendor covers it"
            elif product_id in first:
                why = f"vendor {first[product_id]!r} has it"
            elif owner == name:
                why = ""
            elif owner in catalogue.silent:
                why = f"it belongs to vendor {owner!r}, which does not answer"
            elif owner in offers and _is_offered(product_id, offers[owner], prefixes[owner]):
                why = f"it belongs to vendor {owner!r}"
            else:
                why = ""
                share.taken_over.append(product_id)
            if why:
                refusals.add(f"vendor {name!r}: product {show_value(product_id)}: {why}")
            else:
                first[product_id] = name
                share.products.append(product)
        share.refused = refusals.tell()
    for name, missing in known.list_live().items():
        if name in shares:
            _sort_missing(name, offers[name], shares[name], missing, first)
    return shares


def _is_offered(product_id: str, offer: Offer, prefixes: tuple[str, ...]) -> bool:
    return product_id in offer.products.named and product_id.startswith(prefixes)


def _find_prefixes(name: str, offer: Offer, known: Known, catalogue: Catalogue) -> tuple[str, ...]:
    prefixes = {each.product_prefix for each in catalogue.capabilities.values() if each.vendor == name}
    if not offer.services.is_whole:
        prefixes |= {state.product_prefix for state in known.capabilities if state.vendor == name}
    return tuple(prefixes)


def _sort_missing(name: str, offer: Offer, share: Share, live: Sequence[str], first: Mapping[str, str]) -> None:
    """Sort the products that a vendor does not offer any more into delisted and unwanted ones."""
    products = offer.products
    missing = [each for each in live if each not in products.named and first.get(each, name) == name]
    share.unwanted = [each for each in missing if each in offer.still_listed]
    gone = [each for each in missing if each not in offer.still_listed]
    if gone and products.nameless:
        share.refused += (
            f"vendor {name!r}: {len(gone)} products are missing, but {products.nameless} have no name that can be "
            "read, so none is called delisted",
        )
    elif len(live) >= FEW_PRODUCTS and len(gone) > len(live) // 2:
        share.refused += (
            f"vendor {name!r}: {len(gone)} of {len(live)} products are missing at once, which is not believed",
        )
    else:
        share.delisted = gone


def decide_series(
    known: Known,
    offers: Mapping[str, Offer],
    catalogue: Catalogue,
    shares: Mapping[str, Share],
    *,
    may_retire: bool = False,
) -> SeriesPlan:
    """Return which series there are from now on, and which of them only because they must not retire unasked."""
    vendor_of = known.find_holders()
    doubtful = catalogue.silent | {name for name, offer in offers.items() if not offer.services.is_whole}
    kept_keys = {key for key, name in vendor_of.items() if name in doubtful and key not in catalogue.capabilities}
    owned = _group_products(known, shares)
    capabilities = catalogue.capabilities.values()
    busy: set[str] = set()
    wanted: dict[str, dict[str, Entry]] = {}
    losing: dict[str, list[KnownSeries]] = {}
    active: dict[str, list[KnownSeries]] = {}
    for table_name in TABLES:
        active[table_name] = [series for series in known.series[table_name] if series.active]
        kept = (_to_entry(series) for series in active[table_name] if series.cap_key in kept_keys)
        entries = wanted[table_name] = {entry[0]: entry for entry in kept}
        for entry in enumerate_series(capabilities, TABLES[table_name], owned):
            busy.add(entry[2])
            entries.setdefault(entry[0], entry)
        losing[table_name] = [series for series in active[table_name] if series.series_id not in entries]
    held_back: list[HeldBack] = []
    for table_name, vendor, why, series in [] if may_retire else _hold_back(active, losing, vendor_of, offers):
        wanted[table_name] |= {each.series_id: _to_entry(each) for each in series}
        kept_keys |= {each.cap_key for each in series}
        examples = tuple(each.series_id for each in series[:MOST_EXAMPLES])
        held_back.append(HeldBack(vendor, table_name, why, len(series), examples))
    return SeriesPlan(
        products=sum(map(len, owned.values())),
        wanted={table_name: list(entries.values()) for table_name, entries in wanted.items()},
        retired={name: [each for each in losing[name] if each.series_id not in wanted[name]] for name in TABLES},
        kept_keys=kept_keys,
        held_back=tuple(held_back),
        refused=_refuse_idle((each for each in capabilities if each.cap_key not in busy), owned),
    )


def _group_products(known: Known, shares: Mapping[str, Share]) -> Owned:
    """Return every product that is wanted, by whose it is, as its vendor describes it now if it does."""
    products: dict[str, tuple[str, KnownProduct | Product]] = {
        each.product_id: (each.vendor, each) for each in known.products
    }
    for share in shares.values():
        for product_id in share.unwanted:
            del products[product_id]
    for name, share in shares.items():
        products |= {product.product_id: (name, product) for product in share.products}
    owned: defaultdict[str, list[KnownProduct | Product]] = defaultdict(list)
    for name, product in products.values():
        owned[name].append(product)
    return owned


def _refuse_idle(idle: Iterable[Capability], owned: Owned) -> tuple[str, ...]:
    """Say of capabilities that serve nothing which of the products that they cover their own vendors serve."""
    refusals: dict[str, Refusals] = {}
    for capability in idle:
        name, table = capability.vendor, TABLES[capability.table_name]
        served = (
            f"{show_value(product.product_id)} is of vendor {owner!r}, which serves it itself"
            for owner, products in owned.items()
            for product in products
            if owner != name
            and product.product_id.startswith(capability.product_prefix)
            and not table.leaves_out(product)
        )
        if why := next(served, None):
            told = refusals.setdefault(name, Refusals(name, "services"))
            told.add(f"vendor {name!r}, service {capability.method!r}: {capability.cap_key} serves nothing: {why}")
    return tuple(line for told in refusals.values() for line in told.tell())


def _hold_back(
    active: Mapping[str, Sequence[KnownSeries]],
    losing: Mapping[str, Sequence[KnownSeries]],
    vendor_of: Mapping[str, str],
    configured: Collection[str],
) -> Iterator[tuple[str, str, str, list[KnownSeries]]]:
    """Yield the series that must not retire unasked: all of a vendor's, or more than half of a table's.

    One whose capability has retired already had been let go when a sync ended between the two.
    """
    had = Counter(vendor_of.get(series.cap_key) for table in active.values() for series in table)
    loses = Counter(vendor_of.get(series.cap_key) for table in losing.values() for series in table)
    lost = {vendor for vendor, count in loses.items() if count == had[vendor]}
    for table_name, series in losing.items():
        grouped: defaultdict[str, list[KnownSeries]] = defaultdict(list)
        for each in series:
            if each.cap_key in vendor_of:
                grouped[vendor_of[each.cap_key]].append(each)
        others = sum(len(group) for vendor, group in grouped.items() if vendor not in lost)
        for vendor, group in grouped.items():
            if vendor in lost:
                why = "it offers none of its series any more" if vendor in configured else "it is not configured"
                yield table_name, vendor, why, group
            elif 2 * others > len(active[table_name]):
                yield table_name, vendor, f"{others} of {len(active[table_name])} would go at once", group


def _to_entry(series: KnownSeries) -> Entry:
    return series.series_id, series.product_id, series.cap_key


def enumerate_series(capabilities: Iterable[Capability], table: SeriesTable, owned: Owned) -> Iterator[Entry]:
    """Yield (series_id, product_id, cap_key). Others than its own vendor serve a product only in a table in which that
    one does not; of either the longest matching prefix serves a series, then the first key.
    """
    offered = sorted(
        (capability for capability in capabilities if capability.table_name == table.name),
        key=lambda capability: (-len(capability.product_prefix), capability.cap_key),
    )
    for owner, products in owned.items():
        ranked = sorted(offered, key=lambda capability: capability.vendor != owner)
        for product in products:
            if table.leaves_out(product):
                continue
            product_id, seen, is_served = product.product_id, set[str](), False
            for capability in ranked:
                if not product_id.startswith(capability.product_prefix):
                    continue
                if capability.vendor == owner:
                    is_served = True
                elif is_served:
                    break
                for series_id in table.list_series(product_id, capability.durations):
                    if series_id not in seen:
                        seen.add(series_id)
                        yield series_id, product_id, capability.cap_key
