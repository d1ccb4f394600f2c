"""The throttle of a process that has no database, so nobody shares its budgets: what it keeps ends with it.

As in the shared books, a request counts from its turn until one window after its answer.
"""

from threading import Lock
from typing import Final

from series_pipelines.core.clock import Clock
from series_pipelines.errors import VendorBusy
from series_pipelines.ingest.budgets.throttle import FULL_AT, PATIENCE_MS
from series_pipelines.vendors.contract import Budget

_NAP_MS: Final = 50


class LoneThrottle:
    """A throttle inside one process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._taken: list[tuple[str, int]] = []
        self._answered_ms: dict[int, int] = {}
        self._shut: dict[str, tuple[int, str]] = {}

    def take(self, budget: Budget, weight: int = 1) -> int:
        """Wait until the request may leave; raise VendorBusy while the circuit is open or the queue is too long."""
        until_ms = self._clock.now_ms() + PATIENCE_MS
        while (now_ms := self._clock.now_ms()) <= until_ms:
            with self._lock:
                shut_ms, reason = self._shut.get(budget.name, (0, ""))
                if shut_ms > now_ms:
                    wait_s = (shut_ms - now_ms) / 1000
                    raise VendorBusy(f"no request to {budget.name} for {wait_s:.0f} s: {reason}", shut_ms - now_ms)
                if self._count_spent(budget, now_ms) + weight <= budget.weight:
                    self._taken.append((budget.name, weight))
                    return len(self._taken) - 1
            self._clock.wait(_NAP_MS)
        raise VendorBusy(f"the budget of {budget.name} is spent for the next {PATIENCE_MS // 1000} s")

    def settle(self, ticket: int) -> None:
        """Let the window of a request run from now."""
        with self._lock:
            self._answered_ms.setdefault(ticket, self._clock.now_ms())

    def note_used(self, budget: Budget, used: int) -> None:
        """Stop for a window when the exchange counts nearly all of the budget as used, by us or others."""
        if used >= FULL_AT * budget.weight:
            self.open_circuit(budget, budget.window_ms, f"it counts {used} of {budget.weight} as used")

    def open_circuit(self, budget: Budget, for_ms: int, reason: str) -> None:
        """Let no request of this budget leave for a while."""
        with self._lock:
            shut = (self._clock.now_ms() + for_ms, reason)
            self._shut[budget.name] = max(shut, self._shut.get(budget.name, shut))

    def _count_spent(self, budget: Budget, now_ms: int) -> int:
        since_ms = now_ms - budget.window_ms
        return sum(
            weight
            for ticket, (name, weight) in enumerate(self._taken)
            if name == budget.name and self._answered_ms.get(ticket, now_ms) > since_ms
        )
