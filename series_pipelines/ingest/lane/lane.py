"""A lane: one capability's worker for one shift, under the capability's lock.

Page after page it takes the longest-waiting due head; if none, and tails were asked for, the longest-waiting tail;
if none, it waits for the next head inside its shift, or ends. Writing overlaps the next fetch. Between pages it looks
at its shift, at its lock, and at whether a person waits for the capability.
"""

import gc
from collections.abc import Callable, Collection
from concurrent.futures import Future
from contextlib import suppress
from functools import cache, partial
from typing import Final
from uuid import uuid4

from series_pipelines.core.duration import MINUTE_MS
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
from series_pipelines.ingest.budgets.turns import LaneTurns, NoTurn, Turn
from series_pipelines.ingest.lane.fetch import fetch_page
from series_pipelines.ingest.lane.inbox import LONGEST_NAP_MS, Asked, Inbox
from series_pipelines.ingest.lane.order import Ending, LaneEnd, LaneOrder, LaneReport, LaneTools
from series_pipelines.ingest.lane.pause import CapabilityPause
from series_pipelines.ingest.lane.supply import Supply
from series_pipelines.ingest.ledger.append import Author
from series_pipelines.ingest.ledger.cursor import HISTORY
from series_pipelines.ingest.pages.check import Page, find_possible_life
from series_pipelines.ingest.pages.clocks import Clocks
from series_pipelines.ingest.pages.evidence import find_evidence
from series_pipelines.ingest.pages.outcome import judge_failure, judge_page, judge_pause
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.planning.requests import Fetch
from series_pipelines.ingest.storing import capabilities as capability_store
from series_pipelines.ingest.storing import states
from series_pipelines.ingest.storing.commit import NO_PAGE_TO_BLAME, Finished
from series_pipelines.ingest.storing.writer import Writer, Written
from series_pipelines.postgres import locks
from series_pipelines.postgres.connection import Connection, translated_errors
from series_pipelines.vendors.asking import leave_behind, refuse_overstayer
from series_pipelines.vendors.contract import Vendor
from series_pipelines.vendors.services import Capability

