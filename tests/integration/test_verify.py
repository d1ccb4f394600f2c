"""Coverage that does not stand is found and taken back, with an event in the ledger; what stands is left alone."""

from collections.abc import Iterator

import pytest
from simulation import NOON_MS, MovableClock, World, make_product, make_vendor

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS
from series_pipelines.core.ranges import Range, find_union
from series_pipelines.ingest.ledger import audit as ledger
from series_pipelines.ingest.proving.verify import Fault, mend, verify_series
from series_pipelines.ingest.storing import ranges, states
from series_pipelines.postgres.connection import ms_to_time

SERIES = "SIM/A/PT1M"
LISTED_MS = NOON_MS - 6 * HOUR_MS
LIMIT_MS = NOON_MS + 10 * MINUTE_MS
HALT = (NOON_MS - 4 * HOUR_MS, NOON_MS - 3 * HOUR_MS)


@pytest.fixture
def world(database_url: str) -> Iterator[World]:
    clock = MovableClock()
    bars = make_vendor(clock, [make_product("SIM/A", LISTED_MS, outages=(HALT,)), make_product("SIM/B", LISTED_MS)])
    rates = make_vendor(
        clock,
        [make_product("RATE/A", LISTED_MS - 10 * DAY_MS)],
        name="rates",
        method="IngestInterestRate",
        prefix="RATE/",
    )
    world = World(database_url, [bars, rates], clock)
    world.settle()
    yield world
    world.close()


def find(world: World, table_name: str = "ohlc_v2") -> list[Fault]:
    found = verify_series(world.conn, table_name, None, LIMIT_MS)
    world.conn.commit()
    return found


def cover(world: World, covered: Range, table_name: str = "ohlc_v2", series_id: str = SERIES) -> None:
    ranges.add(world.conn, table_name, [(series_id, covered)])
    world.conn.commit()


def store_bar(world: World, created_ms: int, closed_ms: int) -> None:
    world.conn.execute(
        "insert into ohlc_v2 (series_id, created_at, closed_at, open, high, low, close) "
        "values (%s, %s, %s, 1, 1, 1, 1)",
        [SERIES, ms_to_time(created_ms), ms_to_time(closed_ms)],
    )
    world.conn.commit()


def read_ranges(world: World) -> list[Range]:
    found = ranges.read(world.conn, "ohlc_v2", [SERIES])[SERIES]
    world.conn.commit()
    return found


def take_back(world: World, table_name: str = "ohlc_v2") -> list[Fault]:
    return mend(world.conn, find(world, table_name), LIMIT_MS, NOON_MS)


def check_filled_again(world: World) -> None:
    """The lanes make it whole again, and nothing is wrong any more."""
    world.settle()
    assert find_union(read_ranges(world)) == find_union(
        ranges.read(world.conn, "ohlc_v2", ["SIM/B/PT1M"])["SIM/B/PT1M"]
    )
    assert not find(world)
    assert not ledger.verify(world.conn).problems
    world.conn.commit()


def test_what_lanes_have_covered_stands(world: World) -> None:
    assert find(world) == find(world, "interest_rate") == []
    assert take_back(world) == []


def test_a_range_into_the_future_is_taken_back(world: World) -> None:
    known = read_ranges(world)
    cover(world, Range(known[-1].end_ms - MINUTE_MS, NOON_MS + 400 * DAY_MS))
    world.conn.execute(
        "insert into coverage_evidence (series_id, table_name, kind, start_time, end_time, request, response_digest, "
        "observed_at, confirmed_at) values (%s, 'ohlc_v2', 'verified_empty', %s, %s, '', '', now(), now())",
        [SERIES, ms_to_time(known[-1].end_ms), ms_to_time(NOON_MS + 400 * DAY_MS)],
    )
    assert {fault.what for fault in find(world)} == {"future", "hollow"}
    taken = take_back(world)
    assert all(fault.is_mended for fault in taken)
    assert find_union(read_ranges(world)) == find_union(known)
    events = world.conn.execute(
        "select request from ing_cursor_event where operation = 'UPDATE' and series_id = %s", [SERIES]
    ).fetchall()
    assert sorted(events) == [("taken back: future",), ("taken back: hollow",)]
    world.conn.commit()
    world.clock.wait(5 * MINUTE_MS)
    check_filled_again(world)


def test_covered_time_without_rows_is_taken_back_and_fetched_again(world: World) -> None:
    gone = (NOON_MS - 2 * HOUR_MS, NOON_MS - HOUR_MS)
    world.conn.execute(
        "delete from ohlc_v2 where series_id = %s and created_at >= %s and created_at < %s",
        [SERIES, *map(ms_to_time, gone)],
    )
    assert [(fault.what, fault.window) for fault in find(world)] == [("hollow", Range(*gone))]
    assert [fault.is_mended for fault in take_back(world)] == [True]
    assert find(world) == []
    check_filled_again(world)
    counts = world.conn.execute("select count(*) from ohlc_v2 group by series_id order by series_id").fetchall()
    assert counts[0][0] == counts[1][0] - 60


def test_a_hole_stands_only_as_long_as_a_page_can_span(world: World) -> None:
    assert find(world) == []
    world.conn.execute("update capability_state set page_rows = 30 where table_name = 'ohlc_v2'")
    assert [(fault.what, fault.window) for fault in find(world)] == [("hollow", Range(*HALT))]


def test_a_bar_of_1970_and_the_start_that_rests_on_it_are_taken_back(world: World) -> None:
    known, second_ms = read_ranges(world), NOON_MS // 1000
    store_bar(world, second_ms, second_ms + MINUTE_MS)
    cover(world, Range(second_ms, second_ms + MINUTE_MS))
    world.conn.execute("update series_state set floor_time = %s where series_id = %s", [ms_to_time(second_ms), SERIES])
    taken = take_back(world)
    assert [(fault.what, fault.is_mended) for fault in taken] == [("misplaced", True), ("hollow", True)]
    assert read_ranges(world) == known
    (facts,) = states.read_facts(world.conn, "ohlc_v2", series_ids=[SERIES])
    assert facts.floor_ms is None
    revision = world.conn.execute("select old_value ->> 'open', new_value from row_revision").fetchall()
    assert revision == [("1", {})]
    check_filled_again(world)


def test_of_two_bars_across_each_other_the_one_beside_the_grid_goes(world: World) -> None:
    created_ms = NOON_MS - HOUR_MS
    store_bar(world, created_ms + 1, created_ms + 1 + MINUTE_MS)
    assert {fault.what for fault in find(world)} == {"across"}
    assert [(fault.what, fault.window.start_ms, fault.is_mended) for fault in take_back(world)] == [
        ("across", created_ms + 1, True)
    ]
    check_filled_again(world)


def test_covered_time_of_rates_begins_and_ends_at_rates(world: World) -> None:
    known = ranges.read(world.conn, "interest_rate", ["RATE/A"])["RATE/A"]
    cover(world, Range(NOON_MS - 400 * DAY_MS, NOON_MS - 399 * DAY_MS), "interest_rate", "RATE/A")
    cover(world, Range(known[-1].start_ms, NOON_MS + DAY_MS), "interest_rate", "RATE/A")
    assert all(fault.is_mended for fault in take_back(world, "interest_rate"))
    assert find(world, "interest_rate") == []
    assert find_union(ranges.read(world.conn, "interest_rate", ["RATE/A"])["RATE/A"]) == find_union(known)
