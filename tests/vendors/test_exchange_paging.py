"""Windows, detours, numbered pages and products: the pure parts of the exchange vendors."""

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS, parse_duration
from series_pipelines.errors import InvalidInput, PageRefused
from series_pipelines.vendors.config import ExchangeConfig
from series_pipelines.vendors.contract import Budget, Product
from series_pipelines.vendors.exchanges import create
from series_pipelines.vendors.exchanges.client import Purse
from series_pipelines.vendors.exchanges.markets import format_decimal, is_wanted, make_products
from series_pipelines.vendors.exchanges.numbered import MOST_REQUESTS, PageMemory, fetch_before
from series_pipelines.vendors.exchanges.pages import Read, fetch_bounds
from series_pipelines.vendors.exchanges.paging import (
    MOST_DETOURS,
    Bounds,
    choose_endpoint,
    fill_params,
    find_weight,
    plan_bounds,
    plan_detours,
)
from series_pipelines.vendors.exchanges.spec import Endpoint, Segment
from series_pipelines.vendors.exchanges.table import EXCHANGES
from series_pipelines.vendors.exchanges.wire import Rate
from series_pipelines.vendors.services import parse_service

NOW_MS = 1_793_491_200_000
OFFERS = {offer.prefix: offer for exchange in EXCHANGES.values() for offer in exchange.offers}
ENDPOINTS = [
    endpoint
    for offer in OFFERS.values()
    for endpoint in (offer.ohlc, offer.rates)
    if endpoint is not None and endpoint.paging in ("window", "lending")
]


class DeafThrottle:
    """Lets everything pass."""

    def take(self, budget: Budget, weight: int = 1) -> int:
        return 0

    def settle(self, ticket: int) -> None: ...
    def note_used(self, budget: Budget, used: int) -> None: ...
    def open_circuit(self, budget: Budget, for_ms: int, reason: str) -> None: ...


@given(
    endpoint=st.sampled_from(ENDPOINTS),
    time_ms=st.integers(0, NOW_MS + 10 * DAY_MS),
    pick=st.integers(0, 20),
)
def test_a_window_begins_at_the_asked_time_and_holds_no_more_than_a_page(
    endpoint: Endpoint, time_ms: int, pick: int
) -> None:
    durations = list(endpoint.intervals)
    duration = parse_duration(durations[pick % len(durations)]) if durations else None

    window = plan_bounds(endpoint, duration, time_ms, NOW_MS)

    if window is None:
        assert time_ms == 0 or endpoint.keep_bars is not None
        return
    assert window.low is not None
    assert window.high is not None
    assert 0 <= window.low <= window.high
    if endpoint.direction == "backward":
        assert window.high == min(time_ms, NOW_MS + max(HOUR_MS, duration.nominal_ms if duration else 0))
    else:
        assert window.low == time_ms
    if duration is not None and endpoint.span_ms is None:
        assert window.high - window.low <= endpoint.limit * duration.nominal_ms
    if endpoint.max_span_ms is not None:
        assert window.high - window.low <= max(endpoint.max_span_ms, duration.nominal_ms if duration else 0)


@given(endpoint=st.sampled_from(ENDPOINTS), time_ms=st.integers(0, NOW_MS), pick=st.integers(0, 20))
def test_detours_are_few_and_join_on(endpoint: Endpoint, time_ms: int, pick: int) -> None:
    durations = list(endpoint.intervals)
    duration = parse_duration(durations[pick % len(durations)]) if durations else None
    window = plan_bounds(endpoint, duration, time_ms, NOW_MS)
    if window is None:
        return

    detours = list(plan_detours(endpoint, duration, window, NOW_MS))

    assert len(detours) <= MOST_DETOURS
    for before, after in zip([window, *detours], detours, strict=False):
        if None in (after.low, after.high):
            assert after in (Bounds(None, window.high), Bounds(window.low, None))
        elif endpoint.direction == "backward":
            assert after.high == before.low
        else:
            assert after.low == before.high


