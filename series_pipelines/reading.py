"""Reads series for people: rows as they are stored, and as DataFrames indexed by UTC time.

Windows are half-open, [start, end), and a time without a zone is UTC. pandas is imported by who asks for a frame.
"""

import io
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from series_pipelines.core.duration import parse_duration
from series_pipelines.core.series import check_product_id
from series_pipelines.core.tables import INTEREST_RATE, OHLC, TABLES
from series_pipelines.core.times import date_to_ms, parse_time
from series_pipelines.database import find_existing_database
from series_pipelines.errors import InvalidDuration, InvalidInput, UnknownSeries
from series_pipelines.settings import load_settings
from series_pipelines.store import states
from series_pipelines.store.connection import Connection, connect, translated_errors
from series_pipelines.store.rows import export_rows, read_last
from series_pipelines.store.states import KnownSeries

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
    with translated_errors(), open_for_export(url) as conn:
        _, series_id = find_stored_series(conn, typed, (table_name,))
        lines = export_rows(conn, TABLES[table_name], series_id, start_ms, end_ms)
        return make_frame(table_name, lines, exact=exact)


def open_for_export(url: str) -> Connection:
    """Open a connection whose statements may last as long as their reader takes."""
    return connect(url, purpose="read", statement_timeout_ms=0)


def make_frame(table_name: str, lines: Iterable[bytes], *, exact: bool) -> "pd.DataFrame":
    """Make a DataFrame of exported lines; it has the same types when there are no rows."""
    import pandas as pd

    times, values = TABLES[table_name].times, TABLES[table_name].values
    types: dict[str, Any] = dict.fromkeys(times, "int64") | dict.fromkeys(values, object if exact else "float64")
    frame = pd.read_csv(io.BytesIO(b"".join(lines)), dtype=types, keep_default_na=not exact)
    for name in times:
        # Microseconds are what pandas itself makes of times, so joins with other frames need no conversion.
        frame[name] = pd.DatetimeIndex(frame[name].to_numpy().astype("datetime64[ms]")).as_unit("us").tz_localize("UTC")
    for name in values if exact else ():
        frame[name] = pd.Series([Decimal(text) if text else None for text in frame[name].tolist()], dtype=object)
    return frame.set_index("created_at")


def _to_ms(moment: When) -> int | None:
    if moment is None:
        return None
    if isinstance(moment, str):
        return parse_time(moment)
    # pandas.NaT is a datetime, but equals nothing.
    if isinstance(moment, date) and moment == moment:
        return date_to_ms(moment)
    raise InvalidInput(f"{moment!r} is not a time: expected a text, a date or a datetime")


def find_stored_series(conn: Connection, typed: str, tables: Sequence[str] = tuple(TABLES)) -> tuple[str, str]:
    """Return the table and the id of a series that is known or has rows, by its id as a person types it."""
    check_product_id(typed)
    for series_id in dict.fromkeys((typed, normalise_series_id(typed))):
        known = {found.table_name for found in states.find_series(conn, [series_id])}
        found = [name for name in tables if name in known or _has_rows(conn, name, series_id)]
        if len(found) > 1:
            raise InvalidInput(f"{series_id!r} is a series of {' and of '.join(found)}: choose one with --table")
        if found:
            return found[0], series_id
    every = [series for name in tables for series in states.list_series(conn, name)]
    matching = match_pattern(normalise_series_id(typed), every) if is_pattern(typed) else []
    if matching:
        example = matching[0].series_id
        raise InvalidInput(f"{typed!r} is a pattern of {len(matching)} series, and one is needed, like {example!r}")
    raise explain_unknown(typed, every)


def is_pattern(typed: str) -> bool:
    """Whether a text may stand for many series."""
    return any(char in typed for char in "*?[")


def match_pattern(pattern: str, known: Iterable[KnownSeries]) -> list[KnownSeries]:
    """Return the active series that a pattern matches; if there are none, the retired ones that it does."""
    found = [series for series in known if fnmatchcase(series.series_id, pattern)]
    return [series for series in found if series.active] or found


def _has_rows(conn: Connection, table_name: str, series_id: str) -> bool:
    return bool(read_last(conn, TABLES[table_name], [series_id], 1))


def normalise_series_id(typed: str) -> str:
    """Return an id with its duration in ISO form, when it ends in one: `…/1m` becomes `…/PT1M`."""
    product_id, slash, duration = typed.rpartition("/")
    try:
        return f"{product_id}{slash}{parse_duration(duration).text}"
    except InvalidDuration:
        return typed


def explain_unknown(typed: str, known: Iterable[KnownSeries]) -> InvalidInput:
    """Return the error that says why there is no such series, with the likeliest id that there is.

    What no vendor offers any more is only suggested when nothing but its letters' case differs.
    """
    # Retired ones first, so that an id of two tables is known as active if it is in one.
    every = sorted(known, key=lambda series: series.active)
    if not every:
        return UnknownSeries(f"no series {typed!r}: no series are known yet, run `series products --refresh`")
    if is_pattern(typed):
        return UnknownSeries(f"no series {typed!r}: no id matches this pattern, `series coverage` lists all")
    product_id, _, duration = typed.rpartition("/")
    is_offered = {series.product_id: series.active for series in every}
    if product_id in is_offered:
        try:
            parse_duration(duration)
        except InvalidDuration as error:
            return InvalidDuration(f"no series {typed!r}: {error}")
        if not is_offered[product_id]:
            return UnknownSeries(f"no series {typed!r}: {product_id!r} has retired, no vendor offers it now")
    by_lower = {series.series_id.lower(): series for series in every}
    wanted = normalise_series_id(typed).lower()
    offered = [lowered for lowered, series in by_lower.items() if series.active]
    likely = [wanted] if wanted in by_lower else get_close_matches(wanted, offered, n=1)
    if not likely:
        return UnknownSeries(f"no series {typed!r}: `series coverage` lists all")
    found = by_lower[likely[0]]
    retired = "" if found.active else ", which has retired"
    return UnknownSeries(f"no series {typed!r}: did you mean {found.series_id!r}{retired}?")
