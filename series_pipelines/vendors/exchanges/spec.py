"""The words in which `table.py` says how exchanges differ: endpoints, windows, rows, limits and errors.

Windows are half-open, [low, high), in epoch milliseconds; a `Bound` says how an endpoint wants one end of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from series_pipelines.core.duration import DAY_MS
from series_pipelines.vendors.contract import Direction

Key = int | str
"""A column of a row that is a list, or a field of one that is an object."""
Paging = Literal["window", "latest", "numbered", "lending"]
Kind = Literal["spot", "margin", "linear", "inverse", "swap"]


@dataclass(frozen=True, slots=True)
class Bound:
    """A parameter for one end of a window: `shift_ms` is added, then it is counted in `unit_ms`."""

    name: str
    shift_ms: int = 0
    unit_ms: int = 1


@dataclass(frozen=True, slots=True)
class BarColumns:
    """Where a bar's values stand. `volume` is in base currency unless the table says otherwise.

    A bar whose `flag` column holds `forming` has not closed yet, whatever the time.
    """

    created: Key
    open: Key
    high: Key
    low: Key
    close: Key
    volume: Key
    flag: Key | None = None
    forming: str = "0"
    unit_ms: int = 1


@dataclass(frozen=True, slots=True)
class RateColumns:
    """Where a rate's values stand. `rates` are tried in turn: the realized one first, where there is one."""

    created: Key
    rates: tuple[Key, ...]
    price: Key | None = None
    unit_ms: int = 1


@dataclass(frozen=True, slots=True)
class Recent:
    """A second endpoint for what is young: as far back as `reach_bars` bars or `reach_days` of that duration."""

    call: str
    group: str
    limit: int
    weight: int = 1
    reach_bars: int | None = None
    reach_days: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LongerBars:
    """Longer bars of the same endpoint, asked for only to see where earlier ones are."""

    interval: str
    bar_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One way to ask for rows and to read them.

    `call` is ccxt's implicit method, or its API and a path. In the values of `params`, {id}, {interval}, {limit} and
    {settle} are filled in. `open_ended`: the far bound may be left out, and the reply then holds the rows next to
    the near one; where it may not, `probe` sees further back. `cuts`: it is known to give rows outside the asked
    direction. `span_ms` is the window where it is not a page of bars; `keep_bars` is how far back it answers at all.
    """

    call: str
    direction: Direction
    limit: int
    rows: tuple[str, ...]
    columns: BarColumns | RateColumns
    params: Mapping[str, str]
    group: str
    weight: int = 1
    rows_per_weight: int | None = None
    low: Bound | None = None
    high: Bound | None = None
    nest: str | None = None
    paging: Paging = "window"
    page: str = ""
    open_ended: bool = True
    longer_bars: LongerBars | None = None
    cuts: bool = False
    span_ms: int | None = None
    max_span_ms: int | None = None
    keep_bars: int | None = None
    recent: Recent | None = None
    intervals: Mapping[str, str] = field(default_factory=dict)

    @property
    def far(self) -> Bound | None:
        """The end of the window away from the asked time."""
        return self.low if self.direction == "backward" else self.high


@dataclass(frozen=True, slots=True)
class Segment:
    """What is served under one prefix. `market` is the type that ccxt's fetch_markets is told to fetch for it."""

    prefix: str
    kind: Kind
    market: str
    ohlc: Endpoint
    rates: Endpoint | None = None
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pool:
    """What the exchange counts together: `weight` units in any `window_ms`. A ban covers all pools of a `host`."""

    weight: int
    window_ms: int
    host: str = "api"


@dataclass(frozen=True, slots=True)
class UsedHeader:
    """A header with the exchange's own count: what was used of `limit` in its window, or with `remaining` is left."""

    group: str
    header: str
    limit: int
    window_ms: int
    remaining: bool = False


@dataclass(frozen=True, slots=True)
class Cost:
    """What a request that is no page costs, by a part of its path."""

    path: str
    group: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Envelope:
    """How a body says that all is well: `code` is absent or one of `ok`; `message` explains what is not."""

    code: tuple[str, ...] = ()
    ok: tuple[str, ...] = ()
    message: tuple[str, ...] = ("msg", "message")
    required: bool = False
    clock: str | None = None


@dataclass(frozen=True, slots=True)
class Codes:
    """The exchange's own codes, or parts of its messages, and what they mean.

    `rejected_text` is the whole body of a 500 that is the request's fault.
    """

    busy: tuple[str, ...] = ()
    unavailable: tuple[str, ...] = ()
    timeout: tuple[str, ...] = ()
    banned: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    rejected_text: str | None = None
    ban_ms: int = 120_000


@dataclass(frozen=True, slots=True)
class Exchange:
    """All that is known of one exchange.

    `listed` and `delisted` are fields of a raw market, in milliseconds unless their name ends in `:s`; ccxt's own
    date of listing is moved by `created_shift_ms`. `keys`: whether credentials may be given to its client.
    """

    name: str
    offers: tuple[Segment, ...]
    pools: Mapping[str, Pool]
    costs: tuple[Cost, ...]
    envelope: Envelope
    codes: Codes
    used: tuple[UsedHeader, ...] = ()
    listed: tuple[str, ...] = ()
    delisted: tuple[str, ...] = ()
    created_shift_ms: int = 0
    id_field: str = "id"
    types_as_flags: bool = False
    settle_coins: Mapping[str, str] = field(default_factory=dict)
    grace_ms: int = 2_000
    keys: bool = True


YEAR_MS = 365 * DAY_MS
