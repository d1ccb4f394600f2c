"""The five points by which the cursor ledger is accepted, each as a test, on pages as lanes commit them."""

import itertools
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from series_pipelines.core.ranges import Range
from series_pipelines.ingest.ledger import append as cursors
from series_pipelines.ingest.ledger import audit as ledger
from series_pipelines.ingest.ledger.append import Author
from series_pipelines.ingest.ledger.cursor import CursorValue, backfill_namespace, harvest_namespace
from series_pipelines.ingest.pages.check import Page
from series_pipelines.ingest.pages.outcome import judge_page
from series_pipelines.ingest.planning.cadence import bar_cadence
from series_pipelines.ingest.planning.requests import Fetch
from series_pipelines.ingest.storing import states
from series_pipelines.ingest.storing.commit import Finished, commit_group
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.postgres.queries import load_queries
from tests.support.bars import make_bar
from tests.support.simulation import NOON_MS, MovableClock, World, make_product, make_vendor

MINUTE = 60_000
START = NOON_MS - 1_000 * MINUTE
SERIES = "SIM/A/PT1M"
HEAD, TAIL = harvest_namespace("ohlc_v2", SERIES), backfill_namespace("ohlc_v2", SERIES)
NUMBERS = itertools.count()


@pytest.fixture
def world(database_url: str) -> Iterator[World]:
    clock = MovableClock()
    world = World(
        database_url, [make_vendor(clock, [make_product("SIM/A", START), make_product("SIM/B", START)])], clock
    )
    yield world
    world.close()


def time_of(index: int) -> int:
    """Return when a bar begins."""
    return START + index * MINUTE


def commit(conn: Connection, kind: str, *indices: int) -> None:
    """Commit a page of some bars, as the lane of heads or that of tails does."""
    facts = states.read_facts(conn, "ohlc_v2", series_ids=[SERIES])[0]
    conn.commit()
    rows: Any = [
        make_bar(time_of(index), time_of(index + 1), "1.5", "2", "1", "1.5", f"{next(NUMBERS)}") for index in indices
    ]
    page = Page(rows, Range(rows[0][0], rows[-1][1]), len(rows))
    fetch: Any = Fetch(kind, "head" if kind == "head" else "start", NOON_MS, "test")  # type: ignore[arg-type]
    outcome = judge_page(facts, fetch, page, bar_cadence("PT1M", 0), NOON_MS)
    finished = Finished(facts, fetch, NOON_MS, page, outcome, next(NUMBERS))
    commit_group(
        conn, "ohlc_v2", Author("cap", lane=f"lane of {kind}s", direction="backward", run_id="run"), [finished]
    )


def read_row(conn: Connection, operation: str) -> Any:
    """Return a cursor with where and by which transaction it was written."""
    row = conn.execute(
        "select position, version, ctid, xmin::text from ing_cursor where series_id = %s and operation = %s",
        [SERIES, operation],
    ).fetchone()
    conn.commit()
    return row


def test_1_harvest_and_backfill_in_parallel_do_not_rewrite_the_forward_cursor(world: World) -> None:
    commit(world.conn, "head", 500)

    def work(kind: str) -> None:
        with connect(world.url, purpose=kind) as conn:
            for index in range(1, 31):
                commit(conn, kind, 500 + index if kind == "head" else 500 - index)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, ("head", "tail")))
    forward = read_row(world.conn, "HARVEST")
    assert forward[:2] == (time_of(531), 31), "31 heads moved it, and nobody else"
    lanes = world.conn.execute("select distinct operation, lane from ing_cursor_event order by 1").fetchall()
    assert lanes == [("BACKFILL", "lane of tails"), ("HARVEST", "lane of heads")]
    commit(world.conn, "tail", 469)
    commit(world.conn, "tail", 900)
    assert read_row(world.conn, "HARVEST") == forward, "not one byte of it was written"
    assert read_row(world.conn, "BACKFILL")[0] == time_of(469)


def test_2_events_alone_rebuild_the_cursor(world: World, owner: Connection) -> None:
    world.settle()
    conn = world.conn
    columns = "select namespace_id, position, token, direction, cursor_type from ing_cursor order by 1"
    before = conn.execute(columns).fetchall()
    assert len(before) == 4
    conn.commit()
    owner.execute("truncate ing_cursor, series_state, series_data_range, ohlc_v2, capability_state, product")
    with conn.transaction():
        ledger.rebuild(conn)
    assert conn.execute(columns).fetchall() == before
    assert ledger.verify(conn).problems == []


def test_3_no_record_shows_a_step_back(world: World) -> None:
    world.settle()
    for index in (3, 990, 1, 995, 2):
        commit(world.conn, "head", index)
        commit(world.conn, "tail", index)
    back = """
        select count(*) filter (where direction = 'FORWARD' and new_position < prev_position),
               count(*) filter (where direction = 'BACKFILL' and new_position > prev_position),
               count(*) filter (where reason = 'advanced' and prev_position is distinct from reached)
        from (select *, lag(new_position) over (partition by namespace_id order by event_id) as reached
              from ing_cursor_event where reason = 'advanced') as moved"""
    assert world.conn.execute(back).fetchone() == (0, 0, 0)
    reasons = world.conn.execute("select reason, count(*) > 4 from ing_cursor_event group by 1 order by 1").fetchall()
    assert reasons == [("advanced", True), ("no-forward", True)]
    with pytest.raises(psycopg.errors.CheckViolation, match="no_step_back"):
        world.conn.execute(
            "insert into ing_cursor_event (namespace_id, prev_position, new_position, recorded_at, table_name,"
            " series_id, operation, namespace_scope, namespace_key, direction, cursor_type, reason, idempotent_key)"
            " values (1, 20, 10, now(), 'ohlc_v2', 'SIM/A/PT1M', 'HARVEST', 'GLOBAL', '', 'FORWARD', 'TIME',"
            " 'advanced', 'back')"
        )


