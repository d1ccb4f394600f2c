"""Reads bodies: finds the rows where the table says they are, and makes contract rows of them. Pure.

A reply is empty only if its list of rows is there and empty. Everything else that is not as described is refused.
Decimals stay the texts they were sent as.
"""

from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any, Final

from series_pipelines.core.duration import Duration
from series_pipelines.errors import PageRefused
from series_pipelines.vendors.exchanges.classify import Response, read_complaint, says_success
from series_pipelines.vendors.exchanges.spec import BarColumns, Endpoint, Exchange, RateColumns

Bar = tuple[int, None, str, str, str, str, str, None]
Rate = tuple[int, str, str | None]

_TIME: Final = itemgetter(0)


def find_rows(exchange: Exchange, endpoint: Endpoint, body: Any) -> list[Any]:
    """Return the rows of a body that says all is well, or refuse it."""
    complaint, _ = read_complaint(exchange.envelope, body)
    if complaint is not None or (exchange.envelope.required and not says_success(exchange.envelope, body)):
        raise PageRefused(f"{exchange.name}: the reply does not say that it succeeded")
    found = body
    for name in endpoint.rows:
        found = found.get(name) if isinstance(found, dict) else None
    if not isinstance(found, list):
        raise PageRefused(f"{exchange.name}: the reply has no list of rows at {'.'.join(endpoint.rows) or 'its top'}")
    return found


def find_time(exchange: Exchange, body: Any, response: Response) -> int:
    """Return the server's time of this reply: the body's own, else this response's Date."""
    if exchange.envelope.clock is not None and isinstance(body, dict):
        said = str(body.get(exchange.envelope.clock))
        if said.isascii() and said.isdigit() and len(said) <= 15:
            return int(said)
    if response.date_ms is None:
        raise PageRefused(f"{exchange.name}: the reply does not say what time it is")
    return response.date_ms


def read_times(columns: BarColumns | RateColumns, rows: Sequence[Any]) -> list[int]:
    """Return when each row begins."""
    try:
        return [int(row[columns.created]) * columns.unit_ms for row in rows]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise PageRefused(f"a row does not say when it begins: {_shorten(rows[0])}") from error


def read_bars(columns: BarColumns, rows: Sequence[Any]) -> list[Bar]:
    """Make OHLC rows, oldest first."""
    if not rows:
        return []
    names = (columns.created, columns.open, columns.high, columns.low, columns.close, columns.volume)
    try:
        created, *decimals = _pick_columns(names, rows)
        times = [int(text) * columns.unit_ms for text in created]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise PageRefused(f"a bar has too few or other columns, of {_shorten(rows)}") from error
    # What else may stand there instead of a decimal is refused where pages are checked.
    if any(None in column for column in decimals):
        raise PageRefused(f"a bar has a value that is not a decimal, of {_shorten(rows)}")
    bars = list(zip(times, repeat(None), *decimals, repeat(None), strict=False))
    bars.sort(key=_TIME)
    return bars


def _pick_columns(names: Sequence[Any], rows: Sequence[Any]) -> Iterable[tuple[Any, ...]]:
    """Return columns by their names or positions; rows with positions must be equally long."""
    if all(isinstance(name, int) for name in names):
        table = list(zip(*rows, strict=True))
        return [table[position] for position in names]
    return zip(*map(itemgetter(*names), rows), strict=True)


def read_rates(columns: RateColumns, rows: Sequence[Any]) -> list[Rate]:
    """Make (created, rate, settlement price) of each row, oldest first."""
    rates: list[Rate] = []
    for row in rows:
        try:
            created_ms = int(row[columns.created]) * columns.unit_ms
            rate = next((row[key] for key in columns.rates if row.get(key) not in (None, "")), None)
        except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
            raise PageRefused(f"a rate has other fields: {_shorten(row)}") from error
        price = None if columns.price is None else row.get(columns.price) or None
        if type(rate) is not str or not (price is None or type(price) is str):
            raise PageRefused(f"a rate has a value that is not a decimal: {_shorten(row)}")
        rates.append((created_ms, rate, price))
    rates.sort(key=_TIME)
    return rates


def find_closed_time(columns: BarColumns, rows: Sequence[Any], duration: Duration, now_ms: int) -> int:
    """Return the time until which bars are final: the server's, but no later than a bar it calls forming allows."""
    if columns.flag is None:
        return now_ms
    try:
        forming = [int(row[columns.created]) * columns.unit_ms for row in rows if row[columns.flag] == columns.forming]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise PageRefused(f"a bar does not say whether it has closed: {_shorten(rows[0])}") from error
    return min([now_ms, *(duration.end_of_bar(created_ms) - 1 for created_ms in forming)])


def flip_sign(rate: str) -> str:
    """Return the negative of a decimal text, digit by digit the same; zero has no sign."""
    if not rate.lower().split("e")[0].strip("-0."):
        return rate.removeprefix("-")
    return rate[1:] if rate.startswith("-") else f"-{rate}"


def _shorten(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."
