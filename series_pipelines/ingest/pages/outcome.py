"""Says what an attempt means for its series: did the frontier move, when to try again, is the floor proven.

An attempt that does not move the frontier backs the series off for that kind of work; `floor` says when history has no
more to give.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from series_pipelines.core.duration import HOUR_MS, MINUTE_MS
from series_pipelines.core.ranges import Range
from series_pipelines.ingest.pages.check import Page
from series_pipelines.ingest.pages.floor import RECHECK_MS, Floor, keep_floor, prove_floor
from series_pipelines.ingest.planning.cadence import Cadence
from series_pipelines.ingest.planning.due import is_at_floor
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.planning.requests import PROBE, Fetch

TAIL_RETRY_MS: Final = 10 * MINUTE_MS
MAX_TAIL_RETRY_MS: Final = 6 * HOUR_MS
FAILURE_RETRY_MS: Final = 15_000
MAX_FAILURE_RETRY_MS: Final = HOUR_MS
MISSES_OF_A_DAY: Final = 10
FAILURES_OF_A_DAY: Final = 32
"""So many in a row take a day or longer, by the pauses between them."""
CAPABILITY_BACKOFF_STEP_MS: Final = 5_000
MAX_CAPABILITY_BACKOFF_MS: Final = 5 * MINUTE_MS
NEWEST_RATES: Final = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """The new state of what an attempt was for: the head, a gap, or the start of history."""

    moved: bool
    misses: int
    failures: int
    eligible_ms: int | None
    page_span_ms: int | None
    floor: Floor
    error: str | None = None
    interval_ms: int | None = None


def judge_page(
    facts: SeriesFacts, fetch: Fetch, page: Page, cadence: Cadence, now_ms: int, recheck_after_ms: int = RECHECK_MS
) -> Outcome:
    """Return what a well-formed page means."""
    moved = has_moved(facts, fetch, page.stretches)
    misses = 0 if moved else _find_misses(facts, fetch) + 1
    floor = prove_floor(facts, fetch, page, cadence, now_ms, recheck_after_ms)
    # A probe that is still to be made need not wait: it asks something else. But one that told nothing is not repeated.
    is_probe_next = not facts.floor_grounds and floor.grounds and PROBE not in floor.grounds
    goes_on = moved or (fetch.target == "start" and (is_probe_next or floor.time_ms is not None))
    return Outcome(
        moved=moved,
        misses=misses,
        failures=0,
        eligible_ms=None if goes_on else now_ms + _find_retry(fetch, misses, cadence),
        page_span_ms=_find_window(facts, fetch, page),
        floor=floor,
        interval_ms=_find_interval(facts, fetch, page) if cadence.duration is None else None,
    )


def judge_failure(facts: SeriesFacts, fetch: Fetch, error: str, now_ms: int, *, is_rejected: bool = False) -> Outcome:
    """Return what a failed or refused page means: it proves nothing, it only waits.

    But a vendor that rejects requests for a product it has delisted has nothing newer to give.
    """
    failures = facts.failures + 1
    is_gone = is_rejected and fetch.target == "head" and facts.delisted_ms is not None and now_ms > facts.delisted_ms
    delay_ms = min(MAX_FAILURE_RETRY_MS, FAILURE_RETRY_MS << min(failures - 1, 20))
    return Outcome(
        moved=False,
        misses=_find_misses(facts, fetch) + is_gone,
        failures=failures,
        eligible_ms=now_ms + delay_ms,
        page_span_ms=facts.page_span_ms,
        floor=keep_floor(facts),
        error=error,
        interval_ms=facts.interval_ms,
    )


def judge_pause(facts: SeriesFacts, fetch: Fetch, error: str) -> Outcome:
    """Return what it means that the capability was paused: nothing but that this series had its turn."""
    eligible_ms = {
        "head": facts.head_eligible_ms,
        "gap": facts.gap_eligible_ms,
        "start": facts.start_eligible_ms,
    }
    return Outcome(
        moved=False,
        misses=_find_misses(facts, fetch),
        failures=facts.failures,
        eligible_ms=eligible_ms[fetch.target],
        page_span_ms=facts.page_span_ms,
        floor=keep_floor(facts),
        error=error,
        interval_ms=facts.interval_ms,
    )


def has_moved(facts: SeriesFacts, fetch: Fetch, stretches: Sequence[Range]) -> bool:
    """Whether a page that covers these stretches moved the frontier that its request was for."""
    if not stretches:
        return False
    if fetch.target == "head":
        return facts.end_ms is None or stretches[-1].end_ms > facts.end_ms
    if fetch.target == "start":
        return facts.start_ms is not None and stretches[0].start_ms < facts.start_ms
    if facts.gap_start_ms is None or facts.gap_end_ms is None:
        return False
    return any(part.start_ms < facts.gap_end_ms and part.end_ms > facts.gap_start_ms for part in stretches)


def has_stood_still(facts: SeriesFacts) -> bool:
    """Whether what is missing behind was asked for during a day, and nothing came of it."""
    misses = max(0 if is_at_floor(facts) else facts.start_misses, facts.gap_misses if facts.has_gap else 0)
    return misses >= MISSES_OF_A_DAY or facts.failures >= FAILURES_OF_A_DAY


def grow_backoff(backoff_ms: int) -> int:
    """Return the next pause of a capability that said no again: five seconds more, at most five minutes."""
    return min(MAX_CAPABILITY_BACKOFF_MS, backoff_ms + CAPABILITY_BACKOFF_STEP_MS)


def _find_misses(facts: SeriesFacts, fetch: Fetch) -> int:
    return {"head": facts.head_misses, "gap": facts.gap_misses, "start": facts.start_misses}[fetch.target]


def _find_retry(fetch: Fetch, misses: int, cadence: Cadence) -> int:
    doublings = min(misses - 1, 20)
    if fetch.kind == "tail":
        return min(MAX_TAIL_RETRY_MS, TAIL_RETRY_MS << doublings)
    first_ms = max(15_000, min(cadence.bar_ms // 4, 15 * MINUTE_MS))
    return min(max(15 * MINUTE_MS, cadence.bar_ms // 2), first_ms << doublings)


def _find_window(facts: SeriesFacts, fetch: Fetch, page: Page) -> int | None:
    if page.range is None:
        return facts.page_span_ms
    span_ms = max(part.end_ms - part.start_ms for part in page.stretches)
    # A head refresh is a few bars long and says nothing of how far one page can reach.
    return span_ms if fetch.kind == "tail" else max(span_ms, facts.page_span_ms or 0)


def _find_interval(facts: SeriesFacts, fetch: Fetch, page: Page) -> int | None:
    """Return the shortest time between the newest rates: never too long, whether they get faster or slower."""
    if fetch.kind == "tail" and facts.interval_ms is not None:
        return facts.interval_ms
    times = [row[0] for row in page.rows[-NEWEST_RATES:]]
    if fetch.target == "head" and facts.end_ms is not None and times and times[0] > facts.end_ms - 1:
        times.insert(0, facts.end_ms - 1)
    return min((later - earlier for earlier, later in pairwise(times)), default=facts.interval_ms)
