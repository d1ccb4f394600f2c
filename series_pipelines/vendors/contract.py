"""What a vendor is: services described by JSON schema, products, and one method that fetches a page.

`time` means: backward, the newest rows with `created_at < time`; forward, the oldest rows with
`created_at >= time`; in both, as many as the vendor gives in one page, counted in rows. Prices are the vendor's own
decimal strings. A vendor raises `VendorBackoff` (429, 503, time-out) or `VendorRejected`; what it returns is a reply
that arrived whole, and an empty one says "nothing there".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from series_pipelines.core.tables import INTEREST_RATE, OHLC

Direction = Literal["backward", "forward"]

INGEST_OHLC: Final = OHLC.method
INGEST_INTEREST_RATE: Final = INTEREST_RATE.method


@dataclass(frozen=True, slots=True)
class Limits:
    """What a service bears. `requests` per `window_ms` are counted over all processes under the name `budget`.

    `page_rows` is how many rows a page holds at most, if that is known: it saves forward vendors requests, and a hole
    longer than a full page (if not, than a hundred rows or those that the page has) is a gap to ask for. `on_grid` says
    that bars begin on the grid of their duration (those of a day and longer at midnight UTC); one that doesn't is
    refused.
    """

    concurrent: int = 1
    requests: int | None = None
    window_ms: int = 1_000
    budget: str | None = None
    grace_ms: int = 1_000
    page_rows: int | None = None
    on_grid: bool = True


@dataclass(frozen=True, slots=True)
class Budget:
    """What an exchange bears from one outgoing address: `weight` units in any `window_ms`, over all processes."""

    name: str
    weight: int
    window_ms: int


class Throttle(Protocol):
    """Where a vendor that makes its own requests asks before each of them. It is shared by all processes."""

    def take(self, budget: Budget, weight: int = 1) -> int:
        """Wait until the request may leave and return its ticket; raise VendorBusy while the circuit is open."""
        ...

    def settle(self, ticket: int) -> None:
        """Say that the request was answered, or never will be; until then it may still reach the exchange."""
        ...

    def note_used(self, budget: Budget, used: int) -> None:
        """Take the exchange's own count of the weight used in the running window, which others may have raised."""
        ...

    def open_circuit(self, budget: Budget, for_ms: int, reason: str) -> None:
        """Let no request of this budget leave for a while: the exchange has banned this address."""
        ...


@dataclass(frozen=True, slots=True)
class Service:
    """One offer: a method, the JSON schema of its request, and its limits."""

    method: str
    schema: Mapping[str, Any]
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Product:
    """A tradable thing as its vendor describes it; decimals are strings, times epoch milliseconds."""

    product_id: str
    name: str = ""
    base_currency: str = ""
    quote_currency: str = ""
    price_step: str | None = None
    volume_step: str | None = None
    value_scale: str | None = None
    allow_long: bool = True
    allow_short: bool = True
    no_interest_rate: bool = False
    market_id: str = ""
    listed_ms: int | None = None
    delisted_ms: int | None = None
    trading: bool = True
    """False for one that is listed but no longer traded; without `delisted_ms` it counts from when that was seen."""


@dataclass(frozen=True, slots=True)
class Request:
    """One page asked for. `duration` is None for interest rates."""

    method: str
    product_id: str
    duration: str | None
    direction: str
    time_ms: int

    def as_json(self) -> dict[str, object]:
        """Return the request as the schema describes it."""
        body: dict[str, object] = {
            "product_id": self.product_id,
            "direction": self.direction,
            "time": self.time_ms,
        }
        if self.duration is not None:
            body["duration"] = self.duration
        return body


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that arrived whole: rows as the vendor sent them, unchecked, and the vendor's own clock.

    An OHLC row is (created_ms, closed_ms or None, open, high, low, close, volume, open_interest or None); a rate
    row is (created_ms, long_rate, short_rate, settlement_price or None). Decimals are strings.
    """

    rows: Sequence[Sequence[Any]]
    now_ms: int


class Vendor(Protocol):
    """A source of series. It may change its services and products at any time; they are read again and again.

    A vendor that offers only some of what its exchange lists also has `still_listed(product_ids)`: which of these the
    exchange listed when `products` was last called. What is still listed is not wanted any more; the rest is delisted.
    """

    name: str

    def services(self) -> Sequence[Service]:
        """Return what this vendor serves now."""
        ...

    def products(self) -> Sequence[Product]:
        """Return every product it knows, delisted ones too; one that is missing later has been delisted."""
        ...

    def fetch(self, request: Request) -> Reply:
        """Fetch one page, or raise a VendorError."""
        ...
