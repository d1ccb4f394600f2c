"""Products as their vendors describe them."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple, cast

from series_pipelines.postgres.connection import Connection, ms_to_time
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("ingest/products")


class ListedProduct(NamedTuple):
    product_id: str
    vendor: str
    name: str
    base_currency: str
    quote_currency: str
    price_step: Decimal | None
    volume_step: Decimal | None
    no_interest_rate: bool
    listed_at: datetime | None
    delisted_at: datetime | None


class KnownProduct(NamedTuple):
    """Whose product it is; live is one that nobody has called delisted."""

    product_id: str
    vendor: str
    no_interest_rate: bool
    is_live: bool


def upsert(
    conn: Connection,
    vendor: str,
    products: Sequence[Mapping[str, object]],
    seen_ms: int,
    taken_over: Sequence[str] = (),
) -> int:
    """Bring a vendor's products up to date and return how many were new or changed.

    What another vendor has stays as it is, unless it is taken over.
    """
    parameters = {
        "vendor": vendor,
        "products": json.dumps(products),
        "seen_at": ms_to_time(seen_ms),
        "taken_over": list(taken_over),
    }
    return conn.execute(_SQL["upsert"], parameters).rowcount


def delist(conn: Connection, vendor: str, product_ids: Sequence[str], delisted_ms: int) -> None:
    """Say that these products of a vendor are delisted since a moment."""
    parameters = {"vendor": vendor, "product_ids": list(product_ids), "delisted_at": ms_to_time(delisted_ms)}
    conn.execute(_SQL["delist"], parameters)


def list_known(conn: Connection) -> list[KnownProduct]:
    """Return every product, in the order of their ids."""
    rows = conn.execute(_SQL["list_known"]).fetchall()
    return [KnownProduct._make(row) for row in cast(list[Any], rows)]


def list_products(conn: Connection) -> list[ListedProduct]:
    """Return every product as a person wants to see it."""
    rows = conn.execute(_SQL["list"]).fetchall()
    return [ListedProduct._make(cast(Any, row)) for row in rows]
