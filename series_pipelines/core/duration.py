"""Bar durations: ISO 8601 text from minutes to months, and the arithmetic of one bar.

Weeks are seven days from a bar's own start; months follow the calendar, so their length in milliseconds depends on
where they start. `nominal_ms` is the shortest length a bar can have and serves for lags and overlaps.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from series_pipelines.errors import InvalidDuration

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS
WEEK_MS: Final = 7 * DAY_MS
SHORTEST_MONTH_MS: Final = 28 * DAY_MS

_ISO: Final = re.compile(r"P(?:T(\d{1,4})([MH])|(\d{1,4})([DWM]))")
_TYPED: Final = re.compile(r"(\d{1,4})\s*(m|min|h|H|d|D|w|W|mo|M)")
_TYPED_UNITS: Final = {
    "m": "PT{}M",
    "min": "PT{}M",
    "h": "PT{}H",
    "H": "PT{}H",
    "d": "P{}D",
    "D": "P{}D",
    "w": "P{}W",
    "W": "P{}W",
    "mo": "P{}M",
    "M": "P{}M",
}
_ISO_UNIT_MS: Final = {"TM": MINUTE_MS, "TH": HOUR_MS, "D": DAY_MS, "W": WEEK_MS, "M": SHORTEST_MONTH_MS}


@dataclass(frozen=True, slots=True)
class Duration:
    """One bar's length; `months` is zero unless the length follows the calendar."""

    text: str
    nominal_ms: int
    months: int = 0

    def end_of_bar(self, created_ms: int) -> int:
        """Return when a bar that starts at `created_ms` closes."""
        if not self.months:
            return created_ms + self.nominal_ms
        return _add_months(created_ms, self.months)

    def find_offset(self, created_ms: int) -> int:
        """Return how far a start lies behind the grid on which bars of this length begin; zero on it.

        Bars longer than a day begin at midnight UTC, on whichever day: exchanges count weeks and threes of days
        differently. Shorter ones are counted from the epoch or from midnight.
        """
        if self.months or self.nominal_ms >= DAY_MS:
            return created_ms % DAY_MS
        return min(created_ms % self.nominal_ms, created_ms % DAY_MS % self.nominal_ms)

    def start_of_bar(self, time_ms: int) -> int:
        """Return the start of the UTC bar that contains `time_ms`; weeks start on Monday."""
        if self.months:
            moment = datetime.fromtimestamp(time_ms / 1000, UTC)
            months = (moment.year - 1970) * 12 + moment.month - 1
            return _month_start(months - months % self.months)
        # 1970-01-01 was a Thursday: the first Monday lies four days after the epoch.
        origin = 4 * DAY_MS if self.nominal_ms % WEEK_MS == 0 else 0
        return time_ms - (time_ms - origin) % self.nominal_ms


@lru_cache(maxsize=256)
def parse_duration(text: str) -> Duration:
    """Read an ISO duration such as `PT1M`, or what people type at a prompt, such as `1m`, `4h` or `1d`."""
    match = _ISO.fullmatch(text)
    if match is None:
        typed = _TYPED.fullmatch(text.strip())
        if typed is None:
            raise InvalidDuration(
                f"{text!r} is not a duration: expected one like PT1M, PT4H, P1D, P1W, P1M (or 1m, 4h, 1d)"
            )
        return parse_duration(_TYPED_UNITS[typed[2]].format(typed[1]))
    count = int(match[1] or match[3])
    unit = f"T{match[2]}" if match[2] else match[4]
    canonical = f"PT{count}{match[2]}" if match[2] else f"P{count}{match[4]}"
    if count == 0:
        raise InvalidDuration(f"{text!r} is a duration of zero")
    return Duration(canonical, count * _ISO_UNIT_MS[unit], count if unit == "M" else 0)


def _add_months(time_ms: int, months: int) -> int:
    moment = datetime.fromtimestamp(time_ms / 1000, UTC)
    total = (moment.year - 1970) * 12 + moment.month - 1 + months
    month_start, next_start = _month_start(total), _month_start(total + 1)
    within = time_ms - _month_start(total - months)
    last_day = next_start - DAY_MS
    return min(month_start + within, last_day + within % DAY_MS)


def _month_start(months_since_epoch: int) -> int:
    year, month = divmod(months_since_epoch, 12)
    return int(datetime(1970 + year, month + 1, 1, tzinfo=UTC).timestamp()) * 1000
