"""The cursor ledger on real Postgres: it is only appended to, and all of `ing_cursor` can be made from it again."""

import random
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from dagster import AssetCheckSeverity, TableMetadataValue

from series_pipelines.core.duration import MINUTE_MS
from series_pipelines.core.ranges import Range
from series_pipelines.core.times import parse_time
from series_pipelines.defs.checks import check_ledger
from series_pipelines.errors import CursorContested, DatabaseUnavailable, InvalidInput
from series_pipelines.ingest.ledger import append as cursors
from series_pipelines.ingest.ledger import audit as ledger
from series_pipelines.ingest.ledger.cursor import (
    CursorValue,
    Namespace,
    backfill_namespace,
    harvest_namespace,
    refresh_namespace,
    signal_namespace,
)
from series_pipelines.postgres.connection import Connection, connect, ms_to_time
from series_pipelines.postgres.migrate import migrate
from series_pipelines.postgres.protection import admit_writer
from tests.support.databases import Server, copy_migrations, replace_database

JULY, AUGUST, SEPTEMBER = (parse_time(f"2026-{month}-15") for month in ("07", "08", "09"))
LATER = parse_time("2026-10-03")
NOBODY = cursors.Author("cap", "run", "lane")
HEAD = harvest_namespace("ohlc_v2", "SIM/A/PT1M")
TAIL = backfill_namespace("ohlc_v2", "SIM/A/PT1M")
TOKEN = Namespace("interest_rate", "SIM/A", "UPDATE", "CUSTOM", "feed", "TOKEN")
EVENT = {
    "prev_position": None,
    "new_position": 10,
    "recorded_at": ms_to_time(AUGUST),
    "table_name": "ohlc_v2",
    "series_id": "SIM/A/PT1M",
    "operation": "HARVEST",
    "namespace_scope": "GLOBAL",
    "namespace_key": "",
    "direction": "FORWARD",
    "cursor_type": "TIME",
    "reason": "advanced",
}


@pytest.fixture
def months(conn: Connection) -> Connection:
    """A connection to a database with partitions for the months of these tests."""
    for moment in (JULY, AUGUST, SEPTEMBER, LATER):
        cursors.ensure_months(conn, moment)
    conn.commit()
    return conn


def step(namespace: Namespace, value: int | str | None, recorded_ms: int = AUGUST, key: str = "") -> cursors.CursorStep:
    candidate = CursorValue(token=value) if isinstance(value, str) else CursorValue(value)
    return cursors.CursorStep(namespace, candidate, recorded_ms, key or f"{namespace}/{value}/{recorded_ms}")


def record(conn: Connection, *steps: cursors.CursorStep) -> int:
    def attempt(again: bool) -> int:
        with conn.transaction():
            return sum(cursors.record(conn, NOBODY, [each], again) for each in steps)

    return cursors.commit_once(attempt)


def insert_event(conn: Connection, conflict: str = "", **changes: object) -> None:
    """Write an event past the store, as no code of ours would."""
    insert(conn, "ing_cursor_event", EVENT | {"idempotent_key": f"by hand {random.random()}"} | changes, conflict)


def insert_cursor(conn: Connection, **changes: object) -> None:
    names = ("table_name", "series_id", "operation", "namespace_scope", "namespace_key", "direction", "cursor_type")
    insert(conn, "ing_cursor", {"position": 1} | {name: EVENT[name] for name in names} | changes)


def insert(conn: Connection, table: str, row: Mapping[str, object], conflict: str = "") -> None:
    names = [row[name] for name in ("table_name", "series_id", "operation", "namespace_scope", "namespace_key")]
    with conn.transaction():
        found: Any = conn.execute("select find_namespace_id(%s, %s, %s, %s, %s)", names).fetchone()
        row = {"namespace_id": found[0], **row}
        conn.execute(
            f"insert into {table} ({', '.join(row)}) values ({', '.join(['%s'] * len(row))}) {conflict}",
            list(row.values()),
        )


def count_events(conn: Connection, where: str = "true") -> int:
    row: Any = conn.execute(f"select count(*) from ing_cursor_event where {where}").fetchone()
    conn.commit()
    return int(row[0])


def read_cursors(conn: Connection) -> list[Any]:
    return conn.execute("select * from ing_cursor order by series_id, table_name, operation, namespace_key").fetchall()


def list_problems(conn: Connection, table_name: str | None = None) -> list[tuple[str, str, bool]]:
    with conn.transaction():
        found = ledger.verify(conn, table_name)
    return [(problem.namespace.operation, problem.state, problem.is_broken) for problem in found.problems]


def archive(owner: Connection, month: str, now_ms: int = LATER) -> list[ledger.Archived]:
    with owner.transaction():
        return ledger.archive(owner, month, now_ms)


