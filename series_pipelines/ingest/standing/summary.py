"""How a whole table stands at one moment: the lag, coverage and failures of all its series in a few numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from series_pipelines.ingest.standing.lag import is_delisted
from series_pipelines.ingest.standing.series import Standing

BEHIND_BARS: Final = 2
"""From this many bars past due on a series is behind: the one that has just become due is being fetched."""


@dataclass(frozen=True, slots=True)
class TableSummary:
    """A table of series at one moment. Lags are those of series that have rows and are not delisted."""

    series: int
    delisted: int
    without_rows: int
    failing: int
    behind: int
    lag_p50_ms: int
    lag_p99_ms: int
    lag_worst_ms: int
    unknown_ms: int
    gaps: int
    coverage_percent: float


def summarize(standings: Sequence[Standing], now_ms: int) -> TableSummary:
    """Put the standings of a table's series into a few numbers."""
    lags = [standing.lag for standing in standings if standing.lag is not None]
    late = sorted(lag.late_ms for lag in lags)
    lives = [standing.coverage.life for standing in standings if standing.coverage.life is not None]
    life_ms = sum(life.end_ms - life.start_ms for life in lives)
    covered_ms = sum(standing.coverage.covered_ms for standing in standings)
    return TableSummary(
        series=len(standings),
        delisted=sum(is_delisted(standing.facts, now_ms) for standing in standings),
        without_rows=sum(standing.facts.end_ms is None for standing in standings),
        failing=sum(standing.facts.failures > 0 for standing in standings),
        behind=sum(lag.bars >= BEHIND_BARS for lag in lags),
        lag_p50_ms=_find_percentile(late, 0.5),
        lag_p99_ms=_find_percentile(late, 0.99),
        lag_worst_ms=late[-1] if late else 0,
        unknown_ms=sum(standing.coverage.behind_ms for standing in standings),
        gaps=sum(len(standing.coverage.gaps) for standing in standings),
        coverage_percent=100 * covered_ms / life_ms if life_ms else 0.0,
    )


def _find_percentile(ordered: Sequence[int], share: float) -> int:
    """Return the smallest value that at least this share does not exceed."""
    return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else 0
