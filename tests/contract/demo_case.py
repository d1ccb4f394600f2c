"""The demo vendors inside the process, and the truth they are made of."""

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

import numpy as np

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS, parse_duration
from series_pipelines.ingest.pages.check import BarRow, InstantRow
from series_pipelines.vendors.contract import INGEST_OHLC, Product, Vendor
from series_pipelines.vendors.demo.market import DemoProduct, Grid, Market
from series_pipelines.vendors.demo.vendor import EPOCH_MS, DemoService, DemoVendor, Fault, create, make_products
from series_pipelines.vendors.services import Capability
from tests.contract.vendor_case import Ability, AnswerFault, RowFault, Series, TrueProduct

SEED = 1
# The middle of a minute: no bar closes where the second is cut off or within a vendor's grace.
NOW_MS = EPOCH_MS + 3 * HOUR_MS + 25 * MINUTE_MS + 30_500
IN_PROCESS = "it is in this process and answers with an object, not with a body"

_FAULTS: dict[str, Fault] = {"html_200": "malformed", "429": "busy", "503": "unavailable", "no_answer": "timeout"}


class DemoCase:
    """A demo vendor with the offers that `create` gives those of these names, and one product of 18 digits more."""

    cannot: Mapping[Ability, str] = {
        **dict.fromkeys(("empty_200", "error_200", "cut", "500", "failing_products"), IN_PROCESS),
        "duplicate": "its pages are slices of numbered rows, which it can't repeat",
        "throttle": "it is given none: lanes reserve a slot for each of its pages by its limits",
    }
    empty_when_unknown: Mapping[str, str] = {}
    most_detours = 0

    def __init__(self, name: str, *demos: str) -> None:
        self.name = name
        self.waits_ms: Container[int] = range(1_000, 5_001, 1_000)
        self._skew_ms = 0
        self._offers = _list_offers(demos)
        self._lives = {life.product_id: life for life in _list_lives(self._offers)}
        self._markets: dict[str, Market] = {}
        self.demo = DemoVendor(
            name, self._offers, list(self._lives.values()), seed=SEED, clock=lambda: self.now_ms() + self._skew_ms
        )
        self.vendor: Vendor = self.demo
        if not any(life.delisting_ms for life in self._lives.values()):
            self.cannot = {**self.cannot, "delisted": "none of its products is delisted"}

    def now_ms(self) -> int:
        return NOW_MS

    def connect(self, timeout_seconds: float) -> AbstractContextManager[Vendor]:
        return nullcontext(self.vendor)

    def products(self) -> list[TrueProduct]:
        return [
            TrueProduct(
                life.product_id,
                life.listing_ms,
                life.delisting_ms,
                life.product.base_currency,
                life.product.quote_currency,
                life.product.price_step,
                life.product.volume_step,
            )
            for life in self._lives.values()
        ]

    def choose_product(self, capability: Capability, duration: str | None) -> str:
        """The youngest for minutes, one with an outage for hours if there is one, the oldest for rates."""
        lives = [
            life
            for life in self._lives.values()
            if life.product_id.startswith(capability.product_prefix)
            and life.delisting_ms is None
            and life.retention_ms is None
            and not (duration is None and life.product.no_interest_rate)
        ]
        if duration == "PT1M":
            return max(lives, key=lambda life: life.listing_ms).product_id
        return min(lives, key=lambda life: (not (life.outages and duration), life.listing_ms)).product_id

    def find_exact_product(self, capability: Capability) -> str:
        return _make_exact(capability.product_prefix).product_id

    def bars(self, product_id: str, duration: str, now_ms: int) -> list[BarRow]:
        life, grid = self._lives[product_id], Grid(parse_duration(duration), HOUR_MS)
        rows = self._market(life).ohlc_rows(grid, _number_rows(grid, life, now_ms), now_ms)
        return [tuple(row) for row in rows if row[1] <= now_ms]

    def rates(self, product_id: str, now_ms: int) -> list[InstantRow]:
        life = self._lives[product_id]
        grid = Grid(None, life.rate_every_ms)
        return [tuple(row) for row in self._market(life).rate_rows(grid, _number_rows(grid, life, now_ms))]

    def page_rows(self, series: Series) -> int:
        capability = series.capability
        [offer] = [
            offer
            for offer in self._offers
            if (offer.method, offer.prefix) == (capability.method, capability.product_prefix)
        ]
        return offer.page_rows

    def requests_a_page(self, series: Series) -> int:
        return 1

    def count_requests(self) -> int:
        return self.demo.requests_served

    def count_paid(self) -> int:
        raise NotImplementedError(self.cannot["throttle"])

    @contextmanager
    def failing(self, fault: AnswerFault | RowFault) -> Iterator[None]:
        if fault == "forming":
            yield  # Its newest page always ends with the bar that is forming.
            return
        self.demo.faults, self.demo.error_rate = (_FAULTS[fault],), 1.0
        try:
            yield
        finally:
            self.demo.error_rate = 0.0

    @contextmanager
    def skewed(self, skew_ms: int) -> Iterator[None]:
        self._skew_ms = skew_ms
        try:
            yield
        finally:
            self._skew_ms = 0

    def wait(self, duration_ms: int) -> None:
        pass

    def _market(self, life: DemoProduct) -> Market:
        return self._markets.setdefault(life.product_id, Market(SEED, life))


def _list_offers(demos: Sequence[str]) -> list[DemoService]:
    made = {demo.name: demo for demo in create({"seed": SEED, "epoch_ms": EPOCH_MS})}
    offers: list[DemoService] = []
    for name in demos:
        demo = made[name]
        assert isinstance(demo, DemoVendor)
        offers += demo.offers
    return offers


def _list_lives(offers: Sequence[DemoService]) -> list[DemoProduct]:
    prefixes = tuple(dict.fromkeys(offer.prefix for offer in offers))
    exact = [_make_exact(prefix) for prefix in prefixes if any(_has_bars(offer, prefix) for offer in offers)]
    made = make_products(60, SEED, EPOCH_MS)
    return [*(life for life in made if life.product_id.startswith(prefixes)), *exact]


def _has_bars(offer: DemoService, prefix: str) -> bool:
    return (offer.method, offer.prefix) == (INGEST_OHLC, prefix)


def _make_exact(prefix: str) -> DemoProduct:
    listed_ms = EPOCH_MS - 3 * DAY_MS
    product = Product(
        f"{prefix}PEPE-USDT",
        base_currency="PEPE",
        quote_currency="USDT",
        price_step="0.000000012345678901",
        volume_step="1",
        no_interest_rate=True,
        listed_ms=listed_ms,
    )
    return DemoProduct(product, listed_ms, base_price=0.37)


def _number_rows(grid: Grid, life: DemoProduct, now_ms: int) -> np.ndarray:
    stretches = [np.arange(first, last + 1) for first, last in grid.find_stretches(life, now_ms)]
    return np.concatenate(stretches)
