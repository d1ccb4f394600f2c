"""Refresh campaigns: what a vendor changed is found, a crash makes no page be fetched twice, every campaign ends."""

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from series_pipelines.app.clock import SystemClock
from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS
from series_pipelines.core.ranges import Range, find_missing
from series_pipelines.core.times import LAST_MOMENT_MS
from series_pipelines.errors import CapabilityBusy, VendorBusy, VendorRejected
from series_pipelines.ingest.lane.lane import run_lane
from series_pipelines.ingest.lane.order import LaneOrder, LaneTools
from series_pipelines.ingest.ledger import append as cursors
from series_pipelines.ingest.ledger.cursor import refresh_namespace
from series_pipelines.ingest.pages.check import Page
from series_pipelines.ingest.pages.clocks import TOLERANCE_MS
from series_pipelines.ingest.planning.cadence import find_cadence
from series_pipelines.ingest.refreshing import refresh as refresh_module
from series_pipelines.ingest.refreshing.refresh import (
    RefreshOrder,
    RefreshReport,
    RefreshTools,
    find_reach,
    find_step,
    find_stretches,
    plan_ask,
    refresh_capability,
)
from series_pipelines.ingest.storing import capabilities, ranges, revisions
from series_pipelines.postgres import locks
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.contract import Direction, Limits, Reply, Request
from series_pipelines.vendors.demo.vendor import DemoVendor
from series_pipelines.vendors.services import format_cap_key
from tests.support.places import PROJECT
from tests.support.simulation import NOON_MS, MovableClock, World, interrupt_main, make_product, make_vendor

DIRECTIONS = ("backward", "forward")
SERIES = "SIM/A/PT1M"
LISTING_MS = NOON_MS - 2 * DAY_MS
WINDOW = Range(NOON_MS - DAY_MS + 17_000, NOON_MS)


class Revising:
    """A vendor that says of some rows something else than before, and notes what it is asked."""

    def __init__(self, vendor: DemoVendor) -> None:
        self.name = vendor.name
        self.services, self.products = vendor.services, vendor.products
        self.vendor = vendor
        self.changes: dict[tuple[str, int], tuple[int, str]] = {}
        self.asked: list[Request] = []
        self.before: Callable[[Request], None] = lambda request: None
        self.since_ms = 0

    def fetch(self, request: Request) -> Reply:
        self.asked.append(request)
        self.before(request)
        reply = self.vendor.fetch(request)
        rows = [self._revise(request, row) for row in reply.rows if row[0] >= self.since_ms]
        return Reply(rows, reply.now_ms)

    def _revise(self, request: Request, row: Sequence[Any]) -> list[Any]:
        values = list(row)
        if change := self.changes.get((request.product_id, values[0])):
            values[change[0]] = change[1]
        return values

    def change_volume(self, product_id: str, created_ms: int, volume: str) -> None:
        self.changes[product_id, created_ms] = (6, volume)


