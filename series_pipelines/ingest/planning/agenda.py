"""The order in which a lane serves its series: the longest-waiting due head, then the longest-waiting due tail.

A series is on the agenda once for its head, once for its tail and once for its floor, which is verified again now and
then; taking one takes it off until it is put back.
"""

import heapq
from collections.abc import Callable, Iterator
from typing import NamedTuple

from series_pipelines.ingest.planning.cadence import Cadence
from series_pipelines.ingest.planning.due import find_head_due, find_recheck_due, find_tail_due
from series_pipelines.ingest.planning.facts import SeriesFacts, Target
from series_pipelines.ingest.planning.requests import Fetch, is_gap_next, plan_head, plan_probe, plan_tail


class _Queue:
    """Series that wait until they are due, and those that are, longest-waiting first. Old entries are skipped."""

    # At 12:00:30, A due 12:00:02 and tried 11:59, B due 12:00:01 and tried 11:58, C due 12:01:00:
    # A and B move from `_waiting` to `_ready`, where B is first: it was tried longest ago. C goes on waiting.
    # If B is put again meanwhile, due 12:01:01, its entry in `_ready` is not what `_due` says, and is passed over.
    def __init__(self) -> None:
        self._waiting: list[tuple[int, str]] = []
        self._ready: list[tuple[int, str, int]] = []
        self._due: dict[str, int] = {}
        self._attempted: dict[str, int] = {}

    def put(self, series_id: str, due_ms: int, attempted_ms: int | None) -> None:
        self._due[series_id] = due_ms
        self._attempted[series_id] = attempted_ms if attempted_ms is not None else -1
        heapq.heappush(self._waiting, (due_ms, series_id))

    def drop(self, series_id: str) -> None:
        self._due.pop(series_id, None)

    def peek(self, now_ms: int) -> str | None:
        while self._waiting and self._waiting[0][0] <= now_ms:
            due_ms, series_id = heapq.heappop(self._waiting)
            if self._due.get(series_id) == due_ms:
                heapq.heappush(self._ready, (self._attempted[series_id], series_id, due_ms))
        while self._ready:
            attempted_ms, series_id, due_ms = self._ready[0]
            is_current = self._due.get(series_id) == due_ms and self._attempted[series_id] == attempted_ms
            if is_current and due_ms <= now_ms:
                return series_id
            heapq.heappop(self._ready)
            if is_current:
                heapq.heappush(self._waiting, (due_ms, series_id))
        return None

    def list_due(self, now_ms: int) -> list[tuple[int, str]]:
        """Return when each due series was attempted last, and its id, in the order in which they would be taken."""
        due = (series_id for series_id, due_ms in self._due.items() if due_ms <= now_ms)
        return sorted((self._attempted[series_id], series_id) for series_id in due)

    def count_due(self, now_ms: int) -> int:
        return sum(1 for due_ms in self._due.values() if due_ms <= now_ms)

    def find_next_due(self) -> int | None:
        return min(self._due.values(), default=None)

    def __len__(self) -> int:
        return len(self._due)


class Due(NamedTuple):
    """Due work and the request that serves it; `rank` orders the work of several agendas like that of one."""

    rank: tuple[int, int, str]
    facts: SeriesFacts
    fetch: Fetch


