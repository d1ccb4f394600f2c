"""What a lane's writer does when its database is in trouble: nothing is lost, doubled, or blamed on the wrong page."""

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import psycopg
import pytest

from series_pipelines.app.clock import SystemClock
from series_pipelines.app.settings import load_settings
from series_pipelines.core.duration import DAY_MS
from series_pipelines.core.ranges import Range
from series_pipelines.errors import DatabaseExhausted, DatabaseUnavailable, StoreError
from series_pipelines.ingest.lane.lane import run_lane
from series_pipelines.ingest.lane.order import LaneOrder, LaneTools
from series_pipelines.ingest.ledger.append import Author
from series_pipelines.ingest.pages.check import Page
from series_pipelines.ingest.pages.outcome import judge_page
from series_pipelines.ingest.planning.cadence import bar_cadence
from series_pipelines.ingest.planning.requests import Fetch
from series_pipelines.ingest.storing import states
from series_pipelines.ingest.storing.commit import Finished, commit_group
from series_pipelines.ingest.storing.writer import Writer, Written
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.postgres.embedded.server import EmbeddedPostgres, start_embedded
from series_pipelines.postgres.locks import own_series
from series_pipelines.vendors.contract import Limits
from series_pipelines.vendors.services import format_cap_key
from tests.support.bars import make_bar
from tests.support.cli_results import Run, read_error, succeed
from tests.support.databases import HOME_PREFIX, Server, migrate_database
from tests.support.simulation import NOON_MS, MovableClock, World, make_product, make_vendor

MINUTE = 60_000
START = NOON_MS - 10_000 * MINUTE
A, B, C = SERIES = ("SIM/A/PT1M", "SIM/B/PT1M", "SIM/C/PT1M")
CAP = format_cap_key("IngestOHLC", "SIM/", "backward")
AUTHOR = Author(CAP, lane="lane", direction="backward", run_id="run")
NUMBERS = itertools.count()
SMALL_DISK = "160m"


def bar(index: int, close: str = "1.5") -> tuple[Any, ...]:
    created = START + index * MINUTE
    return make_bar(created, created + MINUTE, "1.5", "2", "1", close, "3")


@dataclass
class Desk:
    """A world, and writers that work in it."""

    world: World
    url: str
    written: list[Written] = field(default_factory=list)
    broken: list[BaseException] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    heard: threading.Event = field(default_factory=threading.Event)

    def open_writer(self, patience_ms: int = 60_000, **settings: Any) -> Writer:
        def hear(why: str) -> None:
            self.waiting.append(why)
            self.heard.set()

        clock = SystemClock()
        until_ms = clock.now_ms() + patience_ms
        make = lambda: connect(self.url, purpose="lane writer", **settings)  # noqa: E731
        return Writer(make, "ohlc_v2", AUTHOR, clock, until_ms, self.written.extend, self.broken.append, hear)

    def finish(self, series_id: str, rows: Sequence[tuple[Any, ...]]) -> Finished:
        """Make an attempt that brought these rows."""
        facts = states.read_facts(self.world.conn, "ohlc_v2", series_ids=[series_id])[0]
        self.world.conn.commit()
        page = Page(list(rows), Range(START, START + len(rows) * MINUTE), len(rows))
        fetch = Fetch("head", "head", NOON_MS, "test")
        outcome = judge_page(facts, fetch, page, bar_cadence("PT1M", 0), NOON_MS)
        return Finished(facts, fetch, NOON_MS, page, outcome, next(NUMBERS))

    def count_stored(self) -> dict[str, int]:
        """Return how many rows each series has; each must have one event a page too."""
        with connect(self.url, purpose="test") as conn:
            rows = conn.execute("select series_id, count(*) from ohlc_v2 group by 1 order by 1").fetchall()
            events = conn.execute("select count(*) from ing_cursor_event").fetchone()
        assert events == (len(rows),)
        return dict(rows)  # type: ignore[arg-type]

    def read_failures(self) -> dict[str, str]:
        with connect(self.url, purpose="test") as conn:
            rows = conn.execute("select series_id, last_error from series_state where failures > 0").fetchall()
        return dict(rows)  # type: ignore[arg-type]


def open_desk(url: str) -> Desk:
    clock = MovableClock()
    products = [make_product(f"SIM/{name}", START) for name in "ABC"]
    return Desk(World(url, [make_vendor(clock, products)], clock), url)


@pytest.fixture
def desk(database_url: str) -> Iterator[Desk]:
    opened = open_desk(database_url)
    yield opened
    opened.world.close()


