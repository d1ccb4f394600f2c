"""What protects the ledger: a writer that may only read and append, and digests that tell what an owner changed."""

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner, Result

from series_pipelines.app.settings import load_settings
from series_pipelines.cli import series
from series_pipelines.core.times import parse_time
from series_pipelines.errors import InvalidInput
from series_pipelines.ingest.ledger import append as cursors
from series_pipelines.ingest.ledger import audit as ledger
from series_pipelines.ingest.ledger import months as ledger_months
from series_pipelines.ingest.ledger.cursor import CursorValue, backfill_namespace, harvest_namespace
from series_pipelines.postgres.connection import Connection, connect, ms_to_time
from series_pipelines.postgres.protection import admit_writer, read_protection
from tests.support.databases import Server, replace_database

JUNE, JULY, AUGUST = (parse_time(f"2026-{month}-15") for month in ("06", "07", "08"))
HEAD, TAIL = harvest_namespace("ohlc_v2", "SIM/A/PT1M"), backfill_namespace("ohlc_v2", "SIM/A/PT1M")


@pytest.fixture
def months(conn: Connection) -> Connection:
    """A ledger with events in two months that are over."""
    for moment in (JUNE, JULY):
        cursors.ensure_months(conn, moment)
        record(conn, moment, f"page {moment}")
    conn.commit()
    return conn


def record(conn: Connection, moment: int, key: str) -> None:
    with conn.transaction():
        for namespace in (HEAD, TAIL):
            step = cursors.CursorStep(namespace, CursorValue(moment), moment, f"{key} {namespace.operation}")
            cursors.record(conn, cursors.Author("cap"), [step])


@pytest.fixture
def run(months: Connection, series_environment: dict[str, str]) -> Callable[..., Result]:
    def invoke(*arguments: str) -> Result:
        result = CliRunner().invoke(series, arguments, prog_name="series")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return invoke


def rewrite(owner: Connection, part: str = "ing_cursor_event_2026_06") -> None:
    """Change an event as only the owner can."""
    owner.execute(f"alter table {part} disable trigger refuse_change")
    owner.execute(f"update {part} set row_count = 61 where operation = 'BACKFILL'")
    owner.execute(f"alter table {part} enable always trigger refuse_change")


def find_changed(conn: Connection) -> list[tuple[str, int | None]]:
    with conn.transaction():
        changes = ledger_months.find_changes(conn, ledger_months.read_digests(conn))
    return [(change.told.month, change.events) for change in changes]


FORBIDDEN = (
    "update ing_cursor_event set row_count = 1",
    "update ing_cursor_event_2026_06 set row_count = 1",
    "delete from ing_cursor_event",
    "truncate ing_cursor_event",
    "truncate ing_cursor_event_2026_06",
    "truncate ing_cursor",
    "drop table ing_cursor_event",
    "drop table ing_cursor_event_2026_06",
    "drop function refuse_change() cascade",
    "drop schema public cascade",
    "drop schema ledger_archive cascade",
    "alter table ing_cursor_event disable trigger all",
    "alter table ing_cursor_event_2026_06 disable trigger refuse_change",
    "drop trigger refuse_change on ing_cursor_event",
    "create trigger mine before insert on ing_cursor_event for each row execute function refuse_change()",
    "create rule mine as on insert to ing_cursor_event do instead nothing",
    "create or replace function refuse_change() returns trigger language plpgsql as $$begin return new; end$$",
    "alter function refuse_change() rename to mine",
    "alter table ing_cursor_event add column mine text",
    "alter table ing_cursor_event rename to mine",
    "alter table ing_cursor_event owner to current_user",
    "alter table ing_cursor_event set schema ledger_archive",
    "alter table ing_cursor_event detach partition ing_cursor_event_2026_06",
    "alter table ing_cursor_event attach partition temporary_events default",
    "create table mine partition of ing_cursor_event for values from ('2030-01-01') to ('2030-02-01')",
    "create table mine (x int)",
    "create schema mine",
    "create function mine() returns int language sql as 'select 1'",
    "select setval('ing_cursor_event_id', 1)",
    "alter sequence ing_cursor_event_id restart",
    "set session_replication_role = replica",
    "set role {owner}",
    "set session authorization {owner}",
    "grant {owner} to {writer}",
    "alter role {owner} password 'guessed'",
    "alter default privileges for role {owner} grant all on tables to {writer}",
    "insert into ing_cursor_event_2026_06 select * from ing_cursor_event",
    "insert into ing_cursor_event select * from ing_cursor_event",
    "insert into ing_cursor_event (event_id, namespace_id) values (-5, 1)",
    "copy ing_cursor_event (event_id) from stdin",
    "insert into ledger_archive.ing_cursor_event_2026_07 select * from ing_cursor_event",
    "delete from ledger_archive.ing_cursor_event_2026_07",
    "create table ledger_archive.mine (x int)",
    "insert into ledger_digest select 'mine', 0, 1, 1, '', now()",
    "update ledger_digest set digest = ''",
    "delete from ledger_digest",
    "update schema_migration set digest = ''",
    "select archive_ledger_partition('ing_cursor_event_2026_06', now())",
    "select archive_ledger_part('ing_cursor_event_2026_06', now())",
    "select protect_ledger('ing_cursor_event_2026_06')",
    "select admit_writer(current_user)",
    "create or replace function ensure_ledger_month(timestamptz) returns void language sql as ''",
    "alter function ensure_ledger_month(timestamptz) set search_path = pg_temp",
)


