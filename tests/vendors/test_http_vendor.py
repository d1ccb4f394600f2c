"""Remote vendors over real HTTP: the example as a process, and peers in this one that can misbehave in any way."""

import json
import os
import socket
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from series_pipelines.core.duration import DAY_MS, HOUR_MS
from series_pipelines.core.ranges import find_gaps
from series_pipelines.errors import (
    InvalidInput,
    PageRefused,
    VendorBackoff,
    VendorBroken,
    VendorBusy,
    VendorError,
    VendorRejected,
    VendorTimeout,
    VendorUnavailable,
)
from series_pipelines.ingest.catalogue.universe import sync_universe
from series_pipelines.ingest.lane.order import LaneOrder
from series_pipelines.ingest.storing import capabilities, ranges, states
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.config import RemoteConfig
from series_pipelines.vendors.contract import Limits, Product, Reply, Request
from series_pipelines.vendors.registry import Registry
from series_pipelines.vendors.remote import transport as http_transport
from series_pipelines.vendors.remote import vendor as http_vendor
from series_pipelines.vendors.services import format_cap_key
from tests.support.bars import make_bar
from tests.support.places import PROJECT
from tests.support.remote_peers import (
    BAR,
    PAGE,
    Act,
    Handler,
    Peers,
    cut,
    hang,
    make_offer,
    refuse,
    send_raw,
    serve_demo,
)
from tests.support.simulation import NOON_MS, MovableClock, World, make_product, make_vendor

EXAMPLE = PROJECT / "docs" / "examples" / "remote_vendor.py"
TOKEN = "s3cret-t0ken-of-acme"
ASKED = Request("IngestOHLC", "ACME/X", "PT1M", "backward", NOON_MS)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def peers(clock: MovableClock) -> Iterator[Peers]:
    started = Peers(clock)
    yield started
    started.close()


@pytest.fixture
def example() -> Iterator[str]:
    with run_example() as url:
        yield url


@contextmanager
def run_example() -> Iterator[str]:
    command = [sys.executable, str(EXAMPLE), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1]
        finally:
            process.kill()


def find_dead_address() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


# What is offered


def test_services_and_products_are_discovered(peers: Peers) -> None:
    peer = peers.start()
    peer.services = [make_offer(("1m", "PT1H"), limits={"requests": 5, "grace_ms": 0}), {"method": "ListProducts"}]
    peer.products = [{"product_id": "ACME/X", "price_step": 0.00000001, "listed_at": 5}]
    vendor = peers.connect(peer)
    catalogue = Registry([vendor]).read()
    (capability,) = catalogue.capabilities.values()
    assert (capability.vendor, capability.product_prefix) == ("acme", "ACME/")
    assert capability.durations == ("PT1M", "PT1H")
    assert capability.limits == Limits(requests=5, grace_ms=0)
    assert (catalogue.refused, catalogue.silent) == ((), frozenset())
    assert vendor.products() == [Product("ACME/X", price_step="1e-08", listed_ms=5)]


def test_services_come_and_go(peers: Peers) -> None:
    peer = peers.start()
    registry = Registry([peers.connect(peer)])
    assert len(registry.read().capabilities) == 1
    peer.services.append(make_offer(prefix="ACME/NEW/"))
    assert len(registry.read().capabilities) == 2
    peer.services = []
    assert registry.read().capabilities == {}


def test_a_malformed_service_is_refused_by_name_and_the_rest_stays(peers: Peers) -> None:
    peer = peers.start()
    wrong = make_offer(prefix="ACME/(SPOT|SWAP)/")
    misspelt = make_offer(prefix="ACME/SPOT/", limits={"requets": 7})
    peer.services += [wrong, misspelt, {"method": "IngestOHLC", "schema": 7}, {"method": "IngestNews", "schema": {}}]
    catalogue = Registry([peers.connect(peer)]).read()
    assert list(catalogue.capabilities) == [format_cap_key("IngestOHLC", "ACME/", "backward")]
    assert len(catalogue.refused) == 4
    assert all("vendor 'acme', service 'Ingest" in line and peer.url in line for line in catalogue.refused[:3])
    assert "more than a prefix" in catalogue.refused[0]
    assert "limits.requets" in catalogue.refused[1]
    assert "the method must be" in catalogue.refused[3]


