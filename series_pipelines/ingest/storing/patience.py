"""How long work in a thread of its own may wait for the database: while its shift lasts and nobody ends it."""

import threading
from typing import Final

from series_pipelines.core.clock import Clock

ALWAYS_MS: Final = 1_000
"""So short a wait is made whatever the time is: what is in hand would be fetched again."""
_LONGEST_NAP_MS: Final = 200


class Patience:
    """Lets time pass until a deadline, or until it is told to end."""

    def __init__(self, clock: Clock, deadline_ms: int) -> None:
        self._clock = clock
        self._deadline_ms = deadline_ms
        self._is_over = threading.Event()

    def wait(self, pause_ms: int) -> bool:
        """Let so much time pass; False when there is none left for it."""
        until_ms = self._clock.now_ms() + pause_ms
        if pause_ms >= ALWAYS_MS and (until_ms >= self._deadline_ms or self._is_over.is_set()):
            return False
        left_ms = pause_ms
        while left_ms > 0:
            if pause_ms >= ALWAYS_MS and self._is_over.is_set():
                return False
            nap_ms = min(left_ms, _LONGEST_NAP_MS)
            self._clock.wait(nap_ms)
            # A clock that is set back makes no wait longer.
            left_ms = min(left_ms - nap_ms, until_ms - self._clock.now_ms())
        return True

    def end(self) -> None:
        """Wait no longer for what takes long."""
        self._is_over.set()
