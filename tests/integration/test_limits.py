"""One budget for all processes: never more grants than allowed in any window, and each gets its share."""

import multiprocessing
import time

from series_pipelines.store import limits
from series_pipelines.store.connection import Connection, connect

REQUESTS, WINDOW_MS = 10, 500


def spend(url: str, seconds: float, out: "multiprocessing.Queue[list[float]]") -> None:
    times = []
    with connect(url, purpose="test", autocommit=True) as conn:
        end = time.time() + seconds
        while time.time() < end:
            wait_ms = limits.reserve_slot(conn, "vendor", REQUESTS, WINDOW_MS, 10_000)
            time.sleep((wait_ms or 0) / 1000)
            times.append(time.time())
    out.put(times)


def test_four_processes_share_a_budget_evenly_and_never_exceed_it(database_url: str) -> None:
    context = multiprocessing.get_context("spawn")
    out: multiprocessing.Queue[list[float]] = context.Queue()
    workers = [context.Process(target=spend, args=(database_url, 4.0, out)) for _ in range(4)]
    for worker in workers:
        worker.start()
    shares = [out.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    times = sorted(moment for share in shares for moment in share)
    most = max(sum(1 for other in times if 0 <= other - moment < WINDOW_MS / 1000) for moment in times)
    assert most <= REQUESTS
    assert len(times) >= 4 * REQUESTS
    together = [len([m for m in share if m > max(s[0] for s in shares)]) for share in shares]
    assert min(together) >= 0.5 * max(together)


def test_over_the_patience_nothing_is_spent(conn: Connection) -> None:
    for _ in range(REQUESTS):
        assert limits.reserve_slot(conn, "vendor", REQUESTS, 60_000, 0) == 0
    assert limits.reserve_slot(conn, "vendor", REQUESTS, 60_000, 1_000) is None
    assert conn.execute("select count(*) from rate_grant").fetchone() == (REQUESTS,)


def test_budgets_do_not_touch_each_other(conn: Connection) -> None:
    for _ in range(REQUESTS):
        limits.reserve_slot(conn, "one", REQUESTS, 60_000, 0)
    assert limits.reserve_slot(conn, "another", REQUESTS, 60_000, 0) == 0
