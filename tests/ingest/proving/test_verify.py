"""Coverage that does not stand is found and taken back, with an event in the ledger; what stands is left alone."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS, parse_duration
from series_pipelines.core.ranges import Range, find_union
from series_pipelines.ingest.ledger import audit as ledger
from series_pipelines.ingest.proving.certify import certify
from series_pipelines.ingest.proving.verify import Fault, mend, verify_series
from series_pipelines.ingest.storing import ranges, states
from series_pipelines.postgres.connection import ms_to_time
from tests.support.narrowing import expect
from tests.support.simulation import NOON_MS, MovableClock, World, make_product, make_vendor

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


def store_bar(world: World, created_ms: int, closed_ms: int, series_id: str = SERIES, age_ms: int = 0) -> None:
    world.conn.execute(
        "insert into ohlc_v2 (series_id, created_at, closed_at, open, high, low, close, updated_at) "
        "values (%s, %s, %s, 1, 1, 1, 1, now() - %s)",
        [series_id, ms_to_time(created_ms), ms_to_time(closed_ms), timedelta(milliseconds=age_ms)],
    )
    world.conn.commit()


def tell(world: World, kind: str, window: Range, told_ms: int, series_id: str = SERIES, confirmations: int = 1) -> None:
    world.conn.execute(
        "insert into coverage_evidence (series_id, table_name, kind, start_time, end_time, request, response_digest, "
        "observed_at, confirmed_at, confirmations) values (%s, 'ohlc_v2', %s, %s, %s, '', '', %s, %s, %s)",
        [series_id, kind, *map(ms_to_time, window), *[ms_to_time(told_ms)] * 2, confirmations],
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
    assert counts[0][0] == expect(int, counts[1][0]) - 60


@pytest.mark.parametrize(("text", "ahead_days", "later_days"), [("PT1H", 400, 30), ("PT1M", 2, 3), ("P1D", 400, 500)])
def test_a_hole_told_before_its_time_had_come_is_taken_back_however_late(
    database_url: str, text: str, ahead_days: int, later_days: int
) -> None:
    bar_ms, series_id = parse_duration(text).nominal_ms, f"SIM/A/{text}"
    midnight_ms = NOON_MS // DAY_MS * DAY_MS
    listed_ms = midnight_ms - 300 * bar_ms
    clock = MovableClock(midnight_ms + 1_000)
    vendor = make_vendor(
        clock, [make_product("SIM/A", listed_ms)], direction="forward", durations=(text,), page_rows=1_000
    )
    world = World(database_url, [vendor], clock)
    world.settle()
    [known] = ranges.read(world.conn, "ohlc_v2", [series_id])[series_id]
    world.conn.commit()
    # One reply of a clock that ran ahead, as it was stored while clocks were not compared.
    poison_ms, later_ms = clock.now_ms() // DAY_MS * DAY_MS + ahead_days * DAY_MS, later_days * DAY_MS
    tell(world, "verified_empty", Range(known.end_ms, poison_ms), clock.now_ms(), series_id)
    store_bar(world, poison_ms, poison_ms + bar_ms, series_id, age_ms=later_ms)
    cover(world, Range(known.end_ms - bar_ms, poison_ms + bar_ms), series_id=series_id)
    clock.wait(later_ms)
    limit_ms = clock.now_ms() + 10 * MINUTE_MS
    found = verify_series(world.conn, "ohlc_v2", None, limit_ms)
    world.conn.commit()
    assert {"hollow", "misplaced"} <= {fault.what for fault in found}
    assert all(fault.is_mended for fault in mend(world.conn, found, limit_ms, clock.now_ms()))
    assert find_union(ranges.read(world.conn, "ohlc_v2", [series_id])[series_id]) == known
    world.conn.commit()
    world.settle()
    wanted = Range(listed_ms, (clock.now_ms() - 2_000) // bar_ms * bar_ms - bar_ms)
    certificate = certify(world.conn, "ohlc_v2", series_id, wanted)
    world.conn.commit()
    assert certificate.kinds == {"data": wanted.end_ms - wanted.start_ms}
    assert certificate.rows == (wanted.end_ms - wanted.start_ms) // bar_ms
    assert verify_series(world.conn, "ohlc_v2", None, clock.now_ms() + 10 * MINUTE_MS) == []
    world.conn.commit()
    world.close()


def test_an_outage_that_was_told_before_it_was_over_is_taken_back(world: World) -> None:
    told_ms = NOON_MS - 3 * HOUR_MS - 20 * MINUTE_MS
    tell(world, "outage", Range(*HALT), told_ms, "SIM/B/PT1M", confirmations=2)
    assert [(fault.what, fault.window) for fault in find(world)] == [("early", Range(*HALT))]
    assert [fault.is_mended for fault in take_back(world)] == [True]
    assert find(world) == []
    tell(world, "outage", Range(*HALT), told_ms + 10 * MINUTE_MS, "SIM/B/PT1M", confirmations=2)
    assert find(world) == []


def test_a_row_that_was_written_before_its_time_had_come_is_taken_back(world: World) -> None:
    """Three days ago, by a clock two days ahead: that time has come since, and the row is still not true."""
    bar_ms = NOON_MS - 30 * MINUTE_MS
    world.conn.execute("delete from ohlc_v2 where series_id = %s and created_at = %s", [SERIES, ms_to_time(bar_ms)])
    store_bar(world, bar_ms, bar_ms + MINUTE_MS, age_ms=3 * DAY_MS)
    rate_ms = NOON_MS - HOUR_MS - 1
    world.conn.execute(
        "insert into interest_rate (series_id, created_at, long_rate, short_rate, updated_at) "
        "values ('RATE/A', %s, 1, 1, now() - interval '3 days')",
        [ms_to_time(rate_ms)],
    )
    world.conn.commit()
    for table_name, created_ms in (("ohlc_v2", bar_ms), ("interest_rate", rate_ms)):
        misplaced = [fault.window.start_ms for fault in find(world, table_name) if fault.what == "misplaced"]
        assert misplaced == [created_ms]
        assert all(fault.is_mended for fault in take_back(world, table_name))
        assert find(world, table_name) == []
    check_filled_again(world)


def test_where_pages_are_of_unknown_size_none_told_of_more_rows_than_are_stored(world: World) -> None:
    [(stored,)] = world.conn.execute("select count(*) from ohlc_v2 where series_id = %s", [SERIES]).fetchall()
    longest = Range(LISTED_MS - stored * MINUTE_MS, LISTED_MS)  # type: ignore[operator]
    tell(world, "verified_empty", longest, NOON_MS)
    cover(world, longest)
    assert find(world) == []
    longer = Range(longest.start_ms - MINUTE_MS, LISTED_MS)
    world.conn.execute("update coverage_evidence set start_time = %s where end_time = %s",
                       [ms_to_time(longer.start_ms), ms_to_time(LISTED_MS)])  # fmt: skip
    cover(world, longer)
    assert [(fault.what, fault.window) for fault in find(world)] == [("hollow", longer)]
    assert [fault.is_mended for fault in take_back(world)] == [True]
    check_filled_again(world)


def test_rates_further_apart_than_a_page_can_span_do_not_cover_what_is_between(world: World) -> None:
    [known] = ranges.read(world.conn, "interest_rate", ["RATE/A"])["RATE/A"]
    first_ms = known.start_ms - 34 * DAY_MS
    world.conn.execute(
        "insert into interest_rate (series_id, created_at, long_rate, short_rate) values ('RATE/A', %s, 1, 1)",
        [ms_to_time(first_ms)],
    )
    cover(world, Range(first_ms, known.end_ms), "interest_rate", "RATE/A")
    between = Range(first_ms + 1, known.start_ms)
    assert [(fault.what, fault.window) for fault in find(world, "interest_rate")] == [("hollow", between)]
    assert [fault.is_mended for fault in take_back(world, "interest_rate")] == [True]
    assert find(world, "interest_rate") == []
    world.conn.execute("update capability_state set page_rows = 120 where table_name = 'interest_rate'")
    cover(world, Range(first_ms, known.end_ms), "interest_rate", "RATE/A")
    assert find(world, "interest_rate") == []


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