def write_life(conn: Connection) -> None:
    """Leave events of every kind in three months, and a namespace that was last heard of in the first."""
    record(
        conn,
        *(step(HEAD, position, month) for month in (JULY, AUGUST, SEPTEMBER) for position in (month, month + 5)),
        *(step(TAIL, JULY - position, month) for position, month in ((1, JULY), (9, AUGUST))),
        step(HEAD, 7, SEPTEMBER),
        step(harvest_namespace("ohlc_v2", "SIM/QUIET/PT1M"), 42, JULY),
        step(harvest_namespace("ohlc_v2", "SIM/EMPTY/PT1M"), None, JULY),
        *(step(TOKEN, token, JULY) for token in ("b", "a")),
        step(signal_namespace("interest_rate", "SIM/A", "batch"), 100, AUGUST),
    )


CHANGES = (
    "update {} set new_position = 1",
    "update {} set recorded_at = now()",
    "delete from {}",
    "truncate {}",
    "merge into {} as event using (values (1)) as one on true when matched then delete",
)


def find_url(postgres: Server, role: str, database: str) -> str:
    urls = {"writer": postgres.url, "owner": postgres.owner_url}
    return replace_database(urls.get(role, postgres.admin_url), database)


def refuse_changes(url: str, role: str, tables: Iterable[str]) -> None:
    """Try to change events in every way, in the main path and in that of a session that applies another's changes."""
    with psycopg.connect(url, autocommit=True) as conn:
        if "replica" in role:
            conn.execute("set session_replication_role = replica")
        reason = "permission denied for" if role == "writer" else "the ledger is append-only"
        for statement in [change.format(table) for table in tables for change in CHANGES]:
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match=reason):
                conn.execute(statement)


@pytest.mark.parametrize("role", ["writer", "owner", "superuser", "superuser that plays replica"])
def test_no_event_can_be_changed_or_removed(months: Connection, postgres: Server, role: str) -> None:
    record(months, *(step(HEAD, moment, moment) for moment in (JULY, AUGUST, parse_time("2031-01-01"))))
    partitions = [f"ing_cursor_event_{name}" for name in ("2026_07", "2026_08", "default")]
    url = find_url(postgres, role, months.info.dbname)
    refuse_changes(url, role, ["ing_cursor_event", *partitions])
    assert count_events(months) == 3


def test_an_event_can_not_be_replaced_by_inserting_it_again(months: Connection) -> None:
    again = {"idempotent_key": "one"}
    insert_event(months, **again)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        insert_event(
            months, "on conflict (idempotent_key, recorded_at) do update set row_count = 1", idempotent_key="one"
        )


OUTSIDE_THE_MATRIX = (
    ("HARVEST", "CUSTOM", "FORWARD", "TIME"),
    ("HARVEST", "GLOBAL", "BACKFILL", "TIME"),
    ("BACKFILL", "GLOBAL", "BACKFILL", "TIME"),
    ("BACKFILL", "CUSTOM", "FORWARD", "TIME"),
    ("UPDATE", "EXPR", "FORWARD", "ID"),
    ("UPDATE", "CUSTOM", "BACKFILL", "TIME"),
    ("UPDATE", "CUSTOM", "FORWARD", "COLOUR"),
    ("COMPENSATE", "CUSTOM", "FORWARD", "TIME"),
)


def test_namespaces_outside_the_matrix_are_refused(months: Connection) -> None:
    for values in OUTSIDE_THE_MATRIX:
        names = dict(zip(("operation", "namespace_scope", "direction", "cursor_type"), values, strict=True))
        for write in (insert_event, insert_cursor):
            with pytest.raises(psycopg.errors.CheckViolation, match="namespace_matrix"):
                write(months, **names)


def test_an_event_that_steps_back_is_refused(months: Connection) -> None:
    backwards = {"operation": "BACKFILL", "namespace_scope": "CUSTOM", "direction": "BACKFILL"}
    for changes in (
        {"prev_position": 20},
        {"prev_position": 10},
        {"new_position": None},
        {"reason": "no-forward", "prev_position": 5},
        {"reason": "token", "new_token": "a"},
        backwards | {"prev_position": 5},
    ):
        with pytest.raises(psycopg.errors.CheckViolation, match="no_step_back"):
            insert_event(months, **changes)


def test_every_namespace_of_the_matrix_is_recorded_and_has_a_cursor_of_its_own(months: Connection) -> None:
    expression = harvest_namespace("ohlc_v2", "SIM/A/PT1M", "close > 1")
    spaces = [
        HEAD,
        expression,
        TAIL,
        refresh_namespace("ohlc_v2", "SIM/A/PT1M", "campaign"),
        signal_namespace("ohlc_v2", "SIM/A", "batch"),
    ]
    assert record(months, *(step(namespace, 10 + index) for index, namespace in enumerate(spaces))) == len(spaces)
    assert record(months, step(TOKEN, "next")) == 1
    assert [cursors.read_value(months, namespace) for namespace in spaces] == [CursorValue(10 + i) for i in range(5)]
    assert cursors.read_value(months, TOKEN) == CursorValue(token="next")
    assert list_problems(months) == []


