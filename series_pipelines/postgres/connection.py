"""Opens connections and turns the driver's errors into ours, at one boundary and without passwords."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from series_pipelines.core.text import show_value
from series_pipelines.errors import DatabaseUnavailable, DataRefused
from series_pipelines.postgres.failures import explain_error, read_first_line

Connection = psycopg.Connection[tuple[object, ...]]

STATEMENT_TIMEOUT_MS: Final = 120_000
UNREADABLE: Final = (
    "an address that can't be read (expected postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %2F for / and %40 for "
    "@ in the password)"
)


def connect(
    url: str, *, purpose: str, autocommit: bool = False, statement_timeout_ms: int = STATEMENT_TIMEOUT_MS
) -> Connection:
    """Open a connection; `purpose` is what pg_stat_activity shows."""
    options = f"-c statement_timeout={statement_timeout_ms} -c TimeZone=UTC"
    given = _read_url(url)
    if given is None:
        # The driver's own words may quote a part of the password.
        raise DatabaseUnavailable(f"the database can't be reached: it has {UNREADABLE}") from None
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
    parts = _read_url(url)
    if parts is None:
        return UNREADABLE
    return f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"


def _read_url(url: str) -> dict[str, Any] | None:
    """Return the parts of a URL; None if it can't be read, or not be trusted to keep its password apart."""
    try:
        parts = conninfo_to_dict(url)
    except (psycopg.Error, UnicodeError):
        return None
    return None if _is_torn(url, parts) else parts


def _is_torn(url: str, parts: Mapping[str, object]) -> bool:
    """Say whether a password with a bare `/` or `@` was torn apart, so that a piece of it passes for something else."""
    authority, _, rest = url.partition("://")[2].partition("/")
    ports = str(parts.get("port") or "0").split(",")
    shown = str(parts.get("dbname") or "")
    return (
        authority.count("@") > 1
        or "@" in rest.partition("?")[0]
        or "://" in shown
        or not all(port.isdecimal() for port in ports if port)
    )


def ms_to_time(time_ms: int | None) -> datetime | None:
    """Return epoch milliseconds as the driver wants a timestamptz."""
    if time_ms is None:
        return None
    try:
        return datetime.fromtimestamp(time_ms / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        raise DataRefused(f"{show_value(time_ms)} is no time in milliseconds that can be stored") from None
