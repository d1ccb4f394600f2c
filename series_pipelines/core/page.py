"""Checks one vendor reply and makes a page of it: rows sorted, unique, closed, inside the asked direction.

Sorted and counted: rows out of order, repeated rows (the last one stands). Trimmed and counted: rows outside the
asked direction, forming bars. Refused whole: rows of a wrong shape, values that are not finite decimals, negative
volume, high or low that do not enclose open and close, bars that overlap each other, a reply in which no row lies in
the asked direction. A refused page fails its series; only a well-formed reply without rows is empty.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from operator import itemgetter
from typing import Any, Final

from series_pipelines.core.duration import DAY_MS, Duration
from series_pipelines.core.ranges import Range
from series_pipelines.core.usual_bars import read_usual_bars
from series_pipelines.errors import PageRefused

BarRow = tuple[int, int, str, str, str, str, str | None, str | None]
"""created_ms, closed_ms, open, high, low, close, volume, open_interest"""
RateRow = tuple[int, str, str, str | None]
"""created_ms, long_rate, short_rate, settlement_price"""

LAST_MOMENT_MS: Final = 253_402_300_799_999
# Some exchanges say 59.999 for the end of a minute; a range that ends there would leave a gap of one millisecond.
CLOSE_TOLERANCE_MS: Final = 1_000
_CREATED: Final = itemgetter(0)

_DECIMAL: Final = r"-?[0-9]{1,60}+(?:\.[0-9]{0,60}+)?+(?:[eE][+-]?[0-9]{1,3}+)?+"
_FOUR_PRICES: Final = re.compile("\t".join([_DECIMAL] * 4))
_NUMBER: Final = re.compile(_DECIMAL)
_NOT_NEGATIVE: Final = re.compile(_DECIMAL.removeprefix("-?"))


@dataclass(frozen=True, slots=True)
class Page:
    """What a reply is worth: its rows, the range they cover, and what was left out on the way."""

    rows: Sequence[BarRow] | Sequence[RateRow]
    range: Range | None
    received: int
    duplicates: int = 0
    outside: int = 0
    forming: int = 0
    holes: tuple[Range, ...] = ()
    """Where the vendor, in the midst of what it gave, says that no bar is."""

    @property
    def is_empty(self) -> bool:
        """Whether the vendor said that nothing is there."""
        return self.received == 0


def check_ohlc_page(rows: Any, *, direction: str, time_ms: int, duration: Duration, closed_before_ms: int) -> Page:
    """Make a page of OHLC rows whose bars closed at or before `closed_before_ms`."""
    received = _check_rows(rows)
    ordered: Sequence[BarRow]
    usual = read_usual_bars(rows, duration, LAST_MOMENT_MS)
    if usual is None:
        ordered, outside = _check_bars(rows, direction, time_ms, duration)
    else:
        position = bisect_left(usual, time_ms, key=_CREATED)
        ordered = usual[:position] if direction == "backward" else usual[position:]
        outside = received - len(ordered)
    _check_some_inside(received, outside, direction, time_ms)
    closed = len(ordered)
    while closed and max(ordered[closed - 1][1], duration.end_of_bar(ordered[closed - 1][0])) > closed_before_ms:
        closed -= 1
    final = ordered[:closed]
    # Usual bars are all as long as their duration: if they are as long as all of the time, nothing is between them.
    is_whole = usual is not None and bool(final) and final[-1][1] - final[0][0] == closed * duration.nominal_ms
    return Page(
        rows=final,
        range=Range(final[0][0], final[-1][1]) if final else None,
        received=received,
        duplicates=received - outside - len(ordered),
        outside=outside,
        forming=len(ordered) - closed,
        holes=() if is_whole else _find_holes(final),
    )


def _check_bars(rows: Sequence[Any], direction: str, time_ms: int, duration: Duration) -> tuple[list[BarRow], int]:
    """Check bar by bar; return those in the asked direction, oldest first, and how many were outside of it."""
    bars: dict[int, BarRow] = {}
    outside = 0
    for row in rows:
        created_ms = _check_time(row, 8)
        if (created_ms >= time_ms) if direction == "backward" else (created_ms < time_ms):
            outside += 1
            continue
        bars[created_ms] = _check_bar(row, created_ms, duration)
    ordered = [bars[created_ms] for created_ms in sorted(bars)]
    previous_closed_ms = 0
    for bar in ordered:
        if bar[0] < previous_closed_ms:
            raise PageRefused(f"the bar at {bar[0]} begins before the one before it has closed")
        previous_closed_ms = bar[1]
    return ordered, outside


def _find_holes(bars: Sequence[BarRow]) -> tuple[Range, ...]:
    return tuple(Range(left[1], right[0]) for left, right in pairwise(bars) if left[1] < right[0])


def check_rate_page(rows: Any, *, direction: str, time_ms: int, closed_before_ms: int) -> Page:
    """Make a page of interest or funding rates that took effect at or before `closed_before_ms`."""
    received = _check_rows(rows)
    rates: dict[int, RateRow] = {}
    outside = forming = 0
    for row in rows:
        created_ms = _check_time(row, 4)
        if (created_ms >= time_ms) if direction == "backward" else (created_ms < time_ms):
            outside += 1
        elif created_ms > closed_before_ms:
            forming += 1
        else:
            rates[created_ms] = _check_rate(row, created_ms)
    _check_some_inside(received, outside, direction, time_ms)
    ordered = [rates[created_ms] for created_ms in sorted(rates)]
    return Page(
        rows=ordered,
        range=Range(ordered[0][0], ordered[-1][0] + 1) if ordered else None,
        received=received,
        duplicates=received - outside - forming - len(ordered),
        outside=outside,
        forming=forming,
    )


def _check_rows(rows: Any) -> int:
    if not isinstance(rows, list | tuple):
        raise PageRefused(f"the reply's rows are not a list but {type(rows).__name__}")
    return len(rows)


def _check_time(row: Any, width: int) -> int:
    if not isinstance(row, (list, tuple)) or len(row) != width:
        raise PageRefused(f"a row must be a list of {width} values, not {_shorten(row)}")
    created_ms = row[0]
    if type(created_ms) is not int or not 0 <= created_ms <= LAST_MOMENT_MS:
        raise PageRefused(f"a row's time must be epoch milliseconds, not {_shorten(created_ms)}")
    return created_ms


def _check_some_inside(received: int, outside: int, direction: str, time_ms: int) -> None:
    if received and received == outside:
        side = "before" if direction == "backward" else "at or after"
        raise PageRefused(f"none of the {received} rows lies {side} the asked time {time_ms}")


def _check_bar(row: Sequence[Any], created_ms: int, duration: Duration) -> BarRow:
    _, closed_ms, open_, high, low, close, volume, open_interest = row
    try:
        if _FOUR_PRICES.fullmatch(f"{open_}\t{high}\t{low}\t{close}") is None or not (
            type(open_) is type(high) is type(low) is type(close) is str
        ):
            raise PageRefused(f"the bar at {created_ms} has a price that is not a decimal: {_shorten(row[2:6])}")
        highest, lowest, first, last = float(high), float(low), float(open_), float(close)
        if not (highest >= first >= lowest and highest >= last >= lowest) or not _encloses(open_, high, low, close):
            raise PageRefused(f"the bar at {created_ms} has high {high} and low {low} around {open_} and {close}")
        if volume is not None and _NOT_NEGATIVE.fullmatch(volume) is None:
            raise PageRefused(f"the bar at {created_ms} has volume {_shorten(volume)}: not a decimal of zero or more")
        if open_interest is not None and _NOT_NEGATIVE.fullmatch(open_interest) is None:
            raise PageRefused(f"the bar at {created_ms} has open interest {_shorten(open_interest)}: not a decimal")
    except TypeError as error:
        raise PageRefused(
            f"the bar at {created_ms} has a value that is not a decimal string: {_shorten(row)}"
        ) from error
    return (
        created_ms,
        _check_close(created_ms, closed_ms, duration),
        open_,
        high,
        low,
        close,
        volume,
        open_interest,
    )


def _encloses(open_: str, high: str, low: str, close: str) -> bool:
    # Floats round monotonically, so they only hide a violation where two different texts are equal floats.
    if open_ == high == low == close:
        return True
    if (high, low) in ((open_, close), (close, open_)) and float(high) > float(low):
        return True
    inner = (float(open_), float(close))
    if float(high) > max(inner) and float(low) < min(inner):
        return True
    values = (Decimal(open_), Decimal(close))
    return Decimal(high) >= max(values) and Decimal(low) <= min(values)


def _check_close(created_ms: int, closed_ms: Any, duration: Duration) -> int:
    try:
        expected_ms = duration.end_of_bar(created_ms)
    except (OverflowError, ValueError) as error:
        raise PageRefused(f"the bar at {created_ms} closes after the end of time") from error
    if closed_ms is None or closed_ms == expected_ms:
        return expected_ms
    # A month that starts elsewhere than at midnight UTC may end up to four days later than the calendar says.
    latest_ms = expected_ms + (4 * DAY_MS if duration.months else CLOSE_TOLERANCE_MS)
    if type(closed_ms) is not int or not created_ms < closed_ms <= latest_ms:
        raise PageRefused(f"the bar at {created_ms} can't close at {_shorten(closed_ms)}")
    return expected_ms if abs(expected_ms - closed_ms) <= CLOSE_TOLERANCE_MS else closed_ms


def _check_rate(row: Sequence[Any], created_ms: int) -> RateRow:
    _, long_rate, short_rate, settlement_price = row
    values = [long_rate, short_rate] if settlement_price is None else [long_rate, short_rate, settlement_price]
    for value in values:
        if not isinstance(value, str) or _NUMBER.fullmatch(value) is None:
            raise PageRefused(f"the rate at {created_ms} has a value that is not a decimal string: {_shorten(value)}")
    return (created_ms, long_rate, short_rate, settlement_price)


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
