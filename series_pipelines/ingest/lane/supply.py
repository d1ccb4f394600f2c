"""What a lane has to do: its agenda, read anew now and then, narrowed to a window; tails only while few heads wait."""

from collections.abc import Collection
from typing import Final

from series_pipelines.core.clock import Clock
from series_pipelines.core.duration import MINUTE_MS
from series_pipelines.core.ranges import Range
from series_pipelines.ingest.lane.order import LaneOrder
from series_pipelines.ingest.planning.agenda import Agenda
from series_pipelines.ingest.planning.cadence import Cadence, find_cadence
from series_pipelines.ingest.planning.due import TAIL_WHILE_HEADS_BELOW, is_at_floor
from series_pipelines.ingest.planning.facts import SeriesFacts, Target
from series_pipelines.ingest.planning.requests import Fetch, narrow_to_window
from series_pipelines.ingest.storing import capabilities, ranges, states
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.services import Capability

BACKLOG_EVERY_MS: Final = 5_000
BACKLOG_VALID_MS: Final = 2 * MINUTE_MS
REREAD_EVERY_MS: Final = 30_000
RECHECK_SHARE: Final = 20
RECHECKS_WHEN_IDLE: Final = 10


class Supply:
    """Gives the next series and request of one capability."""

    def __init__(self, control: Connection, capability: Capability, order: LaneOrder, clock: Clock) -> None:
        self._control = control
        self._capability = capability
        self._order = order
        self._clock = clock
        # Inside a window all that is missing is a gap; there is no head.
        self._with_heads = "head" in order.work and order.window is None
        self._with_tails = "tail" in order.work
        self._agenda = Agenda(lambda _: capability.direction, self.find_cadence)
        self._counted_ms = self._read_ms = 0
        self._rechecks = self._heads_elsewhere = 0
        self._before: dict[str, SeriesFacts] = {}
        """What a person's lane found, whose pauses it forgets until an attempt makes new ones."""

    @property
    def in_hand(self) -> tuple[SeriesFacts, Target] | None:
        """The series that is put, or was taken last, and for what: if that breaks down, it is to blame."""
        return self._agenda.in_hand

    def find_cadence(self, facts: SeriesFacts) -> Cadence:
        """Return the time scale of a series of this capability."""
        limits = self._capability.limits
        return find_cadence(
            self._capability.table_name, facts.series_id, limits.grace_ms, facts.interval_ms, limits.page_rows
        )

    def read(self, busy: Collection[str], *, forget_pauses: bool = False) -> None:
        """Read what there is to do, but for series that are being worked; a person's first look forgets pauses."""
        order, table_name = self._order, self._capability.table_name
        known = states.read_facts(
            self._control, table_name, series_ids=order.series_ids, cap_key=self._capability.cap_key
        )
        idle = [facts for facts in known if facts.series_id not in busy]
        if forget_pauses:
            self._before = {facts.series_id: facts for facts in idle}
            idle = [_forget_pauses(facts) for facts in idle]
        self.put(idle)
        self._read_ms = self._clock.now_ms()

    def is_old(self) -> bool:
        """Whether what there is to do was read a while ago. What a person wants is read once."""
        return not self._order.by_person and not 0 <= self._clock.now_ms() - self._read_ms < REREAD_EVERY_MS

    def put(self, known: Collection[SeriesFacts]) -> None:
        """Put series back, with what is known of them now."""
        before = self._before
        known = [
            _forget_known_pauses(facts, before[facts.series_id]) if facts.series_id in before else facts
            for facts in known
        ]
        window = self._order.window
        if window is None:
            for facts in known:
                self._agenda.put(facts)
            return
        stored = ranges.read(self._control, self._capability.table_name, [facts.series_id for facts in known])
        for facts in known:
            life = _clip(window, facts, self.find_cadence(facts), self._clock.now_ms())
            narrowed = narrow_to_window(facts, stored[facts.series_id], life) if life else None
            if narrowed is None:
                self._agenda.drop(facts.series_id)
            else:
                self._agenda.put(narrowed)

    def take(self, now_ms: int, requests: int) -> tuple[SeriesFacts, Fetch] | None:
        """Take the longest-waiting due head, else a tail; `requests` is how many the lane has made."""
        taken = self._agenda.take_head(now_ms) if self._with_heads else None
        if taken is None and self._with_tails and self._may_serve_tails(now_ms):
            taken = self._take_behind(now_ms, requests)
        return taken

    def find_wake(self, now_ms: int, is_retrying: bool) -> int | None:
        """Return when something is due next, if the lane is to wait for it."""
        by_person = self._order.by_person
        if not by_person and not self._with_tails and self._agenda.has_tail_work():
            return None
        due_ms = self._agenda.find_next_due(self._with_heads, self._with_tails)
        if due_ms is None or (by_person and due_ms > now_ms and not is_retrying):
            return None
        # A due tail that must wait for heads elsewhere is looked at again when they are counted again.
        return due_ms if due_ms > now_ms else self._counted_ms + BACKLOG_EVERY_MS

    def _take_behind(self, now_ms: int, requests: int) -> tuple[SeriesFacts, Fetch] | None:
        """Take a tail, or now and then a floor to verify again: one in twenty requests, a few more when all is idle."""
        if self._order.by_person:
            return self._agenda.take_tail(now_ms)
        taken = self._agenda.take_recheck(now_ms) if self._rechecks * RECHECK_SHARE < requests else None
        taken = taken or self._agenda.take_tail(now_ms)
        if taken is None and self._rechecks < RECHECKS_WHEN_IDLE:
            taken = self._agenda.take_recheck(now_ms)
        if taken is not None and is_at_floor(taken[0]) and taken[1].target == "start":
            self._rechecks += 1
        return taken

    def _may_serve_tails(self, now_ms: int) -> bool:
        if self._order.by_person:
            return True
        if not 0 <= now_ms - self._counted_ms < BACKLOG_EVERY_MS:
            cap_key = self._capability.cap_key
            own = self._agenda.count_due_heads(now_ms)
            capabilities.write_backlogs(self._control, {cap_key: own}, now_ms)
            since_ms = now_ms - BACKLOG_VALID_MS
            self._heads_elsewhere = capabilities.sum_backlogs(self._control, cap_key, since_ms, now_ms)
            self._counted_ms = now_ms
        return self._heads_elsewhere < TAIL_WHILE_HEADS_BELOW