def test_the_writer_can_do_nothing_to_the_ledger_but_read_and_append(
    months: Connection, owner: Connection, postgres: Server
) -> None:
    with owner.transaction():
        owner.execute("select archive_ledger_part('ing_cursor_event_2026_07', now())")
    ledger_months.close_months(months)
    names = {"owner": owner.info.user, "writer": months.info.user}
    before = months.execute("select * from ing_cursor_event order by event_id").fetchall()
    months.execute("create temporary table temporary_events (like ing_cursor_event)")
    months.commit()
    for statement in FORBIDDEN:
        with pytest.raises(psycopg.errors.InsufficientPrivilege), months.transaction():
            months.execute(statement.format(**names))
    assert months.execute("select * from ing_cursor_event order by event_id").fetchall() == before
    # Only warned of, and without effect, as what is held afterwards shows.
    months.execute(f"grant update, delete, truncate, trigger on ing_cursor_event to {names['writer']}")
    held = months.execute(
        "select relname, privilege_type, every from pg_class cross join lateral ("
        "     select privilege_type, grantee, 'all' as every from aclexplode(relacl)"
        "     union select privilege_type, grantee, 'all but event_id' from pg_attribute, aclexplode(attacl)"
        "     where attrelid = pg_class.oid group by 1, 2"
        "     having array_agg(attname order by attnum) = (select array_agg(attname order by attnum) from pg_attribute"
        "         where attrelid = pg_class.oid and attnum > 0 and attname <> 'event_id')"
        "     union select privilege_type, grantee, 'event_id' from pg_attribute, aclexplode(attacl)"
        "     where attrelid = pg_class.oid and attname = 'event_id'"
        " ) as acl where grantee = current_user::regrole"
        " and (relname like 'ing_cursor_event%' or relname = 'ledger_digest') and privilege_type <> 'SELECT' order by 1"
    )
    assert held.fetchall() == [
        ("ing_cursor_event", "INSERT", "all but event_id"),
        ("ing_cursor_event_id", "USAGE", "all"),
    ]


def test_names_that_the_writer_puts_before_others_reach_no_function_of_the_owner(months: Connection) -> None:
    """A table of its own that is called like the default partition, and functions like the system's, in its session."""
    months.execute("create temporary table ing_cursor_event_default (recorded_at timestamptz)")
    months.execute("insert into ing_cursor_event_default values ('2027-05-10')")
    months.execute(
        "create function pg_temp.date_trunc(text, timestamptz) returns timestamptz language plpgsql as"
        " $$begin raise 'taken'; end$$"
    )
    months.execute("set search_path = pg_temp, pg_catalog, public")
    cursors.ensure_months(months, parse_time("2027-05-10"))
    months.execute("select close_ledger_month('2026-06')")
    assert months.execute("select to_regclass('public.ing_cursor_event_2027_05')").fetchone() != (None,)


@pytest.mark.parametrize("moment", ["infinity", "-infinity", "1999-12-31", "9999-01-01", None])
def test_the_writer_makes_no_months_that_nobody_needs(conn: Connection, moment: str | None) -> None:
    parts = "select count(*) from pg_inherits where inhparent = 'ing_cursor_event'::regclass"
    before = conn.execute(parts).fetchone()
    conn.execute("select ensure_ledger_month(%s)", [moment])
    assert conn.execute(parts).fetchone() == before