def test_a_candidate_that_is_not_forward_leaves_an_event_and_moves_nothing(months: Connection) -> None:
    record(months, step(HEAD, 20), step(HEAD, 10), step(HEAD, None), step(TAIL, 20), step(TAIL, 30))
    events = months.execute(
        "select operation, reason, prev_position, new_position from ing_cursor_event order by event_id"
    ).fetchall()
    assert events == [
        ("HARVEST", "advanced", None, 20),
        ("HARVEST", "no-forward", 20, 20),
        ("HARVEST", "no-forward", 20, 20),
        ("BACKFILL", "advanced", None, 20),
        ("BACKFILL", "no-forward", 20, 20),
    ]
    assert [cursors.read_value(months, space) for space in (HEAD, TAIL)] == [CursorValue(20)] * 2


def test_an_empty_first_page_leaves_an_event_and_no_cursor(months: Connection) -> None:
    assert record(months, step(HEAD, None)) == 1
    assert cursors.read_value(months, HEAD) is None
    assert list_problems(months) == []
    assert record(months, step(HEAD, 5)) == 1
    assert list_problems(months) == []


def test_tokens_are_recorded_but_not_compared(months: Connection) -> None:
    record(months, *(step(TOKEN, token) for token in ("m", "z", "a")))
    events = months.execute("select reason, prev_token, new_token from ing_cursor_event order by event_id").fetchall()
    assert events == [("token", None, "m"), ("token", "m", "z"), ("token", "z", "a")]
    assert cursors.read_value(months, TOKEN) == CursorValue(token="a")
    assert record(months, step(TOKEN, "m")) == 0, "its key is known, so the token does not go back either"
    assert cursors.read_value(months, TOKEN) == CursorValue(token="a")


def test_tokens_may_hold_any_character_but_names_none_that_divides_them(months: Connection) -> None:
    token = 'a\x1f\x1eb,{}"\\'
    assert record(months, step(TOKEN, token, key="page")) == 1
    assert cursors.read_value(months, TOKEN) == CursorValue(token=token)
    odd = harvest_namespace("ohlc_v2", "SIM/A/PT1M", "volume > 1, {\"'\\} or NULL\nand ñ")
    assert record(months, step(odd, 7)) == 1
    assert cursors.read_value(months, odd) == CursorValue(7)
    with pytest.raises(InvalidInput, match="U\\+001F"):
        record(months, step(harvest_namespace("ohlc_v2", "SIM/A/PT1M", "a\x1fb"), 7))


def test_many_steps_at_once_are_recorded_as_they_are(months: Connection) -> None:
    spaces = [harvest_namespace("ohlc_v2", f"SIM/{name}/PT1M") for name in "ABC"]
    window = Range(AUGUST - 5, AUGUST)
    steps = [
        cursors.CursorStep(spaces[0], CursorValue(10), AUGUST, "first", window, "head backward 12", 3, 1),
        cursors.CursorStep(spaces[1], CursorValue(None), AUGUST + 1, "second", None, None, 0, None),
        cursors.CursorStep(spaces[2], CursorValue(30), AUGUST + 2, "third", window, "", None, 3),
    ]
    with months.transaction():
        assert cursors.record(months, cursors.Author("cap", None, "lane"), steps) == 3
    events = months.execute(
        "select series_id, new_position, recorded_at, window_from, window_to, request, row_count, page_number, reason "
        "from ing_cursor_event order by recorded_at"
    ).fetchall()
    times = [ms_to_time(AUGUST + number) for number in range(3)]
    bounds = ms_to_time(window.start_ms), ms_to_time(window.end_ms)
    assert events == [
        ("SIM/A/PT1M", 10, times[0], *bounds, "head backward 12", 3, 1, "advanced"),
        ("SIM/B/PT1M", None, times[1], None, None, None, 0, None, "no-forward"),
        ("SIM/C/PT1M", 30, times[2], *bounds, None, None, 3, "advanced"),
    ]


def test_the_same_step_leaves_one_event_also_when_the_connection_was_cut_after_the_commit(
    months: Connection, database_url: str
) -> None:
    steps = [step(HEAD, 10), step(TAIL, 5), step(TOKEN, "t")]
    cut = connect(database_url, purpose="cut")
    assert record(cut, *steps) == 3
    months.execute("select pg_terminate_backend(%s)", [cut.info.backend_pid])
    months.commit()
    with pytest.raises(DatabaseUnavailable):
        record(cut, *steps)
    before = read_cursors(months)
    assert record(months, *steps) == 0
    assert count_events(months) == 3
    assert read_cursors(months) == before


