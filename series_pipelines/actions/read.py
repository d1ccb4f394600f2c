"""The rows of one series, as they are stored: exact decimals, times in epoch milliseconds."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

from series_pipelines.actions.choosing import find_stored_series
from series_pipelines.core.tables import TABLES, SeriesTable
from series_pipelines.ingest.storing.rows import export_rows
from series_pipelines.postgres.connection import Connection


@dataclass(frozen=True, slots=True)
class Rows:
    """A series, and its rows as lines of CSV; the first is the header."""

    table: SeriesTable
    series_id: str
    lines: Iterator[bytes]


@contextmanager
def read_series(
    conn: Connection, typed: str, tables: Sequence[str], start_ms: int | None, end_ms: int | None
) -> Iterator[Rows]:
    """Give the rows of one series that begin in [start, end); they are read while they are taken."""
    table_name, series_id = find_stored_series(conn, typed, tables)
    with closing(export_rows(conn, TABLES[table_name], series_id, start_ms, end_ms)) as lines:
        yield Rows(TABLES[table_name], series_id, lines)