def test_an_owners_rewrite_of_the_past_is_found(months: Connection, owner: Connection) -> None:
    assert ledger_months.close_months(months) == 2
    assert ledger_months.close_months(months) == 0
    assert find_changed(months) == []
    rewrite(owner)
    assert ledger.verify(months).problems == [], "a chain of values does not tell how many rows a page had"
    months.commit()
    assert find_changed(months) == [("2026-06", 2)]
    assert ledger_months.close_months(months) == 0, "what was told is not told again"


def test_what_is_late_or_archived_is_no_change_and_a_rewrite_in_the_archive_is_found(
    months: Connection, owner: Connection
) -> None:
    ledger_months.close_months(months)
    record(months, JUNE + 1, "late")
    assert find_changed(months) == []
    assert ledger_months.close_months(months) == 1
    with owner.transaction():
        ledger.archive(owner, "2026-08", parse_time("2026-11-18"))
    assert ledger_months.close_months(months) <= 1, "the month that events were carried to may be over itself"
    assert find_changed(months) == []
    rewrite(owner, "ledger_archive.ing_cursor_event_2026_06")
    assert find_changed(months) == [("2026-06", 2), ("2026-06", 2)]
    owner.execute("drop table ledger_archive.ing_cursor_event_2026_07")
    assert find_changed(months)[2:] == [("2026-07", None)]


def test_a_month_is_closed_after_those_who_still_write_to_it(
    months: Connection, database_url: str, owner: Connection
) -> None:
    """The writer has an event with a lower number than others that are committed already."""
    with connect(database_url, purpose="slow") as slow:
        step = cursors.CursorStep(harvest_namespace("ohlc_v2", "SIM/SLOW/PT1M"), CursorValue(1), JUNE, "slow")
        cursors.record(slow, cursors.Author("cap"), [step])
        record(months, JUNE + 5, "quick")
        with ThreadPoolExecutor(1) as pool:
            closing = pool.submit(ledger_months.close_months, months)
            _await_a_waiting_session(owner)
            slow.commit()
            assert closing.result(30) == 2
    assert find_changed(months) == []
    assert [told.events for told in ledger_months.read_digests(months)] == [5, 2]


def _await_a_waiting_session(conn: Connection) -> None:
    waiting = (
        "select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()"
    )
    for _ in range(2_000):
        if conn.execute(f"{waiting} and pg_sleep(0.01) is not null limit 1").rowcount:
            return
        conn.execute("select pg_sleep(0.01)")
    raise AssertionError("nobody waits")


def test_a_month_that_goes_on_is_not_closed(conn: Connection) -> None:
    row: Any = conn.execute("select (date_part('epoch', now()) * 1000)::bigint").fetchone()
    cursors.ensure_months(conn, row[0])
    conn.commit()
    record(conn, row[0], "now")
    assert ledger_months.close_months(conn) == 0
    assert conn.execute("select close_ledger_month('2020-01')").fetchone() == (False,), "there is no such month"
    conn.rollback()
    conn.execute("set transaction isolation level repeatable read")
    with pytest.raises(psycopg.errors.RaiseException, match="read committed only"):
        conn.execute("select close_ledger_month('2026-06')")


