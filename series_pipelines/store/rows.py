"""Writes the rows of a group of pages by the fastest exact path.

Rows outside what a page's window already holds can't conflict and are copied straight in; the rest go through a text
stage and a merge that leaves equal rows alone. One page a series in a group; the caller owns the series.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, cast

from series_pipelines.store.connection import Connection, ms_to_time
from series_pipelines.store.queries import load_queries

NULL: Final = r"\N"
_TIME_CACHE_SIZE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class RowTable:
    """A table of rows: its query file, and how one row becomes a line of COPY text."""

    queries: str
    format_row: Callable[[str, Any], str]


@dataclass(frozen=True, slots=True)
class SeriesRows:
    """The rows of one page, sorted and unique; the first value of a row is its created_ms."""

    series_id: str
    rows: Sequence[Any]


def write(conn: Connection, table: RowTable, pages: Sequence[SeriesRows]) -> int:
    """Write the pages' rows and return how many were new or different."""
    pages = [page for page in pages if page.rows]
    if not pages:
        return 0
    sql = load_queries(table.queries)
    fresh, doubtful = _split(conn, table, pages)
    changed = len(fresh)
    if fresh:
        _copy(conn, sql["copy"], fresh)
    if doubtful:
        conn.execute(sql["create_stage"])
        _copy(conn, sql["copy_stage"], doubtful)
        changed += conn.execute(sql["merge_stage"]).rowcount
    return changed


def _split(conn: Connection, table: RowTable, pages: Sequence[SeriesRows]) -> tuple[list[str], list[str]]:
    stored = conn.execute(
        load_queries(table.queries)["find_stored"],
        {
            "series_ids": [page.series_id for page in pages],
            "firsts": [ms_to_time(page.rows[0][0]) for page in pages],
            "lasts": [ms_to_time(page.rows[-1][0]) for page in pages],
        },
    ).fetchall()
    fresh: list[str] = []
    doubtful: list[str] = []
    format_row = table.format_row
    for ordinal, first_ms, last_ms in cast(list[tuple[int, float | None, float | None]], stored):
        page = pages[ordinal - 1]
        name = escape(page.series_id)
        if first_ms is None or last_ms is None:
            fresh.extend([format_row(name, row) for row in page.rows])
            continue
        for row in page.rows:
            (doubtful if first_ms <= row[0] <= last_ms else fresh).append(format_row(name, row))
    return fresh, doubtful


def _copy(conn: Connection, statement: str, lines: list[str]) -> None:
    with conn.cursor() as cursor, cursor.copy(cast(Any, statement)) as copy:
        copy.write("".join(lines))


@lru_cache(maxsize=_TIME_CACHE_SIZE)
def format_time(time_ms: int) -> str:
    """Return epoch milliseconds as COPY text for a timestamptz."""
    moment = ms_to_time(time_ms)
    assert moment is not None
    return moment.isoformat(sep=" ")


def escape(text: str) -> str:
    """Return text as COPY wants it; series ids hold no control characters, so only the backslash is special."""
    return text.replace("\\", "\\\\")
