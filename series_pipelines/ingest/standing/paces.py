"""How fast capabilities fetch, and how long it may take until nothing behind a series is unknown."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from series_pipelines.core.tables import TABLES
from series_pipelines.ingest.planning.due import find_tail_due
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.standing.coverage import Coverage, estimate_completion
from series_pipelines.ingest.storing import capabilities as capability_store
from series_pipelines.ingest.storing import states
from series_pipelines.postgres.connection import Connection


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a capability fetches pages, and how many of its series wait for some behind."""

    pages_per_minute: float
    waiting: int


def read_paces(conn: Connection) -> dict[str, Pace]:
    """Return the pace of each capability whose lanes have told it."""
    paces = capability_store.read_paces(conn)
    waiting: Counter[str] = Counter()
    for table_name in TABLES:
        waiting.update(due.cap_key for due in states.read_due(conn, table_name) if find_tail_due(due) is not None)
    return {cap_key: Pace(pages, waiting[cap_key]) for cap_key, pages in paces.items()}


def estimate_left(paces: Mapping[str, Pace], facts: SeriesFacts, coverage: Coverage) -> int | None:
    """Return how long it may take until nothing behind a series is unknown, if its capability has told its pace."""
    pace = paces.get(facts.cap_key)
    if pace is None:
        return None
    return estimate_completion(coverage.behind_ms, facts.page_span_ms, pace.waiting, pace.pages_per_minute)