class Agenda:
    """What one capability has to do."""

    def __init__(
        self, find_direction: Callable[[SeriesFacts], str], find_cadence: Callable[[SeriesFacts], Cadence]
    ) -> None:
        self._find_direction = find_direction
        self._find_cadence = find_cadence
        self._facts: dict[str, SeriesFacts] = {}
        self._heads = _Queue()
        self._tails = _Queue()
        self._rechecks = _Queue()
        self.in_hand: tuple[SeriesFacts, Target] | None = None
        """The series that is put, or was taken last, and for what: if that breaks down, it is to blame."""

    def put(self, facts: SeriesFacts) -> None:
        """Put a series on the agenda, or change what is known of it."""
        self.drop(facts.series_id)
        self.in_hand = facts, "head"
        self._facts[facts.series_id] = facts
        head_due_ms = find_head_due(facts, self._find_cadence(facts))
        if head_due_ms is not None:
            self._heads.put(facts.series_id, head_due_ms, facts.head_attempted_ms)
        tail_due_ms = find_tail_due(facts)
        if tail_due_ms is not None:
            self._tails.put(facts.series_id, tail_due_ms, facts.tail_attempted_ms)
        # What is missing comes before what was proven, also while it waits: as `find_behind_due` counts it.
        recheck_due_ms = find_recheck_due(facts) if tail_due_ms is None else None
        if recheck_due_ms is not None:
            self._rechecks.put(facts.series_id, recheck_due_ms, facts.tail_attempted_ms)
        self.in_hand = None

    def drop(self, series_id: str) -> None:
        """Take a series off the agenda."""
        self._facts.pop(series_id, None)
        self._heads.drop(series_id)
        self._tails.drop(series_id)
        self._rechecks.drop(series_id)

    def take_head(self, now_ms: int) -> tuple[SeriesFacts, Fetch] | None:
        """Take the longest-waiting due head, with the request that serves it."""
        return self._take(self._heads, lambda _: "head", self._plan_head, now_ms)

    def take_tail(self, now_ms: int) -> tuple[SeriesFacts, Fetch] | None:
        """Take the longest-waiting due tail, with the request that serves it."""
        return self._take(
            self._tails, lambda facts: "gap" if is_gap_next(facts, now_ms) else "start", self._plan_tail, now_ms
        )

    def take_recheck(self, now_ms: int) -> tuple[SeriesFacts, Fetch] | None:
        """Take the longest-waiting floor that is to be verified again, with the request that does it."""
        return self._take(self._rechecks, lambda _: "start", self._plan_recheck, now_ms)

    def list_due(self, now_ms: int) -> Iterator[Due]:
        """Yield all that is due: heads, then tails, then floors to verify again, each the longest-waiting first."""
        for number, (queue, plan) in enumerate(
            ((self._heads, self._plan_head), (self._tails, self._plan_tail), (self._rechecks, self._plan_recheck))
        ):
            for attempted_ms, series_id in queue.list_due(now_ms):
                facts = self._facts[series_id]
                yield Due((number, attempted_ms, series_id), facts, plan(facts, now_ms))

    def count_due_heads(self, now_ms: int) -> int:
        """Return how many heads wait now."""
        return self._heads.count_due(now_ms)

    def has_tail_work(self) -> bool:
        """Whether any series misses something behind, due now or later."""
        return len(self._tails) > 0

    def find_next_due(self, with_heads: bool, with_tails: bool) -> int | None:
        """Return when something becomes due next."""
        head_due_ms = self._heads.find_next_due() if with_heads else None
        tail_due_ms = self._tails.find_next_due() if with_tails else None
        return min((due_ms for due_ms in (head_due_ms, tail_due_ms) if due_ms is not None), default=None)

    def _take(
        self,
        queue: _Queue,
        find_target: Callable[[SeriesFacts], Target],
        plan: Callable[[SeriesFacts, int], Fetch],
        now_ms: int,
    ) -> tuple[SeriesFacts, Fetch] | None:
        series_id = queue.peek(now_ms)
        if series_id is None:
            return None
        facts = self._facts[series_id]
        self.in_hand = facts, find_target(facts)
        fetch = plan(facts, now_ms)
        self.drop(series_id)
        return facts, fetch

    def _plan_head(self, facts: SeriesFacts, now_ms: int) -> Fetch:
        return plan_head(facts, self._find_cadence(facts), self._find_direction(facts), now_ms)

    def _plan_tail(self, facts: SeriesFacts, now_ms: int) -> Fetch:
        return plan_tail(facts, self._find_cadence(facts), self._find_direction(facts), now_ms)

    def _plan_recheck(self, facts: SeriesFacts, now_ms: int) -> Fetch:
        return plan_probe(facts, self._find_cadence(facts), self._find_direction(facts))
