"""When work of a series is due: its head, what is missing behind it, and its floor, verified again now and then."""

from typing import Final

from series_pipelines.ingest.planning.cadence import Cadence
from series_pipelines.ingest.planning.facts import SeriesDue, SeriesFacts

TAIL_WHILE_HEADS_BELOW: Final = 20
"""Tails are served only while fewer heads than this are waiting, over all capabilities."""


def find_head_due(facts: SeriesDue | SeriesFacts, cadence: Cadence) -> int | None:
    """Return when the head is or becomes due; None when a delisted product has given all it had.

    Nothing younger than the vendor's grace can be closed, so lag is judged at now minus grace.
    """
    end_ms = facts.end_ms
    if end_ms is None:
        due_ms = facts.listed_ms or 0
    elif facts.delisted_ms is not None and has_given_all(facts, end_ms, facts.delisted_ms, cadence):
        return None
    else:
        due_ms = end_ms + cadence.head_lag_ms + cadence.grace_ms + 1
        if cadence.duration is not None and cadence.duration.months:
            # A month is as long as the calendar says, not as the shortest one.
            due_ms += cadence.duration.end_of_bar(end_ms) - end_ms - cadence.head_lag_ms
    eligible_ms = facts.head_eligible_ms
    return due_ms if eligible_ms is None or eligible_ms <= due_ms else eligible_ms


def has_given_all(facts: SeriesDue | SeriesFacts, end_ms: int, delisted_ms: int, cadence: Cadence) -> bool:
    """Whether a delisted product is covered to its end, or two answers after it brought nothing more."""
    attempted_ms = facts.head_attempted_ms or 0
    return end_ms >= delisted_ms or (facts.head_misses >= 2 and attempted_ms > delisted_ms + cadence.head_lag_ms)


def find_tail_due(facts: SeriesDue | SeriesFacts) -> int | None:
    """Return when the tail is or becomes due; None when nothing behind is missing."""
    if facts.end_ms is None:
        return None
    start_due_ms = None if is_at_floor(facts) else facts.start_eligible_ms or 0
    if not facts.has_gap:
        return start_due_ms
    gap_due_ms = facts.gap_eligible_ms or 0
    return gap_due_ms if start_due_ms is None or gap_due_ms < start_due_ms else start_due_ms


def is_at_floor(facts: SeriesDue | SeriesFacts) -> bool:
    """Whether the union starts at or before a proven start of what the vendor has."""
    return facts.start_ms is not None and facts.floor_ms is not None and facts.start_ms <= facts.floor_ms


def find_recheck_due(facts: SeriesDue | SeriesFacts) -> int | None:
    """Return when a proven floor is to be verified again; None while there is none."""
    if facts.recheck_ms is None or not is_at_floor(facts):
        return None
    return max(facts.recheck_ms, facts.start_eligible_ms or 0)


def find_behind_due(facts: SeriesDue | SeriesFacts) -> int | None:
    """Return when anything behind is or becomes due: a tail, or a floor to verify again."""
    tail_due_ms = find_tail_due(facts)
    return tail_due_ms if tail_due_ms is not None else find_recheck_due(facts)
