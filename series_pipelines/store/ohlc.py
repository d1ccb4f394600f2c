"""OHLC bars: rows of ohlc_v2. Prices stay the vendor's decimal strings until Postgres reads them as numeric."""

from collections.abc import Sequence
from typing import Final, cast

from series_pipelines.store.connection import Connection, ms_to_time
from series_pipelines.store.queries import load_queries
from series_pipelines.store.rows import RowTable, SeriesRows, write

_SQL: Final = load_queries("ohlc")
OHLC_TABLE: Final = RowTable("ohlc", times=2)


def write_pages(conn: Connection, pages: Sequence[SeriesRows]) -> int:
    """Write one page of bars a series and return how many bars were new or different."""
    return write(conn, OHLC_TABLE, pages)


def find_bars_across(conn: Connection, pages: Sequence[SeriesRows]) -> tuple[str, int, int] | None:
    """Return the series, the start of a bar, and the start of a stored bar that it lies across, if there is any."""
    bars = [(page.series_id, *row[:2]) for page in pages for row in page.rows]
    row = conn.execute(
        _SQL["find_bars_across"],
        {
            "series_ids": [series_id for series_id, _, _ in bars],
            "created": [ms_to_time(created_ms) for _, created_ms, _ in bars],
            "closed": [ms_to_time(closed_ms) for _, _, closed_ms in bars],
        },
    ).fetchone()
    return cast("tuple[str, int, int] | None", row)