def test_4_late_rows_come_through_later_windows_and_move_nothing_back(world: World) -> None:
    conn = world.conn
    commit(conn, "head", *(index for index in range(10) if index != 5))
    windows = conn.execute("select window_from, window_to from ing_cursor_event").fetchall()
    inside = """
        select array_agg((extract(epoch from created_at) * 1000)::bigint order by created_at)
        from ohlc_v2 where created_at >= %s and created_at < %s"""
    conn.commit()
    commit(conn, "head", 10, 11)
    assert cursors.read_value(conn, HEAD) == CursorValue(time_of(12))
    # The bar that begins when the first window ends is in the next one.
    first = [time_of(index) for index in range(10) if index != 5]
    assert conn.execute(inside, windows[0]).fetchone() == (first,)
    assert read_window(conn, 2) == (time_of(10), time_of(12))
    # The overlap of a later window brings the late row, and goes on.
    commit(conn, "head", *range(4, 14))
    assert cursors.read_value(conn, HEAD) == CursorValue(time_of(14))
    assert conn.execute(inside, windows[0]).fetchone() == (sorted([*first, time_of(5)]),)
    # A window in which all is late changes rows, and leaves an event that says that nothing moved.
    before = read_row(conn, "HARVEST")
    commit(conn, "head", 5, 6)
    assert read_row(conn, "HARVEST") == before
    last = conn.execute(
        "select reason, prev_position, new_position from ing_cursor_event order by event_id desc limit 1"
    ).fetchone()
    assert last == ("no-forward", time_of(14), time_of(14))
    assert ledger.verify(conn).problems == []


def read_window(conn: Connection, number: int) -> Any:
    row: Any = conn.execute(
        "select window_from, window_to from ing_cursor_event order by event_id offset %s limit 1", [number - 1]
    ).fetchone()
    conn.commit()
    return tuple(round(moment.timestamp() * 1000) for moment in row)


def test_5_replay_cost_follows_the_events_selected(conn: Connection) -> None:
    for month in ("2026-07-01", "2026-08-01"):
        conn.execute("select ensure_ledger_month(%s::timestamptz)", [month])
    filled = {f"ing_cursor_event_{name}" for name in ("2026_07", "2026_08", "default")}
    chains = {"SIM/SHORT/PT1M": 60, "SIM/LONG/PT1M": 600}
    for series_id, events in chains.items():
        write_chain(conn, series_id, events)
    costs = {}
    for others in (range(60), range(60, 180)):
        for number in others:
            write_chain(conn, f"SIM/{number}/PT1M", 300)
        conn.commit()
        conn.autocommit = True
        conn.execute("vacuum analyze ing_cursor_event")
        conn.autocommit = False
        for series_id, events in chains.items():
            plan = explain_replay(conn, series_id)
            leaves = {leaf["Relation Name"]: leaf for leaf in find_leaves(plan)}
            for name in filled:
                assert leaves[name]["Node Type"] in ("Index Scan", "Bitmap Heap Scan"), name
                assert "(namespace_id = " in str(leaves[name])
                assert not leaves[name].get("Rows Removed by Filter")
            assert sum(leaf["Actual Rows"] * leaf["Actual Loops"] for leaf in leaves.values()) == events
            costs[series_id, others.stop] = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    assert costs["SIM/LONG/PT1M", 60] <= 10 * costs["SIM/SHORT/PT1M", 60], "ten times the events, at most ten the pages"
    for series_id in chains:
        assert costs[series_id, 180] < 1.2 * costs[series_id, 60] + 20, "others cost nothing"


def write_chain(conn: Connection, series_id: str, events: int) -> None:
    """Write events over two months and some time that has no month of its own."""
    conn.execute(
        """
        insert into ing_cursor_event (
            namespace_id, prev_position, new_position, recorded_at, table_name, series_id, operation, namespace_scope,
            namespace_key, direction, cursor_type, reason, idempotent_key
        )
        select find_namespace_id('ohlc_v2', %(series_id)s, 'HARVEST', 'GLOBAL', ''),
               nullif(n - 1, 0), n, timestamptz '2026-05-20' + n * interval '95 days' / %(events)s, 'ohlc_v2',
               %(series_id)s, 'HARVEST', 'GLOBAL', '', 'FORWARD', 'TIME', 'advanced', %(series_id)s || n
        from generate_series(1, %(events)s) as n""",
        {"series_id": series_id, "events": events},
    )


def explain_replay(conn: Connection, series_id: str) -> Any:
    statement: Any = f"explain (analyze, buffers, format json) {load_queries('ingest/ledger')['read_events']}"
    names = {"table_name": "ohlc_v2", "series_id": series_id, "operation": "HARVEST", "scope": "GLOBAL", "key": ""}
    row: Any = conn.execute(statement, names).fetchone()
    conn.commit()
    explained = row[0] if isinstance(row[0], list) else json.loads(row[0])
    return explained[0]["Plan"]


def find_leaves(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "Relation Name" in plan:
        yield plan
    for child in plan.get("Plans", ()) if "Relation Name" not in plan else ():
        yield from find_leaves(child)
