"""Two make-believe exchanges inside the process: `demo-a` pages backward, `demo-b` forward.

What they say depends only on seed, epoch and their clock. They play the exchange's server, so they have a clock of
their own. `DemoVendor` serves any products with any services, for tests; `create` makes the two from options.
"""

import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from hashlib import blake2b
from threading import Lock
from typing import Any, Final, Literal

import numpy as np

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS, parse_duration
from series_pipelines.errors import InvalidInput, VendorBusy, VendorRejected, VendorTimeout, VendorUnavailable
from series_pipelines.vendors.contract import (
    INGEST_INTEREST_RATE,
    INGEST_OHLC,
    Direction,
    Limits,
    Product,
    Reply,
    Request,
    Service,
    Vendor,
)
from series_pipelines.vendors.demo.market import DemoProduct, Grid, Ints, Market

Fault = Literal["busy", "unavailable", "timeout", "malformed"]

FAULTS: Final[tuple[Fault, ...]] = ("busy", "unavailable", "timeout", "malformed")
DURATIONS: Final = ("PT1M", "PT5M", "PT15M", "PT1H", "PT4H", "P1D")
EPOCH_MS: Final = 1_793_491_200_000  # 2026-11-01T00:00Z
MOST_PRODUCTS: Final = 40_000

_MALFORMED_BODIES: Final[tuple[Any, ...]] = (
    "<html><body><h1>502 Bad Gateway</h1></body></html>",
    [["oops"]],
    [[1_793_491_200_000, "12."]],
)
# base currency: (about what it costs, price step, volume step)
_KNOWN_BASES: Final = {
    "BTC": (68_000.0, "0.1", "0.0001"),
    "ETH": (2_600.0, "0.01", "0.001"),
    "SOL": (170.0, "0.01", "0.01"),
    "LUNA": (0.4, "0.0001", "1"),
    "OKB": (38.0, "0.001", "0.01"),
    "XRP": (0.52, "0.00001", "1"),
    "XAUT": (2_700.0, "0.1", "0.001"),
    "BNB": (590.0, "0.01", "0.001"),
    "DOGE": (0.16, "0.00001", "1"),
    "ADA": (0.35, "0.00001", "1"),
    "TRX": (0.16, "0.00001", "1"),
    "AVAX": (25.0, "0.001", "0.1"),
    "LINK": (11.5, "0.001", "0.1"),
    "DOT": (4.1, "0.0001", "0.1"),
    "TON": (4.8, "0.0001", "0.1"),
    "LTC": (70.0, "0.01", "0.01"),
    "BCH": (350.0, "0.01", "0.001"),
    "NEAR": (4.2, "0.0001", "0.1"),
    "UNI": (7.6, "0.0001", "0.1"),
    "APT": (9.0, "0.0001", "0.1"),
    "ETC": (18.5, "0.001", "0.1"),
    "XLM": (0.094, "0.000001", "1"),
    "FIL": (3.6, "0.0001", "0.1"),
    "ATOM": (4.4, "0.0001", "0.1"),
    "ARB": (0.52, "0.00001", "1"),
    "OP": (1.5, "0.0001", "1"),
    "INJ": (18.0, "0.001", "0.1"),
    "SUI": (1.9, "0.0001", "1"),
    "TIA": (4.7, "0.0001", "0.1"),
    "AAVE": (145.0, "0.01", "0.01"),
}
_DELISTED, _SHORT_MEMORY, _OUTAGE, _NO_RATE = "LUNA", "OKB", "XRP", "XAUT"
_OLD_LISTING_DAYS: Final = {"SWAP/BTC": 120, "SWAP/ETH": 90, "SPOT/BTC": 60}


