"""A table's summary: percentiles that were really seen, and counts of what needs somebody."""

from hypothesis import given
from hypothesis import strategies as st

from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import INTEREST_RATE
from series_pipelines.ingest.planning.cadence import instant_cadence
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.standing.coverage import measure_coverage
from series_pipelines.ingest.standing.lag import Lag
from series_pipelines.ingest.standing.series import Standing
from series_pipelines.ingest.standing.summary import summarize

NOW_MS = 1_000_000
ANYTIME = instant_cadence(INTEREST_RATE, 0, interval_ms=1)
"""Of a series of which something may be new at any moment."""
BLANK = dict.fromkeys(SeriesFacts._fields) | {"series_id": "a", "cap_key": "c", "head_misses": 0, "failures": 0}


def make_standing(lag: Lag | None, ranges: tuple[Range, ...] = (), **known: object) -> Standing:
    facts = SeriesFacts(**{**BLANK, **known})  # type: ignore[arg-type]
    return Standing(facts, ANYTIME, ranges, measure_coverage(facts, ANYTIME, ranges, NOW_MS), lag, None)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=300))
def test_percentiles_are_lags_that_so_many_series_do_not_exceed(late: list[int]) -> None:
    summary = summarize([make_standing(Lag(late_ms, 1), end_ms=1) for late_ms in late], NOW_MS)
    assert summary.lag_worst_ms == max(late)
    for share, found in ((0.5, summary.lag_p50_ms), (0.99, summary.lag_p99_ms)):
        assert found in late
        assert sum(late_ms <= found for late_ms in late) >= share * len(late)
        assert sum(late_ms < found for late_ms in late) < share * len(late)


def test_what_needs_somebody_is_counted() -> None:
    summary = summarize(
        [
            make_standing(Lag(0, 0), (Range(0, NOW_MS),), start_ms=0, end_ms=NOW_MS, floor_ms=0),
            make_standing(Lag(5, 1), (Range(0, NOW_MS),), start_ms=0, end_ms=NOW_MS, floor_ms=0, failures=2),
            make_standing(
                Lag(90, 2), (Range(0, 400_000), Range(500_000, NOW_MS)), start_ms=0, end_ms=NOW_MS, floor_ms=0
            ),
            make_standing(None, end_ms=None, listed_ms=500_000),
            make_standing(None, (Range(0, 500_000),), start_ms=0, end_ms=500_000, delisted_ms=500_000, floor_ms=0),
        ],
        NOW_MS,
    )
    assert (summary.series, summary.delisted, summary.without_rows, summary.failing) == (5, 1, 1, 1)
    assert (summary.behind, summary.gaps, summary.unknown_ms) == (1, 1, 100_000)
    assert summary.coverage_percent == 100 * 3_400_000 / 4_000_000


def test_an_empty_table_has_a_summary_too() -> None:
    summary = summarize([], NOW_MS)
    assert (summary.series, summary.lag_worst_ms, summary.coverage_percent) == (0, 0, 0.0)
