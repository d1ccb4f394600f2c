"""Whatever a vendor answers for one series, its neighbours get theirs, and the next lane begins elsewhere."""

import threading
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import pairwise, repeat
from typing import Any

import pytest

from series_pipelines.app.clock import SystemClock
from series_pipelines.core.duration import DAY_MS, HOUR_MS, MINUTE_MS, parse_duration
from series_pipelines.core.ranges import Range
from series_pipelines.errors import (
    DatabaseContended,
    DatabaseUnavailable,
    InvalidSeriesId,
    NotMigrated,
    VendorBusy,
    VendorRejected,
)
from series_pipelines.ingest.budgets.turns import LaneTurns
from series_pipelines.ingest.lane import inbox
from series_pipelines.ingest.lane import lane as lane_module
from series_pipelines.ingest.lane.lane import run_lane
from series_pipelines.ingest.lane.order import LaneOrder, LaneTools
from series_pipelines.ingest.pages.check import MOST_ROWS
from series_pipelines.ingest.pages.clocks import TOLERANCE_MS
from series_pipelines.ingest.planning import agenda as agenda_module
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.proving.certify import certify
from series_pipelines.ingest.storing import capabilities, coverage, ranges, states
from series_pipelines.postgres.connection import ms_to_time
from series_pipelines.vendors.asking import count_left_behind
from series_pipelines.vendors.contract import Direction, Limits, Reply, Request
from series_pipelines.vendors.services import format_cap_key
from tests.support.bars import make_bar
from tests.support.narrowing import expect
from tests.support.simulation import NOON_MS, MovableClock, World, make_product, make_vendor

CAP = format_cap_key("IngestOHLC", "SIM/", "backward")
LIAR, HONEST = "SIM/A/PT1M", [f"SIM/{name}/PT1M" for name in "BC"]
LISTED_MS = NOON_MS - 2 * HOUR_MS

Lie = Callable[[Reply], Any]


class Unspeakable:
    def __repr__(self) -> str:
        raise SystemExit(0)

    __str__ = __repr__


class EvilText(str):
    def __format__(self, spec: str) -> str:
        raise SystemExit(0)

    __str__ = __repr__ = lambda self: self.__format__("")