class Market:
    """A world with one revising vendor whose series are complete; its campaign is called `c`."""

    def __init__(
        self, url: str, direction: Direction = "backward", *, method: str = "IngestOHLC", page_rows: int = 100
    ) -> None:
        self.direction = direction
        self.clock = MovableClock()
        products = [make_product(f"SIM/{name}", LISTING_MS) for name in "AB"]
        demo = make_vendor(self.clock, products, direction=direction, method=method, page_rows=page_rows)
        self.vendor = Revising(demo)
        self.world = World(url, [self.vendor], self.clock)
        self.conn = self.world.conn
        self.cap_key = format_cap_key(method, "SIM/", direction)
        self.table_name = "ohlc_v2" if method == "IngestOHLC" else "interest_rate"
        self.world.run(self.cap_key, LaneOrder(by_person=True, shift_ms=DAY_MS))
        self.clock.wait(5 * MINUTE_MS)
        self.vendor.asked.clear()
        self.on_moved: Callable[[str, int, Page | None], None] = lambda series_id, position_ms, page: None

    def refresh(
        self, *series_ids: str, window: Range = WINDOW, patience_ms: int = HOUR_MS, clock: object = None
    ) -> RefreshReport:
        catalogue = self.world.registry.read()
        tools = RefreshTools(self.world.connect, clock or self.clock, self.on_moved, self.world.read_database_clock)  # type: ignore[arg-type]
        # With another clock than the world's, its vendor's would stand apart.
        tolerance_ms = LAST_MOMENT_MS if clock else TOLERANCE_MS
        order = RefreshOrder("c", series_ids or (SERIES,), window, patience_ms, tolerance_ms)
        return refresh_capability(tools, self.vendor, catalogue.capabilities[self.cap_key], order)

    def read_events(self) -> list[tuple[object, ...]]:
        rows = self.conn.execute(
            "select series_id, prev_position, new_position, reason, direction, cursor_type, namespace_scope, request "
            "from ing_cursor_event where operation = 'UPDATE' and namespace_key = 'c' order by event_id"
        ).fetchall()
        self.conn.commit()
        return rows

    def read_changed(self, *series_ids: str) -> list[tuple[str, int, str, str | None]]:
        found = revisions.read(self.conn, self.table_name, series_ids or (SERIES,), after=0)
        self.conn.commit()
        return [(c.series_id, c.created_ms, c.column, c.new_value) for c in found]

    def list_stored(self, series_id: str = SERIES) -> list[int]:
        statement = "select (date_part('epoch', created_at) * 1000)::bigint from %s where series_id = '%s' order by 1"
        rows = self.conn.execute(statement % (self.table_name, series_id)).fetchall()
        self.conn.commit()
        return [int(str(row[0])) for row in rows]

    def find_cursor(self, series_id: str = SERIES) -> int | None:
        value = cursors.read_value(self.conn, refresh_namespace(self.table_name, series_id, "c"))
        self.conn.commit()
        return value and value.position


@pytest.fixture
def open_market(database_url: str, request: pytest.FixtureRequest) -> Callable[..., Market]:
    def build(*arguments: object, **options: object) -> Market:
        market = Market(database_url, *arguments, **options)  # type: ignore[arg-type]
        request.addfinalizer(market.world.close)
        return market

    return build


def minute(count: int) -> int:
    """Return the start of a minute before noon."""
    return NOON_MS - count * MINUTE_MS


