"""Reads a page of bars column by column, which takes a fifth of the time that row by row would.

Only a page that is right at first sight is read so: rows in order, plain decimals, prices with as many digits before
the point, no closing times, and of each other value all or none. Whatever else a vendor sends is looked at closer by
`check`.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import chain
from operator import ge, gt, le
from typing import Any, Final

from series_pipelines.core.duration import Duration
from series_pipelines.core.tables import Column

_MOST_DIGITS: Final = 60
_LONGEST: Final = 2 * _MOST_DIGITS + 1

UsualBar = tuple[int, int, str, str, str, str, *tuple[str | None, ...]]


def read_usual_bars(
    rows: Sequence[Any], duration: Duration, last_moment_ms: int, known: Sequence[Column]
) -> list[UsualBar] | None:
    """Return the bars of a usual page, oldest first; None if the page is not one."""
    if not rows or duration.months or not set(map(type, rows)) <= {list, tuple}:
        return None
    # Before anything is made of them: a thousand rows may be the same list of a million values.
    if set(map(len, rows)) != {2 + len(known)}:
        return None
    created, closed, *decimals = zip(*rows, strict=True)
    if closed.count(None) != len(rows) or set(map(type, created)) != {int}:
        return None
    if created[0] > created[-1]:
        created, *decimals = (column[::-1] for column in (created, *decimals))
    ends = [created_ms + duration.nominal_ms for created_ms in created]
    if created[0] < 0 or created[-1] > last_moment_ms or any(map(gt, ends, created[1:])):
        return None
    given = [
        values
        for column, values in zip(known, decimals, strict=True)
        if column.is_required or values.count(None) != len(rows)
    ]
    if not _are_sound(*given):
        return None
    return list(zip(created, ends, *decimals, strict=False))


def _are_sound(first: Sequence[Any], high: Sequence[Any], low: Sequence[Any], last: Sequence[Any], *rest: Any) -> bool:
    """Whether all values are plain decimals, and each high and low enclose their open and close."""
    # A subclass of str may do anything when it is written later.
    if any(set(map(type, column)) != {str} for column in (first, high, low, last, *rest)):
        return False
    digits = len(first[0].partition(".")[0])
    if digits > _MOST_DIGITS:
        return False
    if not _are_decimals([first, high, low, last], f"{{{digits}}}") or not _are_decimals(rest, f"{{1,{_MOST_DIGITS}}}"):
        return False
    # With as many digits before the point, what is no less as a text is no less as a number.
    return (
        all(map(ge, high, first)) and all(map(ge, high, last)) and all(map(le, low, first)) and all(map(le, low, last))
    )


def _are_decimals(columns: Sequence[Sequence[Any]], digits: str) -> bool:
    values = list(chain.from_iterable(columns))
    # Before they are joined: a thousand values may be the same text of a million digits.
    if max(map(len, values), default=0) > _LONGEST:
        return False
    joined = "\n".join(values)
    return joined.count("\n") == len(values) - 1 and _lines_of_decimals(digits).fullmatch(joined) is not None


@cache
def _lines_of_decimals(digits: str) -> re.Pattern[str]:
    decimal = rf"[0-9]{digits}+(?:\.[0-9]{{0,{_MOST_DIGITS}}}+)?+"
    return re.compile(rf"(?:{decimal}\n)*+{decimal}")
