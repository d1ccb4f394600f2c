"""Which committed attempts a display must show. Showing costs, so a quiet series is shown only now and then."""

from typing import Final

from series_pipelines.core.duration import MINUTE_MS
from series_pipelines.ingest.planning.facts import SeriesFacts

FEW_SERIES: Final = 100


def find_display_interval(series: int) -> int:
    """Return how often a quiet series is shown, in milliseconds: always while the series are few."""
    return 0 if series <= FEW_SERIES else MINUTE_MS * series // FEW_SERIES


def has_changed_state(before: SeriesFacts, after: SeriesFacts) -> bool:
    """Whether a gap opened or closed, a floor was reached, or the series failed or recovered."""
    return (
        (before.end_ms is None) != (after.end_ms is None)
        or before.has_gap != after.has_gap
        or before.floor_kind != after.floor_kind
        or (before.failures > 0) != (after.failures > 0)
    )


def is_display_due(after: SeriesFacts, interval_ms: int, now_ms: int) -> bool:
    """Whether the series was never shown, or not for an interval."""
    return after.shown_ms is None or now_ms - after.shown_ms >= interval_ms
