"""How late a series is: 0 while nothing is due, bars that are past due after that, nothing of a delisted product."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from series_pipelines.core.duration import HOUR_MS, MINUTE_MS
from series_pipelines.core.tables import INTEREST_RATE
from series_pipelines.ingest.planning.cadence import bar_cadence, instant_cadence
from series_pipelines.ingest.planning.due import find_head_due
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.standing.lag import Lag, is_delisted, measure_lag

BLANK = dict.fromkeys(SeriesFacts._fields) | {"series_id": "A/PT1M", "cap_key": "c", "head_misses": 0}
END_MS = 1_800_000_000_000
GRACE_MS = 1_000
MINUTES = bar_cadence("PT1M", GRACE_MS)


def make_facts(**known: object) -> SeriesFacts:
    return SeriesFacts(**{**BLANK, "end_ms": END_MS, **known})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("after_ms", "lag"),
    [
        (0, Lag(0, 0)),
        (MINUTE_MS + GRACE_MS, Lag(0, 0)),
        (MINUTE_MS + GRACE_MS + 1, Lag(0, 1)),
        (2 * MINUTE_MS + GRACE_MS + 1, Lag(MINUTE_MS, 2)),
        (60 * MINUTE_MS + GRACE_MS + 1, Lag(59 * MINUTE_MS, 60)),
    ],
)
def test_a_bar_counts_from_the_moment_it_is_due(after_ms: int, lag: Lag) -> None:
    assert measure_lag(make_facts(), MINUTES, END_MS + after_ms) == lag


@given(st.integers(0, 10**10), st.sampled_from(["PT1M", "PT1H", "P1D", "P1M"]))
def test_a_series_is_late_exactly_when_its_head_is_due(after_ms: int, duration: str) -> None:
    cadence = bar_cadence(duration, GRACE_MS)
    due_ms = find_head_due(make_facts(), cadence)
    assert due_ms is not None
    lag = measure_lag(make_facts(), cadence, END_MS + after_ms)
    assert lag is not None
    assert (lag.bars > 0) == (END_MS + after_ms >= due_ms)


def test_a_pause_does_not_make_a_series_less_late() -> None:
    now_ms = END_MS + HOUR_MS
    paused = make_facts(head_eligible_ms=now_ms + HOUR_MS)
    assert measure_lag(paused, MINUTES, now_ms) == measure_lag(make_facts(), MINUTES, now_ms)


def test_rates_are_counted_in_intervals() -> None:
    cadence = instant_cadence(INTEREST_RATE, GRACE_MS, 8 * HOUR_MS)
    lag = measure_lag(make_facts(interval_ms=8 * HOUR_MS), cadence, END_MS + 17 * HOUR_MS)
    assert lag is not None
    assert lag.bars == 2


def test_a_delisted_product_and_a_series_without_rows_have_no_lag() -> None:
    now_ms = END_MS + HOUR_MS
    gone = make_facts(delisted_ms=now_ms)
    assert is_delisted(gone, now_ms)
    assert measure_lag(gone, MINUTES, now_ms) is None
    assert not is_delisted(gone, now_ms - 1)
    assert measure_lag(gone, MINUTES, now_ms - 1) is not None
    assert measure_lag(make_facts(end_ms=None), MINUTES, now_ms) is None