def _read_clock() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class DemoService:
    """One offer of a demo vendor: at most `page_rows` rows a page. Rates need no durations."""

    method: str
    prefix: str
    direction: Direction
    page_rows: int
    durations: tuple[str, ...] = DURATIONS
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.page_rows < 1:
            raise InvalidInput(f"a page holds at least one row, not {self.page_rows}")

    def as_service(self) -> Service:
        """Return the offer as the contract describes it."""
        properties: dict[str, object] = {
            "product_id": {"type": "string", "pattern": "^" + re.escape(self.prefix)},
            "direction": {"const": self.direction},
            "time": {"type": "integer", "minimum": 0},
        }
        if self.method == INGEST_OHLC:
            properties["duration"] = {"enum": list(self.durations)}
        schema = {"type": "object", "properties": properties, "required": sorted(properties)}
        return Service(self.method, schema, self.limits)


class DemoVendor:
    """An exchange that serves what its products' lives and its clock allow. Every public attribute may be set."""

    def __init__(
        self,
        name: str,
        services: Sequence[DemoService],
        products: Sequence[DemoProduct],
        *,
        seed: int = 1,
        clock: Callable[[], int] = _read_clock,
        sleep: Callable[[float], None] = time.sleep,
        latency_ms: int = 0,
        error_rate: float = 0.0,
        faults: Sequence[Fault] = FAULTS,
    ) -> None:
        self.name = name
        self.offers = list(services)
        self.clock = clock
        self.sleep = sleep
        self.latency_ms = latency_ms
        self.error_rate = error_rate
        self.faults = tuple(faults)
        self.requests_served = 0
        self._seed = seed
        self._lives = {life.product_id: life for life in products}
        self._markets: dict[str, Market] = {}
        self._chance = random.Random(f"{seed}/{name}")
        self._lock = Lock()

    def services(self) -> list[Service]:
        """Return what this vendor serves now."""
        return [offer.as_service() for offer in self.offers]

    def products(self) -> list[Product]:
        """Return every product, the delisted one too."""
        return [life.product for life in self._lives.values()]

    def fetch(self, request: Request) -> Reply:
        """Fetch one page, or fail as the error rate demands."""
        with self._lock:
            self.requests_served += 1
            luck, kind, detail = (self._chance.random() for _ in range(3))
        if self.latency_ms:
            self.sleep(self.latency_ms / 1000)
        now_ms = self.clock()
        if luck < self.error_rate:
            return self._fail(self.faults[int(kind * len(self.faults))], detail, now_ms)
        offer, life = self._find_offer(request.method, request.product_id, request.duration, request.direction)
        grid = _grid(life, request.duration if request.method == INGEST_OHLC else None)
        indices = _page(grid, life, offer, request.time_ms, now_ms)
        if not len(indices):
            return Reply([], now_ms)
        market = self._market(life)
        if request.method == INGEST_OHLC:
            return Reply(market.ohlc_rows(grid, indices, now_ms), now_ms)
        return Reply(market.rate_rows(grid, indices), now_ms)

    def expected_rows(self, product_id: str, duration: str | None, now_ms: int) -> list[int]:
        """Return when each final row begins that this vendor can give at `now_ms`; without a duration, rates."""
        method = INGEST_INTEREST_RATE if duration is None else INGEST_OHLC
        offer, life = self._find_offer(method, product_id, duration)
        grid = _grid(life, duration)
        indices = _number_rows(list(grid.find_stretches(life, now_ms)))
        known_ms = grid.starts(indices) if duration is None else grid.ends(indices)
        final = known_ms <= now_ms - offer.limits.grace_ms
        return [int(start_ms) for start_ms in grid.starts(indices[final])]

    def _find_offer(
        self, method: str, product_id: str, duration: str | None, direction: str | None = None
    ) -> tuple[DemoService, DemoProduct]:
        life = self._lives.get(product_id)
        if life is None:
            raise VendorRejected(f"{self.name}: no product {product_id!r}")
        offers = [
            offer
            for offer in self.offers
            if offer.method == method and product_id.startswith(offer.prefix) and direction in (offer.direction, None)
        ]
        if not offers or (method == INGEST_INTEREST_RATE and life.product.no_interest_rate):
            raise VendorRejected(f"{self.name}: no {method} for {product_id!r} (direction {direction!r})")
        offer = max(offers, key=lambda found: len(found.prefix))
        if method == INGEST_OHLC and duration not in offer.durations:
            raise VendorRejected(f"{self.name}: no duration {duration!r} for {product_id!r}")
        return offer, life

    def _market(self, life: DemoProduct) -> Market:
        market = self._markets.get(life.product_id)
        if market is None:
            market = self._markets[life.product_id] = Market(self._seed, life)
        return market

    def _fail(self, fault: Fault, detail: float, now_ms: int) -> Reply:
        if fault == "busy":
            raise VendorBusy(f"{self.name}: 429 too many requests", retry_after_ms=1_000 * (1 + int(5 * detail)))
        if fault == "unavailable":
            raise VendorUnavailable(f"{self.name}: 503 service unavailable")
        if fault == "timeout":
            raise VendorTimeout(f"{self.name}: no answer in time")
        return Reply(_MALFORMED_BODIES[int(detail * len(_MALFORMED_BODIES))], now_ms)


