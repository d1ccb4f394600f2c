"""What comes back to a lane: answers of requests that are on their way, attempts that were committed, and what ended
its writer. Everything arrives here, from any thread; only the lane's own thread takes it out.
"""

import queue
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final

from series_pipelines.core.clock import Clock
from series_pipelines.core.times import format_span
from series_pipelines.errors import VendorError
from series_pipelines.ingest.budgets.turns import Turn
from series_pipelines.ingest.lane.fetch import LONGEST_FETCH_MS
from series_pipelines.ingest.pages.check import Page
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.planning.requests import Fetch
from series_pipelines.ingest.storing.writer import Written
from series_pipelines.vendors.asking import VendorThreads

LONGEST_NAP_MS: Final = 500
LATE_AFTER_SHIFT_MS: Final = 2_000
"""How long after its shift a lane still waits for a vendor."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request on its way: what was known, what was asked, when it left, and where its answer will be."""

    facts: SeriesFacts
    fetch: Fetch
    asked_ms: int
    number: int
    turn: Turn
    answer: "Future[Page]"

    def read_answer(self) -> Page | VendorError:
        """Return what the vendor answered."""
        try:
            return self.answer.result()
        except VendorError as error:
            return error


class Inbox:
    """Holds what is on its way, and gives what has come."""

    def __init__(self, clock: Clock, vendor_name: str, deadline_ms: int) -> None:
        self._clock = clock
        self._deadline_ms = deadline_ms
        self._come: queue.SimpleQueue[int | list[Written] | str | BaseException] = queue.SimpleQueue()
        self._threads: VendorThreads[Page] = VendorThreads(vendor_name)
        self.asked: Final[dict[int, Asked]] = {}

    def put(self, message: list[Written] | str | BaseException) -> None:
        """Take what the writer says; any thread may call it."""
        self._come.put(message)

    def send(self, facts: SeriesFacts, fetch: Fetch, number: int, turn: Turn, ask: Callable[[], Page]) -> None:
        """Let a request leave in a thread of its own."""
        answer = self._threads.submit(ask)
        self.asked[number] = Asked(facts, fetch, self._clock.now_ms(), number, turn, answer)
        answer.add_done_callback(lambda _: self._come.put(number))

    def take(self, block: bool) -> Asked | list[Written] | str | None:
        """Return what has come next, after a short wait if that is wanted; raise what ended the writer."""
        while True:
            try:
                message = self._come.get(block, LONGEST_NAP_MS / 1000)
            except queue.Empty:
                return None
            if isinstance(message, BaseException):
                raise message
            if not isinstance(message, int):
                return message
            # One that was left behind may still answer.
            if message in self.asked:
                return self.asked[message]
            block = False

    def list_overstayers(self) -> list[Asked]:
        """Return the requests that take too long, or that outlast the shift."""
        now_ms, latest_ms = self._clock.now_ms(), self._deadline_ms + LATE_AFTER_SHIFT_MS
        return [
            asked
            for asked in self.asked.values()
            if now_ms >= min(asked.asked_ms + LONGEST_FETCH_MS, latest_ms) and not asked.answer.done()
        ]

    def describe_oldest(self) -> str | None:
        """Say what the lane has waited for longest, if anything is on its way."""
        if not self.asked:
            return None
        oldest = min(self.asked.values(), key=lambda asked: asked.asked_ms)
        return (
            f"an answer for {oldest.facts.series_id}, asked {format_span(self._clock.now_ms() - oldest.asked_ms)} ago"
        )

    def close(self) -> None:
        """Wait for nothing more."""
        self._threads.close()
