"""Cursors: how far an operation has come in a namespace of its own, and what its events say when they are replayed.

| operation | scope | key | direction | type |
|---|---|---|---|---|
| HARVEST | GLOBAL, or EXPR | empty, or the expression | FORWARD | TIME |
| BACKFILL | CUSTOM | the plan or activity | BACKFILL | TIME |
| UPDATE, of what may be stale | CUSTOM | the refresh campaign | FORWARD | TIME |
| UPDATE, by a signal of ids | CUSTOM | the batch of signals | FORWARD | ID |

A cursor only moves in its direction: FORWARD to larger positions, BACKFILL to smaller ones. Tokens can't be compared;
the last one stands.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from series_pipelines.core.times import format_iso

Operation = Literal["HARVEST", "BACKFILL", "UPDATE"]
Scope = Literal["GLOBAL", "EXPR", "CUSTOM"]
Direction = Literal["FORWARD", "BACKFILL"]
CursorType = Literal["TIME", "ID", "TOKEN"]
Reason = Literal["advanced", "no-forward", "token"]

HISTORY: Final = "history"
"""The standing plan of tails: all that lies behind."""


class Namespace(NamedTuple):
    """Where a cursor counts; cursors of different namespaces never touch each other."""

    table_name: str
    series_id: str
    operation: Operation
    scope: Scope
    key: str = ""
    cursor_type: CursorType = "TIME"

    @property
    def direction(self) -> Direction:
        """Which way its cursor moves."""
        return "BACKFILL" if self.operation == "BACKFILL" else "FORWARD"


class CursorValue(NamedTuple):
    """Where a cursor stands: a position (epoch milliseconds or an id), or a token."""

    position: int | None = None
    token: str | None = None


@dataclass(frozen=True, slots=True)
class CursorEvent:
    """What a replay needs of an event."""

    event_id: int
    reason: Reason
    prev: CursorValue
    new: CursorValue


def harvest_namespace(table_name: str, series_id: str, expression: str | None = None) -> Namespace:
    """Return the namespace of heads, or of heads narrowed by an expression."""
    return Namespace(table_name, series_id, "HARVEST", "EXPR" if expression else "GLOBAL", expression or "")


def backfill_namespace(table_name: str, series_id: str, activity: str = HISTORY) -> Namespace:
    """Return the namespace of tails under a plan or an activity."""
    return Namespace(table_name, series_id, "BACKFILL", "CUSTOM", activity)


def refresh_namespace(table_name: str, series_id: str, campaign_id: str) -> Namespace:
    """Return the namespace of a campaign that fetches again what is stored."""
    return Namespace(table_name, series_id, "UPDATE", "CUSTOM", campaign_id)


def signal_namespace(table_name: str, series_id: str, batch_id: str) -> Namespace:
    """Return the namespace of updates that follow a batch of ids."""
    return Namespace(table_name, series_id, "UPDATE", "CUSTOM", batch_id, "ID")


def format_value(namespace: Namespace, value: CursorValue | None) -> str | None:
    """Return a value as people read it: a time, an id or a token."""
    if value is None or value.position is None:
        return None if value is None else value.token
    try:
        return format_iso(value.position) if namespace.cursor_type == "TIME" else str(value.position)
    except OverflowError:
        return str(value.position)


def decide(namespace: Namespace, held: CursorValue | None, candidate: CursorValue) -> Reason:
    """Say whether a candidate moves the cursor."""
    if namespace.cursor_type == "TOKEN":
        return "token"
    if candidate.position is None:
        return "no-forward"
    if held is None or held.position is None:
        return "advanced"
    is_forward = (
        candidate.position > held.position if namespace.direction == "FORWARD" else candidate.position < held.position
    )
    return "advanced" if is_forward else "no-forward"


@dataclass(frozen=True, slots=True)
class Replay:
    """What events say about a cursor: where it stands, and which of them do not follow from those before."""

    value: CursorValue | None
    events: int
    broken: tuple[int, ...]
    start: CursorValue | None = None
    """Where the first of them found the cursor; None if they are there from its beginning."""


def replay(namespace: Namespace, events: Iterable[CursorEvent]) -> Replay:
    """Apply events in their order. The first ones say where the cursor stood, if older ones are archived."""
    value = start = None
    count = 0
    has_moved = False
    broken: list[int] = []
    for event in events:
        count += 1
        prev = None if event.prev == CursorValue() else event.prev
        # A writer that moved nothing may tell an older value than those who recorded before it, never a newer one.
        if prev != value and prev is not None and decide(namespace, value, prev) != "no-forward":
            if has_moved:
                broken.append(event.event_id)
            else:
                start = prev
            value = prev
        if event.reason == "no-forward":
            continue
        follows = prev == value and decide(namespace, value, event.new) == event.reason
        if not follows and event.event_id not in broken[-1:]:
            broken.append(event.event_id)
        if decide(namespace, value, event.new) != "no-forward":
            value = event.new
        has_moved = True
    return Replay(value, count, tuple(broken), start)