def _grid(life: DemoProduct, duration: str | None) -> Grid:
    return Grid(None if duration is None else parse_duration(duration), life.rate_every_ms)


def _page(grid: Grid, life: DemoProduct, offer: DemoService, time_ms: int, now_ms: int) -> Ints:
    time_ms = max(0, min(time_ms, now_ms + 1))
    stretches = list(grid.find_stretches(life, now_ms))
    kept: list[tuple[int, int]] = []
    room = offer.page_rows
    if offer.direction == "forward":
        least = grid.index_from(time_ms)
        for first, last in stretches:
            first = max(first, least)
            last = min(last, first + room - 1)
            if room and first <= last:
                kept.append((first, last))
                room -= last - first + 1
        return _number_rows(kept)
    most = grid.index_at(time_ms - 1)
    for first, last in reversed(stretches):
        last = min(last, most)
        first = max(first, last - room + 1)
        if room and first <= last:
            kept.insert(0, (first, last))
            room -= last - first + 1
    return _number_rows(kept)


def _number_rows(stretches: Sequence[tuple[int, int]]) -> Ints:
    if not stretches:
        return np.empty(0, np.int64)
    return np.concatenate([np.arange(first, last + 1) for first, last in stretches])


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """What `create` understands. `clock` gives the exchanges' time in milliseconds."""

    seed: int = 1
    epoch_ms: int = EPOCH_MS
    products: int = 60
    latency_ms: int = 0
    error_rate: float = 0.0
    requests: int | None = 50
    window_ms: int = 1_000
    clock: Callable[[], int] = _read_clock
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        for name in ("seed", "epoch_ms", "products", "latency_ms", "requests", "window_ms"):
            value = getattr(self, name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            if not whole and not (name == "requests" and value is None):
                raise InvalidInput(f"demo option {name} must be a whole number, not {value!r}")
        if isinstance(self.error_rate, bool) or not isinstance(self.error_rate, int | float):
            raise InvalidInput(f"demo option error_rate must be a number, not {self.error_rate!r}")
        if not callable(self.clock) or not callable(self.sleep):
            raise InvalidInput("demo options clock and sleep must be functions")
        self._check_bounds()

    def _check_bounds(self) -> None:
        bounds: tuple[tuple[str, float, float], ...] = (
            ("epoch_ms", 365 * DAY_MS, 100_000 * DAY_MS),
            ("products", 1, MOST_PRODUCTS),
            ("latency_ms", 0, HOUR_MS),
            ("error_rate", 0, 1),
            ("requests", 1, 1_000_000),
            ("window_ms", 1, DAY_MS),
        )
        for name, least, most in bounds:
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise InvalidInput(f"demo option {name} must be between {least} and {most}, not {value!r}")


def create(options: Mapping[str, Any]) -> Sequence[Vendor]:
    """Make `demo-a` and `demo-b`."""
    known = [option.name for option in fields(DemoOptions)]
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise InvalidInput(f"no demo option {unknown[0]!r}: known are {', '.join(known)}")
    chosen = DemoOptions(**options)
    lives = make_products(chosen.products, chosen.seed, chosen.epoch_ms)
    return [
        DemoVendor(
            name,
            services,
            [life for life in lives if life.product_id.startswith(tuple(service.prefix for service in services))],
            seed=chosen.seed,
            clock=chosen.clock,
            sleep=chosen.sleep,
            latency_ms=chosen.latency_ms,
            error_rate=chosen.error_rate,
        )
        for name, services in _make_services(chosen).items()
    ]


def _make_services(chosen: DemoOptions) -> dict[str, list[DemoService]]:
    def offer(vendor: str, method: str, prefix: str, direction: Direction, page_rows: int) -> DemoService:
        grace_ms = 1_000 if method == INGEST_OHLC else 0
        limits = Limits(1, chosen.requests, chosen.window_ms, vendor, grace_ms)
        return DemoService(method, prefix, direction, page_rows, limits=limits)

    return {
        "demo-a": [
            offer("demo-a", INGEST_OHLC, "DEMO/SWAP/", "backward", 300),
            offer("demo-a", INGEST_INTEREST_RATE, "DEMO/SWAP/", "backward", 100),
        ],
        "demo-b": [
            offer("demo-b", INGEST_OHLC, "DEMO/SPOT/", "forward", 1_000),
            offer("demo-b", INGEST_INTEREST_RATE, "DEMO/MARGIN/", "forward", 200),
        ],
    }


def make_products(count: int, seed: int, epoch_ms: int) -> list[DemoProduct]:
    """Make half swaps, a third spot and the rest margin products, well-known currencies first."""
    swaps, spots = (count + 1) // 2, count // 3
    counts = {"SWAP": swaps, "SPOT": spots, "MARGIN": count - swaps - spots}
    return [_make_product(kind, number, seed, epoch_ms) for kind, most in counts.items() for number in range(most)]


def _make_product(kind: str, number: int, seed: int, epoch_ms: int) -> DemoProduct:
    bases = tuple(_KNOWN_BASES)
    base = bases[number] if number < len(bases) else f"SYN{number:05d}"
    price, price_step, volume_step = _KNOWN_BASES.get(base, (None, "0.0001", "0.1"))
    listing_ms = epoch_ms - _listing_age_ms(kind, base, seed)
    special = base if kind == "SWAP" else ""
    delisting_ms = epoch_ms - 3 * DAY_MS + 8 * HOUR_MS if special == _DELISTED else None
    outage_ms = epoch_ms - 2 * DAY_MS + 3 * HOUR_MS + 30 * MINUTE_MS
    product = Product(
        product_id=f"DEMO/{kind}/{base}-USDT",
        name=f"{base} {kind.lower()} against USDT",
        base_currency=base,
        quote_currency="USDT",
        price_step=price_step,
        volume_step=volume_step,
        value_scale="1",
        allow_short=kind != "SPOT",
        no_interest_rate=kind == "SPOT" or special == _NO_RATE,
        market_id="DEMO",
        listed_ms=listing_ms,
        delisted_ms=delisting_ms,
    )
    return DemoProduct(
        product=product,
        listing_ms=listing_ms,
        delisting_ms=delisting_ms,
        retention_ms=5 * DAY_MS if special == _SHORT_MEMORY else None,
        outages=((outage_ms, outage_ms + 7 * HOUR_MS),) if special == _OUTAGE else (),
        rate_every_ms=8 * HOUR_MS if kind == "SWAP" else HOUR_MS,
        derivative=kind == "SWAP",
        base_price=price,
    )


def _listing_age_ms(kind: str, base: str, seed: int) -> int:
    if (days := _OLD_LISTING_DAYS.get(f"{kind}/{base}")) is not None:
        return days * DAY_MS - 10 * HOUR_MS
    if kind == "SWAP" and base in (_DELISTED, _SHORT_MEMORY, _OUTAGE):
        return 30 * DAY_MS - 9 * HOUR_MS
    digest = blake2b(f"{seed}/listing/{kind}/{base}".encode(), digest_size=4).digest()
    # Most are young, so that a demo's history is soon complete.
    days_of_age = 2 + 43 * (int.from_bytes(digest) / 2**32) ** 3
    return int(days_of_age * 48) * 30 * MINUTE_MS