MAX_PENDING_WRITES: Final = 100
PACE_PAGES: Final = 10
PERSON_RETRIES: Final = 3


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
        self._tools = tools
        self._clock = tools.clock
        self._control = control
        self._vendor = vendor
        self._capability = capability
        self._order = order
        self._report = LaneReport()
        self._begun_ms = self._clock.now_ms()
        self._deadline_ms = self._begun_ms + order.shift_ms
        self._inbox = Inbox(self._clock, capability.vendor, self._deadline_ms)
        self._writing: dict[str, Finished] = {}
        self._retrying: set[str] = set()
        self._pause = CapabilityPause(control, capability.cap_key)
        self._turns = LaneTurns(control, capability, tools.clock, tools.say, tools.on_nap)
        self._supply = Supply(control, capability, order, self._clock)
        self._database_ahead_ms = 0
        self._writer = Writer(
            partial(tools.connect, "lane writer", False),
            capability.table_name,
            Author(capability.cap_key, order.run_id, uuid4().hex, capability.direction, _name_activity(order)),
            self._clock,
            self._deadline_ms,
            on_written=self._inbox.put,
            on_broken=self._inbox.put,
            on_waiting=self._inbox.put,
        )

    def work(self) -> LaneReport:
        self._read_supply(forget_pauses=self._order.by_person)
        while True:
            self._absorb(block=self._is_full())
            now_ms = self._clock.now_ms()
            if self._must_end(now_ms):
                break
            if self._pause.is_on(now_ms) or not self._dispatch(now_ms):
                if self._inbox.asked or self._writing:
                    self._absorb(block=True)
                elif not self._rest(now_ms):
                    break
        while self._inbox.asked or self._writing:
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
        self._inbox.close()
        self._turns.tell()
        self._writer.close()

    def tell_breakdown(self, error: BaseException) -> None:
        """Write down what ended the lane, at the series it worked on and at the capability, so that the next lane
        begins elsewhere and people see why. That this fails too never hides what ended it."""
        reason, now_ms = f"the lane broke down: {describe_error(error)}", self._clock.now_ms()
        with suppress(Exception):
            attempts = [
                states.Attempt(facts.series_id, fetch.target, now_ms, judge_failure(facts, fetch, reason, now_ms))
                for facts, fetch in self._list_at_work(now_ms)
            ]
            states.write_outcomes(self._control, self._capability.table_name, attempts)
        with suppress(Exception):
            capability_store.note_error(self._control, self._capability.cap_key, reason, now_ms)

    def _list_at_work(self, now_ms: int) -> Collection[tuple[SeriesFacts, Fetch]]:
        at_work = {asked.facts.series_id: (asked.facts, asked.fetch) for asked in self._inbox.asked.values()}
        at_work |= {series_id: (finished.facts, finished.fetch) for series_id, finished in self._writing.items()}
        if self._supply.in_hand is not None:
            facts, target = self._supply.in_hand
            planned = Fetch("head" if target == "head" else "tail", target, now_ms, "it is not planned yet")
            at_work.setdefault(facts.series_id, (facts, planned))
        return at_work.values()

    def _read_supply(self, *, forget_pauses: bool = False) -> None:
        busy = {asked.facts.series_id for asked in self._inbox.asked.values()} | self._writing.keys()
        self._supply.read(busy, forget_pauses=forget_pauses)
        self._read_clocks()

    def _read_clocks(self) -> None:
        self._database_ahead_ms = self._tools.read_database_clock(self._control) - self._clock.now_ms()

    def _tell_clocks(self) -> Clocks:
        now_ms = self._clock.now_ms()
        return Clocks(now_ms, now_ms + self._database_ahead_ms, self._order.clock_tolerance_ms)

    def _must_end(self, now_ms: int) -> bool:
        order, report = self._order, self._report
        if report.ending is not None:
            return True
        if now_ms >= self._deadline_ms:
            report.ending = Ending(LaneEnd.SHIFT_IS_OVER, "the shift is over")
        elif self._tools.should_end():
            report.ending = Ending(LaneEnd.TOLD_TO_END, "it was told to end after its page")
        elif order.max_pages is not None and report.pages >= order.max_pages:
            report.ending = Ending(LaneEnd.PAGES_ARE_THERE, f"{order.max_pages} pages were asked for")
        return report.ending is not None

    def _gives_way(self) -> bool:
        """Whether the lane ends because a person waits; looked at right before each request and each rest."""
        if not self._order.by_person and locks.is_awaited(self._control, self._capability.cap_key):
            self._report.ending = Ending(LaneEnd.PERSON_WAITS, "a person's backfill waits for the capability")
            return True
        return False

    def _is_full(self) -> bool:
        fetching, writing, most = len(self._inbox.asked), len(self._writing), self._order.max_pages
        # What is on its way may turn out to be a page; only what comes of it tells whether another one is wanted.
        if fetching + writing and most is not None and self._report.pages + fetching + writing >= most:
            return True
        return fetching >= self._capability.limits.concurrent or writing >= MAX_PENDING_WRITES

    def _dispatch(self, now_ms: int) -> bool:
        if self._is_full():
            return False
        taken = self._supply.take(now_ms, self._report.requests)
        if taken is None:
            return False
        facts, fetch = taken
        if self._gives_way():
            self._supply.put([facts])
            return True
        turn = self._turns.take(self._deadline_ms)
        if isinstance(turn, NoTurn):
            self._report.ending = Ending(LaneEnd.NO_TURN, turn.why)
            self._supply.put([facts])
            return True
        self._report.requests += 1
        number = self._report.requests
        if refusal := refuse_overstayer(self._capability.vendor):
            self._turns.settle(turn)
            self._judge(Asked(facts, fetch, self._clock.now_ms(), number, turn, Future()), refusal)
            return True
        self._inbox.send(facts, fetch, number, turn, partial(self._fetch, facts, fetch, turn))
        return True

    def _fetch(self, facts: SeriesFacts, fetch: Fetch, turn: Turn) -> Page:
        life = find_possible_life(facts.listed_ms, facts.delisted_ms)
        try:
            self._turns.check(turn)
            return fetch_page(self._vendor, self._capability, facts.series_id, fetch.time_ms, life, self._tell_clocks)
        finally:
            self._turns.settle(turn)

    def _rest(self, now_ms: int) -> bool:
        """Wait for what is due next; False when the lane has nothing more to wait for."""
        if self._gives_way():
            return False
        is_paused = self._pause.is_on(now_ms)
        wake_ms = self._pause.until_ms if is_paused else self._supply.find_wake(now_ms, bool(self._retrying))
        if wake_ms is None or wake_ms >= self._deadline_ms:
            self._report.ending = self._report.ending or self._explain_end(wake_ms)
            return False
        self._turns.tell()
        what = "the end of the vendor's pause" if is_paused else "what is due next"
        self._tools.on_nap(f"{what}, in {format_span(wake_ms - now_ms)}")
        self._clock.wait(max(1, min(wake_ms - now_ms, LONGEST_NAP_MS)))
        if self._supply.is_old():
            self._read_supply()
        return True

    def _explain_end(self, wake_ms: int | None) -> Ending:
        if self._pause.is_on(self._clock.now_ms()):
            return Ending(LaneEnd.CAPABILITY_RESTS, "the capability backs off until after the shift")
        inside = "" if wake_ms is None else " inside the shift"
        return Ending(LaneEnd.NOTHING_IS_DUE, f"nothing more is due{inside}")

    def _absorb(self, block: bool) -> None:
        """Take in all that has come; wait a little for the first of it if that is wanted."""
        while (come := self._inbox.take(block)) is not None:
            if isinstance(come, str):
                self._tools.say(come)
            elif isinstance(come, Asked):
                self._judge(come, come.read_answer())
            else:
                self._absorb_written(come)
            block = False
        self._leave_overstayers()
        if block:
            self._tools.on_nap(self._inbox.describe_oldest() or f"{len(self._writing)} pages to be stored")

    def _leave_overstayers(self) -> None:
        """Wait no longer for requests that take too long, or that outlast the shift."""
        for asked in self._inbox.list_overstayers():
            what = f"fetch() of {asked.facts.series_id}"
            waited_s = (self._clock.now_ms() - asked.asked_ms) / 1000
            self._report.left_behind += 1
            self._turns.settle(asked.turn)
            self._judge(asked, leave_behind(self._capability.vendor, what, asked.answer, waited_s))

    def _judge(self, asked: Asked, got: Page | VendorError) -> None:
        """Find out what an answer means, and hand it over to be committed."""
        facts, fetch = asked.facts, asked.fetch
        now_ms, cadence = self._clock.now_ms(), self._supply.find_cadence(facts)
        if isinstance(got, ClockApart | ClockRefused):
            # Our own clock may have been set meanwhile: the next page is judged by what it says now.
            self._read_clocks()
        if isinstance(got, ClockRefused):
            capability_store.note_error(self._control, self._capability.cap_key, str(got), now_ms)
        if isinstance(got, Page):
            outcome = judge_page(facts, fetch, got, cadence, now_ms, self._order.recheck_after_ms)
            self._pause.end(now_ms)
        elif isinstance(got, VendorBackoff):
            outcome = judge_pause(facts, fetch, str(got))
            self._report.backoffs += 1
            self._pause.begin(got, asked.asked_ms, now_ms)
        else:
            outcome = judge_failure(facts, fetch, str(got), now_ms, is_rejected=isinstance(got, VendorRejected))
        page = got if isinstance(got, Page) else None
        evidence = find_evidence(facts, fetch, got, outcome, cadence, now_ms)
        finished = Finished(facts, fetch, now_ms, page, outcome, asked.number, evidence)
        self._writing[facts.series_id] = finished
        self._inbox.asked.pop(asked.number, None)
        self._writer.submit(finished)

    def _absorb_written(self, group: list[Written]) -> None:
        for written in group:
            self._count(written.finished)
            self._tools.on_written(written)
            self._writing.pop(written.finished.facts.series_id, None)
        self._supply.put([written.facts for written in group if written.facts is not None])

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