def test_a_vendor_says_itself_that_it_has_no_products(peers: Peers) -> None:
    peer = peers.start()
    vendor = peers.connect(peer)
    peer.products = []
    assert vendor.products() == []
    peer.services = [make_offer()]
    with pytest.raises(VendorUnavailable, match="no instance of acme offers ListProducts"):
        vendor.products()


def test_an_instance_that_answers_nonsense_is_silent_and_never_offers_nothing(peers: Peers) -> None:
    peer = peers.start()
    vendor = peers.connect(peer)
    for act in (
        refuse(200, {}),
        refuse(200, {"services": None}),
        refuse(200, {"services": ["IngestOHLC"]}),
        refuse(404, {"error": "?"}),
        refuse(500),
        lambda handler, _: handler.send(200, b"<html>"),
    ):
        peer.look = act
        catalogue = Registry([vendor]).read()
        assert catalogue.silent == {"acme"}
        assert peer.url in catalogue.refused[0]
        with pytest.raises(VendorUnavailable, match="1 of 1 instances"):
            vendor.products()


def test_all_silent_is_a_failure_and_one_silent_is_not(peers: Peers) -> None:
    first, second = peers.start(), peers.start()
    vendor = peers.connect(first, second)
    assert vendor.services()[0].limits.concurrent == 2
    peers.kill(second)
    assert vendor.services()[0].limits.concurrent == 1
    with pytest.raises(VendorUnavailable, match=r"1 of 2 instances .*vendors\.toml: " + second.url):
        vendor.products()
    peers.kill(first)
    with pytest.raises(VendorUnavailable, match="no instance answers"):
        vendor.services()


def test_products_are_judged_by_the_same_look_as_the_services(peers: Peers) -> None:
    first, second = peers.start(), peers.start()
    vendor = peers.connect(first, second)
    peers.kill(second)
    vendor.services()
    peers.restart(second)
    with pytest.raises(VendorUnavailable, match="silent"):
        vendor.products()
    assert vendor.products() == [Product("ACME/X")]


def test_nothing_is_retired_while_an_instance_is_silent(peers: Peers, conn: Connection) -> None:
    first, second = peers.start(), peers.start()
    second.services = [make_offer(prefix="BETA/"), {"method": "ListProducts"}]
    second.products = [{"product_id": "BETA/Y"}]
    registry = Registry([peers.connect(first, second)])

    def list_active() -> list[str]:
        return [known.series_id for known in states.list_series(conn, "ohlc_v2") if known.active]

    assert sync_universe(conn, registry, NOON_MS).refused == ()
    assert list_active() == ["ACME/X/PT1M", "BETA/Y/PT1M"]
    peers.kill(second)
    report = sync_universe(conn, registry, NOON_MS)
    assert second.url in report.refused[0]
    assert list_active() == ["ACME/X/PT1M", "BETA/Y/PT1M"]
    assert list(registry.read().capabilities) == [format_cap_key("IngestOHLC", "ACME/", "backward")]
    back = peers.restart(second)
    back.services = []
    assert sync_universe(conn, registry, NOON_MS).refused == ()
    assert list_active() == ["ACME/X/PT1M"]


# Who is asked


def test_requests_are_shared_evenly(peers: Peers) -> None:
    living = [peers.start() for _ in range(3)]
    vendor = peers.connect(*living)
    vendor.services()
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: vendor.fetch(ASKED), range(90)))
    assert [len(peer.asked) for peer in living] == [30, 30, 30]
    assert all(reply == Reply([tuple(BAR)], NOON_MS) for reply in replies)
    assert living[0].asked[0] == {
        "method": "IngestOHLC",
        "params": {"product_id": "ACME/X", "duration": "PT1M", "direction": "backward", "time": NOON_MS},
    }
    assert all(len(peer.connections) <= 5 for peer in living)


