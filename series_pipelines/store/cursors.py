"""The ledger of progress: one event a page in the page's transaction, and current values that only advance."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from series_pipelines.core.cursor import CursorValue, Namespace
from series_pipelines.core.ranges import Range
from series_pipelines.core.times import format_iso
from series_pipelines.errors import CursorContested
from series_pipelines.store.connection import Connection, ms_to_time
from series_pipelines.store.queries import load_queries

_SQL: Final = load_queries("cursors")
MOST_TRIES: Final = 20


@dataclass(frozen=True, slots=True)
class Lineage:
    """Who moves cursors: a lane of a capability, in a run if Dagster started it."""

    cap_key: str | None = None
    run_id: str | None = None
    lane: str | None = None


@dataclass(frozen=True, slots=True)
class CursorStep:
    """One page as the ledger sees it. Recording it again under the same key and time changes nothing."""

    namespace: Namespace
    candidate: CursorValue
    recorded_ms: int
    idempotent_key: str
    window: Range | None = None
    request: str | None = None
    row_count: int | None = None
    page_number: int | None = None


def record(conn: Connection, lineage: Lineage, steps: Sequence[CursorStep]) -> int:
    """Append the steps' events and move their cursors; return how many had not been recorded before.

    Who loses a cursor to another writer reads it again and decides again, a bounded number of times.
    """
    landed = 0
    for round_of in _split_rounds(steps):
        waiting = list(round_of)
        for _ in range(MOST_TRIES):
            fates = _record_once(conn, lineage, waiting)
            landed += fates.count("landed")
            waiting = [step for step, fate in zip(waiting, fates, strict=True) if fate == "lost"]
            if not waiting:
                break
        else:
            raise CursorContested(
                f"the cursor of {waiting[0].namespace.series_id} was moved by others {MOST_TRIES} times: try again"
            )
    return landed


def _split_rounds(steps: Sequence[CursorStep]) -> Iterator[list[CursorStep]]:
    """Yield steps of one table, at most one a namespace, in their order."""
    rounds: list[dict[Namespace, CursorStep]] = []
    for step in steps:
        for taken in rounds:
            if step.namespace not in taken and next(iter(taken)).table_name == step.namespace.table_name:
                taken[step.namespace] = step
                break
        else:
            rounds.append({step.namespace: step})
    for taken in rounds:
        yield list(taken.values())


def _record_once(conn: Connection, lineage: Lineage, steps: Sequence[CursorStep]) -> list[str]:
    rows = conn.execute(
        _SQL["record"],
        {
            "table_name": steps[0].namespace.table_name,
            "cap_key": lineage.cap_key,
            "run_id": lineage.run_id,
            "lane": lineage.lane,
            # One text for all: the driver takes longer to make sixteen arrays than the database to record them.
            "steps": json.dumps([_describe_step(step) for step in steps]),
        },
    ).fetchall()
    return [cast(str, fate) for (fate,) in rows]


def _describe_step(step: CursorStep) -> dict[str, object]:
    space, window = step.namespace, step.window
    return {
        "series_id": space.series_id,
        "operation": space.operation,
        "namespace_scope": space.scope,
        "namespace_key": space.key,
        "direction": space.direction,
        "cursor_type": space.cursor_type,
        "candidate": step.candidate.position,
        "token": step.candidate.token,
        "window_from": format_iso(window.start_ms) if window else None,
        "window_to": format_iso(window.end_ms) if window else None,
        "request": step.request,
        "row_count": step.row_count,
        "page_number": step.page_number,
        "recorded_at": format_iso(step.recorded_ms),
        "idempotent_key": step.idempotent_key,
    }


def ensure_months(conn: Connection, now_ms: int) -> None:
    """Make the partitions of this month and the next, so that events never fall into the default one."""
    conn.execute(_SQL["ensure_months"], {"now": ms_to_time(now_ms)})


def read_value(conn: Connection, namespace: Namespace) -> CursorValue | None:
    """Return where a cursor stands; None if it never moved."""
    row = conn.execute(
        _SQL["read_value"],
        {
            "table_name": namespace.table_name,
            "series_id": namespace.series_id,
            "operation": namespace.operation,
            "scope": namespace.scope,
            "key": namespace.key,
        },
    ).fetchone()
    return None if row is None else CursorValue(*cast(Any, row))
