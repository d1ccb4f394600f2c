"""Request budgets shared by all processes: a slot is reserved in Postgres before a request leaves."""

from typing import Final, cast

from series_pipelines.store.connection import Connection
from series_pipelines.store.queries import load_queries

_SQL: Final = load_queries("limits")


def reserve_slot(conn: Connection, budget: str, requests: int, window_ms: int, patience_ms: int) -> int | None:
    """Reserve one request; return the milliseconds to wait, or None when that is more than the patience."""
    row = conn.execute(
        _SQL["reserve"],
        {"budget": budget, "requests": requests, "window_ms": window_ms, "patience_ms": patience_ms},
    ).fetchone()
    return cast(tuple[int | None], row)[0]
