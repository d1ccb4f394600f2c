"""Times as people write and read them, from and to UTC epoch milliseconds."""

import re
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS
from series_pipelines.core.text import show_value
from series_pipelines.errors import InvalidInput

LAST_MOMENT_MS: Final = 253_402_300_799_999
"""The end of the year 9999: what is later can't be written as a date."""

# No week numbers, no lone years or hours: what is left has one meaning.
_MOMENT: Final = re.compile(
    r"[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?( ?(Z|[+-][0-9]{2}(:?[0-9]{2})?))?"
)
_TIME_RANGE: Final = re.compile(r"([0-9]{8})?-([0-9]{8})?")
_NUMBER: Final = re.compile(r"[+-]?[0-9.]+")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_FIRST_MS: Final = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MILLISECOND
_LAST_MS: Final = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MILLISECOND


def parse_time(text: str) -> int:
    """Read a whole ISO date or date and time; without a zone it is UTC.

    datetime.fromisoformat alone reads half of what it does not know: 20261101-20261102 would be 20:26 of a day.
    """
    typed = text.strip()
    try:
        if _MOMENT.fullmatch(typed):
            return date_to_ms(datetime.fromisoformat(typed))
    except ValueError as error:
        raise InvalidInput(f"{show_value(text)} is not a time: {error}") from error
    if (found := _TIME_RANGE.fullmatch(typed)) and any(found.groups()):
        ends = [f"its {name} is {part}" for name, part in zip(("start", "end"), found.groups(), strict=True) if part]
        raise InvalidInput(f"{typed!r} is a range, not a time: {', '.join(ends)}")
    hint = ", epoch numbers are not read" if _NUMBER.fullmatch(typed) else ""
    raise InvalidInput(f"{show_value(text)} is not a time: expected one like 2026-01-31 or 2026-01-31T08:00:00Z{hint}")


def date_to_ms(moment: date) -> int:
    """Return the first millisecond that is not before a moment; a date is its midnight, without a zone it is UTC."""
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    time_ms = -((_EPOCH - aware) // _MILLISECOND)
    if not _FIRST_MS <= time_ms <= _LAST_MS:
        raise InvalidInput(f"{moment} lies outside the years 1 to 9999")
    return time_ms


def format_time(time_ms: int) -> str:
    """Return a time for people: `2026-11-18 00:00:00Z`."""
    return f"{_format_day(time_ms // DAY_MS)} {_format_clock(time_ms % DAY_MS)[:8]}Z"


def format_iso(time_ms: int) -> str:
    """Return a time for programs, always equally long: `2026-11-18T00:00:00.000Z`."""
    return f"{_format_day(time_ms // DAY_MS)}T{_format_clock(time_ms % DAY_MS)}Z"


def format_span(span_ms: int) -> str:
    """Return a length of time for people: `45 s`, `12 min`, `3.5 h`, `2.0 d`."""
    if span_ms < 2 * MINUTE_MS:
        return f"{span_ms // 1000} s"
    if span_ms < 2 * HOUR_MS:
        return f"{span_ms // MINUTE_MS} min"
    return f"{span_ms / HOUR_MS:.1f} h" if span_ms < 2 * DAY_MS else f"{span_ms / DAY_MS:.1f} d"


@lru_cache(maxsize=4096)
def _format_day(days: int) -> str:
    return (_EPOCH + timedelta(days=days)).date().isoformat()


@lru_cache(maxsize=4096)
def _format_clock(within_ms: int) -> str:
    return (_EPOCH + timedelta(milliseconds=within_ms)).time().isoformat(timespec="milliseconds")
