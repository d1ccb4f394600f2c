"""What a lane needs of time. Only `cli` and `defs` hold a real clock; tests hold one they can move."""

from typing import Protocol


class Clock(Protocol):
    def now_ms(self) -> int:
        """Return the time now, in UTC epoch milliseconds."""
        ...

    def wait(self, duration_ms: int) -> None:
        """Let this much time pass."""
        ...
