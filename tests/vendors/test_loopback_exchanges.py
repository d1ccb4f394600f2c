"""The loopback exchanges as a real client sees them: ccxt pages through each and finds exactly the truth."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import ccxt
import pytest
import requests

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS, parse_duration
from tests.exchanges.catalogue import NAMES
from tests.exchanges.ccxt_client import connect_ccxt
from tests.exchanges.faults import FAULTS
from tests.exchanges.launch import RunningExchange, start_exchange
from tests.exchanges.market import Truth
from tests.exchanges.traffic import Arrival, find_most
from tests.support.places import PROJECT

NOW_MS = 1_793_491_200_000 + 7 * HOUR_MS + 34_567
TIMEFRAMES = {"PT1M": "1m", "PT1H": "1h", "P1D": "1d"}
# What one call of ccxt asks for; None lets it choose, where a limit would make the exchange forget the times.
BARS_A_CALL = {
    "okx": 300,
    "binance": 1_000,
    "bybit": 1_000,
    "bitget": 200,
    "gate": 1_000,
    "htx": None,
    "hyperliquid": 5_000,
    "aster": 1_500,
}
OKX_BARS = "/api/v5/market/history-candles?instId={}&limit=20"


@pytest.fixture(scope="module")
def running(request: pytest.FixtureRequest) -> Iterator[RunningExchange]:
    with start_exchange(request.param, now_ms=NOW_MS) as exchange:
        yield exchange


@pytest.fixture(scope="module")
def client(running: RunningExchange) -> Iterator[Any]:
    exchange = connect_ccxt(running.name, running.url, now_ms=NOW_MS)
    exchange.load_markets()
    yield exchange
    exchange.session.close()


@pytest.fixture
def okx() -> Iterator[RunningExchange]:
    with start_exchange("okx", now_ms=NOW_MS, age_days=2) as exchange:
        yield exchange


def on_exchanges(*names: str) -> pytest.MarkDecorator:
    """Run a test on these, each exchange's tests in one worker so that its server starts once."""
    chosen = [pytest.param(name, marks=pytest.mark.xdist_group(f"loopback-{name}")) for name in names]
    return pytest.mark.parametrize("running", chosen, indirect=True)


every_exchange = on_exchanges(*NAMES)


def find_market(client: Any, truth: Truth, product_id: str) -> Any:
    instrument = truth.market.instruments[product_id]
    return next(
        market
        for market in client.markets.values()
        if instrument.instrument_id in (market["id"], market.get("baseName"))
        and bool(market["swap"]) == instrument.kind.perpetual
    )


def page_bars(client: Any, market: Any, duration_text: str, since_ms: int) -> list[tuple[float, ...]]:
    """Return all closed bars since then, as a careful user of ccxt would fetch them."""
    duration = parse_duration(duration_text)
    limit = BARS_A_CALL[client.id]
    if client.id == "htx" and market["spot"]:
        limit = 1_000
    found = []
    while since_ms <= NOW_MS:
        bars = client.fetch_ohlcv(market["symbol"], TIMEFRAMES[duration_text], since_ms, limit)
        found += [tuple(bar) for bar in bars if bar[0] + duration.nominal_ms <= NOW_MS]
        since_ms = bars[-1][0] + duration.nominal_ms if bars else since_ms + (limit or 2_000) * duration.nominal_ms
    return found


def page_rates(client: Any, symbol: str, listed_ms: int) -> list[tuple[int, float]]:
    """Return all rates, in pages of 40, whichever way the exchange lets one page."""
    found: dict[int, float] = {}
    page, since_ms, until_ms = 1, listed_ms, NOW_MS + 1
    while True:
        match client.id:
            case "okx":
                rates = client.fetch_funding_rate_history(symbol, limit=40, params={"after": until_ms})
            case "bybit" | "gate":
                rates = client.fetch_funding_rate_history(symbol, limit=40, params={"until": until_ms - 1})
            case "bitget":
                rates = client.fetch_funding_rate_history(symbol, limit=40, params={"pageNo": page})
            case _:
                rates = client.fetch_funding_rate_history(symbol, since=since_ms, limit=40)
        if not rates:
            return sorted(found.items())
        found |= {rate["timestamp"]: rate["fundingRate"] for rate in rates}
        page, since_ms, until_ms = page + 1, rates[-1]["timestamp"] + 1, rates[0]["timestamp"]


def read_truth(truth: Truth, product_id: str, duration: str) -> list[tuple[float, ...]]:
    return [(row[0], *map(float, row[2:])) for row in truth.bars(product_id, duration, NOW_MS)]


