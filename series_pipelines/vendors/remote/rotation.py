"""Whose turn it is among the instances that offer the same, and who is set aside for how long.

The one that has waited longest goes first. One that failed comes last for a while; one that asked to be left alone
(Retry-After) is not asked before. Each process has its own memory of this.
"""

import itertools
import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from series_pipelines.errors import VendorBackoff, VendorBroken, VendorError, VendorUnavailable
from series_pipelines.vendors.remote.offers import RemoteCapability

SET_ASIDE_MS: Final = 5_000
MOST_SET_ASIDE_MS: Final = 60_000


@dataclass(slots=True)
class _Standing:
    turn: int = 0
    failures: int = 0
    until_ms: int = 0
    is_told: bool = False
    error: VendorBackoff | None = None


class Rotation:
    """How each offer fares. It may be used by several threads."""

    def __init__(self) -> None:
        self._standings: defaultdict[tuple[str, str], _Standing] = defaultdict(_Standing)
        self._count = itertools.count(1)
        self._lock = threading.Lock()

    def take(self, offers: Iterable[RemoteCapability], now_ms: int) -> RemoteCapability | None:
        """Choose who is asked next; None if all have asked to be left alone."""
        with self._lock:
            ranked: list[tuple[int, int, RemoteCapability]] = []
            for offer in offers:
                standing = self._find(offer)
                is_aside = now_ms < standing.until_ms
                if not (is_aside and standing.is_told):
                    ranked.append((standing.until_ms if is_aside else 0, standing.turn, offer))
            if not ranked:
                return None
            chosen = min(ranked, key=lambda entry: entry[:2])[2]
            self._find(chosen).turn = next(self._count)
            return chosen

    def set_aside(self, offers: Iterable[RemoteCapability], error: VendorBackoff, now_ms: int) -> None:
        """Leave some alone for as long as they asked, or for a while that grows with each failure."""
        with self._lock:
            for standing in map(self._find, offers):
                standing.failures += 1
                standing.is_told = error.retry_after_ms is not None
                own_ms = min(MOST_SET_ASIDE_MS, SET_ASIDE_MS << min(standing.failures - 1, 10))
                standing.until_ms = now_ms + (own_ms if error.retry_after_ms is None else error.retry_after_ms)
                standing.error = error

    def forgive(self, offer: RemoteCapability) -> None:
        """Forget the failures of one that has answered."""
        with self._lock:
            standing = self._find(offer)
            standing.failures, standing.until_ms, standing.is_told, standing.error = 0, 0, False, None

    def explain(
        self, offers: Sequence[RemoteCapability], others: Iterable[RemoteCapability], now_ms: int
    ) -> VendorError:
        """Say why none of some offers could be used: the last error, with the shortest wait if all asked for one.

        Others that offer the same capability but not the asked duration keep it from being paused.
        """
        with self._lock:
            standings = sorted(map(self._find, offers), key=lambda each: each.turn)
            is_served = any(self._find(other).until_ms <= now_ms for other in others)
            last = next((each.error for each in reversed(standings) if each.error), VendorUnavailable("none answered"))
            is_told = all(each.is_told for each in standings)
            wait_ms = min(max(0, each.until_ms - now_ms) for each in standings) if is_told else None
        text = str(last) if len(offers) == 1 else f"{last} (the last of {len(offers)} instances)"
        if is_served:
            return VendorBroken(f"{text}; the other instances do not have this duration")
        return type(last)(text, wait_ms)

    def _find(self, offer: RemoteCapability) -> _Standing:
        return self._standings[offer.address, offer.capability.cap_key]
