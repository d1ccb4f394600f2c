"""Which committed attempts are shown: the first, every change of state, and the rest now and then."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from series_pipelines.core.duration import MINUTE_MS
from series_pipelines.defs.display_rules import FEW_SERIES, find_display_interval, has_changed_state, is_display_due
from series_pipelines.ingest.planning.facts import SeriesFacts

BLANK = dict.fromkeys(SeriesFacts._fields) | {"series_id": "a", "cap_key": "c"}
BLANK |= {"head_misses": 0, "start_misses": 0, "gap_misses": 0, "failures": 0}
STORED = {"start_ms": 10, "end_ms": 20}
GAP = {"gap_start_ms": 12, "gap_end_ms": 14}


def make_facts(**known: Any) -> SeriesFacts:
    return SeriesFacts(**{**BLANK, **known})


def test_a_quiet_series_is_always_shown_while_the_series_are_few() -> None:
    assert {find_display_interval(series) for series in (0, 1, FEW_SERIES)} == {0}


@given(st.integers(FEW_SERIES + 1, 100_000))
@settings(max_examples=100, deadline=None)
def test_at_most_a_hundred_quiet_series_are_shown_a_minute_however_many_there_are(series: int) -> None:
    interval_ms = find_display_interval(series)

    assert interval_ms >= MINUTE_MS
    assert series * MINUTE_MS / interval_ms <= FEW_SERIES * 1.001
    assert interval_ms <= find_display_interval(series + 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, STORED),
        (STORED, STORED | GAP),
        (STORED | GAP, STORED),
        (STORED, STORED | {"floor_ms": 10, "floor_kind": "listing"}),
        (STORED | {"floor_kind": "retention"}, STORED | {"floor_kind": "listing"}),
        (STORED, STORED | {"failures": 1}),
        (STORED | {"failures": 3}, STORED),
    ],
    ids=["first rows", "gap opened", "gap closed", "floor reached", "floor of another kind", "failed", "recovered"],
)
def test_a_change_of_state_is_shown(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert has_changed_state(make_facts(**before), make_facts(**after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (STORED, STORED),
        (STORED, STORED | {"end_ms": 30}),
        (STORED | GAP, STORED | {"gap_start_ms": 12, "gap_end_ms": 13}),
        (STORED | {"failures": 1}, STORED | {"failures": 2}),
        (STORED, STORED | {"head_misses": 1, "head_eligible_ms": 99, "page_span_ms": 5, "shown_ms": 7}),
    ],
    ids=["nothing", "head moved", "gap shrank", "failed again", "backed off"],
)
def test_ordinary_progress_is_not_a_change_of_state(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert not has_changed_state(make_facts(**before), make_facts(**after))


def test_a_series_that_was_never_shown_is_due() -> None:
    assert is_display_due(make_facts(), interval_ms=10**12, now_ms=0)


@pytest.mark.parametrize(("shown_ms", "due"), [(900, True), (899, True), (901, False), (1_000, False)])
def test_a_series_is_shown_again_after_an_interval(shown_ms: int, due: bool) -> None:
    assert is_display_due(make_facts(shown_ms=shown_ms), interval_ms=100, now_ms=1_000) == due


def test_every_attempt_is_due_while_the_series_are_few() -> None:
    assert is_display_due(make_facts(shown_ms=1_000), find_display_interval(5), now_ms=1_000)