def test_a_fetch_needs_no_look_before_it(peers: Peers) -> None:
    assert peers.connect(peers.start()).fetch(ASKED).now_ms == NOON_MS


def test_a_request_goes_to_who_has_its_duration(peers: Peers) -> None:
    first, second = peers.start(), peers.start()
    second.services = [make_offer(("PT1H",))]
    vendor = peers.connect(first, second)
    for duration in ("PT1H", "PT1M", "PT1H", "PT1H"):
        vendor.fetch(Request("IngestOHLC", "ACME/X", duration, "backward", NOON_MS))
    assert (len(first.asked), len(second.asked)) == (1, 3)
    peers.kill(second)
    with pytest.raises(VendorBroken, match="do not have this duration"):
        vendor.fetch(Request("IngestOHLC", "ACME/X", "PT1H", "backward", NOON_MS))
    assert vendor.fetch(ASKED).rows


@pytest.mark.parametrize(
    "asked",
    [
        Request("IngestOHLC", "ACME/X", "P1D", "backward", NOON_MS),
        Request("IngestOHLC", "ACME/X", "PT1M", "forward", NOON_MS),
        Request("IngestOHLC", "OTHER/X", "PT1M", "backward", NOON_MS),
        Request("IngestInterestRate", "ACME/X", None, "backward", NOON_MS),
    ],
)
def test_what_nobody_offers_is_rejected_without_asking(peers: Peers, asked: Request) -> None:
    peer = peers.start()
    vendor = peers.connect(peer)
    with pytest.raises(VendorRejected, match="no instance of acme offers"):
        vendor.fetch(asked)
    assert (peer.asked, peer.looks) == ([], 1)


@pytest.mark.parametrize(
    "fail",
    [
        refuse(429, Retry_After="30"),
        refuse(500),
        refuse(503, Retry_After="30"),
        refuse(302, Location="http://127.0.0.1:1/"),
        cut,
        lambda handler, _: handler.send(200, b"<html>"),
        lambda handler, _: handler.send_json(200, {}),
    ],
)
def test_when_one_fails_another_is_asked_within_the_same_fetch(peers: Peers, fail: Act) -> None:
    bad, good = peers.start(), peers.start()
    bad.act = fail
    vendor = peers.connect(bad, good)
    for _ in range(20):
        assert vendor.fetch(ASKED).rows == [tuple(BAR)]
    assert len(good.asked) == 20


def test_an_instance_that_failed_is_set_aside_and_comes_back(peers: Peers, clock: MovableClock) -> None:
    first, second = peers.start(), peers.start()
    vendor = peers.connect(first, second)
    vendor.services()
    peers.kill(first)
    for _ in range(4):
        vendor.fetch(ASKED)
    assert len(second.asked) == 4
    back = peers.restart(first)
    vendor.fetch(ASKED)
    assert back.asked == []
    clock.wait(5_000)
    for _ in range(4):
        vendor.fetch(ASKED)
    assert (len(back.asked), len(second.asked)) == (2, 7)


def test_all_killed_is_unavailable_and_recovery_needs_no_look(peers: Peers) -> None:
    first, second = peers.start(), peers.start()
    vendor = peers.connect(first, second)
    vendor.services()
    peers.kill(first)
    peers.kill(second)
    for _ in range(2):
        with pytest.raises(VendorUnavailable, match="connection refused; does it run there") as caught:
            vendor.fetch(ASKED)
        assert caught.value.retry_after_ms is None
    peers.restart(second)
    assert vendor.fetch(ASKED).rows


