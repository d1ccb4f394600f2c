"""The database's own clock, which all processes of an installation share."""

from typing import Final, cast

from series_pipelines.postgres.connection import Connection
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("postgres/clock")


def read_clock(conn: Connection) -> int:
    """Return the database's time, in UTC epoch milliseconds."""
    row = conn.execute(_SQL["read_clock"]).fetchone()
    return cast(tuple[int], row)[0]
