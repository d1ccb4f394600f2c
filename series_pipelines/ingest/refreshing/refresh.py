"""A refresh campaign: fetches again, page by page, what is stored of some series in a window.

It holds the capability's lock like a person's lane, and lets go between pages when someone else waits for it. The
cursor of a series says that every stored row that begins before it was fetched again; it moves in the transaction of
the page, so after a crash the campaign goes on there. What a page changes, the merge of its rows logs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple
from uuid import uuid4

from series_pipelines.core.clock import Clock
from series_pipelines.core.ranges import Range, find_missing
from series_pipelines.core.tables import TABLES
from series_pipelines.core.times import format_time
from series_pipelines.errors import CapabilityBusy, DataRefused, VendorBackoff, VendorError
from series_pipelines.ingest.budgets.turns import LaneTurns, NoTurn
from series_pipelines.ingest.lane.fetch import ask_page
from series_pipelines.ingest.lane.pause import CapabilityPause
from series_pipelines.ingest.ledger import append as cursors
from series_pipelines.ingest.ledger.cursor import CursorValue, Namespace, refresh_namespace
from series_pipelines.ingest.pages.check import Page, find_possible_life
from series_pipelines.ingest.pages.clocks import TOLERANCE_MS, Clocks
from series_pipelines.ingest.pages.evidence import Evidence, digest_answer
from series_pipelines.ingest.planning.cadence import Cadence, find_cadence
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.storing import evidence as evidence_store
from series_pipelines.ingest.storing import ranges, states
from series_pipelines.ingest.storing.commit import NO_PAGE_TO_BLAME, explain_unstorable, refuse_bars_across
from series_pipelines.ingest.storing.patience import Patience
from series_pipelines.ingest.storing.rows import SeriesRows, write_rows
from series_pipelines.postgres import locks
from series_pipelines.postgres.clock import read_clock
from series_pipelines.postgres.connection import Connection, translated_errors
from series_pipelines.postgres.reopening import Reopening
from series_pipelines.vendors.contract import Vendor
from series_pipelines.vendors.services import Capability

MOST_TRIES: Final = 3
RETRY_MS: Final = 1_000


@dataclass(frozen=True, slots=True)
class RefreshOrder:
    """Which series of one capability a campaign fetches again, in which window, and for how long it may work."""

    campaign_id: str
    series_ids: tuple[str, ...]
    window: Range
    patience_ms: int
    clock_tolerance_ms: int = TOLERANCE_MS


@dataclass(slots=True)
class RefreshReport:
    """What was fetched again, what could not be, and why it ended."""

    requests: int = 0
    pages: int = 0
    rows: int = 0
    done: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    ended: str = ""


@dataclass(frozen=True, slots=True)
class RefreshTools:
    """What a campaign works with: how to connect, the time, and who wants to know how far a series is."""

    connect: Callable[[str, bool], Connection]
    """Open a connection for a purpose; the second argument asks for autocommit."""
    clock: Clock
    on_moved: Callable[[str, int, Page | None], None] = lambda series_id, position_ms, page: None
    read_database_clock: Callable[[Connection], int] = read_clock


class Ask(NamedTuple):
    """One request: what is stored from `position_ms` on, at `time_ms`; all of it ends at `end_ms`."""

    position_ms: int
    time_ms: int
    end_ms: int


@dataclass(frozen=True, slots=True)
class Refreshed:
    """One page that was fetched again, ready to be committed, once or again."""

    namespace: Namespace
    step: cursors.CursorStep
    page: Page
    stored: Sequence[Range]


def find_stretches(stored: Sequence[Range], window: Range) -> list[Range]:
    """Return what is stored in a window as the fewest stretches, oldest first; touching ranges are one."""
    return find_missing(find_missing(stored, window), window)


def plan_ask(stretches: Sequence[Range], held_ms: int | None, direction: str, step_ms: int) -> Ask | None:
    """Return the next request of a campaign whose cursor stands at `held_ms`; None when all is fetched again.

    A forward vendor is asked at the position; a backward one a step behind it, but not beyond what is stored.
    """
    for stretch in stretches:
        position_ms = max(stretch.start_ms, held_ms or 0)
        if position_ms < stretch.end_ms:
            time_ms = position_ms if direction == "forward" else min(position_ms + step_ms, stretch.end_ms)
            return Ask(position_ms, time_ms, stretches[-1].end_ms)
    return None


def find_reach(ask: Ask, page: Page, direction: str, cadence: Cadence) -> int | None:
    """Return how far a page brings the cursor; None when a backward page does not reach down to the position.

    An answer without rows says that there is nothing more to come: forward at or after, backward before its time.
    """
    if direction == "forward":
        return ask.end_ms if page.range is None else page.range.end_ms
    if page.range is None or page.range.start_ms <= ask.position_ms:
        return ask.time_ms
    # No bar begins between the position and the page's first one; a step of one bar can't be made shorter.
    is_next = cadence.duration is not None and page.range.start_ms - cadence.bar_ms < ask.position_ms
    return ask.time_ms if is_next or ask.time_ms - ask.position_ms <= cadence.bar_ms else None


def find_step(ask: Ask, page: Page, is_reached: bool, step_ms: int, cadence: Cadence) -> int:
    """Return how far behind its position a backward vendor is asked next: as much as its pages span.

    A page that did not reach down halves the step at least; nothing at all doubles it, to find where data begins.
    """
    if page.range is None:
        return 2 * step_ms
    span_ms = page.range.end_ms - page.range.start_ms
    return max(cadence.bar_ms, span_ms if is_reached else min(span_ms, (ask.time_ms - ask.position_ms) // 2))


def refresh_capability(
    tools: RefreshTools, vendor: Vendor, capability: Capability, order: RefreshOrder
) -> RefreshReport:
    """Fetch a campaign's series of one capability again, or raise CapabilityBusy when it is not let go in time."""
    with translated_errors():
        control = tools.connect("refresh lock", True)
        try:
            deadline_ms = tools.clock.now_ms() + order.patience_ms
            locks.wait_capability(control, capability.cap_key, order.patience_ms)
            worker = _Worker(tools, control, vendor, capability, order, deadline_ms)
            try:
                return worker.work()
            finally:
                worker.close()
                locks.release_capability(control, capability.cap_key)
        finally:
            control.close()