def test_of_steps_that_landed_in_part_only_the_rest_is_recorded_and_nothing_without_asking(months: Connection) -> None:
    spaces = [harvest_namespace("ohlc_v2", f"SIM/{name}/PT1M") for name in "ABC"]
    record(months, step(spaces[1], 20))
    with pytest.raises(psycopg.errors.UniqueViolation), months.transaction():
        cursors.record(months, NOBODY, [step(space, 20) for space in spaces])
    assert count_events(months) == 1
    assert record(months, *(step(space, 20) for space in spaces)) == 2
    assert count_events(months) == 3
    assert list_problems(months) == []


@pytest.mark.parametrize("has_begun", [False, True])
@pytest.mark.parametrize("value", [50, 5, None])
def test_a_retry_that_overtakes_its_own_commit_leaves_one_event(
    months: Connection, database_url: str, has_begun: bool, value: int | None
) -> None:
    """The first attempt's connection is cut while the server still commits; the retry is already here."""
    if has_begun:
        record(months, step(HEAD, 10, key="before"))
    first = connect(database_url, purpose="first")
    cursors.record(first, NOBODY, [step(HEAD, value, key="page")])
    with ThreadPoolExecutor(1) as pool:
        retry = pool.submit(_record_alone, database_url, [step(HEAD, value, key="page")])
        _await_a_waiting_session(months)
        first.commit()
        assert retry.result(30) == 0
    first.close()
    assert count_events(months, "idempotent_key = 'page'") == 1
    assert list_problems(months) == []


def _record_alone(url: str, steps: Sequence[cursors.CursorStep]) -> int:
    with connect(url, purpose="writer") as conn:
        return record(conn, *steps)


def _await_a_waiting_session(conn: Connection) -> None:
    for _ in range(1000):
        row = conn.execute(
            "select count(*) from pg_locks join pg_stat_activity using (pid)"
            " where not granted and datname = current_database()"
        ).fetchone()
        conn.commit()
        if row and row[0]:
            return
        threading.Event().wait(0.01)
    raise AssertionError("nobody waits")


@pytest.mark.parametrize(
    "namespace", [HEAD, TAIL, signal_namespace("ohlc_v2", "SIM/A", "batch"), TOKEN], ids=lambda n: n.key
)
def test_many_writers_at_once_on_one_namespace_lose_no_event_and_never_go_back(
    months: Connection, database_url: str, namespace: Namespace
) -> None:
    writers, pages = 8, 20
    chance = random.Random(3)
    values = [[chance.randrange(10_000) for _ in range(pages)] for _ in range(writers)]
    is_token = namespace.cursor_type == "TOKEN"

    def write(number: int) -> int:
        with connect(database_url, purpose=f"writer {number}") as conn:
            return sum(
                record(conn, step(namespace, f"t{value}" if is_token else value, key=f"{number}/{index}"))
                for index, value in enumerate(values[number])
            )

    seen: list[int] = []
    done = threading.Event()

    def watch() -> None:
        with connect(database_url, purpose="watch", autocommit=True) as conn:
            while not done.is_set():
                held = cursors.read_value(conn, namespace)
                if held is not None and held.position is not None:
                    seen.append(held.position)

    watcher = threading.Thread(target=watch)
    watcher.start()
    with ThreadPoolExecutor(writers) as pool:
        landed = sum(pool.map(write, range(writers)))
    done.set()
    watcher.join()
    assert landed == writers * pages == count_events(months)
    flat = [value for each in values for value in each]
    if not is_token:
        is_forward = namespace.direction == "FORWARD"
        assert seen == sorted(seen, reverse=not is_forward)
        assert cursors.read_value(months, namespace) == CursorValue(max(flat) if is_forward else min(flat))
    found = ledger.replay_namespace(months, namespace)
    assert (found.is_problem, found.events, found.broken_events) == (False, writers * pages, ())
    assert list_problems(months) == []


def test_who_loses_the_cursor_again_and_again_says_so(
    months: Connection, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cursors, "MOST_TRIES", 1)
    record(months, step(HEAD, 10))
    other = connect(database_url, purpose="other")
    cursors.record(other, NOBODY, [step(HEAD, 20)])
    with ThreadPoolExecutor(1) as pool:
        loser = pool.submit(_record_alone, database_url, [step(HEAD, 30)])
        _await_a_waiting_session(months)
        other.commit()
        with pytest.raises(CursorContested, match="moved by others 1 times"):
            loser.result(30)
    other.close()
    assert cursors.read_value(months, HEAD) == CursorValue(20)
    assert count_events(months) == 2


def test_harvest_and_backfill_of_one_series_are_separate(months: Connection) -> None:
    record(months, step(HEAD, 100), step(TAIL, 90), step(TAIL, 10), step(HEAD, 110), step(TAIL, 500))
    assert (cursors.read_value(months, HEAD), cursors.read_value(months, TAIL)) == (CursorValue(110), CursorValue(10))


