"""A lane: one capability's worker for one shift, under the capability's lock.

Page after page it takes the longest-waiting due head; if none, and tails were asked for, the longest-waiting tail;
if none, it waits for the next head inside its shift, or ends. Writing overlaps the next fetch. Between pages it looks
at its shift, at its lock, and at whether a person waits for the capability.
"""

import gc
import queue
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Final
from uuid import uuid4

from series_pipelines.core.agenda import Agenda
from series_pipelines.core.clock import Clock
from series_pipelines.core.cursor import HISTORY
from series_pipelines.core.duration import MINUTE_MS
from series_pipelines.core.evidence import find_evidence
from series_pipelines.core.floor import RECHECK_MS
from series_pipelines.core.outcome import settle_failure, settle_page, settle_pause
from series_pipelines.core.page import Page
from series_pipelines.core.plan import (
    TAIL_WHILE_HEADS_BELOW,
    Cadence,
    Fetch,
    Kind,
    SeriesFacts,
    find_cadence,
    is_at_floor,
    narrow_to_window,
)
from series_pipelines.core.ranges import Range
from series_pipelines.errors import CapabilityBusy, VendorBackoff, VendorError, VendorRejected
from series_pipelines.ingest.commit import Author, Finished
from series_pipelines.ingest.fetch import fetch_page, wait_for_slot
from series_pipelines.ingest.pause import CapabilityPause
from series_pipelines.ingest.writer import Writer, Written
from series_pipelines.store import capabilities as capability_store
from series_pipelines.store import locks, ranges, states
from series_pipelines.store.connection import Connection, translated_errors
from series_pipelines.vendors.contract import Vendor
from series_pipelines.vendors.registry import Capability

DEFAULT_SHIFT_MS: Final = 2 * MINUTE_MS
BACKLOG_EVERY_MS: Final = 5_000
BACKLOG_VALID_MS: Final = 2 * MINUTE_MS
REREAD_EVERY_MS: Final = 30_000
LONGEST_NAP_MS: Final = 500
LOOK_EVERY_MS: Final = 20
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


