"""One vendor per configured exchange: what it serves, its products, and a page for a request.

`create` makes them from the configuration without a request. A vendor may be used by several threads; each has its
own client. `check` tries what is configured and says of each what works.
"""

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from math import ceil
from typing import Any, Final

from series_pipelines.core.duration import DAY_MS, Duration, parse_duration
from series_pipelines.errors import InvalidInput, VendorError, VendorRejected
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
from series_pipelines.vendors.exchanges.markets import make_products
from series_pipelines.vendors.exchanges.numbered import PageMemory
from series_pipelines.vendors.exchanges.pages import (
    AskWindow,
    Read,
    fetch_latest,
    fetch_lending,
    fetch_numbered,
    fetch_window,
)
from series_pipelines.vendors.exchanges.paging import Window, choose_endpoint, fill_params, find_weight
from series_pipelines.vendors.exchanges.spec import Endpoint, Exchange, Offer
from series_pipelines.vendors.exchanges.table import EXCHANGES
from series_pipelines.vendors.exchanges.wire import find_rows, find_time

MOST_CONCURRENT: Final = 8
USUAL_LATENCY_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class Finding:
    """What was tried of an exchange, and the error line if it did not work."""

    what: str
    error: str | None = None

    @property
    def ok(self) -> bool:
        return self.error is None


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
        self._own = threading.local()
        self._clients: list[Client] = []
        self._lock = threading.Lock()

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
        """Return the configured products as the exchange lists them now."""
        types = tuple(dict.fromkeys(offer.market for offer in self.offers))
        markets = self._client().fetch_markets(types)
        return make_products(self.exchange, self.offers, markets, self._config, self._clock())

    def fetch(self, request: Request) -> Reply:
        """Fetch one page: one request where the exchange allows it."""
        offer, endpoint, duration = self._find_endpoint(request)
        now_ms = self._clock()
        if duration is not None:
            endpoint = choose_endpoint(endpoint, duration, request.time_ms, now_ms)
        instrument = request.product_id.removeprefix(offer.prefix)
        names = self._name_params(endpoint, instrument, duration)
        ask = self._make_ask(endpoint, names, duration, now_ms)
        if endpoint.paging == "window":
            return fetch_window(ask, endpoint, duration, request.time_ms, now_ms)
        if endpoint.paging == "latest":
            return fetch_latest(ask, endpoint, duration, request.time_ms)
        if endpoint.paging == "numbered":
            return fetch_numbered(
                lambda page: self._make_ask(endpoint, names, duration, now_ms, {endpoint.page: str(page)})(
                    Window(None, None)
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

    def read_clock(self) -> int:
        """Ask the exchange what time it is."""
        if not self.exchange.clock_call:
            raise VendorRejected(f"{self.name}: it has no clock to ask")
        cost = self.exchange.costs[-1]
        answer = self._client().call(self.exchange.clock_call, {}, cost.group, 1)
        return find_time(self.exchange, answer.body, answer.response)

    def find_recent(self, direction: str) -> int:
        """Return a time near now for which a page in this direction has rows."""
        now_ms = self._clock()
        return now_ms if direction == "backward" else now_ms - DAY_MS

    def close(self) -> None:
        """Close the connections of every thread."""
        with self._lock:
            clients, self._clients = self._clients, []
            self._own = threading.local()
        for client in clients:
            client.close()

    def _client(self) -> Client:
        client: Client | None = getattr(self._own, "client", None)
        if client is None:
            client = Client(self.exchange, self._config, self._purse, self._secrets)
            self._own.client = client
            with self._lock:
                self._clients.append(client)
        return client

    def _make_ask(
        self,
        endpoint: Endpoint,
        names: Mapping[str, str],
        duration: Duration | None,
        now_ms: int,
        extra: Mapping[str, str] | None = None,
    ) -> AskWindow:
        def ask(window: Window) -> Read:
            params = fill_params(endpoint, names, window) | dict(extra or {})
            weight = find_weight(endpoint, duration, window, now_ms)
            answer = self._client().call(endpoint.call, params, endpoint.group, weight)
            rows = find_rows(self.exchange, endpoint, answer.body)
            return Read(rows, find_time(self.exchange, answer.body, answer.response))

        return ask

    def _name_params(self, endpoint: Endpoint, instrument: str, duration: Duration | None) -> dict[str, str]:
        settle = next((coin for end, coin in self.exchange.settles.items() if instrument.endswith(end)), "")
        interval = "" if duration is None else endpoint.intervals[duration.text]
        return {"id": instrument, "interval": interval, "limit": str(endpoint.limit), "settle": settle}

    def _find_endpoint(self, request: Request) -> tuple[Offer, Endpoint, Duration | None]:
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

    def _durations(self, offer: Offer) -> tuple[str, ...]:
        known = tuple(offer.ohlc.intervals)
        if self._config.durations is None:
            return known
        return tuple(duration for duration in known if duration in self._config.durations)

    def _make_service(self, offer: Offer, endpoint: Endpoint, durations: Sequence[str]) -> Service:
        properties: dict[str, object] = {
            "product_id": {"type": "string", "pattern": "^" + re.escape(offer.prefix)},
            "direction": {"const": endpoint.direction},
            "time": {"type": "integer", "minimum": 0},
        }
        if durations:
            properties["duration"] = {"enum": list(durations)}
        schema = {"type": "object", "properties": properties, "required": sorted(properties)}
        method = INGEST_OHLC if durations else INGEST_INTEREST_RATE
        limits = Limits(concurrent=self._find_concurrency(endpoint), grace_ms=self.exchange.grace_ms)
        return Service(method, schema, limits)

    def _find_concurrency(self, endpoint: Endpoint) -> int:
        budget = self._purse.budgets[endpoint.group]
        a_second = budget.weight * 1_000 / budget.window_ms / endpoint.weight
        return max(1, min(MOST_CONCURRENT, ceil(a_second * USUAL_LATENCY_S)))


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


def check(vendor: ExchangeVendor) -> list[Finding]:
    """Try the clock, the markets, and for each prefix one page of bars and one of rates."""
    findings = []
    if vendor.exchange.clock_call:
        findings.append(_try("time", vendor.read_clock))
    products: list[Product] = []
    findings.append(_try("markets", lambda: products.extend(vendor.products())))
    for service in vendor.services():
        properties = service.schema["properties"]
        direction = properties["direction"]["const"]
        pattern = properties["product_id"]["pattern"]
        prefix = re.sub(r"\\(.)", r"\1", pattern[1:])
        what = f"{'bars' if service.method == INGEST_OHLC else 'rates'} of {prefix}"
        product = next((each for each in products if re.match(pattern, each.product_id) and not each.delisted_ms), None)
        if product is None:
            findings.append(Finding(what, "no product to try it with"))
            continue
        duration = properties["duration"]["enum"][0] if service.method == INGEST_OHLC else None
        request = Request(service.method, product.product_id, duration, direction, vendor.find_recent(direction))
        findings.append(_try(what, partial(vendor.fetch, request)))
    return findings


def _try(what: str, action: Callable[[], object]) -> Finding:
    try:
        action()
    except VendorError as error:
        return Finding(what, str(error))
    return Finding(what)


def _make_vendor(name: str, config: ExchangeConfig, options: Mapping[str, Any]) -> ExchangeVendor:
    exchange = EXCHANGES.get(name.lower())
    if exchange is None:
        raise InvalidInput(f"no exchange {name!r}: known are {', '.join(EXCHANGES)}")
    secrets = options.get("secrets") or (lambda _: None)
    return ExchangeVendor(exchange, config, options["throttle"], options["clock"], secrets)


def _choose_offers(exchange: Exchange, config: ExchangeConfig) -> tuple[Offer, ...]:
    if config.prefixes is None:
        return exchange.offers
    known = {offer.prefix: offer for offer in exchange.offers}
    for prefix in config.prefixes:
        if prefix not in known:
            raise InvalidInput(f"{exchange.name} has no prefix {prefix!r}: known are {', '.join(known)}")
    return tuple(known[prefix] for prefix in dict.fromkeys(config.prefixes))
