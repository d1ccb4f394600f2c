"""Which request serves due work. A head fetches towards now; a tail fetches what is missing behind: the gap nearest to
now first, then what is earlier than the union, until a floor. Requests move `overlap` into what is covered, so that
ranges merge.
"""

from dataclasses import dataclass
from typing import Final

from series_pipelines.core.ranges import Range, find_missing
from series_pipelines.core.times import LAST_MOMENT_MS
from series_pipelines.ingest.planning.cadence import Cadence
from series_pipelines.ingest.planning.due import is_at_floor
from series_pipelines.ingest.planning.facts import Kind, SeriesFacts, Target

PROBE: Final = "probe"


@dataclass(frozen=True, slots=True)
class Fetch:
    """One request to make for a series: what it is for, at which time, and why."""

    kind: Kind
    target: Target
    time_ms: int
    why: str
    direction: str = "backward"


def find_page_span(facts: SeriesFacts, cadence: Cadence) -> int:
    """Return the time that one page spans: as the vendor says, else as the last one did, else a guess."""
    return cadence.page_ms or facts.page_span_ms or cadence.step_ms


def find_overlap(facts: SeriesFacts, cadence: Cadence) -> int:
    """Return how far a request reaches into what is covered: always less than the last page's window."""
    if facts.page_span_ms is not None and cadence.overlap_ms >= facts.page_span_ms:
        return 0
    return cadence.overlap_ms


def plan_head(facts: SeriesFacts, cadence: Cadence, direction: str, now_ms: int) -> Fetch:
    """Return the request that brings the head towards now."""
    if facts.end_ms is None:
        return _plan_first(facts, cadence, direction, now_ms)
    lag_seconds = (now_ms - facts.end_ms) // 1000
    why = f"head is {lag_seconds} s behind now"
    if direction == "backward":
        return Fetch("head", "head", now_ms, why)
    return Fetch("head", "head", max(0, facts.end_ms - find_overlap(facts, cadence)), why, "forward")


def _plan_first(facts: SeriesFacts, cadence: Cadence, direction: str, now_ms: int) -> Fetch:
    why = "nothing is stored yet"
    if direction == "backward":
        return Fetch("head", "head", now_ms, why)
    if facts.delisted_ms is not None and facts.delisted_ms <= now_ms:
        # Its last row may be long ago, and nothing new comes: from its oldest row on all is found in order.
        return Fetch("head", "head", find_oldest(facts, cadence), why, "forward")
    # Each miss doubles the step, so a start that lies far back is found in a few requests.
    step_ms = (cadence.page_ms or cadence.step_ms) << min(facts.head_misses, 20)
    return Fetch("head", "head", max(find_oldest(facts, cadence), now_ms - step_ms), why, "forward")


def plan_tail(facts: SeriesFacts, cadence: Cadence, direction: str, now_ms: int) -> Fetch:
    """Return the request for what is missing behind: the nearest gap, else earlier than the union.

    A gap that backs off does not keep history from being fetched, nor the other way round.
    """
    overlap_ms = find_overlap(facts, cadence)
    if facts.gap_start_ms is not None and facts.gap_end_ms is not None and is_gap_next(facts, now_ms):
        why = f"gap of {(facts.gap_end_ms - facts.gap_start_ms) // 1000} s nearest to now"
        if direction == "backward":
            return Fetch("tail", "gap", min(now_ms, facts.gap_end_ms + overlap_ms), why)
        return Fetch("tail", "gap", max(0, facts.gap_start_ms - overlap_ms), why, "forward")
    if facts.start_ms is None:
        raise ValueError(f"{facts.series_id} has nothing stored, so it has no tail")
    wants_probe = PROBE not in facts.floor_grounds and (facts.floor_grounds or facts.nothing_earlier_ms is not None)
    if wants_probe and (direction == "forward" or facts.floor_grounds):
        return plan_probe(facts, cadence, direction)
    if direction == "backward":
        return Fetch("tail", "start", min(now_ms, facts.start_ms + overlap_ms), "history before the first row")
    # One window back, so that a full page ends `overlap` inside what is covered.
    page_span_ms = find_page_span(facts, cadence)
    time_ms = max(find_oldest(facts, cadence), facts.start_ms - page_span_ms + overlap_ms)
    return Fetch("tail", "start", time_ms, "history before the first row", "forward")


def is_gap_next(facts: SeriesFacts, now_ms: int) -> bool:
    """Whether what is asked for next behind is a gap, not the start of history."""
    return facts.has_gap and ((facts.gap_eligible_ms or 0) <= now_ms or is_at_floor(facts))


def plan_probe(facts: SeriesFacts, cadence: Cadence, direction: str) -> Fetch:
    """Return the request that shows whether anything is earlier than the first row.

    Backward it asks for what is before it; forward for the oldest page there is, whatever holes lie between. It need
    not overlap what is covered: an empty answer is what it hopes for.
    """
    if facts.start_ms is None:
        raise ValueError(f"{facts.series_id} has nothing stored, so nothing is before it")
    if direction == "backward":
        return Fetch("tail", "start", facts.start_ms, "a probe before the first row, to prove where history starts")
    oldest_ms = find_oldest(facts, cadence)
    return Fetch("tail", "start", oldest_ms, "the oldest page, to prove where history starts", "forward")


def find_oldest(facts: SeriesFacts, cadence: Cadence) -> int:
    """Return a time before the first row there can be: the first bar may have begun before the listing."""
    oldest_ms = (facts.listed_ms or 0) - cadence.bar_ms
    if facts.start_ms is not None and facts.start_ms - cadence.bar_ms < oldest_ms:
        # The listing date is wrong, so it does not say how much is earlier.
        oldest_ms = facts.start_ms - find_page_span(facts, cadence)
    return max(0, oldest_ms)


def narrow_to_window(facts: SeriesFacts, ranges: list[Range], window: Range) -> SeriesFacts | None:
    """Return facts whose gap is the stretch nearest to now that the window misses; None when it misses nothing."""
    # Stored [10, 11) and [13, 14), window [9, 15): missing are [9, 10), [11, 13) and [14, 15). The gap is [14, 15),
    # nearest to now; after an answer that brought nothing it is [11, 13), then [9, 10), then [14, 15) again, after its
    # pause.
    missing = find_missing(ranges, window)
    if not missing:
        return None
    position = facts.gap_misses % len(missing)
    return facts._replace(
        start_eligible_ms=LAST_MOMENT_MS,
        gap_eligible_ms=None if position else facts.gap_eligible_ms,
        start_ms=window.start_ms if facts.start_ms is None else facts.start_ms,
        end_ms=window.end_ms if facts.end_ms is None else facts.end_ms,
        gap_start_ms=missing[-1 - position].start_ms,
        gap_end_ms=missing[-1 - position].end_ms,
    )