def snapshot_others(conn: Connection) -> list[object]:
    """Return the cursors and events of heads and tails, and the states of series."""
    found: list[object] = []
    for statement in (
        "select * from ing_cursor where operation <> 'UPDATE' order by namespace_id",
        "select * from ing_cursor_event where operation <> 'UPDATE' order by event_id",
        "select * from series_state order by series_id, table_name",
    ):
        found.append(conn.execute(statement).fetchall())
    conn.commit()
    return found


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_exactly_the_bars_that_the_vendor_changed_are_found(open_market: Callable[..., Market], direction: str) -> None:
    market = open_market(direction)
    expected = []
    for product, at in (("SIM/A", 7), ("SIM/A", 500), ("SIM/A", 1439), ("SIM/B", 30)):
        market.vendor.change_volume(product, minute(at), f"{at}.125")
        expected.append((f"{product}/PT1M", minute(at), "volume", f"{at}.125"))
    market.vendor.change_volume("SIM/A", minute(2000), "1")  # before the window
    before = snapshot_others(market.conn)
    report = market.refresh(SERIES, "SIM/B/PT1M")
    assert report.ended == "all was fetched again"
    assert report.done == {SERIES, "SIM/B/PT1M"}
    assert market.read_changed(SERIES, "SIM/B/PT1M") == sorted(expected)
    assert snapshot_others(market.conn) == before
    # A page spans a hundred of the 1440 minutes.
    assert 15 <= report.pages / 2 <= 16
    assert market.find_cursor() >= NOON_MS - MINUTE_MS  # type: ignore[operator]
    again = market.refresh(SERIES, "SIM/B/PT1M")
    assert (again.requests, again.done) == (0, report.done)
    assert len(market.read_changed(SERIES, "SIM/B/PT1M")) == 4


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_rates_are_refreshed_too(open_market: Callable[..., Market], direction: str) -> None:
    market = open_market(direction, method="IngestInterestRate", page_rows=3)
    stored = market.list_stored("SIM/A")
    wanted = Range(LISTING_MS - DAY_MS, NOON_MS)
    market.vendor.changes = {("SIM/A", created_ms): (1, "0.5") for created_ms in stored}
    report = market.refresh("SIM/A", window=wanted)
    assert report.done == {"SIM/A"}
    assert len(stored) == 6
    assert market.read_changed("SIM/A") == [("SIM/A", created_ms, "long_rate", "0.5") for created_ms in stored]
    assert report.requests <= 5


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_every_page_leaves_one_event_in_the_namespace_of_the_campaign(
    open_market: Callable[..., Market], direction: str
) -> None:
    market = open_market(direction)
    report = market.refresh()
    events = market.read_events()
    assert len(events) == report.pages
    assert {event[3:7] for event in events} == {("advanced", "FORWARD", "TIME", "CUSTOM")}
    assert events[0][1] is None
    assert [event[1] for event in events[1:]] == [event[2] for event in events[:-1]]
    assert str(events[0][7]).startswith(f"refresh {direction} ")


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_after_a_crash_nothing_is_fetched_twice_but_the_page_under_way(
    open_market: Callable[..., Market], direction: str
) -> None:
    market = open_market(direction)
    market.vendor.change_volume("SIM/A", minute(1300), "1.125")
    market.vendor.change_volume("SIM/A", minute(3), "3.125")

    def crash(request: Request) -> None:
        if len(market.vendor.asked) in (5, 9):
            interrupt_main()

    market.vendor.before = crash
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            market.refresh()
    report = market.refresh()
    events = market.read_events()
    assert len(market.vendor.asked) == len(events) + 2
    assert report.pages == len(events) - 4 - 3
    assert [event[1] for event in events[1:]] == [event[2] for event in events[:-1]]
    assert len({event[7] for event in events}) == len(events)
    assert market.read_changed() == [(SERIES, minute(1300), "volume", "1.125"), (SERIES, minute(3), "volume", "3.125")]


def test_a_commit_that_was_not_acknowledged_is_done_once(
    open_market: Callable[..., Market], monkeypatch: pytest.MonkeyPatch
) -> None:
    market = open_market()
    market.vendor.change_volume("SIM/A", minute(1300), "1.125")
    commit, count = refresh_module.commit_page, 0

    def lose_the_answer(conn: Connection, *rest: object) -> None:
        nonlocal count
        count += 1
        if count == 4:
            cut(market.conn, conn)
        commit(conn, *rest)  # type: ignore[arg-type]
        if count in (2, 6):
            cut(market.conn, conn)
            conn.execute("select 1")

    monkeypatch.setattr(refresh_module, "commit_page", lose_the_answer)
    report = market.refresh()
    assert report.ended == "all was fetched again"
    assert len(market.read_events()) == report.pages == report.requests
    assert count == report.pages + 3
    assert len(market.read_changed()) == 1


def cut(admin: Connection, conn: Connection) -> None:
    admin.execute("select pg_terminate_backend(%s, 5000)", [conn.info.backend_pid])
    admin.commit()


def work(url: str) -> None:
    """Run in the process that is killed: go on with the campaign, a line for each committed page."""
    market = Market.__new__(Market)
    market.clock = MovableClock(NOON_MS + 5 * MINUTE_MS)
    products = [make_product(f"SIM/{name}", LISTING_MS) for name in "AB"]
    market.vendor = Revising(make_vendor(market.clock, products, page_rows=20))
    market.vendor.change_volume("SIM/A", minute(700), "1.125")
    market.world = World(url, [market.vendor], market.clock)
    market.cap_key = format_cap_key("IngestOHLC", "SIM/", "backward")
    market.on_moved = lambda series_id, position_ms, page: print("page" if page else "moved", flush=True)
    market.refresh(SERIES, "SIM/B/PT1M")
    print("done", flush=True)


