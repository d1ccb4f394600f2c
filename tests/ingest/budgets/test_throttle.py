"""The throttle that all processes share: weights, turns, circuits, and what breaks between them."""

import multiprocessing
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.synchronize import Barrier
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from series_pipelines.app.clock import SystemClock
from series_pipelines.errors import DatabaseUnavailable, VendorBroken, VendorBusy
from series_pipelines.ingest.budgets.throttle import FULL_AT, PATIENCE_MS, PostgresThrottle
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.vendors.contract import Budget

SPAWN = multiprocessing.get_context("spawn")
BUDGET = Budget("exchange/pool@direct", 30, 500)
WIDE = Budget("exchange/wide@direct", 1_000, 1_000)
Arrived = tuple[float, int]
MakeThrottle = Callable[[], PostgresThrottle]


def open_throttle(url: str) -> PostgresThrottle:
    return PostgresThrottle(
        lambda purpose, autocommit: connect(url, purpose=purpose, autocommit=autocommit), SystemClock()
    )


@pytest.fixture
def make_throttle(database_url: str) -> Iterator[MakeThrottle]:
    """Each has a connection of its own, like a process."""
    made: list[PostgresThrottle] = []

    def make() -> PostgresThrottle:
        made.append(open_throttle(database_url))
        return made[-1]

    yield make
    for throttle in made:
        throttle.close()


def find_most(arrived: Sequence[Arrived], window_s: float) -> int:
    """Return the most weight in any half-open window of this length."""
    return max(sum(weight for at, weight in arrived if 0 <= end - at < window_s) for end, _ in arrived)


def request(throttle: PostgresThrottle, budget: Budget, weight: int, on_the_way_s: float = 0.0) -> Arrived:
    """Make a request that takes so long to reach the exchange; return when it got there."""
    ticket = throttle.take(budget, weight)
    time.sleep(on_the_way_s)
    arrived = time.monotonic(), weight
    throttle.settle(ticket)
    return arrived


def spend(url: str, seed: int, seconds: float, ready: Barrier, out: "multiprocessing.Queue[list[Arrived]]") -> None:
    """In a process: requests of all weights from two threads at once, some of them far too slow on their way."""
    throttle, arrived = open_throttle(url), list[Arrived]()
    ready.wait(60)
    end = time.monotonic() + seconds

    def work(chance: random.Random) -> None:
        while time.monotonic() < end:
            slow_s = chance.choice((0.0, 0.0, 0.0, 0.02, 0.3))
            arrived.append(request(throttle, BUDGET, chance.choice((1, 1, 2, 5, 12)), slow_s))

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(work, random.Random(seed * 2 + number)) for number in range(2)]:
            done.result()
    throttle.close()
    out.put(arrived)


