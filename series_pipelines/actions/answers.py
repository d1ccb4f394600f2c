"""What the JSON forms of answers share: times, and stretches of time."""

from series_pipelines.core.ranges import Range
from series_pipelines.core.times import format_iso

Json = dict[str, object]


def to_iso(time_ms: int | None) -> str | None:
    """Return a time as JSON has it."""
    return None if time_ms is None else format_iso(time_ms)


def describe_range(stretch: Range | None) -> Json | None:
    """Return a stretch of time as JSON has it."""
    return None if stretch is None else {"start": to_iso(stretch.start_ms), "end": to_iso(stretch.end_ms)}
