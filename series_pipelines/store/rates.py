"""Interest and funding rates: rows of interest_rate."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from series_pipelines.store.connection import Connection
from series_pipelines.store.rows import RowTable, SeriesRows, write

RATE_TABLE: Final = RowTable("rates", times=1)


def write_pages(conn: Connection, pages: Sequence[SeriesRows]) -> Counter[str]:
    """Write one page of rates a series and return how many of each were new or different."""
    return write(conn, RATE_TABLE, pages)