@every_exchange
def test_ccxt_loads_the_instruments_there_are(running: RunningExchange, client: Any) -> None:
    for product in running.truth.products():
        market = find_market(client, running.truth, product.product_id)
        assert (market["base"], market["quote"]) == (product.base, product.quote)
        assert market["active"] is (product.delisted_ms is None)
        if running.name != "hyperliquid":
            assert market["precision"]["price"] == float(product.price_step)
            assert market["precision"]["amount"] == float(product.volume_step)
        if market["created"] is not None and running.name != "htx":
            assert market["created"] == product.listed_ms
    assert client.fetch_time() == NOW_MS


@every_exchange
def test_paging_through_ccxt_gives_every_hour_and_day(running: RunningExchange, client: Any) -> None:
    for product in running.truth.products():
        market = find_market(client, running.truth, product.product_id)
        for duration in ("PT1H", "P1D"):
            expected = read_truth(running.truth, product.product_id, duration)
            assert page_bars(client, market, duration, int(expected[0][0])) == expected, product.product_id


@every_exchange
def test_paging_the_minutes_gets_over_an_outage_of_more_than_two_pages(running: RunningExchange, client: Any) -> None:
    for prefix in {each.kind.prefix for each in running.truth.market.instruments.values() if not each.kind.alias_of}:
        product_id = next(
            each.product_id
            for each in running.truth.market.instruments.values()
            if each.outages and each.kind.prefix == prefix
        )
        expected = read_truth(running.truth, product_id, "PT1M")
        steps = {int(after[0] - before[0]) for before, after in pairwise(expected)}
        assert running.name in ("htx", "hyperliquid") or max(steps) > 2 * 1_500 * MINUTE_MS

        market = find_market(client, running.truth, product_id)

        assert page_bars(client, market, "PT1M", int(expected[0][0])) == expected


@every_exchange
def test_paging_the_rates_gives_each_once(running: RunningExchange, client: Any) -> None:
    for product in running.truth.products():
        if running.truth.market.instruments[product.product_id].kind.perpetual:
            market = find_market(client, running.truth, product.product_id)
            rates = running.truth.rates(product.product_id, NOW_MS)
            expected = [(time_ms, float(rate)) for time_ms, rate, _ in rates]
            assert page_rates(client, market["symbol"], product.listed_ms) == expected


@every_exchange
def test_a_price_of_18_digits_is_on_the_wire_as_it_is(running: RunningExchange, client: Any) -> None:
    for product in running.truth.products():
        if product.base == "PEPE":
            last = running.truth.bars(product.product_id, "PT1H", NOW_MS)[-1]
            assert max(len(price.replace(".", "").lstrip("0")) for price in last[2:6]) == 18
            market = find_market(client, running.truth, product.product_id)
            client.fetch_ohlcv(market["symbol"], "1h", limit=3)
            assert all(text in client.last_http_response for text in last[2:])


@every_exchange
def test_an_unknown_instrument_meets_the_exchanges_own_error(running: RunningExchange, client: Any) -> None:
    market = client.market(find_market(client, running.truth, running.truth.products()[0].product_id)["symbol"])
    known = market["id"], market.get("baseName")
    market["id"], market["baseName"] = "NOSUCH", "NOSUCH"
    try:
        with pytest.raises(ccxt.BaseError) as caught:
            client.fetch_ohlcv(market["symbol"], "1h")
    finally:
        market["id"], market["baseName"] = known
    expected = {"bitget": ccxt.ExchangeError, "hyperliquid": ccxt.ExchangeNotAvailable}
    assert isinstance(caught.value, expected.get(running.name, ccxt.BadSymbol))


@every_exchange
def test_ccxt_knows_the_exchanges_refusals(running: RunningExchange, client: Any) -> None:
    symbol = find_market(client, running.truth, running.truth.products()[0].product_id)["symbol"]

    def ask(expected: type[ccxt.BaseError], **changes: Any) -> None:
        running.control(**changes)
        with pytest.raises(expected):
            client.fetch_ohlcv(symbol, "1h", limit=3)

    for fault in ("429_retry_after", "429_plain", "503", "cut"):
        ask(ccxt.NetworkError, next=[fault])
    for fault in ("error_200", "500_empty"):
        ask(ccxt.BaseError, next=[fault])
    ask(ccxt.NetworkError, budgets=[{"weight": 0, "window_ms": 1_000}])
    ask(ccxt.NetworkError, ban_s=600, budgets=[])
    running.control(ban_s=0)
    assert client.fetch_ohlcv(symbol, "1h", limit=3)