def test_verify_finds_nothing_in_a_life_of_every_kind(months: Connection) -> None:
    write_life(months)
    with months.transaction():
        found = ledger.verify(months)
    assert (found.namespaces, found.events, found.problems) == (6, 14, [])
    assert found.count() == {"differing": 0, "lost": 0, "orphan": 0, "broken": 0}
    with months.transaction():
        assert ledger.verify(months, "interest_rate").events == 3


def skip_a_link(conn: Connection) -> None:
    insert_event(conn, prev_position=SEPTEMBER + 50, new_position=SEPTEMBER + 60)
    conn.execute(f"update ing_cursor set position = {SEPTEMBER + 60} where {THE_HEAD}")


def hide_a_gap_from_sums(conn: Connection) -> None:
    for prev, new in ((None, 0), (0, 10), (0, 10), (20, 30)):
        insert_event(conn, series_id="SIM/SUM", prev_position=prev, new_position=new)
    insert_cursor(conn, series_id="SIM/SUM", position=30)


def skip_a_token(conn: Connection) -> None:
    names = {"table_name": "interest_rate", "series_id": "SIM/A", "operation": "UPDATE", "namespace_scope": "CUSTOM"}
    token = {"namespace_key": "feed", "cursor_type": "TOKEN", "reason": "token", "prev_token": "x", "new_token": "a"}
    insert_event(conn, new_position=None, **names, **token)


THE_HEAD = "series_id = 'SIM/A/PT1M' and operation = 'HARVEST'"
PLANTED: dict[str, tuple[str | Callable[[Connection], None], tuple[str, str, bool]]] = {
    "a value too far": (
        f"update ing_cursor set position = position + 1 where {THE_HEAD}",
        ("HARVEST", "differs", False),
    ),
    "a value gone back": (
        "update ing_cursor set position = position + 1 where operation = 'BACKFILL'",
        ("BACKFILL", "differs", False),
    ),
    "another token": ("update ing_cursor set token = 'b' where token is not null", ("UPDATE", "differs", False)),
    "a lost value": ("delete from ing_cursor where operation = 'BACKFILL'", ("BACKFILL", "lost", False)),
    "a lost token": ("delete from ing_cursor where cursor_type = 'TOKEN'", ("UPDATE", "lost", False)),
    "a value without events": (partial(insert_cursor, series_id="SIM/NEW"), ("HARVEST", "orphan", False)),
    "a missing event": (skip_a_link, ("HARVEST", "fine", True)),
    "a second beginning": (partial(insert_event, new_position=7), ("HARVEST", "fine", True)),
    "a gap that a repetition hides from sums": (hide_a_gap_from_sums, ("HARVEST", "fine", True)),
    "a beginning that nobody archived": (
        partial(insert_event, series_id="SIM/LATE", prev_position=5),
        ("HARVEST", "lost", True),
    ),
    "a missing token": (skip_a_token, ("UPDATE", "fine", True)),
}


def plant(conn: Connection, name: str) -> tuple[str, str, bool]:
    """Do something wrong, and return what is to be found."""
    action, expected = PLANTED[name]
    with conn.transaction():
        if isinstance(action, str):
            conn.execute(action)
        else:
            action(conn)
    return expected


@pytest.mark.parametrize("name", PLANTED)
def test_verify_and_replay_find_what_was_planted(months: Connection, name: str) -> None:
    write_life(months)
    expected = plant(months, name)
    assert list_problems(months) == [expected]
    with months.transaction():
        (problem,) = ledger.verify(months).problems
        replayed = ledger.replay_namespace(months, problem.namespace)
    assert replayed.state == problem.state
    assert replayed.is_broken == problem.is_broken
    assert (replayed.told, replayed.held, replayed.events) == (problem.told, problem.held, problem.events)


def test_a_cursor_with_another_namespaces_number_is_found_and_mended(months: Connection) -> None:
    write_life(months)
    before = read_cursors(months)
    with months.transaction():
        months.execute(f"update ing_cursor set namespace_id = 1 where {THE_HEAD}")
    assert sorted(list_problems(months)) == [("HARVEST", "lost", False), ("HARVEST", "orphan", True)]
    with months.transaction():
        ledger.rebuild(months)
    assert list_problems(months) == []
    assert [row[:2] for row in read_cursors(months)] == [row[:2] for row in before]


def test_an_event_with_another_number_than_its_names_is_found(months: Connection) -> None:
    insert_event(months, namespace_id=1)
    assert list_problems(months) == [("HARVEST", "lost", True)]


def test_problems_come_worst_first(months: Connection) -> None:
    write_life(months)
    with months.transaction():
        months.execute("update ing_cursor set position = position + 1000 where operation = 'BACKFILL'")
        months.execute("update ing_cursor set position = position + 1 where operation = 'HARVEST'")
        months.execute("delete from ing_cursor where cursor_type = 'TOKEN'")
    assert [problem[:2] for problem in list_problems(months)] == [
        ("BACKFILL", "differs"),
        ("HARVEST", "differs"),
        ("HARVEST", "differs"),
        ("UPDATE", "lost"),
    ]


