"""The ledger of progress: one event a page in the page's transaction, and current values that only advance."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from series_pipelines.core.cursor import CursorValue, Namespace
from series_pipelines.core.ranges import Range
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
    spaces = [step.namespace for step in steps]
    rows = conn.execute(
        _SQL["record"],
        {
            "table_name": spaces[0].table_name,
            "cap_key": lineage.cap_key,
            "run_id": lineage.run_id,
            "lane": lineage.lane,
            "ordinals": list(range(len(steps))),
            "series_ids": [space.series_id for space in spaces],
            "operations": [space.operation for space in spaces],
            "scopes": [space.scope for space in spaces],
            "keys": [space.key for space in spaces],
            "directions": [space.direction for space in spaces],
            "types": [space.cursor_type for space in spaces],
            "candidates": [step.candidate.position for step in steps],
            "tokens": [step.candidate.token for step in steps],
            "window_froms": [ms_to_time(step.window.start_ms) if step.window else None for step in steps],
            "window_tos": [ms_to_time(step.window.end_ms) if step.window else None for step in steps],
            "requests": [step.request for step in steps],
            "row_counts": [step.row_count for step in steps],
            "page_numbers": [step.page_number for step in steps],
            "recorded": [ms_to_time(step.recorded_ms) for step in steps],
            "idempotent_keys": [step.idempotent_key for step in steps],
        },
    ).fetchall()
    fates = dict(cast(list[tuple[int, str]], rows))
    return [fates[ordinal] for ordinal in range(len(steps))]


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
