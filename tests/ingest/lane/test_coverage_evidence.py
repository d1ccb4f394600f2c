"""Typed coverage on real Postgres: what lanes learn about time without data, and what ends a history."""

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest

from series_pipelines.core.duration import DAY_MS, MINUTE_MS
from series_pipelines.core.ranges import Range
from series_pipelines.defs.checks import check_coverage
from series_pipelines.ingest.lane.order import LaneOrder
from series_pipelines.ingest.pages.floor import RECHECK_MS
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.proving.certify import certify
from series_pipelines.ingest.standing.coverage import classify
from series_pipelines.ingest.standing.series import read_standings
from series_pipelines.ingest.storing import coverage, states
from series_pipelines.postgres.connection import ms_to_time
from series_pipelines.vendors.contract import Direction, Limits, Reply, Request
from series_pipelines.vendors.demo.vendor import FAULTS, DemoVendor, Fault
from tests.support.simulation import NOON_MS, MovableClock, World, make_product, make_vendor

SERIES = "SIM/X/PT1M"
START_MS = NOON_MS - 300 * MINUTE_MS
Spoil = Callable[[Request, Reply], Reply]


class Misled:
    """A vendor between whose replies and us something goes wrong: `spoil(request, reply)` says what."""

    def __init__(self, vendor: DemoVendor, spoil: Spoil) -> None:
        self.name, self.services, self.products = vendor.name, vendor.services, vendor.products
        self._vendor, self._spoil = vendor, spoil
        self.requests: list[Request] = []
        self.hidden_before_ms = 0

    def fetch(self, request: Request) -> Reply:
        self.requests.append(request)
        if request.direction == "forward":
            request = replace(request, time_ms=max(request.time_ms, self.hidden_before_ms))
        reply = self._spoil(request, self._vendor.fetch(request))
        return Reply([row for row in reply.rows if row[0] >= self.hidden_before_ms], reply.now_ms)


def build(
    direction: Direction,
    spoil: Spoil = lambda request, reply: reply,
    page_rows: int = 50,
    is_listing_known: bool = True,
    outages: tuple[tuple[int, int], ...] = (),
) -> tuple[MovableClock, Misled]:
    clock = MovableClock()
    vendor = make_vendor(
        clock,
        [make_product("SIM/X", START_MS, is_listing_known=is_listing_known, outages=outages)],
        direction=direction,
        page_rows=page_rows,
        limits=Limits(grace_ms=1_000),
    )
    return clock, Misled(vendor, spoil)