@pytest.mark.parametrize(
    ("prefix", "duration", "params"),
    [
        ("OKX/SWAP/", "PT1H", {"instId": "X", "bar": "1H", "limit": "300", "before": 999, "after": 61_000}),
        (
            "BINANCE/SPOT/",
            "PT1M",
            {"symbol": "X", "interval": "1m", "limit": "1000", "startTime": 1_000, "endTime": 60_999},
        ),
        ("GATE/FUTURE/", "PT1M", {"settle": "usdt", "contract": "X", "interval": "1m", "from": 1, "to": 60}),
        (
            "HYPERLIQUID/SPOT/",
            "P1D",
            {"type": "candleSnapshot", "req": {"coin": "X", "interval": "1d", "startTime": 1_000, "endTime": 60_999}},
        ),
    ],
)
def test_a_window_is_asked_for_in_the_exchange_s_words(prefix: str, duration: str, params: dict[str, Any]) -> None:
    endpoint = OFFERS[prefix].ohlc
    names = {"id": "X", "interval": endpoint.intervals[duration], "limit": str(endpoint.limit), "settle": "usdt"}

    assert fill_params(endpoint, names, Bounds(1_000, 61_000)) == params


def test_what_is_young_is_asked_for_where_it_is_fresh() -> None:
    endpoint, minute = OFFERS["OKX/SPOT/"].ohlc, parse_duration("PT1M")

    assert choose_endpoint(endpoint, minute, NOW_MS, NOW_MS).group == "candles"
    assert choose_endpoint(endpoint, minute, NOW_MS - DAY_MS, NOW_MS).group == "history-candles"


def test_nothing_is_asked_for_below_what_is_kept() -> None:
    endpoint, minute = OFFERS["GATE/SPOT/"].ohlc, parse_duration("PT1M")

    assert plan_bounds(endpoint, minute, NOW_MS - 10_001 * MINUTE_MS, NOW_MS) is None
    window = plan_bounds(endpoint, minute, NOW_MS - 9_990 * MINUTE_MS, NOW_MS)
    assert window == Bounds(NOW_MS - 9_998 * MINUTE_MS, NOW_MS - 9_990 * MINUTE_MS)


def test_a_long_page_weighs_more_on_hyperliquid() -> None:
    endpoint, minute = OFFERS["HYPERLIQUID/SPOT/"].ohlc, parse_duration("PT1M")

    assert find_weight(endpoint, minute, Bounds(NOW_MS - 5 * MINUTE_MS, NOW_MS + HOUR_MS), NOW_MS) == 21
    assert find_weight(endpoint, minute, Bounds(0, NOW_MS), NOW_MS) == 20 + 84