@on_exchanges("binance", "okx", "bybit", "gate", "aster")
def test_a_funding_interval_shortens_from_eight_hours_to_one(running: RunningExchange) -> None:
    product = next(each for each in running.truth.products() if running.truth.rates(each.product_id, NOW_MS))
    times = [time_ms for time_ms, _, _ in running.truth.rates(product.product_id, NOW_MS)]
    steps = [round((after - before) / HOUR_MS) for before, after in pairwise(times)]
    assert sorted(set(steps), reverse=True) == [8, 4, 1]
    assert steps == sorted(steps, reverse=True)


@on_exchanges("htx")
def test_htx_gives_its_older_endpoints_too(running: RunningExchange) -> None:
    rates_address = f"{running.url}/linear-swap-api/v1/swap_historical_funding_rate?contract_code=BTC-USDT&page_size=50"
    bars_address = f"{running.url}/market/history/kline?symbol=btcusdt&period=1min&size=2000"
    with requests.Session() as session:
        pages = [session.get(f"{rates_address}&page_index={page}", timeout=9).json()["data"] for page in range(1, 5)]
        # The exchange sends JSON numbers; as texts they are exact.
        bars = json.loads(session.get(bars_address, timeout=9).text, parse_float=str, parse_int=str)["data"]

    paged = [(int(rate["funding_time"]), rate["funding_rate"], None) for page in pages for rate in page["data"]]
    closed = [(int(bar["id"]) * 1_000, bar["open"], bar["amount"]) for bar in reversed(bars[1:])]
    assert paged[::-1] == running.truth.rates("HTX/SWAP/BTC-USDT", NOW_MS)
    assert {page["total_size"] for page in pages} == {len(paged)}
    assert closed == [(row[0], row[2], row[6]) for row in running.truth.bars("HTX/SPOT/btcusdt", "PT1M", NOW_MS)]


@on_exchanges("okx")
def test_okx_lends_in_public_and_its_days_are_hong_kongs_unless_asked(running: RunningExchange, client: Any) -> None:
    found: list[Any] = []
    until_ms = NOW_MS
    while page := client.publicGetFinanceSavingsLendingRateHistory({"ccy": "BTC", "after": until_ms})["data"]:
        found += page
        until_ms = int(page[-1]["ts"])
    days = client.publicGetMarketHistoryCandles({"instId": "BTC-USDT", "bar": "1D"})["data"]

    assert [(int(each["ts"]), each["rate"], None) for each in reversed(found)] == running.truth.rates(
        "OKX/MARGIN/BTC-USDT", NOW_MS
    )
    assert {int(day[0]) % DAY_MS for day in days} == {16 * HOUR_MS}


@on_exchanges("gate")
def test_gate_refuses_what_is_too_long_ago_or_too_wide(running: RunningExchange) -> None:
    path = f"{running.url}/api/v4/spot/candlesticks?currency_pair=BTC_USDT&interval=1m"
    now = NOW_MS // 1_000

    assert "too long ago" in requests.get(f"{path}&from={now - 10_001 * 60}&to={now - 10_000 * 60}", timeout=9).text
    assert "too broad" in requests.get(f"{path}&from={now - 1_000 * 60}&to={now}", timeout=9).text
    assert requests.get(f"{path}&from={now - 999 * 60}&to={now}", timeout=9).status_code == 200


@on_exchanges("binance")
def test_binance_counts_weights_and_bans_with_its_own_words(running: RunningExchange) -> None:
    running.reset()
    spot, future = (f"{running.url}{path}?symbol=BTCUSDT&interval=1m" for path in ("/api/v3/klines", "/fapi/v1/klines"))

    weights = [
        requests.get(f"{address}&limit={limit}", timeout=9).headers["X-MBX-USED-WEIGHT-1M"]
        for address, limit in ((spot, 1000), (spot, 10), (future, 99), (future, 499), (future, 1000), (future, 1500))
    ]
    running.control(ban_s=600)
    banned = requests.get(spot, timeout=9)
    during_ban = running.stats()["during_ban"]
    running.control(ban_s=0)

    assert weights[1] == "4"
    assert [int(weight) - int(weights[2]) for weight in weights[2:]] == [0, 2, 7, 17]
    assert (banned.status_code, during_ban) == (418, 1)
    assert f"IP banned until {NOW_MS + int(banned.headers['Retry-After']) * 1_000}" in banned.json()["msg"]
    assert requests.get(spot, timeout=9).status_code == 200


