"""The throttle that vendors ask before each request of their own: budgets and circuits live in Postgres.

One connection serves all threads of a process; it is opened at the first request, and again after it broke.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

from series_pipelines.core.clock import Clock
from series_pipelines.errors import VendorBusy
from series_pipelines.store import limits
from series_pipelines.store.connection import Connection, translated_errors
from series_pipelines.vendors.contract import Budget

PATIENCE_MS: Final = 10_000
FULL_AT: Final = 0.9
"""Above this share of what the exchange counts itself, nothing more is sent in its window."""


class PostgresThrottle:
    """A throttle shared by all processes that use the same database."""

    def __init__(self, connect: Callable[[str, bool], Connection], clock: Clock) -> None:
        self._connect = connect
        self._clock = clock
        self._conn: Connection | None = None
        self._lock = Lock()

    def take(self, budget: Budget, weight: int = 1) -> None:
        """Wait until the request may leave; raise VendorBusy while the circuit is open or the queue is too long."""
        with self._connection() as conn:
            wait_ms = limits.reserve_slot(conn, budget.name, budget.weight, budget.window_ms, PATIENCE_MS, weight)
            blocked = limits.read_block(conn, budget.name) if wait_ms is None else None
        if blocked is not None:
            raise VendorBusy(f"no request to {budget.name} for {blocked[0] / 1000:.0f} s: {blocked[1]}", blocked[0])
        if wait_ms is None:
            raise VendorBusy(f"the budget of {budget.name} is spent for the next {PATIENCE_MS // 1000} s")
        if wait_ms:
            self._clock.wait(wait_ms)

    def note_used(self, budget: Budget, used: int) -> None:
        """Stop until the exchange's window ends when it counts nearly all of the budget as used, by us or others."""
        if used < FULL_AT * budget.weight:
            return
        why = f"it counts {used} of {budget.weight} as used"
        with self._connection() as conn:
            limits.block_for_window(conn, budget.name, budget.window_ms, why)

    def open_circuit(self, budget: Budget, for_ms: int, reason: str) -> None:
        """Let no request of this budget leave any process for a while."""
        with self._connection() as conn:
            limits.block(conn, budget.name, for_ms, reason)

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._drop()

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        with self._lock, translated_errors():
            if self._conn is None or self._conn.closed:
                self._conn = self._connect("throttle", True)
            try:
                yield self._conn
            except Exception:
                self._drop()
                raise

    def _drop(self) -> None:
        conn, self._conn = self._conn, None
        if conn is not None:
            conn.close()