def test_a_truncated_table_of_values_is_rebuilt_from_events_alone(months: Connection, owner: Connection) -> None:
    write_life(months)
    columns = "namespace_id, position, token, direction, cursor_type, table_name, series_id, namespace_key"
    before = months.execute(f"select {columns} from ing_cursor order by 1").fetchall()
    months.commit()
    owner.execute("truncate ing_cursor")
    with months.transaction():
        found = ledger.rebuild(months)
    assert found.count() == {"differing": 0, "lost": len(before), "orphan": 0, "broken": 0}
    assert months.execute(f"select {columns} from ing_cursor order by 1").fetchall() == before
    assert list_problems(months) == []
    assert record(months, step(HEAD, SEPTEMBER + 99), step(TOKEN, "c")) == 2
    assert list_problems(months) == []


def test_rebuild_touches_only_what_is_wrong_and_only_in_the_table_asked_for(months: Connection) -> None:
    write_life(months)
    with months.transaction():
        months.execute("update ing_cursor set position = 1 where series_id = 'SIM/A/PT1M'")
        months.execute("delete from ing_cursor where table_name = 'interest_rate'")
    untouched = "select *, ctid, xmin::text from ing_cursor where series_id = 'SIM/QUIET/PT1M'"
    before = months.execute(untouched).fetchall()
    with months.transaction():
        assert len(ledger.rebuild(months, "ohlc_v2").problems) == 2
    assert months.execute(untouched).fetchall() == before
    assert [problem[1] for problem in list_problems(months)] == ["lost", "lost"]
    with months.transaction():
        ledger.rebuild(months)
    assert list_problems(months) == []


def test_rebuild_removes_a_value_that_no_event_says(months: Connection) -> None:
    write_life(months)
    plant(months, "a value without events")
    with months.transaction():
        ledger.rebuild(months)
    assert list_problems(months) == []
    assert cursors.read_value(months, harvest_namespace("ohlc_v2", "SIM/NEW")) is None


def test_writers_wait_for_a_rebuild_and_then_decide_on_what_it_made(months: Connection, database_url: str) -> None:
    record(months, step(HEAD, 10), step(HEAD, 20))
    months.execute("update ing_cursor set position = 5")
    months.commit()
    ledger.rebuild(months)
    with ThreadPoolExecutor(1) as pool, connect(database_url, purpose="look") as look:
        writer = pool.submit(_record_alone, database_url, [step(HEAD, 15), step(HEAD, 25)])
        _await_a_waiting_session(look)
        months.commit()
        assert writer.result(30) == 2
    assert cursors.read_value(months, HEAD) == CursorValue(25)
    assert list_problems(months) == []


def test_an_archived_ledger_tells_the_same(months: Connection, owner: Connection) -> None:
    write_life(months)
    before, events = read_cursors(months), count_events(months)
    archived = archive(owner, "2026-09")
    assert [each.name for each in archived] == ["ing_cursor_event_2026_07", "ing_cursor_event_2026_08"]
    assert sum(each.events for each in archived) == 11
    kept = months.execute(
        "select count(*) from (select event_id from ledger_archive.ing_cursor_event_2026_07"
        " union select event_id from ledger_archive.ing_cursor_event_2026_08"
        " union select event_id from ing_cursor_event where request is null) as all_events"
    ).fetchone()
    assert kept == (events,), "nothing is deleted"
    # The quiet head, the tail, the token and the signal: the others have events that stay, or no value.
    carried = months.execute(
        "select series_id, operation, reason from ing_cursor_event where request like 'carried from %' order by 1, 2"
    ).fetchall()
    assert carried == [
        ("SIM/A", "UPDATE", "no-forward"),
        ("SIM/A", "UPDATE", "no-forward"),
        ("SIM/A/PT1M", "BACKFILL", "no-forward"),
        ("SIM/QUIET/PT1M", "HARVEST", "no-forward"),
    ]
    assert list_problems(months) == []
    months.commit()
    owner.execute("truncate ing_cursor")
    with months.transaction():
        ledger.rebuild(months)
    assert [row[:2] for row in read_cursors(months)] == [row[:2] for row in before]
    assert [row[-1] for row in read_cursors(months)] == [row[-1] for row in before]
    for namespace in (HEAD, TAIL, TOKEN):
        assert not ledger.replay_namespace(months, namespace).is_problem


def test_cursors_move_on_after_their_months_were_archived_again_and_again(
    months: Connection, owner: Connection
) -> None:
    write_life(months)
    for month in ("2026-08", "2026-09", "2026-10"):
        archive(owner, month)
        moved = parse_time(f"{month}-20")
        record(months, step(HEAD, moved, LATER), step(TAIL, JULY - moved, LATER), step(TOKEN, month, LATER))
        assert list_problems(months) == []
    assert archive(owner, "2026-10") == []
    assert ledger.replay_namespace(months, TOKEN).told == CursorValue(token="2026-10")


