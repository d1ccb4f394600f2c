"""A service's stated limits, kept by all processes together: no window ever holds more than the budget."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.synchronize import Barrier

import pytest

from series_pipelines.app.clock import SystemClock
from series_pipelines.core.duration import HOUR_MS
from series_pipelines.errors import VendorBusy
from series_pipelines.ingest.budgets import turns
from series_pipelines.ingest.budgets.turns import LaneTurns, NoTurn, Turn
from series_pipelines.ingest.lane.order import LaneOrder
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.vendors.contract import Limits
from series_pipelines.vendors.services import Capability, format_cap_key
from tests.support.simulation import NOON_MS, MovableClock, World, make_product, make_vendor

SPAWN = multiprocessing.get_context("spawn")
REQUESTS, WINDOW_MS = 10, 500
LONG_MS = 60_000


def make_capability(budget: str = "vendor", requests: int | None = REQUESTS, window_ms: int = WINDOW_MS) -> Capability:
    limits = Limits(requests=requests, window_ms=window_ms, budget=budget)
    return Capability("cap", "v", "IngestOHLC", "ohlc_v2", "SIM/", ("PT1M",), "backward", limits)


def open_turns(conn: Connection, capability: Capability) -> LaneTurns:
    return LaneTurns(conn, capability, SystemClock())


def take(lane: LaneTurns, patience_ms: int = LONG_MS) -> Turn:
    turn = lane.take(SystemClock().now_ms() + patience_ms)
    assert isinstance(turn, Turn), turn
    return turn


def find_most(times: Sequence[float]) -> int:
    """Return the most requests in any half-open window."""
    return max(sum(1 for other in times if 0 <= moment - other < WINDOW_MS / 1000) for moment in times)


@pytest.fixture
def control(database_url: str) -> Iterator[Connection]:
    with connect(database_url, purpose="lane lock", autocommit=True) as connection:
        yield connection


def read_phases(conn: Connection) -> dict[str, int]:
    rows = conn.execute("select phase, count(*) from rate_request group by phase").fetchall()
    return dict(rows)  # type: ignore[arg-type]


def spend(url: str, seconds: float, ready: Barrier, out: "multiprocessing.Queue[list[float]]") -> None:
    """In a process: request after request, as fast as turns come."""
    times = []
    with connect(url, purpose="test", autocommit=True) as conn:
        lane = open_turns(conn, make_capability())
        ready.wait(60)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            turn = take(lane)
            times.append(time.monotonic())
            lane.settle(turn)
        lane.tell()
    out.put(times)


def test_four_processes_share_a_budget_evenly_and_never_exceed_it(database_url: str) -> None:
    ready, out = SPAWN.Barrier(4), SPAWN.Queue()
    workers = [SPAWN.Process(target=spend, args=(database_url, 3.0, ready, out)) for _ in range(4)]
    for worker in workers:
        worker.start()
    shares = [out.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    times = [moment for share in shares for moment in share]
    assert find_most(times) <= REQUESTS
    assert len(times) >= 3 * REQUESTS
    # Who comes first is chance: of some 60 turns an even share is 15, give or take 4.
    assert min(map(len, shares)) >= len(times) / 12


def stop_after_turn(url: str, stale_after_ms: int, out: "multiprocessing.Queue[float | str]") -> None:
    """In a process: take a turn, and be stopped between that and the call of the vendor."""
    turns.STALE_AFTER_MS = stale_after_ms  # type: ignore[misc]
    with connect(url, purpose="test", autocommit=True) as conn:
        lane = open_turns(conn, make_capability())
        turn = take(lane)
        os.kill(os.getpid(), signal.SIGSTOP)
        try:
            lane.check(turn)
            out.put(time.monotonic())
        except VendorBusy as error:
            out.put(str(error))
        finally:
            lane.settle(turn)
            lane.tell()


@pytest.mark.parametrize("is_stale", [False, True])
def test_a_process_that_is_stopped_after_its_turn_does_not_break_the_budget(
    database_url: str, control: Connection, is_stale: bool
) -> None:
    out: multiprocessing.Queue[float | str] = SPAWN.Queue()
    stopped = SPAWN.Process(target=stop_after_turn, args=(database_url, 1_000 if is_stale else LONG_MS, out))
    stopped.start()
    assert stopped.pid is not None
    _, status = os.waitpid(stopped.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    lane, times = open_turns(control, make_capability()), list[float]()
    resume = threading.Timer(1.3, os.kill, (stopped.pid, signal.SIGCONT))
    resume.start()
    end = time.monotonic() + 2.2
    while time.monotonic() < end:
        turn = take(lane)
        times.append(time.monotonic())
        lane.settle(turn)
    late = out.get(timeout=60)
    stopped.join()
    if is_stale:
        assert isinstance(late, str)
        assert late.startswith("this process stood still for ")
    else:
        assert isinstance(late, float)
        assert find_most([moment for moment in times if moment < late]) <= REQUESTS - 1
        times.append(late)
    assert find_most(times) <= REQUESTS
    lane.tell()
    # Nothing is on its way any more, so the whole budget comes back.
    assert "sent" not in read_phases(control)


def test_answers_that_come_while_a_turn_is_awaited_bring_it_nearer(control: Connection) -> None:
    """All of the budget is on its way when the next turn is asked for; the answers arrive while that waits."""
    lane = open_turns(control, make_capability(requests=2, window_ms=2_000))
    on_the_way = [take(lane), take(lane)]
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(take, lane)
        while read_phases(control).get("waiting") != 1:
            time.sleep(0.01)
        for turn in on_the_way:
            lane.settle(turn)
        # It asked again at once: what waits knows that the others are answered.
        while read_phases(control).get("answered") != 2:
            time.sleep(0.01)
        assert not waiting.done()
        lane.settle(waiting.result(60))


def test_over_the_patience_nothing_is_spent(control: Connection) -> None:
    lane = open_turns(control, make_capability(window_ms=LONG_MS))
    for _ in range(REQUESTS):
        lane.settle(take(lane, 0))
    assert lane.take(SystemClock().now_ms() + 1_000) == NoTurn("the budget 'vendor' is spent until after its time")
    assert read_phases(control) == {"answered": REQUESTS}


def test_budgets_do_not_touch_each_other_and_none_is_no_limit(control: Connection) -> None:
    one, another = (open_turns(control, make_capability(name, window_ms=LONG_MS)) for name in ("one", "another"))
    for _ in range(REQUESTS):
        take(one, 0)
    take(another, 0)
    unlimited = open_turns(control, make_capability(requests=None))
    assert {unlimited.take(0) for _ in range(REQUESTS + 1)} == {Turn(None)}


def test_a_turn_counts_until_it_is_settled_and_settling_it_twice_is_once(control: Connection) -> None:
    lane = open_turns(control, make_capability())
    first, second = take(lane), take(lane)
    lane.settle(first)
    lane.settle(first)
    assert read_phases(control) == {"sent": 2}
    # Told with the next question, or before a rest.
    third = take(lane)
    assert read_phases(control) == {"sent": 2, "answered": 1}
    lane.settle(second)
    lane.settle(third)
    lane.tell()
    assert read_phases(control) == {"answered": 3}


@pytest.fixture
def world(database_url: str) -> Iterator[World]:
    clock = MovableClock()
    products = [make_product(f"SIM/{name}", NOON_MS - HOUR_MS) for name in "ABC"]
    limits = Limits(concurrent=3, requests=50, window_ms=1_000, grace_ms=1_000)
    made = World(database_url, [make_vendor(clock, products, limits=limits)], clock)
    yield made
    made.close()


def test_a_lane_settles_every_turn_it_takes(world: World) -> None:
    report = world.run(format_cap_key("IngestOHLC", "SIM/", "backward"), LaneOrder(work=("head",)))
    assert report.requests >= 3
    assert set(read_phases(world.conn)) == {"answered"}


def test_a_lane_whose_process_stood_still_after_its_turn_asks_again_later(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    granted, stalls = LaneTurns.take, [turns.STALE_AFTER_MS + 1]

    def stall(self: LaneTurns, deadline_ms: int) -> Turn | NoTurn:
        turn = granted(self, deadline_ms)
        world.clock.wait(stalls.pop() if stalls else 0)
        return turn

    monkeypatch.setattr(LaneTurns, "take", stall)
    report = world.run(format_cap_key("IngestOHLC", "SIM/", "backward"), LaneOrder(work=("head",)))
    assert (report.backoffs, report.failed, len(report.touched)) == (1, {}, 3)
    assert set(read_phases(world.conn)) == {"answered"}


def test_who_waits_for_a_turn_says_so(control: Connection) -> None:
    heard: list[str] = []
    lane = LaneTurns(control, make_capability(requests=1), SystemClock(), on_nap=heard.append)
    lane.settle(take(lane))
    take(lane)
    assert heard
    assert {what.rpartition(",")[0] for what in heard} == {"its turn in the budget 'vendor'"}
