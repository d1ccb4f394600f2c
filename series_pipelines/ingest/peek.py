"""Peek: which capability is busy, which backs off, how much waits in each."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from series_pipelines.ingest.backlog import Backlog

PEEK_COLUMNS: Final[Mapping[str, str]] = {
    "cap_key": "string",
    "series": "int",
    "head_queue": "int",
    "tail_queue": "int",
    "in_flight": "int",
    "backoff_ms": "int",
    "next_eligible_at": "string",
    "last_error": "string",
    "method": "string",
    "prefix": "string",
    "direction": "string",
}


def list_capabilities(backlog: Backlog) -> list[dict[str, str | int | None]]:
    """Return one row a capability, in the order of PEEK_COLUMNS."""
    rows: list[dict[str, str | int | None]] = []
    for capability in backlog.capabilities.values():
        state = capability.state
        next_eligible_at = None
        if state.next_eligible_ms is not None:
            next_eligible_at = datetime.fromtimestamp(state.next_eligible_ms / 1000, UTC).isoformat(timespec="seconds")
        rows.append(
            {
                "cap_key": state.cap_key,
                "series": capability.series,
                "head_queue": capability.due_heads,
                "tail_queue": capability.due_tails,
                "in_flight": int(state.in_flight),
                "backoff_ms": state.backoff_ms,
                "next_eligible_at": next_eligible_at,
                "last_error": state.last_error,
                "method": state.method,
                "prefix": state.product_prefix,
                "direction": state.direction,
            }
        )
    return rows
