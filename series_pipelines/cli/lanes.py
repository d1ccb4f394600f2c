"""A person's lanes: the chosen series grouped by capability, worked one after the other, then compacted."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import click

from series_pipelines.cli.progress import IngestProgress
from series_pipelines.cli.status import count_ranges
from series_pipelines.core.clock import Clock
from series_pipelines.core.ranges import Range
from series_pipelines.database import find_database
from series_pipelines.errors import CapabilityBusy, UnknownCapability
from series_pipelines.ingest.cadences import read_cadences
from series_pipelines.ingest.lane import LaneOrder, LaneReport, LaneTools, run_lane
from series_pipelines.ingest.writer import Written, compact_series
from series_pipelines.settings import load_settings
from series_pipelines.store import capabilities, ranges, states
from series_pipelines.store.connection import Connection, connect
from series_pipelines.store.states import KnownSeries
from series_pipelines.vendors.registry import Catalogue

SHORTEST_SHARE_MS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the person wants of every lane."""

    kind: str
    pages: int | None
    deadline_ms: int
    window: Range | None
    recheck_after_ms: int

    def make_order(self, series_ids: tuple[str, ...], lanes_left: int, now_ms: int) -> LaneOrder:
        """Return the order of the next lane, which gets its share of the time that is left."""
        return LaneOrder(
            work=("head", "tail") if self.kind == "both" else ("head",) if self.kind == "head" else ("tail",),
            shift_ms=max(SHORTEST_SHARE_MS, (self.deadline_ms - now_ms) // lanes_left),
            series_ids=series_ids,
            max_pages=self.pages,
            window=self.window,
            by_person=True,
            recheck_after_ms=self.recheck_after_ms,
            clock_tolerance_ms=load_settings().clock_tolerance_seconds * 1000,
        )


@dataclass(slots=True)
class PersonLane:
    """The chosen series of one capability, and what became of them."""

    cap_key: str
    table_name: str
    series_ids: tuple[str, ...]
    requests: int = 0
    pages: int = 0
    rows: int = 0
    left_out: int = 0
    left_behind: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    ended: str = "it was never begun"

    def note(self, written: Written) -> None:
        """Count a committed attempt."""
        self.requests += 1
        page = written.finished.page
        if page is not None:
            self.pages += 1
            self.rows += len(page.rows)


@dataclass(slots=True)
class Ingestion:
    """All lanes of one command, what compaction did after them, and whether the person stopped it."""

    lanes: list[PersonLane]
    merged: dict[str, dict[str, int]] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def failed(self) -> dict[str, str]:
        """The series that failed, and why."""
        return {series_id: reason for lane in self.lanes for series_id, reason in lane.failed.items()}


def group_series(chosen: Sequence[KnownSeries], catalogue: Catalogue) -> list[PersonLane]:
    """Return a lane for each capability of the chosen series; all of them must be served now."""
    grouped: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for known in chosen:
        if known.cap_key not in catalogue.capabilities:
            reason = "; ".join(catalogue.refused) or "is its vendor configured?"
            raise UnknownCapability(f"no vendor serves {known.cap_key} now: {reason}")
        grouped[known.cap_key, known.table_name].append(known.series_id)
    return [PersonLane(cap_key, table_name, tuple(series_ids)) for (cap_key, table_name), series_ids in grouped.items()]


def ingest_series(
    conn: Connection, clock: Clock, catalogue: Catalogue, chosen: Sequence[KnownSeries], wishes: Wishes
) -> Ingestion:
    """Work each capability, then merge the ranges of the chosen series; an interruption only ends it sooner."""
    done = Ingestion(group_series(chosen, catalogue))
    try:
        with IngestProgress(clock.now_ms()) as progress:
            for position, lane in enumerate(done.lanes):
                order = wishes.make_order(lane.series_ids, len(done.lanes) - position, clock.now_ms())
                _work_lane(conn, clock, catalogue, lane, order, progress)
    except KeyboardInterrupt:
        done.interrupted = True
    conn.rollback()
    for lane in done.lanes:
        change = compact_series(conn, lane.table_name, sorted(lane.series_ids))
        done.merged[lane.cap_key] = count_ranges(conn, lane.table_name, change)
    return done


def _work_lane(
    conn: Connection, clock: Clock, catalogue: Catalogue, lane: PersonLane, order: LaneOrder, progress: IngestProgress
) -> None:
    known = states.read_facts(conn, lane.table_name, series_ids=lane.series_ids)
    find_cadence = partial(read_cadences(conn), lane.table_name)
    progress.begin(order, lane.cap_key, known, ranges.read(conn, lane.table_name, lane.series_ids), find_cadence)
    conn.commit()

    def note(written: Written) -> None:
        lane.note(written)
        progress.note(written)

    lane.ended = "it was interrupted"
    tools = LaneTools(_connect, clock, note, lambda why: click.echo(f"series: {why}", err=True))
    try:
        report = run_lane(tools, catalogue.vendor_of[lane.cap_key], catalogue.capabilities[lane.cap_key], order)
    except CapabilityBusy as busy:
        lane.ended = str(busy)
        lane.failed = dict.fromkeys(lane.series_ids, lane.ended)
        return
    lane.requests, lane.left_out, lane.ended = report.requests, report.trimmed, report.ended
    lane.left_behind = report.left_behind
    lane.failed = dict(report.failed) or dict(_find_paused(conn, lane, report, clock.now_ms()))
    progress.end(is_done=not lane.failed)


def _connect(purpose: str, autocommit: bool) -> Connection:
    return connect(find_database(load_settings()), purpose=purpose, autocommit=autocommit)


def _find_paused(conn: Connection, lane: PersonLane, report: LaneReport, now_ms: int) -> Iterator[tuple[str, str]]:
    """Yield the series that got nothing because their capability backs off."""
    if report.pages:
        return
    for state in capabilities.read(conn):
        if state.cap_key == lane.cap_key and state.next_eligible_ms is not None and state.next_eligible_ms > now_ms:
            for series_id in lane.series_ids:
                yield series_id, f"the capability backs off: {state.last_error}"