def kinds(world: World, window: Range) -> list[tuple[str, int, int]]:
    account = coverage.read(world.conn, "ohlc_v2", [SERIES])[SERIES]
    world.conn.commit()
    return [
        (kind, (start - START_MS) // MINUTE_MS, (end - START_MS) // MINUTE_MS)
        for kind, start, end in classify(account.ranges, account.evidence, window)
    ]


def read_facts(world: World) -> SeriesFacts:
    [facts] = states.read_facts(world.conn, "ohlc_v2")
    world.conn.commit()
    return facts


@pytest.fixture(params=["backward", "forward"])
def direction(request: pytest.FixtureRequest) -> Direction:
    chosen: Direction = request.param
    return chosen


def run_to_end(database_url: str, clock: MovableClock, vendor: Misled) -> World:
    world = World(database_url, [vendor], clock)
    world.settle()
    return world


@pytest.mark.parametrize("is_known", [True, False], ids=["listing known", "listing unknown"])
def test_a_history_ends_at_the_listing_with_two_grounds(
    database_url: str, direction: Direction, is_known: bool
) -> None:
    world = run_to_end(database_url, *build(direction, is_listing_known=is_known))
    facts = read_facts(world)
    assert (facts.floor_ms, facts.floor_kind) == (START_MS, "listing")
    assert len(facts.floor_grounds) >= 2
    assert kinds(world, Range(START_MS - MINUTE_MS, START_MS + MINUTE_MS)) == [("pre_listing", -1, 0), ("data", 0, 1)]
    world.close()


def test_a_history_ends_at_the_retention_with_two_grounds(database_url: str, direction: Direction) -> None:
    kept_ms = 4 * DAY_MS
    clock = MovableClock()
    listed_ms = NOON_MS - 10 * DAY_MS
    vendor = make_vendor(
        clock, [make_product("SIM/X", listed_ms, retention_ms=kept_ms)], direction=direction, page_rows=1_000
    )
    world = run_to_end(database_url, clock, Misled(vendor, lambda request, reply: reply))
    facts = read_facts(world)
    assert facts.start_ms is not None
    assert facts.floor_kind == "retention"
    assert len(facts.floor_grounds) >= 2
    account = coverage.read(world.conn, "ohlc_v2", [SERIES])[SERIES]
    assert classify(account.ranges, account.evidence, Range(listed_ms, facts.start_ms)) == [
        ("beyond_retention", listed_ms, facts.start_ms)
    ]
    world.close()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kept_days", [None, 4], ids=["listing", "retention"])
def test_whatever_goes_wrong_requests_are_bounded_and_the_floor_is_of_the_right_kind(
    database_url: str, direction: Direction, fault: Fault, kept_days: int | None
) -> None:
    clock = MovableClock()
    retention_ms = kept_days and kept_days * DAY_MS
    product = make_product("SIM/X", NOON_MS - 10 * DAY_MS, retention_ms=retention_ms)
    vendor = make_vendor(clock, [product], direction=direction, page_rows=1_000)
    vendor.error_rate, vendor.faults = 0.3, (fault,)
    misled = Misled(vendor, lambda request, reply: reply)
    world = run_to_end(database_url, clock, misled)
    facts = read_facts(world)
    assert facts.start_ms is not None
    assert facts.floor_kind == ("retention" if kept_days else "listing")
    assert len(facts.floor_grounds) >= 2
    least = (kept_days or 10) * DAY_MS // MINUTE_MS // 999 + 1
    assert len(misled.requests) <= 2 * least + 25
    found = {kind for kind, _, _ in kinds(world, Range(facts.start_ms, clock.now_ms() - 5 * MINUTE_MS))}
    assert found == {"data"}
    world.close()


def test_an_outage_is_told_from_unknown_time(database_url: str, direction: Direction) -> None:
    outage = (START_MS + 100 * MINUTE_MS, START_MS + 180 * MINUTE_MS)
    world = run_to_end(database_url, *build(direction, outages=(outage,)))
    found = kinds(world, Range(START_MS, START_MS + 290 * MINUTE_MS))
    assert [kind for kind, _, _ in found] in (["data", "verified_empty", "data"], ["data", "outage", "data"])
    assert found[1][1:] == (100, 180)
    world.close()


def test_a_vendor_that_answers_only_windows_proves_an_outage_by_two_answers_apart(database_url: str) -> None:
    """An outage longer than a window can't be seen inside one payload; two answers apart in time confirm it."""
    hole = Range(START_MS + 100 * MINUTE_MS, START_MS + 180 * MINUTE_MS)

    def keep_window(request: Request, reply: Reply) -> Reply:
        low = request.time_ms - 30 * MINUTE_MS
        return Reply(
            [row for row in reply.rows if row[0] >= low and not hole.start_ms <= row[0] < hole.end_ms], reply.now_ms
        )

    clock, vendor = build("backward", keep_window)
    world = World(database_url, [vendor], clock)
    [cap_key] = world.registry.read().capabilities
    # What lies before the hole comes from elsewhere; the lane is asked to close the gap.
    world.run(cap_key, LaneOrder(("head", "tail"), 60_000))
    old = Range(START_MS, hole.start_ms)
    world.conn.execute(
        "insert into series_data_range values (%s, 'ohlc_v2', to_timestamp(%s), to_timestamp(%s))",
        [SERIES, old.start_ms / 1000, old.end_ms / 1000],
    )
    world.conn.commit()
    for _ in range(12):
        world.tick()
        clock.wait(11 * MINUTE_MS)
    assert ("outage", 100, 180) in kinds(world, Range(START_MS, NOON_MS))
    asked = len(vendor.requests)
    for _ in range(3):
        world.tick()
        clock.wait(7 * 60 * MINUTE_MS)
    gaps = [
        request for request in vendor.requests[asked:] if hole.start_ms < request.time_ms <= hole.end_ms + MINUTE_MS
    ]
    assert gaps == []
    world.close()


def test_one_empty_page_neither_ends_a_history_nor_blocks_a_gap(database_url: str, direction: Direction) -> None:
    lies = itertools.count()

    def lie_sometimes(request: Request, reply: Reply) -> Reply:
        return Reply([], reply.now_ms) if next(lies) in (2, 4) else reply

    world = run_to_end(database_url, *build(direction, lie_sometimes))
    facts = read_facts(world)
    assert facts.start_ms == START_MS
    assert facts.floor_ms == START_MS
    assert facts.gap_end_ms is None
    world.close()


def test_what_was_refused_is_quarantined_until_a_good_page_covers_it(database_url: str) -> None:
    is_broken = [True]

    def spoil(request: Request, reply: Reply) -> Reply:
        if not is_broken[0] or request.time_ms > NOON_MS - 60 * MINUTE_MS:
            return reply
        rows = [(row[0], row[1], row[2], "0.1", row[4], *row[5:]) for row in reply.rows]
        return Reply(rows, reply.now_ms)

    clock, vendor = build("backward", spoil)
    world = World(database_url, [vendor], clock)
    for _ in range(4):
        world.tick()
        clock.wait(30_000)
    found = coverage.read(world.conn, "ohlc_v2", [SERIES])[SERIES].evidence
    assert [(known.kind, len(known.digest)) for known in found] == [("quarantined", 32)]
    is_broken[0] = False
    clock.wait(60 * MINUTE_MS)
    world.settle()
    assert {kind for kind, _, _ in kinds(world, Range(START_MS, NOON_MS - MINUTE_MS))} == {"data"}
    world.close()


def test_a_floor_is_verified_again_and_one_that_was_wrong_is_given_up(database_url: str, direction: Direction) -> None:
    hidden_ms = START_MS + 100 * MINUTE_MS
    clock, vendor = build(direction, is_listing_known=False)
    vendor.hidden_before_ms = hidden_ms
    world = run_to_end(database_url, clock, vendor)
    assert read_facts(world).floor_ms == hidden_ms
    vendor.hidden_before_ms = 0
    clock.wait(RECHECK_MS + 1)
    world.settle()
    facts = read_facts(world)
    assert (facts.start_ms, facts.floor_ms) == (START_MS, START_MS)
    assert ("pre_listing", 0, 100) not in kinds(world, Range(START_MS, NOON_MS))
    world.close()


def test_the_certificate_of_the_same_data_is_the_same_and_of_one_changed_bar_another(database_url: str) -> None:
    world = run_to_end(database_url, *build("backward"))
    window = Range(START_MS, START_MS + 200 * MINUTE_MS)
    first = certify(world.conn, "ohlc_v2", SERIES, window)
    assert (first.rows, first.is_complete, list(first.kinds)) == (200, True, ["data"])
    assert first.ledger_position is not None
    world.conn.execute("update ohlc_v2 set close = close + 0.00 where created_at = %s", [_minute(7)])
    world.conn.commit()
    assert certify(world.conn, "ohlc_v2", SERIES, window).digest == first.digest
    world.conn.execute("update ohlc_v2 set close = close + 0.01 where created_at = %s", [_minute(7)])
    world.conn.commit()
    assert certify(world.conn, "ohlc_v2", SERIES, window).digest != first.digest
    wider = certify(world.conn, "ohlc_v2", SERIES, Range(START_MS - DAY_MS, NOON_MS + DAY_MS))
    assert not wider.is_complete
    assert {"pre_listing", "data", "unknown"} == wider.kinds.keys()
    world.close()


def test_that_nothing_is_after_the_end_holds_for_one_delisting_only(database_url: str) -> None:
    clock, vendor = build("backward")
    world = World(database_url, [vendor], clock)
    delisted_ms = NOON_MS - MINUTE_MS
    say_delisted(world, delisted_ms)
    world.settle()
    known, after = read_facts(world), Range(NOON_MS, NOON_MS + DAY_MS)
    assert known.end_ms is not None
    later = Range(NOON_MS, NOON_MS + DAY_MS - 60 * MINUTE_MS)
    assert {kind for kind, _, _ in kinds(world, after)} == {"post_delisting"}
    # It is listed again: the head comes back, and what lies between is missing.
    say_delisted(world, None)
    assert {kind for kind, _, _ in kinds(world, after)} == {"unknown"}
    clock.wait(DAY_MS)
    [cap_key] = world.registry.read().capabilities
    world.run(cap_key, LaneOrder(work=("head",), max_pages=1))
    assert not certify(world.conn, "ohlc_v2", SERIES, later).is_complete
    world.conn.commit()
    # Delisted once more, what was said of the first time does not come back to life.
    say_delisted(world, clock.now_ms() - MINUTE_MS)
    assert "post_delisting" not in {kind for kind, _, _ in kinds(world, later)}
    world.settle()
    assert {kind for kind, _, _ in kinds(world, Range(known.end_ms, later.end_ms))} == {"data"}
    assert {kind for kind, _, _ in kinds(world, Range(clock.now_ms(), clock.now_ms() + DAY_MS))} == {"post_delisting"}
    world.close()


def say_delisted(world: World, delisted_ms: int | None) -> None:
    delisted_at = None if delisted_ms is None else ms_to_time(delisted_ms)
    world.conn.execute("update product set delisted_at = %s", [delisted_at])
    world.conn.commit()


def test_the_check_names_the_series_with_unknown_time(database_url: str) -> None:
    clock, vendor = build("backward")
    world = World(database_url, [vendor], clock)
    [cap_key] = world.registry.read().capabilities
    world.run(cap_key, LaneOrder(("head",), 60_000))
    result = check_coverage(read_standings(world.conn, "ohlc_v2", clock.now_ms()))
    world.conn.commit()
    assert not result.passed
    assert result.description == "1 series have unknown time older than their floor, of 1"
    world.settle()
    assert check_coverage(read_standings(world.conn, "ohlc_v2", clock.now_ms())).passed
    world.conn.commit()
    world.close()


def _minute(index: int) -> object:
    return ms_to_time(START_MS + index * MINUTE_MS)
