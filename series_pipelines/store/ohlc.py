"""OHLC bars: rows of ohlc_v2. Prices stay the vendor's decimal strings until Postgres reads them as numeric."""

from collections.abc import Sequence
from typing import Final

from series_pipelines.core.page import BarRow
from series_pipelines.store.connection import Connection
from series_pipelines.store.rows import NULL, RowTable, SeriesRows, format_time, write


def _format_bar(series_id: str, bar: BarRow) -> str:
    created_ms, closed_ms, open_, high, low, close, volume, open_interest = bar
    return (
        f"{series_id}\t{format_time(created_ms)}\t{format_time(closed_ms)}\t{open_}\t{high}\t{low}\t{close}"
        f"\t{NULL if volume is None else volume}\t{NULL if open_interest is None else open_interest}\n"
    )


OHLC_TABLE: Final = RowTable("ohlc", _format_bar)


def write_pages(conn: Connection, pages: Sequence[SeriesRows]) -> int:
    """Write one page of bars a series and return how many bars were new or different."""
    return write(conn, OHLC_TABLE, pages)
