"""The real clock, for those who may read one: `cli` and `defs`."""

import time


class SystemClock:
    def now_ms(self) -> int:
        """Return the time now, in UTC epoch milliseconds."""
        return time.time_ns() // 1_000_000

    def wait(self, duration_ms: int) -> None:
        """Let this much time pass."""
        time.sleep(duration_ms / 1000)
