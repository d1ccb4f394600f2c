"""The series and what is known of each: attempts, pauses, floors. Progress itself is read from ranges."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from series_pipelines.core.tables import TABLES
from series_pipelines.ingest.pages.outcome import Outcome
from series_pipelines.ingest.planning.facts import SeriesDue, SeriesFacts
from series_pipelines.postgres.connection import Connection, ms_to_time
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("ingest/states")


class KnownSeries(NamedTuple):
    series_id: str
    table_name: str
    cap_key: str
    product_id: str
    active: bool


@dataclass(frozen=True, slots=True)
class Attempt:
    """One finished attempt for a series: `target` is its head, a gap, or the start of its history."""

    series_id: str
    target: str
    attempted_ms: int
    outcome: Outcome
    new_rows: int = 0


class Tally(NamedTuple):
    """Of a whole table: how many series have retired, and how many rows were new or different so far."""

    retired: int
    new_rows: int


class SeriesChanges(NamedTuple):
    added: int
    changed: int
    retired: int


def read_facts(
    conn: Connection, table_name: str, *, series_ids: Sequence[str] | None = None, cap_key: str | None = None
) -> list[SeriesFacts]:
    """Read what the planner knows of a table's active series, or of some, or of one capability's, in one query."""
    rows = conn.execute(
        _SQL["read_facts"],
        {
            "table_name": table_name,
            "has_durations": TABLES[table_name].has_durations,
            "series_ids": None if series_ids is None else list(series_ids),
            "cap_key": cap_key,
        },
    ).fetchall()
    return [SeriesFacts._make(row) for row in cast(list[Any], rows)]


def read_due(conn: Connection, table_name: str) -> list[SeriesDue]:
    """Read what tells whether work is due, for every active series of a table.

    Most gaps show without putting ranges in order, which costs a quarter more; that is done only where it is needed.
    """
    # Each row becomes what it means at once: ten thousand more tuples would wake the garbage collector.
    cursor = conn.cursor(row_factory=lambda _: SeriesDue._make)
    known = cursor.execute(_SQL["read_due"], {"table_name": table_name}, binary=True).fetchall()
    if not any(due.may_hide_gap for due in known):
        return known
    gapped = {series_id for (series_id,) in conn.execute(_SQL["find_gapped"], {"table_name": table_name})}
    return [due._replace(has_gap=True) if due.may_hide_gap and due.series_id in gapped else due for due in known]


def write_outcomes(conn: Connection, table_name: str, attempts: Sequence[Attempt]) -> None:
    """Write what attempts mean for their series; at most one attempt a series."""
    outcomes = [attempt.outcome for attempt in attempts]
    conn.execute(
        _SQL["write_outcomes"],
        {
            "table_name": table_name,
            "series_ids": [attempt.series_id for attempt in attempts],
            "targets": [attempt.target for attempt in attempts],
            "attempted": [ms_to_time(attempt.attempted_ms) for attempt in attempts],
            "eligible": [ms_to_time(outcome.eligible_ms) for outcome in outcomes],
            "misses": [outcome.misses for outcome in outcomes],
            "failures": [outcome.failures for outcome in outcomes],
            "windows": [outcome.page_span_ms for outcome in outcomes],
            "floors": [ms_to_time(outcome.floor.time_ms) for outcome in outcomes],
            "floor_kinds": [outcome.floor.kind for outcome in outcomes],
            "grounds": [",".join(outcome.floor.grounds) for outcome in outcomes],
            "nothing_earlier": [ms_to_time(outcome.floor.nothing_earlier_ms) for outcome in outcomes],
            "rechecks": [ms_to_time(outcome.floor.recheck_ms) for outcome in outcomes],
            "errors": [outcome.error for outcome in outcomes],
            "intervals": [outcome.interval_ms for outcome in outcomes],
            "new_rows": [attempt.new_rows for attempt in attempts],
        },
    )


def mark_shown(conn: Connection, table_name: str, series_ids: Sequence[str], shown_ms: int | None) -> None:
    """Remember when Dagster last got a partition event of these series; None: it still has to get one."""
    parameters = {"table_name": table_name, "series_ids": list(series_ids), "shown_at": ms_to_time(shown_ms)}
    conn.execute(_SQL["mark_shown"], parameters)


def find_series(conn: Connection, series_ids: Sequence[str]) -> list[KnownSeries]:
    """Return what is known of some series ids; an id can be a series of each table."""
    rows = conn.execute(_SQL["find_series"], {"series_ids": list(series_ids)}).fetchall()
    return [KnownSeries._make(row) for row in cast(list[Any], rows)]


def list_series(conn: Connection, table_name: str) -> list[KnownSeries]:
    """Return every series of a table, retired ones too, in key order."""
    rows = cast(list[Any], conn.execute(_SQL["list_series"], {"table_name": table_name}).fetchall())
    return [
        KnownSeries(series_id, table_name, cap_key, product_id, active)
        for series_id, product_id, cap_key, active in rows
    ]


def tally(conn: Connection, table_name: str) -> Tally:
    """Count what a table's series do not tell while they are looked at one by one."""
    return Tally._make(cast(Any, conn.execute(_SQL["tally"], {"table_name": table_name}).fetchone()))


def upsert_series(conn: Connection, table_name: str, series: Sequence[tuple[str, str, str]]) -> tuple[int, int]:
    """Make these (series_id, product_id, cap_key) active; return how many were new, and how many changed."""
    row = conn.execute(
        _SQL["upsert_series"],
        {
            "table_name": table_name,
            "series_ids": [series_id for series_id, _, _ in series],
            "product_ids": [product_id for _, product_id, _ in series],
            "cap_keys": [cap_key for _, _, cap_key in series],
        },
    ).fetchone()
    return cast(tuple[int, int], row)


def retire_series(conn: Connection, table_name: str, series_ids: Sequence[str]) -> int:
    """Let series rest that nobody offers any more; return how many did."""
    parameters = {"table_name": table_name, "series_ids": list(series_ids)}
    return conn.execute(_SQL["retire_series"], parameters).rowcount
