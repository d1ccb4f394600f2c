"""Products as their vendors describe them."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple, cast

from series_pipelines.store.connection import Connection, ms_to_time
from series_pipelines.store.queries import load_queries

_SQL: Final = load_queries("products")


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


def upsert(conn: Connection, vendor: str, products: Sequence[Mapping[str, object]], seen_ms: int) -> int:
    """Bring a vendor's products up to date and return how many were new or changed."""
    parameters = {"vendor": vendor, "products": json.dumps(products), "seen_at": ms_to_time(seen_ms)}
    return conn.execute(_SQL["upsert"], parameters).rowcount


def list_live(conn: Connection, vendor: str) -> list[str]:
    """Return the products of a vendor that nobody has called delisted."""
    return [cast(str, row[0]) for row in conn.execute(_SQL["list_live"], {"vendor": vendor})]


def delist(conn: Connection, product_ids: Sequence[str], delisted_ms: int) -> None:
    """Say that these products are delisted since a moment."""
    conn.execute(_SQL["delist"], {"product_ids": list(product_ids), "delisted_at": ms_to_time(delisted_ms)})


def list_ids(conn: Connection) -> list[tuple[str, bool]]:
    """Return every product id, with whether it has no interest rate."""
    return cast(list[tuple[str, bool]], conn.execute(_SQL["list_ids"]).fetchall())


def list_products(conn: Connection, text: str = "") -> list[ListedProduct]:
    """Return the products whose id contains the text."""
    pattern = "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    rows = conn.execute(_SQL["list"], {"pattern": pattern}).fetchall()
    return [ListedProduct._make(cast(Any, row)) for row in rows]
