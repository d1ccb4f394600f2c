"""A lane: one capability's worker for one shift, under the capability's lock.

Page after page it takes the longest-waiting due head; if none, and tails were asked for, the longest-waiting tail;
if none, it waits for the next head inside its shift, or ends. Writing overlaps the next fetch. Between pages it looks
at its shift, at its lock, and at whether a person waits for the capability.
"""

import gc
import queue
from collections.abc import Callable, Collection
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Final
from uuid import uuid4

from series_pipelines.core.clock import Clock
from series_pipelines.core.duration import MINUTE_MS
from series_pipelines.core.ranges import Range
from series_pipelines.core.text import describe_error
from series_pipelines.core.times import format_span
from series_pipelines.errors import (
    CapabilityBusy,
    ClockApart,
    ClockRefused,
    VendorBackoff,
    VendorError,
    VendorRejected,
)
from series_pipelines.ingest.budgets.turns import LaneTurns, Turn
from series_pipelines.ingest.lane.fetch import LONGEST_FETCH_MS, fetch_page
from series_pipelines.ingest.lane.pause import CapabilityPause
from series_pipelines.ingest.ledger.cursor import HISTORY
from series_pipelines.ingest.pages.check import Page, find_possible_life
from series_pipelines.ingest.pages.clocks import TOLERANCE_MS, Clocks
from series_pipelines.ingest.pages.evidence import find_evidence
from series_pipelines.ingest.pages.floor import RECHECK_MS
from series_pipelines.ingest.pages.outcome import settle_failure, settle_page, settle_pause
from series_pipelines.ingest.planning.agenda import Agenda
from series_pipelines.ingest.planning.cadence import Cadence, find_cadence
from series_pipelines.ingest.planning.due import TAIL_WHILE_HEADS_BELOW, is_at_floor
from series_pipelines.ingest.planning.facts import Kind, SeriesFacts
from series_pipelines.ingest.planning.requests import Fetch, narrow_to_window
from series_pipelines.ingest.storing import capabilities as capability_store
from series_pipelines.ingest.storing import ranges, states
from series_pipelines.ingest.storing.commit import NO_PAGE_TO_BLAME, Author, Finished
from series_pipelines.ingest.storing.writer import Writer, Written
from series_pipelines.postgres import locks
from series_pipelines.postgres.clock import read_clock
from series_pipelines.postgres.connection import Connection, translated_errors
from series_pipelines.vendors.asking import VendorThreads, leave_behind, refuse_overstayer
from series_pipelines.vendors.contract import Vendor
from series_pipelines.vendors.registry import Capability

DEFAULT_SHIFT_MS: Final = 2 * MINUTE_MS
BACKLOG_EVERY_MS: Final = 5_000
BACKLOG_VALID_MS: Final = 2 * MINUTE_MS
REREAD_EVERY_MS: Final = 30_000
LONGEST_NAP_MS: Final = 500
LATE_AFTER_SHIFT_MS: Final = 2_000
"""How long after its shift a lane still waits for a vendor."""
RECHECK_SHARE: Final = 20
RECHECKS_WHEN_IDLE: Final = 10
MAX_PENDING_WRITES: Final = 100
PACE_PAGES: Final = 10
PERSON_RETRIES: Final = 3


@dataclass(frozen=True, slots=True)
class LaneOrder:
    """What a lane is asked to do. A person's lane serves chosen series and ends when they are up to date."""

    work: tuple[Kind, ...] = ("head", "tail")
    shift_ms: int = DEFAULT_SHIFT_MS
    series_ids: tuple[str, ...] | None = None
    max_pages: int | None = None
    window: Range | None = None
    by_person: bool = False
    run_id: str | None = None
    recheck_after_ms: int = RECHECK_MS
    """How long a proven floor stands before it is verified again."""
    clock_tolerance_ms: int = TOLERANCE_MS
    """How far a vendor's clock may stand from ours and the database's to be believed."""


