"""Ranges against set models: only a strict overlap merges, only a strict gap is missing."""

import itertools
from collections.abc import Iterable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from series_pipelines.core.duration import HOUR_MS, MINUTE_MS
from series_pipelines.core.ranges import (
    Range,
    find_gaps,
    find_missing,
    find_union,
    merge_overlapping,
)

# A small axis makes nested, touching, equal and bridging ranges common.
STARTS, LENGTHS = 24, 10
RANGES = st.integers(0, STARTS * LENGTHS - 1).map(lambda n: Range(n // LENGTHS, n // LENGTHS + n % LENGTHS + 1))
MANY = st.lists(RANGES, max_size=8)


def find_runs(points: Iterable[int]) -> list[tuple[int, int]]:
    """Return first and last of each run of consecutive numbers."""
    runs = []
    for _, group in itertools.groupby(enumerate(sorted(points)), lambda pair: pair[1] - pair[0]):
        members = [point for _, point in group]
        runs.append((members[0], members[-1]))
    return runs


def list_covered(ranges: Iterable[Range]) -> set[int]:
    return {moment for start, end in ranges for moment in range(start, end)}


def model_merge(ranges: Iterable[Range]) -> list[Range]:
    """Merge as open intervals on an axis of half steps: a touching end is a point that neither range holds."""
    points = {point for start, end in ranges for point in range(2 * start + 1, 2 * end)}
    return [Range(first // 2, last // 2 + 1) for first, last in find_runs(points)]


def model_missing(ranges: Iterable[Range], window: Range) -> list[Range]:
    return [Range(first, last + 1) for first, last in find_runs(list_covered([window]) - list_covered(ranges))]


@given(MANY)
@settings(max_examples=100, deadline=None)
def test_merging_is_that_of_open_intervals(ranges: list[Range]) -> None:
    assert merge_overlapping(ranges) == model_merge(ranges)


@given(MANY)
@settings(max_examples=100, deadline=None)
def test_merging_changes_no_covered_moment(ranges: list[Range]) -> None:
    assert list_covered(merge_overlapping(ranges)) == list_covered(ranges)
    assert find_gaps(merge_overlapping(ranges)) == find_gaps(ranges)


@given(MANY, st.randoms())
@settings(max_examples=100, deadline=None)
def test_merging_again_or_in_another_order_changes_nothing(ranges: list[Range], random: Random) -> None:
    merged = merge_overlapping(ranges)
    shuffled = [*ranges, *ranges[:3]]
    random.shuffle(shuffled)

    assert merge_overlapping(merged) == merged
    assert merge_overlapping(shuffled) == merged


@given(MANY, MANY)
@settings(max_examples=100, deadline=None)
def test_merging_in_two_steps_is_merging_at_once(earlier: list[Range], later: list[Range]) -> None:
    assert merge_overlapping([*merge_overlapping(earlier), *later]) == merge_overlapping([*earlier, *later])


@pytest.mark.parametrize(
    ("ranges", "merged"),
    [
        ([(0, 10), (10, 20)], [(0, 10), (10, 20)]),
        ([(0, 11), (10, 20)], [(0, 20)]),
        ([(0, 10), (0, 10)], [(0, 10)]),
        ([(0, 100), (10, 20), (30, 40)], [(0, 100)]),
        ([(0, 10), (10, 20), (5, 15)], [(0, 20)]),
        ([(0, 10), (10, 20), (20, 30)], [(0, 10), (10, 20), (20, 30)]),
        ([(10, 20), (10, 15), (0, 10)], [(0, 10), (10, 20)]),
        ([(0, 1), (5, 6)], [(0, 1), (5, 6)]),
        ([], []),
    ],
    ids=["touching", "overlapping", "equal", "nested", "bridged", "touching chain", "same start", "apart", "none"],
)
def test_only_a_strict_overlap_merges(ranges: list[tuple[int, int]], merged: list[tuple[int, int]]) -> None:
    assert merge_overlapping(Range(*each) for each in ranges) == merged


def test_six_fragments_become_four_and_the_touching_pair_survives() -> None:
    minutes = [(0, 90), (60, 120), (180, 270), (240, 300), (360, 420), (420, 480)]
    ranges = [Range(start * MINUTE_MS, end * MINUTE_MS) for start, end in minutes]

    merged = merge_overlapping(ranges)

    assert [(start // MINUTE_MS, end // MINUTE_MS) for start, end in merged] == [
        (0, 120),
        (180, 300),
        (360, 420),
        (420, 480),
    ]


def test_a_bulk_of_eighty_six_becomes_thirty_seven() -> None:
    day_ms = 24 * HOUR_MS
    overlapping = [Range(i * 10 * MINUTE_MS, (i * 10 + 20) * MINUTE_MS) for i in range(50)]
    touching = [Range(day_ms + i * HOUR_MS, day_ms + (i + 1) * HOUR_MS) for i in range(24)]
    apart = [Range(2 * day_ms + i * 2 * HOUR_MS, 2 * day_ms + (i * 2 + 1) * HOUR_MS) for i in range(12)]

    merged = merge_overlapping([*apart, *overlapping, *touching])

    assert merged == [Range(0, 510 * MINUTE_MS), *touching, *apart]
    assert len(merged) == 37
    assert merge_overlapping(merged) == merged


@given(MANY)
@settings(max_examples=100, deadline=None)
def test_gaps_are_the_uncovered_moments_inside_the_union(ranges: list[Range]) -> None:
    union = find_union(ranges)

    assert find_gaps(ranges) == ([] if union is None else model_missing(ranges, union))


def test_nested_ranges_leave_no_gap() -> None:
    assert find_gaps([Range(0, 100), Range(10, 20), Range(30, 40)]) == []


def test_touching_ranges_leave_no_gap() -> None:
    assert find_gaps([Range(10, 20), Range(0, 10)]) == []


def test_a_gap_of_one_millisecond_is_a_gap() -> None:
    assert find_gaps([Range(0, 10), Range(11, 20)]) == [Range(10, 11)]


def test_gaps_come_oldest_first() -> None:
    assert find_gaps([Range(40, 50), Range(0, 10), Range(20, 30)]) == [Range(10, 20), Range(30, 40)]


@given(MANY, RANGES)
@settings(max_examples=100, deadline=None)
def test_what_a_window_misses_is_what_no_range_covers(ranges: list[Range], window: Range) -> None:
    assert find_missing(ranges, window) == model_missing(ranges, window)


def test_an_uncovered_window_is_missing_whole() -> None:
    assert find_missing([], Range(5, 9)) == [Range(5, 9)]
    assert find_missing([Range(0, 5), Range(9, 12)], Range(5, 9)) == [Range(5, 9)]


@given(MANY)
@settings(max_examples=100, deadline=None)
def test_the_union_reaches_from_the_earliest_start_to_the_latest_end(ranges: list[Range]) -> None:
    covered = list_covered(ranges)

    assert find_union(ranges) == (Range(min(covered), max(covered) + 1) if covered else None)
