"""What lies were told of which series: the oracle must know what a vendor itself left out or made up.

Several processes may write one book: a line a lie that matters, appended before the lie is told.
"""

import json
import os
import threading
from collections import Counter, defaultdict
from pathlib import Path

from series_pipelines.core.ranges import Range

from .lies import Lie


class LieBook:
    """Counts lies, remembers each series' last answer, and the time that well-formed lies made doubtful."""

    def __init__(self, path: Path | None = None) -> None:
        self.told: Counter[str] = Counter()
        self.last: dict[str, Lie | None] = {}
        self.doubts: defaultdict[str, list[Range]] = defaultdict(list)
        self.left_out: set[str] = set()
        """Series of which something was left out, so that they may seem to have no more than they have."""
        self.denied: set[str] = set()
        """Series that a vendor said it does not have: if their product is delisted, that is its word."""
        self._path = path
        self._lock = threading.Lock()

    @property
    def total(self) -> int:
        """How many lies were told."""
        return self.told.total()

    def note(self, series_id: str, lie: Lie | None, window: Range) -> None:
        """Note an answer before it is given; `window` is the time that an honest one would speak of."""
        with self._lock:
            self.last[series_id] = lie
            if lie is None:
                return
            self.told[lie.name] += 1
            kind = "denial" if lie.denies else lie.kind
            self._take(series_id, kind, window)
            if self._path is not None:
                line = json.dumps([series_id, lie.name, kind, window.start_ms, window.end_ms])
                with self._path.open("ab", buffering=0) as file:
                    file.write(f"{line}\n".encode())

    def read(self) -> None:
        """Take in what all processes wrote."""
        if self._path is None or not self._path.exists():
            return
        self.told.clear()
        for line in self._path.read_text().splitlines():
            series_id, name, kind, start_ms, end_ms = json.loads(line)
            self.told[name] += 1
            self._take(series_id, kind, Range(start_ms, end_ms))

    def _take(self, series_id: str, kind: str, window: Range) -> None:
        if kind == "denial":
            self.denied.add(series_id)
        if kind in ("omission", "value"):
            self.doubts[series_id].append(window)
        if kind == "omission":
            self.left_out.add(series_id)


class Reporter:
    """Tells the harness of each request over a datagram socket, so that it can kill after so many of them."""

    def __init__(self, path: str) -> None:
        import socket

        self._path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def tell(self) -> None:
        """Send this process's id; what the harness has no room for it does not need."""
        try:
            self._socket.sendto(str(os.getpid()).encode(), self._path)
        except OSError:
            pass