def commit_page(conn: Connection, author: cursors.Author, done: Refreshed) -> None:
    """Commit rows, range, cursor event and evidence of one page, or none of them. Doing it twice changes nothing."""
    cursors.commit_once(lambda again: _commit_page(conn, author, done, again))


def _commit_page(conn: Connection, author: cursors.Author, done: Refreshed, again: bool) -> None:
    page, series_id, table_name = done.page, done.namespace.series_id, done.namespace.table_name
    with conn.transaction():
        locks.own_series(conn, table_name, [series_id])
        refuse_bars_across(conn, TABLES[table_name], [(series_id, page)])
        write_rows(conn, TABLES[table_name], [SeriesRows(series_id, page.rows)])
        cursors.record(conn, author, [done.step], again)
        if page.range is None:
            return
        ranges.add(conn, table_name, [(series_id, stretch) for stretch in page.stretches])
        evidence_store.trim(conn, table_name, [evidence_store.Covered(series_id, page.stretches, page.holes)])
        evidence_store.record(conn, table_name, [(series_id, known) for known in _find_new_holes(done)])


def _find_new_holes(done: Refreshed) -> list[Evidence]:
    """Return what the page says of time that no page covered before; of the rest, the rows stored there tell."""
    holes = [new for hole in done.page.holes for new in find_missing(done.stored, hole)]
    digest, now_ms = digest_answer(done.page.rows) if holes else "", done.step.recorded_ms
    return [Evidence("verified_empty", hole, done.step.request or "", digest, now_ms, now_ms) for hole in holes]


class _OutOfTime(Exception):
    """The campaign may work no longer now."""


