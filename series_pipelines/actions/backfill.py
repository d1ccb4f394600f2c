"""Fetching what series miss, now: lanes of one capability after another, each with its share of the time."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from series_pipelines.actions.answers import Json
from series_pipelines.actions.compact import Compacted, count_ranges
from series_pipelines.actions.workshop import Workshop
from series_pipelines.core.ranges import Range
from series_pipelines.errors import CapabilityBusy, InvalidOrder, UnknownCapability
from series_pipelines.ingest.lane.lane import run_lane
from series_pipelines.ingest.lane.order import LaneOrder, LaneReport, LaneTools
from series_pipelines.ingest.pages.check import Page
from series_pipelines.ingest.planning.facts import Kind
from series_pipelines.ingest.storing import capabilities
from series_pipelines.ingest.storing.compaction import compact_series
from series_pipelines.ingest.storing.states import KnownSeries
from series_pipelines.ingest.storing.writer import Written
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.registry import Catalogue
from series_pipelines.vendors.services import Capability

SHORTEST_SHARE_MS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Work:
    """The series of one capability that are to be worked; None stands for all of its own, as a sensor's lane has it."""

    cap_key: str
    table_name: str
    series_ids: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is wanted of all lanes together."""

    kinds: tuple[Kind, ...]
    deadline_ms: int
    pages: int | None = None
    """At most so many a capability."""
    window: Range | None = None
    by_person: bool = True
    run_id: str | None = None

    def __post_init__(self) -> None:
        if self.window is not None and self.kinds == ("head",):
            raise InvalidOrder("a window has no head: leave out start and end, or ask for the tail or both")


@dataclass(frozen=True, slots=True)
class Listener:
    """Who follows one lane: hears of each committed attempt, of why it stands still and what it did in all, and
    may end it after its page."""

    on_written: Callable[[Written], None] = lambda _: None
    say: Callable[[str], None] = lambda _: None
    on_nap: Callable[[str], None] = lambda _: None
    should_end: Callable[[], bool] = lambda: False
    on_report: Callable[[LaneReport], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Done:
    """One capability's lane: what it did, or whom it found at work there."""

    work: Work
    report: LaneReport | None
    busy: CapabilityBusy | None = None


@dataclass(slots=True)
class LaneTally:
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
        """Count a committed attempt: a lane that is interrupted leaves no report."""
        self.note_page(written.finished.page)

    def note_page(self, page: Page | None) -> None:
        """Count a request, and the page that it brought."""
        self.requests += 1
        if page is not None:
            self.pages += 1
            self.rows += len(page.rows)


@dataclass(slots=True)
class Backfill:
    """All lanes of one backfill, what compaction did after them, and whether a person stopped it."""

    lanes: list[LaneTally]
    merged: dict[str, Compacted] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def failed(self) -> dict[str, str]:
        """The series that failed, and why."""
        return {series_id: reason for lane in self.lanes for series_id, reason in lane.failed.items()}

    def as_json(self) -> Json:
        """Return the sums, and each lane."""
        return {
            "pages": sum(lane.pages for lane in self.lanes),
            "rows": sum(lane.rows for lane in self.lanes),
            "failed": self.failed,
            "interrupted": self.interrupted,
            "lanes": [self._describe(lane) for lane in self.lanes],
        }

    def _describe(self, lane: LaneTally) -> Json:
        merged = self.merged[lane.cap_key]
        return {
            "cap_key": lane.cap_key,
            "table_name": lane.table_name,
            "series": len(lane.series_ids),
            "requests": lane.requests,
            "pages": lane.pages,
            "rows": lane.rows,
            "left_out": lane.left_out,
            "left_behind": lane.left_behind,
            "failed": len(lane.failed),
            "ended": lane.ended,
            "ranges_before": merged.before,
            "ranges_after": merged.after,
        }


Follow = Callable[[Work, Capability, LaneOrder], AbstractContextManager[Listener]]


def parse_kinds(kind: str) -> tuple[Kind, ...]:
    """Return the kinds of work of `head`, `tail` or `both`."""
    return ("head", "tail") if kind == "both" else ("head",) if kind == "head" else ("tail",)


class Unserved(UnknownCapability):
    """No vendor serves a capability now."""

    def __init__(self, cap_key: str, reason: str) -> None:
        super().__init__(f"no vendor serves {cap_key} now: {reason}")
        self.cap_key = cap_key
        self.reason = reason


