"""A connection for work that may be done twice: it is done again when that may help, on a new one if the old broke."""

from collections import Counter
from collections.abc import Callable
from typing import Final, TypeVar

from series_pipelines.errors import DatabaseContended, DatabaseExhausted, DatabaseUnavailable, StoreError
from series_pipelines.postgres.connection import Connection, translated_errors

Result = TypeVar("Result")

CONTENDED_TRIES: Final = 6
UNAVAILABLE_TRIES: Final = 8
"""The waits between them are fifteen seconds together: a server that restarts is back."""
LONGEST_PAUSE_MS: Final = 30_000


class Reopening:
    """Holds a connection, and opens another when that one broke.

    `wait` lets so many milliseconds pass, or says that there is no time for that; `tell` hears why it waits.
    """

    def __init__(
        self,
        connect: Callable[[], Connection],
        wait: Callable[[int], bool],
        tell: Callable[[StoreError, int], None] = lambda error, pause_ms: None,
    ) -> None:
        self._connect = connect
        self._wait = wait
        self._tell = tell
        self.conn = connect()

    def run(self, work: Callable[[Connection], Result]) -> Result:
        """Do some work; whether it was committed before a break is not known, so it must bear being done again."""
        failures: Counter[type[StoreError]] = Counter()
        while True:
            try:
                return self.run_once(work)
            except StoreError as error:
                failures[type(error)] += 1
                pause_ms = find_pause(error, failures[type(error)])
                if pause_ms is None:
                    raise
                self._tell(error, pause_ms)
                if not self._wait(pause_ms):
                    raise

    def run_once(self, work: Callable[[Connection], Result]) -> Result:
        """Do some work that matters less: not again."""
        try:
            with translated_errors():
                if self.conn.closed:
                    self.conn = self._connect()
                return work(self.conn)
        except DatabaseUnavailable:
            # One that only reads now, since its server was replaced, is not broken; it is of no use either.
            self.conn.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        self.conn.close()


def find_pause(error: StoreError, failures: int) -> int | None:
    """Return how long to wait after so many failures of a kind in a row; None when doing it again does not help."""
    if isinstance(error, DatabaseContended) and failures < CONTENDED_TRIES:
        return 25 << (failures - 1)
    if isinstance(error, DatabaseUnavailable) and failures < UNAVAILABLE_TRIES:
        return 0 if failures == 1 else 125 << (failures - 1)
    if isinstance(error, DatabaseExhausted):
        return min(LONGEST_PAUSE_MS, 1_000 << min(failures - 1, 5))
    return None