def test_killed_again_and_again_it_writes_one_event_a_page(
    open_market: Callable[..., Market], database_url: str
) -> None:
    market = open_market()
    chance = random.Random(3)
    folders = [str(PROJECT)]
    crashes = 0
    while True:
        worker = subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"from tests.ingest.refreshing import test_refresh; test_refresh.work({database_url!r})",
            ],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        )
        assert worker.stdout is not None
        pages = 0
        while pages < chance.randint(10, 40) and (line := worker.stdout.readline()) and line.strip() != "done":
            pages += line.strip() == "page"
        worker.send_signal(signal.SIGKILL)
        if "done" in worker.communicate()[0] or line.strip() == "done":
            break
        assert pages > 0, "the worker ended without a page"
        crashes += 1
    assert crashes >= 2
    events = [event for event in market.read_events() if event[0] == SERIES]
    assert [event[1] for event in events[1:]] == [event[2] for event in events[:-1]]
    # Each run of the worker begins with a step that the first page teaches it.
    assert 72 <= len(events) <= 72 + 2 * crashes
    assert market.read_changed() == [(SERIES, minute(700), "volume", "1.125")]


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_stretch_that_is_not_stored_is_not_asked_for(open_market: Callable[..., Market], direction: str) -> None:
    market = open_market(direction)
    hole = Range(minute(1000), minute(300))
    market.conn.execute(
        "delete from ohlc_v2 where series_id = %s and created_at >= to_timestamp(%s) and created_at < to_timestamp(%s)",
        [SERIES, hole.start_ms / 1000, hole.end_ms / 1000],
    )
    market.conn.execute("delete from series_data_range where series_id = %s", [SERIES])
    for stored in (Range(LISTING_MS, hole.start_ms), Range(hole.end_ms, NOON_MS)):
        ranges.add(market.conn, "ohlc_v2", [(SERIES, stored)])
    market.conn.commit()
    report = market.refresh()
    assert report.done == {SERIES}
    assert report.requests <= 5 + 4 + 1
    stored_now = ranges.read(market.conn, "ohlc_v2", [SERIES])[SERIES]
    assert sum(gap.end_ms - gap.start_ms for gap in find_missing(stored_now, hole)) >= 600 * MINUTE_MS


def test_nothing_stored_is_nothing_to_do(open_market: Callable[..., Market]) -> None:
    market = open_market()
    report = market.refresh(window=Range(LISTING_MS - DAY_MS, LISTING_MS))
    assert (report.requests, report.done, report.ended) == (0, {SERIES}, "all was fetched again")


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_vendor_that_forgot_what_is_stored_ends_the_series_with_a_note(
    open_market: Callable[..., Market], direction: str
) -> None:
    market = open_market(direction)
    market.vendor.change_volume("SIM/A", minute(50), "1.125")
    market.vendor.since_ms = minute(200)
    if direction == "forward":
        market.vendor.since_ms = NOON_MS + DAY_MS
    report = market.refresh()
    assert report.done == {SERIES}
    assert "the vendor has nothing" in report.notes[SERIES]
    assert len(market.read_changed()) == (direction == "backward")
    assert report.requests < 60
    assert len(market.list_stored()) == 2 * 1440 - 1


def test_a_backward_page_that_is_shorter_than_thought_is_asked_for_again(open_market: Callable[..., Market]) -> None:
    market = open_market()
    market.vendor.vendor = make_vendor(
        market.clock, [make_product(f"SIM/{name}", LISTING_MS) for name in "AB"], page_rows=7
    )
    for at in range(2, 1440, 50):
        market.vendor.change_volume("SIM/A", minute(at), "1.125")
    report = market.refresh()
    assert len(market.read_changed()) == 29
    assert report.pages <= 1440 / 7 + 2
    assert report.requests - report.pages <= 2


def test_a_series_that_fails_three_times_is_told_and_the_others_go_on(open_market: Callable[..., Market]) -> None:
    market = open_market()

    def reject(request: Request) -> None:
        if request.product_id == "SIM/A":
            raise VendorRejected("no such\ninstrument")

    market.vendor.before = reject
    report = market.refresh(SERIES, "SIM/B/PT1M")
    assert report.failed == {SERIES: "no such instrument"}
    assert report.done == {"SIM/B/PT1M"}
    assert report.ended == "some series failed"
    assert sum(request.product_id == "SIM/A" for request in market.vendor.asked) == 3


