"""Rows of any table of series: writes those of a group of pages by the fastest exact path, digests a window's.

Rows outside what a page's window already holds can't conflict and are copied straight in; the rest go through a text
stage and a merge that leaves equal rows alone. One page a series in a group; the caller owns the series.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from hashlib import sha256
from itertools import repeat
from operator import itemgetter
from typing import Any, Final, cast

from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import SeriesTable
from series_pipelines.ingest.storing.table_queries import load_table_queries
from series_pipelines.postgres.connection import Connection, ms_to_time

NULL: Final = r"\N"
_TIME_CACHE_SIZE: Final = 1 << 16
_CREATED: Final = itemgetter(0)


@dataclass(frozen=True, slots=True)
class SeriesRows:
    """The rows of one page, sorted and unique; the first value of a row is its created_ms."""

    series_id: str
    rows: Sequence[Any]


def write_rows(conn: Connection, table: SeriesTable, pages: Sequence[SeriesRows]) -> Counter[str]:
    """Write the pages' rows and return how many of each series were new or different."""
    pages = [page for page in pages if page.rows]
    changed: Counter[str] = Counter()
    if not pages:
        return changed
    sql = load_table_queries("ingest/rows", table)
    fresh, doubtful = _split(conn, table, pages, changed)
    if fresh:
        _copy(conn, sql["copy"], fresh)
    if doubtful:
        conn.execute(sql["create_stage"])
        _copy(conn, sql["copy_stage"], doubtful)
        changed.update(dict(cast(list[tuple[str, int]], conn.execute(sql["merge_stage"]).fetchall())))
    return changed


def _split(
    conn: Connection, table: SeriesTable, pages: Sequence[SeriesRows], changed: Counter[str]
) -> tuple[list[str], list[str]]:
    """Return the lines that can't conflict, counted as changed by their series, and those that may."""
    stored = conn.execute(
        load_table_queries("ingest/rows", table)["find_stored"],
        {
            "series_ids": [page.series_id for page in pages],
            "firsts": [ms_to_time(page.rows[0][0]) for page in pages],
            "lasts": [ms_to_time(page.rows[-1][0]) for page in pages],
        },
    ).fetchall()
    fresh: list[str] = []
    doubtful: list[str] = []
    for ordinal, first_ms, last_ms in cast(list[tuple[int, float | None, float | None]], stored):
        page = pages[ordinal - 1]
        lines = format_rows(table, page)
        if first_ms is None or last_ms is None:
            fresh += lines
            changed[page.series_id] += len(lines)
            continue
        low = bisect_left(page.rows, first_ms, key=_CREATED)
        high = bisect_right(page.rows, last_ms, key=_CREATED)
        fresh += lines[:low] + lines[high:]
        changed[page.series_id] += low + len(lines) - high
        doubtful += lines[low:high]
    return fresh, doubtful


def format_rows(table: SeriesTable, page: SeriesRows) -> list[str]:
    """Return the page's rows as lines of COPY text, made column by column."""
    columns, times = list(zip(*page.rows, strict=True)), len(table.times)
    texts = [list(map(format_copy_time, column)) for column in columns[:times]]
    for column in columns[times:]:
        texts.append([NULL if value is None else value for value in column] if None in column else list(column))
    return list(map("\t".join, zip(repeat(escape(page.series_id)), *texts, strict=False)))


def export_rows(
    conn: Connection, table: SeriesTable, series_id: str, start_ms: int | None = None, end_ms: int | None = None
) -> Generator[bytes, None, None]:
    """Yield a header and the rows of a series as lines of CSV: exact decimals, times in epoch milliseconds."""
    parameters = {"series_id": series_id, "start": ms_to_time(start_ms), "end": ms_to_time(end_ms)}
    statement = cast(Any, load_table_queries("ingest/rows", table)["export"])
    with conn.cursor() as cursor, cursor.copy(statement, parameters) as copy:
        for block in copy:
            yield bytes(block)


def digest_rows(conn: Connection, table: SeriesTable, series_id: str, window: Range) -> tuple[str, int]:
    """Return a digest of the rows of a series that begin in a window, and how many they are.

    Times in milliseconds and decimals without trailing zeros, in order of time, with nothing of when they were written.
    """
    hashed = sha256()
    rows = 0
    bounds = {"series_id": series_id, "start": ms_to_time(window.start_ms), "end": ms_to_time(window.end_ms)}
    statement = cast(Any, load_table_queries("ingest/rows", table)["digest_rows"])
    with conn.cursor() as cursor, cursor.copy(statement, bounds) as copy:
        for block in copy:
            hashed.update(block)
            rows += bytes(block).count(b"\n")
    return hashed.hexdigest(), rows


def find_bars_across(conn: Connection, table: SeriesTable, pages: Sequence[SeriesRows]) -> tuple[str, int, int] | None:
    """Return the series, the start of a bar, and the start of a stored bar that it lies across, if there is any."""
    bars = [(page.series_id, *row[:2]) for page in pages for row in page.rows]
    row = conn.execute(
        load_table_queries("ingest/rows", table)["find_bars_across"],
        {
            "series_ids": [series_id for series_id, _, _ in bars],
            "created": [ms_to_time(created_ms) for _, created_ms, _ in bars],
            "closed": [ms_to_time(closed_ms) for _, _, closed_ms in bars],
        },
    ).fetchone()
    return cast("tuple[str, int, int] | None", row)


def read_last(
    conn: Connection, table: SeriesTable, series_ids: Sequence[str], count: int
) -> list[tuple[str, datetime, *tuple[Decimal | None, ...]]]:
    """Return the newest rows of each series, newest first: its id, when the row begins, and the values to show."""
    parameters = {"series_ids": list(series_ids), "count": count}
    rows = conn.execute(load_table_queries("ingest/rows", table)["read_last"], parameters).fetchall()
    return cast("list[tuple[str, datetime, *tuple[Decimal | None, ...]]]", rows)


def remove_rows(conn: Connection, table: SeriesTable, series_id: str, created: Sequence[int]) -> None:
    """Take rows back; what they said is logged as a revision."""
    times = [ms_to_time(created_ms) for created_ms in created]
    conn.execute(load_table_queries("ingest/rows", table)["remove"], {"series_id": series_id, "created": times})


def _copy(conn: Connection, statement: str, lines: list[str]) -> None:
    with conn.cursor() as cursor, cursor.copy(cast(Any, statement)) as copy:
        copy.write("\n".join(lines))


@lru_cache(maxsize=_TIME_CACHE_SIZE)
def format_copy_time(time_ms: int) -> str:
    """Return epoch milliseconds as COPY text for a timestamptz."""
    moment = ms_to_time(time_ms)
    assert moment is not None
    return moment.isoformat(sep=" ")


def escape(text: str) -> str:
    """Return text as COPY wants it; series ids hold no control characters, so only the backslash is special."""
    return text.replace("\\", "\\\\")