def _forget_pauses(facts: SeriesFacts) -> SeriesFacts:
    return facts._replace(
        head_eligible_ms=None,
        start_eligible_ms=None,
        gap_eligible_ms=None,
        head_misses=0,
        start_misses=0,
        gap_misses=0,
        failures=0,
    )


def _forget_known_pauses(facts: SeriesFacts, before: SeriesFacts) -> SeriesFacts:
    """Forget the pauses that were there before: an attempt for a gap says nothing of one for the start of history."""
    return facts._replace(
        head_eligible_ms=_forget(facts.head_eligible_ms, before.head_eligible_ms),
        start_eligible_ms=_forget(facts.start_eligible_ms, before.start_eligible_ms),
        gap_eligible_ms=_forget(facts.gap_eligible_ms, before.gap_eligible_ms),
    )


def _forget(eligible_ms: int | None, before_ms: int | None) -> int | None:
    return None if eligible_ms == before_ms else eligible_ms


def _clip(window: Range, facts: SeriesFacts, cadence: Cadence, now_ms: int) -> Range | None:
    """Return the part of the window in which the series can have something that a head would not fetch anyway."""
    start_ms = max(window.start_ms, facts.listed_ms or 0)
    end_ms = min(window.end_ms, facts.delisted_ms or now_ms, now_ms - cadence.head_lag_ms - cadence.grace_ms)
    return Range(start_ms, end_ms) if start_ms < end_ms else None
