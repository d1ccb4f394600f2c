"""Request budgets shared by all processes: asked for in Postgres before a request leaves.

A lane takes a turn for each call of a vendor that only states its limits. A vendor that makes its own requests takes
one for each of them. Both settle it afterwards.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from series_pipelines.postgres.connection import Connection
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("ingest/limits")


class Answered(NamedTuple):
    """A ticket whose request was answered so long ago, or will never be."""

    ticket: int
    age_ms: int


class Told(NamedTuple):
    """Without a wait the request may leave; without a ticket it was refused, by a circuit if `blocked_ms` is set."""

    ticket: int | None
    wait_ms: int
    blocked_ms: int | None
    reason: str | None


def take_turn(
    conn: Connection,
    budget: str,
    capacity: int,
    window_ms: int,
    patience_ms: int,
    weight: int,
    ticket: int | None,
    answered: Sequence[Answered] = (),
) -> Told:
    """Ask for one request, or with its ticket ask again; tell what was answered before."""
    row = conn.execute(
        _SQL["take_turn"],
        _list_answers(answered)
        | {
            "budget": budget,
            "capacity": capacity,
            "window_ms": window_ms,
            "patience_ms": patience_ms,
            "weight": weight,
            "ticket": ticket,
        },
    ).fetchone()
    return Told._make(cast(Any, row))


def settle(conn: Connection, answered: Sequence[Answered]) -> None:
    """Let the windows of tickets run since they were answered, or failed."""
    conn.execute(_SQL["settle"], _list_answers(answered))


def _list_answers(answered: Sequence[Answered]) -> dict[str, Any]:
    return {
        "tickets": f"{{{','.join(str(each.ticket) for each in answered)}}}",
        "ages_ms": f"{{{','.join(str(each.age_ms) for each in answered)}}}",
    }


def block(conn: Connection, budget: str, for_ms: int, why: str) -> None:
    """Let no request of a budget leave for a while."""
    conn.execute(_SQL["block"], {"budget": budget, "for_ms": for_ms, "why": why})


def block_for_window(conn: Connection, budget: str, window_ms: int, why: str) -> None:
    """Let no request of a budget leave until the fixed window that runs now is over."""
    conn.execute(_SQL["block_for_window"], {"budget": budget, "window_ms": window_ms, "why": why})