def test_a_hole_longer_than_a_page_is_jumped_over() -> None:
    endpoint, minute = OFFERS["HTX/SWAP/"].ohlc, parse_duration("PT1M")
    far_ms = NOW_MS - 5_000 * MINUTE_MS
    bars = [far_ms, NOW_MS - MINUTE_MS]
    asked: list[Bounds] = []

    def ask(window: Bounds) -> Read:
        asked.append(window)
        inside = [time for time in bars if (window.low or 0) <= time < (window.high or NOW_MS)]
        fields = dict.fromkeys(("open", "high", "low", "close", "amount"), "1")
        return Read([{"id": str(time // 1_000), **fields} for time in inside], NOW_MS)

    reply = fetch_bounds(ask, endpoint, minute, NOW_MS, NOW_MS, ask)

    assert [row[0] for row in reply.rows] == bars
    assert len(asked) == 3


@settings(max_examples=60)
@given(
    gaps=st.lists(st.sampled_from([HOUR_MS, 4 * HOUR_MS, 8 * HOUR_MS]), min_size=1, max_size=1_500),
    asked=st.floats(0, 1.1),
    growth=st.integers(0, 3),
)
def test_the_page_for_a_time_is_found_without_a_hole(gaps: list[int], asked: float, growth: int) -> None:
    times = [NOW_MS - 5_000 * DAY_MS]
    for gap in gaps:
        times.append(times[-1] + gap)
    time_ms = times[0] + int((times[-1] - times[0]) * asked)
    requests = 0

    def ask(page: int) -> list[Rate]:
        nonlocal requests
        requests += 1
        # New rows push the others back while we search.
        known = times + [times[-1] + number * HOUR_MS for number in range(1, growth * requests // 3 + 1)]
        newest_first = known[::-1][(page - 1) * 50 : page * 50]
        return [(time, "0.0001", None) for time in reversed(newest_first)]

    memory = PageMemory()
    before_ms = time_ms
    while True:
        found = [rate[0] for rate in fetch_before(ask, 50, "x", before_ms, memory)]
        expected = [time for time in times if time < before_ms]
        known = [time for time in found if time <= times[-1]]
        assert known == expected[len(expected) - len(known) :]
        if not known or known[0] == times[0]:
            assert expected[:1] == known[:1]
            break
        assert known[0] < before_ms - HOUR_MS
        before_ms = known[0] + HOUR_MS
    assert requests <= MOST_REQUESTS + len(times) // 40 + 2


def test_a_walk_through_numbered_pages_costs_one_request_a_page() -> None:
    times = [NOW_MS - number * HOUR_MS for number in range(1_000)]
    asked: list[int] = []

    def ask(page: int) -> list[Rate]:
        asked.append(page)
        return [(time, "0.0001", None) for time in reversed(times[(page - 1) * 100 : page * 100])]

    memory, before_ms = PageMemory(), NOW_MS + 1
    for _ in range(10):
        before_ms = fetch_before(ask, 100, "x", before_ms, memory)[0][0] + HOUR_MS

    assert asked == list(range(1, 11))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-08, "0.00000001"),
        (1e-18, "0.000000000000000001"),
        (0.1, "0.1"),
        (10.0, "10"),
        (100, "100"),
        ("0.0010", "0.001"),
        (None, None),
        ("x", None),
        (float("nan"), None),
        (True, None),
    ],
)
def test_a_step_is_plain_decimal_text(value: object, text: str | None) -> None:
    assert format_decimal(value) == text


def make_market(**changes: Any) -> dict[str, Any]:
    market = {"id": "BTC-USDT-SWAP", "symbol": "BTC/USDT:USDT", "base": "BTC", "quote": "USDT", "swap": True}
    market |= {"spot": False, "contract": True, "linear": True, "contractSize": 0.01, "created": 1_000}
    return market | {"precision": {"price": 1e-08, "amount": 1.0}, "info": {"listTime": "900"}} | changes


def make(prefix: str, markets: list[dict[str, Any]], **config: Any) -> list[Product]:
    offer: Segment = OFFERS[prefix]
    exchange = EXCHANGES[prefix.split("/")[0].lower()]
    products = make_products(exchange, [offer], markets)
    return [product for product in products if is_wanted(product, ExchangeConfig(**config), NOW_MS)]


def test_a_product_has_all_its_fields() -> None:
    assert make("OKX/SWAP/", [make_market()]) == [
        Product(
            product_id="OKX/SWAP/BTC-USDT-SWAP",
            name="BTC/USDT:USDT",
            base_currency="BTC",
            quote_currency="USDT",
            price_step="0.00000001",
            volume_step="1",
            value_scale="0.01",
            allow_long=True,
            allow_short=True,
            no_interest_rate=False,
            market_id="OKX",
            listed_ms=900,
            delisted_ms=None,
        )
    ]


def test_a_spot_product_is_not_sold_short_and_bears_no_interest() -> None:
    spot = make_market(id="BTC-USDT", swap=False, spot=True, contract=False, contractSize=None, margin=True)

    [product] = make("OKX/SPOT/", [spot])
    [borrowed] = make("OKX/MARGIN/", [spot])

    assert (product.allow_short, product.no_interest_rate, product.value_scale) == (False, True, "1")
    assert (borrowed.allow_short, borrowed.no_interest_rate) == (True, False)


def test_the_filters_of_the_configuration_hold() -> None:
    young = make_market(id="NEW-USDT-SWAP", info={"listTime": str(NOW_MS - DAY_MS)}, created=None)
    markets = [make_market(), make_market(id="BTC-USD-SWAP", quote="USD"), young]

    assert len(make("OKX/SWAP/", markets)) == 3
    assert len(make("OKX/SWAP/", markets, quotes=("USD",))) == 1
    assert len(make("OKX/SWAP/", markets, min_age_days=2)) == 2
    assert len(make("OKX/SWAP/", markets, products=("OKX/SWAP/NEW-USDT-SWAP",))) == 1


def test_a_prefix_without_markets_is_not_believed() -> None:
    with pytest.raises(PageRefused, match="OKX/SWAP/"):
        make("OKX/SWAP/", [make_market(swap=False, future=True)])


def test_binance_s_never_is_no_delisting() -> None:
    [never] = make("BINANCE/USDT-FUTURE/", [make_market(info={"deliveryDate": "4133404800000"})])
    [gone] = make("BINANCE/USDT-FUTURE/", [make_market(info={"deliveryDate": "1793000000000"})])

    assert (never.delisted_ms, gone.delisted_ms) == (None, 1_793_000_000_000)


@pytest.mark.parametrize("name", EXCHANGES)
def test_services_are_well_formed_without_a_request(name: str) -> None:
    [vendor] = create({"exchanges": {name: ExchangeConfig()}, "throttle": DeafThrottle(), "clock": lambda: NOW_MS})

    capabilities = [parse_service(name, service) for service in vendor.services()]

    assert {capability.product_prefix for capability in capabilities} == {offer.prefix for offer in vendor.offers}
    assert all(1 <= capability.limits.concurrent <= 16 for capability in capabilities)
    assert all(capability.limits.requests is None for capability in capabilities)


def test_the_configuration_narrows_the_services() -> None:
    config = ExchangeConfig(prefixes=("OKX/SWAP/",), durations=("1h",), rates=False)
    [vendor] = create({"exchanges": {"okx": config}, "throttle": DeafThrottle(), "clock": lambda: NOW_MS})

    [capability] = [parse_service("okx", service) for service in vendor.services()]
    assert (capability.product_prefix, capability.durations) == ("OKX/SWAP/", ("PT1H",))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"exchanges": {"nyse": ExchangeConfig()}}, "okx, binance"),
        ({"exchanges": {"okx": ExchangeConfig(prefixes=("OKX/FUTURES/",))}}, "OKX/SWAP/"),
        ({"exchanges": {"okx": ExchangeConfig(proxy_env="MY_PROXY")}}, "MY_PROXY"),
        ({"colour": 1}, "throttle"),
    ],
)
def test_a_wrong_configuration_is_told_what_is_known(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        create({"throttle": DeafThrottle(), "clock": lambda: NOW_MS, **options})


def test_a_budget_is_named_after_its_address_and_shared() -> None:
    config = ExchangeConfig(address="home", budget_share=0.5)
    purse = Purse(EXCHANGES["okx"], config, DeafThrottle(), "http://me:secret@proxy.example:3128")

    assert purse.budgets["candles"] == Budget("okx/candles@home+proxy.example", 18, 2_000)


@pytest.mark.parametrize("exchange", EXCHANGES.values(), ids=EXCHANGES)
def test_the_table_holds_together(exchange: Any) -> None:
    endpoints = [each for offer in exchange.offers for each in (offer.ohlc, offer.rates) if each is not None]

    for endpoint in endpoints:
        assert endpoint.group in exchange.pools
        assert endpoint.weight <= exchange.pools[endpoint.group].weight
        assert endpoint.recent is None or endpoint.recent.group in exchange.pools
        assert all(parse_duration(text).text == text for text in endpoint.intervals)
    assert exchange.costs[-1].path == ""
    assert all(cost.group in exchange.pools for cost in exchange.costs)


def test_a_missing_ccxt_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("series_pipelines.vendors.exchanges.vendor.find_spec", lambda name: None)

    with pytest.raises(InvalidInput, match=r"pip install series-pipelines\[ccxt\]"):
        create({"exchanges": {"okx": ExchangeConfig()}, "throttle": DeafThrottle(), "clock": lambda: NOW_MS})


def test_ccxt_is_imported_only_when_it_is_used() -> None:
    code = "import sys, series_pipelines.vendors.exchanges as e; e.create({}); sys.exit('ccxt' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
