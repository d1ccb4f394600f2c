"""Checks one vendor reply and makes a page of it: rows sorted, unique, closed, inside the asked direction.

Sorted and counted: rows out of order, repeated rows (the last one stands). Trimmed and counted: rows outside the
asked direction, forming bars. Refused whole: rows of a wrong shape, values that are not finite decimals, negative
volume, high or low that do not enclose open and close, bars that overlap each other or lie beside their duration's
grid, rows from before or after the product's possible life, more rows than a page may have, a reply in which no row
lies in the asked direction. A refused page fails its series; only a well-formed reply without rows is empty.
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
from series_pipelines.core.ranges import Range, find_missing
from series_pipelines.core.tables import Column, SeriesTable
from series_pipelines.core.text import name_type, show_value
from series_pipelines.core.times import LAST_MOMENT_MS, format_time
from series_pipelines.errors import PageRefused
from series_pipelines.ingest.pages.usual_bars import read_usual_bars

BarRow = tuple[int, int, str, str, str, str, *tuple[str | None, ...]]
"""created_ms, closed_ms, open, high, low, close, and what else its table has"""
InstantRow = tuple[int, *tuple[str | None, ...]]
"""created_ms, and the values that its table has"""

MOST_ROWS: Final = 20_000
"""A longer reply is not a page: it would take memory and time that belong to others."""
PRESUMED_ROWS: Final = 100
"""A page is taken to have room for so many rows where its vendor does not say: a longer hole costs two more requests,
and one that is believed wrongly is never asked for again."""
LIFE_SLACK_MS: Final = 366 * DAY_MS
"""Listing and delisting dates are hints: rows are known from weeks before one, never from years."""
SECONDS_UNTIL_2100: Final = 4_102_444_800
"""A time below this, taken as milliseconds, lies in the first weeks of 1970: it was meant in seconds."""
ALL_TIME: Final = Range(0, LAST_MOMENT_MS + 1)
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

    rows: Sequence[BarRow] | Sequence[InstantRow]
    range: Range | None
    received: int
    duplicates: int = 0
    outside: int = 0
    forming: int = 0
    holes: tuple[Range, ...] = ()
    """Where the vendor, in the midst of what it gave, says that no bar is."""
    may_lie_across: bool = False
    """Whether bars could lie across stored ones: no grid that they keep says otherwise."""
    breaks: tuple[Range, ...] = ()
    """Holes longer than one page can span: such a page does not say what is in them, so they are gaps."""

    @property
    def stretches(self) -> list[Range]:
        """The time that the page covers: its range without its breaks."""
        return find_missing(self.breaks, self.range) if self.range is not None else []

    @property
    def is_empty(self) -> bool:
        """Whether the vendor said that nothing is there."""
        return self.received == 0


def find_possible_life(listed_ms: int | None, delisted_ms: int | None) -> Range:
    """Return the time in which rows of a product can lie."""
    start_ms = SECONDS_UNTIL_2100 if listed_ms is None else max(SECONDS_UNTIL_2100, listed_ms - LIFE_SLACK_MS)
    end_ms = LAST_MOMENT_MS if delisted_ms is None else min(LAST_MOMENT_MS, delisted_ms + LIFE_SLACK_MS)
    # Dates that contradict each other say nothing.
    return Range(start_ms, end_ms) if start_ms < end_ms else Range(SECONDS_UNTIL_2100, LAST_MOMENT_MS)


def check_bar_page(
    table: SeriesTable,
    rows: Any,
    *,
    direction: str,
    time_ms: int,
    duration: Duration,
    closed_before_ms: int,
    life: Range = ALL_TIME,
    on_grid: bool = False,
    page_rows: int | None = None,
) -> Page:
    """Make a page of the bars of a table that closed at or before `closed_before_ms`.

    `page_rows` is how many rows one page of this vendor can have, if it says so, and so how much time it can speak of.
    """
    received = _check_rows(rows)
    ordered: Sequence[BarRow]
    usual = read_usual_bars(rows, duration, LAST_MOMENT_MS, table.columns)
    if usual is None:
        ordered, outside = _check_bars(table, rows, direction, time_ms, duration)
    else:
        position = bisect_left(usual, time_ms, key=_CREATED)
        ordered = usual[:position] if direction == "backward" else usual[position:]
        outside = received - len(ordered)
    _check_some_inside(received, outside, direction, time_ms)
    _check_life(ordered, life)
    # Usual bars are all as long as their duration: if they are as long as all of the time, nothing is between them.
    is_whole = (
        usual is not None and bool(ordered) and (ordered[-1][1] - ordered[0][0] == len(ordered) * duration.nominal_ms)
    )
    if on_grid:
        _check_grid(ordered[:1] if is_whole else ordered, duration)
    closed = len(ordered)
    while closed and max(ordered[closed - 1][1], duration.end_of_bar(ordered[closed - 1][0])) > closed_before_ms:
        closed -= 1
    final = ordered[:closed]
    holes = () if is_whole else _find_holes(final)
    longest_ms = _find_span_rows(page_rows, len(final)) * duration.nominal_ms
    return Page(
        rows=final,
        range=Range(final[0][0], final[-1][1]) if final else None,
        received=received,
        duplicates=received - outside - len(ordered),
        outside=outside,
        forming=len(ordered) - closed,
        holes=tuple(hole for hole in holes if hole.end_ms - hole.start_ms <= longest_ms),
        # Where bars do not divide a day, their grid may begin at the epoch or at midnight.
        may_lie_across=not on_grid or DAY_MS % duration.nominal_ms != 0,
        breaks=tuple(hole for hole in holes if hole.end_ms - hole.start_ms > longest_ms),
    )


def _check_bars(
    table: SeriesTable, rows: Sequence[Any], direction: str, time_ms: int, duration: Duration
) -> tuple[list[BarRow], int]:
    """Check bar by bar; return those in the asked direction, oldest first, and how many were outside of it."""
    bars: dict[int, BarRow] = {}
    outside, width = 0, 2 + len(table.columns)
    for row in rows:
        created_ms = _check_time(row, width)
        if (created_ms >= time_ms) if direction == "backward" else (created_ms < time_ms):
            outside += 1
            continue
        bars[created_ms] = _check_bar(table, row, created_ms, duration)
    ordered = [bars[created_ms] for created_ms in sorted(bars)]
    previous_closed_ms = 0
    for bar in ordered:
        if bar[0] < previous_closed_ms:
            raise PageRefused(f"the bar at {bar[0]} begins before the one before it has closed")
        previous_closed_ms = bar[1]
    return ordered, outside


def _check_life(rows: Sequence[BarRow] | Sequence[InstantRow], life: Range) -> None:
    for row in (*rows[:1], *rows[-1:]):
        if not life.start_ms <= row[0] < life.end_ms:
            side = "before" if row[0] < life.start_ms else "after"
            raise PageRefused(f"a row at {row[0]} ({format_time(row[0])}) lies long {side} the product's life")


def _check_grid(bars: Sequence[BarRow], duration: Duration) -> None:
    for bar in bars:
        if beside_ms := duration.find_offset(bar[0]):
            raise PageRefused(f"the bar at {bar[0]} lies {beside_ms} ms beside the grid of {duration.text}")


def _find_span_rows(page_rows: int | None, rows: int) -> int:
    """Return how many rows fit into the time of which a page of so many rows can speak."""
    return min(MOST_ROWS, page_rows or max(PRESUMED_ROWS, rows))


def _find_holes(bars: Sequence[BarRow]) -> tuple[Range, ...]:
    return tuple(Range(left[1], right[0]) for left, right in pairwise(bars) if left[1] < right[0])


def check_instant_page(
    table: SeriesTable,
    rows: Any,
    *,
    direction: str,
    time_ms: int,
    closed_before_ms: int,
    life: Range = ALL_TIME,
    page_rows: int | None = None,
) -> Page:
    """Make a page of the rows of a table that took effect at or before `closed_before_ms`; `page_rows` as of bars."""
    received = _check_rows(rows)
    known: dict[int, InstantRow] = {}
    outside = forming = 0
    width = 1 + len(table.columns)
    for row in rows:
        created_ms = _check_time(row, width)
        if (created_ms >= time_ms) if direction == "backward" else (created_ms < time_ms):
            outside += 1
        elif created_ms > closed_before_ms:
            forming += 1
        else:
            known[created_ms] = (created_ms, *_check_values(table, row[1:], created_ms, table.columns))
    _check_some_inside(received, outside, direction, time_ms)
    ordered = [known[created_ms] for created_ms in sorted(known)]
    _check_life(ordered, life)
    longest_ms = _find_span_rows(page_rows, len(ordered)) * table.long_interval_ms
    return Page(
        rows=ordered,
        range=Range(ordered[0][0], ordered[-1][0] + 1) if ordered else None,
        received=received,
        duplicates=received - outside - forming - len(ordered),
        outside=outside,
        forming=forming,
        breaks=tuple(
            Range(left[0] + 1, right[0]) for left, right in pairwise(ordered) if right[0] - left[0] - 1 > longest_ms
        ),
    )


def _check_rows(rows: Any) -> int:
    # What a class of its own says of its length, and gives when it is gone through, may be anything, without end too.
    if type(rows) not in (list, tuple):
        raise PageRefused(f"the reply's rows are not a list but {name_type(rows)}")
    received = len(rows)
    if received > MOST_ROWS:
        raise PageRefused(f"the reply has {received} rows, and a page may have {MOST_ROWS}")
    return received


def _check_time(row: Any, width: int) -> int:
    if type(row) not in (list, tuple) or len(row) != width:
        raise PageRefused(f"a row must be a list of {width} values, not {show_value(row)}")
    created_ms = row[0]
    if type(created_ms) is not int or not 0 <= created_ms <= LAST_MOMENT_MS:
        raise PageRefused(f"a row's time must be epoch milliseconds, not {show_value(created_ms)}")
    return created_ms


def _check_some_inside(received: int, outside: int, direction: str, time_ms: int) -> None:
    if received and received == outside:
        side = "before" if direction == "backward" else "at or after"
        raise PageRefused(f"none of the {received} rows lies {side} the asked time {time_ms}")


def _check_bar(table: SeriesTable, row: Sequence[Any], created_ms: int, duration: Duration) -> BarRow:
    _, closed_ms, open_, high, low, close, *rest = row
    # A subclass of str may do anything when it is formatted, now or when it is written.
    if not (type(open_) is type(high) is type(low) is type(close) is str) or (
        _FOUR_PRICES.fullmatch(f"{open_}\t{high}\t{low}\t{close}") is None
    ):
        raise PageRefused(f"the {table.noun} at {created_ms} has a price that is not a decimal: {show_value(row[2:6])}")
    highest, lowest, first, last = float(high), float(low), float(open_), float(close)
    if not (highest >= first >= lowest and highest >= last >= lowest) or not _encloses(open_, high, low, close):
        raise PageRefused(f"the {table.noun} at {created_ms} has high {high} and low {low} around {open_} and {close}")
    _check_values(table, rest, created_ms, table.columns[4:])
    return (created_ms, _check_close(created_ms, closed_ms, duration), open_, high, low, close, *rest)


def _check_values(
    table: SeriesTable, values: Sequence[Any], created_ms: int, columns: Sequence[Column]
) -> Sequence[str | None]:
    for column, value in zip(columns, values, strict=True):
        if value is None and not column.is_required:
            continue
        shape, bound = (_NUMBER, "") if column.may_be_negative else (_NOT_NEGATIVE, " of zero or more")
        # A subclass of str may do anything when it is written later.
        if type(value) is not str or shape.fullmatch(value) is None:
            name, told = column.name.replace("_", " "), show_value(value)
            raise PageRefused(f"the {table.noun} at {created_ms} has {name} {told}: not a decimal string{bound}")
    return values


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
        raise PageRefused(f"the bar at {created_ms} can't close at {show_value(closed_ms)}")
    return expected_ms if abs(expected_ms - closed_ms) <= CLOSE_TOLERANCE_MS else closed_ms
