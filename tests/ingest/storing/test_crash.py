"""kill -9 at random points loses nothing and invents nothing: rows and ranges are those of an uncrashed run."""

import os
import random
import signal
import subprocess
import sys

from series_pipelines.core.duration import DAY_MS, HOUR_MS
from series_pipelines.ingest.lane.order import LaneOrder
from series_pipelines.ingest.storing import ranges
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.vendors.contract import Direction, Vendor
from series_pipelines.vendors.services import format_cap_key
from tests.support.databases import Server
from tests.support.places import PROJECT
from tests.support.simulation import NOON_MS, MovableClock, World, make_product, make_vendor

CRASHES = 30
DIRECTIONS: tuple[Direction, ...] = ("backward", "forward")


def make_vendors(clock: MovableClock) -> list[Vendor]:
    return [
        make_vendor(
            clock,
            [make_product(f"{direction}/{name}", NOON_MS - 5 * DAY_MS) for name in "AB"],
            name=direction,
            prefix=f"{direction}/",
            direction=direction,
            page_rows=20,
            durations=("PT5M", "PT1H"),
        )
        for direction in DIRECTIONS
    ]


def work(url: str, order: int) -> None:
    """Run in the process that is killed: lanes over both capabilities, a line for each committed page."""
    clock = MovableClock()
    world = World(url, make_vendors(clock), clock, lambda _: print("page", flush=True))
    for direction in DIRECTIONS[order % 2 :] + DIRECTIONS[: order % 2]:
        world.run(format_cap_key("IngestOHLC", f"{direction}/", direction), LaneOrder(shift_ms=HOUR_MS, by_person=True))
    world.close()
    print("done", flush=True)


def crash(url: str, order: int, after_pages: int) -> bool:
    """Kill a worker after some pages; True when it was done before."""
    worker = subprocess.Popen(
        [sys.executable, "-c", f"from {__name__} import work; work({url!r}, {order})"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )
    assert worker.stdout is not None
    for _ in range(after_pages):
        if worker.stdout.readline().strip() == "done":
            break
    worker.send_signal(signal.SIGKILL)
    rest = worker.communicate()[0]
    return "done" in rest


def read_all(conn: Connection) -> tuple[object, object]:
    rows = conn.execute(
        "select series_id, created_at, closed_at, open, high, low, close, volume from ohlc_v2 order by 1, 2"
    )
    found = rows.fetchall()
    ranges.compact(conn, "ohlc_v2")
    stored = conn.execute("select * from series_data_range order by 1, 2, 3, 4").fetchall()
    conn.commit()
    return found, stored


def test_after_thirty_crashes_rows_and_ranges_are_those_of_an_uncrashed_run(
    database_url: str, postgres: Server, template: str
) -> None:
    from tests.support.databases import create_database

    chance = random.Random(7)
    for order in range(CRASHES):
        crash(database_url, order, chance.randint(1, 12))
    work(database_url, 0)
    for url in create_database(postgres, template):
        work(url, 0)
        with connect(database_url, purpose="test") as crashed, connect(url, purpose="test") as whole:
            rows, stored = read_all(crashed)
            expected_rows, expected_ranges = read_all(whole)
    assert len(expected_rows) > 4 * 5 * 24 * 12  # type: ignore[arg-type]
    assert rows == expected_rows
    assert stored == expected_ranges
