"""Peek: which capability is busy, which backs off, how much waits in each."""

from dataclasses import dataclass
from datetime import UTC, datetime

from series_pipelines.actions.answers import Json
from series_pipelines.ingest.standing.backlog import Backlog, CapabilityBacklog, read_backlog
from series_pipelines.postgres.connection import Connection


@dataclass(frozen=True, slots=True)
class Peek:
    """All capabilities at one moment."""

    backlog: Backlog

    def as_json(self) -> Json:
        """Return the global numbers and one row a capability."""
        return {
            "global_in_flight": self.backlog.in_flight,
            "capability_count": len(self.backlog.capabilities),
            "global_head_backlog": self.backlog.head_backlog,
            "global_tail_backlog": self.backlog.tail_backlog,
            "capabilities": [_describe(capability) for capability in self.backlog.capabilities.values()],
        }


def peek(conn: Connection, now_ms: int) -> Peek:
    """Look at what each capability does and what waits."""
    backlog = read_backlog(conn, now_ms)
    conn.commit()
    return Peek(backlog)


def _describe(capability: CapabilityBacklog) -> Json:
    state = capability.state
    next_eligible_at = None
    if state.next_eligible_ms is not None:
        next_eligible_at = datetime.fromtimestamp(state.next_eligible_ms / 1000, UTC).isoformat(timespec="seconds")
    return {
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