def test_a_missing_event_is_found_after_archiving_too(months: Connection, owner: Connection) -> None:
    write_life(months)
    archive(owner, "2026-09")
    with months.transaction():
        skip_a_link(months)
    assert list_problems(months) == [("HARVEST", "fine", True)]
    assert len(ledger.replay_namespace(months, HEAD).broken_events) == 1


def test_events_filed_in_an_older_month_than_those_they_follow_are_carried_over(
    months: Connection, owner: Connection
) -> None:
    """A page that was answered in August may be recorded after one that was answered in September."""
    record(
        months,
        step(HEAD, 10, AUGUST),
        step(HEAD, 20, SEPTEMBER),
        step(HEAD, 30, AUGUST),
        step(HEAD, 40, SEPTEMBER),
        step(TAIL, 20, SEPTEMBER),
        step(TAIL, 10, AUGUST),
        step(TOKEN, "a", SEPTEMBER),
        step(TOKEN, "b", AUGUST),
    )
    (archived,) = [each for each in archive(owner, "2026-09") if each.events]
    assert (archived.events, archived.copied, archived.carried) == (4, 3, 0)
    assert list_problems(months) == []
    for namespace, value in ((HEAD, CursorValue(40)), (TAIL, CursorValue(10)), (TOKEN, CursorValue(token="b"))):
        found = ledger.replay_namespace(months, namespace)
        assert (found.told, found.is_problem) == (value, False)


def test_an_older_value_that_stays_does_not_stand_for_the_newer_one_that_goes(
    months: Connection, owner: Connection
) -> None:
    """A writer that moved nothing tells what it read, which others may have passed meanwhile."""
    record(months, step(HEAD, 10, AUGUST), step(HEAD, 20, AUGUST))
    insert_event(months, reason="no-forward", prev_position=10, recorded_at=ms_to_time(SEPTEMBER))
    assert list_problems(months) == []
    archive(owner, "2026-09")
    assert list_problems(months) == []
    assert ledger.replay_namespace(months, HEAD).told == CursorValue(20)
    record(months, step(HEAD, 30, LATER))
    assert list_problems(months) == []
    assert not ledger.replay_namespace(months, HEAD).is_problem


@pytest.mark.parametrize("role", ["writer", "owner", "superuser that plays replica"])
def test_archived_events_are_protected_as_before(
    months: Connection, owner: Connection, postgres: Server, role: str
) -> None:
    write_life(months)
    archive(owner, "2026-09")
    url = find_url(postgres, role, months.info.dbname)
    refuse_changes(url, role, ["ledger_archive.ing_cursor_event_2026_07"])


def test_the_current_month_is_refused(months: Connection) -> None:
    with pytest.raises(InvalidInput, match="the current month can't be archived: --before may be 2026-10 at most"):
        ledger.archive(months, "2026-11", LATER)


def test_the_default_partition_is_archived_only_when_all_in_it_is_old(conn: Connection, owner: Connection) -> None:
    record(conn, step(HEAD, 10, AUGUST), step(HEAD, 20, SEPTEMBER))
    assert count_events(conn, "tableoid = 'ing_cursor_event_default'::regclass") == 2
    for month, archived in (("2026-09", []), ("2026-10", ["ing_cursor_event_default_2"])):
        assert [each.name for each in archive(owner, month) if each.events] == archived
        assert list_problems(conn) == []
    record(conn, step(HEAD, 30, SEPTEMBER))
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="append-only"):
        owner.execute("truncate ing_cursor_event_default")
    (again,) = archive(owner, "2027-01", parse_time("2027-01-05"))[-1:]
    assert again.name.startswith("ing_cursor_event_default_")
    assert list_problems(conn) == []
    assert ledger.replay_namespace(conn, HEAD).told == CursorValue(30)


def test_archiving_waits_for_writers_and_loses_none_of_their_events(
    months: Connection, database_url: str, owner: Connection
) -> None:
    write_life(months)
    cursors.record(months, NOBODY, [step(HEAD, SEPTEMBER + 70, AUGUST, "late")])
    with ThreadPoolExecutor(1) as pool, connect(database_url, purpose="look") as look:
        archiving = pool.submit(archive, owner, "2026-09")
        _await_a_waiting_session(look)
        months.commit()
        archiving.result(30)
    assert list_problems(months) == []
    assert ledger.replay_namespace(months, HEAD).told == CursorValue(SEPTEMBER + 70)