def wait_for(condition: Callable[[], bool], timeout_s: float = 60) -> None:
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def find_blocked(conn: Connection) -> list[tuple[int, object]]:
    """Return which backends of writers wait for a lock, and since when their transactions run."""
    found = conn.execute(
        "select pid, xact_start from pg_stat_activity where datname = current_database() "
        "and application_name = 'series lane writer' and wait_event_type = 'Lock'"
    ).fetchall()
    conn.commit()
    return found  # type: ignore[return-value]


def add_option(url: str, option: str) -> str:
    return urlsplit(url)._replace(query=f"options={quote(f'-c {option}')}").geturl()


def test_a_deadlock_is_resolved_by_committing_the_group_again(desk: Desk, conn: Connection) -> None:
    attempt = desk.finish(A, [bar(0), bar(1)])
    with connect(desk.url, purpose="rival") as rival:
        rival.execute("update series_state set failures = failures where series_id = %s", [A])
        writer = desk.open_writer()
        writer.submit(attempt)
        # The writer has the series' lock and waits for its state; who began to wait first is the one that gives way.
        wait_for(lambda: bool(find_blocked(conn)))
        own_series(rival, "ohlc_v2", [A])
        rival.commit()
    writer.close()
    assert (desk.broken, desk.waiting) == ([], [])
    assert [each.finished is attempt for each in desk.written] == [True]
    assert (desk.count_stored(), desk.read_failures()) == ({A: 2}, {})


def test_a_lock_timeout_is_tried_again_until_the_lock_is_free(desk: Desk, conn: Connection) -> None:
    attempt = desk.finish(A, [bar(0)])
    seen: set[object] = set()

    def has_tried_again() -> bool:
        seen.update(begun for _, begun in find_blocked(conn))
        return len(seen) >= 2

    with connect(desk.url, purpose="rival") as rival:
        own_series(rival, "ohlc_v2", [A])
        desk.url = add_option(desk.url, "lock_timeout=150")
        writer = desk.open_writer()
        writer.submit(attempt)
        wait_for(has_tried_again)
        rival.commit()
    writer.close()
    assert desk.broken == []
    assert (desk.count_stored(), desk.read_failures()) == ({A: 1}, {})


def test_a_serialization_failure_is_tried_again(desk: Desk, conn: Connection) -> None:
    attempt = desk.finish(A, [bar(0)])
    with connect(desk.url, purpose="rival") as rival:
        own_series(rival, "ohlc_v2", [A])
        desk.url = add_option(desk.url, r"default_transaction_isolation=repeatable\ read")
        writer = desk.open_writer()
        writer.submit(attempt)
        # It has its snapshot, in which the state is older than the one that is committed now.
        wait_for(lambda: bool(find_blocked(conn)))
        rival.execute("update series_state set shown_at = now() where series_id = %s", [A])
        rival.commit()
    writer.close()
    assert desk.broken == []
    assert (desk.count_stored(), desk.read_failures()) == ({A: 1}, {})


def test_a_page_that_takes_too_long_fails_alone(desk: Desk) -> None:
    commit_group(desk.world.conn, "ohlc_v2", AUTHOR, [desk.finish(B, [bar(0)])])
    good, slow, other = (desk.finish(each, [bar(0, "1.75"), bar(1)]) for each in SERIES)
    with connect(desk.url, purpose="rival") as rival:
        rival.execute("select from ohlc_v2 where series_id = %s for update", [B])
        writer = desk.open_writer(statement_timeout_ms=300)
        for attempt in (good, slow, other):
            writer.submit(attempt)
        writer.close()
    assert desk.broken == []
    assert desk.count_stored() == {A: 2, B: 1, C: 2}
    assert set(desk.read_failures()) == {B}
    assert "gave up on a statement: canceling statement due to statement timeout" in desk.read_failures()[B]


