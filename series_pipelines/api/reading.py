"""Reads series for people: rows as they are stored, and as DataFrames indexed by UTC time.

Windows are half-open, [start, end), and a time without a zone is UTC. pandas is imported by who asks for a frame.
"""

from datetime import date, datetime
from typing import TYPE_CHECKING

from series_pipelines.actions.frames import make_frame
from series_pipelines.actions.read import read_series
from series_pipelines.app.database import find_existing_database, open_for_export
from series_pipelines.app.settings import load_settings
from series_pipelines.core.tables import INTEREST_RATE, OHLC
from series_pipelines.core.times import date_to_ms, parse_time
from series_pipelines.errors import InvalidInput
from series_pipelines.postgres.connection import translated_errors

if TYPE_CHECKING:
    import pandas as pd

When = str | date | datetime | None
"""A moment; a pandas.Timestamp is a datetime, too."""


def read_ohlc(
    series_id: str, start: When = None, end: When = None, *, exact: bool = False, database_url: str | None = None
) -> "pd.DataFrame":
    """Return the bars of a series that begin in [start, end); floats, or Decimals when exact."""
    return _read_frame(OHLC.name, series_id, start, end, exact, database_url)


def read_interest_rate(
    series_id: str, start: When = None, end: When = None, *, exact: bool = False, database_url: str | None = None
) -> "pd.DataFrame":
    """Return the rates of a product that took effect in [start, end); floats, or Decimals when exact."""
    return _read_frame(INTEREST_RATE.name, series_id, start, end, exact, database_url)


def _read_frame(
    table_name: str, typed: str, start: When, end: When, exact: bool, database_url: str | None
) -> "pd.DataFrame":
    start_ms, end_ms = _to_ms(start), _to_ms(end)
    if start_ms is not None and end_ms is not None and start_ms > end_ms:
        raise InvalidInput(f"a window can't end before it starts: {start} is after {end}")
    url = database_url or find_existing_database(load_settings())
    with (
        translated_errors(),
        open_for_export(url) as conn,
        read_series(conn, typed, (table_name,), start_ms, end_ms) as rows,
    ):
        return make_frame(table_name, rows.lines, exact=exact)


def _to_ms(moment: When) -> int | None:
    if moment is None:
        return None
    if isinstance(moment, str):
        return parse_time(moment)
    # pandas.NaT is a datetime, but equals nothing.
    if isinstance(moment, date) and moment == moment:
        return date_to_ms(moment)
    raise InvalidInput(f"{moment!r} is not a time: expected a text, a date or a datetime")
