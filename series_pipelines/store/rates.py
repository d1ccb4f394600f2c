"""Interest and funding rates: rows of interest_rate."""

from collections.abc import Sequence
from typing import Final

from series_pipelines.core.page import RateRow
from series_pipelines.store.connection import Connection
from series_pipelines.store.rows import NULL, RowTable, SeriesRows, format_time, write


def _format_rate(series_id: str, rate: RateRow) -> str:
    created_ms, long_rate, short_rate, settlement_price = rate
    price = NULL if settlement_price is None else settlement_price
    return f"{series_id}\t{format_time(created_ms)}\t{long_rate}\t{short_rate}\t{price}\n"


RATE_TABLE: Final = RowTable("rates", _format_rate)


def write_pages(conn: Connection, pages: Sequence[SeriesRows]) -> int:
    """Write one page of rates a series and return how many rates were new or different."""
    return write(conn, RATE_TABLE, pages)
