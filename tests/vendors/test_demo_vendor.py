"""The demo vendors tell one consistent truth, page it by rows, and fail only on request."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
)
from series_pipelines.vendors.demo.market import DemoProduct
from series_pipelines.vendors.demo.vendor import DURATIONS, EPOCH_MS, DemoService, DemoVendor, create
from tests.support.bars import BAR_NAMES

GRACE_MS = 1_000
ALL_DURATIONS = (*DURATIONS, "PT7M", "PT2H", "P2D", "P1W", "P2W", "P1M", "P3M")
BTC = "DEMO/SWAP/BTC-USDT"
FAR_AHEAD_MS = EPOCH_MS + 10_000 * DAY_MS


def make_vendor(
    life: DemoProduct, direction: Direction, page_rows: int, now_ms: int, method: str = INGEST_OHLC, **more: Any
) -> DemoVendor:
    service = DemoService(method, "T/", direction, page_rows, ALL_DURATIONS, Limits(grace_ms=GRACE_MS))
    return DemoVendor("test", [service], [life], clock=lambda: now_ms, **more)


def make_pair(**options: Any) -> list[DemoVendor]:
    vendors = create({"clock": lambda: EPOCH_MS + 123_456, **options})
    assert all(isinstance(vendor, DemoVendor) for vendor in vendors)
    return list(vendors)  # type: ignore[arg-type]


def read_pages(vendor: DemoVendor, product_id: str, duration: str | None, time_ms: int) -> Iterator[list[Any]]:
    (offer,) = vendor.offers
    for _ in range(10_000):
        reply = vendor.fetch(Request(offer.method, product_id, duration, offer.direction, time_ms))
        if not reply.rows:
            return
        yield list(reply.rows)
        time_ms = reply.rows[0][0] if offer.direction == "backward" else reply.rows[-1][0] + 1
    raise AssertionError("the paging does not end")


def fetch_bars(vendor: DemoVendor, product_id: str, duration: str, time_ms: int = FAR_AHEAD_MS) -> list[Any]:
    direction = "backward" if "SWAP" in product_id else "forward"
    return list(vendor.fetch(Request(INGEST_OHLC, product_id, duration, direction, time_ms)).rows)


def list_bars_slowly(life: DemoProduct, duration_text: str, now_ms: int) -> list[int]:
    duration = parse_duration(duration_text)
    start_ms, found = duration.start_of_bar(life.listing_ms), []
    while start_ms <= now_ms:
        end_ms = duration.end_of_bar(start_ms)
        lost = any(first <= start_ms and end_ms <= last for first, last in life.outages)
        kept = life.retention_ms is None or start_ms >= now_ms - life.retention_ms
        alive = life.delisting_ms is None or start_ms < life.delisting_ms
        if kept and alive and not lost and end_ms <= now_ms - GRACE_MS:
            found.append(start_ms)
        start_ms = end_ms
    return found


@st.composite
def lives(draw: st.DrawFn, unit_ms: int) -> tuple[DemoProduct, int]:
    listing_ms = EPOCH_MS + draw(st.integers(0, 3 * unit_ms))
    now_ms = listing_ms + draw(st.integers(0, 90 * unit_ms))
    moments = st.integers(listing_ms - 5 * unit_ms, now_ms + 5 * unit_ms)
    outages = draw(st.lists(st.tuples(moments, st.integers(1, 20 * unit_ms)), max_size=3))
    life = DemoProduct(
        Product("T/X"),
        listing_ms,
        delisting_ms=draw(st.none() | moments.filter(lambda moment: moment > listing_ms)),
        retention_ms=draw(st.none() | st.integers(1, 100 * unit_ms)),
        outages=tuple((start, start + length) for start, length in outages),
        rate_every_ms=max(MINUTE_MS, unit_ms - unit_ms % MINUTE_MS),
    )
    return life, now_ms


@settings(deadline=None)
@given(st.data(), st.sampled_from(ALL_DURATIONS), st.sampled_from(["backward", "forward"]), st.integers(1, 40))
def test_paging_visits_each_bar_once_and_all_the_vendor_has(
    data: st.DataObject, duration: str, direction: Direction, page_rows: int
) -> None:
    life, now_ms = data.draw(lives(parse_duration(duration).nominal_ms))
    vendor = make_vendor(life, direction, page_rows, now_ms)
    pages = list(read_pages(vendor, "T/X", duration, FAR_AHEAD_MS if direction == "backward" else 0))
    assert all(len(page) == page_rows for page in pages[:-1])
    rows = [row for page in (reversed(pages) if direction == "backward" else pages) for row in page]
    begun = [row[0] for row in rows]
    assert begun == sorted(set(begun))
    assert all(row[0] <= now_ms for row in rows)
    assert all(row[1] == parse_duration(duration).end_of_bar(row[0]) for row in rows)
    closed = [row[0] for row in rows if row[1] <= now_ms - GRACE_MS]
    assert closed == vendor.expected_rows("T/X", duration, now_ms) == list_bars_slowly(life, duration, now_ms)
    assert vendor.requests_served == len(pages) + 1


@settings(deadline=None)
@given(st.data(), st.sampled_from([HOUR_MS, 8 * HOUR_MS]), st.sampled_from(["backward", "forward"]), st.integers(1, 40))
def test_paging_visits_each_rate_once_and_all_the_vendor_has(
    data: st.DataObject, every_ms: int, direction: Direction, page_rows: int
) -> None:
    life, now_ms = data.draw(lives(every_ms))
    vendor = make_vendor(life, direction, page_rows, now_ms, INGEST_INTEREST_RATE)
    pages = list(read_pages(vendor, "T/X", None, FAR_AHEAD_MS if direction == "backward" else 0))
    settled = [row[0] for page in pages for row in page]
    assert len(settled) == len(set(settled))
    first_ms = life.listing_ms if life.retention_ms is None else max(life.listing_ms, now_ms - life.retention_ms)
    truth = [
        time_ms
        for time_ms in range(first_ms + -first_ms % every_ms, now_ms + 1, every_ms)
        if (life.delisting_ms is None or time_ms < life.delisting_ms)
        and not any(start <= time_ms < end for start, end in life.outages)
    ]
    assert sorted(settled) == truth
    final = [time_ms for time_ms in truth if time_ms <= now_ms - GRACE_MS]
    assert vendor.expected_rows("T/X", None, now_ms) == final


@settings(deadline=None)
@given(st.integers(-5, 100), st.integers(1, 30))
def test_the_asked_time_bounds_a_page(minute: int, page_rows: int) -> None:
    time_ms, now_ms = EPOCH_MS + minute * MINUTE_MS, EPOCH_MS + 60 * MINUTE_MS
    life = DemoProduct(Product("T/X"), EPOCH_MS)
    for direction in ("backward", "forward"):
        vendor = make_vendor(life, direction, page_rows, now_ms)
        rows = vendor.fetch(Request(INGEST_OHLC, "T/X", "PT1M", direction, time_ms)).rows
        everything = range(EPOCH_MS, now_ms + 1, MINUTE_MS)
        before = [start for start in everything if start < time_ms][-page_rows:]
        since = [start for start in everything if start >= time_ms][:page_rows]
        assert [row[0] for row in rows] == (before if direction == "backward" else since)


def test_two_instances_say_the_same_and_another_seed_does_not() -> None:
    (first, _), (second, _), (other, _) = make_pair(), make_pair(), make_pair(seed=2)
    for duration in DURATIONS:
        expected = fetch_bars(first, BTC, duration)
        assert fetch_bars(second, BTC, duration) == expected
        assert fetch_bars(second, BTC, duration) == expected
        assert fetch_bars(other, BTC, duration) != expected
    assert first.products() == second.products()


def test_a_page_does_not_depend_on_the_pages_before_it() -> None:
    travelled, fresh = make_pair()[0], make_pair()[0]
    for days in (3, 40, 0, 12):
        fetch_bars(travelled, BTC, "PT5M", EPOCH_MS - days * DAY_MS)
    assert fetch_bars(travelled, BTC, "PT1M", EPOCH_MS) == fetch_bars(fresh, BTC, "PT1M", EPOCH_MS)


STEPS = {"price": ["0.01", "1", "0.5", "5", "0.0000001"], "volume": ["0.001", "1", "10"]}


@settings(deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(ALL_DURATIONS), *(st.sampled_from(steps) for steps in STEPS.values()))
def test_bars_are_a_believable_market(seed: int, duration: str, price_step: str, volume_step: str) -> None:
    product = Product("T/X", price_step=price_step, volume_step=volume_step)
    vendor = make_vendor(DemoProduct(product, EPOCH_MS - 100 * DAY_MS), "backward", 120, EPOCH_MS + 1_001, seed=seed)
    rows = list(vendor.fetch(Request(INGEST_OHLC, "T/X", duration, "backward", FAR_AHEAD_MS)).rows)
    bars = [[Decimal(text) for text in row[2:8]] for row in rows]
    for opened, high, low, closed, volume, interest in bars:
        assert high >= max(opened, closed) >= min(opened, closed) >= low > 0
        assert volume >= 0
        assert interest > 0
        assert all(price % Decimal(price_step) == 0 for price in (opened, high, low, closed))
        assert volume % Decimal(volume_step) == 0
    assert all(bar[0] == previous[3] for previous, bar in pairwise(bars))
    assert not any("e" in text.lower() for row in rows for text in row[2:8])
    decimals = {len(text.partition(".")[2]) for row in rows for text in row[2:6]}
    assert decimals == {len(price_step.partition(".")[2])}


@pytest.mark.parametrize(("fine", "coarse"), [("PT1M", "PT5M"), ("PT5M", "PT4H"), ("PT15M", "P1D"), ("P1D", "P1M")])
def test_fine_bars_add_up_to_coarse_ones(fine: str, coarse: str) -> None:
    life = DemoProduct(Product("T/X"), EPOCH_MS - 200 * DAY_MS)
    vendor = make_vendor(life, "backward", 1_000, EPOCH_MS)
    small = vendor.fetch(Request(INGEST_OHLC, "T/X", fine, "backward", EPOCH_MS)).rows
    big = vendor.fetch(Request(INGEST_OHLC, "T/X", coarse, "backward", EPOCH_MS)).rows
    compared = 0
    for created_ms, closed_ms, *values in big:
        parts = [row for row in small if created_ms <= row[0] < closed_ms]
        if parts and parts[0][0] == created_ms and parts[-1][1] == closed_ms:
            opened, high, low, closed, volume = map(Decimal, values[:5])
            assert (opened, closed) == (Decimal(parts[0][2]), Decimal(parts[-1][5]))
            assert high == max(Decimal(row[3]) for row in parts)
            assert low == min(Decimal(row[4]) for row in parts)
            assert volume == sum(Decimal(row[6]) for row in parts)
            compared += 1
    assert compared >= 2


def test_volume_has_a_day_rhythm() -> None:
    life = DemoProduct(Product("T/X"), EPOCH_MS - 20 * DAY_MS)
    rows = make_vendor(life, "backward", 240, EPOCH_MS).fetch(Request(INGEST_OHLC, "T/X", "PT1H", "backward", EPOCH_MS))
    by_hour = {hour: sum(Decimal(row[6]) for row in rows.rows if row[0] // HOUR_MS % 24 == hour) for hour in range(24)}
    assert max(by_hour.values()) > min(by_hour.values()) * Decimal("1.3")


def test_the_forming_bar_is_given_and_is_not_yet_final() -> None:
    life = DemoProduct(Product("T/X"), EPOCH_MS - DAY_MS)
    for duration in DURATIONS:
        now_ms = EPOCH_MS + parse_duration(duration).nominal_ms // 3
        request = Request(INGEST_OHLC, "T/X", duration, "backward", FAR_AHEAD_MS)
        reply = make_vendor(life, "backward", 5, now_ms).fetch(request)
        forming = reply.rows[-1]
        assert reply.now_ms == now_ms
        assert forming[0] == EPOCH_MS
        assert forming[1] > now_ms
        later = make_vendor(life, "backward", 5, EPOCH_MS + 2 * DAY_MS)
        final = later.fetch(Request(INGEST_OHLC, "T/X", duration, "backward", EPOCH_MS + 1)).rows[-1]
        assert final[:3] == forming[:3]
        assert final != forming
        assert Decimal(final[3]) >= Decimal(forming[3])
        assert Decimal(final[4]) <= Decimal(forming[4])
        assert Decimal(final[6]) > Decimal(forming[6])


def test_the_long_side_pays_what_the_short_side_gets() -> None:
    swaps, margins = make_pair()
    paid = swaps.fetch(Request(INGEST_INTEREST_RATE, BTC, None, "backward", FAR_AHEAD_MS)).rows
    assert len(paid) == 100
    assert all(Decimal(long_rate) == -Decimal(short_rate) for _, long_rate, short_rate, _ in paid)
    assert {later[0] - earlier[0] for earlier, later in pairwise(paid)} == {8 * HOUR_MS}
    bars = {row[0]: row[2] for row in fetch_bars(swaps, BTC, "PT4H")}
    assert all(settled == bars[time_ms] for time_ms, _, _, settled in paid[-10:])
    lent = margins.fetch(Request(INGEST_INTEREST_RATE, "DEMO/MARGIN/BTC-USDT", None, "forward", 0)).rows
    assert {row[3] for row in lent} == {None}


def test_the_demo_has_the_products_a_newcomer_should_meet() -> None:
    swaps, spots = make_pair()
    products = [*swaps.products(), *spots.products()]
    assert len(products) == len({product.product_id for product in products}) == 60
    assert all(product.product_id.startswith("DEMO/") for product in products)
    ages = sorted((EPOCH_MS - (product.listed_ms or 0)) / DAY_MS for product in products)
    assert ages[0] >= 2
    assert sum(age > 45 for age in ages) == 3
    assert ages[-1] <= 120
    assert len({product.listed_ms for product in products}) > 40
    assert [product.product_id for product in products if product.delisted_ms] == ["DEMO/SWAP/LUNA-USDT"]
    rateless = [product.product_id for product in swaps.products() if product.no_interest_rate]
    assert rateless == ["DEMO/SWAP/XAUT-USDT"]
    with pytest.raises(VendorRejected):
        swaps.fetch(Request(INGEST_INTEREST_RATE, rateless[0], None, "backward", EPOCH_MS))


def test_the_special_products_live_as_announced() -> None:
    swaps, _ = make_pair()
    now_ms = swaps.clock()
    hours = {name: swaps.expected_rows(f"DEMO/SWAP/{name}-USDT", "PT1H", now_ms) for name in ("LUNA", "OKB", "XRP")}
    assert hours["LUNA"][-1] == EPOCH_MS - 3 * DAY_MS + 7 * HOUR_MS
    assert hours["OKB"][0] >= now_ms - 5 * DAY_MS > hours["LUNA"][0]
    steps = [later - earlier for earlier, later in pairwise(hours["XRP"])]
    assert sorted(steps)[-2:] == [HOUR_MS, 7 * HOUR_MS]
    minutes = swaps.expected_rows("DEMO/SWAP/XRP-USDT", "PT1M", now_ms)
    assert max(later - earlier for earlier, later in pairwise(minutes)) == 7 * HOUR_MS + MINUTE_MS


def test_many_products_can_be_asked_for() -> None:
    swaps, spots = make_pair(products=20_000)
    products = [*swaps.products(), *spots.products()]
    assert len({product.product_id for product in products}) == 20_000
    last = swaps.products()[-1].product_id
    assert len(fetch_bars(swaps, last, "PT1M")) == 300


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_few_products_can_be_asked_for(count: int) -> None:
    assert sum(len(vendor.products()) for vendor in make_pair(products=count)) == count


@pytest.mark.parametrize(
    "request_",
    [
        Request(INGEST_OHLC, "DEMO/SWAP/NOPE-USDT", "PT1M", "backward", EPOCH_MS),
        Request(INGEST_OHLC, "DEMO/SPOT/BTC-USDT", "PT1M", "forward", EPOCH_MS),
        Request(INGEST_OHLC, BTC, "PT3M", "backward", EPOCH_MS),
        Request(INGEST_OHLC, BTC, None, "backward", EPOCH_MS),
        Request(INGEST_OHLC, BTC, "PT1M", "forward", EPOCH_MS),
        Request("Trade", BTC, "PT1M", "backward", EPOCH_MS),
    ],
)
def test_a_request_it_can_not_serve_is_rejected_in_one_line(request_: Request) -> None:
    with pytest.raises(VendorRejected, match=r"^demo-a: no .+$"):
        make_pair()[0].fetch(request_)


def test_a_time_before_the_listing_or_after_the_delisting_is_answered_well_formed_and_empty() -> None:
    swaps, spots = make_pair()
    assert fetch_bars(swaps, BTC, "PT1M", EPOCH_MS - 200 * DAY_MS) == []
    assert fetch_bars(spots, "DEMO/SPOT/BTC-USDT", "PT1M", FAR_AHEAD_MS) == []
    assert fetch_bars(swaps, BTC, "PT1M", -5) == []


def observe(fetch: Callable[[], Reply]) -> str:
    try:
        reply = fetch()
    except (VendorBusy, VendorUnavailable, VendorTimeout) as error:
        return f"{type(error).__name__} {'with' if error.retry_after_ms else 'without'} Retry-After"
    well_formed = isinstance(reply.rows, list) and all(len(row) == len(BAR_NAMES) for row in reply.rows)
    return "fine" if well_formed else "malformed"


def test_the_error_rate_gives_every_kind_of_failure_and_always_the_same_ones() -> None:
    request = Request(INGEST_OHLC, BTC, "P1D", "backward", EPOCH_MS)
    runs = []
    for _ in range(2):
        swaps, _ = make_pair(error_rate=0.4)
        runs.append([observe(lambda: swaps.fetch(request)) for _ in range(300)])  # noqa: B023
        assert swaps.requests_served == 300
    assert runs[0] == runs[1]
    counts = {kind: runs[0].count(kind) for kind in set(runs[0])}
    assert set(counts) == {
        "fine",
        "malformed",
        "VendorBusy with Retry-After",
        "VendorUnavailable without Retry-After",
        "VendorTimeout without Retry-After",
    }
    assert 150 < counts["fine"] < 210


def test_faults_can_be_chosen_and_switched_at_runtime() -> None:
    request = Request(INGEST_OHLC, BTC, "P1D", "backward", EPOCH_MS)
    swaps, _ = make_pair()
    assert observe(lambda: swaps.fetch(request)) == "fine"
    swaps.error_rate, swaps.faults = 1.0, ("timeout",)
    assert {observe(lambda: swaps.fetch(request)) for _ in range(20)} == {"VendorTimeout without Retry-After"}
    swaps.error_rate = 0.0
    assert observe(lambda: swaps.fetch(request)) == "fine"


def test_latency_is_slept_and_the_clock_is_read_after_it() -> None:
    now_ms = [EPOCH_MS]

    def sleep(seconds: float) -> None:
        now_ms[0] += round(seconds * 1_000)

    swaps = make_pair(clock=lambda: now_ms[0], sleep=sleep, latency_ms=250)[0]
    assert swaps.fetch(Request(INGEST_OHLC, BTC, "P1D", "backward", EPOCH_MS)).now_ms == EPOCH_MS + 250


def test_the_rate_limit_is_declared_per_vendor() -> None:
    for vendor in make_pair(requests=7, window_ms=2_000):
        limits = [service.limits for service in vendor.services()]
        assert {(limit.requests, limit.window_ms, limit.budget) for limit in limits} == {(7, 2_000, vendor.name)}
    assert {service.limits.requests for service in make_pair(requests=None)[0].services()} == {None}


@pytest.mark.parametrize(
    "options",
    [{"error_rate": 1.1}, {"error_rate": "high"}, {"error_rate": True}, {"error_rate": float("nan")},
     {"products": 0}, {"products": 10**6}, {"products": 1.5}, {"latency_ms": -1}, {"requests": 0}, {"window_ms": 0},
     {"epoch_ms": 0}, {"epoch_ms": "now"}, {"seed": None}, {"clock": 5}, {"sleep": None}, {"sede": 1}],
)  # fmt: skip
def test_an_option_that_makes_no_sense_is_named(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(InvalidInput, match=name):
        create(options)


def test_a_product_or_a_service_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(InvalidInput, match="rate_every_ms"):
        DemoProduct(Product("T/X"), EPOCH_MS, rate_every_ms=90_001)
    with pytest.raises(InvalidInput, match="at least one row"):
        DemoService(INGEST_OHLC, "T/", "backward", 0)
