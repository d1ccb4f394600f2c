"""Fetches the rows of one page, whichever way its endpoint pages. Everything outside comes in as a function.

`ask` sends one request for a window (and a page number) and returns what came back, read but not judged.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from series_pipelines.core.duration import Duration
from series_pipelines.core.ranges import MAX_OVERLAP_MS
from series_pipelines.vendors.contract import Reply
from series_pipelines.vendors.exchanges.numbered import PageMemory, fetch_before
from series_pipelines.vendors.exchanges.paging import MOST_DETOURS, Bounds, plan_bounds, plan_detours
from series_pipelines.vendors.exchanges.spec import BarColumns, Endpoint, RateColumns
from series_pipelines.vendors.exchanges.wire import Rate, find_closed_time, flip_sign, read_bars, read_rates, read_times


@dataclass(frozen=True, slots=True)
class Read:
    """The rows of one reply as they were sent, and the server's time."""

    rows: Sequence[Any]
    now_ms: int


AskWindow = Callable[[Bounds], Read]
AskPage = Callable[[int], Read]


def fetch_bounds(
    ask: AskWindow,
    endpoint: Endpoint,
    duration: Duration | None,
    time_ms: int,
    now_ms: int,
    ask_far: AskWindow,
    ask_probe: AskWindow | None = None,
) -> Reply:
    """Fetch a window; if nothing in it leads on, look further before that is believed."""
    window = plan_bounds(endpoint, duration, time_ms, now_ms)
    if window is None:
        return Reply([], now_ms)
    read = ask(window)
    if ask_probe is not None and not leads_on(endpoint, duration, read.rows, time_ms):
        read = _follow_probe(ask, ask_probe, endpoint, window, read)
        return make_reply(endpoint, duration, read, time_ms)
    for detour in plan_detours(endpoint, duration, window, now_ms):
        if leads_on(endpoint, duration, read.rows, time_ms):
            break
        found = ask_far(detour)
        is_open = detour.low is None or detour.high is None
        read = found if is_open and found.rows else Read([*read.rows, *found.rows], found.now_ms)
    return make_reply(endpoint, duration, read, time_ms)


def _follow_probe(ask: AskWindow, ask_probe: AskWindow, endpoint: Endpoint, window: Bounds, read: Read) -> Read:
    """Add the rows before an outage, if longer bars show that there are any."""
    probe = endpoint.longer_bars
    if probe is None or not window.low:
        return read
    seen = ask_probe(Bounds(max(0, window.low - endpoint.limit * probe.bar_ms), window.low))
    times = read_times(endpoint.columns, seen.rows)
    if not times:
        return Read(read.rows, seen.now_ms)
    high = min(window.low, max(times) + probe.bar_ms)
    found = ask(Bounds(max(0, high - (window.span_ms or 0)), high))
    return Read([*found.rows, *read.rows], found.now_ms)


def leads_on(endpoint: Endpoint, duration: Duration | None, rows: Sequence[Any], time_ms: int) -> bool:
    """Whether a row lies beyond the overlap with which pages are asked for; else there may be a hole behind it."""
    overlap_ms = MAX_OVERLAP_MS if duration is None else min(MAX_OVERLAP_MS, duration.nominal_ms)
    # Rows come in one order or the other, so that nearly always the outermost two tell; else all are looked at.
    for some in (rows[:: max(1, len(rows) - 1)], rows):
        times = read_times(endpoint.columns, some)
        if endpoint.direction == "backward" and min(times, default=time_ms) < time_ms - overlap_ms:
            return True
        if endpoint.direction == "forward" and max(times, default=time_ms) >= time_ms + overlap_ms:
            return True
    return False


def fetch_latest(ask: AskWindow, endpoint: Endpoint, duration: Duration | None, time_ms: int) -> Reply:
    """Fetch the newest rows, all that this endpoint gives, and keep what was asked for."""
    return make_reply(endpoint, duration, ask(Bounds(None, None)), time_ms)


def fetch_numbered(ask: AskPage, endpoint: Endpoint, series: str, time_ms: int, memory: PageMemory) -> Reply:
    """Fetch rates from numbered pages."""
    last = Read([], 0)

    def ask_rates(page: int) -> list[Rate]:
        nonlocal last
        last = ask(page)
        return read_rates(_rate_columns(endpoint), last.rows)

    rates = fetch_before(ask_rates, endpoint.limit, series, time_ms, memory)
    return Reply([_to_funding(rate) for rate in rates], last.now_ms)


def fetch_lending(ask_base: AskWindow, ask_quote: AskWindow, endpoint: Endpoint, time_ms: int, now_ms: int) -> Reply:
    """Fetch what both currencies of a pair cost to borrow, where both have a rate at the same time."""
    columns = _rate_columns(endpoint)
    asked_ms, server_ms = time_ms, now_ms
    held: list[tuple[int, str, str, None]] = []
    for _ in range(MOST_DETOURS):
        window = plan_bounds(endpoint, None, time_ms, now_ms)
        if window is None:
            break
        reads = [ask(window) for ask in (ask_base, ask_quote)]
        server_ms = min(read.now_ms for read in reads)
        rows = _join(*(read_rates(columns, read.rows) for read in reads), limit=endpoint.limit)
        held = rows + held
        if not window.low or any(row[0] < asked_ms - MAX_OVERLAP_MS for row in rows):
            return Reply(held, server_ms)
        newest = [_find_newest(columns, ask, window) for ask in (ask_base, ask_quote)]
        if None in newest:
            return Reply(held, server_ms)
        time_ms = min(time for time in newest if time is not None) + 1
    return Reply(held, server_ms)


def make_reply(endpoint: Endpoint, duration: Duration | None, read: Read, time_ms: int) -> Reply:
    """Make contract rows of what came back."""
    now_ms = read.now_ms
    rows: Sequence[tuple[Any, ...]]
    if isinstance(endpoint.columns, BarColumns):
        rows = read_bars(endpoint.columns, read.rows)
        if duration is not None:
            now_ms = find_closed_time(endpoint.columns, read.rows, duration, now_ms)
    else:
        rows = [_to_funding(rate) for rate in read_rates(endpoint.columns, read.rows)]
    if endpoint.cuts:
        backward = endpoint.direction == "backward"
        rows = [row for row in rows if (row[0] < time_ms) is backward]
    return Reply(rows, now_ms)


def _to_funding(rate: Rate) -> tuple[int, str, str, str | None]:
    return rate[0], flip_sign(rate[1]), rate[1].removeprefix("+"), rate[2]


def _join(base: list[Rate], quote: list[Rate], *, limit: int) -> list[tuple[int, str, str, None]]:
    # A full page may have been cut at its old end: before that the other currency's rows are not comparable.
    whole_from = max((rates[0][0] for rates in (base, quote) if len(rates) >= limit), default=0)
    borrowed = {created: rate for created, rate, _ in base}
    return [
        (created, flip_sign(rate), flip_sign(borrowed[created]), None)
        for created, rate, _ in quote
        if created in borrowed and created >= whole_from
    ]


def _find_newest(columns: RateColumns, ask: AskWindow, window: Bounds) -> int | None:
    rates = read_rates(columns, ask(Bounds(None, window.low)).rows)
    return rates[-1][0] if rates else None


def _rate_columns(endpoint: Endpoint) -> RateColumns:
    assert isinstance(endpoint.columns, RateColumns)
    return endpoint.columns
