"""A lane's manners: it backs off, starves none, hands over, obeys its order, and ends for a reason."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from series_pipelines.app.clock import SystemClock
from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS
from series_pipelines.core.ranges import Range, find_missing
from series_pipelines.core.times import LAST_MOMENT_MS
from series_pipelines.errors import (
    CapabilityBusy,
    DatabaseUnavailable,
    VendorBusy,
    VendorRejected,
    VendorTimeout,
    VendorUnavailable,
)
from series_pipelines.ingest.lane.lane import run_lane
from series_pipelines.ingest.lane.order import LaneOrder, LaneReport, LaneTools
from series_pipelines.ingest.storing import capabilities, ranges, states
from series_pipelines.ingest.storing.writer import Written
from series_pipelines.postgres import locks
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.contract import Direction, Limits, Reply, Request
from series_pipelines.vendors.demo.vendor import DemoVendor
from series_pipelines.vendors.services import format_cap_key
from tests.support.simulation import NOON_MS, MovableClock, World, interrupt_main, make_product, make_vendor

CAP = format_cap_key("IngestOHLC", "SIM/", "backward")
OTHER = format_cap_key("IngestOHLC", "OTHER/", "backward")


class Scripted:
    """A vendor that does what a test says before it answers."""

    def __init__(self, vendor: DemoVendor) -> None:
        self.name = vendor.name
        self.services, self.products = vendor.services, vendor.products
        self.vendor = vendor
        self.before: Callable[[Request], object] = lambda request: None
        self.asked: list[Request] = []

    def fetch(self, request: Request) -> Reply:
        self.asked.append(request)
        self.before(request)
        return self.vendor.fetch(request)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def sim(clock: MovableClock) -> Scripted:
    return Scripted(make_vendor(clock, [make_product(f"SIM/{name}", NOON_MS - 3 * HOUR_MS) for name in "ABCDE"]))


@pytest.fixture
def world(database_url: str, clock: MovableClock, sim: Scripted) -> Iterator[World]:
    other = make_vendor(clock, [make_product("OTHER/A", NOON_MS - HOUR_MS)], name="other", prefix="OTHER/")
    world = World(database_url, [sim, other], clock)
    yield world
    world.close()


def read_capability(conn: Connection, cap_key: str) -> capabilities.CapabilityState:
    found = next(state for state in capabilities.read(conn) if state.cap_key == cap_key)
    conn.commit()
    return found


@pytest.mark.parametrize("error", [VendorBusy("429"), VendorUnavailable("503"), VendorTimeout("no answer in 10 s")])
def test_a_vendor_that_says_no_pauses_its_capability_alone(world: World, sim: Scripted, error: Exception) -> None:
    def refuse(request: Request) -> None:
        raise error

    sim.before = refuse
    pauses = []
    for _ in range(3):
        now_ms = world.clock.now_ms()
        asked = len(sim.asked)
        world.run(CAP, LaneOrder(shift_ms=1))
        state = read_capability(world.conn, CAP)
        assert len(sim.asked) == asked + 1
        pauses.append((state.backoff_ms, state.next_eligible_ms - now_ms))  # type: ignore[operator]
        assert state.last_error == str(error)
        world.clock.wait(state.backoff_ms)
    assert pauses == [(5_000, 5_000), (10_000, 10_000), (15_000, 15_000)]
    assert read_capability(world.conn, OTHER).backoff_ms == 0
    assert world.run(OTHER, LaneOrder()).pages > 0
    assert states.read_facts(world.conn, "ohlc_v2", series_ids=["SIM/A/PT1M"])[0].end_ms is None


def test_the_pause_grows_to_five_minutes_and_success_clears_it(world: World, sim: Scripted) -> None:
    def refuse(request: Request) -> None:
        raise VendorUnavailable("503")

    sim.before = refuse
    longest = 0
    for _ in range(70):
        world.run(CAP, LaneOrder(shift_ms=1))
        longest = max(longest, read_capability(world.conn, CAP).backoff_ms)
        world.clock.wait(longest)
    assert longest == 5 * MINUTE_MS
    sim.before = lambda request: None
    world.run(CAP, LaneOrder(max_pages=1))
    state = read_capability(world.conn, CAP)
    assert (state.backoff_ms, state.next_eligible_ms, state.last_error) == (0, None, None)


def test_retry_after_is_obeyed_even_beyond_our_own_pause(world: World, sim: Scripted) -> None:
    def refuse(request: Request) -> None:
        raise VendorBusy("429", retry_after_ms=42_000)

    sim.before = refuse
    now_ms = world.clock.now_ms()
    report = world.run(CAP, LaneOrder(shift_ms=30_000))
    assert report.ended == "the capability backs off until after the shift"
    assert read_capability(world.conn, CAP).next_eligible_ms == now_ms + 42_000
    assert len(sim.asked) == 1
    sim.before = lambda request: None
    asked_at: list[int] = []
    sim.before = lambda request: asked_at.append(world.clock.now_ms())
    world.run(CAP, LaneOrder(max_pages=1))
    assert asked_at == [now_ms + 42_000]


def test_a_rejected_request_fails_its_series_and_no_other(world: World, sim: Scripted) -> None:
    def reject(request: Request) -> None:
        if request.product_id == "SIM/B":
            raise VendorRejected("no such instrument")

    sim.before = reject
    report = world.run(CAP, LaneOrder(work=("head",)))
    assert set(report.failed) == {"SIM/B/PT1M"}
    assert report.pages == 4
    facts = states.read_facts(world.conn, "ohlc_v2", series_ids=["SIM/B/PT1M"])[0]
    assert (facts.failures, facts.end_ms) == (1, None)
    assert facts.head_eligible_ms == world.clock.now_ms() + 15_000
    assert read_capability(world.conn, CAP).backoff_ms == 0


@pytest.mark.parametrize("body", ["<html>", None, {}, [["oops"]], [[1, 2, "a", "b", "c", "d", "e", "f"]]])
def test_a_malformed_body_fails_the_series_and_never_counts_as_no_data(
    world: World, sim: Scripted, body: object
) -> None:
    sim.fetch = lambda request: Reply(body, world.clock.now_ms())  # type: ignore[method-assign,arg-type]
    report = world.run(CAP, LaneOrder(work=("head",)))
    assert len(report.failed) == 5
    facts = states.read_facts(world.conn, "ohlc_v2")
    assert all(f.head_misses == 0 and f.floor_kind is None for f in facts if f.cap_key == CAP)
    assert world.conn.execute("select count(*) from series_data_range").fetchone() == (0,)


def test_a_vendor_that_breaks_fails_the_series_with_its_name(world: World, sim: Scripted) -> None:
    def explode(request: Request) -> None:
        raise ZeroDivisionError("a bug in the adapter")

    sim.before = explode
    report = world.run(CAP, LaneOrder(work=("head",)))
    assert report.failed["SIM/A/PT1M"].startswith("vendor 'sim' broke on SIM/A/PT1M: ZeroDivisionError")


def test_every_tail_ends_in_a_floor_or_a_pause_when_the_vendor_goes_silent(world: World, sim: Scripted) -> None:
    world.run(CAP, LaneOrder(work=("head",)))
    sim.fetch = lambda request: Reply([], world.clock.now_ms())  # type: ignore[method-assign]
    for _ in range(50):
        world.run(CAP, LaneOrder())
        world.clock.wait(MINUTE_MS)
    requests = sum(report.requests for report in world.reports)
    assert requests < 5 + 5 * 15
    facts = states.read_facts(world.conn, "ohlc_v2", series_ids=["SIM/A/PT1M"])[0]
    assert facts.start_misses >= 2


def test_one_empty_reply_does_not_end_history(world: World, sim: Scripted) -> None:
    world.run(CAP, LaneOrder(work=("head",)))
    answer = sim.fetch
    sim.fetch = lambda request: Reply([], world.clock.now_ms())  # type: ignore[method-assign]
    world.run(CAP, LaneOrder(max_pages=5, work=("tail",)))
    sim.fetch = answer  # type: ignore[method-assign]
    world.settle()
    wanted = set(sim.vendor.expected_rows("SIM/A", "PT1M", world.clock.now_ms()))
    rows = world.conn.execute(
        "select date_part('epoch', created_at) * 1000 from ohlc_v2 where series_id = 'SIM/A/PT1M'"
    )
    stored = {int(row[0]) for row in rows.fetchall()}  # type: ignore[call-overload]
    assert {created for created in wanted if created < NOON_MS - 2 * MINUTE_MS} <= stored


def test_no_series_starves_beside_a_failing_and_an_overloaded_capability(
    database_url: str, clock: MovableClock
) -> None:
    def serve(prefix: str, count: int) -> DemoVendor:
        products = [make_product(f"{prefix}{index:02}", NOON_MS - 8 * HOUR_MS) for index in range(count)]
        return make_vendor(clock, products, name=prefix, prefix=prefix, page_rows=300)

    # Below the threshold of 20 in all, so that tails go on beside heads that are always behind.
    failing, slow, healthy = Scripted(serve("FAIL/", 3)), Scripted(serve("SLOW/", 6)), Scripted(serve("FINE/", 10))

    def refuse(request: Request) -> None:
        raise VendorUnavailable("503")

    failing.before = refuse
    slow.before = lambda request: clock.wait(20_000)
    waits: dict[str, int] = {}
    last: dict[str, int] = {}

    def note(written: Written) -> None:
        series_id = written.finished.facts.series_id
        waits[series_id] = max(waits.get(series_id, 0), clock.now_ms() - last.get(series_id, NOON_MS))
        last[series_id] = clock.now_ms()

    world = World(database_url, [failing, slow, healthy], clock, note)
    for _ in range(12):
        world.tick()
        clock.wait(10_000)
    served = states.read_facts(world.conn, "ohlc_v2")
    world.close()
    for facts in served:
        if facts.series_id.startswith("FINE/"):
            assert facts.start_ms is not None
            assert facts.start_ms <= NOON_MS - 8 * HOUR_MS, f"{facts.series_id} did not get its history"
        if facts.series_id.startswith("SLOW/"):
            assert facts.end_ms is not None, f"{facts.series_id} was never served"
    longest = {
        prefix: max(wait for key, wait in waits.items() if key.startswith(prefix)) for prefix in ("SLOW/", "FINE/")
    }
    print(f"longest wait: {longest['FINE/'] / 1000:.0f} s healthy, {longest['SLOW/'] / 1000:.0f} s overloaded")
    # Lanes run one after the other here: a round is two shifts of the slow one, and six pages of 20 s its cycle.
    assert longest["FINE/"] <= 10 * MINUTE_MS
    assert longest["SLOW/"] <= 20 * MINUTE_MS


def test_head_lanes_end_when_no_head_is_due_and_tails_are_left(world: World) -> None:
    report = world.run(CAP, LaneOrder(work=("head",)))
    assert (report.pages, report.ended) == (5, "nothing more is due")


def test_a_lane_without_tail_work_waits_for_the_next_head_inside_its_shift(world: World) -> None:
    world.settle()
    world.clock.wait(MINUTE_MS)
    report = world.run(CAP, LaneOrder(work=("head",), shift_ms=150_000))
    assert report.ended in ("the shift is over", "nothing more is due inside the shift")
    assert report.pages >= 10


def test_the_longest_waiting_head_goes_first(world: World, sim: Scripted) -> None:
    world.run(CAP, LaneOrder(work=("head",), max_pages=2))
    world.run(CAP, LaneOrder(work=("head",), max_pages=3))
    assert [request.product_id for request in sim.asked] == [f"SIM/{name}" for name in "ABCDE"]


def test_a_second_lane_of_a_capability_is_refused(world: World) -> None:
    with world.connect("other lane", True) as holder:
        holder.execute("select pg_advisory_lock(hashtextextended(%s, 0))", [CAP])
        with pytest.raises(CapabilityBusy, match="another lane works"):
            world.run(CAP, LaneOrder())
        with pytest.raises(CapabilityBusy, match="was not let go within"):
            world.run(CAP, LaneOrder(by_person=True, shift_ms=50))


@pytest.mark.parametrize("pages_take_time", [True, False])
def test_a_lane_hands_over_within_one_page_to_a_person_who_waits(
    world: World, sim: Scripted, pages_take_time: bool
) -> None:
    # However fast pages come: a clock that stands still meanwhile must not let a lane look less often.
    tools = LaneTools(world.connect, SystemClock() if pages_take_time else world.clock)
    catalogue = world.registry.read()
    reports: dict[str, LaneReport] = {}

    def work(name: str, order: LaneOrder) -> None:
        reports[name] = run_lane(tools, catalogue.vendor_of[CAP], catalogue.capabilities[CAP], order)

    # The vendor lives in the world's time, whatever clock the lane has.
    order = LaneOrder(by_person=True, series_ids=("SIM/E/PT1M",), shift_ms=20_000, clock_tolerance_ms=LAST_MOMENT_MS)
    person = threading.Thread(target=work, args=("person", order))

    def wait_for_person(request: Request) -> None:
        if len(sim.asked) == 3:
            person.start()
            with world.connect("look", True) as look:
                while not locks.is_awaited(look, CAP):
                    assert person.is_alive()

    sim.before = wait_for_person
    work("lane", LaneOrder(shift_ms=20_000, clock_tolerance_ms=LAST_MOMENT_MS))
    person.join()
    # The person came while the third page was under way, and no fourth one was begun.
    assert reports["lane"].requests == 3
    assert reports["lane"].ended == "a person's backfill waits for the capability"
    assert reports["person"].touched == {"SIM/E/PT1M"}


def test_a_person_brings_chosen_series_up_to_date_and_no_others(world: World, sim: Scripted) -> None:
    report = world.run(CAP, LaneOrder(by_person=True, series_ids=("SIM/B/PT1M",), shift_ms=HOUR_MS))
    assert report.touched == {"SIM/B/PT1M"}
    assert {request.product_id for request in sim.asked} == {"SIM/B"}
    facts = states.read_facts(world.conn, "ohlc_v2", series_ids=["SIM/B/PT1M"])[0]
    assert facts.start_ms == NOON_MS - 3 * HOUR_MS
    assert report.ended == "nothing more is due"


def test_a_person_narrows_to_kind_and_pages(world: World, sim: Scripted) -> None:
    head = world.run(CAP, LaneOrder(work=("head",), by_person=True, series_ids=("SIM/A/PT1M",)))
    assert head.pages == 1
    tail = world.run(CAP, LaneOrder(work=("tail",), by_person=True, series_ids=("SIM/A/PT1M",), max_pages=1))
    assert (tail.pages, tail.ended) == (1, "1 pages were asked for")


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_a_person_narrows_to_a_time_window(database_url: str, clock: MovableClock, direction: Direction) -> None:
    vendor = make_vendor(clock, [make_product("SIM/A", NOON_MS - DAY_MS)], direction=direction)
    world = World(database_url, [vendor], clock)
    window = Range(NOON_MS - 10 * HOUR_MS, NOON_MS - 6 * HOUR_MS)
    cap_key = format_cap_key("IngestOHLC", "SIM/", direction)
    report = world.run(cap_key, LaneOrder(by_person=True, series_ids=("SIM/A/PT1M",), window=window))
    covered = ranges.read(world.conn, "ohlc_v2", ["SIM/A/PT1M"])["SIM/A/PT1M"]
    world.close()
    assert find_missing(covered, window) == []
    assert 3 <= report.requests <= 5
    assert covered[-1].end_ms < NOON_MS - 4 * HOUR_MS


def test_a_person_waits_for_no_pause_that_was_there_before(database_url: str, clock: MovableClock) -> None:
    silent = (NOON_MS - 2 * HOUR_MS, NOON_MS - HOUR_MS)
    vendor = make_vendor(clock, [make_product("SIM/A", NOON_MS - 6 * HOUR_MS, outages=(silent,))], page_rows=30)
    world = World(database_url, [vendor], clock)
    mine = LaneOrder(by_person=True, series_ids=("SIM/A/PT1M",))
    world.run(CAP, replace(mine, work=("head",)))
    world.run(CAP, replace(mine, window=Range(NOON_MS - 4 * HOUR_MS, NOON_MS - 3 * HOUR_MS)))
    world.conn.execute("update series_state set start_eligible_at = to_timestamp(%s)", [(NOON_MS + DAY_MS) / 1000])
    world.conn.commit()
    world.run(CAP, mine)
    [facts] = states.read_facts(world.conn, "ohlc_v2", series_ids=["SIM/A/PT1M"])
    world.close()
    assert facts.start_ms == NOON_MS - 6 * HOUR_MS, "a gap comes first, and brings nothing"


def test_a_persons_failures_are_tried_again_three_times_and_told(world: World, sim: Scripted) -> None:
    def reject(request: Request) -> None:
        raise VendorRejected("no such instrument")

    sim.before = reject
    report = world.run(CAP, LaneOrder(by_person=True, series_ids=("SIM/A/PT1M",), shift_ms=HOUR_MS))
    assert report.failed == {"SIM/A/PT1M": "no such instrument"}
    assert report.requests == 3


@pytest.mark.parametrize(("error", "is_believed"), [(RuntimeError("a bug"), False), (VendorRejected("no such"), True)])
def test_only_a_vendors_word_ends_a_delisted_product_and_never_its_breakdown(
    database_url: str, clock: MovableClock, error: Exception, is_believed: bool
) -> None:
    gone = make_product("SIM/A", NOON_MS - 30 * HOUR_MS, delisting_ms=NOON_MS - HOUR_MS)
    sim = Scripted(make_vendor(clock, [gone], direction="forward"))
    world = World(database_url, [sim], clock)

    def fail(request: Request) -> None:
        if len(sim.asked) > 3:
            raise error

    sim.before = fail
    forward = format_cap_key("IngestOHLC", "SIM/", "forward")
    for _ in range(3):
        world.run(forward, LaneOrder(work=("head",)))
        clock.wait(HOUR_MS)
    sim.before = lambda request: None
    world.run(forward, LaneOrder(work=("head",)))
    stored = world.conn.execute("select count(*) from ohlc_v2").fetchone()
    world.close()
    assert (stored == (29 * 60,)) is not is_believed


def test_tails_wait_while_many_heads_wait_elsewhere(world: World, sim: Scripted) -> None:
    world.run(CAP, LaneOrder(work=("head",)))
    capabilities.write_backlogs(world.conn, {OTHER: 20}, world.clock.now_ms())
    world.conn.commit()
    report = world.run(CAP, LaneOrder(work=("tail",), shift_ms=30_000))
    assert report.pages == 0
    capabilities.write_backlogs(world.conn, {OTHER: 19}, world.clock.now_ms())
    world.conn.commit()
    assert world.run(CAP, LaneOrder(work=("tail",), shift_ms=30_000)).pages > 0


def test_concurrent_requests_are_made_where_the_service_allows_them(database_url: str, clock: MovableClock) -> None:
    barrier = threading.Barrier(3, timeout=20)
    products = [make_product(f"SIM/{name}", NOON_MS - HOUR_MS) for name in "ABC"]
    sim = Scripted(make_vendor(clock, products, limits=Limits(concurrent=3, grace_ms=1_000)))
    sim.before = lambda request: barrier.wait() and None
    world = World(database_url, [sim], clock)
    report = world.run(CAP, LaneOrder(work=("head",)))
    world.close()
    assert report.pages >= 3
    assert report.pages % 3 == 0


def test_an_interrupted_lane_keeps_what_it_was_given_and_frees_its_capability(world: World, sim: Scripted) -> None:
    def interrupt(request: Request) -> None:
        if len(sim.asked) == 4:
            interrupt_main()

    sim.before = interrupt
    with pytest.raises(KeyboardInterrupt):
        world.run(CAP, LaneOrder())
    covered = world.conn.execute("select count(distinct series_id) from series_data_range").fetchone()
    rows = world.conn.execute("select count(distinct series_id) from ohlc_v2").fetchone()
    assert covered == rows == (3,)
    world.conn.commit()
    sim.before = lambda request: None
    assert world.run(CAP, LaneOrder(work=("head",))).pages >= 2


def test_a_database_that_dies_under_a_lane_is_one_clear_line(world: World, sim: Scripted) -> None:
    def cut(request: Request) -> None:
        if len(sim.asked) == 3:
            world.conn.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity "
                "where application_name like 'series lane%' and datname = current_database()"
            )
            world.conn.commit()

    sim.before = cut
    with pytest.raises(DatabaseUnavailable, match="the database stopped answering"):
        world.run(CAP, LaneOrder())
    sim.before = lambda request: None
    assert world.run(CAP, LaneOrder(work=("head",))).ended == "nothing more is due"


def test_a_long_lane_compacts_what_it_touched_now_and_then(
    database_url: str, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("series_pipelines.ingest.storing.writer.COMPACT_AFTER_PAGES", 10)
    vendor = make_vendor(clock, [make_product("SIM/A", NOON_MS - 5 * HOUR_MS)], page_rows=3)
    world = World(database_url, [vendor], clock)
    catalogue = world.registry.read()
    tools = LaneTools(world.connect, clock, read_database_clock=world.read_database_clock)
    report = run_lane(tools, catalogue.vendor_of[CAP], catalogue.capabilities[CAP], LaneOrder(max_pages=100))
    fragments = len(ranges.read(world.conn, "ohlc_v2", ["SIM/A/PT1M"])["SIM/A/PT1M"])
    world.close()
    assert report.pages == 100
    assert fragments <= 11


def test_a_lane_that_is_told_to_end_ends_after_its_page(world: World, sim: Scripted) -> None:
    told: list[Request] = []
    sim.before = told.append
    tools = LaneTools(
        world.connect, world.clock, should_end=lambda: bool(told), read_database_clock=world.read_database_clock
    )
    catalogue = world.registry.read()
    report = run_lane(tools, catalogue.vendor_of[CAP], catalogue.capabilities[CAP], LaneOrder())
    assert (report.pages, len(sim.asked)) == (1, 1)
    assert report.ended == "it was told to end after its page"


def test_a_lane_says_what_it_waits_for(world: World, sim: Scripted, clock: MovableClock) -> None:
    heard: list[str] = []
    waited_for_an_answer = threading.Event()

    def listen(what: str) -> None:
        heard.append(what)
        if what.startswith("an answer"):
            waited_for_an_answer.set()

    def wait_once_then_refuse(request: Request) -> None:
        assert waited_for_an_answer.wait(30)
        raise VendorBusy("429", 7_000)

    sim.before = wait_once_then_refuse
    catalogue = world.registry.read()
    tools = LaneTools(world.connect, clock, on_nap=listen, read_database_clock=world.read_database_clock)
    run_lane(tools, catalogue.vendor_of[CAP], catalogue.capabilities[CAP], LaneOrder(("head",), 30_000))
    assert heard[0] == "an answer for SIM/A/PT1M, asked 0 s ago"
    assert "the end of the vendor's pause, in 7 s" in heard


def test_a_persons_lane_says_that_it_waits_for_another_one(world: World) -> None:
    heard: list[str] = []
    catalogue = world.registry.read()

    with world.connect("another lane", autocommit=True) as other:

        def listen(why: str) -> None:
            heard.append(why)
            locks.release_capability(other, CAP)

        assert locks.try_capability(other, CAP)
        tools = LaneTools(world.connect, world.clock, say=listen, read_database_clock=world.read_database_clock)
        order = LaneOrder(by_person=True, max_pages=1)
        assert run_lane(tools, catalogue.vendor_of[CAP], catalogue.capabilities[CAP], order).pages == 1
    assert heard == [f"another lane works {CAP}: waiting until it ends"]
