"""Request budgets shared by all processes: a slot is reserved in Postgres before a request leaves."""

from typing import Final, cast

from series_pipelines.store.connection import Connection
from series_pipelines.store.queries import load_queries

_SQL: Final = load_queries("limits")


def reserve_slot(
    conn: Connection, budget: str, capacity: int, window_ms: int, patience_ms: int, weight: int = 1
) -> int | None:
    """Reserve one request; return the milliseconds to wait, or None when that is more than the patience."""
    row = conn.execute(
        _SQL["reserve"],
        {
            "budget": budget,
            "capacity": capacity,
            "window_ms": window_ms,
            "patience_ms": patience_ms,
            "weight": weight,
        },
    ).fetchone()
    return cast(tuple[int | None], row)[0]


def block(conn: Connection, budget: str, for_ms: int, why: str) -> None:
    """Let no request of a budget leave for a while."""
    conn.execute(_SQL["block"], {"budget": budget, "for_ms": for_ms, "why": why})


def block_for_window(conn: Connection, budget: str, window_ms: int, why: str) -> None:
    """Let no request of a budget leave until the fixed window that runs now is over."""
    conn.execute(_SQL["block_for_window"], {"budget": budget, "window_ms": window_ms, "why": why})


def read_block(conn: Connection, budget: str) -> tuple[int, str] | None:
    """Return how many milliseconds a budget is still blocked, and why; None when it is not."""
    return cast(tuple[int, str] | None, conn.execute(_SQL["read_block"], {"budget": budget}).fetchone())
