"""One vendor per configured exchange: what it serves, its products, and a page for a request.

`create` makes them from the configuration without a request. A vendor may be used by several threads; there are as
many clients as there were requests at once.
"""

import re
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from math import ceil
from typing import Any, Final

from series_pipelines.core.duration import MINUTE_MS, Duration, parse_duration
from series_pipelines.errors import InvalidInput, VendorRejected
from series_pipelines.vendors.config import ExchangeConfig
from series_pipelines.vendors.contract import (
    INGEST_INTEREST_RATE,
    INGEST_OHLC,
    Limits,
    Product,
    Reply,
    Request,
    Service,
    Throttle,
)
from series_pipelines.vendors.exchanges.client import MISSING_CCXT, Client, Purse, find_proxy
from series_pipelines.vendors.exchanges.markets import is_wanted, make_products
from series_pipelines.vendors.exchanges.numbered import PageMemory
from series_pipelines.vendors.exchanges.pages import (
    AskWindow,
    Read,
    fetch_bounds,
    fetch_latest,
    fetch_lending,
    fetch_numbered,
)
from series_pipelines.vendors.exchanges.paging import Bounds, choose_endpoint, fill_params, find_weight
from series_pipelines.vendors.exchanges.spec import Endpoint, Exchange, Segment
from series_pipelines.vendors.exchanges.table import EXCHANGES
from series_pipelines.vendors.exchanges.wire import find_rows, find_time

MOST_CONCURRENT: Final = 16
USUAL_LATENCY_S: Final = 0.2
LIST_EVERY_MS: Final = 5 * MINUTE_MS


class ExchangeVendor:
    """An exchange behind ccxt's client."""

    def __init__(
        self,
        exchange: Exchange,
        config: ExchangeConfig,
        throttle: Throttle,
        clock: Callable[[], int],
        secrets: Callable[[str], str | None],
    ) -> None:
        self.name = exchange.name
        self.exchange = exchange
        self.offers = _choose_offers(exchange, config)
        self._config = config
        self._clock = clock
        self._secrets = secrets
        self._purse = Purse(exchange, config, throttle, find_proxy(config, secrets))
        self._memory = PageMemory()
        self._idle: list[Client] = []
        weakref.finalize(self, _close, self._idle)
        self._listed: tuple[int, list[Product]] | None = None

    def services(self) -> list[Service]:
        """Return what is configured of what this exchange serves; it asks nothing."""
        services = []
        for offer in self.offers:
            if durations := self._durations(offer):
                services.append(self._make_service(offer, offer.ohlc, durations))
            if offer.rates is not None and self._config.rates:
                services.append(self._make_service(offer, offer.rates, ()))
        return services

    def products(self) -> list[Product]:
        """Return the configured products; the exchange is asked again after a few minutes."""
        now_ms = self._clock()
        if self._listed is None or not 0 <= now_ms - self._listed[0] < LIST_EVERY_MS:
            types = tuple(dict.fromkeys(offer.market for offer in self.offers))
            with self._borrow_client() as client:
                markets = client.fetch_markets(types)
            self._listed = now_ms, make_products(self.exchange, self.offers, markets)
        return [product for product in self._listed[1] if is_wanted(product, self._config, now_ms)]

    def still_listed(self, product_ids: Iterable[str]) -> set[str]:
        """Return those that the exchange listed when it was last asked, wanted or not."""
        listed = {product.product_id for product in self._listed[1]} if self._listed else set()
        return listed.intersection(product_ids)

    def fetch(self, request: Request) -> Reply:
        """Fetch one page: one request where the exchange allows it."""
        offer, endpoint, duration = self._find_endpoint(request)
        now_ms = self._clock()
        instrument = request.product_id.removeprefix(offer.prefix)
        # An endpoint for what is young can't tell what lies further back.
        ask_far = self._make_ask(endpoint, self._name_params(endpoint, instrument, duration), duration, now_ms)
        if duration is not None:
            endpoint = choose_endpoint(endpoint, duration, request.time_ms, now_ms)
        names = self._name_params(endpoint, instrument, duration)
        ask = self._make_ask(endpoint, names, duration, now_ms)
        if endpoint.paging == "window":
            ask_longer = None
            if endpoint.longer_bars is not None:
                ask_longer = self._make_ask(
                    endpoint, names | {"interval": endpoint.longer_bars.interval}, duration, now_ms
                )
            return fetch_bounds(ask, endpoint, duration, request.time_ms, now_ms, ask_far, ask_longer)
        if endpoint.paging == "latest":
            return fetch_latest(ask, endpoint, duration, request.time_ms)
        if endpoint.paging == "numbered":
            return fetch_numbered(
                lambda page: self._make_ask(endpoint, names, duration, now_ms, {endpoint.page: str(page)})(
                    Bounds(None, None)
                ),
                endpoint,
                request.product_id,
                request.time_ms,
                self._memory,
            )
        ask_base, ask_quote = (
            self._make_ask(endpoint, names, duration, now_ms, {"ccy": currency})
            for currency in instrument.split("-", 1)
        )
        return fetch_lending(ask_base, ask_quote, endpoint, request.time_ms, now_ms)

    def close(self) -> None:
        """Close the connections that are not in use."""
        _close(self._idle)

    @contextmanager
    def _borrow_client(self) -> Iterator[Client]:
        try:
            client = self._idle.pop()
        except IndexError:
            client = Client(self.exchange, self._config, self._purse, self._secrets)
        try:
            yield client
        finally:
            self._idle.append(client)

    def _make_ask(
        self,
        endpoint: Endpoint,
        names: Mapping[str, str],
        duration: Duration | None,
        now_ms: int,
        extra: Mapping[str, str] | None = None,
    ) -> AskWindow:
        def ask(window: Bounds) -> Read:
            params = fill_params(endpoint, names, window) | dict(extra or {})
            weight = find_weight(endpoint, duration, window, now_ms)
            with self._borrow_client() as client:
                answer = client.call(endpoint.call, params, endpoint.group, weight)
            rows = find_rows(self.exchange, endpoint, answer.body)
            return Read(rows, find_time(self.exchange, answer.body, answer.response))

        return ask

    def _name_params(self, endpoint: Endpoint, instrument: str, duration: Duration | None) -> dict[str, str]:
        settle = next((coin for end, coin in self.exchange.settle_coins.items() if instrument.endswith(end)), "")
        interval = "" if duration is None else endpoint.intervals[duration.text]
        return {"id": instrument, "interval": interval, "limit": str(endpoint.limit), "settle": settle}

    def _find_endpoint(self, request: Request) -> tuple[Segment, Endpoint, Duration | None]:
        offer = next((offer for offer in self.offers if request.product_id.startswith(offer.prefix)), None)
        endpoint = None
        if offer is not None:
            endpoint = {INGEST_OHLC: offer.ohlc, INGEST_INTEREST_RATE: offer.rates}.get(request.method)
        if offer is None or endpoint is None or endpoint.direction != request.direction:
            raise VendorRejected(f"{self.name}: no {request.method} {request.direction} for {request.product_id!r}")
        if request.method == INGEST_INTEREST_RATE:
            return offer, endpoint, None
        if request.duration is None or request.duration not in endpoint.intervals:
            raise VendorRejected(f"{self.name}: no bars of {request.duration!r} for {request.product_id!r}")
        return offer, endpoint, parse_duration(request.duration)

    def _durations(self, offer: Segment) -> tuple[str, ...]:
        known = tuple(offer.ohlc.intervals)
        if self._config.durations is None:
            return known
        return tuple(duration for duration in known if duration in self._config.durations)

    def _make_service(self, offer: Segment, endpoint: Endpoint, durations: Sequence[str]) -> Service:
        properties: dict[str, object] = {
            "product_id": {"type": "string", "pattern": "^" + re.escape(offer.prefix)},
            "direction": {"const": endpoint.direction},
            "time": {"type": "integer", "minimum": 0},
        }
        if durations:
            properties["duration"] = {"enum": list(durations)}
        schema = {"type": "object", "properties": properties, "required": sorted(properties)}
        method = INGEST_OHLC if durations else INGEST_INTEREST_RATE
        limits = Limits(
            concurrent=self._find_concurrency(endpoint), grace_ms=self._find_grace(), page_rows=endpoint.limit
        )
        return Service(method, schema, limits)

    def _find_grace(self) -> int:
        lag_s = self._config.safety_lag_seconds
        return self.exchange.grace_ms if lag_s is None else int(lag_s * 1_000)

    def _find_concurrency(self, endpoint: Endpoint) -> int:
        budget = self._purse.budgets[endpoint.group]
        a_second = budget.weight * 1_000 / budget.window_ms / endpoint.weight
        return max(1, min(MOST_CONCURRENT, ceil(a_second * USUAL_LATENCY_S)))