def group_series(chosen: Sequence[KnownSeries]) -> list[Work]:
    """Return the chosen series by the capability that serves them."""
    grouped: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for known in chosen:
        grouped[known.cap_key, known.table_name].append(known.series_id)
    return [Work(cap_key, table_name, tuple(ids)) for (cap_key, table_name), ids in grouped.items()]


def find_unserved(works: Sequence[Work], catalogue: Catalogue) -> Unserved | None:
    """Return why work can't be done, if no vendor serves a capability of it now."""
    for work in works:
        if work.cap_key not in catalogue.capabilities:
            reason = "; ".join(catalogue.refused) or "is its vendor configured?"
            return Unserved(work.cap_key, reason)
    return None


def work_lanes(
    workshop: Workshop, catalogue: Catalogue, works: Sequence[Work], wishes: Wishes, follow: Follow
) -> Iterator[Done]:
    """Work each capability in its turn; who follows a lane is with it from before its first page to its last."""
    for position, work in enumerate(works):
        order = _make_order(workshop, work, wishes, len(works) - position)
        capability = catalogue.capabilities[work.cap_key]
        try:
            with follow(work, capability, order) as listener:
                tools = LaneTools(
                    workshop.connect,
                    workshop.clock,
                    listener.on_written,
                    listener.say,
                    listener.on_nap,
                    listener.should_end,
                )
                report = run_lane(tools, catalogue.vendor_of[work.cap_key], capability, order)
                listener.on_report(report)
                done = Done(work, report)
        except CapabilityBusy as busy:
            done = Done(work, None, busy)
        yield done


def backfill(
    conn: Connection,
    workshop: Workshop,
    catalogue: Catalogue,
    chosen: Sequence[KnownSeries],
    wishes: Wishes,
    follow: Follow,
) -> Backfill:
    """Bring chosen series up to date, then merge their ranges; an interruption only ends it sooner."""
    works = group_series(chosen)
    if refusal := find_unserved(works, catalogue):
        raise refusal
    tallies = {work.cap_key: LaneTally(work.cap_key, work.table_name, work.series_ids or ()) for work in works}

    @contextmanager
    def count(work: Work, capability: Capability, order: LaneOrder) -> Iterator[Listener]:
        tally = tallies[work.cap_key]
        tally.ended = "it was interrupted"
        with follow(work, capability, order) as listener:

            def note(written: Written) -> None:
                tally.note(written)
                listener.on_written(written)

            yield replace(listener, on_written=note)

    done = Backfill(list(tallies.values()))
    try:
        for lane in work_lanes(workshop, catalogue, works, wishes, count):
            _tell(conn, lane, tallies[lane.work.cap_key], workshop.clock.now_ms())
    except KeyboardInterrupt:
        done.interrupted = True
    conn.rollback()
    for tally in done.lanes:
        change = compact_series(conn, tally.table_name, sorted(tally.series_ids))
        done.merged[tally.cap_key] = count_ranges(conn, tally.table_name, change)
    return done


def _tell(conn: Connection, lane: Done, tally: LaneTally, now_ms: int) -> None:
    """Write down what a lane's own report says; if it got nothing because its capability backs off, so failed all."""
    report = lane.report
    if report is None:
        tally.ended = str(lane.busy)
        tally.failed = dict.fromkeys(tally.series_ids, tally.ended)
        return
    tally.requests, tally.left_out, tally.ended = report.requests, report.trimmed, report.ended
    tally.left_behind = report.left_behind
    tally.failed = dict(report.failed)
    if not report.failed and not report.pages and (why := _find_backoff(conn, tally.cap_key, now_ms)):
        tally.failed = dict.fromkeys(tally.series_ids, why)


def _find_backoff(conn: Connection, cap_key: str, now_ms: int) -> str | None:
    for state in capabilities.read(conn):
        if state.cap_key == cap_key and state.next_eligible_ms is not None and state.next_eligible_ms > now_ms:
            return f"the capability backs off: {state.last_error}"
    return None


def _make_order(workshop: Workshop, work: Work, wishes: Wishes, lanes_left: int) -> LaneOrder:
    """Return the order of the next lane, which gets its share of the time that is left."""
    return LaneOrder(
        work=wishes.kinds,
        shift_ms=max(SHORTEST_SHARE_MS, (wishes.deadline_ms - workshop.clock.now_ms()) // lanes_left),
        series_ids=work.series_ids,
        max_pages=wishes.pages,
        window=wishes.window,
        by_person=wishes.by_person,
        run_id=wishes.run_id,
        recheck_after_ms=workshop.recheck_after_ms,
        clock_tolerance_ms=workshop.clock_tolerance_ms,
    )