def test_a_vendor_that_says_no_is_waited_for(open_market: Callable[..., Market]) -> None:
    market = open_market()

    def refuse(request: Request) -> None:
        if len(market.vendor.asked) == 3:
            raise VendorBusy("429", retry_after_ms=42_000)

    market.vendor.before = refuse
    begun_ms = market.clock.now_ms()
    report = market.refresh()
    assert report.done == {SERIES}
    assert market.clock.now_ms() == begun_ms + 42_000
    (state,) = capabilities.read(market.conn)
    assert (state.backoff_ms, state.next_eligible_ms, state.last_error) == (0, None, None)


def test_a_vendor_that_says_no_for_too_long_is_given_up_with_a_reason(open_market: Callable[..., Market]) -> None:
    market = open_market()

    def refuse(request: Request) -> None:
        if len(market.vendor.asked) > 2:
            raise VendorBusy("429 slow down", retry_after_ms=DAY_MS)

    market.vendor.before = refuse
    report = market.refresh(SERIES, "SIM/B/PT1M")
    assert set(report.failed) == {SERIES, "SIM/B/PT1M"}
    assert report.ended.endswith(": 429 slow down")
    assert report.ended.startswith("the capability backs off until ")
    assert (report.requests, report.pages) == (3, 2)
    paused = market.refresh()
    assert paused.requests == 0
    assert set(paused.failed) == {SERIES}
    market.clock.wait(DAY_MS)
    market.vendor.before = lambda request: None
    assert market.refresh().done == {SERIES}


def test_its_time_ends_it_between_pages(open_market: Callable[..., Market]) -> None:
    market = open_market()
    market.vendor.before = lambda request: market.clock.wait(1_000)
    report = market.refresh(patience_ms=4_500)
    assert (report.pages, report.ended, report.failed) == (5, "its time is over", {})
    assert market.refresh().done == {SERIES}


def test_stated_limits_are_kept(open_market: Callable[..., Market]) -> None:
    market = open_market()
    limits = Limits(requests=2, window_ms=HOUR_MS, grace_ms=1_000)
    market.vendor.vendor = make_vendor(
        market.clock, [make_product(f"SIM/{name}", LISTING_MS) for name in "AB"], limits=limits
    )
    market.vendor.services = market.vendor.vendor.services
    report = market.refresh(patience_ms=60_000)
    assert (report.requests, report.ended) == (2, "the budget 'sim' is spent until after its time")


def test_it_waits_for_the_capability_only_as_long_as_it_may(open_market: Callable[..., Market]) -> None:
    market = open_market()
    with market.world.connect("other lane", True) as holder:
        assert locks.try_capability(holder, market.cap_key)
        with pytest.raises(CapabilityBusy, match="was not let go within"):
            market.refresh(patience_ms=50)
    assert market.vendor.asked == []


def test_while_it_works_no_lane_has_its_capability(open_market: Callable[..., Market]) -> None:
    market = open_market()
    seen: list[bool] = []

    def look(request: Request) -> None:
        with market.world.connect("look", True) as other:
            seen.append(locks.try_capability(other, market.cap_key))

    market.vendor.before = look
    report = market.refresh()
    assert seen == [False] * report.requests
    assert locks.try_capability(market.conn, market.cap_key)


def test_a_sensors_lane_hands_over_to_it(open_market: Callable[..., Market]) -> None:
    market = open_market()
    market.clock.wait(DAY_MS)
    catalogue = market.world.registry.read()
    reports: list[RefreshReport] = []
    campaign = threading.Thread(target=lambda: reports.append(market.refresh(clock=SystemClock(), patience_ms=20_000)))

    def wait_for_campaign(request: Request) -> None:
        if len(market.vendor.asked) == 2:
            campaign.start()
            wait_until_awaited(market, campaign)

    market.vendor.before = wait_for_campaign
    tools = LaneTools(market.world.connect, SystemClock())
    # The vendor lives in the world's time.
    order = LaneOrder(shift_ms=20_000, clock_tolerance_ms=LAST_MOMENT_MS)
    lane = run_lane(tools, market.vendor, catalogue.capabilities[market.cap_key], order)
    campaign.join()
    assert lane.ended == "a person's backfill waits for the capability"
    assert reports[0].done == {SERIES}


