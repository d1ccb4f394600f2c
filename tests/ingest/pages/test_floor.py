"""A history ends only with two independent grounds; one bad page never ends it."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS
from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import INTEREST_RATE
from series_pipelines.ingest.pages.check import Page
from series_pipelines.ingest.pages.floor import APART_MS, RECHECK_MS, Floor, prove_floor
from series_pipelines.ingest.planning.cadence import Cadence, bar_cadence, instant_cadence
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.planning.requests import Fetch
from tests.support.bars import make_bar

NOW_MS = 1_700_000_000_000
START_MS = 100 * HOUR_MS
BLANK = dict.fromkeys(SeriesFacts._fields) | {"series_id": "DEMO/A/PT1M", "cap_key": "c"}
BLANK |= {"head_misses": 0, "start_misses": 0, "gap_misses": 0, "failures": 0, "floor_grounds": ()}
MINUTE_BARS = bar_cadence("PT1M", 0)
PAGED_BARS = bar_cadence("PT1M", 0, 100)
EMPTY = Page([], None, 0)
ASK = Fetch("tail", "start", START_MS + MINUTE_MS, "")
PROBE_BACK = Fetch("tail", "start", START_MS, "")
PROBE_OLDEST = Fetch("tail", "start", 0, "", "forward")


def make_facts(**known: Any) -> SeriesFacts:
    return SeriesFacts(**{**BLANK, "start_ms": START_MS, "end_ms": 200 * HOUR_MS, **known})


def make_page(start_ms: int, rows: int = 1) -> Page:
    times = [start_ms + index * MINUTE_MS for index in range(rows)]
    bars = [make_bar(time_ms, time_ms + MINUTE_MS, "1", "1", "1", "1", "1") for time_ms in times]
    return Page(bars, Range(start_ms, times[-1] + MINUTE_MS), rows)


def prove(facts: SeriesFacts, fetch: Fetch, page: Page, cadence: Cadence = MINUTE_BARS, now_ms: int = NOW_MS) -> Floor:
    return prove_floor(facts, fetch, page, cadence, now_ms)


def learn(facts: SeriesFacts, floor: Floor) -> SeriesFacts:
    return facts._replace(
        floor_ms=floor.time_ms,
        floor_kind=floor.kind,
        floor_grounds=floor.grounds,
        nothing_earlier_ms=floor.nothing_earlier_ms,
        recheck_ms=floor.recheck_ms,
    )


@pytest.mark.parametrize("page", [EMPTY, make_page(START_MS)], ids=["empty", "only what is known"])
def test_answers_apart_in_time_are_one_ground_and_a_probe_the_second(page: Page) -> None:
    facts = learn(make_facts(), prove(make_facts(), ASK, page))
    assert (facts.floor_grounds, facts.nothing_earlier_ms, facts.floor_ms) == ((), NOW_MS, None)

    soon = prove(facts, ASK, page, now_ms=NOW_MS + APART_MS - 1)
    assert (soon.grounds, soon.time_ms) == ((), None)

    facts = learn(facts, prove(facts, ASK, page, now_ms=NOW_MS + APART_MS))
    assert (facts.floor_grounds, facts.floor_ms) == (("empty",), None)

    proven = prove(facts, PROBE_BACK, EMPTY, now_ms=NOW_MS + APART_MS)
    assert (proven.grounds, proven.time_ms, proven.kind) == (("empty", "probe"), START_MS, "listing")
    assert proven.recheck_ms == NOW_MS + APART_MS + RECHECK_MS


def test_the_listing_date_alone_proves_nothing() -> None:
    facts = make_facts(listed_ms=START_MS)
    assert prove(facts, ASK, make_page(START_MS)).grounds == ("listing",)
    assert prove(facts, PROBE_BACK, EMPTY).time_ms == START_MS


def test_a_page_with_room_for_more_that_begins_at_the_listing_proves_it_at_once() -> None:
    facts = make_facts(listed_ms=90 * HOUR_MS)
    ask = Fetch("tail", "start", 90 * HOUR_MS + 50 * MINUTE_MS, "")
    floor = prove(facts, ask, make_page(90 * HOUR_MS, 50), PAGED_BARS)
    assert (floor.time_ms, floor.kind, floor.grounds) == (90 * HOUR_MS, "listing", ("listing", "probe"))
    full = Fetch("tail", "start", 90 * HOUR_MS + 100 * MINUTE_MS, "")
    assert prove(facts, full, make_page(90 * HOUR_MS, 100), PAGED_BARS).grounds == ("listing",)


@pytest.mark.parametrize("listed_ms", [START_MS - MINUTE_MS, START_MS + MINUTE_MS, START_MS + DAY_MS])
def test_a_listing_date_that_is_not_where_the_first_row_is_is_no_ground(listed_ms: int) -> None:
    assert prove(make_facts(listed_ms=listed_ms), ASK, make_page(START_MS)).grounds == ()


def test_a_coarser_duration_that_begins_there_is_a_ground() -> None:
    facts = make_facts(coarser_start_ms=START_MS - 4 * HOUR_MS, coarser_bar_ms=DAY_MS)
    assert prove(facts, ASK, make_page(START_MS)).grounds == ("coarser",)
    assert prove(facts, PROBE_BACK, EMPTY).kind == "listing"


def test_a_coarser_duration_that_begins_earlier_tells_that_older_bars_are_not_kept() -> None:
    facts = make_facts(coarser_start_ms=START_MS - 3 * DAY_MS, coarser_bar_ms=DAY_MS, floor_grounds=("empty",))
    floor = prove(facts, PROBE_BACK, EMPTY)
    assert (floor.kind, floor.grounds) == ("retention", ("empty", "probe"))


@pytest.mark.parametrize(
    ("listed_ms", "cadence", "kind"),
    [
        (None, MINUTE_BARS, "listing"),
        (START_MS - DAY_MS, MINUTE_BARS, "listing"),
        (START_MS - DAY_MS - 1, MINUTE_BARS, "retention"),
        (0, MINUTE_BARS, "retention"),
        (0, bar_cadence("P1W", 0), "listing"),
    ],
)
def test_a_floor_far_from_the_listing_is_retention(listed_ms: int | None, cadence: Cadence, kind: str) -> None:
    facts = make_facts(listed_ms=listed_ms, floor_grounds=("empty",))
    assert prove(facts, PROBE_BACK, EMPTY, cadence).kind == kind


def test_the_oldest_page_is_a_forward_vendors_probe() -> None:
    facts = make_facts(floor_grounds=("empty",))
    assert prove(facts, PROBE_OLDEST, make_page(START_MS)).time_ms == START_MS
    near = Fetch("tail", "start", START_MS - MINUTE_MS + 1, "", "forward")
    assert prove(facts, near, make_page(START_MS)).time_ms is None


@pytest.mark.parametrize("start_ms", [START_MS, None], ids=["tail", "first page"])
def test_a_forward_answer_from_later_than_the_oldest_time_may_have_met_an_outage(start_ms: int | None) -> None:
    later = Fetch("tail", "start", START_MS - DAY_MS, "", "forward")
    assert prove(make_facts(start_ms=start_ms), later, make_page(START_MS)).grounds == ()
    listed = make_facts(start_ms=start_ms, listed_ms=START_MS - DAY_MS + MINUTE_MS)
    assert prove(listed, later, make_page(START_MS)).grounds == ("probe",)


def test_a_full_page_of_fast_rates_is_no_probe_however_short_its_time() -> None:
    cadence = instant_cadence(INTEREST_RATE, 0, HOUR_MS, 3)
    rates = [(START_MS - hour * HOUR_MS, "1", "1", None) for hour in (3, 2, 1)]
    page = Page(rates, Range(rates[0][0], rates[-1][0] + 1), 3)
    assert prove(make_facts(), ASK, page, cadence).grounds == ()
    assert prove(make_facts(), ASK, Page(rates[1:], Range(rates[1][0], rates[-1][0] + 1), 2), cadence).grounds == (
        "probe",
    )


def test_data_from_before_a_floor_takes_it_away() -> None:
    facts = make_facts(floor_ms=START_MS, floor_kind="listing", floor_grounds=("empty", "probe"), recheck_ms=NOW_MS)
    floor = prove(facts, PROBE_BACK, make_page(START_MS - HOUR_MS, 100), PAGED_BARS)
    assert floor == Floor(None, None, (), None, None)


def test_a_floor_that_is_verified_again_is_due_a_week_later() -> None:
    facts = make_facts(floor_ms=START_MS, floor_kind="listing", floor_grounds=("empty", "probe"), recheck_ms=NOW_MS)
    floor = prove(facts, PROBE_BACK, EMPTY)
    assert (floor.time_ms, floor.recheck_ms) == (START_MS, NOW_MS + RECHECK_MS)
    sooner = prove_floor(facts, PROBE_BACK, EMPTY, MINUTE_BARS, NOW_MS, recheck_after_ms=HOUR_MS)
    assert sooner == replace(floor, recheck_ms=NOW_MS + HOUR_MS)


@given(st.lists(st.sampled_from([EMPTY, make_page(START_MS)]), min_size=1, max_size=6))
def test_no_number_of_answers_to_the_same_request_is_two_grounds(pages: list[Page]) -> None:
    facts = make_facts()
    for number, page in enumerate(pages):
        facts = learn(facts, prove(facts, ASK, page, now_ms=NOW_MS + number * APART_MS))
    assert facts.floor_ms is None
