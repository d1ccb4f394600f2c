"""Finds coverage that nothing accounts for and rows that can't be, and takes them back. The caller owns the series."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final, Literal, LiteralString, NamedTuple, cast

from series_pipelines.core.ranges import Range, find_missing
from series_pipelines.core.tables import SeriesTable
from series_pipelines.ingest.pages.check import LIFE_SLACK_MS, MOST_ROWS, PRESUMED_ROWS, SECONDS_UNTIL_2100
from series_pipelines.ingest.pages.evidence import Evidence
from series_pipelines.ingest.storing import evidence as evidence_store
from series_pipelines.ingest.storing import ranges
from series_pipelines.ingest.storing.table_queries import load_table_queries
from series_pipelines.postgres.connection import Connection, ms_to_time
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("ingest/soundness")

Fault = Literal["hollow", "future", "early", "misplaced", "across"]


class Unsound(NamedTuple):
    """One stretch or row that can't stand."""

    series_id: str
    fault: Fault
    start_ms: int
    end_ms: int


def find_hollow(
    conn: Connection, table: SeriesTable, series_ids: Sequence[str] | None, limit_ms: int, tolerance_ms: int
) -> list[Unsound]:
    """Return covered time that neither rows nor believable holes account for, or that is still to come.

    What was told of time by a clock further ahead than the tolerance is not believed.
    """
    parameters = {
        "table_name": table.name,
        "series_ids": _list(series_ids),
        "limit": ms_to_time(limit_ms),
        "tolerance": timedelta(milliseconds=tolerance_ms),
        "most_rows": MOST_ROWS,
        "presumed_rows": PRESUMED_ROWS,
        "long_interval": timedelta(milliseconds=table.long_interval_ms),
    }
    sql = load_table_queries("ingest/soundness", table)
    query = sql["find_hollow_bars"] if table.has_durations else sql["find_hollow_instants"]
    return _read(conn, query, parameters) + _read(conn, _SQL["find_early_outages"], parameters)


def find_misplaced(
    conn: Connection, table: SeriesTable, series_ids: Sequence[str] | None, limit_ms: int
) -> list[Unsound]:
    """Return rows outside their product's possible life, or still to come, and bars that lie across others."""
    parameters = {
        "series_ids": _list(series_ids),
        "limit": ms_to_time(limit_ms),
        "first": ms_to_time(SECONDS_UNTIL_2100),
        "slack": timedelta(milliseconds=LIFE_SLACK_MS),
    }
    sql = load_table_queries("ingest/soundness", table)
    query = sql["find_misplaced_bars"] if table.has_durations else sql["find_misplaced_instants"]
    return _read(conn, query, parameters)


def take_back(conn: Connection, table_name: str, series_id: str, stretches: Sequence[Range]) -> None:
    """Uncover stretches of a series, with what was said of them, so that they are asked for again."""
    names: dict[str, Any] = {"table_name": table_name, "series_id": series_id}
    row = conn.execute(_SQL["read_floor"], names).fetchone()
    floor_ms = cast("tuple[int | None]", row)[0] if row else None
    names["with_start"] = floor_ms is not None and any(stretch.start_ms <= floor_ms for stretch in stretches)
    stored = ranges.read(conn, table_name, [series_id])[series_id]
    left = [part for stretch in stored for part in find_missing(stretches, stretch)]
    conn.execute(_SQL["remove_ranges"], names)
    ranges.add(conn, table_name, [(series_id, part) for part in left])
    known = [
        Evidence(kind, Range(start_ms, end_ms), *rest)
        for kind, start_ms, end_ms, *rest in cast(list[Any], conn.execute(_SQL["read_evidence"], names).fetchall())
    ]
    conn.execute(_SQL["remove_evidence"], names)
    kept = [(series_id, replace(each, window=part)) for each in known for part in find_missing(stretches, each.window)]
    evidence_store.record(conn, table_name, kept)
    conn.execute(_SQL["reset_state"], names)


def _read(conn: Connection, query: LiteralString, parameters: dict[str, Any]) -> list[Unsound]:
    return [Unsound._make(row) for row in cast(list[Any], conn.execute(query, parameters).fetchall())]


def _list(series_ids: Sequence[str] | None) -> list[str] | None:
    return None if series_ids is None else list(series_ids)
