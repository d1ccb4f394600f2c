"""Tells in a run's log how far its lane is, every few seconds: done, left, and how fast."""

import time
from collections.abc import Callable, Iterable
from typing import Final

from dagster import OpExecutionContext

from series_pipelines.core.clock import Clock
from series_pipelines.ingest.planning.plan import Cadence, SeriesFacts, find_head_due, find_tail_due
from series_pipelines.ingest.storing.writer import Written

PERSON_SECONDS: Final = 5.0
LANE_SECONDS: Final = 20.0
"""A sensor's lanes are many and never end, and each line is an event to keep; a person waits for a run."""


class LaneLog:
    """Counts what a lane commits and knows what is left of its series."""

    def __init__(
        self,
        context: OpExecutionContext,
        clock: Clock,
        known: Iterable[SeriesFacts],
        by_person: bool,
        find_cadence: Callable[[SeriesFacts], Cadence],
    ) -> None:
        self._context = context
        self._clock = clock
        self._find_cadence = find_cadence
        self._known = {facts.series_id: facts for facts in known}
        self._every_seconds = PERSON_SECONDS if by_person else LANE_SECONDS
        self._begun = self._told = time.monotonic()
        self.pages = self.rows = self.new_rows = 0

    def note(self, written: Written) -> None:
        """Take note of a committed attempt, and tell how far the lane is when it is time."""
        page = written.finished.page
        self.pages += page is not None
        self.rows += len(page.rows) if page else 0
        self.new_rows += written.new_rows
        if written.facts is not None:
            self._known[written.facts.series_id] = written.facts
        now = time.monotonic()
        if now - self._told >= self._every_seconds:
            self._told = now
            self._context.log.info(self.describe(now))

    def describe(self, now: float) -> str:
        """Say what is done and left, and how fast."""
        spent_seconds = max(now - self._begun, 1e-9)
        heads, tails = self._count_left()
        return (
            f"{spent_seconds:.0f} s: {self.pages} pages, {self.rows} rows, {self.new_rows} of them new; "
            f"{60 * self.pages / spent_seconds:.0f} pages a minute; left: {heads} heads, {tails} tails"
        )

    def _count_left(self) -> tuple[int, int]:
        now_ms = self._clock.now_ms()
        heads = tails = 0
        for facts in self._known.values():
            head_due_ms = find_head_due(facts, self._find_cadence(facts))
            heads += head_due_ms is not None and head_due_ms <= now_ms
            tails += find_tail_due(facts) is not None
        return heads, tails
