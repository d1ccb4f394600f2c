"""Decides what is due for a series, from its ranges and its state, and which request serves it.

A head fetches towards now; a tail fetches what is missing behind: the gap nearest to now first, then what is earlier
than the union, until a floor. Anchors move `overlap` into what is covered, so that ranges merge.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple, Protocol

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS, Duration, parse_duration
from series_pipelines.core.ranges import MAX_OVERLAP_MS, Range, find_missing
from series_pipelines.core.tables import TABLES, SeriesTable
from series_pipelines.core.times import LAST_MOMENT_MS

Kind = Literal["head", "tail"]
Target = Literal["head", "gap", "start"]

PROBE: Final = "probe"
TAIL_WHILE_HEADS_BELOW: Final = 20
"""Tails are served only while fewer heads than this are waiting, over all capabilities."""


class DueFacts(Protocol):
    """The part of a series' facts that tells whether work is due."""

    @property
    def start_ms(self) -> int | None: ...
    @property
    def end_ms(self) -> int | None: ...
    @property
    def has_gap(self) -> bool: ...
    @property
    def head_attempted_ms(self) -> int | None: ...
    @property
    def head_eligible_ms(self) -> int | None: ...
    @property
    def head_misses(self) -> int: ...
    @property
    def tail_eligible_ms(self) -> int | None: ...
    @property
    def gap_eligible_ms(self) -> int | None: ...
    @property
    def floor_ms(self) -> int | None: ...
    @property
    def listed_ms(self) -> int | None: ...
    @property
    def delisted_ms(self) -> int | None: ...
    @property
    def recheck_ms(self) -> int | None: ...


class SeriesDue(NamedTuple):
    """What a sensor reads of every series, again and again."""

    series_id: str
    cap_key: str
    start_ms: int | None
    end_ms: int | None
    has_gap: bool
    head_attempted_ms: int | None
    head_eligible_ms: int | None
    head_misses: int
    tail_eligible_ms: int | None
    gap_eligible_ms: int | None
    floor_ms: int | None
    listed_ms: int | None
    delisted_ms: int | None
    interval_ms: int | None = None
    recheck_ms: int | None = None
    may_hide_gap: bool = False
    """Whether some of its ranges overlap or touch, so that only their order tells whether there is a gap."""


class SeriesFacts(NamedTuple):
    """All the planner knows of a series: union, nearest gap, attempts, floor, and its product's life."""

    series_id: str
    cap_key: str
    start_ms: int | None
    end_ms: int | None
    gap_start_ms: int | None
    gap_end_ms: int | None
    head_attempted_ms: int | None
    head_eligible_ms: int | None
    head_misses: int
    tail_attempted_ms: int | None
    tail_eligible_ms: int | None
    tail_misses: int
    gap_eligible_ms: int | None
    gap_misses: int
    failures: int
    window_ms: int | None
    floor_ms: int | None
    floor_kind: str | None
    listed_ms: int | None
    delisted_ms: int | None
    shown_ms: int | None
    interval_ms: int | None = None
    """The shortest time between the newest rates seen; None for bars."""
    floor_grounds: Sequence[str] = ()
    """What speaks for the first row being the first there is."""
    nothing_earlier_ms: int | None = None
    """When the vendor first answered that nothing is earlier than the first row."""
    recheck_ms: int | None = None
    """When the floor is to be verified again."""
    coarser_start_ms: int | None = None
    """Where the same product's history at a coarser duration is proven to begin."""
    coarser_bar_ms: int | None = None

    @property
    def has_gap(self) -> bool:
        """Whether anything between the first row and the last is missing."""
        return self.gap_end_ms is not None


@dataclass(frozen=True, slots=True)
class Cadence:
    """The time scale of a series: its bars, when its head is late, how much requests overlap."""

    duration: Duration | None
    head_lag_ms: int
    overlap_ms: int
    step_ms: int
    """How far a forward request steps back when no page has told the vendor's window yet."""
    grace_ms: int
    page_rows: int | None = None
    """How many rows a full page has, where the vendor says so."""
    page_ms: int | None = None
    """The time that a full page spans then."""

    @property
    def bar_ms(self) -> int:
        """One bar; for rates, whose cadence is not known, an hour."""
        return self.duration.nominal_ms if self.duration else HOUR_MS


@dataclass(frozen=True, slots=True)
class Fetch:
    """One request to make for a series: what it is for, at which time, and why."""

    kind: Kind
    target: Target
    time_ms: int
    why: str
    direction: str = "backward"


