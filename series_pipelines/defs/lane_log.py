"""Tells in a run's log how far its lane is, every few seconds: done, left, how fast, and what it waits for."""

import time
from collections.abc import Callable, Iterable
from typing import Final

from dagster import OpExecutionContext

from series_pipelines.core.clock import Clock
from series_pipelines.ingest.lane.order import LaneOrder
from series_pipelines.ingest.planning.cadence import Cadence
from series_pipelines.ingest.planning.due import find_head_due, find_tail_due
from series_pipelines.ingest.planning.facts import Kind, SeriesFacts
from series_pipelines.ingest.storing.writer import Written

PERSON_SECONDS: Final = 5.0
LANE_SECONDS: Final = 10.0
"""A sensor's lanes are many and never end, and each line is an event to keep; a person waits for a run."""


class LaneLog:
    """Counts what a lane commits and knows what is left of its series."""

    def __init__(
        self,
        context: OpExecutionContext,
        clock: Clock,
        known: Iterable[SeriesFacts],
        order: LaneOrder,
        find_cadence: Callable[[SeriesFacts], Cadence],
    ) -> None:
        self._context = context
        self._clock = clock
        self._find_cadence = find_cadence
        self._known = {facts.series_id: facts for facts in known}
        self._order = order
        self._every_seconds = PERSON_SECONDS if order.by_person else LANE_SECONDS
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
        self._tell_in_time()

    def note_nap(self, what: str) -> None:
        """Tell how far the lane is, and what it waits for, when it is time."""
        self._tell_in_time(f"; waits for {what}")

    def _tell_in_time(self, more: str = "") -> None:
        now = time.monotonic()
        if now - self._told >= self._every_seconds:
            self._told = now
            self._context.log.info(self.describe(now) + more)

    def describe(self, now: float) -> str:
        """Say what is done and left, and how fast."""
        spent_seconds = max(now - self._begun, 1e-9)
        return (
            f"{spent_seconds:.0f} s: {self.pages} pages, {self.rows} rows, {self.new_rows} of them new; "
            f"{60 * self.pages / spent_seconds:.0f} pages a minute{self._describe_left()}"
        )

    def _describe_left(self) -> str:
        # What a window misses is not what the facts of a series say.
        if self._order.window is not None:
            return ""
        left = self._count_left()
        return f"; left: {', '.join(f'{left[kind]} {kind}s' for kind in self._order.work)}"

    def _count_left(self) -> dict[Kind, int]:
        now_ms = self._clock.now_ms()
        left: dict[Kind, int] = {"head": 0, "tail": 0}
        for facts in self._known.values():
            head_due_ms = find_head_due(facts, self._find_cadence(facts))
            left["head"] += head_due_ms is not None and head_due_ms <= now_ms
            left["tail"] += find_tail_due(facts) is not None
        return left
