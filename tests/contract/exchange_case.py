"""An exchange's vendor and the loopback server that speaks the exchange's wire format, in a process of its own."""

from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager

from series_pipelines.ingest.pages.check import BarRow, InstantRow
from series_pipelines.vendors.config import ExchangeConfig
from series_pipelines.vendors.contract import Vendor
from series_pipelines.vendors.exchanges import ExchangeVendor, create
from series_pipelines.vendors.exchanges.spec import Endpoint
from series_pipelines.vendors.services import Capability, format_cap_key
from tests.contract.demo_case import NOW_MS
from tests.contract.throttles import CountingThrottle, is_own
from tests.contract.vendor_case import Ability, AnswerFault, RowFault, Series, TrueProduct
from tests.exchanges.instruments import Instrument
from tests.exchanges.launch import RunningExchange, start_exchange
from tests.support.bars import make_bar

AGE_DAYS = 6.0
RETRY_AFTER_S = 7
# Longer than a client that is in a hurry waits; the server's process ends without waiting for it.
SLOW_MS = 5_000

EMPTY_WHEN_UNKNOWN = {
    format_cap_key("IngestInterestRate", "OKX/MARGIN/", "backward"): "lending rates are asked for by currency, and "
    "one that nobody lends has none"
}

_FAULTS = {"500": "500_empty", "429": "429_retry_after"}


class ExchangeCase:
    """One exchange. Of each kind the first instrument is the oldest, the second had an outage, the third has
    prices of 18 digits.
    """

    cannot: Mapping[Ability, str] = {}
    empty_when_unknown: Mapping[str, str] = EMPTY_WHEN_UNKNOWN
    # Forward: to the first row. Backward: over an outage, and behind the listing; where only longer bars can see
    # further, each takes two.
    most_detours = 4

    def __init__(self, server: RunningExchange) -> None:
        self.name = server.name
        self.waits_ms: Container[int] = (RETRY_AFTER_S * 1_000,)
        self.throttle = CountingThrottle()
        self.vendor: ExchangeVendor = self._make_client(server, timeout_seconds=30)
        self._server = server
        server.control(retry_after_s=RETRY_AFTER_S, slow_ms=SLOW_MS)
        if not any(product.delisted_ms for product in server.truth.products()):
            self.cannot = {"delisted": "its list does not name what is delisted"}

    def now_ms(self) -> int:
        return NOW_MS

    @contextmanager
    def connect(self, timeout_seconds: float) -> Iterator[Vendor]:
        vendor = self._make_client(self._server, timeout_seconds)
        try:
            yield vendor
        finally:
            vendor.close()

    def products(self) -> list[TrueProduct]:
        # Hyperliquid has no price step: its prices have five significant digits, whatever they are.
        has_step = self.name != "hyperliquid"
        return [
            TrueProduct(*product[:5], product.price_step if has_step else None, product.volume_step)
            for product in self._server.truth.products()
        ]

    def choose_product(self, capability: Capability, duration: str | None) -> str:
        """The oldest for minutes and rates, whose interval changes; the one with the outage for hours."""
        return self._list_alive(capability)[duration == "PT1H"].product_id

    def find_exact_product(self, capability: Capability) -> str:
        return self._list_alive(capability)[2].product_id

    def bars(self, product_id: str, duration: str, now_ms: int) -> list[BarRow]:
        return [make_bar(*row) for row in self._server.truth.bars(product_id, duration, now_ms)]

    def rates(self, product_id: str, now_ms: int) -> list[InstantRow]:
        truth = self._server.truth
        instrument = truth.market.instruments[product_id]
        if not instrument.kind.lends:
            return [(time, _negate(rate), rate, price) for time, rate, price in truth.rates(product_id, now_ms)]
        # Who is long borrows the quote currency, who is short the base currency; both pay.
        base, quote = (
            {time: rate for time, rate, _ in truth.lending_rates(currency, now_ms)}
            for currency in (instrument.base, instrument.quote)
        )
        return [(time, _negate(quote[time]), _negate(base[time]), None) for time in sorted(base.keys() & quote.keys())]

    def page_rows(self, series: Series) -> int:
        endpoint = self._find_endpoint(series)
        # All instruments are young enough for the endpoint of what is young, where there is one.
        return max(endpoint.limit, endpoint.recent.limit if endpoint.recent else 0)

    def requests_a_page(self, series: Series) -> int:
        return 2 if self._find_endpoint(series).paging == "lending" else 1

    def count_requests(self) -> int:
        return int(self._server.stats()["requests"])

    def count_paid(self) -> int:
        return sum(is_own(budget) for budget, _ in self.throttle.taken)

    @contextmanager
    def failing(self, fault: AnswerFault | RowFault) -> Iterator[None]:
        self._server.control(error_rate=1.0, kinds=[_FAULTS.get(fault, fault)])
        try:
            yield
        finally:
            self._server.control(error_rate=0.0)

    @contextmanager
    def skewed(self, skew_ms: int) -> Iterator[None]:
        self._server.control(skew_ms=skew_ms)
        try:
            yield
        finally:
            self._server.control(skew_ms=0)

    def wait(self, duration_ms: int) -> None:
        pass

    def _make_client(self, server: RunningExchange, timeout_seconds: float) -> ExchangeVendor:
        config = ExchangeConfig(url=server.url, timeout_seconds=timeout_seconds)
        [vendor] = create({"exchanges": {self.name: config}, "throttle": self.throttle, "clock": self.now_ms})
        return vendor

    def _list_alive(self, capability: Capability) -> list[Instrument]:
        instruments = self._server.truth.market.instruments.values()
        return [
            each
            for each in instruments
            if each.product_id.startswith(capability.product_prefix) and each.delisted_ms is None
        ]

    def _find_endpoint(self, series: Series) -> Endpoint:
        [offer] = [each for each in self.vendor.offers if each.prefix == series.capability.product_prefix]
        endpoint = offer.rates if series.duration is None else offer.ohlc
        assert endpoint is not None
        return endpoint


@contextmanager
def run_exchange(name: str) -> Iterator[ExchangeCase]:
    """Run an exchange's server and a client of it."""
    with start_exchange(name, now_ms=NOW_MS, age_days=AGE_DAYS) as server:
        case = ExchangeCase(server)
        try:
            yield case
        finally:
            case.vendor.close()


def _negate(rate: str) -> str:
    if float(rate) == 0:
        return rate.removeprefix("-")
    return rate.removeprefix("-") if rate.startswith("-") else f"-{rate}"
