"""Times as people write and read them, from and to UTC epoch milliseconds."""

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS
from series_pipelines.errors import InvalidInput

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_FIRST_MS: Final = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MILLISECOND
_LAST_MS: Final = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MILLISECOND


def parse_time(text: str) -> int:
    """Read an ISO date or time; without a zone it is UTC."""
    try:
        return date_to_ms(datetime.fromisoformat(text.strip()))
    except ValueError as error:
        raise InvalidInput(f"{text!r} is not a time: expected one like 2026-01-31 or 2026-01-31T08:00:00Z") from error


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
