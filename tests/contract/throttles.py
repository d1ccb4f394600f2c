"""Throttles inside the process: one that only counts, and one that keeps real budgets."""

from dataclasses import dataclass, field

from series_pipelines.core.clock import Clock
from series_pipelines.errors import VendorBusy
from series_pipelines.vendors.contract import Budget


def is_own(budget: Budget) -> bool:
    """Whether a budget counts our requests; the others follow the exchange's own count of the same ones."""
    return "/used@" not in budget.name


@dataclass
class CountingThrottle:
    """Lets everything pass at once and remembers it."""

    taken: list[tuple[Budget, int]] = field(default_factory=list)

    def take(self, budget: Budget, weight: int = 1) -> int:
        self.taken.append((budget, weight))
        return len(self.taken)

    def settle(self, ticket: int) -> None:
        pass

    def note_used(self, budget: Budget, used: int) -> None:
        pass

    def open_circuit(self, budget: Budget, for_ms: int, reason: str) -> None:
        pass


@dataclass
class WaitingThrottle:
    """Lets no more pass than a budget allows in any window, and nothing once the exchange complains."""

    clock: Clock
    granted: dict[Budget, list[tuple[int, int]]] = field(default_factory=dict)
    complaints: dict[str, str] = field(default_factory=dict)

    def take(self, budget: Budget, weight: int = 1) -> int:
        if (reason := self.complaints.get(budget.name)) is not None:
            raise VendorBusy(f"{budget.name}: {reason}")
        grants = self.granted.setdefault(budget, [])
        while (recent := self._list_recent(budget)) and sum(spent for _, spent in recent) + weight > budget.weight:
            self.clock.wait(max(1, recent[0][0] + budget.window_ms - self.clock.now_ms()))
        grants.append((self.clock.now_ms(), weight))
        return len(grants)

    def settle(self, ticket: int) -> None:
        pass

    def note_used(self, budget: Budget, used: int) -> None:
        if used >= 0.9 * budget.weight:
            self.complaints[budget.name] = f"it counts {used} of {budget.weight} as used"

    def open_circuit(self, budget: Budget, for_ms: int, reason: str) -> None:
        self.complaints[budget.name] = reason

    def _list_recent(self, budget: Budget) -> list[tuple[int, int]]:
        since_ms = self.clock.now_ms() - budget.window_ms
        return [grant for grant in self.granted[budget] if grant[0] > since_ms]
