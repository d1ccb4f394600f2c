"""The progress bar of `ingest`: how much of what the chosen series miss is fetched. Drawn on a terminal only."""

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from series_pipelines.cli.output import make_error_console
from series_pipelines.core.coverage import measure_coverage
from series_pipelines.core.plan import Cadence, SeriesFacts
from series_pipelines.core.ranges import Range, find_missing, merge_overlapping

if TYPE_CHECKING:
    from series_pipelines.ingest.lane import LaneOrder
    from series_pipelines.ingest.writer import Written


class IngestProgress:
    """Draws one bar a lane: how much of the missing time is fetched, or how many of the pages asked for."""

    def __init__(self, now_ms: int) -> None:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

        console = make_error_console()
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

    def begin(
        self,
        order: "LaneOrder",
        cap_key: str,
        known: Sequence[SeriesFacts],
        ranges: Mapping[str, list[Range]],
        find_cadence: Callable[[SeriesFacts], Cadence],
    ) -> None:
        """Begin the bar of one lane."""
        self._find_cadence = find_cadence
        self._order = order
        self._pages = self._rows = 0
        self._facts = {facts.series_id: facts for facts in known}
        self._ranges = dict(ranges)
        self._missing = {series_id: self._measure(series_id) for series_id in self._facts}
        self._total = order.max_pages or max(1, sum(self._missing.values()))
        self._task = self._progress.add_task(cap_key, total=self._total, pages=0, rows=0)

    def note(self, written: "Written") -> None:
        """Draw a committed page."""
        page, series_id = written.finished.page, written.finished.facts.series_id
        if page is None:
            return
        self._pages += 1
        self._rows += len(page.rows)
        if page.range is not None:
            self._ranges[series_id] = merge_overlapping([*self._ranges[series_id], page.range])
        if written.facts is not None:
            self._facts[series_id] = written.facts
        self._missing[series_id] = self._measure(series_id)
        left = sum(self._missing.values())
        self._draw(self._pages if self._order.max_pages else max(0, self._total - left))

    def end(self, is_done: bool) -> None:
        """End the bar of a lane; one that did all it could is full."""
        if is_done:
            self._draw(self._total)

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