class Endless(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        return repeat(self[0])


class Short(list):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 3


class Capricious(Reply):
    __slots__ = ("told",)

    def __getattribute__(self, name: str) -> Any:
        if name != "now_ms":
            return object.__getattribute__(self, name)
        told = getattr(self, "told", 0)
        object.__setattr__(self, "told", told + 1)
        return object.__getattribute__(self, name) + (400 * DAY_MS if told > 1 else 0)


class RealClock(SystemClock):
    def __call__(self) -> int:
        return self.now_ms()


class Liar:
    """Tells the truth of every product but one."""

    def __init__(self, clock: MovableClock, direction: Direction = "backward", limits: Limits | None = None) -> None:
        products = [make_product(f"SIM/{name}", LISTED_MS) for name in "ABC"]
        self.vendor = make_vendor(clock, products, direction=direction, limits=limits)
        self.name, self.services, self.products = "sim", self.vendor.services, self.vendor.products
        self.lie: Lie | None = None
        self.victim = "SIM/A"
        self.asked: list[Request] = []

    def fetch(self, request: Request) -> Reply:
        self.asked.append(request)
        reply = self.vendor.fetch(request)
        if self.lie is not None and request.product_id == self.victim:
            reply = self.lie(reply)
        return reply


def change_row(position: int, value: object) -> Lie:
    def lie(reply: Reply) -> Reply:
        rows = [list(row) for row in reply.rows]
        rows[-1][position] = value
        return Reply(rows, reply.now_ms)

    return lie


def shift_rows(by_ms: Callable[[int], int]) -> Lie:
    return lambda reply: Reply([(by_ms(row[0]), None, *row[2:]) for row in reply.rows], reply.now_ms)


def throw(error: BaseException) -> Lie:
    def lie(reply: Reply) -> Reply:
        raise error

    return lie


def make_deep() -> object:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    return deep


LIES: dict[str, Lie] = {
    **{f"an int of 6,000 digits at {at}": change_row(at, 10**6000) for at in range(8)},
    "an error text with half a surrogate pair": throw(VendorRejected("no \ud83d")),
    "an error text with NUL": throw(VendorRejected("a\0b")),
    "an error text of 20 MB": throw(VendorRejected("x" * 20_000_000)),
    "an error text with escape codes": throw(VendorRejected("\x1b[2J\x1b[31mred")),
    "nesting 100,000 deep": change_row(4, make_deep()),
    "rows nested 100,000 deep": lambda reply: Reply(make_deep(), reply.now_ms),  # type: ignore[arg-type]
    "a value that can't be printed": change_row(4, Unspeakable()),
    "a text that raises when formatted": change_row(4, EvilText("1")),
    "a volume that raises when formatted": change_row(6, EvilText("1")),
    "an error that can't be printed": throw(ValueError(Unspeakable())),
    "BaseException": throw(BaseException()),
    "GeneratorExit": throw(GeneratorExit()),
    "CancelledError": throw(CancelledError()),
    "KeyboardInterrupt": throw(KeyboardInterrupt()),
    "SystemExit(0)": throw(SystemExit(0)),
    "a reply that can't be printed": lambda reply: Unspeakable(),
    "a clock of 10**6000": lambda reply: Reply(reply.rows, 10**6000),
    "more rows than a page has": lambda reply: Reply(
        list(reply.rows) * (MOST_ROWS // len(reply.rows) + 1), reply.now_ms
    ),
    "a row from 1970, in seconds": shift_rows(lambda created_ms: created_ms // 1000),
    "bars beside the grid": shift_rows(lambda created_ms: created_ms - 1),
    "a list that never ends": lambda reply: Reply(Endless(reply.rows), reply.now_ms),
    "a list that is longer than it says": lambda reply: Reply(Short(list(reply.rows) * MOST_ROWS), reply.now_ms),
    "a reply whose clock goes as it likes": lambda reply: Capricious(reply.rows, reply.now_ms),
    "a clock 400 days ahead": lambda reply: Reply(reply.rows, reply.now_ms + 400 * DAY_MS),
    "a clock 400 days behind": lambda reply: Reply(reply.rows, reply.now_ms - 400 * DAY_MS),
}


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def liar(clock: MovableClock) -> Liar:
    return Liar(clock)


@pytest.fixture
def world(database_url: str, clock: MovableClock, liar: Liar) -> Iterator[World]:
    world = World(database_url, [liar], clock)
    yield world
    world.close()


def read_ranges(world: World, series_id: str = LIAR) -> list[Range]:
    found = ranges.read(world.conn, "ohlc_v2", [series_id])[series_id]
    world.conn.commit()
    return found


def read_error(world: World, series_id: str = LIAR) -> str | None:
    row = world.conn.execute("select last_error from series_state where series_id = %s", [series_id]).fetchone()
    world.conn.commit()
    assert row is not None
    return row[0]  # type: ignore[return-value]


def read_capability(world: World) -> capabilities.CapabilityState:
    (found,) = capabilities.read(world.conn)
    world.conn.commit()
    return found


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_a_lie_fails_its_series_alone_and_the_next_lane_begins_elsewhere(world: World, liar: Liar, lie: Lie) -> None:
    liar.lie = lie
    report = world.run(CAP, LaneOrder())
    assert report.touched == set(HONEST)
    assert report.failed.keys() == {LIAR}
    assert (read_ranges(world), read_error(world)) == ([], report.failed[LIAR])
    assert report.failed[LIAR].isprintable()
    assert 0 < len(report.failed[LIAR]) <= 300
    assert all(read_ranges(world, series_id) for series_id in HONEST)
    assert not read_capability(world).backoff_ms
    world.clock.wait(2 * MINUTE_MS)
    liar.asked.clear()
    world.run(CAP, LaneOrder(work=("head",), max_pages=3))
    assert {request.product_id for request in liar.asked[:2]} == {"SIM/B", "SIM/C"}


@pytest.mark.parametrize("retry_after_ms", [10**18, "5", -1, True, None])
def test_a_mad_retry_after_pauses_the_capability_for_a_time_that_can_be_stored(
    world: World, liar: Liar, retry_after_ms: object
) -> None:
    liar.lie = throw(VendorBusy("429", retry_after_ms))  # type: ignore[arg-type]
    # A shift that the shortest pause outlasts: else it is slept through, and cleared by a neighbour's page.
    report = world.run(CAP, LaneOrder(shift_ms=4_000))
    assert report.backoffs == 1
    pause_ms = (read_capability(world).next_eligible_ms or 0) - world.clock.now_ms()
    assert pause_ms == (7 * DAY_MS if retry_after_ms == 10**18 else 5_000)


def test_one_wrong_clock_never_claims_the_future(database_url: str, clock: MovableClock) -> None:
    liar = Liar(clock, "forward")
    world = World(database_url, [liar], clock)
    cap_key = format_cap_key("IngestOHLC", "SIM/", "forward")
    world.run(cap_key, LaneOrder())
    known = read_ranges(world)

    def leap(reply: Reply) -> Reply:
        ahead_ms = clock.now_ms() + 400 * DAY_MS
        bar = make_bar(ahead_ms // MINUTE_MS * MINUTE_MS - 5 * MINUTE_MS, None, *["1"] * 5)
        return Reply([*reply.rows, bar], ahead_ms)

    clock.wait(5 * MINUTE_MS)
    liar.lie = leap
    assert "400.0 d ahead of ours and the database's" in world.run(cap_key, LaneOrder()).failed[LIAR]
    assert "400.0 d ahead" in (read_capability(world).last_error or "")
    assert read_ranges(world) == known
    liar.lie = None
    clock.wait(10 * MINUTE_MS)
    world.run(cap_key, LaneOrder())
    assert clock.now_ms() - read_ranges(world)[-1].end_ms < 2 * MINUTE_MS
    world.close()


@pytest.mark.parametrize(
    ("of_ours_ms", "who"), [(-HOUR_MS, "this machine's"), (HOUR_MS, "this machine's"), (0, "the database's")]
)
def test_the_clock_that_stands_apart_is_named_and_no_series_is_blamed(
    world: World, liar: Liar, of_ours_ms: int, who: str
) -> None:
    class Apart:
        now_ms = staticmethod(lambda: world.clock.now_ms() + of_ours_ms)
        wait = staticmethod(world.clock.wait)

    database_ms = 0 if of_ours_ms else 2 * HOUR_MS
    tools = LaneTools(world.connect, Apart(), read_database_clock=lambda _: world.clock.now_ms() + database_ms)
    catalogue = world.registry.read()
    order = LaneOrder(shift_ms=20_000)
    report = run_lane(tools, catalogue.vendor_of[CAP], catalogue.capabilities[CAP], order)
    assert (report.pages, report.failed) == (0, {})
    assert report.backoffs
    assert (read_capability(world).last_error or "").startswith(f"{who} clock stands")


def test_clocks_that_stand_as_far_apart_as_is_allowed_are_believed(world: World, liar: Liar) -> None:
    liar.lie = lambda reply: Reply(reply.rows, reply.now_ms + TOLERANCE_MS)
    assert not world.run(CAP, LaneOrder()).failed
    liar.lie = lambda reply: Reply(reply.rows, reply.now_ms + TOLERANCE_MS + 1)
    world.clock.wait(2 * MINUTE_MS)
    assert LIAR in world.run(CAP, LaneOrder()).failed


def test_a_hole_longer_than_a_page_is_a_gap_until_two_answers_make_it_an_outage(
    database_url: str, clock: MovableClock
) -> None:
    liar = Liar(clock, limits=Limits(page_rows=100))
    world = World(database_url, [liar], clock)
    gap = Range(NOON_MS - 110 * MINUTE_MS, NOON_MS - 5 * MINUTE_MS)
    liar.lie = lambda reply: Reply(
        [row for row in reply.rows if not gap.start_ms <= row[0] < gap.end_ms]
        or [make_bar(gap.start_ms - MINUTE_MS, None, *["1"] * 5)],
        reply.now_ms,
    )
    # As a vendor that counts rows would: a page reaches over what it has not.
    honest = liar.vendor.fetch

    def reach_over(request: Request) -> Reply:
        reply, earlier = honest(request), honest(Request(**{**as_dict(request), "time_ms": gap.start_ms}))
        return Reply([*earlier.rows[-10:], *reply.rows] if request.time_ms > gap.end_ms else reply.rows, reply.now_ms)

    liar.vendor.fetch = reach_over  # type: ignore[method-assign]
    world.run(CAP, LaneOrder(max_pages=3))
    account = coverage.read(world.conn, "ohlc_v2", [LIAR])[LIAR]
    world.conn.commit()
    assert gap not in [known.window for known in account.evidence]
    assert [(left.end_ms, right.start_ms) for left, right in zip(account.ranges, account.ranges[1:], strict=False)] == [
        gap
    ]
    for _ in range(6):
        world.run(CAP, LaneOrder())
        clock.wait(30 * MINUTE_MS)
    account = coverage.read(world.conn, "ohlc_v2", [LIAR])[LIAR]
    world.conn.commit()
    assert [(known.kind, known.window) for known in account.evidence if known.kind == "outage"] == [("outage", gap)]
    world.close()


@pytest.mark.parametrize(("text", "days"), [("P1D", 900), ("PT1H", 800)])
def test_one_short_page_of_unknown_size_proves_no_years_empty(
    database_url: str, clock: MovableClock, text: str, days: int
) -> None:
    bar_ms = parse_duration(text).nominal_ms
    listed_ms = NOON_MS // DAY_MS * DAY_MS - days * DAY_MS
    vendor = make_vendor(clock, [make_product("SIM/A", listed_ms)], durations=(text,))
    honest, calls = vendor.fetch, []

    def lie_once(request: Request) -> Reply:
        calls.append(request)
        reply = honest(request)
        if len(calls) > 1:
            return reply
        return Reply([make_bar(listed_ms, None, *["1"] * 5), *reply.rows[-3:]], reply.now_ms)

    vendor.fetch = lie_once  # type: ignore[method-assign]
    world = World(database_url, [vendor], clock)
    world.settle()
    window = Range(listed_ms, (NOON_MS - 2_000) // bar_ms * bar_ms)
    certificate = certify(world.conn, "ohlc_v2", f"SIM/A/{text}", window)
    world.conn.commit()
    assert certificate.kinds == {"data": window.end_ms - window.start_ms}
    assert certificate.rows == (window.end_ms - window.start_ms) // bar_ms
    world.close()


@pytest.mark.parametrize("limits", [Limits(), Limits(page_rows=100)])
def test_two_rates_years_apart_do_not_cover_what_is_between(
    database_url: str, clock: MovableClock, limits: Limits
) -> None:
    listed_ms = NOON_MS - 400 * DAY_MS
    vendor = make_vendor(
        clock, [make_product("SIM/A", listed_ms)], method="IngestInterestRate", limits=limits, page_rows=100
    )
    honest, calls = vendor.fetch, []

    def lie_once(request: Request) -> Reply:
        calls.append(request)
        reply = honest(request)
        return reply if len(calls) > 1 else Reply([(listed_ms, "1", "1", None), *reply.rows[-1:]], reply.now_ms)

    vendor.fetch = lie_once  # type: ignore[method-assign]
    world = World(database_url, [vendor], clock)
    world.settle()
    stored = world.conn.execute("select count(*) from interest_rate").fetchone()
    world.conn.commit()
    truth = vendor.expected_rows("SIM/A", None, clock.now_ms())
    assert stored == (len({listed_ms, *truth}),)
    assert len(calls) < 40
    world.close()


@pytest.mark.parametrize("text", ["PT7M", "PT5H"])
def test_bars_of_one_series_never_lie_across_each_other_where_two_grids_are_allowed(
    database_url: str, clock: MovableClock, text: str
) -> None:
    bar_ms, midnight_ms = parse_duration(text).nominal_ms, NOON_MS // DAY_MS * DAY_MS
    grids = [midnight_ms // bar_ms * bar_ms, midnight_ms]
    assert grids[0] != grids[1]
    vendor = make_vendor(clock, [make_product("SIM/A", midnight_ms - DAY_MS)], durations=(text,))
    asked: list[Request] = []

    def change_grids(request: Request) -> Reply:
        asked.append(request)
        first_ms = grids[len(asked) > 1]
        times = [each for each in range(first_ms, first_ms + 2 * bar_ms, bar_ms) if each < request.time_ms]
        return Reply([make_bar(each, None, *["1"] * 5) for each in times], clock.now_ms())

    vendor.fetch = change_grids  # type: ignore[method-assign]
    world = World(database_url, [vendor], clock)
    report = world.run(CAP, LaneOrder(max_pages=4))
    assert "lies across the stored one" in report.failed[f"SIM/A/{text}"]
    bars = world.conn.execute("select created_at, closed_at from ohlc_v2 order by 1").fetchall()
    world.conn.commit()
    assert len(bars) == 2
    assert all(expect(datetime, left[1]) <= expect(datetime, right[0]) for left, right in pairwise(bars))
    world.close()


def refuse_clock(reply: Reply) -> Reply:
    return Reply(reply.rows, reply.now_ms + 400 * DAY_MS)


@pytest.mark.parametrize("victim", ["SIM/A", "SIM/B", "SIM/C"])
def test_the_capability_tells_of_a_clock_until_the_series_that_met_it_has_a_good_answer(
    world: World, liar: Liar, victim: str
) -> None:
    liar.victim, liar.lie = victim, refuse_clock
    world.run(CAP, LaneOrder(shift_ms=5_000))
    told = read_capability(world)
    assert "400.0 d ahead of ours" in (told.last_error or "")
    assert told.last_success_ms
    # The next lane serves the neighbours only: the victim is still at rest.
    world.conn.execute("update series_state set head_eligible_at = %s where product_id = %s",
                       [ms_to_time(NOON_MS + HOUR_MS), victim])  # fmt: skip
    world.conn.commit()
    world.clock.wait(5 * MINUTE_MS)
    report = world.run(CAP, LaneOrder(work=("head",), shift_ms=5_000))
    assert report.touched == {f"SIM/{name}/PT1M" for name in "ABC"} - {f"{victim}/PT1M"}
    later = read_capability(world)
    assert (later.last_error, later.last_success_ms) == (told.last_error, world.clock.now_ms())
    liar.lie = None
    world.clock.wait(HOUR_MS)
    assert f"{victim}/PT1M" in world.run(CAP, LaneOrder(shift_ms=5_000)).touched
    assert read_capability(world).last_error is None


def test_what_a_retired_series_met_is_told_no_longer(world: World, liar: Liar) -> None:
    liar.lie = refuse_clock
    world.run(CAP, LaneOrder(shift_ms=5_000))
    assert read_capability(world).last_error
    states.retire_series(world.conn, "ohlc_v2", [LIAR])
    world.conn.commit()
    world.clock.wait(5 * MINUTE_MS)
    world.run(CAP, LaneOrder(shift_ms=5_000))
    assert read_capability(world).last_error is None


def as_dict(request: Request) -> dict[str, Any]:
    return {name: getattr(request, name) for name in ("method", "product_id", "duration", "direction", "time_ms")}


def test_bars_that_lie_across_stored_ones_are_refused_where_no_grid_tells(
    database_url: str, clock: MovableClock
) -> None:
    liar = Liar(clock, limits=Limits(on_grid=False))
    world = World(database_url, [liar], clock)
    world.run(CAP, LaneOrder())
    known = read_ranges(world)
    clock.wait(5 * MINUTE_MS)
    liar.lie = shift_rows(lambda created_ms: created_ms - 20_000)
    assert "lies across the stored one" in world.run(CAP, LaneOrder()).failed[LIAR]
    assert read_ranges(world) == known
    world.close()


def test_a_vendor_that_hangs_is_left_behind_at_the_end_of_the_shift(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "LATE_AFTER_SHIFT_MS", 0)
    clock = RealClock()
    liar = Liar(clock)  # type: ignore[arg-type]
    release = threading.Event()
    world = World(database_url, [liar], clock)  # type: ignore[arg-type]

    def hang(reply: Reply) -> Reply:
        release.wait()
        return reply

    liar.lie = hang
    try:
        report = world.run(CAP, LaneOrder(work=("head",), shift_ms=1_000))
        assert report.left_behind == 1
        assert count_left_behind("sim") == 1
        assert "did not end within" in (read_capability(world).last_error or "")
        assert read_capability(world).backoff_ms == 5_000
    finally:
        release.set()
    while count_left_behind("sim"):
        threading.Event().wait(0.01)
    world.close()


class Nameless(Liar):
    """Says its name once."""

    @property
    def name(self) -> str:
        self.told = getattr(self, "told", 0) + 1
        if self.told > 1:
            raise SystemExit(0)
        return "sim"

    @name.setter
    def name(self, name: str) -> None:
        pass


def test_a_vendor_is_asked_its_name_once(database_url: str, clock: MovableClock) -> None:
    nameless = Nameless(clock)
    world = World(database_url, [nameless], clock)
    nameless.lie = lambda reply: None
    report = world.run(CAP, LaneOrder())
    world.close()
    assert (report.touched, set(report.failed), nameless.told) == (set(HONEST), {LIAR}, 1)


def test_what_ends_a_lane_is_written_to_what_it_worked_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*_: object) -> None:
        raise RuntimeError("a bug \ud83d of ours")

    with monkeypatch.context() as patch:
        patch.setattr(lane_module, "find_evidence", break_down)
        with pytest.raises(RuntimeError):
            world.run(CAP, LaneOrder())
    told = read_capability(world).last_error or ""
    assert told.startswith("the lane broke down: RuntimeError: a bug")
    failed = [facts for facts in states.read_facts(world.conn, "ohlc_v2") if facts.failures]
    assert [(facts.series_id, read_error(world, facts.series_id)) for facts in failed] == [(LIAR, told)]
    report = world.run(CAP, LaneOrder(max_pages=1))
    assert report.touched.isdisjoint({LIAR})
    assert report.touched


@pytest.mark.parametrize("error", [InvalidSeriesId("a bug of ours"), DatabaseContended("deadlock"), SystemExit(0)])
def test_whatever_ends_a_lane_is_written_down_but_what_blames_no_page(
    world: World, liar: Liar, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def break_down(*_: object) -> None:
        raise error

    asked = []
    for _ in range(3):
        with monkeypatch.context() as patch:
            patch.setattr(lane_module, "find_evidence", break_down)
            liar.asked.clear()
            with pytest.raises(Exception, match=r"a bug of ours|deadlock|SystemExit: 0"):
                world.run(CAP, LaneOrder())
            asked.append(liar.asked[0].product_id)
    assert asked == ["SIM/A", "SIM/B", "SIM/C"]
    assert (read_capability(world).last_error or "").startswith(f"the lane broke down: {type(error).__name__}: ")
    assert all("the lane broke down" in (read_error(world, series_id) or "") for series_id in (LIAR, *HONEST))


@pytest.mark.parametrize("error", [DatabaseUnavailable("gone"), NotMigrated("old"), KeyboardInterrupt()])
def test_what_blames_no_page_ends_a_lane_and_blames_none(
    world: World, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def break_down(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(lane_module, "find_evidence", break_down)
        with pytest.raises(type(error)):
            world.run(CAP, LaneOrder())
    assert (read_capability(world).last_error, read_error(world)) == (None, None)


@pytest.mark.parametrize("kind", ["head", "tail"])
def test_a_series_that_can_not_be_planned_is_blamed_for_it(
    world: World, liar: Liar, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    world.run(CAP, LaneOrder(max_pages=3))
    world.clock.wait(10 * MINUTE_MS)
    plan = getattr(agenda_module, f"plan_{kind}")

    def break_down(facts: SeriesFacts, *known: Any) -> Any:
        if facts.series_id == LIAR:
            raise ValueError("a bug of ours")
        return plan(facts, *known)

    with monkeypatch.context() as patch:
        patch.setattr(agenda_module, f"plan_{kind}", break_down)
        with pytest.raises(ValueError, match="a bug of ours"):
            world.run(CAP, LaneOrder(work=(kind,)))  # type: ignore[arg-type]
        told = read_capability(world).last_error or ""
        assert (told, read_error(world)) == ("the lane broke down: ValueError: a bug of ours", told)
        report = world.run(CAP, LaneOrder(work=(kind,), shift_ms=5_000))  # type: ignore[arg-type]
        assert report.touched == set(HONEST)


def test_a_series_whose_turn_breaks_is_blamed_for_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*_: object) -> None:
        raise RuntimeError("a bug of ours")

    with monkeypatch.context() as patch:
        patch.setattr(LaneTurns, "take", break_down)
        with pytest.raises(RuntimeError):
            world.run(CAP, LaneOrder())
    assert (read_error(world) or "").startswith("the lane broke down: RuntimeError")
    assert world.run(CAP, LaneOrder(max_pages=2)).touched == set(HONEST)


@pytest.mark.parametrize("where", [(states, "write_outcomes"), (capabilities, "note_error")])
def test_what_ended_a_lane_is_raised_also_if_it_can_not_be_written_down(
    world: World, monkeypatch: pytest.MonkeyPatch, where: tuple[Any, str]
) -> None:
    def break_down(*_: object) -> None:
        raise RuntimeError("a bug of ours")

    def refuse(*_: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(lane_module, "find_evidence", break_down)
        patch.setattr(*where, refuse)
        with pytest.raises(RuntimeError, match="a bug of ours"):
            world.run(CAP, LaneOrder())
    told = [read_error(world), read_capability(world).last_error]
    assert [each for each in told if each] == ["the lane broke down: RuntimeError: a bug of ours"]
