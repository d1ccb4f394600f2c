"""How a whole table stands at one moment: the lag, coverage and failures of all its series in a few numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from series_pipelines.core.coverage import Coverage, measure_coverage
from series_pipelines.core.lag import Lag, is_delisted, measure_lag
from series_pipelines.core.outcome import has_stood_still
from series_pipelines.core.plan import SeriesFacts
from series_pipelines.ingest.cadences import read_cadences
from series_pipelines.store import coverage as coverage_store
from series_pipelines.store import states
from series_pipelines.store.connection import Connection
from series_pipelines.store.coverage import Account

BEHIND_BARS: Final = 2
"""From this many bars past due on a series is behind: the one that has just become due is being fetched."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One series: what is known of it, what it covers, how late it is."""

    facts: SeriesFacts
    coverage: Coverage
    lag: Lag | None

    @property
    def is_known(self) -> bool:
        """Whether all its time behind the newest row is data, or proven to have none, and no answer was refused."""
        return self.coverage.is_start_proven and not self.coverage.behind_ms and not self.refused_ms

    @property
    def refused_ms(self) -> int:
        """How much of its time has only answers that were refused."""
        return self.coverage.kinds.get("quarantined", 0)

    @property
    def is_ill(self) -> bool:
        """Whether somebody has to look: what is not known is not just still to be fetched."""
        return not self.is_known and (self.refused_ms > 0 or has_stood_still(self.facts))


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


def read_standings(conn: Connection, table_name: str, now_ms: int) -> list[Standing]:
    """Read how every active series of a table stands, in two queries."""
    find_cadence = read_cadences(conn)
    accounts = coverage_store.read(conn, table_name)
    standings: list[Standing] = []
    for facts in states.read_facts(conn, table_name):
        account = accounts.get(facts.series_id, Account())
        cadence = find_cadence(table_name, facts)
        coverage = measure_coverage(facts, cadence, account.ranges, now_ms, account.evidence)
        standings.append(Standing(facts, coverage, measure_lag(facts, cadence, now_ms)))
    return standings


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
