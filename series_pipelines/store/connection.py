"""Opens connections and turns the driver's errors into ours, at one boundary and without passwords."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from series_pipelines.core.text import show_value
from series_pipelines.errors import DatabaseUnavailable, DataRefused
from series_pipelines.store.failures import explain_error, read_first_line

Connection = psycopg.Connection[tuple[object, ...]]

STATEMENT_TIMEOUT_MS: Final = 120_000


def connect(
    url: str, *, purpose: str, autocommit: bool = False, statement_timeout_ms: int = STATEMENT_TIMEOUT_MS
) -> Connection:
    """Open a connection; `purpose` is what pg_stat_activity shows."""
    options = f"-c statement_timeout={statement_timeout_ms} -c TimeZone=UTC"
    try:
        given = conninfo_to_dict(url)
    except psycopg.Error:
        # The driver's own words may quote a part of the password.
        raise DatabaseUnavailable(f"the database can't be reached: it has {describe_url(url)}") from None
    if given.get("options"):
        options = f"{given['options']} {options}"
    try:
        return psycopg.connect(
            url,
            autocommit=autocommit,
            application_name=f"series {purpose}",
            connect_timeout=10,
            options=options,
        )
    except psycopg.Error as error:
        raise DatabaseUnavailable(
            f"the database at {describe_url(url)} can't be reached: {read_first_line(error)}"
        ) from error


@contextmanager
def translated_errors() -> Iterator[None]:
    """Turn what the driver raises inside into one clear line. It may be used around small pieces, and be nested."""
    try:
        yield
    except (psycopg.Error, UnicodeEncodeError) as error:
        raise explain_error(error) from error


def describe_url(url: str) -> str:
    """Return host, port and database of a URL, never its password."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:
        return "an address that can't be read (expected postgresql://USER:PASSWORD@HOST:PORT/DATABASE)"
    return f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"


def ms_to_time(time_ms: int | None) -> datetime | None:
    """Return epoch milliseconds as the driver wants a timestamptz."""
    if time_ms is None:
        return None
    try:
        return datetime.fromtimestamp(time_ms / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        raise DataRefused(f"{show_value(time_ms)} is no time in milliseconds that can be stored") from None