OLD_EVENTS = """
insert into ing_cursor_event (
    series_id, table_name, operation, direction, prev_value, new_value, reason, cap_key, request_time, row_count,
    recorded_at
) values
    ('SIM/A/PT1M', 'ohlc_v2', 'HARVEST', 'FORWARD', null, '2026-06-01', 'advanced', 'cap', now(), 3, '2026-06-02'),
    ('SIM/A/PT1M', 'ohlc_v2', 'HARVEST', 'FORWARD', '2026-06-01', '2026-06-01', 'no-forward', 'cap', now(), 3, now()),
    ('SIM/A/PT1M', 'ohlc_v2', 'HARVEST', 'FORWARD', '2026-06-01', '2026-07-01', 'advanced', '', now(), 3, '2026-07-01'),
    ('SIM/A/PT1M', 'ohlc_v2', 'BACKFILL', 'BACKFILL', null, '2026-05-01', 'advanced', 'cap', now(), 3, '2026-07-02')"""
OLD_VALUES = """
insert into ing_cursor (series_id, table_name, operation, value) values
    ('SIM/A/PT1M', 'ohlc_v2', 'HARVEST', '2026-07-01'), ('SIM/A/PT1M', 'ohlc_v2', 'BACKFILL', '2026-05-01')"""


def migrate_until(owner: Connection, last: int, folder: Path) -> None:
    """Make the database what it was after some migration, when one role did everything."""
    owner.execute("drop schema public cascade")
    owner.execute("drop schema ledger_archive cascade")
    owner.execute("create schema public")
    migrate(owner, copy_migrations(folder, lambda name: int(name[:4]) <= last))


def migrate_now(owner: Connection, conn: Connection) -> None:
    migrate(owner)
    admit_writer(owner, conn.info.user)


def test_a_ledger_with_an_archive_from_before_numbers_were_given_is_taken_over(
    conn: Connection, owner: Connection, tmp_path: Path, postgres: Server
) -> None:
    """The database made the numbers itself, in the archived month too."""
    migrate_until(owner, 9, tmp_path)
    for moment in (JULY, AUGUST, LATER):
        cursors.ensure_months(owner, moment)
    for moment, prev in ((JULY, None), (AUGUST, JULY)):
        row = EVENT | {"prev_position": prev, "new_position": moment, "recorded_at": ms_to_time(moment)}
        row["idempotent_key"] = str(moment)
        owner.execute(
            f"insert into ing_cursor_event ({', '.join(row)}) values ({', '.join(['%s'] * len(row))})",
            list(row.values()),
        )
    owner.execute("select archive_ledger_partition('ing_cursor_event_2026_07', now())")
    migrate_now(owner, conn)
    with conn.transaction():
        ledger.rebuild(conn)
    record(conn, step(HEAD, LATER, LATER))
    assert list_problems(conn) == []
    for role in ("writer", "owner"):
        url = find_url(postgres, role, conn.info.dbname)
        refuse_changes(url, role, ["ledger_archive.ing_cursor_event_2026_07", "ing_cursor_event"])
    owner.execute("drop trigger refuse_change on ledger_archive.ing_cursor_event_2026_07")
    owner.execute(
        "alter table ing_cursor_event attach partition ledger_archive.ing_cursor_event_2026_07"
        " for values from ('2026-07-01') to ('2026-08-01')"
    )
    assert ledger.replay_namespace(conn, HEAD).events == 3


def test_a_ledger_from_before_namespaces_is_taken_over_and_verifies(
    conn: Connection, owner: Connection, tmp_path: Path
) -> None:
    """It was written when a cursor had a series and an operation only."""
    migrate_until(owner, 6, tmp_path)
    owner.execute(OLD_EVENTS)
    owner.execute(OLD_VALUES)
    migrate_now(owner, conn)
    assert list_problems(conn) == []
    assert (cursors.read_value(conn, HEAD), cursors.read_value(conn, TAIL)) == (
        CursorValue(parse_time("2026-07-01")),
        CursorValue(parse_time("2026-05-01")),
    )
    assert count_events(conn, "tableoid = 'ing_cursor_event_2026_07'::regclass") == 2
    assert count_events(conn, "tableoid = 'ing_cursor_event_default'::regclass") == 0
    assert not ledger.replay_namespace(conn, HEAD).is_problem


def test_the_asset_check_of_each_table_reports_what_differs(months: Connection) -> None:
    write_life(months)
    for table_name in ("ohlc_v2", "interest_rate"):
        assert check_ledger(ledger.verify(months, table_name)).passed
    months.execute("update ing_cursor set position = position + %s where operation = 'HARVEST'", [MINUTE_MS])
    months.commit()
    assert check_ledger(ledger.verify(months, "interest_rate")).passed
    result = check_ledger(ledger.verify(months, "ohlc_v2"))
    assert (result.passed, result.severity) == (False, AssetCheckSeverity.ERROR)
    assert result.description == "2 of 4 cursors are not what their events say: 2 differing"
    assert result.metadata["differing"].value == 2
    listed = result.metadata["worst"]
    assert isinstance(listed, TableMetadataValue)
    worst = [record.data["series_id"] for record in listed.records]
    assert worst == ["SIM/A/PT1M", "SIM/QUIET/PT1M"]
