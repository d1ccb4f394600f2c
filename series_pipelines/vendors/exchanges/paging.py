"""Turns the asked time into windows, and windows into parameters. Pure; the moment of now is an argument.

A window that comes back empty may lie in an outage: `plan_detours` says how to look further in the asked direction,
in a bounded number of requests, before "nothing there" is believed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from series_pipelines.core.duration import DAY_MS, HOUR_MS, Duration
from series_pipelines.vendors.exchanges.spec import Bound, Endpoint

MOST_DETOURS: Final = 8
SHORTEST_RATE_MS: Final = HOUR_MS
LONGEST_RATE_MS: Final = 8 * HOUR_MS


@dataclass(frozen=True, slots=True)
class Bounds:
    """Rows with low <= created < high; None is an open end."""

    low: int | None
    high: int | None

    @property
    def span_ms(self) -> int | None:
        return None if self.low is None or self.high is None else self.high - self.low


def choose_endpoint(endpoint: Endpoint, duration: Duration, time_ms: int, now_ms: int) -> Endpoint:
    """Return the endpoint for what is young if it reaches back a whole page from the asked time."""
    recent = endpoint.recent
    if recent is None:
        return endpoint
    days = recent.reach_days.get(duration.text)
    if days is not None:
        reach_ms = days * DAY_MS
    elif recent.reach_bars is not None:
        reach_ms = recent.reach_bars * duration.nominal_ms
    else:
        return endpoint
    young = replace(endpoint, call=recent.call, group=recent.group, limit=recent.limit, weight=recent.weight)
    window = _span(young, duration, time_ms)
    return young if window.low is not None and window.low >= now_ms - reach_ms else endpoint


def plan_bounds(endpoint: Endpoint, duration: Duration | None, time_ms: int, now_ms: int) -> Bounds | None:
    """Return the window of one page, or None if the exchange keeps nothing that was asked for."""
    kept_ms = _find_kept(endpoint, duration, now_ms)
    # Nothing begins later than the bar of now; the hour is for a clock of ours that is behind.
    last_ms = now_ms + max(HOUR_MS, duration.nominal_ms if duration else 0)
    if endpoint.direction == "forward":
        window = _span(endpoint, duration, max(time_ms, kept_ms))
        low, high = window.low or 0, window.high or last_ms
        return Bounds(low, max(low + 1, min(high, last_ms)))
    if time_ms <= kept_ms:
        return None
    time_ms = min(time_ms, last_ms)
    window = _span(endpoint, duration, time_ms)
    return replace(window, low=max(window.low or 0, kept_ms))


def plan_detours(endpoint: Endpoint, duration: Duration | None, window: Bounds, now_ms: int) -> Iterator[Bounds]:
    """Yield where to look on after an empty window; nothing if it already reached the end of what there can be."""
    if endpoint.far is None or window.low is None or window.high is None:
        return
    kept_ms = _find_kept(endpoint, duration, now_ms)
    if endpoint.direction == "backward":
        if window.low <= kept_ms:
            return
        if endpoint.open_ended:
            yield replace(window, low=None)
            return
    else:
        if window.high > now_ms:
            return
        if endpoint.open_ended:
            yield replace(window, high=None)
            return
    low, high = window.low, window.high
    span_ms = high - low
    for _ in range(MOST_DETOURS):
        if endpoint.direction == "backward":
            low, high = max(low - span_ms, kept_ms), low
            ended = low == kept_ms
        else:
            low, high = high, high + span_ms
            ended = high > now_ms
        yield Bounds(low, high)
        if ended:
            return


def fill_params(endpoint: Endpoint, names: Mapping[str, str], window: Bounds) -> dict[str, Any]:
    """Return the parameters of one request."""
    params: dict[str, Any] = {name: value.format_map(names) for name, value in endpoint.params.items()}
    if endpoint.low is not None and window.low is not None:
        params[endpoint.low.name] = _place(endpoint.low, window.low)
    if endpoint.high is not None and window.high is not None:
        params[endpoint.high.name] = _place(endpoint.high, window.high)
    if endpoint.nest is None:
        return params
    kind = params.pop("type")
    return {"type": kind, endpoint.nest: params}


def find_weight(endpoint: Endpoint, duration: Duration | None, window: Bounds, now_ms: int) -> int:
    """Return what a request costs, by the rows it may bring where the exchange counts them."""
    if endpoint.rows_per_weight is None:
        return endpoint.weight
    every_ms = SHORTEST_RATE_MS if duration is None else duration.nominal_ms
    rows = endpoint.limit
    if window.low is not None:
        until_ms = now_ms if window.high is None else min(window.high, now_ms)
        rows = max(1, min(rows, -((window.low - until_ms) // every_ms) + 1))
    return endpoint.weight - (-rows // endpoint.rows_per_weight)


def _span(endpoint: Endpoint, duration: Duration | None, time_ms: int) -> Bounds:
    if endpoint.span_ms is not None or duration is None:
        # How often rates come is not known here; a reply that is cut keeps what is next to the asked time.
        span_ms = endpoint.span_ms or endpoint.limit * LONGEST_RATE_MS
        backward_low, forward_high = time_ms - span_ms, time_ms + span_ms
    else:
        bars = endpoint.limit
        if endpoint.max_span_ms is not None:
            bars = max(1, min(bars, endpoint.max_span_ms // duration.nominal_ms))
        first_ms = duration.start_of_bar(max(0, time_ms - 1)) - (bars - 1) * duration.nominal_ms
        backward_low, forward_high = first_ms, time_ms + bars * duration.nominal_ms
    if endpoint.direction == "backward":
        return Bounds(max(0, backward_low), time_ms)
    return Bounds(max(0, time_ms), forward_high)


def _find_kept(endpoint: Endpoint, duration: Duration | None, now_ms: int) -> int:
    if endpoint.keep_bars is None or duration is None:
        return 0
    return max(0, duration.start_of_bar(now_ms) - (endpoint.keep_bars - 1) * duration.nominal_ms)


def _place(bound: Bound, time_ms: int) -> int:
    return max(0, time_ms + bound.shift_ms) // bound.unit_ms
