"""Holds coverage against rows, evidence, clocks and what a page can span, and takes back what does not stand.

What is taken back is unknown again and asked for as if it never had been covered; an event in the ledger and, for rows,
a revision say what was there. Nothing that stands is touched.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from series_pipelines.core.duration import parse_duration
from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import TABLES
from series_pipelines.ingest.ledger import append as cursors
from series_pipelines.ingest.ledger.cursor import CursorValue, Namespace
from series_pipelines.ingest.pages.clocks import TOLERANCE_MS
from series_pipelines.ingest.proving import soundness
from series_pipelines.ingest.proving.soundness import Unsound
from series_pipelines.ingest.storing.rows import remove_rows
from series_pipelines.postgres.connection import Connection
from series_pipelines.postgres.locks import own_series

ACTIVITY: Final = "verify"
WHY: Final = {
    "hollow": "covered, but neither rows nor a hole that one page can tell of are there",
    "future": "covered, but it is still to come",
    "early": "an outage that was told before it was over",
    "misplaced": "a row from before or after its product's life, or written before its time had come",
    "across": "a bar that lies across another",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that does not stand, and whether it was taken back."""

    table_name: str
    series_id: str
    what: str
    window: Range
    is_mended: bool


def verify_series(
    conn: Connection,
    table_name: str,
    series_ids: Sequence[str] | None,
    limit_ms: int,
    tolerance_ms: int = TOLERANCE_MS,
) -> list[Fault]:
    """Return what does not stand of some series of a table, or of all; nothing later than the limit can be known.

    The limit lies as far ahead of now as clocks may stand apart.
    """
    found = [
        *soundness.find_misplaced(conn, TABLES[table_name], series_ids, limit_ms),
        *soundness.find_hollow(conn, TABLES[table_name], series_ids, limit_ms, tolerance_ms),
    ]
    return [_make_fault(table_name, unsound, is_mended=False) for unsound in found]


def mend_series(
    conn: Connection, table_name: str, series_id: str, limit_ms: int, now_ms: int, tolerance_ms: int = TOLERANCE_MS
) -> list[Fault]:
    """Take back what does not stand of one series, in one transaction with the events that say so."""
    with conn.transaction():
        own_series(conn, table_name, [series_id])
        misplaced = soundness.find_misplaced(conn, TABLES[table_name], [series_id], limit_ms)
        removed = [row for row in misplaced if row.fault == "misplaced" or _is_off_grid(row)]
        if removed:
            remove_rows(conn, TABLES[table_name], series_id, sorted({row.start_ms for row in removed}))
        # Without those rows more may be hollow.
        hollow = soundness.find_hollow(conn, TABLES[table_name], [series_id], limit_ms, tolerance_ms)
        if hollow:
            stretches = [Range(part.start_ms, part.end_ms) for part in hollow]
            soundness.take_back(conn, table_name, series_id, stretches)
        steps = [
            _make_step(table_name, unsound, number, now_ms) for number, unsound in enumerate((*removed, *hollow), 1)
        ]
        if steps:
            cursors.record(conn, cursors.Author(), steps)
    kept = [row for row in misplaced if row not in removed and not _is_beside(row, removed)]
    return [
        *(_make_fault(table_name, unsound, is_mended=True) for unsound in (*removed, *hollow)),
        *(_make_fault(table_name, unsound, is_mended=False) for unsound in kept),
    ]


def mend(
    conn: Connection, found: Sequence[Fault], limit_ms: int, now_ms: int, tolerance_ms: int = TOLERANCE_MS
) -> list[Fault]:
    """Take back what was found, a transaction a series."""
    return [
        fault
        for table_name, series_id in sorted({(fault.table_name, fault.series_id) for fault in found})
        for fault in mend_series(conn, table_name, series_id, limit_ms, now_ms, tolerance_ms)
    ]


def _is_off_grid(row: Unsound) -> bool:
    """Whether it is this one of two bars across each other that lies beside the grid."""
    return parse_duration(row.series_id.rpartition("/")[2]).find_offset(row.start_ms) != 0


def _is_beside(row: Unsound, removed: Sequence[Unsound]) -> bool:
    return any(row.start_ms < gone.end_ms and row.end_ms > gone.start_ms for gone in removed)


def _make_fault(table_name: str, unsound: Unsound, *, is_mended: bool) -> Fault:
    return Fault(table_name, unsound.series_id, unsound.fault, Range(unsound.start_ms, unsound.end_ms), is_mended)


def _make_step(table_name: str, unsound: Unsound, number: int, now_ms: int) -> cursors.CursorStep:
    return cursors.CursorStep(
        Namespace(table_name, unsound.series_id, "UPDATE", "CUSTOM", ACTIVITY),
        CursorValue(now_ms),
        now_ms,
        f"{ACTIVITY}/{table_name}/{unsound.series_id}/{now_ms}/{number}",
        Range(unsound.start_ms, unsound.end_ms),
        f"taken back: {unsound.fault}",
        1 if unsound.fault in ("misplaced", "across") else 0,
        number,
    )