def _close(idle: list[Client]) -> None:
    while idle:
        idle.pop().close()


def create(options: Mapping[str, Any]) -> list[ExchangeVendor]:
    """Make the configured exchanges' vendors; `options` are exchanges, throttle, clock and secrets."""
    known = ("exchanges", "throttle", "clock", "secrets")
    if unknown := sorted(set(options) - set(known)):
        raise InvalidInput(f"no exchange option {unknown[0]!r}: known are {', '.join(known)}")
    configs: Mapping[str, ExchangeConfig] = options.get("exchanges", {})
    if configs and (missing := [name for name in ("throttle", "clock") if name not in options]):
        raise InvalidInput(f"exchanges need the option {missing[0]!r}")
    if configs and find_spec("ccxt") is None:
        raise InvalidInput(MISSING_CCXT)
    return [_make_vendor(name, config, options) for name, config in configs.items()]


def _make_vendor(name: str, config: ExchangeConfig, options: Mapping[str, Any]) -> ExchangeVendor:
    exchange = EXCHANGES.get(name.lower())
    if exchange is None:
        raise InvalidInput(f"no exchange {name!r}: known are {', '.join(EXCHANGES)}")
    secrets = options.get("secrets") or (lambda _: None)
    return ExchangeVendor(exchange, config, options["throttle"], options["clock"], secrets)


def _choose_offers(exchange: Exchange, config: ExchangeConfig) -> tuple[Segment, ...]:
    if config.prefixes is None:
        return exchange.offers
    known = {offer.prefix: offer for offer in exchange.offers}
    for prefix in config.prefixes:
        if prefix not in known:
            raise InvalidInput(f"{exchange.name} has no prefix {prefix!r}: known are {', '.join(known)}")
    return tuple(known[prefix] for prefix in dict.fromkeys(config.prefixes))