def test_retry_after_is_obeyed_and_the_shortest_one_counts(peers: Peers, clock: MovableClock) -> None:
    first, second = peers.start(), peers.start()
    first.act, second.act = refuse(429, Retry_After="60"), refuse(503, Retry_After="20")
    vendor = peers.connect(first, second)
    for wait_ms in (0, 5_000):
        clock.wait(wait_ms)
        with pytest.raises(VendorUnavailable, match="503") as caught:
            vendor.fetch(ASKED)
        assert caught.value.retry_after_ms == 20_000 - wait_ms
    assert (len(first.asked), len(second.asked)) == (1, 1)
    clock.wait(15_000)
    second.act = refuse(200, PAGE)
    assert vendor.fetch(ASKED).rows
    assert (len(first.asked), len(second.asked)) == (1, 2)


def test_a_429_for_a_shared_budget_speaks_for_all(peers: Peers) -> None:
    first, second = peers.start(), peers.start()
    for peer in (first, second):
        peer.services = [make_offer(limits={"requests": 10, "budget": "acme-api"})]
        peer.act = refuse(429, {"error": "slow down"}, Retry_After="7")
    vendor = peers.connect(first, second)
    assert vendor.services()[0].limits.requests == 10
    for _ in range(2):
        with pytest.raises(VendorBusy, match="slow down") as caught:
            vendor.fetch(ASKED)
        assert caught.value.retry_after_ms == 7_000
    assert len(first.asked) + len(second.asked) == 1


def test_a_rejection_is_final(peers: Peers) -> None:
    first, second = peers.start(), peers.start()
    first.act = second.act = refuse(404, {"error": "no such\nproduct"})
    vendor = peers.connect(first, second)
    with pytest.raises(VendorRejected, match=r"^http://127\.0\.0\.1:[0-9]+: 404: no such product$"):
        vendor.fetch(ASKED)
    assert len(first.asked) + len(second.asked) == 1


def test_a_page_that_cannot_be_read_fails_only_when_no_other_is_better(peers: Peers) -> None:
    liar, dead = peers.start(), peers.start()
    liar.act = lambda handler, _: handler.send(200, b"<html>")
    vendor = peers.connect(liar, dead)
    vendor.services()
    peers.kill(dead)
    for _ in range(3):
        with pytest.raises(PageRefused, match=f"^{liar.url}: 200 with a body that is not JSON"):
            vendor.fetch(ASKED)


def test_an_instance_found_dead_at_the_start_is_found_again(peers: Peers, clock: MovableClock) -> None:
    first, second = peers.start(), peers.start()
    second.services = [make_offer(prefix="BETA/")]
    wanted = Request("IngestOHLC", "BETA/Y", "PT1M", "backward", NOON_MS)
    peers.kill(second)
    vendor = peers.connect(first, second)
    with pytest.raises(VendorUnavailable, match=second.url):
        vendor.fetch(wanted)
    back = peers.restart(second)
    back.services = [make_offer(prefix="BETA/")]
    with pytest.raises(VendorUnavailable):
        vendor.fetch(wanted)
    clock.wait(30_000)
    assert vendor.fetch(wanted).rows


# What a peer may do wrong


def drip(beginning: bytes) -> Act:
    """Send a byte now and then, so that no socket times out between two of them."""

    def act(handler: Handler, _: dict[str, Any]) -> None:
        handler.wfile.write(beginning)
        while not handler.server.released.wait(0.01):
            handler.wfile.write(b" ")
        handler.close_connection = True

    return act


def pour(handler: Handler, _: dict[str, Any]) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        handler.wfile.write(b"[" * 65_536)


