"""The covered time of each series: rows of series_data_range.

Writers take the series' locks first (`postgres.locks`), so that a compaction and an insert never miss each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, cast

from series_pipelines.core.ranges import Range
from series_pipelines.postgres.connection import Connection, ms_to_time
from series_pipelines.postgres.locks import own_series, own_table
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("ingest/ranges")
# One lock a series fits Postgres' lock table only so often; beyond, the whole table is locked for a moment.
MAX_SERIES_LOCKS: Final = 500


class SeriesRange(NamedTuple):
    series_id: str
    start_ms: int
    end_ms: int


@dataclass(slots=True)
class Compaction:
    """What a compaction deleted and inserted."""

    deleted: list[SeriesRange] = field(default_factory=list)
    inserted: list[SeriesRange] = field(default_factory=list)


def read(conn: Connection, table_name: str, series_ids: Sequence[str]) -> dict[str, list[Range]]:
    """Return the ranges of each series, oldest first; a series without any has an empty list."""
    ranges: dict[str, list[Range]] = {series_id: [] for series_id in series_ids}
    rows = conn.execute(_SQL["read"], {"table_name": table_name, "series_ids": list(series_ids)}).fetchall()
    for series_id, start_ms, end_ms in cast(list[tuple[str, int, int]], rows):
        ranges[series_id].append(Range(start_ms, end_ms))
    return ranges


def add(conn: Connection, table_name: str, ranges: Sequence[tuple[str, Range]]) -> None:
    """Add ranges of series. The caller owns the series."""
    if not ranges:
        return
    conn.execute(
        _SQL["add"],
        {
            "table_name": table_name,
            "series_ids": [series_id for series_id, _ in ranges],
            "starts": [ms_to_time(added.start_ms) for _, added in ranges],
            "ends": [ms_to_time(added.end_ms) for _, added in ranges],
        },
    )


def compact(conn: Connection, table_name: str, series_ids: Sequence[str] | None = None) -> Compaction:
    """Merge the strictly overlapping ranges of some series, or of all, and return what changed."""
    if series_ids is None or len(series_ids) > MAX_SERIES_LOCKS:
        own_table(conn, table_name)
        conn.execute(_SQL["widen_memory"])
    else:
        own_series(conn, table_name, series_ids)
    parameters: dict[str, Any] = {
        "table_name": table_name,
        "series_ids": None if series_ids is None else list(series_ids),
    }
    result = Compaction()
    for change, series_id, start_ms, end_ms in cast(
        list[tuple[str, str, int, int]], conn.execute(_SQL["compact"], parameters).fetchall()
    ):
        changed = result.deleted if change == "deleted" else result.inserted
        changed.append(SeriesRange(series_id, start_ms, end_ms))
    return result
