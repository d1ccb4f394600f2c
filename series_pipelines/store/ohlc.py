"""OHLC bars: rows of ohlc_v2. Prices stay the vendor's decimal strings until Postgres reads them as numeric."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from series_pipelines.store.connection import Connection
from series_pipelines.store.rows import RowTable, SeriesRows, write

OHLC_TABLE: Final = RowTable("ohlc", times=2)


def write_pages(conn: Connection, pages: Sequence[SeriesRows]) -> Counter[str]:
    """Write one page of bars a series and return how many of each were new or different."""
    return write(conn, OHLC_TABLE, pages)
