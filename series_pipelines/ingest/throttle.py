"""The throttle that vendors ask before each request of their own: budgets and circuits live in Postgres.

One connection serves all threads of a process; it is opened at the first request, and again after it broke. Answers
are told together with the next question, or at once when no other thread asks or has a request on its way.
"""

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Final

from series_pipelines.core.clock import Clock
from series_pipelines.errors import StoreError, VendorBusy, VendorRejected
from series_pipelines.store import limits
from series_pipelines.store.connection import Connection, translated_errors
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
        # A thread that was answered must not wait for one that asks.
        self._counting = Lock()
        self._asking = self._on_the_way = 0
        self._answered: list[tuple[int, int]] = []
        weakref.finalize(self, _close, self._held)

    def take(self, budget: Budget, weight: int = 1) -> int:
        """Wait until the request may leave; raise VendorBusy while the circuit is open or the queue is too long."""
        if weight > budget.weight:
            raise VendorRejected(f"a request of weight {weight} never fits into {budget.weight} of {budget.name}")
        ticket = None
        while True:
            turn = self._ask(budget, weight, ticket)
            if turn.ticket is not None and turn.wait_ms == 0:
                with self._counting:
                    self._on_the_way += 1
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
        with self._counting:
            self._on_the_way -= 1
            self._answered.append((ticket, self._clock.now_ms()))
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
            limits.block(conn, budget.name, for_ms, reason)

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            _close(self._held)

    def _ask(self, budget: Budget, weight: int, ticket: int | None) -> limits.Turn:
        with self._counting:
            self._asking += 1
        try:
            with self._connection() as conn:
                answered = self._take_answers()
                return limits.take_turn(
                    conn, budget.name, budget.weight, budget.window_ms, PATIENCE_MS, weight, ticket, answered
                )
        finally:
            with self._counting:
                self._asking -= 1

    def _tell_answers(self) -> None:
        """Tell what was answered, unless another thread soon will."""
        with self._counting:
            if self._asking or self._on_the_way or not self._answered:
                return
        # One that can't be settled counts a little longer; its answer is still good.
        with suppress(StoreError), self._connection() as conn:
            if answered := self._take_answers():
                limits.settle(conn, answered)

    def _take_answers(self) -> list[limits.Answered]:
        with self._counting:
            answered, self._answered = self._answered, []
        now_ms = self._clock.now_ms()
        return [limits.Answered(ticket, max(0, now_ms - answered_ms)) for ticket, answered_ms in answered]

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
