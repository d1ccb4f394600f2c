"""The shapes between the server and an exchange's own module: what is asked, what is answered, how it is counted."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson

from .instruments import Instrument, Kind

Row = tuple[int, int, str, str, str, str, str]  # created, closed, open, high, low, close, volume
Rate = tuple[int, str, str]  # created, rate, settlement price


@dataclass(frozen=True, slots=True)
class Interval:
    """A bar length in the exchange's own words. Its bars begin `shift_ms` earlier than those of UTC."""

    duration: str
    shift_ms: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer. `rows` counts what a page carries; None is no page."""

    text: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    rows: int | None = None
    content_type: str = "application/json"


class Refused(Exception):
    """An answer that a handler gives up with."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.text)
        self.answer = answer


class Source(Protocol):
    """Where handlers take bars, rates and instruments from."""

    def listed(self, kind: str) -> list[Instrument]: ...

    def find(self, kind: str, instrument_id: str) -> Instrument | None: ...

    def bar_texts(
        self,
        instrument: Instrument,
        interval: str,
        *,
        now_ms: int,
        start_ms: int,
        end_ms: int,
        limit: int,
        newest: bool,
        forming: bool,
    ) -> list[str]: ...

    def rates(self, instrument: Instrument, now_ms: int) -> Sequence[Rate]: ...

    def lending_rates(self, currency: str, now_ms: int) -> Sequence[Rate]: ...


@dataclass(slots=True)
class Call:
    """One request and what an answer needs. `row_fault` spoils the page: duplicate, missing or forming."""

    path: str
    query: Mapping[str, Any]
    now_ms: int
    source: Source
    row_fault: str | None = None

    def whole(self, name: str) -> int | None:
        """Return a parameter as a whole number, None if it is absent or empty."""
        value = self.query.get(name)
        return None if value in (None, "") else int(float(value))

    def bars(
        self,
        instrument: Instrument,
        interval: str,
        *,
        start_ms: int | None = None,
        end_ms: int | None = None,
        limit: int,
        newest: bool,
        forming: bool = True,
    ) -> list[str]:
        """Return bars that begin in [start, end), oldest first: the newest or the oldest `limit` of them."""
        texts = self.source.bar_texts(
            instrument,
            interval,
            now_ms=self.now_ms,
            start_ms=0 if start_ms is None else start_ms,
            end_ms=self.now_ms + 1 if end_ms is None else end_ms,
            limit=limit,
            newest=newest,
            forming=forming or self.row_fault == "forming",
        )
        return self.spoil(texts)

    def spoil(self, rows: list[Any]) -> list[Any]:
        """Repeat or drop a row in the middle, if that is this call's fault."""
        middle = len(rows) // 2
        if self.row_fault == "duplicate" and rows:
            return [*rows[: middle + 1], *rows[middle:]]
        if self.row_fault == "missing" and len(rows) > 2:
            return [*rows[:middle], *rows[middle + 1 :]]
        return rows

    def rates(
        self,
        rates: Sequence[Rate],
        *,
        start_ms: int | None = None,
        end_ms: int | None = None,
        limit: int,
        newest: bool,
    ) -> list[Rate]:
        """Return rates settled in [start, end), oldest first: the newest or the oldest `limit` of them."""
        found = [
            rate for rate in rates if (start_ms is None or rate[0] >= start_ms) and (end_ms is None or rate[0] < end_ms)
        ]
        return self.spoil(found[-limit:] if newest else found[:limit])


Handler = Callable[[Call], Answer]


@dataclass(frozen=True)
class Exchange:
    """An exchange as data: its kinds, bar lengths, routes, how it writes a bar and how it says no.

    `refuse` knows "rate_limit", "banned" (with seconds left), "inside_200" and "unknown". `weigh` gives the pool a
    request counts in and its weight there.
    """

    name: str
    kinds: Mapping[str, Kind]
    intervals: Mapping[str, Interval]
    routes: Mapping[str, Handler]
    render_bar: Callable[[Instrument, Row, bool], str]
    refuse: Callable[[str, Call, int], Answer]
    weigh: Callable[[Call], tuple[str, int]] = lambda call: ("all", 1)
    count_headers: Callable[[str, int], Mapping[str, str]] | None = None

    def find_interval(self, duration: str) -> str:
        """Return the exchange's word for an ISO duration, the one whose bars begin with UTC's if there is one."""
        words = [word for word, interval in self.intervals.items() if interval.duration == duration]
        if not words:
            raise KeyError(f"{self.name} has no bars of {duration}")
        return min(words, key=lambda word: self.intervals[word].shift_ms)


def dump(value: Any) -> str:
    """Write JSON without spaces."""
    return orjson.dumps(value).decode()


def join_rows(texts: Sequence[str]) -> str:
    """Write a JSON list of texts that are JSON already."""
    return "[" + ",".join(texts) + "]"


def trim_zeros(decimal: str) -> str:
    """Write a decimal as a JSON number is written, without trailing zeros."""
    return decimal.rstrip("0").rstrip(".") if "." in decimal else decimal


def estimate_turnover(row: Row) -> str:
    """Return about what a bar's volume is worth in the quote currency."""
    return f"{float(row[5]) * float(row[6]):.4f}"
