"""Capabilities and products come, change and go at runtime, and the series follow without a restart."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from series_pipelines.core.duration import DAY_MS
from series_pipelines.ingest.catalogue import products
from series_pipelines.ingest.catalogue.universe import sync_universe
from series_pipelines.ingest.lane.order import LaneOrder
from series_pipelines.ingest.storing import capabilities, states
from series_pipelines.vendors.contract import Direction, Product, Service
from series_pipelines.vendors.demo.vendor import DemoService, DemoVendor, create
from series_pipelines.vendors.registry import Registry
from series_pipelines.vendors.services import format_cap_key
from tests.support.simulation import NOON_MS, MovableClock, World, make_product, make_vendor


@pytest.fixture
def vendor() -> DemoVendor:
    clock = MovableClock()
    return make_vendor(clock, [make_product("SIM/A", NOON_MS - DAY_MS)], durations=("PT1M", "PT1H"))


@pytest.fixture
def world(database_url: str, vendor: DemoVendor) -> Iterator[World]:
    world = World(database_url, [vendor], MovableClock())
    yield world
    world.close()


def list_active(world: World, table_name: str = "ohlc_v2") -> list[str]:
    return [known.series_id for known in states.list_series(world.conn, table_name) if known.active]


def test_series_are_capabilities_times_products(world: World) -> None:
    assert list_active(world) == ["SIM/A/PT1H", "SIM/A/PT1M"]


def test_new_durations_add_series_under_the_same_key_and_lost_ones_retire(world: World, vendor: DemoVendor) -> None:
    before = {state.cap_key for state in capabilities.read(world.conn)}
    vendor.offers[:] = [DemoService("IngestOHLC", "SIM/", "backward", 100, ("PT1M", "P1D"))]
    world.sync()
    assert list_active(world) == ["SIM/A/P1D", "SIM/A/PT1M"]
    assert {state.cap_key for state in capabilities.read(world.conn)} == before


def test_a_capability_that_disappears_retires_and_returns_with_its_data(world: World, vendor: DemoVendor) -> None:
    cap_key = format_cap_key("IngestOHLC", "SIM/", "backward")
    world.run(cap_key, LaneOrder(work=("head",)))
    offers = list(vendor.offers)
    vendor.offers[:] = []
    sync_universe(world.conn, Registry([vendor]), world.clock.now_ms(), may_retire=True)
    assert list_active(world) == []
    assert capabilities.read(world.conn) == []
    assert world.tick() == 0
    vendor.offers[:] = offers
    world.sync()
    facts = states.read_facts(world.conn, "ohlc_v2")
    assert len(facts) == 2
    assert all(f.end_ms is not None for f in facts)


def test_a_vendor_that_does_not_answer_changes_nothing(world: World, vendor: DemoVendor) -> None:
    def refuse() -> list[Service]:
        raise ConnectionError("no route")

    for method in ("services", "products"):
        original = getattr(vendor, method)
        setattr(vendor, method, refuse)
        report = sync_universe(world.conn, Registry([vendor]), world.clock.now_ms())
        assert f"{method}() failed" in report.refused[0]
        assert list_active(world) == ["SIM/A/PT1H", "SIM/A/PT1M"]
        setattr(vendor, method, original)


def test_a_bad_product_id_is_refused_by_name_and_the_rest_stays(world: World, vendor: DemoVendor) -> None:
    good = vendor.products()
    vendor.products = lambda: [*good, Product("SIM/bad...name"), Product("")]  # type: ignore[method-assign]
    report = sync_universe(world.conn, Registry([vendor]), world.clock.now_ms())
    assert len(report.refused) == 2
    assert "'SIM/bad...name'" in report.refused[0]
    assert list_active(world) == ["SIM/A/PT1H", "SIM/A/PT1M"]


def test_products_without_a_rate_have_no_rate_series(database_url: str) -> None:
    world = World(database_url, create({"epoch_ms": NOON_MS}), MovableClock())
    rates = set(list_active(world, "interest_rate"))
    listed = products.list_products(world.conn)
    world.close()
    without = {product.product_id for product in listed if product.no_interest_rate}
    assert "DEMO/SWAP/XAUT-USDT" in without
    assert rates
    assert not rates & without


def test_the_longest_prefix_serves_a_series(database_url: str) -> None:
    clock = MovableClock()
    services = [
        DemoService("IngestOHLC", "SIM/", "backward", 100, ("PT1M", "PT1H")),
        DemoService("IngestOHLC", "SIM/SWAP/", "forward", 100, ("PT1M",)),
    ]
    world = World(
        database_url, [DemoVendor("sim", services, [make_product("SIM/SWAP/A", NOON_MS)], clock=clock)], clock
    )
    serving = {known.series_id: known.cap_key for known in states.list_series(world.conn, "ohlc_v2")}
    world.close()
    assert serving == {
        "SIM/SWAP/A/PT1M": format_cap_key("IngestOHLC", "SIM/SWAP/", "forward"),
        "SIM/SWAP/A/PT1H": format_cap_key("IngestOHLC", "SIM/", "backward"),
    }


@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("prefix", ["SIM/SWAP/", "SIM/", "S", "SIM/SWAP/A"])
def test_a_product_s_own_vendor_serves_it_and_no_other(database_url: str, prefix: str, direction: Direction) -> None:
    clock = MovableClock()
    products = [make_product("SIM/SWAP/A", NOON_MS)]
    other_way: Direction = "forward" if direction == "backward" else "backward"
    owner = make_vendor(clock, products, name="owner", durations=("PT1M", "PT1H"), direction=other_way)
    other = make_vendor(clock, [], name="other", prefix=prefix, durations=("PT1M", "P1D"), direction=direction)
    world = World(database_url, [other, owner], clock)
    vendor_of = {known.cap_key: known.vendor for known in capabilities.read(world.conn)}
    serving = {known.series_id: vendor_of[known.cap_key] for known in states.list_series(world.conn, "ohlc_v2")}
    world.close()
    # Not even in other durations: bars of two sources are not one product's.
    assert serving == {"SIM/SWAP/A/PT1M": "owner", "SIM/SWAP/A/PT1H": "owner"}


def test_syncing_again_changes_nothing(world: World, vendor: DemoVendor) -> None:
    report = sync_universe(world.conn, Registry([vendor]), world.clock.now_ms())
    assert report.products_changed == 0
    assert report.series_changes["ohlc_v2"] == (0, 0, 0)


def read_delisted(world: World) -> dict[str, int | None]:
    rows = world.conn.execute("select product_id, (extract(epoch from delisted_at) * 1000)::bigint from product")
    return dict(rows.fetchall())  # type: ignore[arg-type]


@pytest.fixture
def market() -> DemoVendor:
    return make_vendor(MovableClock(), [make_product(f"SIM/{name}", NOON_MS - DAY_MS) for name in "ABCDEF"])


@pytest.fixture
def busy_world(database_url: str, market: DemoVendor) -> Iterator[World]:
    world = World(database_url, [market], MovableClock())
    yield world
    world.close()


def remove(market: DemoVendor, *names: str) -> None:
    kept = [product for product in market.products() if product.product_id.removeprefix("SIM/") not in names]
    market.products = lambda: kept  # type: ignore[method-assign]


def test_a_market_that_vanishes_is_delisted_but_keeps_its_series(busy_world: World, market: DemoVendor) -> None:
    remove(market, "B")
    report = sync_universe(busy_world.conn, Registry([market]), NOON_MS)
    assert report.delisted == ("SIM/B",)
    assert read_delisted(busy_world)["SIM/B"] == NOON_MS
    assert "SIM/B/PT1M" in list_active(busy_world)
    again = sync_universe(busy_world.conn, Registry([market]), NOON_MS + DAY_MS)
    assert again.delisted == ()
    assert read_delisted(busy_world)["SIM/B"] == NOON_MS


def test_a_market_that_comes_back_is_listed_again(busy_world: World, market: DemoVendor) -> None:
    everything = market.products()
    remove(market, "B")
    sync_universe(busy_world.conn, Registry([market]), NOON_MS)
    market.products = lambda: everything  # type: ignore[method-assign]
    sync_universe(busy_world.conn, Registry([market]), NOON_MS + DAY_MS)
    assert read_delisted(busy_world)["SIM/B"] is None


def test_half_of_the_markets_do_not_vanish_at_once(busy_world: World, market: DemoVendor) -> None:
    remove(market, "A", "B", "C", "D")
    report = sync_universe(busy_world.conn, Registry([market]), NOON_MS)
    assert report.delisted == ()
    assert "4 of 6 products are missing at once" in report.refused[0]
    assert set(read_delisted(busy_world).values()) == {None}


def test_a_product_that_is_only_unwanted_retires_and_is_not_delisted(busy_world: World, market: DemoVendor) -> None:
    remove(market, "B", "C")
    market.still_listed = lambda product_ids: {"SIM/C"}.intersection(product_ids)  # type: ignore[attr-defined]
    report = sync_universe(busy_world.conn, Registry([market]), NOON_MS)
    assert report.delisted == ("SIM/B",)
    assert read_delisted(busy_world)["SIM/C"] is None
    assert "SIM/C/PT1M" not in list_active(busy_world)
    assert "SIM/B/PT1M" in list_active(busy_world)


def test_a_market_that_no_longer_trades_counts_as_delisted_since_that_was_seen(
    busy_world: World, market: DemoVendor
) -> None:
    halted = [replace(each, trading=each.product_id != "SIM/B") for each in market.products()]
    market.products = lambda: halted  # type: ignore[method-assign]
    for now_ms in (NOON_MS, NOON_MS + DAY_MS):
        sync_universe(busy_world.conn, Registry([market]), now_ms)
        assert read_delisted(busy_world)["SIM/B"] == NOON_MS
        assert read_delisted(busy_world)["SIM/A"] is None
