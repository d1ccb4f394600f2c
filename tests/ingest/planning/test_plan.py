"""What is due, and which request serves it: anchors and overlaps, exactly."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS
from series_pipelines.core.ranges import Range, find_gaps, find_union, merge_overlapping
from series_pipelines.core.tables import INTEREST_RATE
from series_pipelines.ingest.pages.check import check_instant_page
from series_pipelines.ingest.pages.outcome import judge_page
from series_pipelines.ingest.planning.cadence import Cadence, bar_cadence, find_cadence, instant_cadence
from series_pipelines.ingest.planning.due import find_head_due, find_tail_due, is_at_floor
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.planning.requests import Fetch, find_overlap, narrow_to_window, plan_head, plan_tail

GRACE_MS = 1_000
NOW_MS = 1_700_000_000_000
MINUTE_BARS = bar_cadence("PT1M", GRACE_MS)
RATES = instant_cadence(INTEREST_RATE, GRACE_MS)
BLANK = dict.fromkeys(SeriesFacts._fields) | {"series_id": "DEMO/A/PT1M", "cap_key": "c"}
BLANK |= {"head_misses": 0, "start_misses": 0, "gap_misses": 0, "failures": 0, "floor_grounds": ()}
MOMENTS = st.integers(0, NOW_MS)


def make_facts(**known: Any) -> SeriesFacts:
    return SeriesFacts(**{**BLANK, **known})


def make_covered(ranges: list[Range], **known: Any) -> SeriesFacts:
    union, gaps = find_union(ranges), find_gaps(ranges)
    return make_facts(
        start_ms=union and union.start_ms,
        end_ms=union and union.end_ms,
        gap_start_ms=gaps[-1].start_ms if gaps else None,
        gap_end_ms=gaps[-1].end_ms if gaps else None,
        **known,
    )


def is_head_due(facts: SeriesFacts, cadence: Cadence, now_ms: int) -> bool:
    due_ms = find_head_due(facts, cadence)
    return due_ms is not None and due_ms <= now_ms


@pytest.mark.parametrize(
    ("text", "head_lag_ms", "overlap_ms"),
    [
        ("PT1M", MINUTE_MS, MINUTE_MS),
        ("PT5M", 5 * MINUTE_MS, 5 * MINUTE_MS),
        ("PT1H", HOUR_MS, HOUR_MS),
        ("PT4H", 4 * HOUR_MS, HOUR_MS),
        ("P1D", DAY_MS, HOUR_MS),
        ("P1W", WEEK_MS, HOUR_MS),
    ],
)
def test_bars_are_late_after_one_duration_and_overlap_one_duration_at_most_an_hour(
    text: str, head_lag_ms: int, overlap_ms: int
) -> None:
    cadence = bar_cadence(text, GRACE_MS)

    assert (cadence.head_lag_ms, cadence.overlap_ms, cadence.grace_ms) == (head_lag_ms, overlap_ms, GRACE_MS)


@pytest.mark.parametrize("interval_ms", [HOUR_MS, 4 * HOUR_MS, 8 * HOUR_MS])
def test_rates_are_late_by_the_interval_seen_last_and_overlap_an_hour(interval_ms: int) -> None:
    cadence = instant_cadence(INTEREST_RATE, GRACE_MS, interval_ms)
    assert (cadence.head_lag_ms, cadence.overlap_ms, cadence.duration) == (interval_ms, HOUR_MS, None)
    assert RATES.head_lag_ms == HOUR_MS


def test_a_series_id_says_its_cadence() -> None:
    assert find_cadence("ohlc_v2", "DEMO/SWAP/PT1H/PT5M", 7) == bar_cadence("PT5M", 7)
    assert find_cadence("interest_rate", "DEMO/SWAP/PT5M", 7, HOUR_MS) == instant_cadence(INTEREST_RATE, 7, HOUR_MS)


@pytest.mark.parametrize("cadence", [MINUTE_BARS, bar_cadence("PT4H", 0), RATES], ids=["PT1M", "PT4H", "rates"])
@given(lag_ms=st.integers(-DAY_MS, 2 * DAY_MS))
@settings(max_examples=100, deadline=None)
def test_a_head_is_due_exactly_when_what_can_be_closed_is_late(cadence: Cadence, lag_ms: int) -> None:
    facts = make_facts(start_ms=0, end_ms=NOW_MS - cadence.grace_ms - lag_ms)

    assert is_head_due(facts, cadence, NOW_MS) == (lag_ms > cadence.head_lag_ms)


@pytest.mark.parametrize("cadence", [MINUTE_BARS, bar_cadence("P1D", 5_000), RATES], ids=["PT1M", "P1D", "rates"])
def test_a_head_becomes_due_one_millisecond_after_its_lag(cadence: Cadence) -> None:
    facts = make_facts(start_ms=0, end_ms=NOW_MS)

    assert find_head_due(facts, cadence) == NOW_MS + cadence.grace_ms + cadence.head_lag_ms + 1


def test_a_series_with_nothing_stored_is_due_since_its_listing() -> None:
    assert find_head_due(make_facts(), MINUTE_BARS) == 0
    assert find_head_due(make_facts(listed_ms=NOW_MS), MINUTE_BARS) == NOW_MS
    assert find_head_due(make_facts(listed_ms=5, delisted_ms=6), MINUTE_BARS) == 5


def test_a_head_that_backs_off_is_due_when_it_may_be_tried_again() -> None:
    late = make_facts(start_ms=0, end_ms=NOW_MS - HOUR_MS)

    assert find_head_due(late._replace(head_eligible_ms=NOW_MS + 5), MINUTE_BARS) == NOW_MS + 5
    assert find_head_due(late._replace(head_eligible_ms=5), MINUTE_BARS) == find_head_due(late, MINUTE_BARS)
    assert find_head_due(make_facts(head_eligible_ms=9), MINUTE_BARS) == 9


@pytest.mark.parametrize(("missing_ms", "has_head"), [(-5, False), (0, False), (1, True), (MINUTE_MS, True)])
def test_a_delisted_product_has_a_head_until_it_gave_all_it_had(missing_ms: int, has_head: bool) -> None:
    facts = make_facts(start_ms=0, end_ms=NOW_MS - missing_ms, delisted_ms=NOW_MS)

    assert (find_head_due(facts, MINUTE_BARS) is not None) == has_head


@pytest.mark.parametrize(
    ("misses", "attempted_ms", "has_head"),
    [(1, NOW_MS + HOUR_MS, True), (2, NOW_MS + MINUTE_MS, True), (2, NOW_MS + MINUTE_MS + 1, False), (2, None, True)],
)
def test_two_answers_after_the_delisting_that_bring_nothing_end_its_head(
    misses: int, attempted_ms: int | None, has_head: bool
) -> None:
    facts = make_facts(start_ms=0, end_ms=NOW_MS - HOUR_MS, delisted_ms=NOW_MS)
    tried = facts._replace(head_misses=misses, head_attempted_ms=attempted_ms)

    assert (find_head_due(tried, MINUTE_BARS) is not None) == has_head


def test_a_backward_head_asks_for_the_newest_rows_now() -> None:
    for facts in (make_facts(), make_facts(start_ms=0, end_ms=NOW_MS - DAY_MS), make_facts(listed_ms=5)):
        fetch = plan_head(facts, MINUTE_BARS, "backward", NOW_MS)
        assert (fetch.kind, fetch.target, fetch.time_ms) == ("head", "head", NOW_MS)


@pytest.mark.parametrize(
    ("cadence", "overlap_ms"), [(MINUTE_BARS, MINUTE_MS), (bar_cadence("P1D", 0), HOUR_MS), (RATES, HOUR_MS)]
)
def test_a_forward_head_goes_on_from_the_end_less_the_overlap(cadence: Cadence, overlap_ms: int) -> None:
    end_ms = NOW_MS - WEEK_MS
    fetch = plan_head(make_facts(start_ms=0, end_ms=end_ms), cadence, "forward", NOW_MS)

    assert (fetch.kind, fetch.target, fetch.time_ms) == ("head", "head", end_ms - overlap_ms)


def test_a_request_is_never_before_the_epoch() -> None:
    facts = make_facts(start_ms=0, end_ms=MINUTE_MS // 2, gap_start_ms=10, gap_end_ms=20)

    assert plan_head(facts, MINUTE_BARS, "forward", NOW_MS).time_ms == 0
    assert plan_tail(facts, MINUTE_BARS, "forward", NOW_MS).time_ms == 0
    assert plan_tail(make_facts(start_ms=5, end_ms=9), MINUTE_BARS, "forward", NOW_MS).time_ms == 0


def test_a_first_forward_request_looks_one_step_back_and_doubles_with_each_miss() -> None:
    times = [plan_head(make_facts(head_misses=n), MINUTE_BARS, "forward", NOW_MS).time_ms for n in (0, 1, 2, 60)]

    assert times == [NOW_MS - DAY_MS, NOW_MS - 2 * DAY_MS, NOW_MS - 4 * DAY_MS, 0]


def test_a_first_forward_request_stays_inside_a_life_and_begins_a_finished_one_at_its_start() -> None:
    listed = make_facts(listed_ms=NOW_MS - HOUR_MS)
    delisted = make_facts(listed_ms=MINUTE_MS, delisted_ms=NOW_MS - WEEK_MS)

    assert plan_head(listed, MINUTE_BARS, "forward", NOW_MS).time_ms == NOW_MS - HOUR_MS - MINUTE_MS
    assert plan_head(delisted, MINUTE_BARS, "forward", NOW_MS).time_ms == 0


def test_a_first_forward_page_of_long_bars_looks_back_far_enough_for_closed_ones() -> None:
    for text in ("P1D", "P1W", "P1M"):
        cadence = bar_cadence(text, GRACE_MS)
        back_ms = NOW_MS - plan_head(make_facts(), cadence, "forward", NOW_MS).time_ms
        assert back_ms > 2 * cadence.bar_ms


@pytest.mark.parametrize(
    ("cadence", "page_span_ms", "overlap_ms"),
    [
        (MINUTE_BARS, None, MINUTE_MS),
        (MINUTE_BARS, MINUTE_MS + 1, MINUTE_MS),
        (MINUTE_BARS, MINUTE_MS, 0),
        (bar_cadence("PT4H", 0), None, HOUR_MS),
        (bar_cadence("PT4H", 0), 4 * HOUR_MS, HOUR_MS),
        (RATES, HOUR_MS + 1, HOUR_MS),
        (RATES, HOUR_MS, 0),
        (RATES, 1, 0),
    ],
)
def test_the_overlap_is_always_less_than_the_last_window(
    cadence: Cadence, page_span_ms: int | None, overlap_ms: int
) -> None:
    assert find_overlap(make_facts(page_span_ms=page_span_ms), cadence) == overlap_ms


def test_the_nearest_gap_is_asked_for_from_its_right_edge_backward_and_its_left_edge_forward() -> None:
    facts = make_covered([Range(0, 10 * HOUR_MS), Range(12 * HOUR_MS, 20 * HOUR_MS)])

    backward = plan_tail(facts, MINUTE_BARS, "backward", NOW_MS)
    forward = plan_tail(facts, MINUTE_BARS, "forward", NOW_MS)

    assert (backward.kind, backward.target, backward.time_ms) == ("tail", "gap", 12 * HOUR_MS + MINUTE_MS)
    assert (forward.kind, forward.target, forward.time_ms) == ("tail", "gap", 10 * HOUR_MS - MINUTE_MS)


def test_a_backward_request_is_at_most_now() -> None:
    gap = make_covered([Range(0, 10), Range(NOW_MS - 5, NOW_MS)])
    start = make_covered([Range(NOW_MS - 5, NOW_MS)])

    assert plan_tail(gap, MINUTE_BARS, "backward", NOW_MS).time_ms == NOW_MS
    assert plan_tail(start, MINUTE_BARS, "backward", NOW_MS).time_ms == NOW_MS


def test_a_gap_comes_before_history() -> None:
    facts = make_covered([Range(100 * HOUR_MS, 110 * HOUR_MS), Range(120 * HOUR_MS, 130 * HOUR_MS)])

    assert {plan_tail(facts, MINUTE_BARS, d, NOW_MS).target for d in ("backward", "forward")} == {"gap"}


@pytest.mark.parametrize(("cadence", "overlap_ms"), [(MINUTE_BARS, MINUTE_MS), (RATES, HOUR_MS)])
def test_a_backward_tail_asks_from_the_start_and_the_overlap(cadence: Cadence, overlap_ms: int) -> None:
    fetch = plan_tail(make_covered([Range(DAY_MS, NOW_MS)]), cadence, "backward", NOW_MS)

    assert (fetch.kind, fetch.target, fetch.time_ms) == ("tail", "start", DAY_MS + overlap_ms)


@pytest.mark.parametrize(
    ("page_span_ms", "back_ms"),
    [(None, DAY_MS - MINUTE_MS), (100 * MINUTE_MS, 99 * MINUTE_MS), (MINUTE_MS, MINUTE_MS)],
    ids=["no page yet: one day", "the last page's window", "a window no longer than the overlap"],
)
def test_a_forward_tail_steps_one_window_back_and_ends_inside_what_is_covered(
    page_span_ms: int | None, back_ms: int
) -> None:
    facts = make_covered([Range(NOW_MS - WEEK_MS, NOW_MS)], page_span_ms=page_span_ms)

    fetch = plan_tail(facts, MINUTE_BARS, "forward", NOW_MS)

    assert (fetch.target, fetch.time_ms) == ("start", NOW_MS - WEEK_MS - back_ms)


def test_a_forward_tail_does_not_ask_before_the_bar_that_holds_the_listing() -> None:
    facts = make_covered([Range(NOW_MS - WEEK_MS, NOW_MS)], listed_ms=NOW_MS - WEEK_MS - HOUR_MS)

    assert plan_tail(facts, MINUTE_BARS, "forward", NOW_MS).time_ms == NOW_MS - WEEK_MS - HOUR_MS - MINUTE_MS


@pytest.mark.parametrize("listed_ms", [None, 12 * DAY_MS])
def test_a_forward_tail_asks_for_the_oldest_page_after_a_miss(listed_ms: int | None) -> None:
    facts = make_covered([Range(NOW_MS - WEEK_MS, NOW_MS)], nothing_earlier_ms=NOW_MS - 1, listed_ms=listed_ms)

    fetch = plan_tail(facts, MINUTE_BARS, "forward", NOW_MS)

    assert (fetch.target, fetch.time_ms) == ("start", listed_ms - MINUTE_MS if listed_ms else 0)


def test_a_series_with_nothing_stored_has_no_tail() -> None:
    assert find_tail_due(make_facts()) is None
    with pytest.raises(ValueError, match="DEMO/A/PT1M has nothing stored"):
        plan_tail(make_facts(), MINUTE_BARS, "backward", NOW_MS)


def test_a_listing_date_after_the_first_row_is_not_believed_by_a_forward_probe() -> None:
    facts = make_covered([Range(NOW_MS - WEEK_MS, NOW_MS)], listed_ms=NOW_MS - DAY_MS, floor_grounds=("empty",))

    fetch = plan_tail(facts, MINUTE_BARS, "forward", NOW_MS)

    assert fetch.time_ms == NOW_MS - WEEK_MS - DAY_MS


def test_a_backward_probe_asks_for_what_is_before_the_first_row() -> None:
    facts = make_covered([Range(NOW_MS - WEEK_MS, NOW_MS)], floor_grounds=("listing",))

    assert plan_tail(facts, MINUTE_BARS, "backward", NOW_MS).time_ms == NOW_MS - WEEK_MS


@given(MOMENTS.filter(bool), st.none() | MOMENTS, st.none() | MOMENTS)
@settings(max_examples=100, deadline=None)
def test_only_a_proven_floor_stops_the_tail(start_ms: int, floor_ms: int | None, listed_ms: int | None) -> None:
    facts = make_facts(start_ms=start_ms, end_ms=NOW_MS + 1, floor_ms=floor_ms, listed_ms=listed_ms)
    has_all = floor_ms is not None and start_ms <= floor_ms

    assert is_at_floor(facts) == has_all
    assert (find_tail_due(facts) is None) == has_all


def test_a_gap_is_due_above_a_floor() -> None:
    facts = make_covered([Range(0, 10), Range(20, 30)], floor_ms=0, listed_ms=0)

    assert find_tail_due(facts) == 0
    assert find_tail_due(make_covered([Range(0, 10), Range(10, 30)], floor_ms=0)) is None


def test_a_tail_that_backs_off_is_due_when_it_may_be_tried_again() -> None:
    assert find_tail_due(make_covered([Range(5, 10)], start_eligible_ms=77)) == 77


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_a_gap_that_backs_off_does_not_keep_history_waiting(direction: str) -> None:
    facts = make_covered([Range(10, 20), Range(30, 40)], gap_misses=3, gap_eligible_ms=NOW_MS + 5)

    assert find_tail_due(facts) == 0
    assert plan_tail(facts, MINUTE_BARS, direction, NOW_MS).target == "start"
    assert plan_tail(facts, MINUTE_BARS, direction, NOW_MS + 5).target == "gap"


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_history_that_backs_off_does_not_keep_a_gap_waiting(direction: str) -> None:
    facts = make_covered([Range(10, 20), Range(30, 40)], start_misses=3, start_eligible_ms=NOW_MS + 5)

    assert find_tail_due(facts) == 0
    assert plan_tail(facts, MINUTE_BARS, direction, NOW_MS).target == "gap"


def test_when_gap_and_history_back_off_the_earlier_one_is_due_first() -> None:
    facts = make_covered([Range(10, 20), Range(30, 40)], gap_eligible_ms=70, start_eligible_ms=60)

    assert find_tail_due(facts) == 60
    assert plan_tail(facts, MINUTE_BARS, "backward", 60).target == "start"
    assert find_tail_due(facts._replace(floor_ms=10)) == 70
    assert plan_tail(facts._replace(floor_ms=10), MINUTE_BARS, "backward", 70).target == "gap"


COVERED = st.lists(
    st.tuples(st.integers(0, 500), st.integers(1, 60)).map(
        lambda drawn: Range(drawn[0] * HOUR_MS, (drawn[0] + drawn[1]) * HOUR_MS)
    ),
    min_size=1,
    max_size=5,
)
CADENCES = st.sampled_from([*(bar_cadence(text, GRACE_MS) for text in ("PT1M", "PT1H", "PT4H", "P1D")), RATES])


@given(COVERED, CADENCES, st.sampled_from(["backward", "forward"]), st.none() | st.integers(1, 3 * DAY_MS))
@settings(max_examples=100, deadline=None)
def test_every_request_reaches_into_what_is_covered_and_out_of_it(
    ranges: list[Range], cadence: Cadence, direction: str, page_span_ms: int | None
) -> None:
    facts = make_covered(ranges, page_span_ms=page_span_ms)
    assert facts.start_ms is not None
    assert facts.end_ms is not None
    now_ms = facts.end_ms + DAY_MS
    gaps = find_gaps(ranges)
    overlap_ms = find_overlap(facts, cadence)
    assert overlap_ms <= HOUR_MS
    assert page_span_ms is None or overlap_ms < page_span_ms

    head = plan_head(facts, cadence, direction, now_ms)
    tail = plan_tail(facts, cadence, direction, now_ms)

    anchor_ms = now_ms if direction == "backward" else facts.end_ms - overlap_ms
    assert head == Fetch("head", "head", anchor_ms, head.why, direction)
    assert 0 <= tail.time_ms <= now_ms
    if gaps:
        edge_ms = gaps[-1].end_ms if direction == "backward" else gaps[-1].start_ms
        assert abs(tail.time_ms - edge_ms) <= overlap_ms
    elif direction == "backward":
        assert facts.start_ms <= tail.time_ms <= facts.start_ms + overlap_ms
    else:
        assert tail.time_ms < facts.start_ms or facts.start_ms == 0
        assert facts.start_ms - tail.time_ms <= (page_span_ms or cadence.step_ms)


def test_every_plan_says_why_in_one_line() -> None:
    gap = make_covered([Range(0, 10_000), Range(40_000, 50_000)])
    start = make_covered([Range(DAY_MS, NOW_MS - HOUR_MS)])

    assert plan_tail(gap, MINUTE_BARS, "backward", NOW_MS).why == "gap of 30 s nearest to now"
    assert plan_head(start, MINUTE_BARS, "forward", NOW_MS).why == "head is 3600 s behind now"
    assert plan_head(make_facts(), MINUTE_BARS, "forward", NOW_MS).why == "nothing is stored yet"
    assert "history" in plan_tail(start, MINUTE_BARS, "backward", NOW_MS).why


@given(COVERED, st.integers(0, 500), st.integers(1, 100))
@settings(max_examples=100, deadline=None)
def test_a_window_narrows_to_its_missing_stretch_nearest_to_now(ranges: list[Range], start: int, length: int) -> None:
    window = Range(start * HOUR_MS, (start + length) * HOUR_MS)
    missing = [h for h in range(start, start + length) if not any(r[0] <= h * HOUR_MS < r[1] for r in ranges)]

    narrowed = narrow_to_window(make_covered(ranges), ranges, window)

    if not missing:
        assert narrowed is None
        return
    first = last = missing[-1]
    while first - 1 in missing:
        first -= 1
    assert narrowed is not None
    assert (narrowed.gap_start_ms, narrowed.gap_end_ms) == (first * HOUR_MS, (last + 1) * HOUR_MS)
    assert plan_tail(narrowed, MINUTE_BARS, "backward", NOW_MS).target == "gap"
    assert find_tail_due(narrowed) is not None


def test_a_window_of_a_series_with_nothing_stored_is_one_gap() -> None:
    narrowed = narrow_to_window(make_facts(), [], Range(DAY_MS, 2 * DAY_MS))

    assert narrowed is not None
    assert (narrowed.gap_start_ms, narrowed.gap_end_ms) == (DAY_MS, 2 * DAY_MS)
    assert plan_tail(narrowed, MINUTE_BARS, "backward", NOW_MS).time_ms == 2 * DAY_MS + MINUTE_MS
    assert plan_tail(narrowed, MINUTE_BARS, "forward", NOW_MS).time_ms == DAY_MS - MINUTE_MS


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_a_window_whose_gap_backs_off_waits_and_fetches_nothing_outside_the_window(direction: str) -> None:
    ranges = [Range(10 * DAY_MS, 11 * DAY_MS)]
    facts = make_covered(ranges, gap_misses=1, gap_eligible_ms=NOW_MS + 5)

    narrowed = narrow_to_window(facts, ranges, Range(11 * DAY_MS, 12 * DAY_MS))

    assert narrowed is not None
    assert find_tail_due(narrowed) == NOW_MS + 5
    assert plan_tail(narrowed, MINUTE_BARS, direction, NOW_MS + 5).target == "gap"


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_a_window_whose_ends_lie_between_two_rates_is_filled_in_a_bounded_number_of_requests(direction: str) -> None:
    times = [n * 8 * HOUR_MS for n in range(300)]
    window, page_size, now_ms = Range(5 * HOUR_MS, 1_005 * HOUR_MS), 20, times[-1] + HOUR_MS
    ranges: list[Range] = []
    page_span_ms, misses = None, 0
    for _ in range(40):
        facts = narrow_to_window(make_covered(ranges, page_span_ms=page_span_ms, gap_misses=misses), ranges, window)
        if facts is None:
            break
        fetch = plan_tail(facts, RATES, direction, now_ms)
        before, after = [t for t in times if t < fetch.time_ms], [t for t in times if t >= fetch.time_ms]
        rows = [(t, "1", "-1", None) for t in (before[-page_size:] if direction == "backward" else after[:page_size])]
        page = check_instant_page(
            INTEREST_RATE, rows, direction=direction, time_ms=fetch.time_ms, closed_before_ms=now_ms
        )
        outcome = judge_page(facts, fetch, page, RATES, now_ms)
        page_span_ms, misses = outcome.page_span_ms, outcome.misses
        assert page.range is not None
        ranges = merge_overlapping([*ranges, page.range])

    wanted = [t for t in times if window.start_ms <= t < window.end_ms]
    assert [t for t in wanted if not any(r.start_ms <= t < r.end_ms for r in ranges)] == []
