"""The progress bar of `ingest`: how much of what the chosen series miss is fetched. Drawn on a terminal only."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

from series_pipelines.cli.output import make_error_console
from series_pipelines.core.ranges import Range, find_missing, merge_overlapping
from series_pipelines.ingest.standing.coverage import measure_coverage

if TYPE_CHECKING:
    from series_pipelines.actions.backfill import Listener, Work
    from series_pipelines.ingest.lane.order import LaneOrder
    from series_pipelines.ingest.storing.writer import Written
    from series_pipelines.postgres.connection import Connection
    from series_pipelines.vendors.services import Capability


class IngestProgress:
    """Draws one bar a lane: how much of the missing time is fetched, or how many of the pages asked for."""

    def __init__(self, conn: "Connection", now_ms: int) -> None:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

        console = make_error_console()
        self._conn = conn
        self._now_ms = now_ms
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[pages]} pages, {task.fields[rows]} rows"),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._progress.stop()

    @contextmanager
    def follow(self, work: "Work", capability: "Capability", order: "LaneOrder") -> "Iterator[Listener]":
        """Draw the bar of one lane; one that did all it could is full."""
        from series_pipelines.actions.backfill import Listener
        from series_pipelines.ingest.standing.cadences import read_cadences
        from series_pipelines.ingest.storing import ranges, states

        series_ids = work.series_ids or ()
        known = states.read_facts(self._conn, work.table_name, series_ids=series_ids)
        self._find_cadence = partial(read_cadences(self._conn), work.table_name)
        self._order = order
        self._pages = self._rows = 0
        self._facts = {facts.series_id: facts for facts in known}
        self._ranges = ranges.read(self._conn, work.table_name, series_ids)
        self._conn.commit()
        self._missing = {series_id: self._measure(series_id) for series_id in self._facts}
        self._failed: set[str] = set()
        self._total = order.max_pages or max(1, sum(self._missing.values()))
        self._task = self._progress.add_task(work.cap_key, total=self._total, pages=0, rows=0)
        yield Listener(self.note, lambda why: click.echo(f"series: {why}", err=True))
        if not self._failed:
            self._draw(self._total)

    def note(self, written: "Written") -> None:
        """Draw a committed page."""
        page, series_id = written.finished.page, written.finished.facts.series_id
        if page is None:
            self._failed.add(series_id)
            return
        self._failed.discard(series_id)
        self._pages += 1
        self._rows += len(page.rows)
        if page.range is not None:
            self._ranges[series_id] = merge_overlapping([*self._ranges[series_id], page.range])
        if written.facts is not None:
            self._facts[series_id] = written.facts
        self._missing[series_id] = self._measure(series_id)
        left = sum(self._missing.values())
        self._draw(self._pages if self._order.max_pages else max(0, self._total - left))

    def _draw(self, completed: int) -> None:
        self._progress.update(self._task, completed=completed, pages=self._pages, rows=self._rows)

    def _measure(self, series_id: str) -> int:
        """Return how much time a series misses of what the order asks for."""
        ranges = self._ranges[series_id]
        facts = self._facts[series_id]
        coverage = measure_coverage(facts, self._find_cadence(facts), ranges, self._now_ms)
        life, window = coverage.life, self._order.window
        if life is None:
            return 0
        if window is not None:
            start_ms, end_ms = max(life.start_ms, window.start_ms), min(life.end_ms, window.end_ms)
            missing = find_missing(ranges, Range(start_ms, end_ms)) if start_ms < end_ms else []
            return sum(stretch.end_ms - stretch.start_ms for stretch in missing)
        if self._order.work == ("head",) and coverage.lag_ms is not None:
            return coverage.lag_ms
        return life.end_ms - life.start_ms - coverage.covered_ms
