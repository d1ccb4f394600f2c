"""How late a series is: nothing while its next bar is not due, then the bars that are past due."""

from typing import NamedTuple

from series_pipelines.ingest.planning.cadence import Cadence
from series_pipelines.ingest.planning.due import find_head_due
from series_pipelines.ingest.planning.facts import SeriesFacts


class Lag(NamedTuple):
    """How long ago the head became due, and how many bars (or intervals of rates) are past due; 0 if none is."""

    late_ms: int
    bars: int


def measure_lag(facts: SeriesFacts, cadence: Cadence, now_ms: int) -> Lag | None:
    """Return how late a series is, pauses or not; None while it has no rows, and of a delisted product."""
    if facts.end_ms is None or is_delisted(facts, now_ms):
        return None
    due_ms = find_head_due(facts._replace(head_eligible_ms=None), cadence)
    if due_ms is None or due_ms > now_ms:
        return Lag(0, 0)
    late_ms = now_ms - due_ms
    bar_ms = cadence.duration.nominal_ms if cadence.duration else cadence.head_lag_ms
    return Lag(late_ms, 1 + late_ms // bar_ms)


def is_delisted(facts: SeriesFacts, now_ms: int) -> bool:
    """Whether the product is listed no more, so that nothing new is owed."""
    return facts.delisted_ms is not None and facts.delisted_ms <= now_ms