@dataclass(slots=True)
class LaneReport:
    """What a lane did, and why it ended."""

    requests: int = 0
    pages: int = 0
    rows: int = 0
    trimmed: int = 0
    backoffs: int = 0
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
    should_end: Callable[[], bool] = lambda: False
    """Say whether the lane is to end after its page, because whoever started it ends."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """One request that was made: what was known, what was asked, what came of it, when it left."""

    facts: SeriesFacts
    fetch: Fetch
    got: Page | VendorError
    asked_ms: int
    number: int


def run_lane(tools: LaneTools, vendor: Vendor, capability: Capability, order: LaneOrder) -> LaneReport:
    """Work one capability for one shift, or raise CapabilityBusy when another lane has it."""
    _spare_collections()
    with translated_errors():
        control = tools.connect("lane lock", True)
        try:
            _take_capability(control, capability.cap_key, order)
            lane = _Lane(tools, control, vendor, capability, order)
            try:
                return lane.work()
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


def _take_capability(control: Connection, cap_key: str, order: LaneOrder) -> None:
    if order.by_person:
        locks.wait_capability(control, cap_key, order.shift_ms)
    elif not locks.try_capability(control, cap_key):
        raise CapabilityBusy(f"another lane works {cap_key}")


class _Lane:
    def __init__(
        self, tools: LaneTools, control: Connection, vendor: Vendor, capability: Capability, order: LaneOrder
    ) -> None:
        self._clock = tools.clock
        self._on_written = tools.on_written
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
        self._inbox: queue.SimpleQueue[Fetched | list[Written] | BaseException] = queue.SimpleQueue()
        self._fetching: set[str] = set()
        self._writing: set[str] = set()
        self._retrying: set[str] = set()
        self._pause = CapabilityPause(control, capability.cap_key)
        self._counted_ms = self._read_ms = self._looked_ms = 0
        self._looked_at = -1
        self._rechecks = 0
        self._heads_elsewhere = 0
        self._agenda = Agenda(capability.direction, self._find_cadence)
        concurrent = capability.limits.concurrent
        self._pool = ThreadPoolExecutor(concurrent, "fetch") if concurrent > 1 else None
        self._writer = Writer(
            partial(tools.connect, "lane writer", False),
            capability.table_name,
            Author(capability.cap_key, capability.direction, uuid4().hex, order.run_id, _name_activity(order)),
            self._inbox.put,
            self._inbox.put,
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
        return self._report

    def _tell_pace(self) -> None:
        """Let whoever estimates when all is complete know how fast pages come."""
        spent_ms = self._clock.now_ms() - self._begun_ms
        if self._report.pages >= PACE_PAGES and spent_ms > 0:
            per_minute = self._report.pages * MINUTE_MS / spent_ms
            capability_store.write_pace(self._control, self._capability.cap_key, per_minute)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        self._writer.close()

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
        idle = [facts for facts in known if facts.series_id not in self._fetching | self._writing]
        if first and order.by_person:
            idle = [_forget_pauses(facts) for facts in idle]
        self._put(idle)
        self._read_ms = self._clock.now_ms()

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
        elif order.max_pages is not None and report.requests >= order.max_pages:
            report.ended = f"{order.max_pages} pages were asked for"
        elif self._is_awaited(now_ms) and not order.by_person:
            report.ended = "a person's backfill waits for the capability"
        return report.ended != ""

    def _is_awaited(self, now_ms: int) -> bool:
        """Whether a person waits: looked at before each page, and between pages now and then."""
        requests = self._report.requests
        if requests == self._looked_at and 0 <= now_ms - self._looked_ms < LOOK_EVERY_MS:
            return False
        self._looked_at, self._looked_ms = requests, now_ms
        return locks.is_awaited(self._control, self._capability.cap_key)

    def _is_full(self) -> bool:
        return len(self._fetching) >= self._capability.limits.concurrent or len(self._writing) >= MAX_PENDING_WRITES

    def _dispatch(self, now_ms: int) -> bool:
        if self._is_full():
            return False
        taken = self._agenda.take_head(now_ms) if self._with_heads else None
        if taken is None and self._with_tails and self._may_serve_tails(now_ms):
            taken = self._take_behind(now_ms)
        if taken is None:
            return False
        facts, fetch = taken
        self._report.ended = wait_for_slot(self._control, self._capability, self._clock, self._deadline_ms)
        if self._report.ended:
            self._agenda.put(facts)
            return True
        self._fetching.add(facts.series_id)
        self._report.requests += 1
        if self._pool is None:
            self._inbox.put(self._fetch(facts, fetch, self._report.requests))
        else:
            self._pool.submit(self._fetch, facts, fetch, self._report.requests).add_done_callback(self._receive)
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

    def _receive(self, future: Future[Fetched]) -> None:
        if not future.cancelled():
            self._inbox.put(future.exception() or future.result())

    def _fetch(self, facts: SeriesFacts, fetch: Fetch, number: int) -> Fetched:
        asked_ms = self._clock.now_ms()
        cadence = self._find_cadence(facts)
        got: Page | VendorError
        try:
            got = fetch_page(self._vendor, self._capability, facts.series_id, fetch, cadence)
        except VendorError as error:
            got = error
        return Fetched(facts, fetch, got, asked_ms, number)

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
        wake_ms = self._find_wake(now_ms)
        if wake_ms is None or wake_ms >= self._deadline_ms:
            self._report.ended = self._report.ended or self._explain_end(wake_ms)
            return False
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
                message = self._inbox.get(block)
            except queue.Empty:
                return
            if isinstance(message, BaseException):
                raise message
            if isinstance(message, list):
                self._absorb_written(message)
            else:
                self._absorb_fetched(message)
            block = False

    def _absorb_fetched(self, fetched: Fetched) -> None:
        facts, fetch, got = fetched.facts, fetched.fetch, fetched.got
        now_ms = self._clock.now_ms()
        self._fetching.discard(facts.series_id)
        if isinstance(got, Page):
            outcome = settle_page(facts, fetch, got, self._find_cadence(facts), now_ms, self._order.recheck_after_ms)
            self._pause.end(now_ms)
        elif isinstance(got, VendorBackoff):
            outcome = settle_pause(facts, fetch, str(got))
            self._report.backoffs += 1
            self._pause.begin(got, fetched.asked_ms, now_ms)
        else:
            outcome = settle_failure(facts, fetch, str(got), now_ms, is_rejected=isinstance(got, VendorRejected))
        page = got if isinstance(got, Page) else None
        evidence = find_evidence(facts, fetch, got, outcome, self._find_cadence(facts), now_ms)
        self._writing.add(facts.series_id)
        self._writer.submit(Finished(facts, fetch, now_ms, page, outcome, fetched.number, evidence))

    def _absorb_written(self, group: list[Written]) -> None:
        for written in group:
            self._writing.discard(written.finished.facts.series_id)
            self._count(written.finished)
            self._on_written(written)
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
