"""Whatever one vendor offers, the vendor beside it is synced whole, and so is what is good of the bad one's."""

import random
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from series_pipelines.errors import DatabaseContended, NotPermitted
from series_pipelines.ingest.catalogue import products
from series_pipelines.ingest.catalogue.universe import UniverseReport, sync_universe
from series_pipelines.ingest.storing import capabilities, states
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.vendors import asking, offers, registry
from series_pipelines.vendors.contract import Product
from series_pipelines.vendors.demo.vendor import create
from series_pipelines.vendors.registry import Registry
from tests.support.hostile_offers import HostileVendor, explode, make_bad_products, make_bad_services, make_service
from tests.support.simulation import NOON_MS

DEMO_PRODUCTS = 8
GOOD = [Product("EVIL/A"), Product("EVIL/B", no_interest_rate=True)]


@dataclass
class Universe:
    conn: Connection
    hostile: HostileVendor

    def __post_init__(self) -> None:
        self.demo = create({"epoch_ms": NOON_MS, "products": DEMO_PRODUCTS})

    def sync(self) -> UniverseReport:
        # The hostile one comes first: whatever it does is done before the others.
        report = sync_universe(self.conn, Registry([self.hostile, *self.demo]), NOON_MS)
        assert all(line.isprintable() and len(line) < 1_000 for line in report.refused)
        return report

    def list_series(self, prefix: str) -> list[str]:
        known = states.list_series(self.conn, "ohlc_v2")
        return [each.series_id for each in known if each.active and each.series_id.startswith(prefix)]

    def assert_demo_is_whole(self) -> None:
        mine = [each for each in products.list_products(self.conn) if each.product_id.startswith("DEMO/")]
        assert len(mine) == DEMO_PRODUCTS
        assert {each.vendor for each in mine} == {"demo-a", "demo-b"}
        assert len([state for state in capabilities.read(self.conn) if state.vendor.startswith("demo-")]) == 4
        with_bars = [each for each in mine if "/MARGIN/" not in each.product_id]
        assert len(self.list_series("DEMO/")) == 6 * len(with_bars)


@pytest.fixture
def universe(conn: Connection) -> Universe:
    return Universe(conn, HostileVendor(offered=list(GOOD), served=[make_service("EVIL/")]))


@pytest.mark.parametrize("seed", range(3))
def test_all_bad_products_and_services_at_once_hurt_nothing_that_is_good(universe: Universe, seed: int) -> None:
    chance = random.Random(seed)
    offered = [*GOOD, *make_bad_products("EVIL/").values(), *GOOD]
    served = [make_service("EVIL/"), *make_bad_services("EVIL/").values()]
    chance.shuffle(offered)
    chance.shuffle(served)
    universe.hostile.offered, universe.hostile.served = offered, served
    report = universe.sync()
    universe.assert_demo_is_whole()
    assert universe.list_series("EVIL/") == ["EVIL/A/PT1M", "EVIL/B/PT1M"]
    assert 2 < len(report.refused) < 20
    again = universe.sync()
    assert (again.products_changed, again.series_changes["ohlc_v2"]) == (0, (0, 0, 0))


@pytest.mark.parametrize("name", ["step-abc", "name-surrogate", "listed-far", "NUL", "no id", "attributes that raise"])
def test_a_product_that_becomes_bad_stays_as_it_was(universe: Universe, name: str) -> None:
    universe.sync()
    bad = make_bad_products("EVIL/")[name]
    if name in ("step-abc", "name-surrogate", "listed-far"):
        object.__setattr__(bad, "product_id", "EVIL/A")
    universe.hostile.offered = [bad, GOOD[1]]
    report = universe.sync()
    assert report.refused
    if name != "NUL":  # an id that is good for nothing is not one that was known
        assert report.delisted == ()
    assert universe.list_series("EVIL/") == ["EVIL/A/PT1M", "EVIL/B/PT1M"]


def test_a_service_that_can_not_be_read_any_more_retires_nothing(universe: Universe) -> None:
    universe.sync()
    universe.hostile.served = [make_bad_services("EVIL/")["enum huge"], make_service("EVIL/B")]
    universe.sync()
    assert universe.list_series("EVIL/") == ["EVIL/A/PT1M", "EVIL/B/PT1M"]
    keys = [state.cap_key for state in capabilities.read(universe.conn) if state.vendor == "hostile"]
    assert keys == ["IngestOHLC/EVIL%2F/backward", "IngestOHLC/EVIL%2FB/backward"]


def endless(item: Any) -> Iterator[Any]:
    while True:
        yield item


def raise_later() -> Iterator[Product]:
    yield Product("EVIL/C")
    explode()


MODES: dict[str, dict[str, Any]] = {
    "products exits": {"offered": explode},
    "services exits": {"served": explode},
    "products end in an exit": {"offered": raise_later},
    "products without end": {"offered": lambda: endless(Product("EVIL/A"))},
    "nothings without end": {"offered": lambda: endless(None)},
    "ten million products": {"offered": lambda: (Product(f"EVIL/{number}") for number in range(10_000_000))},
    "services without end": {"served": lambda: endless(make_service("EVIL/"))},
    "no list": {"offered": 7},
    "None": {"offered": None, "served": None},
}


