"""The exchange vendors against loopback servers that speak the exchanges' wire formats."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import pytest

from series_pipelines.app.clock import SystemClock
from series_pipelines.core.duration import DAY_MS, HOUR_MS, parse_duration
from series_pipelines.core.tables import INTEREST_RATE, OHLC
from series_pipelines.errors import (
    PageRefused,
    VendorBusy,
    VendorError,
    VendorRejected,
    VendorTimeout,
    VendorUnavailable,
)
from series_pipelines.ingest.budgets.throttle import PostgresThrottle
from series_pipelines.ingest.pages.check import check_bar_page, check_instant_page
from series_pipelines.ingest.proving.vendor_check import check_vendor
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.vendors.config import ExchangeConfig
from series_pipelines.vendors.contract import INGEST_INTEREST_RATE, INGEST_OHLC, Budget, Request, Service
from series_pipelines.vendors.exchanges import ExchangeVendor, client, create, markets
from series_pipelines.vendors.exchanges.classify import Response
from series_pipelines.vendors.exchanges.markets import format_decimal
from series_pipelines.vendors.exchanges.wire import flip_sign
from series_pipelines.vendors.offers import read_products
from series_pipelines.vendors.services import Capability, parse_service
from tests.exchanges.catalogue import NAMES
from tests.exchanges.launch import RunningExchange, start_exchange
from tests.support.narrowing import expect
from tests.support.simulation import MovableClock

NOW_MS = 1_793_491_200_000 + 12_345_678


@dataclass
class CountingThrottle:
    """Lets everything pass and remembers it."""

    taken: list[tuple[Budget, int]] = field(default_factory=list)
    used: list[tuple[Budget, int]] = field(default_factory=list)
    opened: list[tuple[Budget, int, str]] = field(default_factory=list)
    settled: list[int] = field(default_factory=list)
    on_settled: threading.Event = field(default_factory=threading.Event)

    def take(self, budget: Budget, weight: int = 1) -> int:
        self.taken.append((budget, weight))
        return len(self.taken)

    def settle(self, ticket: int) -> None:
        self.settled.append(ticket)
        self.on_settled.set()

    def note_used(self, budget: Budget, used: int) -> None:
        self.used.append((budget, used))

    def open_circuit(self, budget: Budget, for_ms: int, reason: str) -> None:
        self.opened.append((budget, for_ms, reason))


@dataclass
class Bench:
    server: RunningExchange
    vendor: ExchangeVendor
    throttle: CountingThrottle


@contextmanager
def run_bench(name: str, *, now_ms: int = NOW_MS, age_days: float = 10.0, **config: Any) -> Iterator[Bench]:
    with start_exchange(name, now_ms=now_ms, age_days=age_days) as server:
        throttle = CountingThrottle()
        chosen = ExchangeConfig(url=server.url, **config)
        [vendor] = create({"exchanges": {name: chosen}, "throttle": throttle, "clock": lambda: now_ms})
        try:
            yield Bench(server, vendor, throttle)
        finally:
            vendor.close()


@pytest.fixture(scope="module", autouse=True)
def only_loopback() -> Iterator[list[str]]:
    """Refuse every connection that would leave this machine."""
    asked: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        look_up = socket.getaddrinfo

        def guard(host: Any, *arguments: Any, **named: Any) -> Any:
            asked.append(str(host))
            assert host in ("127.0.0.1", "localhost"), f"a request would leave for {host}"
            return look_up(host, *arguments, **named)

        patch.setattr(socket, "getaddrinfo", guard)
        yield asked


@pytest.fixture(scope="module", params=NAMES)
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    with run_bench(request.param) as made:
        yield made


def find_capabilities(vendor: ExchangeVendor, method: str) -> dict[str, Capability]:
    services: list[Service] = [service for service in vendor.services() if service.method == method]
    return {found.product_prefix: found for found in (parse_service(vendor.name, service) for service in services)}


def page_all(vendor: ExchangeVendor, capability: Capability, product_id: str, duration: str | None) -> list[Any]:
    """Page a series from one end to the other as a lane does, with an overlap; return its rows."""
    overlap_ms = 3_600_000 if duration is None else min(3_600_000, parse_duration(duration).nominal_ms)
    rows: dict[int, Any] = {}
    backward = capability.direction == "backward"
    time_ms = NOW_MS if backward else 0
    for _ in range(2_000):
        request = Request(capability.method, product_id, duration, capability.direction, time_ms)
        reply = vendor.fetch(request)
        closed_ms = reply.now_ms - capability.limits.grace_ms
        if duration is None:
            page = check_instant_page(
                INTEREST_RATE, reply.rows, direction=capability.direction, time_ms=time_ms, closed_before_ms=closed_ms
            )
        else:
            page = check_bar_page(
                OHLC,
                reply.rows,
                direction=capability.direction,
                time_ms=time_ms,
                duration=parse_duration(duration),
                closed_before_ms=closed_ms,
            )
        assert page.outside == 0
        new = [row for row in page.rows if row[0] not in rows]
        rows |= {row[0]: row for row in page.rows}
        if not new:
            return [rows[created] for created in sorted(rows)]
        frontier_ms = min(row[0] for row in new) if backward else max(row[0] for row in new)
        time_ms = min(frontier_ms + overlap_ms, time_ms - 1) if backward else max(frontier_ms, time_ms + 1)
    raise AssertionError("the series does not end")


def test_every_service_can_be_read(bench: Bench) -> None:
    assert find_capabilities(bench.vendor, INGEST_OHLC)


def test_the_products_are_those_the_exchange_lists(bench: Bench) -> None:
    found = {product.product_id: product for product in bench.vendor.products()}
    expected = {product.product_id: product for product in bench.server.truth.products()}

    assert set(found) == set(expected)
    for product_id, product in expected.items():
        mine = found[product_id]
        assert (mine.base_currency, mine.quote_currency) == (product.base, product.quote)
        # Hyperliquid has no price step but five significant digits.
        assert bench.server.name == "hyperliquid" or mine.price_step == product.price_step
        assert mine.volume_step == product.volume_step
        # HTX names the day only, and some say nothing.
        assert mine.listed_ms is None or 0 <= product.listed_ms - mine.listed_ms < DAY_MS


@pytest.mark.parametrize("duration", ["PT1M", "PT1H"])
def test_paging_to_the_listing_gives_every_bar_unchanged(bench: Bench, duration: str) -> None:
    for prefix, capability in find_capabilities(bench.vendor, INGEST_OHLC).items():
        for product in bench.server.truth.products():
            if product.product_id.startswith(prefix):
                expected = [
                    tuple(row)
                    for row in bench.server.truth.bars(product.product_id, duration, NOW_MS)
                    if row[1] <= NOW_MS // 1000 * 1000 - capability.limits.grace_ms
                ]
                found = [tuple(row[:7]) for row in page_all(bench.vendor, capability, product.product_id, duration)]
                # Gate refuses what is 10000 bars old; one bar is given away for the time a request takes.
                oldest_ms = NOW_MS - 9_999 * parse_duration(duration).nominal_ms
                given_away = bench.server.name == "gate" and expect(int, expected[0][0]) < oldest_ms
                assert found == expected[given_away:], product.product_id


def test_paging_to_the_listing_gives_every_rate_unchanged(bench: Bench) -> None:
    for prefix, capability in find_capabilities(bench.vendor, INGEST_INTEREST_RATE).items():
        for product in bench.server.truth.products():
            if product.product_id.startswith(prefix) and "/MARGIN/" not in prefix:
                expected = bench.server.truth.rates(product.product_id, NOW_MS)
                found = page_all(bench.vendor, capability, product.product_id, None)
                assert [(row[0], row[2], row[3]) for row in found] == expected, product.product_id


def test_both_currencies_of_a_margin_pair_are_borrowed() -> None:
    with run_bench("okx", prefixes=("OKX/MARGIN/",), rates=True) as bench:
        capability = find_capabilities(bench.vendor, INGEST_INTEREST_RATE)["OKX/MARGIN/"]
        found = page_all(bench.vendor, capability, "OKX/MARGIN/BTC-USDT", None)

        base, quote = (
            {row[0]: row[1] for row in bench.server.truth.lending_rates(name, NOW_MS)} for name in ("BTC", "USDT")
        )
        expected = [(time, flip_sign(quote[time]), flip_sign(base[time]), None) for time in sorted(base.keys() & quote)]
        assert found == expected


def find_some_request(bench: Bench, method: str = INGEST_OHLC) -> Request:
    prefix, capability = next(iter(find_capabilities(bench.vendor, method).items()))
    product = next(each for each in bench.server.truth.products() if each.product_id.startswith(prefix))
    time_ms = NOW_MS if capability.direction == "backward" else NOW_MS - DAY_MS
    return Request(method, product.product_id, "PT1M" if method == INGEST_OHLC else None, capability.direction, time_ms)


def test_a_page_is_one_request_and_every_request_is_paid_for(bench: Bench) -> None:
    request = find_some_request(bench)
    bench.server.reset()
    bench.throttle.taken.clear()

    bench.vendor.fetch(request)

    own = [budget for budget, _ in bench.throttle.taken if "/used@" not in budget.name]
    assert bench.server.stats()["requests"] == len(own) == 1
    assert all(budget.window_ms <= 10_000 for budget in own)


def test_the_markets_are_paid_for_too(bench: Bench) -> None:
    bench.server.reset()
    bench.throttle.taken.clear()

    bench.vendor.products()

    own = [budget for budget, _ in bench.throttle.taken if "/used@" not in budget.name]
    assert bench.server.stats()["requests"] == len(own)


FAULTS = {
    "429_retry_after": (VendorBusy, 7_000),
    "429_plain": (VendorBusy, None),
    "503": (VendorUnavailable, None),
    "500_empty": (VendorUnavailable, None),
    "cut": (VendorUnavailable, None),
    "html_200": (PageRefused, None),
    "empty_200": (PageRefused, None),
    "error_200": (VendorUnavailable, None),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_apart_from_an_empty_page(bench: Bench, fault: str) -> None:
    expected, wait_ms = FAULTS[fault]
    bench.server.control(next=[fault], retry_after_s=7)

    with pytest.raises(expected) as raised:
        bench.vendor.fetch(find_some_request(bench))

    assert getattr(raised.value, "retry_after_ms", None) == wait_ms
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("fault", ["html_200", "empty_200", "500_empty", "error_200"])
def test_a_failed_part_of_the_markets_fails_all_of_them(bench: Bench, fault: str) -> None:
    exchanges = {bench.vendor.name: ExchangeConfig(url=bench.server.url)}
    # A vendor that has been answered does not ask again for a while.
    asked, asking = (
        create({"exchanges": exchanges, "throttle": CountingThrottle(), "clock": lambda: NOW_MS})[0] for _ in range(2)
    )
    bench.server.reset()
    asked.products()
    requests = bench.server.stats()["requests"]
    assert requests > 0
    for number in range(requests):
        bench.server.control(next=[*[""] * number, fault])
        with pytest.raises(VendorError):
            asking.products()
        bench.server.control(next=[])
    asked.close()
    asking.close()


@pytest.mark.parametrize("fault", ["", "cut", "no_answer", "slow_body"])
def test_every_request_is_settled_once_however_it_ends(fault: str) -> None:
    with run_bench("okx", timeout_seconds=0.5) as bench:
        request = find_some_request(bench)
        bench.throttle.taken.clear()
        bench.throttle.settled.clear()
        bench.server.control(next=[fault], slow_ms=1_000)
        with nullcontext() if fault == "" else pytest.raises(VendorError):
            bench.vendor.fetch(request)
        assert bench.throttle.settled == [1]
        assert len(bench.throttle.taken) == 1


def test_a_request_is_settled_when_its_answer_begins() -> None:
    with run_bench("okx", timeout_seconds=20) as bench, ThreadPoolExecutor(1) as pool:
        request = find_some_request(bench)
        bench.throttle.on_settled.clear()
        bench.server.control(next=["slow_body"], slow_ms=2_000)
        fetching = pool.submit(bench.vendor.fetch, request)
        assert bench.throttle.on_settled.wait(10)
        assert not fetching.done()
        assert fetching.result().rows


def test_no_answer_in_time_is_a_timeout() -> None:
    with run_bench("okx", timeout_seconds=0.2) as bench:
        bench.server.control(next=["no_answer"], slow_ms=1_000)
        with pytest.raises(VendorTimeout):
            bench.vendor.fetch(find_some_request(bench))


@pytest.mark.parametrize(("wish", "grace_ms"), [({}, 2_000), ({"safety_lag_seconds": 7.5}, 7_500)])
def test_the_safety_lag_is_the_exchanges_own_unless_the_file_says_another(wish: dict[str, Any], grace_ms: int) -> None:
    with run_bench("okx", **wish) as bench:
        assert {service.limits.grace_ms for service in bench.vendor.services()} == {grace_ms}


@pytest.mark.parametrize("name", NAMES)
def test_a_ban_opens_the_circuit_for_its_time(name: str) -> None:
    with run_bench(name) as bench:
        request = find_some_request(bench)
        bench.server.control(ban_s=50)

        with pytest.raises(VendorBusy) as raised:
            bench.vendor.fetch(request)

        stated_ms = raised.value.retry_after_ms
        assert stated_ms == (600_000 if name == "bybit" else pytest.approx(50_000, abs=2_000))
        assert {for_ms for _, for_ms, _ in bench.throttle.opened} == {stated_ms}


def test_a_server_that_is_gone_is_unavailable() -> None:
    with run_bench("okx") as bench:
        request = find_some_request(bench)
    throttle = CountingThrottle()
    config = ExchangeConfig(url=bench.server.url)
    [vendor] = create({"exchanges": {"okx": config}, "throttle": throttle, "clock": lambda: NOW_MS})
    with pytest.raises(VendorUnavailable):
        vendor.fetch(request)
    vendor.close()


def test_an_unknown_instrument_is_rejected(bench: Bench) -> None:
    request = find_some_request(bench)
    prefix = next(
        prefix for prefix in find_capabilities(bench.vendor, INGEST_OHLC) if request.product_id.startswith(prefix)
    )

    with pytest.raises(VendorRejected):
        bench.vendor.fetch(replace(request, product_id=f"{prefix}NO-SUCH_USDT"))


def make_no_connection() -> NoReturn:
    raise AssertionError("an exchange keeps its budgets itself")


def test_the_check_finds_nothing_wrong(bench: Bench) -> None:
    findings = check_vendor(bench.vendor, MovableClock(NOW_MS), make_no_connection)
    assert [finding for finding in findings if not finding.ok] == []


def test_an_instrument_that_can_not_be_stored_is_refused_alone() -> None:
    with run_bench("okx") as bench:
        before = read_products("okx", bench.vendor)
        bench.vendor._listed = None
        bad = bench.server.add("OKX/SWAP/", "HALF\0", "USDT", NOW_MS - 86_400_000)
        after = read_products("okx", bench.vendor)
        assert after.taken == before.taken
        [refusal] = after.refused
        assert refusal.startswith("vendor 'okx': product 'OKX/SWAP/HALF\\x00-USDT-SWAP': ")
        assert bad in after.named


def answer_with(monkeypatch: pytest.MonkeyPatch, status: int, body: str) -> None:
    """Let every answer from now on be this one, whatever the server says."""
    keep, parse = client.Client.keep, client.Client.parse
    answer = Response(status, {"Retry-After": "120"}, body)
    monkeypatch.setattr(client.Client, "keep", lambda self, response: keep(self, answer))
    monkeypatch.setattr(client.Client, "parse", lambda self, text: parse(self, body))


ODD_WORDS = "gone \\ud83d \\u0000 \\u001b[2J away"


def test_words_that_can_not_be_stored_are_cleaned_where_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    with run_bench("okx") as bench:
        request = find_some_request(bench)
        bench.vendor.fetch(request)
        answer_with(monkeypatch, 200, f'{{"code":"51001","msg":"{ODD_WORDS}","data":[]}}')
        with pytest.raises(VendorRejected) as raised:
            bench.vendor.fetch(request)
    assert str(raised.value) == "okx: 200, 51001 gone [2J away"


def test_a_ban_in_words_that_can_not_be_stored_blocks_all_its_budgets(
    monkeypatch: pytest.MonkeyPatch, conn: Connection, database_url: str
) -> None:
    with start_exchange("binance", now_ms=NOW_MS, age_days=10.0) as server:
        throttle = PostgresThrottle(
            lambda purpose, auto: connect(database_url, purpose=purpose, autocommit=auto), SystemClock()
        )
        config = ExchangeConfig(url=server.url)
        [vendor] = create({"exchanges": {"binance": config}, "throttle": throttle, "clock": lambda: NOW_MS})
        request = find_some_request(Bench(server, vendor, CountingThrottle()))
        vendor.fetch(request)
        answer_with(monkeypatch, 418, f'{{"code":-1003,"msg":"{ODD_WORDS}"}}')
        for _ in range(2):
            with pytest.raises(VendorBusy) as raised:
                vendor.fetch(request)
            assert raised.value.retry_after_ms == pytest.approx(120_000, abs=5_000)
        assert str(raised.value).startswith("no request to binance/fapi@direct for 1")
        vendor.close()
        throttle.close()
    blocked = conn.execute("select distinct blocked_why from rate_budget where blocked_until > now()").fetchall()
    assert blocked == [("binance: 418, -1003 gone [2J away",)]


def test_a_body_that_is_too_large_is_refused_before_all_of_it_is_read(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = find_some_request(bench)
    whole = bench.vendor.fetch(request)
    bench.throttle.settled.clear()
    bench.throttle.taken.clear()
    with monkeypatch.context() as patch:
        patch.setattr(client, "MOST_BYTES", 100)
        patch.setattr(client, "CHUNK_BYTES", 64)
        with pytest.raises(PageRefused, match=f"^{bench.vendor.name}: its body is larger than "):
            bench.vendor.fetch(request)
        bench.server.control(next=["503"])
        patch.setattr(client, "MOST_BYTES", 20)
        with pytest.raises(VendorUnavailable, match="503"):
            bench.vendor.fetch(request)
        bench.server.control(ban_s=50)
        opened = len(bench.throttle.opened)
        with pytest.raises(VendorBusy):
            bench.vendor.fetch(request)
        assert len(bench.throttle.opened) > opened
        bench.server.control(ban_s=0)
    assert len(bench.throttle.settled) == len(bench.throttle.taken)
    assert bench.vendor.fetch(request) == whole


def test_one_instrument_with_half_a_surrogate_pair_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    with run_bench("okx") as bench:
        before = read_products("okx", bench.vendor).taken
        victim = min(product_id for product_id in before if product_id.startswith("OKX/SWAP/"))
        name = victim.rsplit("/", 1)[1]
        bench.vendor._listed = None
        parse = client.Client.parse

        def spoil(self: client.Client, text: str) -> Any:
            return parse(self, text.replace(f'"{name}"', f'"{name}\\ud83d"'))

        monkeypatch.setattr(client.Client, "parse", spoil)
        after = read_products("okx", bench.vendor)
    assert set(after.taken) == set(before) - {victim}
    [refusal] = after.refused
    assert refusal.startswith(f"vendor 'okx': product '{victim}\\ud83d': ")


@pytest.mark.parametrize("text", ["1e999999999", "-1e999999999", "1e-999999999", "NaN", "sNaN", "Infinity", "x", ""])
def test_a_number_that_can_not_be_written_out_is_no_number(text: str) -> None:
    assert format_decimal(text) is None
    assert markets._to_time(text) is None


def test_no_other_host_was_ever_asked(bench: Bench, only_loopback: list[str]) -> None:
    bench.vendor.products()

    assert set(only_loopback) <= {"127.0.0.1", "localhost"}


def test_the_exchange_count_is_passed_on() -> None:
    with run_bench("binance") as bench:
        bench.vendor.fetch(find_some_request(bench))

        [(budget, used)] = bench.throttle.used
        assert (budget.name, budget.window_ms) == ("binance/fapi@direct", 60_000)
        assert used >= 5


def test_no_secret_reaches_a_message_or_a_page_request() -> None:
    secrets = {"SERIES_OKX_API_KEY": "key-123", "SERIES_OKX_SECRET": "secret-456", "SERIES_OKX_PASSWORD": "word-789"}
    with start_exchange("okx", now_ms=NOW_MS) as server:
        options = {"throttle": CountingThrottle(), "clock": lambda: NOW_MS, "secrets": secrets.get}
        [vendor] = create({"exchanges": {"okx": ExchangeConfig(url=server.url)}, **options})
        echo = Request(INGEST_OHLC, "OKX/SWAP/secret-456", "PT1M", "backward", NOW_MS)
        with pytest.raises(VendorRejected) as raised:
            vendor.fetch(echo)
        assert not any(value in str(raised.value) for value in secrets.values())
        assert vendor.products()
        vendor.close()


def test_a_proxy_s_password_stays_hidden() -> None:
    proxy = {"MY_PROXY": "http://me:very-secret@127.0.0.1:9"}
    options = {"throttle": CountingThrottle(), "clock": lambda: NOW_MS, "secrets": proxy.get}
    [vendor] = create({"exchanges": {"okx": ExchangeConfig(url="http://127.0.0.1:8", proxy_env="MY_PROXY")}, **options})
    with pytest.raises(VendorUnavailable) as raised:
        vendor.fetch(Request(INGEST_OHLC, "OKX/SWAP/BTC-USDT-SWAP", "PT1M", "backward", NOW_MS))
    vendor.close()

    assert "very-secret" not in str(raised.value)
    assert raised.value.__suppress_context__


def test_threads_have_their_own_clients() -> None:
    with run_bench("bybit") as bench:
        requests = [
            Request(INGEST_OHLC, product.product_id, "PT1M", "backward", NOW_MS - number * HOUR_MS)
            for product in bench.server.truth.products()
            for number in range(10)
        ]
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(bench.vendor.fetch, requests))

        for request, reply in zip(requests, replies, strict=True):
            alone = bench.vendor.fetch(request)
            assert reply == alone
