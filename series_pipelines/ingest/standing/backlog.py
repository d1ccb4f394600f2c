"""What waits, per capability: the numbers behind the sensors' decisions and behind Peek."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from series_pipelines.core.tables import TABLES
from series_pipelines.ingest.planning.cadence import find_cadence
from series_pipelines.ingest.planning.due import find_behind_due, find_head_due
from series_pipelines.ingest.planning.facts import SeriesDue, SeriesFacts
from series_pipelines.ingest.storing import capabilities as capability_store
from series_pipelines.ingest.storing import states
from series_pipelines.ingest.storing.capabilities import CapabilityState
from series_pipelines.postgres.connection import Connection


@dataclass(slots=True)
class CapabilityBacklog:
    """One capability and how much of its work is due now."""

    state: CapabilityState
    now_ms: int
    series: int = 0
    due_heads: int = 0
    due_tails: int = 0

    @property
    def is_paused(self) -> bool:
        """Whether the capability backs off at this moment."""
        return self.state.next_eligible_ms is not None and self.state.next_eligible_ms > self.now_ms


@dataclass(frozen=True, slots=True)
class Backlog:
    """All capabilities at one moment."""

    capabilities: dict[str, CapabilityBacklog]

    @property
    def in_flight(self) -> int:
        """How many lanes hold their capability."""
        return sum(backlog.state.in_flight for backlog in self.capabilities.values())

    @property
    def head_backlog(self) -> int:
        """How many due heads could be served now; those of a paused capability wait for its vendor, not for us."""
        return sum(backlog.due_heads for backlog in self.capabilities.values() if not backlog.is_paused)

    @property
    def tail_backlog(self) -> int:
        """How many due tails could be served now."""
        return sum(backlog.due_tails for backlog in self.capabilities.values() if not backlog.is_paused)


def read_backlog(conn: Connection, now_ms: int) -> Backlog:
    """Read every series' state and count what is due, in one query a table."""
    backlog = Backlog({state.cap_key: CapabilityBacklog(state, now_ms) for state in capability_store.read(conn)})
    for table_name in TABLES:
        count_due(backlog, table_name, states.read_due(conn, table_name))
    return backlog


def count_due(backlog: Backlog, table_name: str, known: Iterable[SeriesDue | SeriesFacts]) -> None:
    """Add a table's series to the backlog of their capabilities."""
    for facts in known:
        capability = backlog.capabilities.get(facts.cap_key)
        if capability is None:
            continue
        cadence = find_cadence(table_name, facts.series_id, capability.state.grace_ms, facts.interval_ms)
        head_due_ms, behind_due_ms = find_head_due(facts, cadence), find_behind_due(facts)
        capability.series += 1
        if head_due_ms is not None and head_due_ms <= capability.now_ms:
            capability.due_heads += 1
        if behind_due_ms is not None and behind_due_ms <= capability.now_ms:
            capability.due_tails += 1


def publish_backlogs(
    conn: Connection, backlog: Backlog, now_ms: int, only: Callable[[str], bool] = lambda _: True
) -> None:
    """Let lanes know how many heads wait elsewhere."""
    counts = {key: capability.due_heads for key, capability in backlog.capabilities.items() if only(key)}
    if counts:
        capability_store.write_backlogs(conn, counts, now_ms)