def test_four_processes_never_pass_the_weight_however_late_their_requests_arrive(database_url: str) -> None:
    ready, out = SPAWN.Barrier(4), SPAWN.Queue()
    workers = [SPAWN.Process(target=spend, args=(database_url, seed, 3.5, ready, out)) for seed in range(4)]
    for worker in workers:
        worker.start()
    shares = [out.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    arrived = [each for share in shares for each in share]
    assert find_most(arrived, BUDGET.window_ms / 1000) <= BUDGET.weight
    # Slow ones hold their weight while they are on their way, so the whole of it can't be used.
    seconds = max(at for at, _ in arrived) - min(at for at, _ in arrived)
    assert sum(weight for _, weight in arrived) >= 0.6 * BUDGET.weight * seconds * 1000 / BUDGET.window_ms
    assert min(map(len, shares)) >= 0.4 * max(map(len, shares))


def stop_before_sending(url: str, weight: int, out: "multiprocessing.Queue[Arrived]") -> None:
    """In a process: take a turn, and be stopped between that and the request."""
    throttle = open_throttle(url)
    ticket = throttle.take(BUDGET, weight)
    os.kill(os.getpid(), signal.SIGSTOP)
    out.put((time.monotonic(), weight))
    throttle.settle(ticket)
    throttle.close()


def test_a_process_that_is_stopped_before_it_sends_does_not_break_the_budget(
    database_url: str, make_throttle: MakeThrottle
) -> None:
    out = SPAWN.Queue()
    stopped = SPAWN.Process(target=stop_before_sending, args=(database_url, 12, out))
    stopped.start()
    assert stopped.pid is not None
    _, status = os.waitpid(stopped.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    throttle, arrived = make_throttle(), list[Arrived]()
    resume = threading.Timer(1.6, os.kill, (stopped.pid, signal.SIGCONT))
    resume.start()
    end = time.monotonic() + 2.4
    while time.monotonic() < end:
        arrived.append(request(throttle, BUDGET, 3))
    late = out.get(timeout=30)
    stopped.join()
    # While it stood still the others used what was left, and no more.
    before = [each for each in arrived if each[0] < late[0]]
    assert find_most(before, BUDGET.window_ms / 1000) == BUDGET.weight - late[1]
    assert find_most([*arrived, late], BUDGET.window_ms / 1000) <= BUDGET.weight
    # Once it is answered, the whole budget is there again.
    throttle.take(BUDGET, BUDGET.weight)


def test_turns_are_taken_in_the_order_of_asking_so_heavy_requests_are_not_starved(make_throttle: MakeThrottle) -> None:
    throttle, others = make_throttle(), make_throttle()
    heavy = Budget("exchange/heavy@direct", 30, 400)
    stop = threading.Event()

    def spend_lightly() -> None:
        while not stop.is_set():
            request(others, heavy, 4)

    with ThreadPoolExecutor(6) as pool:
        for _ in range(6):
            pool.submit(spend_lightly)
        try:
            asked = time.monotonic()
            for _ in range(3):
                request(throttle, heavy, 30)
            took = time.monotonic() - asked
        finally:
            stop.set()
    # Each waits at most for the window to empty and for those that asked before it.
    assert took < 3 * 2 * 0.4 + 1.0


def test_a_request_heavier_than_the_whole_budget_is_one_clear_line(make_throttle: MakeThrottle) -> None:
    throttle = make_throttle()
    with pytest.raises(VendorBroken) as raised:
        throttle.take(BUDGET, BUDGET.weight + 1)
    assert str(raised.value) == "a request of weight 31 never fits into 30 of exchange/pool@direct"
    throttle.take(BUDGET, BUDGET.weight)


def test_a_queue_longer_than_the_patience_is_refused_and_spends_nothing(
    make_throttle: MakeThrottle, conn: Connection
) -> None:
    slow = Budget("exchange/slow@direct", 1, 2 * PATIENCE_MS)
    throttle = make_throttle()
    throttle.settle(throttle.take(slow))
    with pytest.raises(VendorBusy, match=f"the budget of {slow.name} is spent for the next") as raised:
        throttle.take(slow)
    assert raised.value.retry_after_ms is None
    assert count_requests(conn, slow) == 1


def test_an_open_circuit_refuses_everywhere_and_says_what_is_left(make_throttle: MakeThrottle) -> None:
    one, another = make_throttle(), make_throttle()
    one.take(BUDGET)
    one.open_circuit(BUDGET, 60_000, "418, banned")
    for throttle in (one, another):
        with pytest.raises(
            VendorBusy, match=r"no request to exchange/pool@direct for (60|59|58) s: 418, banned"
        ) as raised:
            throttle.take(BUDGET)
        assert raised.value.retry_after_ms == pytest.approx(59_000, abs=1_000)


@pytest.mark.parametrize("reason", ["banned \ud83d", "banned \0", "\x1b[31mbanned\n"])
def test_a_circuit_opens_for_whatever_reason_it_is_given(make_throttle: MakeThrottle, reason: str) -> None:
    throttle = make_throttle()
    throttle.open_circuit(BUDGET, 60_000, reason)
    with pytest.raises(VendorBusy, match="banned") as raised:
        throttle.take(BUDGET)
    assert str(raised.value).isprintable()


def test_a_circuit_is_over_after_its_time(make_throttle: MakeThrottle) -> None:
    one, another = make_throttle(), make_throttle()
    opened = time.monotonic()
    one.open_circuit(BUDGET, 400, "418, banned")
    another.take(BUDGET)
    assert 0.4 <= time.monotonic() - opened < 3


def test_a_circuit_that_opens_while_requests_wait_refuses_them(make_throttle: MakeThrottle, conn: Connection) -> None:
    crowded = Budget("exchange/crowded@direct", 1, 1_500)
    throttle, waiting = make_throttle(), make_throttle()
    throttle.settle(throttle.take(crowded))
    with ThreadPoolExecutor(1) as pool:
        refused = pool.submit(waiting.take, crowded)
        wait_for(lambda: count_requests(conn, crowded, "waiting") == 1)
        throttle.open_circuit(crowded, 60_000, "418, banned")
        with pytest.raises(VendorBusy, match="418, banned"):
            refused.result(30)
    assert count_requests(conn, crowded, "waiting") == 0


def test_a_longer_circuit_stands_against_a_shorter_one(make_throttle: MakeThrottle) -> None:
    throttle = make_throttle()
    throttle.open_circuit(BUDGET, 60_000, "the long one")
    throttle.open_circuit(BUDGET, 20_000, "the short one")
    with pytest.raises(VendorBusy, match="the long one"):
        throttle.take(BUDGET)
    throttle.open_circuit(BUDGET, 90_000, "the longest one")
    with pytest.raises(VendorBusy, match="the longest one") as raised:
        throttle.take(BUDGET)
    assert raised.value.retry_after_ms == pytest.approx(89_000, abs=1_000)


def test_a_count_below_nine_tenths_does_nothing(make_throttle: MakeThrottle, conn: Connection) -> None:
    throttle = make_throttle()
    throttle.note_used(WIDE, int(FULL_AT * WIDE.weight) - 1)
    throttle.take(WIDE)
    assert read_block_end_ms(conn, WIDE) is None


def test_a_count_above_nine_tenths_stops_until_the_fixed_window_ends(
    make_throttle: MakeThrottle, conn: Connection
) -> None:
    throttle = make_throttle()
    before_ms = read_database_ms(conn)
    throttle.note_used(WIDE, int(FULL_AT * WIDE.weight))
    after_ms = read_database_ms(conn)
    end_ms = read_block_end_ms(conn, WIDE)
    assert end_ms is not None
    assert end_ms % WIDE.window_ms == 0
    assert before_ms < end_ms <= after_ms + WIDE.window_ms
    throttle.take(WIDE)
    assert read_database_ms(conn) >= end_ms
    longer = Budget("exchange/longer@direct", 1_000, 86_400_000)
    throttle.note_used(longer, 1_000)
    with pytest.raises(VendorBusy, match="it counts 1000 of 1000 as used"):
        throttle.take(longer)


def test_budgets_do_not_touch_each_other(make_throttle: MakeThrottle) -> None:
    throttle = make_throttle()
    throttle.take(BUDGET, BUDGET.weight)
    throttle.open_circuit(BUDGET, 60_000, "418, banned")
    began = time.monotonic()
    throttle.take(WIDE, WIDE.weight)
    assert time.monotonic() - began < 0.5


def test_a_broken_connection_is_said_once_and_replaced(
    make_throttle: MakeThrottle, postgres: Any, database_url: str
) -> None:
    throttle = make_throttle()
    ticket = throttle.take(WIDE)
    break_throttles(postgres, database_url)
    with pytest.raises(DatabaseUnavailable) as raised:
        throttle.take(WIDE)
    assert "\n" not in str(raised.value)
    throttle.settle(throttle.take(WIDE))
    break_throttles(postgres, database_url)
    # An answer that is there is not lost because it can't be settled.
    throttle.settle(ticket)
    throttle.take(WIDE)


def test_what_a_dead_process_left_behind_is_forgotten(make_throttle: MakeThrottle, conn: Connection) -> None:
    throttle = make_throttle()
    throttle.take(BUDGET, BUDGET.weight)
    conn.execute("update rate_request set since = since - interval '30 s'")
    conn.commit()
    throttle.take(BUDGET, BUDGET.weight)
    assert count_requests(conn, BUDGET) == 1


def test_answers_are_told_with_the_next_question_or_when_nothing_is_on_its_way(
    make_throttle: MakeThrottle, conn: Connection
) -> None:
    throttle = make_throttle()
    first, second, third = (throttle.take(WIDE) for _ in range(3))
    throttle.settle(first)
    assert (count_requests(conn, WIDE, "sent"), count_requests(conn, WIDE, "answered")) == (3, 0)
    fourth = throttle.take(WIDE)
    assert (count_requests(conn, WIDE, "sent"), count_requests(conn, WIDE, "answered")) == (3, 1)
    for ticket in (second, third, fourth):
        throttle.settle(ticket)
    assert (count_requests(conn, WIDE, "sent"), count_requests(conn, WIDE, "answered")) == (0, 4)


def test_an_answer_is_told_before_its_process_waits_for_a_turn(make_throttle: MakeThrottle, conn: Connection) -> None:
    throttle, narrow = make_throttle(), Budget("exchange/narrow@direct", 1, 700)
    throttle.settle(throttle.take(narrow))
    other = throttle.take(WIDE)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(throttle.take, narrow)
        wait_for(lambda: count_requests(conn, narrow, "waiting") == 1)
        throttle.settle(other)
        wait_for(lambda: count_requests(conn, WIDE, "answered") == 1)
        assert not waiting.done()
        throttle.settle(waiting.result())


def test_threads_share_a_throttle(make_throttle: MakeThrottle) -> None:
    throttle = make_throttle()
    threads_budget = Budget("exchange/threads@direct", 20, 300)
    with ThreadPoolExecutor(16) as pool:
        arrived = list(pool.map(lambda _: request(throttle, threads_budget, 1), range(120)))
    assert find_most(arrived, 0.3) <= 20
    span_s = max(at for at, _ in arrived) - min(at for at, _ in arrived)
    assert span_s < 1.5 * (120 / 20 - 1) * 0.3 + 0.5


def wait_for(condition: Callable[[], bool], timeout_s: float = 10) -> None:
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def count_requests(conn: Connection, budget: Budget, phase: str | None = None) -> int:
    statement = "select count(*) from rate_request where budget = %s and phase = coalesce(%s, phase)"
    [count] = fetch_one(conn, statement, [budget.name, phase])
    return int(count)


def read_database_ms(conn: Connection) -> float:
    return float(fetch_one(conn, "select extract(epoch from clock_timestamp()) * 1000")[0])


def read_block_end_ms(conn: Connection, budget: Budget) -> float | None:
    statement = "select extract(epoch from blocked_until) * 1000 from rate_budget where budget = %s"
    end_ms = fetch_one(conn, statement, [budget.name])[0]
    return None if end_ms is None else float(end_ms)


def fetch_one(conn: Connection, statement: Any, parameters: Sequence[object] = ()) -> tuple[Any, ...]:
    row = conn.execute(statement, parameters).fetchone()
    conn.commit()
    assert row is not None
    return row


def break_throttles(postgres: Any, database_url: str) -> None:
    """End every throttle's connection, and wait until it is gone."""
    named = "from pg_stat_activity where application_name = 'series throttle' and datname = current_database()"
    admin_url = urlsplit(postgres.admin_url)._replace(path=urlsplit(database_url).path).geturl()
    with psycopg.connect(admin_url, autocommit=True) as admin:
        ended = admin.execute(f"select pg_terminate_backend(pid, 5000) {named}").fetchall()
    assert ended == [(True,)]
