"""What an attempt means: progress, backoff, floors. A failure proves nothing."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS
from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import INTEREST_RATE
from series_pipelines.ingest.pages.check import Page
from series_pipelines.ingest.pages.floor import keep_floor
from series_pipelines.ingest.pages.outcome import (
    FAILURES_OF_A_DAY,
    MISSES_OF_A_DAY,
    Outcome,
    grow_backoff,
    has_moved,
    has_stood_still,
    judge_failure,
    judge_page,
    judge_pause,
)
from series_pipelines.ingest.planning.cadence import Cadence, bar_cadence, instant_cadence
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.planning.requests import Fetch

NOW_MS = 1_700_000_000_000
MINUTE_BARS = bar_cadence("PT1M", 0)
BLANK = dict.fromkeys(SeriesFacts._fields) | {"series_id": "DEMO/A/PT1M", "cap_key": "c"}
BLANK |= {"head_misses": 0, "start_misses": 0, "gap_misses": 0, "failures": 0, "floor_grounds": ()}

HEAD = Fetch("head", "head", 0, "")
GAP = Fetch("tail", "gap", 0, "")
START = Fetch("tail", "start", 0, "")
FETCHES = [HEAD, GAP, START]
EMPTY = Page([], None, 0)
FORMING = Page([], None, 1, forming=1)
COVERED = {"start_ms": 100 * HOUR_MS, "end_ms": 200 * HOUR_MS}
WITH_GAP = COVERED | {"gap_start_ms": 120 * HOUR_MS, "gap_end_ms": 150 * HOUR_MS}
MISSES = {"head": "head_misses", "gap": "gap_misses", "start": "start_misses"}


def make_facts(**known: Any) -> SeriesFacts:
    return SeriesFacts(**{**BLANK, **known})


def make_page(start_hour: float, end_hour: float) -> Page:
    covered = Range(int(start_hour * HOUR_MS), int(end_hour * HOUR_MS))
    return Page([(covered.start_ms, "1", "1", None)], covered, 1)


def settle(facts: SeriesFacts, fetch: Fetch, page: Page, cadence: Cadence = MINUTE_BARS) -> Outcome:
    return judge_page(facts, fetch, page, cadence, NOW_MS)


def wait_after(fetch: Fetch, misses_before: int, cadence: Cadence = MINUTE_BARS, page: Page = EMPTY) -> int:
    facts = make_facts(**WITH_GAP, **{MISSES[fetch.target]: misses_before})
    return find_wait(settle(facts, fetch, page, cadence))


def find_wait(outcome: Outcome) -> int:
    assert outcome.eligible_ms is not None
    return outcome.eligible_ms - NOW_MS


@pytest.mark.parametrize(
    ("fetch", "start", "end", "moved"),
    [
        (HEAD, 199, 201, True),
        (HEAD, 199, 200, False),
        (HEAD, 10, 20, False),
        (START, 99, 101, True),
        (START, 100, 101, False),
        (START, 90, 95, True),
        (START, 300, 301, False),
        (GAP, 140, 151, True),
        (GAP, 119, 121, True),
        (GAP, 119, 151, True),
        (GAP, 140, 150, True),
        (GAP, 120, 121, True),
        (GAP, 130, 140, True),
        (GAP, 150, 160, False),
        (GAP, 110, 120, False),
        (GAP, 160, 170, False),
    ],
)
def test_only_a_page_that_moves_its_own_frontier_is_progress(fetch: Fetch, start: int, end: int, moved: bool) -> None:
    facts = make_facts(**WITH_GAP, head_misses=5, start_misses=5, gap_misses=5)

    outcome = settle(facts, fetch, make_page(start, end))

    assert outcome.moved == moved
    assert outcome.misses == (0 if moved else 6)
    assert (outcome.eligible_ms is None) == moved


def test_a_first_page_is_progress_of_the_head() -> None:
    assert has_moved(make_facts(), HEAD, [Range(1, 2)])


def test_a_gap_that_is_no_longer_there_can_not_move() -> None:
    assert not has_moved(make_facts(**COVERED), GAP, [Range(1, 2)])


@pytest.mark.parametrize("page", [EMPTY, FORMING], ids=["empty", "only a forming bar"])
@pytest.mark.parametrize("fetch", FETCHES, ids=lambda fetch: fetch.target)
def test_a_page_without_closed_rows_is_a_miss(fetch: Fetch, page: Page) -> None:
    outcome = settle(make_facts(**WITH_GAP), fetch, page)

    assert (outcome.moved, outcome.misses, outcome.failures, outcome.error) == (False, 1, 0, None)
    assert outcome.eligible_ms is not None
    assert outcome.eligible_ms > NOW_MS


@pytest.mark.parametrize("fetch", FETCHES, ids=lambda fetch: fetch.target)
def test_misses_are_counted_for_what_the_attempt_was_for(fetch: Fetch) -> None:
    facts = make_facts(**WITH_GAP, head_misses=10, gap_misses=20, start_misses=30)

    assert settle(facts, fetch, EMPTY).misses == {"head": 11, "gap": 21, "start": 31}[fetch.target]


def test_the_head_of_minute_bars_waits_fifteen_seconds_and_doubles_to_fifteen_minutes() -> None:
    waits = [wait_after(HEAD, misses) for misses in (0, 1, 2, 5, 6, 7, 1_000)]

    assert waits == [15_000, 30_000, 60_000, 480_000, 15 * MINUTE_MS, 15 * MINUTE_MS, 15 * MINUTE_MS]


@pytest.mark.parametrize(
    ("cadence", "first_ms", "most_ms"),
    [
        (bar_cadence("PT5M", 0), 75_000, 15 * MINUTE_MS),
        (bar_cadence("PT1H", 0), 15 * MINUTE_MS, 30 * MINUTE_MS),
        (bar_cadence("P1D", 0), 15 * MINUTE_MS, 12 * HOUR_MS),
        (instant_cadence(INTEREST_RATE, 0), 15 * MINUTE_MS, 30 * MINUTE_MS),
    ],
    ids=["PT5M", "PT1H", "P1D", "rates"],
)
def test_the_head_of_longer_bars_waits_longer(cadence: Cadence, first_ms: int, most_ms: int) -> None:
    assert wait_after(HEAD, 0, cadence) == first_ms
    assert wait_after(HEAD, 1_000, cadence) == most_ms


@pytest.mark.parametrize("fetch", [GAP, START], ids=["gap", "start"])
def test_a_tail_waits_ten_minutes_and_doubles_to_six_hours(fetch: Fetch) -> None:
    waits = [wait_after(fetch, misses) // MINUTE_MS for misses in (0, 1, 2, 4, 5, 6, 1_000)]

    assert waits == [10, 20, 40, 160, 320, 360, 360]


@given(
    st.sampled_from(FETCHES),
    st.integers(0, 100),
    st.sampled_from([MINUTE_BARS, bar_cadence("P1M", 0), instant_cadence(INTEREST_RATE, 0)]),
    st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_a_wait_never_shrinks_while_misses_grow(fetch: Fetch, misses: int, cadence: Cadence, empty: bool) -> None:
    page = EMPTY if empty else FORMING

    assert 15_000 <= wait_after(fetch, misses, cadence, page) <= wait_after(fetch, misses + 1, cadence, page)


def test_a_failure_waits_fifteen_seconds_and_doubles_to_an_hour() -> None:
    waits = [find_wait(judge_failure(make_facts(failures=n), HEAD, "", NOW_MS)) for n in (0, 1, 2, 7, 8, 99)]

    assert waits == [15_000, 30_000, 60_000, 1_920_000, HOUR_MS, HOUR_MS]


@pytest.mark.parametrize("fetch", FETCHES, ids=lambda fetch: fetch.target)
def test_a_failure_is_not_a_miss_and_proves_no_floor_however_often_it_happens(fetch: Fetch) -> None:
    facts = make_facts(**WITH_GAP, head_misses=1, start_misses=1, gap_misses=1, page_span_ms=77)
    for count in range(1, 50):
        outcome = judge_failure(facts, fetch, "malformed body", NOW_MS)
        assert (outcome.moved, outcome.misses, outcome.failures) == (False, 1, count)
        assert (outcome.floor, outcome.page_span_ms) == (keep_floor(facts), 77)
        assert outcome.error == "malformed body"
        facts = facts._replace(failures=outcome.failures)


def test_a_failure_keeps_a_floor_that_is_proven() -> None:
    facts = make_facts(**COVERED, floor_ms=COVERED["start_ms"], floor_kind="retention")
    outcome = judge_failure(facts, HEAD, "", NOW_MS)

    assert (outcome.floor.time_ms, outcome.floor.kind) == (COVERED["start_ms"], "retention")


@pytest.mark.parametrize("page", [EMPTY, make_page(90, 101)], ids=["empty", "progress"])
def test_a_well_formed_page_ends_the_failures(page: Page) -> None:
    outcome = settle(make_facts(**COVERED, failures=7), START, page)

    assert (outcome.failures, outcome.error) == (0, None)


@pytest.mark.parametrize("fetch", FETCHES, ids=lambda fetch: fetch.target)
def test_a_paused_capability_changes_nothing_of_its_series_but_the_error(fetch: Fetch) -> None:
    known = {"failures": 4, "page_span_ms": 5, "floor_ms": 6, "floor_kind": "listing"}
    misses = {"head_misses": 1, "gap_misses": 2, "start_misses": 3}
    eligible = {"head_eligible_ms": 11, "gap_eligible_ms": 12, "start_eligible_ms": 13}
    facts = make_facts(**WITH_GAP, **known, **misses, **eligible)

    outcome = judge_pause(facts, fetch, "429")

    position = [each.target for each in FETCHES].index(fetch.target)
    assert outcome == Outcome(False, 1 + position, 4, 11 + position, 5, keep_floor(facts), "429")
    assert outcome.floor.time_ms == 6


@pytest.mark.parametrize("fetch", [HEAD, GAP], ids=["head", "gap"])
@pytest.mark.parametrize("page", [EMPTY, make_page(160, 161)], ids=["empty", "no progress"])
def test_a_miss_at_the_head_or_a_gap_says_nothing_about_the_start(fetch: Fetch, page: Page) -> None:
    facts = make_facts(**WITH_GAP)

    assert settle(facts, fetch, page).floor == keep_floor(facts)


def test_a_probe_follows_its_ground_at_once_but_is_not_repeated_without_a_pause() -> None:
    facts = make_facts(**COVERED, listed_ms=COVERED["start_ms"])
    ask = Fetch("tail", "start", COVERED["start_ms"] + MINUTE_MS, "")
    first = settle(facts, ask, make_page(100, 101))
    assert (first.floor.grounds, first.floor.time_ms, first.eligible_ms) == (("listing",), None, None)

    deaf = settle(facts._replace(floor_grounds=first.floor.grounds), ask, make_page(100, 101))
    assert deaf.eligible_ms is not None


@pytest.mark.parametrize(
    ("fetch", "known_hours", "page", "hours"),
    [
        (HEAD, None, make_page(195, 201), 6),
        (HEAD, 50, make_page(195, 201), 50),
        (HEAD, 2, make_page(195, 201), 6),
        (START, 50, make_page(90, 101), 11),
        (START, None, make_page(90, 101), 11),
        (GAP, 50, make_page(140, 151), 11),
        (START, 50, EMPTY, 50),
        (HEAD, 50, EMPTY, 50),
        (START, None, FORMING, None),
    ],
    ids=[
        *("a first head", "a short head refresh", "a longer head", "a tail", "a first tail", "a gap"),
        *("an empty tail", "an empty head", "a forming bar"),
    ],
)
def test_the_window_is_the_last_tail_page_or_the_longest_head(
    fetch: Fetch, known_hours: int | None, page: Page, hours: int | None
) -> None:
    facts = make_facts(**WITH_GAP, page_span_ms=known_hours and known_hours * HOUR_MS)

    assert settle(facts, fetch, page).page_span_ms == (hours and hours * HOUR_MS)


def test_a_capability_backs_off_five_seconds_more_each_time_up_to_five_minutes() -> None:
    backoff_ms, seen = 0, []
    for _ in range(62):
        backoff_ms = grow_backoff(backoff_ms)
        seen.append(backoff_ms)

    assert seen == [min(5_000 * n, 300_000) for n in range(1, 63)]


def make_rates(*hours: float) -> Page:
    times = [int(hour * HOUR_MS) for hour in hours]
    covered = Range(times[0], times[-1] + 1) if times else None
    return Page([(time_ms, "0", "0", None) for time_ms in times], covered, len(times))


@pytest.mark.parametrize(
    ("hours", "interval_hours"),
    [
        ((176, 184, 192, 200), 8),
        ((176, 184, 192, 196), 4),
        ((192, 196, 200, 201), 1),
        ((197, 198, 199, 200, 208), 1),
        ((200, 208, 216, 224), 8),
        ((1, 2, 3, 4, 192, 200, 208, 216), 8),
    ],
)
def test_the_interval_is_the_shortest_of_the_newest_ones_seen(hours: tuple[float, ...], interval_hours: int) -> None:
    outcome = settle(make_facts(interval_ms=3 * HOUR_MS), HEAD, make_rates(*hours), instant_cadence(INTEREST_RATE, 0))
    assert outcome.interval_ms == interval_hours * HOUR_MS


def test_one_new_rate_tells_its_interval_from_what_is_stored() -> None:
    facts = make_facts(start_ms=100 * HOUR_MS, end_ms=200 * HOUR_MS + 1, interval_ms=8 * HOUR_MS)
    assert settle(facts, HEAD, make_rates(204), instant_cadence(INTEREST_RATE, 0)).interval_ms == 4 * HOUR_MS


def test_history_bars_and_failures_leave_the_interval_as_it_is() -> None:
    facts = make_facts(**WITH_GAP, interval_ms=4 * HOUR_MS)
    assert settle(facts, START, make_rates(50, 58, 66), instant_cadence(INTEREST_RATE, 0)).interval_ms == 4 * HOUR_MS
    assert settle(facts, HEAD, make_rates(), instant_cadence(INTEREST_RATE, 0)).interval_ms == 4 * HOUR_MS
    assert judge_failure(facts, HEAD, "no", NOW_MS).interval_ms == 4 * HOUR_MS
    assert judge_pause(facts, HEAD, "no").interval_ms == 4 * HOUR_MS
    assert settle(make_facts(**COVERED), HEAD, make_page(199, 201)).interval_ms is None


@pytest.mark.parametrize(
    ("delisted_ms", "fetch", "is_rejected", "misses"),
    [
        (NOW_MS - 1, HEAD, True, 1),
        (NOW_MS - 1, HEAD, False, 0),
        (NOW_MS - 1, START, True, 0),
        (NOW_MS + 1, HEAD, True, 0),
        (None, HEAD, True, 0),
    ],
)
def test_only_a_rejected_head_of_a_delisted_product_counts_as_an_answer(
    delisted_ms: int | None, fetch: Fetch, is_rejected: bool, misses: int
) -> None:
    facts = make_facts(**COVERED, delisted_ms=delisted_ms)
    assert judge_failure(facts, fetch, "unknown symbol", NOW_MS, is_rejected=is_rejected).misses == misses


def test_so_many_misses_or_failures_in_a_row_take_a_day() -> None:
    missing_ms = [wait_after(GAP, misses) for misses in range(MISSES_OF_A_DAY - 1)]
    assert sum(missing_ms[:-1]) < DAY_MS <= sum(missing_ms)
    failing_ms = [
        judge_failure(make_facts(failures=failures), START, "why", 0).eligible_ms or 0
        for failures in range(FAILURES_OF_A_DAY - 1)
    ]
    assert sum(failing_ms[:-1]) < DAY_MS <= sum(failing_ms)


@pytest.mark.parametrize(
    ("known", "stands_still"),
    [
        ({"start_misses": MISSES_OF_A_DAY}, True),
        ({"start_misses": MISSES_OF_A_DAY - 1}, False),
        ({"start_misses": MISSES_OF_A_DAY, "floor_ms": 100 * HOUR_MS}, False),
        ({"gap_misses": MISSES_OF_A_DAY}, False),
        ({"gap_misses": MISSES_OF_A_DAY, "gap_start_ms": 120 * HOUR_MS, "gap_end_ms": 150 * HOUR_MS}, True),
        ({"failures": FAILURES_OF_A_DAY}, True),
        ({"failures": FAILURES_OF_A_DAY - 1}, False),
    ],
)
def test_a_series_stands_still_when_a_day_of_asking_for_what_it_misses_brought_nothing(
    known: dict[str, int], stands_still: bool
) -> None:
    assert has_stood_still(make_facts(**COVERED, **known)) is stands_still
