"""Migrations: once each, in order, together or alone; a changed file is refused by name."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from series_pipelines.errors import DatabaseUnavailable, MigrationRefused
from series_pipelines.ingest.ledger import audit as ledger
from series_pipelines.ingest.storing import states
from series_pipelines.postgres.connection import connect
from series_pipelines.postgres.migrate import migrate
from series_pipelines.postgres.queries import find_sql_folder
from tests.support.databases import Server, create_database, migrate_database, replace_database


@pytest.fixture
def empty_url(postgres: Server, template: str) -> Iterator[str]:
    for url in create_database(postgres, "template0"):
        yield replace_database(postgres.owner_url, urlsplit(url).path.removeprefix("/"))


@pytest.fixture
def sql(tmp_path: Path) -> Path:
    shutil.copytree(find_sql_folder(), tmp_path / "sql")
    return tmp_path / "sql"


@pytest.fixture
def folder(sql: Path) -> Path:
    return sql / "ingest" / "migrations"


def test_migrations_are_applied_once_in_name_order(empty_url: str, folder: Path) -> None:
    names = [f"ingest/{file.name}" for file in sorted(folder.glob("*.sql"))]
    with connect(empty_url, purpose="test") as conn:
        assert migrate(conn, folder.parents[1]) == names
        assert migrate(conn, folder.parents[1]) == []


def test_five_processes_that_start_together_apply_each_once(empty_url: str, folder: Path) -> None:
    applied: list[str] = []
    failures: list[BaseException] = []
    barrier = threading.Barrier(5)

    def start() -> None:
        try:
            with connect(empty_url, purpose="test") as conn:
                barrier.wait()
                applied.extend(migrate(conn, folder.parents[1]))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=start) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert sorted(applied) == sorted(f"ingest/{file.name}" for file in folder.glob("*.sql"))


def test_a_changed_file_is_refused_by_name(empty_url: str, folder: Path) -> None:
    with connect(empty_url, purpose="test") as conn:
        migrate(conn, folder.parents[1])
        (folder / "0002_cursors.sql").write_text("select 1;")
        with pytest.raises(MigrationRefused, match=r"0002_cursors\.sql was changed"):
            migrate(conn, folder.parents[1])


def test_a_migration_that_fails_leaves_nothing_behind(empty_url: str, folder: Path) -> None:
    (folder / "9999_broken.sql").write_text("create table half (x int); select 1 / 0;")
    with connect(empty_url, purpose="test") as conn:
        with pytest.raises(psycopg.Error):
            migrate(conn, folder.parents[1])
        assert conn.execute("select to_regclass('half')").fetchone() == (None,)
        (folder / "9999_broken.sql").unlink()
        assert migrate(conn, folder.parents[1]) == []


def test_a_dead_database_is_one_line_without_its_password() -> None:
    with pytest.raises(DatabaseUnavailable) as caught:
        connect("postgresql://someone:hush-hush@127.0.0.1:1/nothing", purpose="test")
    message = str(caught.value)
    assert "127.0.0.1:1/nothing can't be reached" in message
    assert "hush" not in message
    assert "\n" not in message


def test_a_ledger_from_before_namespaces_is_kept_and_verified(empty_url: str, folder: Path, tmp_path: Path) -> None:
    before = tmp_path / "before" / "ingest" / "migrations"
    before.mkdir(parents=True)
    for file in folder.glob("000[1-6]*.sql"):
        shutil.copy(file, before)
    with connect(empty_url, purpose="test") as conn:
        migrate(conn, before.parents[1])
        for operation, direction, moves in (("HARVEST", "FORWARD", (5, 9)), ("BACKFILL", "BACKFILL", (4, 1))):
            conn.execute(
                "insert into ing_cursor (series_id, table_name, operation, value) values "
                "('A/PT1M', 'ohlc_v2', %s, to_timestamp(%s))",
                [operation, moves[-1]],
            )
            for prev, new in zip((None, *moves), moves, strict=False):
                conn.execute(
                    "insert into ing_cursor_event (series_id, table_name, operation, direction, prev_value, new_value, "
                    "reason, cap_key, request_time, row_count) values ('A/PT1M', 'ohlc_v2', %s, %s, to_timestamp(%s), "
                    "to_timestamp(%s), 'advanced', 'cap', now(), 3)",
                    [operation, direction, prev, new],
                )
        conn.commit()
        migrate(conn, folder.parents[1])
        held = {entry.namespace.operation: entry.value.position for entry in ledger.list_cursors(conn)}
        assert held == {"HARVEST": 9_000, "BACKFILL": 1_000}
        found = ledger.verify(conn)
        assert (found.problems, found.events) == ([], 4)


def test_a_database_from_before_domains_keeps_all_it_has(postgres: Server, template: str, empty_url: str) -> None:
    tables = ("ohlc_v2", "interest_rate", "series_data_range", "series_state", "product", "ing_cursor_event")
    with psycopg.connect(empty_url, autocommit=True) as owner:
        owner.execute(Path(__file__).with_name("before_domains.sql").read_bytes())
    with connect(empty_url, purpose="test") as conn:
        told = {table: conn.execute(f"select * from {table} order by 1, 2") for table in tables}
        columns = {table: ", ".join(column.name for column in told[table].description or ()) for table in tables}
        before = {table: told[table].fetchall() for table in tables}
        assert [len(before[table]) for table in tables] == [598, 199, 2, 21, 4, 4]
    database = urlsplit(empty_url).path.removeprefix("/")
    migrate_database(empty_url, replace_database(postgres.url, database))
    with connect(replace_database(postgres.url, database), purpose="test") as conn:
        for table in ("ohlc_v2", "interest_rate", "series_data_range", "product"):
            assert conn.execute(f"select {columns[table]} from {table} order by 1, 2").fetchall() == before[table], (
                table
            )
        assert {row[0] for row in conn.execute("select distinct domain from schema_migration")} == {"ingest"}
        found = ledger.verify(conn)
        assert (found.problems, found.events) == ([], 4)
        [bars] = states.read_facts(conn, "ohlc_v2", series_ids=["DEMO/SWAP/BTC-USDT/PT4H"])
        assert bars.end_ms is not None
        assert len(states.list_series(conn, "ohlc_v2")) + len(states.list_series(conn, "interest_rate")) == 21
    with connect(empty_url, purpose="test") as conn:
        assert migrate(conn) == []