def test_a_digest_is_of_all_columns_in_the_order_of_numbers_and_the_same_everywhere(
    conn: Connection, owner: Connection
) -> None:
    owner.execute("create table part (like ing_cursor_event)")
    columns = conn.execute(
        "select attname, typname from pg_attribute join pg_type on pg_type.oid = atttypid"
        " where attrelid = 'ing_cursor_event'::regclass and attnum > 0 and not attisdropped order by attnum"
    ).fetchall()
    values = {"int8": 7, "int4": 7, "text": "ñ,\"'\\", "timestamptz": ms_to_time(JUNE + 7)}
    event: dict[str, Any] = {str(name): values[str(kind)] for name, kind in columns}

    def digest(*events: dict[str, Any], encoding: str = "UTF8") -> str:
        owner.execute("truncate part")
        for each in events:
            insert = f"insert into part ({', '.join(each)}) values ({', '.join(['%s'] * len(each))})"
            owner.execute(insert, list(each.values()))
        owner.execute(f"set client_encoding = '{encoding}'")
        row: Any = owner.execute("select encode(digest, 'hex') from digest_ledger('part', 0, 1000000)").fetchone()
        owner.execute("reset client_encoding")
        return str(row[0])

    told = digest(event)
    assert told == "3bb64fc6baceeb44f4d490964663542e99af15b6910462cc562e360027888444"
    assert digest(event, encoding="LATIN1") == told
    other = {"int8": 8, "int4": 8, "text": "n", "timestamptz": ms_to_time(JUNE + 8)}
    changed = {
        digest(event | {str(name): value})
        for name, kind in columns
        for value in (None, other[str(kind)])
        if value is not None or name not in NEVER_NULL
    }
    assert told not in changed
    assert len(changed) >= len(columns)
    later = event | {"event_id": 70_000}
    assert digest(event, later) == digest(later, event) != told


NEVER_NULL = {
    *("event_id", "namespace_id", "recorded_at", "table_name", "series_id", "operation", "namespace_scope"),
    *("namespace_key", "direction", "cursor_type", "reason", "idempotent_key"),
}


def make_series_known(conn: Connection) -> None:
    """Let the commands find the series of the ledger."""
    conn.execute("insert into capability_state select 'cap', 'sim', 'm', 'ohlc_v2', 'SIM/', 'forward', '{PT1M}'")
    conn.execute("insert into product (product_id, vendor) values ('SIM/A', 'sim')")
    conn.execute(
        "insert into series_state (series_id, table_name, product_id, cap_key)"
        " values ('SIM/A/PT1M', 'ohlc_v2', 'SIM/A', 'cap')"
    )
    conn.commit()


def test_a_certificate_holds_all_closed_months_also_if_nobody_closed_them_before(
    run: Callable[..., Result], months: Connection
) -> None:
    make_series_known(months)
    result = run("certify", "SIM/A/PT1M", "--start", "2026-06-01", "--end", "2026-06-02", "--json")
    told = json.loads(result.stdout)[0]["ledger_months"]
    assert [(month["month"], month["events"]) for month in told] == [("2026-06", 2), ("2026-07", 2)]


def test_verify_and_certificates_tell_a_rewrite_also_of_the_digests(
    run: Callable[..., Result], months: Connection, owner: Connection, tmp_path: Path
) -> None:
    assert run("cursors", "verify").exit_code == 0
    make_series_known(months)
    certificate = tmp_path / "certificate.json"
    certificate.write_text(
        run("certify", "SIM/A/PT1M", "--start", "2026-06-01", "--end", "2026-06-02", "--json").stdout
    )
    told = json.loads(certificate.read_text())[0]["ledger_months"]
    assert [(month["month"], month["events"]) for month in told] == [("2026-06", 2), ("2026-07", 2)]
    shown = run("certify", "SIM/A/PT1M", "--start", "2026-06-01", "--end", "2026-06-02").stdout
    assert f"ledger 2026-06, 2 events up to number 2: {told[0]['digest']}" in shown
    rewrite(owner)
    verified = run("cursors", "verify")
    assert verified.exit_code == 1
    assert "2 closed months: 1 do not hold what they held" in verified.stdout
    assert "2026-06: 2 events up to number 2 are 2 now, with another digest" in verified.stdout
    owner.execute("truncate ledger_digest")
    assert run("cursors", "verify").exit_code == 0, "who owns the digests too can have them made again"
    found = run("cursors", "verify", "--certificate", str(certificate), "--json")
    assert found.exit_code == 1
    assert [month["month"] for month in json.loads(found.stdout)["changed_months"]] == ["2026-06"]


def test_the_nightly_check_closes_months_and_finds_what_was_changed_since(
    months: Connection, owner: Connection
) -> None:
    from series_pipelines.defs.checks import check_ledger, look_at_ledger

    assert check_ledger(*look_at_ledger(months, "ohlc_v2")).passed
    months.commit()
    rewrite(owner)
    found = check_ledger(*look_at_ledger(months, "ohlc_v2"))
    assert (found.passed, found.metadata["changed_months"].value) == (False, 1)
    assert str(found.description).endswith("closed months were changed: 2026-06")
    assert check_ledger(*look_at_ledger(months, "interest_rate")).passed, "it is told once"


