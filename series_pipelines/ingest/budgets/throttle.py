"""The throttle that vendors ask before each request of their own: budgets and circuits live in Postgres.

One connection serves all threads of a process; it is opened at the first request, and again after it broke. Answers
are told together with the next question, or at once when no other thread asks or has a request on its way.
"""

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

from series_pipelines.core.clock import Clock
from series_pipelines.core.text import clean_text
from series_pipelines.errors import VendorBroken, VendorBusy
from series_pipelines.ingest.budgets import limits
from series_pipelines.ingest.budgets.turns import TurnBooks
from series_pipelines.postgres.connection import Connection, translated_errors
from series_pipelines.vendors.contract import Budget

PATIENCE_MS: Final = 30_000
FULL_AT: Final = 0.9
"""Above this share of what the exchange counts itself, nothing more is sent in its window."""


class PostgresThrottle:
    """A throttle shared by all processes that use the same database."""

    def __init__(self, connect: Callable[[str, bool], Connection], clock: Clock) -> None:
        self._connect = connect
        self._clock = clock
        self._held: list[Connection] = []
        self._lock = Lock()
        self._books = TurnBooks(self._connection, clock)
        weakref.finalize(self, _close, self._held)

    def take(self, budget: Budget, weight: int = 1) -> int:
        """Wait until the request may leave; raise VendorBusy while the circuit is open or the queue is too long."""
        if weight > budget.weight:
            raise VendorBroken(f"a request of weight {weight} never fits into {budget.weight} of {budget.name}")
        ticket = None
        while True:
            turn = self._books.ask(budget, weight, PATIENCE_MS, ticket)
            if turn.ticket is not None and turn.wait_ms == 0:
                return turn.ticket
            self._tell_answers()
            if turn.blocked_ms is not None:
                wait_s = turn.blocked_ms / 1000
                raise VendorBusy(f"no request to {budget.name} for {wait_s:.0f} s: {turn.reason}", turn.blocked_ms)
            if turn.ticket is None:
                raise VendorBusy(f"the budget of {budget.name} is spent for the next {PATIENCE_MS // 1000} s")
            ticket = turn.ticket
            self._clock.wait(turn.wait_ms)

    def settle(self, ticket: int) -> None:
        """Let the window of a request run from now."""
        self._books.settle(ticket)
        self._tell_answers()

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
            limits.block(conn, budget.name, for_ms, clean_text(reason))

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            _close(self._held)

    def _tell_answers(self) -> None:
        if not self._books.is_busy():
            self._books.tell_answers()

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        with self._lock, translated_errors():
            try:
                if not self._held or self._held[0].closed:
                    self._held[:] = [self._connect("throttle", True)]
                    # A turn that is forgotten when the database itself crashes is a request too many, once.
                    self._held[0].execute("set synchronous_commit = off")
                yield self._held[0]
            except BaseException:
                # One that was interrupted in the midst of a query is of no more use either.
                _close(self._held)
                raise


def _close(held: list[Connection]) -> None:
    while held:
        held.pop().close()