@dataclass(slots=True)
class LaneReport:
    """What a lane did, and why it ended."""

    requests: int = 0
    pages: int = 0
    rows: int = 0
    trimmed: int = 0
    backoffs: int = 0
    left_behind: int = 0
    """Requests that the vendor did not answer in time."""
    touched: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    ended: str = ""


@dataclass(frozen=True, slots=True)
class LaneTools:
    """What a lane works with: how to connect, the time, and who wants to know about each committed attempt."""

    connect: Callable[[str, bool], Connection]
    """Open a connection for a purpose; the second argument asks for autocommit."""
    clock: Clock
    on_written: Callable[[Written], None] = lambda _: None
    say: Callable[[str], None] = lambda _: None
    """Hears, while the lane works, why it stands still."""
    on_nap: Callable[[str], None] = lambda _: None
    """Hears what the lane waits for, at each of the short naps that a wait is made of."""
    should_end: Callable[[], bool] = lambda: False
    """Say whether the lane is to end after its page, because whoever started it ends."""
    read_database_clock: Callable[[Connection], int] = read_clock


@dataclass(frozen=True, slots=True)
class Asked:
    """One request on its way: what was known, what was asked, when it left, and where its answer will be."""

    facts: SeriesFacts
    fetch: Fetch
    asked_ms: int
    number: int
    turn: Turn
    answer: "Future[Page]"


def run_lane(tools: LaneTools, vendor: Vendor, capability: Capability, order: LaneOrder) -> LaneReport:
    """Work one capability for one shift, or raise CapabilityBusy when another lane has it."""
    _spare_collections()
    with translated_errors():
        control = tools.connect("lane lock", True)
        try:
            _take_capability(control, capability.cap_key, order, tools.say)
            lane = _Lane(tools, control, vendor, capability, order)
            try:
                with translated_errors():
                    return lane.work()
            except (*NO_PAGE_TO_BLAME, CapabilityBusy):
                raise
            except (Exception, SystemExit, GeneratorExit) as error:
                lane.tell_breakdown(error)
                if isinstance(error, Exception):
                    raise
                # Unlike an interrupt it is nobody's wish, and must not end the process as if all were well.
                raise RuntimeError(describe_error(error)) from error
            finally:
                lane.close()
                locks.release_capability(control, capability.cap_key)
        finally:
            control.close()