def test_backends_that_are_terminated_amid_commits_lose_and_double_nothing(
    desk: Desk, conn: Connection, postgres: Server
) -> None:
    admin_url = urlsplit(postgres.admin_url)._replace(path=urlsplit(desk.url).path).geturl()
    writer = desk.open_writer()
    with psycopg.connect(admin_url, autocommit=True) as admin, connect(desk.url, purpose="rival") as rival:
        for series_id in SERIES:
            rival.execute("update series_state set failures = failures where series_id = %s", [series_id])
            writer.submit(desk.finish(series_id, [bar(0), bar(1)]))
            wait_for(lambda: bool(find_blocked(conn)))
            [(pid, _)] = find_blocked(conn)
            assert admin.execute("select pg_terminate_backend(%s, 5000)", [pid]).fetchone() == (True,)
            wait_for(lambda: [other for other, _ in find_blocked(conn)] not in ([], [pid]))  # noqa: B023
            rival.commit()
            wait_for(lambda: len(desk.written) == SERIES.index(series_id) + 1)  # noqa: B023
    writer.close()
    assert desk.broken == []
    assert (desk.count_stored(), desk.read_failures()) == ({A: 2, B: 2, C: 2}, {})


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (bar(1, "1\ud83d5"), "surrogates not allowed"),
        (bar(1, "1\x005"), "invalid byte sequence"),
        (bar(1, "one"), "invalid input syntax for type numeric"),
        ((NOON_MS, 10**18, *bar(1)[2:]), "is no time in milliseconds that can be stored"),
        (bar(1)[:3], "zip()"),
        ((object(), *bar(1)[1:]), "TypeError"),
    ],
)
def test_a_page_that_can_not_be_stored_fails_its_own_series_for_whatever_reason(
    desk: Desk, row: tuple[Any, ...], why: str
) -> None:
    writer = desk.open_writer()
    good, bad, other = (desk.finish(each, [bar(0), bar(1)]) for each in SERIES)
    assert bad.page is not None
    bad.page.rows[1] = row  # type: ignore[index]
    for attempt in (good, bad, other):
        writer.submit(attempt)
    writer.close()
    assert desk.broken == []
    assert desk.count_stored() == {A: 2, C: 2}
    assert set(desk.read_failures()) == {B}
    text = desk.read_failures()[B]
    assert text.startswith("the page can't be stored: ")
    assert why in text
    assert text.isprintable()


def test_a_series_of_which_not_even_a_failure_can_be_stored_is_named(
    desk: Desk, conn: Connection, owner: Connection
) -> None:
    attempt = desk.finish(B, [bar(0)])
    owner.execute("create function refuse() returns trigger language plpgsql as $$begin raise 'out of order'; end$$")
    owner.execute("create trigger refuse before update on series_state for each row execute function refuse()")
    writer = desk.open_writer()
    writer.submit(attempt)
    writer.close()
    [broken] = desk.broken
    assert type(broken) is StoreError
    assert str(broken) == f"not even a failure of {B} can be stored: the database refused: out of order"
    # The capability says it too, for whoever looks at a lane that comes to nothing.
    assert conn.execute("select last_error from capability_state").fetchone() == (str(broken),)


def test_a_database_that_is_gone_ends_the_writer_with_one_line(desk: Desk, postgres: Server) -> None:
    attempt = desk.finish(A, [bar(0)])
    writer = desk.open_writer(patience_ms=500)
    desk.world.close()
    database = urlsplit(desk.url).path.removeprefix("/")
    with psycopg.connect(postgres.admin_url, autocommit=True) as admin:
        admin.execute(f"alter database {database} with allow_connections false")
        admin.execute("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = %s", [database])
        writer.submit(attempt)
        wait_for(lambda: bool(desk.broken))
        admin.execute(f"alter database {database} with allow_connections true")
    writer.close()
    assert [type(error) for error in desk.broken] == [DatabaseUnavailable]
    assert "\n" not in str(desk.broken[0])


@contextmanager
def run_server(home: Path) -> Iterator[EmbeddedPostgres]:
    server = start_embedded(home)
    try:
        migrate_database(server.owner_url, server.url)
        yield server
    finally:
        server.close()


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder that the server's user can reach."""
    folder = Path(tempfile.mkdtemp(prefix=HOME_PREFIX))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_a_server_that_restarts_under_a_writer_is_waited_for(home: Path) -> None:
    with run_server(home) as server:
        desk = open_desk(server.url)
        attempts = [desk.finish(series_id, [bar(0), bar(1)]) for series_id in SERIES]
        writer = desk.open_writer()
        row = desk.world.conn.execute("select pg_backend_pid()").fetchone()
        assert row is not None
        # A backend that is killed takes all others with it, and the server recovers before it lets anybody in.
        os.kill(int(row[0]), signal.SIGKILL)  # type: ignore[call-overload]
        desk.world.conn.close()
        for attempt in attempts:
            writer.submit(attempt)
        wait_for(lambda: len(desk.written) == 3 or bool(desk.broken))
        writer.close()
        assert desk.broken == []
        assert (desk.count_stored(), desk.read_failures()) == ({A: 2, B: 2, C: 2}, {})


@pytest.fixture
def small_disk(home: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK},mode=755", "tmpfs", str(home)],
        capture_output=True,
        text=True,
    )
    if mounted.returncode != 0:
        pytest.skip(f"no small disk can be mounted: {mounted.stderr.strip()}")
    yield home
    # The server's guard may still be closing its files.
    subprocess.run(["umount", "--lazy", str(home)], check=True)


