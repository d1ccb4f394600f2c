"""A vendor only touches what is its own; losing a vendor, or most of a table, retires nothing by itself."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from series_pipelines.core.tables import TABLES
from series_pipelines.ingest.catalogue import products
from series_pipelines.ingest.catalogue.universe import UniverseReport, sync_universe
from series_pipelines.ingest.storing import capabilities, states
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.postgres.migrate import migrate
from series_pipelines.postgres.queries import find_sql_folder
from series_pipelines.vendors.contract import Product, Service, Vendor
from series_pipelines.vendors.demo.vendor import create
from series_pipelines.vendors.registry import Registry
from series_pipelines.vendors.services import format_cap_key
from tests.support.databases import Server, copy_migrations, create_database, replace_database
from tests.support.hostile_offers import HostileVendor, make_service
from tests.support.simulation import NOON_MS

BTC = "DEMO/SWAP/BTC-USDT"
STOLEN = Product(BTC, delisted_ms=1)


def sync(conn: Connection, *vendors: Vendor, refused: Sequence[str] = (), may_retire: bool = False) -> UniverseReport:
    return sync_universe(conn, Registry(vendors, refused), NOON_MS, may_retire=may_retire)


def make_vendor(name: str, *ids: str, served: Sequence[Service] = ()) -> HostileVendor:
    return HostileVendor(name, [Product(each) for each in ids], list(served) or [make_service("X/")])


def find_owner(conn: Connection, product_id: str) -> tuple[str, str, bool]:
    [found] = [each for each in products.list_products(conn) if each.product_id == product_id]
    return found.vendor, found.name, found.delisted_at is None


def list_active(conn: Connection, table_name: str = "ohlc_v2") -> list[str]:
    return [each.series_id for each in states.list_series(conn, table_name) if each.active]


@pytest.fixture
def demo() -> list[Vendor]:
    return list(create({"epoch_ms": NOON_MS, "products": 8}))


@pytest.mark.parametrize("prefix", ["EVIL/", "DEMO/SWAP/", "DEMO/SWAP/BTC"])
@pytest.mark.parametrize("comes", ["first", "last"])
def test_a_product_of_another_vendor_can_not_be_taken(
    conn: Connection, demo: list[Vendor], prefix: str, comes: str
) -> None:
    sync(conn, *demo)
    thief = HostileVendor("thief", [STOLEN, Product("EVIL/OWN")], [make_service("EVIL/"), make_service(prefix)])
    for _ in range(2):
        report = sync(conn, *([thief, *demo] if comes == "first" else [*demo, thief]))
        assert [line for line in report.refused if f"vendor 'thief': product '{BTC}': " in line]
        assert find_owner(conn, BTC) == ("demo-a", "BTC swap against USDT", True)
        assert "EVIL/OWN/PT1M" in list_active(conn)
    [swaps] = [state for state in capabilities.read(conn) if state.cap_key == "IngestOHLC/DEMO%2FSWAP%2F/backward"]
    assert swaps.vendor == "demo-a"


@pytest.mark.parametrize(("prefix", "direction"), [("X/", "backward"), ("X/", "forward"), ("X/1", "backward")])
@pytest.mark.parametrize("comes", ["first", "last"])
def test_a_series_of_another_vendor_can_not_be_taken(conn: Connection, prefix: str, direction: str, comes: str) -> None:
    other_way = {"backward": "forward", "forward": "backward"}[direction]
    owner = make_vendor("owner", "X/1", "X/2", served=[make_service("X/", direction={"const": other_way})])
    thief = make_vendor("thief", served=[make_service(prefix, direction={"const": direction})])
    sync(conn, owner)
    before = states.list_series(conn, "ohlc_v2")
    for _ in range(2):
        report = sync(conn, *([thief, owner] if comes == "first" else [owner, thief]))
        key = format_cap_key("IngestOHLC", prefix, direction)
        assert report.refused == (
            f"vendor 'thief', service 'IngestOHLC': {key} serves nothing: 'X/1' is of vendor 'owner', "
            "which serves it itself",
        )
        assert states.list_series(conn, "ohlc_v2") == before
    owner.offered = None
    sync(conn, thief, owner)
    assert states.list_series(conn, "ohlc_v2") == before


def test_a_table_that_a_vendor_leaves_another_one_may_serve(conn: Connection) -> None:
    properties = {"product_id": {"pattern": "^X/"}, "direction": {"const": "forward"}}
    owner = make_vendor("owner", "X/1")
    other = make_vendor("other", served=[Service("IngestInterestRate", {"properties": properties})])
    assert sync(conn, owner, other).refused == ()
    assert [(each.series_id, each.cap_key) for name in TABLES for each in states.list_series(conn, name)] == [
        ("X/1/PT1M", "IngestOHLC/X%2F/backward"),
        ("X/1", "IngestInterestRate/X%2F/forward"),
    ]


def test_an_owner_that_does_not_answer_keeps_what_it_has(conn: Connection) -> None:
    owner = make_vendor("owner", "X/1", "X/2")
    heir = make_vendor(
        "heir", "X/1", "X/2", served=[make_service("X/"), make_service("X/", direction={"const": "forward"})]
    )
    sync(conn, owner)
    owner.offered = None
    report = sync(conn, heir, owner)
    assert any("it belongs to vendor 'owner', which does not answer" in line for line in report.refused)
    assert any("backward belongs to vendor 'owner', which does not answer" in line for line in report.refused)
    assert [find_owner(conn, each)[0] for each in ("X/1", "X/2")] == ["owner", "owner"]
    owners = {state.cap_key: state.vendor for state in capabilities.read(conn)}
    assert owners == {"IngestOHLC/X%2F/backward": "owner", "IngestOHLC/X%2F/forward": "heir"}


def test_a_vendor_under_a_new_name_takes_over_and_nothing_retires(conn: Connection) -> None:
    sync(conn, make_vendor("old", "X/1", "X/2"))
    report = sync(conn, make_vendor("new", "X/1", "X/2"))
    assert (report.refused, report.series_changes["ohlc_v2"]) == ((), (0, 0, 0))
    assert [find_owner(conn, each)[0] for each in ("X/1", "X/2")] == ["new", "new"]
    assert {state.vendor for state in capabilities.read(conn)} == {"new"}


def test_a_product_that_its_owner_offers_no_more_may_be_taken_over(conn: Connection) -> None:
    owner = make_vendor("owner", "X/1", "X/2")
    heir = make_vendor("heir", "X/1", served=[make_service("X/", direction={"const": "forward"})])
    sync(conn, owner, heir)
    assert find_owner(conn, "X/1")[0] == "owner"
    owner.offered = owner.offered[1:]
    report = sync(conn, owner, heir)
    assert (report.refused, report.delisted) == ((), ())
    assert find_owner(conn, "X/1") == ("heir", "", True)


def test_stolen_products_go_back_to_their_owners(postgres: Server, template: str, tmp_path: Path) -> None:
    [mending] = (find_sql_folder() / "ingest" / "migrations").glob("0013_*")
    folder = copy_migrations(tmp_path, lambda name: name != mending.name)
    for url in create_database(postgres, "template0"):
        owner_url = replace_database(postgres.owner_url, urlsplit(url).path.removeprefix("/"))
        with connect(owner_url, purpose="test") as conn:
            migrate(conn, folder)
            conn.execute(
                "insert into capability_state"
                " (cap_key, vendor, method, table_name, product_prefix, direction, durations) values"
                " ('a', 'demo-a', 'IngestOHLC', 'ohlc_v2', 'DEMO/SWAP/', 'backward', '{PT1M}'),"
                " ('b', 'thief', 'IngestOHLC', 'ohlc_v2', 'EVIL/', 'backward', '{PT1M}')"
            )
            conn.execute(
                "insert into product (product_id, vendor, delisted_at) values ('DEMO/SWAP/BTC', 'thief', 'epoch'),"
                " ('DEMO/SWAP/OLD', 'demo-a', 'epoch'), ('EVIL/1', 'thief', 'epoch'), ('NOBODY/1', 'thief', 'epoch')"
            )
            conn.execute(
                "insert into series_state (series_id, table_name, product_id, cap_key)"
                " select product_id || '/PT1M', 'ohlc_v2', product_id, 'a' from product"
            )
            conn.execute(
                "insert into coverage_evidence (series_id, table_name, kind, start_time, end_time, request,"
                " response_digest, observed_at, confirmed_at)"
                " select series_id, table_name, kind, 'epoch', '9999-12-31', '', '', now(), now()"
                " from series_state cross join unnest(array['post_delisting', 'pre_listing']) as kind"
            )
            conn.commit()
            assert [name for name in migrate(conn) if "/0013" in name]
            for _ in range(2):
                rows = conn.execute("select product_id, vendor, delisted_at is null from product order by 1").fetchall()
                assert rows == [
                    ("DEMO/SWAP/BTC", "demo-a", True),
                    ("DEMO/SWAP/OLD", "demo-a", False),
                    ("EVIL/1", "thief", False),
                    ("NOBODY/1", "thief", False),
                ]
                said = "select series_id from coverage_evidence where kind = %s order by 1"
                assert [row[0] for row in conn.execute(said, ["post_delisting"])] == [
                    f"{product_id}/PT1M" for product_id, _, is_live in rows if not is_live
                ]
                assert len(conn.execute(said, ["pre_listing"]).fetchall()) == 4
                conn.execute(mending.read_bytes())


def test_no_vendors_at_all_retire_nothing_unless_it_is_meant(conn: Connection, demo: list[Vendor]) -> None:
    sync(conn, *demo)
    before = {table_name: list_active(conn, table_name) for table_name in ("ohlc_v2", "interest_rate")}
    report = sync(conn)
    assert sum(held.count for held in report.held_back) == sum(map(len, before.values()))
    assert {(held.vendor, held.table_name) for held in report.held_back} == {
        (name, table_name) for name in ("demo-a", "demo-b") for table_name in before
    }
    [line] = [line for line in report.refused if "'demo-a'" in line and "of ohlc_v2" in line]
    assert "it is not configured, so 24 series of ohlc_v2 would retire (DEMO/SWAP/" in line
    assert "--retire" in line
    assert before == {table_name: list_active(conn, table_name) for table_name in before}
    assert len(capabilities.read(conn)) == 4
    assert sync(conn, *demo).series_changes["ohlc_v2"] == (0, 0, 0)
    meant = sync(conn, may_retire=True)
    assert (meant.held_back, meant.refused) == ((), ())
    assert list_active(conn) == list_active(conn, "interest_rate") == []
    assert capabilities.read(conn) == []
    assert sync(conn, *demo).series_changes["ohlc_v2"].changed == len(before["ohlc_v2"])


def test_a_lost_vendor_keeps_others_from_nothing(conn: Connection) -> None:
    first, second = (
        make_vendor("first", *(f"X/{n}" for n in range(9))),
        make_vendor("second", served=[make_service("Y/")]),
    )
    second.offered = [Product(f"Y/{n}") for n in range(4)]
    sync(conn, first, second)
    second.served = [
        make_service("Y/", duration={"enum": ["PT1M", "PT1H"]}),
    ]
    second.offered.append(Product("Y/9"))
    report = sync(conn, second)
    assert [(held.vendor, held.count) for held in report.held_back] == [("first", 9)]
    assert report.series_changes["ohlc_v2"] == (6, 0, 0)
    assert len([each for each in list_active(conn) if each.startswith("X/")]) == 9


def test_a_vendor_that_serves_nothing_any_more_is_lost_too(conn: Connection) -> None:
    many, one = make_vendor("many", *(f"X/{n}" for n in range(9))), make_vendor("one", served=[make_service("Y/")])
    one.offered = [Product("Y/1")]
    sync(conn, many, one)
    one.served = []
    [held] = sync(conn, many, one).held_back
    assert (held.vendor, held.why, held.count) == ("one", "it offers none of its series any more", 1)
    assert "Y/1/PT1M" in list_active(conn)
    assert sync(conn, many, one, may_retire=True).series_changes["ohlc_v2"].retired == 1


@pytest.mark.parametrize(("left", "retired"), [(5, 5), (4, 0)])
def test_more_than_half_of_a_table_does_not_retire_at_once(conn: Connection, left: int, retired: int) -> None:
    vendor = make_vendor("vendor", *(f"X/{n}" for n in range(10)))
    sync(conn, vendor)
    vendor.offered = vendor.offered[:left]
    vendor.still_listed = lambda missing: missing  # type: ignore[attr-defined]
    report = sync(conn, vendor)
    assert report.series_changes["ohlc_v2"].retired == retired
    assert len(list_active(conn)) == 10 - retired
    if not retired:
        [held] = report.held_back
        assert (held.why, held.count, held.examples) == (
            "6 of 10 would go at once",
            6,
            ("X/4/PT1M", "X/5/PT1M", "X/6/PT1M"),
        )
        assert sync(conn, vendor, may_retire=True).series_changes["ohlc_v2"].retired == 6


def test_what_could_not_be_loaded_is_silent_and_stays_even_if_retiring_is_meant(
    conn: Connection, demo: list[Vendor]
) -> None:
    sync(conn, *demo)
    before = list_active(conn)
    heir = HostileVendor("heir", [Product(BTC)], [make_service("DEMO/SWAP/")])
    report = sync(conn, heir, refused=["vendor 'demo' can't be loaded: SyntaxError"], may_retire=True)
    assert "vendor 'demo' can't be loaded: SyntaxError" in report.refused
    assert report.held_back == ()
    assert list_active(conn) == before
    assert find_owner(conn, BTC)[0] == "demo-a"


def test_a_sync_that_ended_between_capabilities_and_series_is_completed(conn: Connection) -> None:
    vendor = make_vendor("vendor", "X/1", served=[make_service("X/"), make_service("Y/")])
    vendor.offered.append(Product("Y/1"))
    sync(conn, vendor)
    vendor.served = [make_service("X/")]
    conn.execute("update capability_state set active = false where product_prefix = 'Y/'")
    conn.commit()
    report = sync(conn, vendor)
    assert report.series_changes["ohlc_v2"].retired == 1
    assert list_active(conn) == ["X/1/PT1M"]