class _Worker:
    def __init__(
        self,
        tools: RefreshTools,
        control: Connection,
        vendor: Vendor,
        capability: Capability,
        order: RefreshOrder,
        deadline_ms: int,
    ) -> None:
        self._tools = tools
        self._clock = tools.clock
        self._control = control
        self._vendor = vendor
        self._capability = capability
        self._order = order
        self._deadline_ms = deadline_ms
        self._report = RefreshReport()
        self._pause = CapabilityPause(control, capability.cap_key)
        self._turns = LaneTurns(control, capability, tools.clock)
        self._author = cursors.Author(capability.cap_key, None, uuid4().hex)
        self._database_ahead_ms = tools.read_database_clock(control) - tools.clock.now_ms()
        patience = Patience(tools.clock, deadline_ms)
        self._database = Reopening(partial(tools.connect, "refresh writer", False), patience.wait)

    def work(self) -> RefreshReport:
        report, wanted = self._report, self._order.series_ids
        known = states.read_facts(self._control, self._capability.table_name, series_ids=wanted)
        facts_of = {facts.series_id: facts for facts in known}
        try:
            for series_id in wanted:
                if series_id in facts_of:
                    self._refresh_series(facts_of[series_id])
                else:
                    report.failed[series_id] = "it has retired: no vendor offers it now"
            report.ended = "all was fetched again" if not report.failed else "some series failed"
        except _OutOfTime as over:
            report.ended = str(over)
        except (CapabilityBusy, VendorBackoff) as error:
            report.ended = str(error)
            report.failed |= {each: report.ended for each in wanted if each not in report.done | report.failed.keys()}
        self._pause.drop_error()
        return report

    def close(self) -> None:
        self._turns.tell()
        self._database.close()

    def _refresh_series(self, facts: SeriesFacts) -> None:
        table_name, allowed = self._capability.table_name, self._capability.limits
        cadence = find_cadence(table_name, facts.series_id, allowed.grace_ms, facts.interval_ms, allowed.page_rows)
        namespace = refresh_namespace(table_name, facts.series_id, self._order.campaign_id)
        stored = ranges.read(self._control, table_name, [facts.series_id])[facts.series_id]
        stretches = find_stretches(stored, self._order.window)
        step_ms = max(facts.page_span_ms or 0, cadence.page_ms or 0) or cadence.step_ms
        direction, tries = self._capability.direction, 0
        while True:
            self._look_up()
            held = cursors.read_value(self._control, namespace)
            ask = plan_ask(stretches, held.position if held else None, direction, step_ms)
            if ask is None:
                break
            self._tools.on_moved(facts.series_id, ask.position_ms, None)
            try:
                page, asked_ms = self._ask(facts, ask)
                reach_ms = find_reach(ask, page, direction, cadence)
                if reach_ms is not None:
                    self._commit(self._make_refreshed(namespace, ask, page, reach_ms, asked_ms, stored))
            except VendorBackoff:
                raise
            except (VendorError, DataRefused) as error:
                tries += 1
                if tries == MOST_TRIES:
                    self._report.failed[facts.series_id] = " ".join(str(error).split())
                    return
                self._wait(RETRY_MS, "no time is left to try again")
                continue
            tries = 0
            if page.range is None:
                side = "from" if direction == "forward" else "before"
                note = f"the vendor has nothing {side} {format_time(ask.time_ms)} any more"
                self._report.notes[facts.series_id] = note
            step_ms = find_step(ask, page, reach_ms is not None, step_ms, cadence)
        self._report.done.add(facts.series_id)
        self._tools.on_moved(facts.series_id, self._order.window.end_ms, None)

    def _make_refreshed(
        self, namespace: Namespace, ask: Ask, page: Page, reach_ms: int, asked_ms: int, stored: Sequence[Range]
    ) -> Refreshed:
        series = f"{namespace.table_name}/{namespace.series_id}"
        step = cursors.CursorStep(
            namespace,
            CursorValue(reach_ms),
            asked_ms,
            f"{namespace.key}/{series}/{ask.position_ms}",
            page.range,
            f"refresh {self._capability.direction} {ask.time_ms}",
            len(page.rows),
            self._report.requests,
        )
        return Refreshed(namespace, step, page, stored)

    def _look_up(self) -> None:
        """Between pages: is there time left, is the lock still ours, and does someone else wait for it?"""
        left_ms = self._deadline_ms - self._clock.now_ms()
        if left_ms <= 0:
            raise _OutOfTime("its time is over")
        if locks.is_awaited(self._control, self._capability.cap_key):
            locks.release_capability(self._control, self._capability.cap_key)
            locks.wait_capability(self._control, self._capability.cap_key, left_ms)

    def _tell_clocks(self) -> Clocks:
        now_ms = self._clock.now_ms()
        return Clocks(now_ms, now_ms + self._database_ahead_ms, self._order.clock_tolerance_ms)

    def _ask(self, facts: SeriesFacts, ask: Ask) -> tuple[Page, int]:
        """Return the page and when it was asked for; wait while the vendor says no, as long as there is time."""
        life = find_possible_life(facts.listed_ms, facts.delisted_ms)
        while True:
            self._sit_out_pause()
            turn = self._turns.take(self._deadline_ms)
            if isinstance(turn, NoTurn):
                raise _OutOfTime(turn.why)
            self._report.requests += 1
            asked_ms = self._clock.now_ms()
            try:
                self._turns.check(turn)
                page = ask_page(self._vendor, self._capability, facts.series_id, ask.time_ms, life, self._tell_clocks)
            except VendorBackoff as error:
                self._pause.begin(error, asked_ms, self._clock.now_ms())
                continue
            finally:
                self._turns.settle(turn)
            self._pause.end(self._clock.now_ms())
            return page, asked_ms

    def _sit_out_pause(self) -> None:
        until_ms, now_ms = self._pause.until_ms, self._clock.now_ms()
        if until_ms is None or not self._pause.is_on(now_ms):
            return
        if until_ms >= self._deadline_ms:
            raise VendorBackoff(f"the capability backs off until {format_time(until_ms)}: {self._pause.why}")
        self._turns.tell()
        self._clock.wait(until_ms - now_ms)

    def _wait(self, duration_ms: int, otherwise: str) -> None:
        if self._clock.now_ms() + duration_ms >= self._deadline_ms:
            raise _OutOfTime(otherwise)
        self._clock.wait(duration_ms)

    def _commit(self, done: Refreshed) -> None:
        # Twice is safe: the ledger knows the page by its key.
        try:
            self._database.run(lambda conn: commit_page(conn, self._author, done))
        except NO_PAGE_TO_BLAME:
            raise
        except Exception as error:
            raise DataRefused(explain_unstorable(error)) from error
        self._report.pages += 1
        self._report.rows += len(done.page.rows)
        assert done.step.candidate.position is not None
        self._tools.on_moved(done.namespace.series_id, done.step.candidate.position, done.page)