@lru_cache(maxsize=1024)
def bar_cadence(duration_text: str, grace_ms: int, page_rows: int | None = None) -> Cadence:
    """Return the cadence of bars of this duration."""
    duration = parse_duration(duration_text)
    bar_ms = duration.nominal_ms
    # A first forward page must contain closed bars also when one bar is longer than a day.
    step_ms = DAY_MS if bar_ms < DAY_MS else 100 * bar_ms
    page_ms = page_rows * bar_ms if page_rows else None
    return Cadence(duration, max(MINUTE_MS, bar_ms), min(bar_ms, MAX_OVERLAP_MS), step_ms, grace_ms, page_rows, page_ms)


@lru_cache(maxsize=1024)
def instant_cadence(
    table: SeriesTable, grace_ms: int, interval_ms: int | None = None, page_rows: int | None = None
) -> Cadence:
    """Return the cadence of rows without a duration that came at this interval last."""
    page_ms = page_rows * table.long_interval_ms if page_rows else None
    head_lag_ms = interval_ms or table.unknown_interval_ms
    return Cadence(None, head_lag_ms, HOUR_MS, 30 * DAY_MS, grace_ms, page_rows, page_ms)


def find_cadence(
    table_name: str, series_id: str, grace_ms: int, interval_ms: int | None = None, page_rows: int | None = None
) -> Cadence:
    """Return the cadence of a series by its id, or, where that has no duration, by the interval seen last."""
    table = TABLES[table_name]
    if table.has_durations:
        return bar_cadence(series_id[series_id.rindex("/") + 1 :], grace_ms, page_rows)
    return instant_cadence(table, grace_ms, interval_ms, page_rows)


def find_head_due(facts: DueFacts, cadence: Cadence) -> int | None:
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


def has_given_all(facts: DueFacts, end_ms: int, delisted_ms: int, cadence: Cadence) -> bool:
    """Whether a delisted product is covered to its end, or two answers after it brought nothing more."""
    attempted_ms = facts.head_attempted_ms or 0
    return end_ms >= delisted_ms or (facts.head_misses >= 2 and attempted_ms > delisted_ms + cadence.head_lag_ms)


def find_tail_due(facts: DueFacts) -> int | None:
    """Return when the tail is or becomes due; None when nothing behind is missing."""
    if facts.end_ms is None:
        return None
    start_due_ms = None if is_at_floor(facts) else facts.tail_eligible_ms or 0
    if not facts.has_gap:
        return start_due_ms
    gap_due_ms = facts.gap_eligible_ms or 0
    return gap_due_ms if start_due_ms is None or gap_due_ms < start_due_ms else start_due_ms


def is_at_floor(facts: DueFacts) -> bool:
    """Whether the union starts at or before a proven start of what the vendor has."""
    return facts.start_ms is not None and facts.floor_ms is not None and facts.start_ms <= facts.floor_ms


def find_recheck_due(facts: DueFacts) -> int | None:
    """Return when a proven floor is to be verified again; None while there is none."""
    if facts.recheck_ms is None or not is_at_floor(facts):
        return None
    return max(facts.recheck_ms, facts.tail_eligible_ms or 0)


def find_behind_due(facts: DueFacts) -> int | None:
    """Return when anything behind is or becomes due: a tail, or a floor to verify again."""
    tail_due_ms = find_tail_due(facts)
    return tail_due_ms if tail_due_ms is not None else find_recheck_due(facts)


def find_page_span(facts: SeriesFacts, cadence: Cadence) -> int:
    """Return the time that one page spans: as the vendor says, else as the last one did, else a guess."""
    return cadence.page_ms or facts.window_ms or cadence.step_ms


def find_overlap(facts: SeriesFacts, cadence: Cadence) -> int:
    """Return how far a request reaches into what is covered: always less than the last page's window."""
    if facts.window_ms is not None and cadence.overlap_ms >= facts.window_ms:
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
    window_ms = find_page_span(facts, cadence)
    time_ms = max(find_oldest(facts, cadence), facts.start_ms - window_ms + overlap_ms)
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
    missing = find_missing(ranges, window)
    if not missing:
        return None
    position = facts.gap_misses % len(missing)
    return facts._replace(
        tail_eligible_ms=LAST_MOMENT_MS,
        gap_eligible_ms=None if position else facts.gap_eligible_ms,
        start_ms=window.start_ms if facts.start_ms is None else facts.start_ms,
        end_ms=window.end_ms if facts.end_ms is None else facts.end_ms,
        gap_start_ms=missing[-1 - position].start_ms,
        gap_end_ms=missing[-1 - position].end_ms,
    )