@cache
def _spare_collections() -> None:
    """Let the garbage collector look at what is loaded no more, and seldom at pages: a third of a lane's time."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def _take_capability(control: Connection, cap_key: str, order: LaneOrder, say: Callable[[str], None]) -> None:
    if locks.try_capability(control, cap_key):
        return
    if not order.by_person:
        raise CapabilityBusy(f"another lane works {cap_key}")
    say(f"another lane works {cap_key}: waiting until it ends")
    locks.wait_capability(control, cap_key, order.shift_ms)


class _Lane:
    def __init__(
        self, tools: LaneTools, control: Connection, vendor: Vendor, capability: Capability, order: LaneOrder
    ) -> None:
        self._clock = tools.clock
        self._on_written = tools.on_written
        self._say = tools.say
        self._on_nap = tools.on_nap
        self._was_told_to_end = tools.should_end
        self._control = control
        self._vendor = vendor
        self._capability = capability
        self._order = order
        self._report = LaneReport()
        # Inside a window all that is missing is a gap; there is no head.
        self._with_heads = "head" in order.work and order.window is None
        self._with_tails = "tail" in order.work
        self._begun_ms = self._clock.now_ms()
        self._deadline_ms = self._begun_ms + order.shift_ms
        self._inbox: queue.SimpleQueue[int | list[Written] | str | BaseException] = queue.SimpleQueue()
        self._fetching: dict[int, Asked] = {}
        self._writing: dict[str, Finished] = {}
        self._retrying: set[str] = set()
        self._pause = CapabilityPause(control, capability.cap_key)
        self._turns = LaneTurns(control, capability, tools.clock, tools.say, tools.on_nap)
        self._counted_ms = self._read_ms = 0
        self._rechecks = 0
        self._heads_elsewhere = 0
        self._agenda = Agenda(lambda _: capability.direction, self._find_cadence)
        self._database_ahead_ms = 0
        self._read_database_clock = tools.read_database_clock
        self._threads: VendorThreads[Page] = VendorThreads(capability.vendor)
        self._writer = Writer(
            partial(tools.connect, "lane writer", False),
            capability.table_name,
            Author(capability.cap_key, capability.direction, uuid4().hex, order.run_id, _name_activity(order)),
            self._clock,
            self._deadline_ms,
            on_written=self._inbox.put,
            on_broken=self._inbox.put,
            on_waiting=self._inbox.put,
        )

    def work(self) -> LaneReport:
        self._read_agenda(first=True)
        while True:
            self._absorb(block=self._is_full())
            now_ms = self._clock.now_ms()
            if self._should_end(now_ms):
                break
            if self._pause.is_on(now_ms) or not self._dispatch(now_ms):
                if self._fetching or self._writing:
                    self._absorb(block=True)
                elif not self._rest(now_ms):
                    break
        while self._fetching or self._writing:
            self._absorb(block=True)
        self._tell_pace()
        self._pause.drop_error()
        return self._report

    def _tell_pace(self) -> None:
        """Let whoever estimates when all is complete know how fast pages come."""
        spent_ms = self._clock.now_ms() - self._begun_ms
        if self._report.pages >= PACE_PAGES and spent_ms > 0:
            per_minute = self._report.pages * MINUTE_MS / spent_ms
            capability_store.write_pace(self._control, self._capability.cap_key, per_minute)

    def close(self) -> None:
        self._threads.close()
        self._turns.tell()
        self._writer.close()

    def tell_breakdown(self, error: BaseException) -> None:
        """Write down what ended the lane, at the series it worked on and at the capability, so that the next lane
        begins elsewhere and people see why. That this fails too never hides what ended it."""
        reason, now_ms = f"the lane broke down: {describe_error(error)}", self._clock.now_ms()
        with suppress(Exception):
            attempts = [
                states.Attempt(facts.series_id, fetch.target, now_ms, settle_failure(facts, fetch, reason, now_ms))
                for facts, fetch in self._list_at_work(now_ms)
            ]
            states.settle(self._control, self._capability.table_name, attempts)
        with suppress(Exception):
            capability_store.note_error(self._control, self._capability.cap_key, reason, now_ms)

    def _list_at_work(self, now_ms: int) -> Collection[tuple[SeriesFacts, Fetch]]:
        at_work = {asked.facts.series_id: (asked.facts, asked.fetch) for asked in self._fetching.values()}
        at_work |= {series_id: (finished.facts, finished.fetch) for series_id, finished in self._writing.items()}
        if self._agenda.in_hand is not None:
            facts, target = self._agenda.in_hand
            planned = Fetch("head" if target == "head" else "tail", target, now_ms, "it is not planned yet")
            at_work.setdefault(facts.series_id, (facts, planned))
        return at_work.values()

    def _find_cadence(self, facts: SeriesFacts) -> Cadence:
        limits = self._capability.limits
        return find_cadence(
            self._capability.table_name, facts.series_id, limits.grace_ms, facts.interval_ms, limits.page_rows
        )

    def _read_agenda(self, first: bool = False) -> None:
        order = self._order
        known = states.read_facts(
            self._control, self._capability.table_name, series_ids=order.series_ids, cap_key=self._capability.cap_key
        )
        busy = {asked.facts.series_id for asked in self._fetching.values()} | self._writing.keys()
        idle = [facts for facts in known if facts.series_id not in busy]
        if first and order.by_person:
            idle = [_forget_pauses(facts) for facts in idle]
        self._put(idle)
        self._read_clocks()
        self._read_ms = self._clock.now_ms()

    def _read_clocks(self) -> None:
        self._database_ahead_ms = self._read_database_clock(self._control) - self._clock.now_ms()

    def _tell_clocks(self) -> Clocks:
        now_ms = self._clock.now_ms()
        return Clocks(now_ms, now_ms + self._database_ahead_ms, self._order.clock_tolerance_ms)

    def _put(self, known: Collection[SeriesFacts]) -> None:
        window = self._order.window
        if window is None:
            for facts in known:
                self._agenda.put(facts)
            return
        stored = ranges.read(self._control, self._capability.table_name, [facts.series_id for facts in known])
        for facts in known:
            life = _clip(window, facts, self._find_cadence(facts), self._clock.now_ms())
            narrowed = narrow_to_window(facts, stored[facts.series_id], life) if life else None
            if narrowed is None:
                self._agenda.drop(facts.series_id)
            else:
                self._agenda.put(narrowed)

    def _should_end(self, now_ms: int) -> bool:
        order, report = self._order, self._report
        if report.ended:
            return True
        if now_ms >= self._deadline_ms:
            report.ended = "the shift is over"
        elif self._was_told_to_end():
            report.ended = "it was told to end after its page"
        elif order.max_pages is not None and report.pages >= order.max_pages:
            report.ended = f"{order.max_pages} pages were asked for"
        return report.ended != ""

    def _gives_way(self) -> bool:
        """Whether the lane ends because a person waits; looked at right before each request and each rest."""
        if not self._order.by_person and locks.is_awaited(self._control, self._capability.cap_key):
            self._report.ended = "a person's backfill waits for the capability"
            return True
        return False

    def _is_full(self) -> bool:
        fetching, writing, most = len(self._fetching), len(self._writing), self._order.max_pages
        # What is on its way may turn out to be a page; only what comes of it tells whether another one is wanted.
        if fetching + writing and most is not None and self._report.pages + fetching + writing >= most:
            return True
        return fetching >= self._capability.limits.concurrent or writing >= MAX_PENDING_WRITES

    def _dispatch(self, now_ms: int) -> bool:
        if self._is_full():
            return False
        taken = self._agenda.take_head(now_ms) if self._with_heads else None
        if taken is None and self._with_tails and self._may_serve_tails(now_ms):
            taken = self._take_behind(now_ms)
        if taken is None:
            return False
        facts, fetch = taken
        if self._gives_way():
            self._agenda.put(facts)
            return True
        turn = self._turns.take(self._deadline_ms)
        if isinstance(turn, str):
            self._report.ended = turn
            self._agenda.put(facts)
            return True
        self._report.requests += 1
        number = self._report.requests
        asked_ms = self._clock.now_ms()
        if refusal := refuse_overstayer(self._capability.vendor):
            self._turns.settle(turn)
            self._judge(Asked(facts, fetch, asked_ms, number, turn, Future()), refusal)
            return True
        answer = self._threads.submit(partial(self._fetch, facts, fetch, turn))
        self._fetching[number] = Asked(facts, fetch, asked_ms, number, turn, answer)
        answer.add_done_callback(lambda _: self._inbox.put(number))
        return True

    def _take_behind(self, now_ms: int) -> tuple[SeriesFacts, Fetch] | None:
        """Take a tail, or now and then a floor to verify again: one in twenty requests, a few more when all is idle."""
        if self._order.by_person:
            return self._agenda.take_tail(now_ms)
        taken = self._agenda.take_recheck(now_ms) if self._rechecks * RECHECK_SHARE < self._report.requests else None
        taken = taken or self._agenda.take_tail(now_ms)
        if taken is None and self._rechecks < RECHECKS_WHEN_IDLE:
            taken = self._agenda.take_recheck(now_ms)
        if taken is not None and is_at_floor(taken[0]) and taken[1].target == "start":
            self._rechecks += 1
        return taken

    def _fetch(self, facts: SeriesFacts, fetch: Fetch, turn: Turn) -> Page:
        life = find_possible_life(facts.listed_ms, facts.delisted_ms)
        cadence = self._find_cadence(facts)
        try:
            self._turns.check(turn)
            return fetch_page(self._vendor, self._capability, facts.series_id, fetch, cadence, life, self._tell_clocks)
        finally:
            self._turns.settle(turn)

    def _may_serve_tails(self, now_ms: int) -> bool:
        if self._order.by_person:
            return True
        if not 0 <= now_ms - self._counted_ms < BACKLOG_EVERY_MS:
            cap_key = self._capability.cap_key
            own = self._agenda.count_due_heads(now_ms)
            capability_store.write_backlogs(self._control, {cap_key: own}, now_ms)
            since_ms = now_ms - BACKLOG_VALID_MS
            self._heads_elsewhere = capability_store.sum_backlogs(self._control, cap_key, since_ms, now_ms)
            self._counted_ms = now_ms
        return self._heads_elsewhere < TAIL_WHILE_HEADS_BELOW

    def _rest(self, now_ms: int) -> bool:
        """Wait for what is due next; False when the lane has nothing more to wait for."""
        if self._gives_way():
            return False
        wake_ms = self._find_wake(now_ms)
        if wake_ms is None or wake_ms >= self._deadline_ms:
            self._report.ended = self._report.ended or self._explain_end(wake_ms)
            return False
        self._turns.tell()
        what = "the end of the vendor's pause" if self._pause.is_on(now_ms) else "what is due next"
        self._on_nap(f"{what}, in {format_span(wake_ms - now_ms)}")
        self._clock.wait(max(1, min(wake_ms - now_ms, LONGEST_NAP_MS)))
        if not self._order.by_person and not 0 <= self._clock.now_ms() - self._read_ms < REREAD_EVERY_MS:
            self._read_agenda()
        return True

    def _find_wake(self, now_ms: int) -> int | None:
        if self._pause.is_on(now_ms):
            return self._pause.until_ms
        if not self._order.by_person and not self._with_tails and self._agenda.has_tail_work():
            return None
        due_ms = self._agenda.find_next_due(self._with_heads, self._with_tails)
        if due_ms is None or (self._order.by_person and due_ms > now_ms and not self._retrying):
            return None
        # A due tail that must wait for heads elsewhere is looked at again when they are counted again.
        return due_ms if due_ms > now_ms else self._counted_ms + BACKLOG_EVERY_MS

    def _explain_end(self, wake_ms: int | None) -> str:
        if self._pause.is_on(self._clock.now_ms()):
            return "the capability backs off until after the shift"
        return "nothing more is due" if wake_ms is None else "nothing more is due inside the shift"

    def _absorb(self, block: bool) -> None:
        while True:
            try:
                message = self._inbox.get(block, LONGEST_NAP_MS / 1000)
            except queue.Empty:
                self._leave_overstayers()
                if block:
                    self._on_nap(self._describe_wait())
                return
            if isinstance(message, BaseException):
                raise message
            if isinstance(message, str):
                self._say(message)
            elif isinstance(message, list):
                self._absorb_written(message)
            elif (asked := self._fetching.get(message)) is not None:
                self._absorb_answer(asked)
            block = False

    def _describe_wait(self) -> str:
        if not self._fetching:
            return f"{len(self._writing)} pages to be stored"
        oldest = min(self._fetching.values(), key=lambda asked: asked.asked_ms)
        ago = format_span(self._clock.now_ms() - oldest.asked_ms)
        return f"an answer for {oldest.facts.series_id}, asked {ago} ago"

    def _leave_overstayers(self) -> None:
        """Wait no longer for requests that take too long, or that outlast the shift."""
        now_ms = self._clock.now_ms()
        for asked in list(self._fetching.values()):
            until_ms = min(asked.asked_ms + LONGEST_FETCH_MS, self._deadline_ms + LATE_AFTER_SHIFT_MS)
            if now_ms >= until_ms and not asked.answer.done():
                what = f"fetch() of {asked.facts.series_id}"
                waited_s = (now_ms - asked.asked_ms) / 1000
                self._report.left_behind += 1
                self._turns.settle(asked.turn)
                self._judge(asked, leave_behind(self._capability.vendor, what, asked.answer, waited_s))

    def _absorb_answer(self, asked: Asked) -> None:
        try:
            got: Page | VendorError = asked.answer.result()
        except VendorError as error:
            got = error
        self._judge(asked, got)

    def _judge(self, asked: Asked, got: Page | VendorError) -> None:
        """Find out what an answer means, and hand it over to be committed."""
        facts, fetch = asked.facts, asked.fetch
        now_ms = self._clock.now_ms()
        if isinstance(got, ClockApart | ClockRefused):
            # Our own clock may have been set meanwhile: the next page is judged by what it says now.
            self._read_clocks()
        if isinstance(got, ClockRefused):
            capability_store.note_error(self._control, self._capability.cap_key, str(got), now_ms)
        if isinstance(got, Page):
            outcome = settle_page(facts, fetch, got, self._find_cadence(facts), now_ms, self._order.recheck_after_ms)
            self._pause.end(now_ms)
        elif isinstance(got, VendorBackoff):
            outcome = settle_pause(facts, fetch, str(got))
            self._report.backoffs += 1
            self._pause.begin(got, asked.asked_ms, now_ms)
        else:
            outcome = settle_failure(facts, fetch, str(got), now_ms, is_rejected=isinstance(got, VendorRejected))
        page = got if isinstance(got, Page) else None
        evidence = find_evidence(facts, fetch, got, outcome, self._find_cadence(facts), now_ms)
        finished = Finished(facts, fetch, now_ms, page, outcome, asked.number, evidence)
        self._writing[facts.series_id] = finished
        self._fetching.pop(asked.number, None)
        self._writer.submit(finished)

    def _absorb_written(self, group: list[Written]) -> None:
        for written in group:
            self._count(written.finished)
            self._on_written(written)
            self._writing.pop(written.finished.facts.series_id, None)
        self._put([written.facts for written in group if written.facts is not None])

    def _count(self, finished: Finished) -> None:
        report, series_id, page = self._report, finished.facts.series_id, finished.page
        if page is not None:
            report.pages += 1
            report.rows += len(page.rows)
            report.trimmed += page.duplicates + page.outside + page.forming
            report.touched.add(series_id)
            report.failed.pop(series_id, None)
            self._retrying.discard(series_id)
        elif finished.outcome.failures > finished.facts.failures:
            report.failed[series_id] = finished.outcome.error or ""
            if finished.outcome.failures < PERSON_RETRIES:
                self._retrying.add(series_id)
            else:
                self._retrying.discard(series_id)


def _name_activity(order: LaneOrder) -> str:
    """Return the plan under which tails are fetched: the standing one, or a window that a person asked for."""
    return HISTORY if order.window is None else f"window {order.window.start_ms}-{order.window.end_ms}"


def _forget_pauses(facts: SeriesFacts) -> SeriesFacts:
    return facts._replace(
        head_eligible_ms=None,
        tail_eligible_ms=None,
        gap_eligible_ms=None,
        head_misses=0,
        tail_misses=0,
        gap_misses=0,
        failures=0,
    )


def _clip(window: Range, facts: SeriesFacts, cadence: Cadence, now_ms: int) -> Range | None:
    """Return the part of the window in which the series can have something that a head would not fetch anyway."""
    start_ms = max(window.start_ms, facts.listed_ms or 0)
    end_ms = min(window.end_ms, facts.delisted_ms or now_ms, now_ms - cadence.head_lag_ms - cadence.grace_ms)
    return Range(start_ms, end_ms) if start_ms < end_ms else None
