"""Turns to make a request, in books that all processes share: a request counts from its turn until its answer has left
the window, however long a busy machine, a stopped process or the network held it up.

Answers are told together with the next question, which costs nothing, or before a rest.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import Lock
from typing import Final, NamedTuple

from series_pipelines.core.clock import Clock
from series_pipelines.core.duration import DAY_MS
from series_pipelines.core.times import format_span
from series_pipelines.errors import DatabaseContended, DatabaseExhausted, StoreError, VendorBusy
from series_pipelines.ingest.budgets import limits
from series_pipelines.postgres.connection import Connection, translated_errors
from series_pipelines.postgres.reopening import find_pause
from series_pipelines.vendors.contract import Budget
from series_pipelines.vendors.services import Capability

STALE_AFTER_MS: Final = 5_000
"""A turn that was not used by then is taken anew: what is not answered is forgotten 30 s after its window."""
_NEVER_LEFT_MS: Final = 366 * DAY_MS
_LONGEST_NAP_MS: Final = 50
_LONGEST_PATIENCE_MS: Final = (1 << 31) - 1


class TurnBooks:
    """What one process asks the shared books, and tells them; any thread may."""

    def __init__(self, open_connection: Callable[[], AbstractContextManager[Connection]], clock: Clock) -> None:
        self._open_connection = open_connection
        self._clock = clock
        # A thread that was answered must not wait for one that asks.
        self._counting = Lock()
        self._asking = 0
        self._asked_ms: dict[int, int] = {}
        self._answered: list[tuple[int, int]] = []

    def ask(self, budget: Budget, weight: int, patience_ms: int, ticket: int | None) -> limits.Told:
        """Ask for a turn, again with its ticket after a wait; what has no wait may leave, and must be settled."""
        while True:
            asked_ms = self._clock.now_ms()
            turn = self._ask_once(budget, weight, patience_ms, ticket)
            if turn.ticket is None or turn.wait_ms:
                return turn
            with self._counting:
                self._asked_ms[turn.ticket] = asked_ms
            if self.is_fresh(turn.ticket):
                return turn
            ticket = None

    def is_fresh(self, ticket: int) -> bool:
        """Whether a request may still leave in this turn; one whose process stood still since gives its turn back."""
        with self._counting:
            now_ms = self._clock.now_ms()
            if ticket in self._asked_ms and now_ms - self._asked_ms[ticket] <= STALE_AFTER_MS:
                return True
            if self._asked_ms.pop(ticket, None) is not None:
                self._answered.append((ticket, now_ms - _NEVER_LEFT_MS))
            return False

    def settle(self, ticket: int) -> None:
        """Let the window of a request run from now, once; it is to be told."""
        with self._counting:
            if self._asked_ms.pop(ticket, None) is not None:
                self._answered.append((ticket, self._clock.now_ms()))

    def is_busy(self) -> bool:
        """Whether another thread will soon tell what was answered: it asks, or has a request on its way."""
        with self._counting:
            return bool(self._asking or self._asked_ms)

    def tell_answers(self) -> None:
        """Tell what was answered since the last question."""
        if not self.has_answers():
            return
        # One that can't be settled counts a little longer; its answer is still good.
        with suppress(StoreError), self._open_connection() as conn:
            if answered := self._take_answers():
                limits.settle(conn, answered)

    def has_answers(self) -> bool:
        """Whether something was answered that the shared books do not know."""
        with self._counting:
            return bool(self._answered)

    def _ask_once(self, budget: Budget, weight: int, patience_ms: int, ticket: int | None) -> limits.Told:
        with self._counting:
            self._asking += 1
        try:
            with self._open_connection() as conn:
                answered = self._take_answers()
                return limits.take_turn(
                    conn, budget.name, budget.weight, budget.window_ms, patience_ms, weight, ticket, answered
                )
        finally:
            with self._counting:
                self._asking -= 1

    def _take_answers(self) -> list[limits.Answered]:
        with self._counting:
            answered, self._answered = self._answered, []
        now_ms = self._clock.now_ms()
        return [limits.Answered(ticket, max(0, now_ms - answered_ms)) for ticket, answered_ms in answered]


class Turn(NamedTuple):
    """The right to make one request; without a ticket nothing limits it."""

    ticket: int | None


class NoTurn(NamedTuple):
    """That no request may leave in time, and why."""

    why: str


class LaneTurns:
    """The turns of whoever holds a capability's lock, within the limits that its service states."""

    def __init__(
        self,
        control: Connection,
        capability: Capability,
        clock: Clock,
        say: Callable[[str], None] = lambda why: None,
        on_nap: Callable[[str], None] = lambda what: None,
    ) -> None:
        stated = capability.limits
        self._control = control
        self._clock = clock
        self._say = say
        self._on_nap = on_nap
        self._books = TurnBooks(self._use_control, clock)
        self._budget: Budget | None = None
        if stated.requests is not None:
            self._budget = Budget(stated.budget or capability.vendor, stated.requests, stated.window_ms)
            # A turn, or a pause, that is forgotten when the database itself crashes is a request too many, once.
            control.execute("set synchronous_commit = off")

    def take(self, deadline_ms: int) -> Turn | NoTurn:
        """Wait until a request may leave. Whoever gets a turn settles it."""
        if self._budget is None:
            return Turn(None)
        ticket, failures = None, 0
        while True:
            patience_ms = max(0, min(deadline_ms - self._clock.now_ms(), _LONGEST_PATIENCE_MS))
            try:
                turn = self._books.ask(self._budget, 1, patience_ms, ticket)
            except (DatabaseContended, DatabaseExhausted) as error:
                failures += 1
                pause_ms = find_pause(error, failures)
                if pause_ms is None or pause_ms >= patience_ms:
                    return NoTurn(str(error))
                self._say(f"no request is made now, trying again in {pause_ms / 1000:.1f} s: {error}")
                self._clock.wait(pause_ms)
                continue
            if turn.ticket is not None and turn.wait_ms == 0:
                return Turn(turn.ticket)
            self.tell()
            if turn.blocked_ms is not None:
                blocked_s = turn.blocked_ms / 1000
                return NoTurn(f"no request to {self._budget.name} for {blocked_s:.0f} s: {turn.reason}")
            if turn.ticket is None:
                return NoTurn(f"the budget {self._budget.name!r} is spent until after its time")
            ticket = turn.ticket
            self._wait(turn.wait_ms, self._budget.name)

    def check(self, turn: Turn) -> None:
        """Call it last before the vendor: refuse a turn that this process had, and then stood still for too long."""
        if turn.ticket is not None and not self._books.is_fresh(turn.ticket):
            raise VendorBusy(f"this process stood still for {STALE_AFTER_MS // 1000} s or longer before its request")

    def settle(self, turn: Turn) -> None:
        """Say that a request was answered, was never made, or is waited for no longer; any thread may, once or more."""
        if turn.ticket is not None:
            self._books.settle(turn.ticket)

    def tell(self) -> None:
        """Before a rest, let all who share the budget know what was answered."""
        self._books.tell_answers()

    def _wait(self, wait_ms: int, budget: str) -> None:
        """Wait for a turn, shorter if it may come earlier: what is on its way was taken to be answered only now."""
        while wait_ms > 0 and not self._books.has_answers():
            nap_ms = min(wait_ms, _LONGEST_NAP_MS)
            self._on_nap(f"its turn in the budget {budget!r}, in {format_span(wait_ms)}")
            self._clock.wait(nap_ms)
            wait_ms -= nap_ms

    @contextmanager
    def _use_control(self) -> Iterator[Connection]:
        with translated_errors():
            yield self._control
