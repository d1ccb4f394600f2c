"""How a loopback exchange misbehaves: which fault, if any, meets the next request. Drawn from a seeded chance."""

import random
from collections import deque
from dataclasses import dataclass, field, fields
from typing import Any, Final

# What spoils a page's rows, and what replaces or breaks the whole answer.
ROW_FAULTS: Final = ("duplicate", "missing", "forming")
ANSWER_FAULTS: Final = (
    "429_retry_after",
    "429_plain",
    "503",
    "500_empty",
    "no_answer",
    "slow_body",
    "cut",
    "html_200",
    "empty_200",
    "error_200",
)
FAULTS: Final = (*ANSWER_FAULTS, *ROW_FAULTS)
# What a client must bear without losing or inventing a row; "missing" is a lie no client can see through.
SURVIVABLE: Final = tuple(fault for fault in FAULTS if fault not in ("no_answer", "slow_body", "missing"))


@dataclass
class Budget:
    """More than `weight` in any `window_ms` on paths that contain `path` is answered with a 429 and counted."""

    weight: int
    window_ms: int
    path: str = ""

    def __post_init__(self) -> None:
        self._recent: deque[tuple[float, int]] = deque()
        self._used = 0

    def take(self, time_ms: float, path: str, weight: int) -> bool:
        """Count a request; return whether it stays within the budget."""
        if self.path not in path:
            return True
        self._recent.append((time_ms, weight))
        self._used += weight
        while self._recent[0][0] <= time_ms - self.window_ms:
            self._used -= self._recent.popleft()[1]
        return self._used <= self.weight


@dataclass
class Faults:
    """What is wrong now; every field may be changed while the server runs.

    `next` are faults for the coming requests, one each and before any chance; an empty text is a good answer. Only
    paths that contain one of `paths` are met by faults; no paths means all. A slow answer takes `slow_ms`.
    """

    error_rate: float = 0.0
    kinds: list[str] = field(default_factory=lambda: list(SURVIVABLE))
    next: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    latency_ms: float = 0.0
    slow_ms: float = 30_000.0
    retry_after_s: int = 1
    budgets: list[Budget] = field(default_factory=list)
    seed: int = 1

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)

    def change(self, changes: dict[str, Any]) -> None:
        """Set some of the fields."""
        known = {each.name for each in fields(self)}
        if unknown := sorted(set(changes) - known):
            raise ValueError(f"no fault setting {unknown[0]!r}: there are {', '.join(sorted(known))}")
        if unknown := sorted({*changes.get("kinds", ()), *changes.get("next", ())} - {*FAULTS, ""}):
            raise ValueError(f"no fault {unknown[0]!r}: there are {', '.join(FAULTS)}")
        if "budgets" in changes:
            changes = changes | {"budgets": [Budget(**budget) for budget in changes["budgets"]]}
        for name, value in changes.items():
            setattr(self, name, value)
        if "seed" in changes:
            self._chance = random.Random(self.seed)

    def draw(self, path: str) -> str | None:
        """Return the fault that meets a request, None for a good answer."""
        if self.paths and not any(part in path for part in self.paths):
            return None
        if self.next:
            return self.next.pop(0) or None
        luck, kind = self._chance.random(), self._chance.random()
        return self.kinds[int(kind * len(self.kinds))] if luck < self.error_rate else None
