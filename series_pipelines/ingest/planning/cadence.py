"""The time scale of a series: its bars, when its head is late, how much requests overlap, what a page spans."""

from dataclasses import dataclass
from functools import lru_cache

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS, Duration, parse_duration
from series_pipelines.core.ranges import MAX_OVERLAP_MS
from series_pipelines.core.tables import TABLES, SeriesTable


@dataclass(frozen=True, slots=True)
class Cadence:
    """The time scale of a series: its bars, when its head is late, how much requests overlap."""

    duration: Duration | None
    head_lag_ms: int
    overlap_ms: int
    step_ms: int
    """How far a forward request steps back when no page has told the vendor's window yet."""
    grace_ms: int
    page_rows: int | None = None
    """How many rows a full page has, where the vendor says so."""
    page_ms: int | None = None
    """The time that a full page spans then."""

    @property
    def bar_ms(self) -> int:
        """One bar; for rates, whose cadence is not known, an hour."""
        return self.duration.nominal_ms if self.duration else HOUR_MS


@lru_cache(maxsize=1024)
def bar_cadence(duration_text: str, grace_ms: int, page_rows: int | None = None) -> Cadence:
    """Return the cadence of bars of this duration."""
    duration = parse_duration(duration_text)
    bar_ms = duration.nominal_ms
    # A first forward page must contain closed bars also when one bar is longer than a day.
    step_ms = DAY_MS if bar_ms < DAY_MS else 100 * bar_ms
    page_ms = page_rows * bar_ms if page_rows else None
    return Cadence(duration, max(MINUTE_MS, bar_ms), min(bar_ms, MAX_OVERLAP_MS), step_ms, grace_ms, page_rows, page_ms)


@lru_cache(maxsize=1024)
def instant_cadence(
    table: SeriesTable, grace_ms: int, interval_ms: int | None = None, page_rows: int | None = None
) -> Cadence:
    """Return the cadence of rows without a duration that came at this interval last."""
    page_ms = page_rows * table.long_interval_ms if page_rows else None
    head_lag_ms = interval_ms or table.unknown_interval_ms
    return Cadence(None, head_lag_ms, HOUR_MS, 30 * DAY_MS, grace_ms, page_rows, page_ms)


def find_cadence(
    table_name: str, series_id: str, grace_ms: int, interval_ms: int | None = None, page_rows: int | None = None
) -> Cadence:
    """Return the cadence of a series by its id, or, where that has no duration, by the interval seen last."""
    table = TABLES[table_name]
    if table.has_durations:
        return bar_cadence(series_id[series_id.rindex("/") + 1 :], grace_ms, page_rows)
    return instant_cadence(table, grace_ms, interval_ms, page_rows)
