"""Coverage as numbers and as a bar: never complete while anything is missing."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS
from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import INTEREST_RATE
from series_pipelines.core.times import parse_time
from series_pipelines.ingest.planning.cadence import Cadence, bar_cadence, instant_cadence
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.standing.coverage import draw_bar, find_knowable_end, measure_coverage

BLANK = dict.fromkeys(SeriesFacts._fields) | {"series_id": "a", "cap_key": "c"}
BLANK |= {"head_misses": 0, "start_misses": 0, "gap_misses": 0, "failures": 0, "floor_grounds": ()}
RANGES = st.lists(st.integers(0, 399).map(lambda n: Range(n // 10, n // 10 + n % 10 + 1)), max_size=6)
TIMES = st.none() | st.integers(0, 60)
SHADES = " ░▒▓█"
ANYTIME = instant_cadence(INTEREST_RATE, 0, interval_ms=1)
"""Of a series of which something may be new at any moment."""
GRACE_MS = 2_000


def make_facts(**known: Any) -> SeriesFacts:
    return SeriesFacts(**{**BLANK, **known})


def list_covered(ranges: list[Range]) -> set[int]:
    return {moment for start, end in ranges for moment in range(start, end)}


@given(RANGES, TIMES, TIMES, TIMES, st.integers(1, 60))
@settings(max_examples=100, deadline=None)
def test_numbers_agree_with_counting_moments(
    ranges: list[Range], floor_ms: int | None, listed_ms: int | None, delisted_ms: int | None, now_ms: int
) -> None:
    facts = make_facts(floor_ms=floor_ms, listed_ms=listed_ms, delisted_ms=delisted_ms)

    coverage = measure_coverage(facts, ANYTIME, ranges, now_ms)

    covered = list_covered(ranges)
    if coverage.union is None:
        assert not covered
        assert coverage.lag_ms is None
    else:
        assert coverage.union == (min(covered), max(covered) + 1)
    if coverage.life is None:
        assert (coverage.covered_ms, coverage.percent) == (0, 0.0)
        return
    alive = set(range(*coverage.life))
    assert coverage.covered_ms == len(alive & covered)
    assert 0.0 <= coverage.percent <= 100.0
    assert (coverage.percent == 100.0) == (alive <= covered)


@pytest.mark.parametrize(
    ("known", "life"),
    [
        ({}, (10, 100)),
        ({"listed_ms": 5}, (5, 100)),
        ({"listed_ms": 15}, (10, 100)),
        ({"listed_ms": 5, "floor_ms": 10}, (10, 100)),
        ({"floor_ms": 0}, (0, 100)),
        ({"delisted_ms": 60}, (10, 60)),
        ({"delisted_ms": 600}, (10, 100)),
    ],
    ids=["stored only", "listed before", "listed after the first row", "floor", "floor at zero", "delisted", "will be"],
)
def test_a_series_lives_from_its_floor_or_first_known_time_to_now_or_its_delisting(
    known: dict[str, int], life: tuple[int, int]
) -> None:
    assert measure_coverage(make_facts(**known), ANYTIME, [Range(10, 90)], now_ms=100).life == life


def test_a_series_with_nothing_stored_covers_nothing_of_its_life() -> None:
    coverage = measure_coverage(make_facts(listed_ms=10), ANYTIME, [], now_ms=110)

    assert (coverage.life, coverage.union, coverage.covered_ms) == ((10, 110), None, 0)
    assert (coverage.percent, coverage.gaps, coverage.lag_ms) == (0.0, (), None)


def test_a_series_that_is_not_known_to_live_has_no_life() -> None:
    for facts in (make_facts(), make_facts(listed_ms=200)):
        coverage = measure_coverage(facts, ANYTIME, [], now_ms=100)
        assert (coverage.life, coverage.percent) == (None, 0.0)


def test_lag_is_measured_to_now_or_the_delisting_and_is_never_negative() -> None:
    covered = [Range(0, 50)]

    assert measure_coverage(make_facts(), ANYTIME, covered, now_ms=80).lag_ms == 30
    assert measure_coverage(make_facts(delisted_ms=60), ANYTIME, covered, now_ms=80).lag_ms == 10
    assert measure_coverage(make_facts(delisted_ms=40), ANYTIME, covered, now_ms=80).lag_ms == 0


def test_one_missing_millisecond_of_years_is_not_complete() -> None:
    years_ms = 10 * 365 * 86_400_000
    coverage = measure_coverage(make_facts(floor_ms=0), ANYTIME, [Range(0, 5), Range(6, years_ms)], years_ms)

    assert coverage.percent == 99.99
    assert f"{coverage.percent:.2f}" != "100.00"
    assert coverage.gaps == (Range(5, 6),)


def test_gaps_are_strict_and_oldest_first() -> None:
    ranges = [Range(40, 50), Range(0, 10), Range(10, 20), Range(30, 35), Range(31, 32)]

    assert measure_coverage(make_facts(), ANYTIME, ranges, 50).gaps == (Range(20, 30), Range(35, 40))


@given(RANGES, st.integers(0, 20), st.integers(1, 60), st.integers(1, 80))
@settings(max_examples=100, deadline=None)
def test_a_bar_has_its_width_and_darkens_with_what_is_covered(
    ranges: list[Range], start: int, length: int, width: int
) -> None:
    life = Range(start, start + length)
    bar = draw_bar(ranges, life, width)
    fuller = draw_bar([*ranges, Range(start + length // 3, start + length // 3 + 5)], life, width)

    assert len(bar) == width
    assert set(bar) <= set(SHADES)
    assert all(SHADES.index(one) <= SHADES.index(other) for one, other in zip(bar, fuller, strict=True))
    assert ("█" * width == bar) == (set(range(*life)) <= list_covered(ranges))


def test_a_bar_reads_from_the_oldest_to_now() -> None:
    assert draw_bar([Range(0, 50)], Range(0, 100), 4) == "██  "
    assert draw_bar([Range(60, 100)], Range(0, 100), 5) == "   ██"


def test_a_cell_shows_how_much_of_it_is_covered() -> None:
    shares = [draw_bar([Range(0, covered)], Range(0, 100), 1) for covered in (1, 25, 26, 50, 51, 75, 76, 99, 100)]

    assert "".join(shares) == "░░▒▒▓▓▓▓█"


def test_a_cell_is_full_only_when_nothing_is_missing_and_blank_only_when_nothing_is_covered() -> None:
    year_ms = 365 * 86_400_000

    assert draw_bar([Range(1, year_ms)], Range(0, year_ms), 1) == "▓"
    assert draw_bar([Range(0, 1)], Range(0, year_ms), 1) == "░"
    assert draw_bar([], Range(0, year_ms), 3) == "   "


def test_a_life_shorter_than_the_bar_is_stretched() -> None:
    assert draw_bar([Range(0, 1)], Range(0, 2), 4) == "██  "


NOON_MS = parse_time("2026-11-18T12:00Z")
CLOSED_LAST = [
    *(("PT1M", "2026-11-18T12:00:00Z"), ("PT1H", "2026-11-18T12:00:00Z"), ("P1D", "2026-11-18")),
    *(("P1W", "2026-11-16"), ("P1M", "2026-11-01"), ("P3M", "2026-10-01")),
]


@pytest.mark.parametrize(("duration", "closed"), CLOSED_LAST)
@pytest.mark.parametrize("is_stored", [True, False])
def test_only_bars_that_have_closed_can_be_known(duration: str, closed: str, is_stored: bool) -> None:
    cadence, closed_ms = bar_cadence(duration, GRACE_MS), parse_time(closed)
    assert cadence.duration is not None
    before_ms = cadence.duration.start_of_bar(closed_ms - 1)
    stored_ms = before_ms if is_stored else None

    assert find_knowable_end(cadence, NOON_MS + GRACE_MS, stored_ms) == closed_ms
    assert find_knowable_end(cadence, closed_ms + GRACE_MS, stored_ms) == closed_ms
    assert find_knowable_end(cadence, closed_ms + GRACE_MS - 1, stored_ms) == before_ms


@pytest.mark.parametrize(
    ("duration", "stored", "now", "knowable"),
    [
        ("P1D", "2026-11-10T16:00Z", "2026-11-18T12:00Z", "2026-11-17T16:00Z"),
        ("P1D", "2026-11-10T16:00Z", "2026-11-18T17:00Z", "2026-11-18T16:00Z"),
        ("P1W", "2026-11-01T16:00Z", "2026-11-18T12:00Z", "2026-11-15T16:00Z"),
        ("P1M", "2026-01-31T16:00Z", "2026-06-10T00:00Z", "2026-05-31T16:00Z"),
        ("P1M", "2020-01-01", "2026-11-18", "2026-11-01"),
    ],
)
def test_bars_go_on_in_the_steps_in_which_they_are_stored(duration: str, stored: str, now: str, knowable: str) -> None:
    cadence = bar_cadence(duration, GRACE_MS)

    assert find_knowable_end(cadence, parse_time(now), parse_time(stored)) == parse_time(knowable)


@pytest.mark.parametrize("interval_ms", [HOUR_MS, 8 * HOUR_MS])
def test_of_rates_nothing_is_missing_until_the_next_one_is_due(interval_ms: int) -> None:
    cadence, end_ms = instant_cadence(INTEREST_RATE, GRACE_MS, interval_ms), NOON_MS + 1
    due_ms = end_ms + interval_ms + GRACE_MS

    assert find_knowable_end(cadence, due_ms, end_ms) == end_ms
    assert find_knowable_end(cadence, due_ms + 1, end_ms) == due_ms + 1
    assert find_knowable_end(cadence, NOON_MS, None) == NOON_MS


def test_what_a_vendor_gave_before_our_clock_came_there_is_known_and_nothing_is_behind() -> None:
    minutes = bar_cadence("PT1M", GRACE_MS)

    assert find_knowable_end(minutes, NOON_MS - 500, NOON_MS) == NOON_MS - 500
    assert find_knowable_end(instant_cadence(INTEREST_RATE, GRACE_MS), NOON_MS - 500, NOON_MS) == NOON_MS - 500


HEALTHY = [
    *((bar_cadence(text, GRACE_MS), parse_time(closed)) for text, closed in CLOSED_LAST),
    (instant_cadence(INTEREST_RATE, GRACE_MS, HOUR_MS), NOON_MS - 50 * MINUTE_MS),
    (instant_cadence(INTEREST_RATE, GRACE_MS, 8 * HOUR_MS), NOON_MS - 7 * HOUR_MS),
]


@pytest.mark.parametrize(("cadence", "end_ms"), HEALTHY)
def test_a_series_that_has_all_there_can_be_is_complete(cadence: Cadence, end_ms: int) -> None:
    stored = [Range(end_ms - 400 * DAY_MS, end_ms)]
    facts = make_facts(start_ms=stored[0].start_ms, end_ms=end_ms, floor_ms=stored[0].start_ms)

    coverage = measure_coverage(facts, cadence, stored, NOON_MS + GRACE_MS)

    assert (coverage.percent, coverage.lag_ms, coverage.unknown_ms) == (100.0, 0, 0)
    assert coverage.kinds == {"data": 400 * DAY_MS}
    assert coverage.life is not None
    assert draw_bar(stored, coverage.life, 5) == "█████"


def test_bars_that_closed_and_are_not_stored_are_lag_and_unknown_alike() -> None:
    end_ms = NOON_MS - 3 * HOUR_MS
    stored = [Range(end_ms - DAY_MS, end_ms)]
    facts = make_facts(end_ms=end_ms, floor_ms=end_ms - DAY_MS)

    coverage = measure_coverage(facts, bar_cadence("PT1H", GRACE_MS), stored, NOON_MS + 59 * MINUTE_MS)

    assert (coverage.lag_ms, coverage.unknown_ms, coverage.behind_ms) == (3 * HOUR_MS, 3 * HOUR_MS, 0)
    assert round(coverage.percent, 2) == 88.89


@pytest.mark.parametrize(("head_misses", "percent"), [(0, 99.8), (2, 100.0)])
def test_a_delisted_series_is_complete_once_its_vendor_has_given_all(head_misses: int, percent: float) -> None:
    end_ms, delisted_ms = NOON_MS - 100 * HOUR_MS, NOON_MS - 97 * HOUR_MS
    stored = [Range(end_ms - 1500 * HOUR_MS, end_ms)]
    known = {"floor_ms": stored[0].start_ms, "end_ms": end_ms, "delisted_ms": delisted_ms, "head_misses": head_misses}
    facts = make_facts(**known, head_attempted_ms=NOON_MS)

    coverage = measure_coverage(facts, bar_cadence("PT1H", GRACE_MS), stored, NOON_MS)

    assert round(coverage.percent, 1) == percent
    assert (coverage.lag_ms == 0, coverage.unknown_ms == 0) == (percent == 100.0, percent == 100.0)
