"""What answers say about time without data, and what data takes back."""

import tracemalloc
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from series_pipelines.core.duration import HOUR_MS
from series_pipelines.core.ranges import Range
from series_pipelines.core.times import LAST_MOMENT_MS
from series_pipelines.errors import PageRefused, VendorBusy, VendorError
from series_pipelines.ingest.pages.check import MOST_ROWS, Page
from series_pipelines.ingest.pages.evidence import Evidence, EvidenceKind, digest_answer, find_evidence, trim_evidence
from series_pipelines.ingest.pages.outcome import judge_failure, judge_page
from series_pipelines.ingest.planning.cadence import bar_cadence
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.planning.requests import Fetch

NOW_MS = 1_700_000_000_000
HOURS = bar_cadence("PT1H", 0, 10)
BLANK = dict.fromkeys(SeriesFacts._fields) | {"series_id": "DEMO/A/PT1H", "cap_key": "c"}
BLANK |= {"head_misses": 0, "start_misses": 0, "gap_misses": 0, "failures": 0, "floor_grounds": ()}
EMPTY = Page([], None, 0)
HEAD = Fetch("head", "head", NOW_MS, "")
GAP = Fetch("tail", "gap", 151 * HOUR_MS, "")
START = Fetch("tail", "start", 100 * HOUR_MS, "")


def hours(start: int, end: int) -> Range:
    return Range(start * HOUR_MS, end * HOUR_MS)


def make_facts(**known: Any) -> SeriesFacts:
    return SeriesFacts(**{**BLANK, "start_ms": 100 * HOUR_MS, "end_ms": 200 * HOUR_MS, **known})


WITH_GAP = make_facts(gap_start_ms=120 * HOUR_MS, gap_end_ms=150 * HOUR_MS)


def find(facts: SeriesFacts, fetch: Fetch, got: Page | VendorError) -> list[tuple[EvidenceKind, Range]]:
    if isinstance(got, Page):
        outcome = judge_page(facts, fetch, got, HOURS, NOW_MS)
    else:
        outcome = judge_failure(facts, fetch, str(got), NOW_MS)
    return [(known.kind, known.window) for known in find_evidence(facts, fetch, got, outcome, HOURS, NOW_MS)]


def test_a_hole_inside_a_payload_is_the_vendors_word() -> None:
    page = Page([(0,), (1,)], hours(90, 101), 2, holes=(hours(92, 94), hours(96, 97)))
    assert find(make_facts(), START, page) == [("verified_empty", hours(92, 94)), ("verified_empty", hours(96, 97))]


def test_an_answer_with_nothing_for_a_gap_speaks_for_an_outage_there() -> None:
    assert find(WITH_GAP, GAP, EMPTY) == [("outage", hours(120, 150))]
    assert find(WITH_GAP, GAP, Page([(0,)], hours(140, 151), 1)) == []


def test_a_gap_that_reaches_beyond_what_is_stored_is_no_outage() -> None:
    outside = make_facts(gap_start_ms=90 * HOUR_MS, gap_end_ms=100 * HOUR_MS)
    assert find(outside, GAP, EMPTY) == []


@pytest.mark.parametrize(
    ("listed_ms", "kind"), [(100 * HOUR_MS, "pre_listing"), (0, "beyond_retention")], ids=["listing", "retention"]
)
def test_a_proven_floor_says_why_nothing_is_before_it(listed_ms: int, kind: str) -> None:
    facts = make_facts(listed_ms=listed_ms, floor_grounds=("empty",))
    assert find(facts, START, EMPTY) == [(kind, hours(0, 100))]


def test_a_delisted_product_has_nothing_after_its_end() -> None:
    facts = make_facts(delisted_ms=201 * HOUR_MS, head_misses=1)
    assert find(facts, HEAD, EMPTY) == [("post_delisting", Range(200 * HOUR_MS, LAST_MOMENT_MS))]
    assert find(facts._replace(head_misses=0), HEAD, EMPTY) == []


@pytest.mark.parametrize(
    ("fetch", "window"),
    [(HEAD, Range(200 * HOUR_MS, NOW_MS)), (GAP, hours(120, 150)), (START, hours(90, 100))],
    ids=["head", "gap", "start"],
)
def test_what_validation_refuses_is_quarantined(fetch: Fetch, window: Range) -> None:
    assert find(WITH_GAP, fetch, PageRefused("high < low")) == [("quarantined", window)]


def double(times: int) -> object:
    """Return a list that holds another one twice, and so on."""
    doubled: object = 0
    for _ in range(times):
        doubled = [doubled, doubled]
    return doubled


@pytest.mark.parametrize(
    "rows",
    [
        [[0, "1"]] * (MOST_ROWS + 1),
        [[0, "1" * 1_000_000]] * 1_000,
        [[0] * 1_000_000] * 100,
        [double(40)],
        [[0, double(40)]],
        [[10**100_000]] * 10_000,
        "1" * 100_000_000,
    ],
    ids=["rows", "texts", "wide", "doubled row", "doubled value", "ints", "text"],
)
def test_an_answer_that_is_larger_than_any_page_is_not_copied(rows: object) -> None:
    tracemalloc.start()
    digest = digest_answer(rows)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    assert digest == digest_answer(rows) != digest_answer([])


def test_answers_that_are_worth_the_same_have_the_same_digest() -> None:
    shared = "1"
    assert digest_answer([[0, shared, shared]]) == digest_answer([[0, "1", str(1)]]) != digest_answer([[0, "1", "2"]])


def test_a_busy_vendor_says_nothing_about_time() -> None:
    assert find(WITH_GAP, GAP, VendorBusy("429")) == []


SPANS = st.tuples(st.integers(0, 30), st.integers(1, 10)).map(lambda drawn: Range(drawn[0], drawn[0] + drawn[1]))


@given(SPANS, SPANS, st.lists(SPANS, max_size=3), st.sampled_from(["verified_empty", "outage", "pre_listing"]))
def test_data_takes_back_exactly_the_time_it_covers(
    window: Range, covered: Range, holes: list[Range], kind: EvidenceKind
) -> None:
    inner = [hole for hole in holes if covered.start_ms < hole.start_ms and hole.end_ms < covered.end_ms]
    left = trim_evidence(Evidence(kind, window, "", "", 1, 1), [covered], inner)

    said = {moment for part in left for moment in range(*part.window)}
    data = set(range(*covered))
    if kind == "verified_empty":
        data -= {moment for hole in inner for moment in range(*hole)}
    assert said == set(range(*window)) - data
    assert all(earlier.window.end_ms < later.window.start_ms for earlier, later in pairwise(left))
