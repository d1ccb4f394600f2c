"""The ledger of progress: one event a page in the page's transaction, and current values that only advance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from series_pipelines.core.ranges import Range
from series_pipelines.store.connection import Connection, ms_to_time
from series_pipelines.store.queries import load_queries

_SQL: Final = load_queries("cursors")
OPERATIONS: Final = {"head": "HARVEST", "tail": "BACKFILL"}


@dataclass(frozen=True, slots=True)
class CursorStep:
    """One page as the ledger sees it."""

    series_id: str
    kind: str
    window: Range | None
    request_ms: int
    row_count: int


def record(conn: Connection, table_name: str, cap_key: str, run_id: str | None, steps: Sequence[CursorStep]) -> None:
    """Append the pages' events and advance their cursors. The caller owns the series."""
    conn.execute(
        _SQL["record"],
        {
            "table_name": table_name,
            "cap_key": cap_key,
            "run_id": run_id,
            "series_ids": [step.series_id for step in steps],
            "operations": [OPERATIONS[step.kind] for step in steps],
            "window_froms": [ms_to_time(step.window.start_ms) if step.window else None for step in steps],
            "window_tos": [ms_to_time(step.window.end_ms) if step.window else None for step in steps],
            "request_times": [ms_to_time(step.request_ms) for step in steps],
            "row_counts": [step.row_count for step in steps],
        },
    )