def test_between_pages_it_lets_others_go_first(open_market: Callable[..., Market]) -> None:
    market = open_market()
    order: list[str] = []

    def take() -> None:
        with market.world.connect("person", True) as person:
            locks.wait_capability(person, market.cap_key, 20_000)
            order.append("person")

    person = threading.Thread(target=take)

    def note(request: Request) -> None:
        order.append("page")
        if len(order) == 3:
            person.start()
            wait_until_awaited(market, person)

    market.vendor.before = note
    report = market.refresh()
    person.join()
    assert order[:5] == ["page", "page", "page", "person", "page"]
    assert report.done == {SERIES}


def wait_until_awaited(market: Market, waiting: threading.Thread) -> None:
    with market.world.connect("look", True) as look:
        while not locks.is_awaited(look, market.cap_key):
            assert waiting.is_alive()


def test_a_part_of_a_page_that_fails_leaves_nothing_of_it(
    open_market: Callable[..., Market], owner: Connection
) -> None:
    market = open_market()
    market.vendor.change_volume("SIM/A", minute(1430), "1.125")
    owner.execute("create function refuse() returns trigger language plpgsql as $$begin raise 'no'; end$$")
    owner.execute("create trigger refuse before insert on ing_cursor for each row execute function refuse()")
    report = market.refresh()
    assert report.failed == {SERIES: "the page can't be stored: the database refused: no"}
    assert market.read_changed() == []
    assert market.read_events() == []


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("table_name", ["ohlc_v2", "interest_rate"])
def test_any_rows_in_pages_of_any_length_are_all_seen_again_in_bounded_requests(
    direction: str, table_name: str
) -> None:
    for seed in range(300):
        chance = random.Random(f"{seed}/{direction}/{table_name}")
        unit = MINUTE_MS if table_name == "ohlc_v2" else HOUR_MS
        cadence = find_cadence(table_name, SERIES, 0, None, None)
        rows = sorted(chance.sample(range(200), chance.randint(1, 150)))
        width = unit if table_name == "ohlc_v2" else 1
        times = [row * unit for row in rows]
        window = Range(chance.randint(0, 100 * unit), chance.randint(100 * unit + 1, 250 * unit))
        stretches = find_stretches([Range(time, time + width) for time in times], window)
        page_rows = chance.randint(2, 60)
        step_ms = unit * chance.randint(1, 100)
        lost_before = chance.choice((0, 0, times[len(times) // 2]))
        offered = [time for time in times if time >= lost_before]
        held: int | None = None
        seen: set[int] = set()
        requests = 0
        while (ask := plan_ask(stretches, held, direction, step_ms)) is not None:
            requests += 1
            assert requests < 2_000, seed
            if direction == "forward":
                got = [time for time in offered if time >= ask.time_ms][:page_rows]
            else:
                got = [time for time in offered if time < ask.time_ms][-page_rows:]
            page = Page([], Range(got[0], got[-1] + width) if got else None, len(got))
            reach_ms = find_reach(ask, page, direction, cadence)
            step_ms = find_step(ask, page, reach_ms is not None, step_ms, cadence)
            if reach_ms is not None:
                assert held is None or reach_ms > held
                held = reach_ms
                seen.update(got)
        wanted = {time for time in offered if window.start_ms <= time < window.end_ms}
        assert wanted <= seen, seed


def test_the_database_being_cut_is_one_clear_line(open_market: Callable[..., Market]) -> None:
    market = open_market()

    def lose(request: Request) -> None:
        if len(market.vendor.asked) == 3:
            market.conn.execute(
                "select pg_terminate_backend(pid, 5000) from pg_stat_activity "
                "where application_name = 'series refresh lock' and datname = current_database()"
            )
            market.conn.commit()

    market.vendor.before = lose
    with pytest.raises(Exception, match="the database stopped answering"):
        market.refresh()
    market.vendor.before = lambda request: None
    assert market.refresh().done == {SERIES}