def fill(disk: Path) -> Path:
    """Leave no room on a disk; return what takes it."""
    ballast = disk / "ballast"
    with open(ballast, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1 << 16))
        except OSError:
            return ballast


def test_a_full_disk_is_said_and_waited_for_and_nothing_is_lost(small_disk: Path) -> None:
    with run_server(small_disk) as server:
        desk = open_desk(server.url)
        attempts = [desk.finish(series_id, [bar(index) for index in range(2_000)]) for series_id in SERIES]
        writer = desk.open_writer()
        ballast = fill(small_disk)
        for attempt in attempts:
            writer.submit(attempt)
        assert desk.heard.wait(60)
        with connect(server.url, purpose="test") as conn:
            last_error = conn.execute("select last_error from capability_state").fetchone()
        ballast.unlink()
        wait_for(lambda: len(desk.written) == 3 or bool(desk.broken))
        writer.close()
        assert desk.broken == []
        assert "nothing is stored now, trying again in 1 s: the database has no room: " in desk.waiting[0]
        assert last_error == (desk.waiting[0],)
        assert (desk.count_stored(), desk.read_failures()) == ({A: 2_000, B: 2_000, C: 2_000}, {})
        desk.world.close()


class VendorsClock(SystemClock):
    def __call__(self) -> int:
        return self.now_ms()


@pytest.mark.parametrize("by_person", [True, False])
@pytest.mark.parametrize("requests", [None, 1_000])
def test_a_lane_goes_on_when_its_full_disk_has_room_again(
    small_disk: Path, requests: int | None, by_person: bool
) -> None:
    with run_server(small_disk) as server:
        clock, heard = VendorsClock(), threading.Event()
        products = [make_product(f"SIM/{name}", clock.now_ms() - 3 * DAY_MS) for name in "ABCD"]
        limits = Limits(requests=requests)
        vendor = make_vendor(clock, products, page_rows=1_000, limits=limits)  # type: ignore[arg-type]
        world = World(server.url, [vendor], clock)  # type: ignore[arg-type]
        tools = LaneTools(world.connect, clock, say=lambda why: heard.set())
        ballast = fill(small_disk)
        with ThreadPoolExecutor(1) as pool:
            catalogue = world.registry.read()
            # A sensor's lane waits for what is due next as long as its shift lasts.
            order = LaneOrder(by_person=by_person, shift_ms=60_000 if by_person else 20_000)
            report = pool.submit(run_lane, tools, vendor, catalogue.capabilities[CAP], order)
            assert heard.wait(60)
            ballast.unlink()
            done = report.result(60)
        rows = dict(world.conn.execute("select series_id, count(*) from ohlc_v2 group by 1").fetchall())  # type: ignore
        world.close()
        assert done.failed == {}
        assert done.ended in (
            ("nothing more is due",) if by_person else ("the shift is over", "nothing more is due inside the shift")
        )
        assert set(rows) == {f"SIM/{name}/PT1M" for name in "ABCD"}
        assert min(rows.values()) >= 3 * 24 * 60 - 2


def test_a_writer_that_is_to_end_waits_no_longer_for_room(small_disk: Path) -> None:
    with run_server(small_disk) as server:
        desk = open_desk(server.url)
        attempt = desk.finish(A, [bar(index) for index in range(2_000)])
        writer = desk.open_writer(patience_ms=3_600_000)
        fill(small_disk)
        writer.submit(attempt)
        assert desk.heard.wait(60)
        writer.close()
        assert [type(error) for error in desk.broken] == [DatabaseExhausted]
        assert desk.count_stored() == {}
        desk.world.close()


def test_errors_of_the_database_are_one_line_each_at_a_prompt(
    run: Run, conn: Connection, postgres: Server, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    succeed(run("products"))
    monkeypatch.setenv("SERIES_DATABASE_URL", add_option(database_url, "lock_timeout=100"))
    load_settings.cache_clear()
    conn.execute("lock table series_state in access exclusive mode")
    line = read_error(run("coverage"), 1)
    assert line == "series: error: other work in the database was in the way: canceling statement due to lock timeout"
    conn.rollback()
    parts = urlsplit(database_url)
    with psycopg.connect(urlsplit(postgres.admin_url)._replace(path=parts.path).geturl(), autocommit=True) as admin:
        admin.execute(f"revoke all on series_state from {parts.username}")
    line = read_error(run("coverage"), 1)
    assert line == "series: error: the database does not permit it: permission denied for table series_state"
