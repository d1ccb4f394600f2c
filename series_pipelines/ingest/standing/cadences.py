"""The time scale of any series, from its id and what its capability says."""

from collections.abc import Callable

from series_pipelines.ingest.planning.cadence import Cadence, find_cadence
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.storing import capabilities
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.contract import Limits


def read_cadences(conn: Connection) -> Callable[[str, SeriesFacts], Cadence]:
    """Return what tells the cadence of a series of a table; one that no vendor serves now has the usual grace."""
    known = {state.cap_key: state for state in capabilities.read(conn)}

    def find(table_name: str, facts: SeriesFacts) -> Cadence:
        state = known.get(facts.cap_key)
        grace_ms = state.grace_ms if state else Limits().grace_ms
        return find_cadence(table_name, facts.series_id, grace_ms, facts.interval_ms, state and state.page_rows)

    return find
