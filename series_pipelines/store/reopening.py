"""A connection for work that may be done twice: if it breaks on the way, the work is done again on a new one."""

from collections.abc import Callable
from typing import TypeVar

import psycopg

from series_pipelines.store.connection import Connection

Result = TypeVar("Result")


class Reopening:
    """Holds a connection, and opens another when that one broke."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self.conn = connect()

    def run(self, work: Callable[[Connection], Result]) -> Result:
        """Do some work; whether it was committed before a break is not known, so it must bear being done again."""
        try:
            return work(self.conn)
        except (psycopg.OperationalError, psycopg.InterfaceError):
            if not self.conn.broken:
                raise
            self.conn.close()
            self.conn = self._connect()
            return work(self.conn)

    def close(self) -> None:
        """Close the connection."""
        self.conn.close()