def test_each_fault_is_seen_on_the_wire(okx: RunningExchange) -> None:
    address = f"{okx.url}{OKX_BARS.format('BTC-USDT-SWAP')}"
    seen: dict[str, Callable[[requests.Response], bool]] = {
        "429_retry_after": lambda got: (
            (got.status_code, got.headers["Retry-After"], got.json()["code"]) == (429, "7", "50011")
        ),
        "429_plain": lambda got: got.status_code == 429 and got.text == "Too Many Requests",
        "503": lambda got: got.status_code == 503,
        "500_empty": lambda got: (got.status_code, got.json()) == (500, {}),
        "html_200": lambda got: got.status_code == 200 and got.text.startswith("<!DOCTYPE html>"),
        "empty_200": lambda got: (got.status_code, got.json()) == (200, {}),
        "error_200": lambda got: got.status_code == 200 and got.json()["code"] == "50001",
        "duplicate": lambda got: len(got.json()["data"]) == 21 and len({row[0] for row in got.json()["data"]}) == 20,
        "missing": lambda got: len(got.json()["data"]) == 19,
        "forming": lambda got: got.json()["data"][0][8] == "0",
        "": lambda got: [row[8] for row in got.json()["data"]] == ["1"] * 20,
    }
    okx.control(next=list(seen), retry_after_s=7)
    with requests.Session() as session:
        wrong = [fault for fault, is_right in seen.items() if not is_right(session.get(address, timeout=9))]
        assert wrong == []

        okx.control(next=["cut"])
        with pytest.raises(requests.exceptions.ChunkedEncodingError):
            session.get(address, timeout=9)
        okx.control(next=["no_answer", "slow_body"], slow_ms=1_000)
        for _ in range(2):
            with pytest.raises((requests.exceptions.ReadTimeout, requests.exceptions.ConnectionError)):
                session.get(address, timeout=0.2)
    assert {*seen, "cut", "no_answer", "slow_body"} - {""} == set(FAULTS)
    assert okx.stats()["faults"] == dict.fromkeys(FAULTS, 1)


def test_faults_come_at_the_asked_rate_and_repeat_with_the_seed(okx: RunningExchange) -> None:
    address = f"{okx.url}{OKX_BARS.format('BTC-USDT-SWAP')}"

    def ask() -> list[int]:
        okx.control(error_rate=0.3, kinds=["503"], seed=5, paths=["history-candles"])
        return [session.get(address, timeout=9).status_code for _ in range(60)]

    with requests.Session() as session:
        first, again = ask(), ask()
        times = [session.get(f"{okx.url}/api/v5/public/time", timeout=9).status_code for _ in range(20)]

    assert first == again
    assert 5 <= first.count(503) <= 35
    assert times == [200] * 20


def test_the_server_counts_requests_pages_and_windows(okx: RunningExchange) -> None:
    address = f"{okx.url}{OKX_BARS.format('BTC-USDT-SWAP')}"
    with requests.Session() as session:
        for _ in range(5):
            session.get(address, timeout=9)
        session.get(f"{address}&after={NOW_MS - 100 * DAY_MS}", timeout=9)
        session.get(f"{okx.url}/api/v5/public/time", timeout=9)
    stats = okx.stats(60_000, arrivals=True)

    assert (stats["requests"], stats["pages"], stats["empty_pages"], stats["rows"]) == (7, 5, 1, 100)
    assert stats["by_path"] == {"/api/v5/market/history-candles": 6, "/api/v5/public/time": 1}
    assert stats["window"]["max_requests_by_path"]["/api/v5/market/history-candles"] == 6
    assert okx.max_in_window(60_000) == okx.max_in_window(60_000, weighted=True) == 7
    assert okx.max_in_window(0.000001) == 1
    assert len(stats["arrivals"]) == 7
    okx.reset()
    assert okx.stats()["requests"] == 0


def test_a_window_is_half_open() -> None:
    arrivals = [Arrival(time_ms, "/", "all", weight) for time_ms, weight in ((0, 1), (5, 3), (10, 1), (14, 1))]

    assert find_most(arrivals, 10, lambda arrival: 1) == 3
    assert find_most(arrivals, 10, lambda arrival: arrival.weight) == 5
    assert find_most(arrivals, 5, lambda arrival: 1) == 2
    assert find_most([], 5, lambda arrival: 1) == 0


def test_an_overrun_budget_is_refused_and_counted(okx: RunningExchange) -> None:
    okx.control(budgets=[{"weight": 3, "window_ms": 600_000, "path": "history-candles"}])
    address = f"{okx.url}{OKX_BARS.format('BTC-USDT-SWAP')}"
    with requests.Session() as session:
        answers = [session.get(address, timeout=9) for _ in range(5)]
        other = session.get(f"{okx.url}/api/v5/public/time", timeout=9)

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert answers[-1].json()["code"] == "50011"
    assert other.status_code == 200
    assert okx.stats()["violations"] == 2


