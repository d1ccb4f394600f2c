"""The products: what vendors offer now, and those we know."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from series_pipelines.actions.answers import Json
from series_pipelines.core.clock import Clock
from series_pipelines.core.tables import TABLES
from series_pipelines.ingest.catalogue import products
from series_pipelines.ingest.catalogue.products import ListedProduct
from series_pipelines.ingest.catalogue.universe import UniverseReport, sync_universe
from series_pipelines.ingest.storing import capabilities, states
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.registry import Catalogue, Registry


@dataclass(frozen=True, slots=True)
class Products:
    """Some products, in the order of their ids."""

    listed: tuple[ListedProduct, ...]

    def as_json(self) -> list[Json]:
        """Return each product."""
        return [{name: to_plain(value) for name, value in known._asdict().items()} for known in self.listed]


def list_products(conn: Connection, text: str = "") -> Products:
    """Return the products whose id or name contains a text, in whatever letters."""
    wanted = text.lower()
    known = products.list_products(conn)
    return Products(tuple(each for each in known if wanted in each.product_id.lower() or wanted in each.name.lower()))


def sync_products(conn: Connection, registry: Registry, clock: Clock, *, may_retire: bool = False) -> UniverseReport:
    """Ask the vendors what they have, and make the tables say the same."""
    conn.commit()  # each vendor gets a transaction of its own
    report = sync_universe(conn, registry, clock.now_ms(), may_retire=may_retire, wait=clock.wait)
    conn.commit()
    return report


def has_series(conn: Connection) -> bool:
    """Whether any series is known."""
    return any(states.list_series(conn, table_name) for table_name in TABLES)


def read_vendors(conn: Connection, registry: Registry, cap_keys: Collection[str]) -> Catalogue:
    """Ask the vendors that serve some capabilities, and only them: another one that hangs is of no concern here."""
    catalogue = registry.read_of(capabilities.find_vendors(conn, cap_keys))
    conn.commit()
    return catalogue


def to_plain(value: object) -> object:
    """Return a column's value as JSON has it."""
    if isinstance(value, Decimal):
        return format(value, "f")
    return value.isoformat() if isinstance(value, datetime) else value
