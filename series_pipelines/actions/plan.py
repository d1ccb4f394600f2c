"""What would be fetched next, in the order lanes would take it, and why; and why the rest is not due.

Lanes of different capabilities work beside each other, so the order counts within a capability.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from series_pipelines.actions.answers import Json, to_iso
from series_pipelines.core.tables import TABLES
from series_pipelines.core.times import format_time
from series_pipelines.ingest.planning.agenda import Agenda
from series_pipelines.ingest.planning.cadence import Cadence, find_cadence
from series_pipelines.ingest.planning.due import TAIL_WHILE_HEADS_BELOW, find_behind_due, find_head_due, find_tail_due
from series_pipelines.ingest.planning.facts import Kind, SeriesFacts
from series_pipelines.ingest.planning.requests import Fetch
from series_pipelines.ingest.standing.backlog import Backlog, CapabilityBacklog, count_due
from series_pipelines.ingest.storing import capabilities, states
from series_pipelines.ingest.storing.states import KnownSeries
from series_pipelines.postgres.connection import Connection


@dataclass(frozen=True, slots=True)
class PlannedWork:
    """One kind of work of a series: the request that serves it when it is due, else why it is not."""

    facts: SeriesFacts
    table_name: str
    kind: Kind
    due_ms: int | None
    fetch: Fetch | None
    why: str
    held: str | None = None
    """Why it waits although it is due."""

    @property
    def attempted_ms(self) -> int | None:
        """When it was tried last."""
        return self.facts.head_attempted_ms if self.kind == "head" else self.facts.tail_attempted_ms

    def as_json(self) -> Json:
        """Return what would be asked for, and why."""
        fetch = self.fetch
        return {
            "series_id": self.facts.series_id,
            "table_name": self.table_name,
            "cap_key": self.facts.cap_key,
            "kind": self.kind,
            "is_due": fetch is not None,
            "due_at": to_iso(self.due_ms) if self.due_ms else None,
            "target": fetch and fetch.target,
            "asks_at": fetch and to_iso(fetch.time_ms),
            "why": self.why,
            "last_tried_at": to_iso(self.attempted_ms),
            "waits_because": self.held,
        }


def plan_series(conn: Connection, chosen: Sequence[KnownSeries], now_ms: int) -> list[PlannedWork]:
    """Plan some series, from what all capabilities have to do: what is due in its order, then what will be."""
    wanted = {(known.table_name, known.series_id) for known in chosen}
    backlog = Backlog({state.cap_key: CapabilityBacklog(state, now_ms) for state in capabilities.read(conn)})
    plans: list[_TablePlan] = []
    for name in TABLES:
        known = states.read_facts(conn, name)
        count_due(backlog, name, known)
        plan = _TablePlan(name, backlog, now_ms)
        for facts in known:
            if (name, facts.series_id) in wanted and facts.cap_key in backlog.capabilities:
                plan.put(facts)
        plans.append(plan)
    due = [work for _, work in sorted((each for plan in plans for each in plan.list_due()), key=itemgetter(0))]
    later = sorted((work for plan in plans for work in plan.list_later()), key=_find_rank)
    return [*due, *later]


def _find_rank(work: PlannedWork) -> tuple[bool, int, str]:
    return work.kind == "tail", work.due_ms or 0, work.facts.series_id


class _TablePlan:
    """What is due of one table, by the agenda that lanes go by, and what is not."""

    def __init__(self, table_name: str, backlog: Backlog, now_ms: int) -> None:
        self._table_name = table_name
        self._backlog = backlog
        self._now_ms = now_ms
        self._known: list[SeriesFacts] = []
        self._agenda = Agenda(self._find_direction, self._find_cadence)

    def put(self, facts: SeriesFacts) -> None:
        self._known.append(facts)
        self._agenda.put(facts)

    def list_due(self) -> Iterator[tuple[tuple[int, int, str], PlannedWork]]:
        """Yield what is due, with its rank among all."""
        for rank, facts, fetch in self._agenda.list_due(self._now_ms):
            capability, why, due_ms = self._find_capability(facts), fetch.why, find_behind_due(facts)
            held = _find_hold(capability)
            if fetch.kind == "head":
                due_ms = find_head_due(facts, self._find_cadence(facts))
            else:
                held = held or _find_tail_hold(self._backlog)
                if find_tail_due(facts) is None:
                    why = f"its {facts.floor_kind} is to be verified again"
            yield rank, PlannedWork(facts, self._table_name, fetch.kind, due_ms, fetch, why, held)

    def list_later(self) -> Iterator[PlannedWork]:
        """Yield what is not due."""
        for facts in self._known:
            due_ms = find_head_due(facts, self._find_cadence(facts))
            if due_ms is None or due_ms > self._now_ms:
                yield PlannedWork(facts, self._table_name, "head", due_ms, None, _explain_head(facts, due_ms))
            due_ms = find_behind_due(facts)
            if due_ms is None or due_ms > self._now_ms:
                yield PlannedWork(facts, self._table_name, "tail", due_ms, None, _explain_tail(facts, due_ms))

    def _find_capability(self, facts: SeriesFacts) -> CapabilityBacklog:
        return self._backlog.capabilities[facts.cap_key]

    def _find_direction(self, facts: SeriesFacts) -> str:
        return self._find_capability(facts).state.direction

    def _find_cadence(self, facts: SeriesFacts) -> Cadence:
        state = self._find_capability(facts).state
        return find_cadence(self._table_name, facts.series_id, state.grace_ms, facts.interval_ms, state.page_rows)


def _find_hold(capability: CapabilityBacklog) -> str | None:
    state = capability.state
    if not capability.is_paused or state.next_eligible_ms is None:
        return None
    return f"the capability backs off until {format_time(state.next_eligible_ms)}: {state.last_error}"


def _find_tail_hold(backlog: Backlog) -> str | None:
    heads = backlog.head_backlog
    return (
        f"{heads} heads wait, tails go on below {TAIL_WHILE_HEADS_BELOW}" if heads >= TAIL_WHILE_HEADS_BELOW else None
    )


def _explain_head(facts: SeriesFacts, due_ms: int | None) -> str:
    if due_ms is None:
        return "delisted, and all it had is stored"
    if facts.head_eligible_ms == due_ms:
        return _explain_pause(facts.failures, facts.head_misses)
    return "fresh" if facts.end_ms is not None else "not listed yet"


def _explain_tail(facts: SeriesFacts, due_ms: int | None) -> str:
    if find_tail_due(facts) is not None:
        misses = facts.gap_misses if facts.gap_eligible_ms == due_ms else facts.start_misses
        return _explain_pause(facts.failures, misses)
    if facts.end_ms is None:
        return "nothing is stored yet, so the head comes first"
    complete = f"complete back to its {facts.floor_kind or 'listing'}"
    return complete if due_ms is None else f"{complete}, which is then verified again"


def _explain_pause(failures: int, misses: int) -> str:
    return f"waits after {failures} failures" if failures else f"waits after {misses} answers that brought nothing new"