def test_the_servers_clock_can_be_set_and_skewed(okx: RunningExchange) -> None:
    assert okx.control(now_ms=NOW_MS + DAY_MS, skew_ms=5_000) == NOW_MS + DAY_MS + 5_000

    answer = requests.get(f"{okx.url}/api/v5/public/time", timeout=9)
    bars = requests.get(f"{okx.url}{OKX_BARS.format('BTC-USDT-SWAP')}", timeout=9).json()["data"]

    assert int(answer.json()["data"][0]["ts"]) == NOW_MS + DAY_MS + 5_000
    assert answer.headers["Date"] == "Mon, 02 Nov 2026 07:00:39 GMT"
    assert int(bars[0][0]) == okx.truth.bars("OKX/SWAP/BTC-USDT-SWAP", "PT1M", NOW_MS + DAY_MS + 5_000)[-1][0]


def test_instruments_come_and_go(okx: RunningExchange) -> None:
    def list_swaps() -> set[str]:
        answer = requests.get(f"{okx.url}/api/v5/public/instruments?instType=SWAP", timeout=9)
        return {each["instId"] for each in answer.json()["data"]}

    def ask(instrument_id: str) -> list[list[str]]:
        address = f"{okx.url}{OKX_BARS.format(instrument_id)}"
        return list(requests.get(address, timeout=9).json()["data"])

    added = okx.add("OKX/SWAP/", "NEW", "USDT", NOW_MS - DAY_MS)
    okx.vanish("OKX/SWAP/BTC-USDT-SWAP", NOW_MS - 3 * HOUR_MS)
    okx.vanish("OKX/SWAP/ETH-USDC-SWAP", NOW_MS, gone=True)

    assert added == "OKX/SWAP/NEW-USDT-SWAP"
    assert list_swaps() == {"NEW-USDT-SWAP", "PEPE-USDT-SWAP"}
    assert [int(row[0]) for row in ask("NEW-USDT-SWAP")] == [
        row[0] for row in reversed(okx.truth.bars(added, "PT1M", NOW_MS)[-20:])
    ]
    stopped = okx.truth.bars("OKX/SWAP/BTC-USDT-SWAP", "PT1M", NOW_MS)
    assert int(ask("BTC-USDT-SWAP")[0][0]) == stopped[-1][0] < NOW_MS - 3 * HOUR_MS
    assert ask("ETH-USDC-SWAP") == []


def test_another_seed_has_other_prices_and_the_same_seed_the_same() -> None:
    one, same, other = (Truth("okx", seed).bars("OKX/SPOT/BTC-USDT", "PT1H", NOW_MS) for seed in (1, 1, 2))

    assert one == same
    assert [row[0] for row in one] == [row[0] for row in other]
    assert one != other


def test_bars_of_different_lengths_agree() -> None:
    truth = Truth("binance")
    minutes = truth.bars("BINANCE/SPOT/PEPEUSDT", "PT1M", NOW_MS)
    by_hour = {row[0]: row for row in truth.bars("BINANCE/SPOT/PEPEUSDT", "PT1H", NOW_MS)}

    for start_ms in range(NOW_MS // HOUR_MS * HOUR_MS - 5 * HOUR_MS, NOW_MS - HOUR_MS, HOUR_MS):
        inside = [row for row in minutes if start_ms <= row[0] < start_ms + HOUR_MS]
        expected = (inside[0][2], max(row[3] for row in inside), min(row[4] for row in inside), inside[-1][5])
        assert by_hour[start_ms][2:6] == expected


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_server_started_by_hand_ends_on_a_signal(ending: signal.Signals) -> None:
    command = [sys.executable, "-m", "tests.exchanges", "--exchange", "bybit", "--now", "2026-11-01T00:00Z", "--json"]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        answer = requests.get(f"{said['url']}/v5/market/time", timeout=9).json()
        process.send_signal(ending)
        assert process.wait(60) == 0
    assert answer["time"] == 1_793_491_200_000
    assert said["pid"] == process.pid


def test_a_server_ends_with_its_parent() -> None:
    script = "import os; from tests.exchanges.launch import start_exchange\n"
    script += "with start_exchange('okx') as okx: print(okx.pid, flush=True); input(); os._exit(9)"
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        watched = os.pidfd_open(int(parent.stdout.readline()))
        try:
            parent.communicate("\n", timeout=60)
            assert select.select([watched], [], [], 10)[0] == [watched]
        finally:
            os.close(watched)
    assert parent.returncode == 9