@pytest.mark.parametrize(
    ("act", "kind"),
    [
        (lambda handler, _: handler.send(200, b"<html><h1>Welcome to nginx</h1></html>"), PageRefused),
        (lambda handler, _: handler.send(200, b""), PageRefused),
        (refuse(200, {}), PageRefused),
        (refuse(200, []), PageRefused),
        (refuse(200, {"error": "rate limited"}), PageRefused),
        (refuse(200, {"now": NOON_MS, "rows": [], "error": "rate limited"}), PageRefused),
        (refuse(200, {"now": "today", "rows": []}), PageRefused),
        (refuse(200, {"now": NOON_MS, "rows": [make_bar("1", None, "1", "1", "1", "1", "1")]}), PageRefused),
        (refuse(200, {"now": NOON_MS, "rows": [make_bar(1, None, True, "1", "1", "1", "1")]}), PageRefused),
        (send_raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + json.dumps(PAGE).encode()), VendorUnavailable),
        (send_raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}"), VendorUnavailable),
        (send_raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}"), VendorUnavailable),
        (send_raw(b"HTTP/1.1 200 OK\r\n\r\n" + json.dumps(PAGE).encode()[:-3]), PageRefused),
        (send_raw(b""), VendorUnavailable),
        (send_raw(b"SSH-2.0-OpenSSH\r\n"), VendorUnavailable),
        (send_raw(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000), VendorUnavailable),
        (send_raw(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200), VendorUnavailable),
        (refuse(200, PAGE, Content_Encoding="gzip"), None),
        (pour, PageRefused),
        (hang, VendorTimeout),
        (drip(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n{"), VendorTimeout),
        (drip(b"HTTP/1.1 200 OK\r\n\r\n"), VendorTimeout),
        (drip(b"HTTP/1.1 200 OK\r\nX-Slow: "), VendorTimeout),
        (refuse(429, Retry_After="3"), VendorBusy),
        (refuse(503), VendorUnavailable),
        (refuse(400, {"error": "no"}), VendorRejected),
        (refuse(400, {"message": "no"}), PageRefused),
        (lambda handler, _: handler.send(204, b""), PageRefused),
    ],
)
def test_whatever_a_peer_does_is_an_error_of_its_kind_and_never_an_empty_page(
    peers: Peers, act: Act, kind: type[VendorError] | None
) -> None:
    peer = peers.start()
    peer.act = act
    vendor = peers.connect(peer, timeout_seconds=0.5 if kind is VendorTimeout else 20)
    vendor.services()
    if kind is None:
        assert vendor.fetch(ASKED).rows == [tuple(BAR)]
        return
    started = time.monotonic()
    with pytest.raises(kind, match=f"^{peer.url}: ") as caught:
        vendor.fetch(ASKED)
    assert time.monotonic() - started < 20
    assert len(str(caught.value).splitlines()) == 1
    if isinstance(caught.value, VendorBackoff):
        assert caught.value.retry_after_ms == (3_000 if kind is VendorBusy else None)
    peer.act = refuse(200, PAGE)
    peers.clock.wait(5_000)
    assert vendor.fetch(ASKED).rows == [tuple(BAR)]


def test_a_body_over_the_limit_is_refused(peers: Peers, monkeypatch: pytest.MonkeyPatch) -> None:
    peer = peers.start()
    vendor = peers.connect(peer)
    vendor.services()
    monkeypatch.setattr(http_transport, "MOST_BYTES", 10)
    with pytest.raises(PageRefused, match="larger"):
        vendor.fetch(ASKED)


def test_a_redirect_is_not_followed(peers: Peers) -> None:
    peer, elsewhere = peers.start(), peers.start()
    peer.act = refuse(307, Location=f"{elsewhere.url}/request")
    vendor = peers.connect(peer, token=TOKEN)
    with pytest.raises(VendorUnavailable, match="redirects"):
        vendor.fetch(ASKED)
    assert (elsewhere.asked, elsewhere.authorizations) == ([], [])


def test_proxies_of_the_environment_are_not_used(peers: Peers, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, find_dead_address())
    assert peers.connect(peers.start()).fetch(ASKED).rows


def test_a_price_of_18_digits_arrives_unchanged(peers: Peers) -> None:
    peer = peers.start()
    price = "0.123456789012345678"
    bar = make_bar(NOON_MS - 60_000, None, *[price] * 4, "1e-18")
    body = f'{{"now": {NOON_MS}, "rows": [{json.dumps(bar).replace(chr(34), "")}]}}'
    peer.act = lambda handler, _: handler.send(200, body.encode())
    assert peers.connect(peer).fetch(ASKED).rows == [bar]


def test_a_dead_instance_does_not_slow_the_others(peers: Peers) -> None:
    good = peers.start()
    vendor = peers.connect(find_dead_address(), good, find_dead_address())
    started = time.monotonic()
    vendor.services()
    for _ in range(10):
        vendor.fetch(ASKED)
    assert time.monotonic() - started < 5


# The token


def test_the_token_is_sent_and_never_told(peers: Peers) -> None:
    peer = peers.start()
    vendor = peers.connect(peer, token=TOKEN)
    registry = Registry([vendor])
    told = [repr(vendor), str(vars(vendor)), repr(registry.read())]
    vendor.products()
    vendor.fetch(ASKED)
    assert set(peer.authorizations) == {f"Bearer {TOKEN}"}
    for act in (
        refuse(400, {"error": f"{'x' * 290} token {TOKEN} is wrong"}),
        refuse(401, {"error": f"token {TOKEN} is wrong"}),
        refuse(200, {TOKEN: 1}),
        refuse(302, Location=f"http://127.0.0.1:1/?token={TOKEN}"),
        send_raw(f"{TOKEN} {TOKEN}\r\n".encode()),
        cut,
    ):
        peer.act = peer.look = act
        with pytest.raises(VendorError) as caught:
            vendor.fetch(ASKED)
        told += [str(caught.value), repr(caught.value), *traceback.format_exception(caught.value)]
        told += registry.read().refused
        peers.clock.wait(60_000)
    assert not any(TOKEN[:8] in text for text in told)


@pytest.mark.parametrize("token", [" ", "to\nken", "tökén", "to ken"])
def test_a_token_that_cannot_be_sent_makes_its_vendor_silent(peers: Peers, token: str) -> None:
    peer = peers.start()
    catalogue = Registry([peers.connect(peer, token=token)]).read()
    assert catalogue.silent == {"acme"}
    assert "ACME_TOKEN" in catalogue.refused[0]
    assert token.strip() not in catalogue.refused[0] or not token.strip()
    assert peer.authorizations == []


# Options


@pytest.mark.parametrize("url", ["socks5://127.0.0.1:1", "http://127.0.0.1:1/?a=b", "http://127.0.0.1:1/#a"])
def test_an_address_that_is_no_instances_is_refused_by_its_place(url: str) -> None:
    options = {"remote": {"acme": RemoteConfig(urls=(url,))}, "clock": lambda: 0, "secrets": lambda _: None}
    with pytest.raises(InvalidInput, match=r"remote\.acme"):
        http_vendor.create(options)


def test_options_that_are_missing_or_unknown_are_refused() -> None:
    for options in ({}, {"remote": {}, "clock": lambda: 0, "secrets": lambda _: None, "tokens": 1}):
        with pytest.raises(InvalidInput, match="remote, clock, secrets"):
            http_vendor.create(options)


def test_making_a_vendor_asks_nobody_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from series_pipelines.vendors.remote.vendor import create; "
        "from series_pipelines.vendors.config import RemoteConfig; "
        "create({'remote': {'a': RemoteConfig(urls=('http://127.0.0.1:1',))}, 'clock': None, 'secrets': None}); "
        "sys.exit('requests' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, env=dict(os.environ)).returncode == 0


# End to end


def test_lanes_lose_nothing_when_an_instance_is_killed_in_their_midst(
    peers: Peers, clock: MovableClock, database_url: str
) -> None:
    demo = make_vendor(clock, [make_product(f"SIM/{name}", NOON_MS - 20 * HOUR_MS) for name in "ABC"], page_rows=100)
    first, second = peers.start(), peers.start()
    for peer in (first, second):
        serve_demo(peer, demo)
    world = World(database_url, [peers.connect(first, second)], clock)
    (cap_key,) = world.registry.read().capabilities
    serve = first.act

    def die_soon(handler: Handler, wanted: dict[str, Any]) -> None:
        if len(first.asked) > 5:
            cut(handler, wanted)
        else:
            serve(handler, wanted)

    first.act = die_soon
    report = world.run(cap_key, LaneOrder())
    assert (report.failed, report.backoffs) == ({}, 0)
    assert report.requests == report.pages == len(second.asked) + 5
    peers.kill(first)
    world.settle()
    for name in "ABC":
        series_id = f"SIM/{name}/PT1M"
        expected = demo.expected_rows(f"SIM/{name}", "PT1M", clock.now_ms())
        stored = world.conn.execute(
            "select (extract(epoch from created_at) * 1000)::bigint from ohlc_v2 where series_id = %s order by 1",
            (series_id,),
        ).fetchall()
        assert [row[0] for row in stored] == expected
        assert find_gaps(ranges.read(world.conn, "ohlc_v2", [series_id])[series_id]) == []
    assert all(report.failed == {} and report.backoffs == 0 for report in world.reports)
    world.close()


def test_a_lane_backs_off_while_all_are_dead_and_then_goes_on(
    peers: Peers, clock: MovableClock, database_url: str
) -> None:
    demo = make_vendor(clock, [make_product("SIM/A", NOON_MS - 5 * HOUR_MS)])
    peer = peers.start()
    serve_demo(peer, demo)
    world = World(database_url, [peers.connect(peer)], clock)
    (cap_key,) = (catalogue := world.registry.read()).capabilities
    assert catalogue.refused == ()
    serve, peer.act = peer.act, refuse(503)
    world.run(cap_key, LaneOrder(shift_ms=1))
    (state,) = capabilities.read(world.conn)
    world.conn.commit()
    assert state.backoff_ms == 5_000
    assert state.last_error is not None
    assert state.last_error.startswith(peer.url)
    peer.act = serve
    world.settle()
    (facts,) = states.read_facts(world.conn, "ohlc_v2")
    assert facts.start_ms == NOON_MS - 5 * HOUR_MS
    world.close()


def test_the_example_reaches_full_coverage(peers: Peers, example: str, database_url: str) -> None:
    now_ms = time.time_ns() // 1_000_000
    clock = MovableClock(now_ms)
    with run_example() as another:
        world = World(database_url, [peers.connect(example, another, clock=clock)], clock)
        assert {known.series_id for known in states.list_series(world.conn, "ohlc_v2")} == {
            "WAVE/SPOT/SINE-USD/P1D",
            "WAVE/SPOT/SINE-USD/PT1H",
        }
        world.settle()
    listed_ms = 1_767_225_600_000
    for facts in states.read_facts(world.conn, "ohlc_v2"):
        bar_ms = DAY_MS if facts.series_id.endswith("P1D") else HOUR_MS
        (covered,) = ranges.read(world.conn, "ohlc_v2", [facts.series_id])[facts.series_id]
        assert (covered.start_ms, facts.floor_kind) == (listed_ms, "listing")
        assert covered.end_ms >= (now_ms - 1_000) // bar_ms * bar_ms
        (count,) = world.conn.execute(
            "select count(*) from ohlc_v2 where series_id = %s", (facts.series_id,)
        ).fetchone() or (0,)
        assert count == (covered.end_ms - listed_ms) // bar_ms
    assert Counter(bool(report.failed) for report in world.reports)[True] == 0
    world.close()


def test_the_example_says_what_it_does_not_have(peers: Peers, example: str) -> None:
    vendor = peers.connect(example)
    with pytest.raises(VendorRejected, match="404: no PT1H of WAVE/SPOT/NOPE"):
        vendor.fetch(Request("IngestOHLC", "WAVE/SPOT/NOPE", "PT1H", "backward", NOON_MS))
