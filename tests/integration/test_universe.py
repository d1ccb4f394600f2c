"""Capabilities and products come, change and go at runtime, and the series follow without a restart."""

from collections.abc import Iterator

import pytest
from simulation import NOON_MS, MovableClock, World, make_product, make_vendor

from series_pipelines.core.duration import DAY_MS
from series_pipelines.ingest.lane import LaneOrder
from series_pipelines.ingest.universe import sync_universe
from series_pipelines.store import capabilities, products, states
from series_pipelines.vendors.contract import Product, Service
from series_pipelines.vendors.demo import DemoService, DemoVendor, create
from series_pipelines.vendors.registry import Registry, format_cap_key


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
    return [known.series_id for known in states.list_series(world.conn, table_name) if known.active]  # type: ignore[arg-type]


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
    world.sync()
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
    wide = make_vendor(clock, [make_product("SIM/SWAP/A", NOON_MS)], name="wide", durations=("PT1M", "PT1H"))
    narrow = make_vendor(clock, [], name="narrow", prefix="SIM/SWAP/", durations=("PT1M",), direction="forward")
    world = World(database_url, [wide, narrow], clock)
    serving = {known.series_id: known.cap_key for known in states.list_series(world.conn, "ohlc_v2")}
    world.close()
    assert serving == {
        "SIM/SWAP/A/PT1M": format_cap_key("IngestOHLC", "SIM/SWAP/", "forward"),
        "SIM/SWAP/A/PT1H": format_cap_key("IngestOHLC", "SIM/", "backward"),
    }


def test_syncing_again_changes_nothing(world: World, vendor: DemoVendor) -> None:
    report = sync_universe(world.conn, Registry([vendor]), world.clock.now_ms())
    assert report.products_changed == 0
    assert report.series_changes["ohlc_v2"] == (0, 0, 0)