@pytest.mark.parametrize("text", ["", "[1]", '[{"ledger_months": [{}]}]', '{"ledger_months": []}'])
def test_what_is_no_certificate_is_said_in_one_line(run: Callable[..., Result], tmp_path: Path, text: str) -> None:
    (tmp_path / "cert.json").write_text(text)
    refused = run("cursors", "verify", "--certificate", str(tmp_path / "cert.json"))
    assert refused.exit_code == 2
    assert refused.stderr == "series: error: cert.json is not what `series certify --json` prints\n"


def test_verify_says_which_tables_are_open_and_who_could_open_them(
    run: Callable[..., Result], owner: Connection, owner_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    role = json.loads(run("cursors", "verify", "--json").stdout)["protection"]
    assert (role["open_tables"], role["can_role_change"]) == ([], False)
    for opened, closed in (
        ("disable trigger refuse_truncate", "enable always trigger refuse_truncate"),
        ("enable trigger refuse_change", "enable always trigger refuse_change"),
    ):
        owner.execute(f"alter table ing_cursor_event_2026_07 {opened}")
        verified = run("cursors", "verify")
        assert verified.exit_code == 1
        assert "1 do not refuse changes: ing_cursor_event_2026_07\n" in verified.stdout
        owner.execute(f"alter table ing_cursor_event_2026_07 {closed}")
    body = "begin return coalesce(new, old); end"
    owner.execute(f"create or replace function refuse_change() returns trigger language plpgsql as $${body}$$")
    assert len(read_protection(owner).open_tables) == read_protection(owner).tables
    monkeypatch.setenv("SERIES_DATABASE_URL", owner_url)
    monkeypatch.delenv("SERIES_OWNER_URL")
    load_settings.cache_clear()
    assert "this protects against accidents only (see SERIES_OWNER_URL)" in run("cursors", "verify").stdout


def test_only_the_owner_migrates_and_is_asked_for_by_name(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SERIES_OWNER_URL")
    load_settings.cache_clear()
    refused = run("migrate")
    assert refused.exit_code == 1
    assert re.search(r"may not migrate \(permission denied .*\): set SERIES_OWNER_URL to", refused.stderr)
    archived = run("cursors", "archive", "--before", "2026-07")
    assert archived.exit_code == 1
    assert "Traceback" not in archived.stderr


def test_an_owner_without_a_writer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SERIES_DATABASE_URL", raising=False)
    monkeypatch.setenv("SERIES_OWNER_URL", "postgresql://owner:hush@127.0.0.1/market")
    load_settings.cache_clear()
    with pytest.raises(InvalidInput, match=r"SERIES_OWNER_URL: .*set SERIES_DATABASE_URL too") as caught:
        load_settings()
    assert "hush" not in str(caught.value)
    load_settings.cache_clear()


def test_a_deployment_of_one_role_gets_a_writer_when_its_role_becomes_the_owner(
    owner: Connection, owner_url: str, postgres: Server
) -> None:
    """Dagster's tables were made by the one role; the writer works with them too. Let in twice, it stays as it is."""
    owner.execute("create table dagster.event_logs (id bigserial primary key, event text)")
    writer = f"late_{owner.info.dbname}"
    with psycopg.connect(postgres.admin_url, autocommit=True) as admin:
        admin.execute(f"create role {writer} login password 'late'")
        try:
            admit_writer(owner, writer)
            state = "select array_agg(xmin::text || relacl::text order by oid) from pg_class where relacl is not null"
            before = owner.execute(state).fetchone()
            admit_writer(owner, writer)
            assert owner.execute(state).fetchone() == before
            address = f"{writer}:late@{owner.info.host}:{owner.info.port}"
            with connect(f"postgresql://{address}/{owner.info.dbname}", purpose="late") as conn:
                record(conn, AUGUST, "page")
                assert ledger.verify(conn).problems == []
                conn.execute("insert into dagster.event_logs (event) values ('seen')")
                conn.execute("delete from dagster.event_logs")
                conn.execute("create table dagster.runs (id bigserial primary key)")
                assert not read_protection(conn).can_role_change
        finally:
            with psycopg.connect(replace_database(postgres.admin_url, owner.info.dbname), autocommit=True) as here:
                here.execute(f"drop owned by {writer}")
            admin.execute(f"drop role {writer}")