@pytest.mark.parametrize("mode", MODES)
def test_a_vendor_that_does_not_say_what_it_has_changes_nothing(
    universe: Universe, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offers, "MOST_PRODUCTS", 1_000)
    universe.sync()
    for name, value in MODES[mode].items():
        setattr(universe.hostile, name, value)
    report = universe.sync()
    assert ["() failed: " in line for line in report.refused] == [True]
    universe.assert_demo_is_whole()
    assert universe.list_series("EVIL/") == ["EVIL/A/PT1M", "EVIL/B/PT1M"]
    assert report.delisted == ()


@pytest.mark.parametrize("method", ["products", "services", "still_listed"])
def test_vendors_that_hang_delay_nobody_beyond_the_deadline(
    universe: Universe, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    universe.sync()
    release = threading.Event()
    monkeypatch.setattr(offers, "LOOK_SECONDS", 2.0)
    if method == "still_listed":
        universe.hostile.offered = [GOOD[0]]
    setattr(universe.hostile, method, lambda *_: release.wait())
    try:
        report = universe.sync()
        assert ["did not end within" in line for line in report.refused] == [True]
        universe.assert_demo_is_whole()
        assert universe.list_series("EVIL/") == ["EVIL/A/PT1M", "EVIL/B/PT1M"]
    finally:
        release.set()
        while asking.count_left_behind("hostile"):
            threading.Event().wait(0.001)


@pytest.mark.parametrize("table", ["product", "capability_state", "series_state"])
def test_what_the_database_refuses_of_one_vendor_is_refused_to_nobody_else(
    universe: Universe, owner: Connection, table: str
) -> None:
    column = {"product": "product_id", "capability_state": "product_prefix", "series_state": "series_id"}[table]
    owner.execute(f"alter table {table} add constraint refused check ({column} not like 'EVIL/%%')")
    report = universe.sync()
    universe.conn.rollback()  # what is not committed by now was not a transaction of its own
    assert any("vendor 'hostile'" in line and "can't be written" in line for line in report.refused)
    universe.assert_demo_is_whole()
    assert universe.list_series("EVIL/") == []
    universe.conn.commit()
    owner.execute(f"alter table {table} drop constraint refused")
    assert universe.sync().refused == ()
    assert universe.list_series("EVIL/") == ["EVIL/A/PT1M", "EVIL/B/PT1M"]


@pytest.mark.parametrize("table", ["product", "capability_state", "series_state"])
def test_what_is_in_the_way_for_a_moment_is_tried_again_and_blamed_on_nobody(
    universe: Universe, database_url: str, table: str
) -> None:
    universe.conn.execute("set lock_timeout = '20ms'")
    universe.conn.commit()
    pauses: list[int] = []

    with connect(database_url, purpose="rival") as rival:
        rival.execute(f"lock table {table} in exclusive mode")

        def wait(pause_ms: int) -> None:
            pauses.append(pause_ms)
            if len(pauses) == 2:
                rival.rollback()

        report = sync_universe(universe.conn, Registry([universe.hostile, *universe.demo]), NOON_MS, wait=wait)
        assert (report.refused, pauses) == ((), [25, 50])
        universe.assert_demo_is_whole()
        universe.conn.commit()
        rival.execute(f"lock table {table} in exclusive mode")
        universe.hostile.offered = [Product("EVIL/A", name="A"), Product("EVIL/C")]
        universe.hostile.served = [make_service("EVIL/", duration={"enum": ["PT1M", "PT5M"]})]
        with pytest.raises(DatabaseContended):
            universe.sync()


@pytest.mark.parametrize("table", ["product", "capability_state", "series_state"])
def test_what_the_writer_may_not_do_is_blamed_on_no_vendor(universe: Universe, owner: Connection, table: str) -> None:
    owner.execute(f"revoke insert, update on {table} from {universe.conn.info.user}")
    with pytest.raises(NotPermitted):
        universe.sync()


def test_only_the_vendor_that_serves_a_capability_is_asked_for_it(universe: Universe) -> None:
    universe.sync()
    [cap_key] = [state.cap_key for state in capabilities.read(universe.conn) if state.vendor == "hostile"]
    [swaps] = [
        each for each in registry.Registry(universe.demo).read().capabilities if "SWAP" in each and "OHLC" in each
    ]
    asked: list[str] = []
    universe.hostile.served = lambda: asked.append("hostile")
    together = Registry([universe.hostile, *universe.demo])
    held = capabilities.find_vendors(universe.conn, [swaps, "never/offered"])
    assert held == {swaps: "demo-a"}
    found = together.read_of(held)
    assert (list(found.capabilities), found.refused, asked) == ([swaps], (), [])
    assert found.vendor_of[swaps] is universe.demo[0]
    missing = together.read_of({cap_key: "gone"})
    assert (missing.capabilities, missing.refused) == ({}, ("vendor 'gone' is not configured",))
