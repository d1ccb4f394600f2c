"""`series cursors` as a person and a script meet it: values, proofs, repairs, and one-line errors."""

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from series_pipelines.cli import series
from series_pipelines.core.times import parse_time
from series_pipelines.ingest.ledger import append as cursors
from series_pipelines.ingest.ledger.cursor import (
    CursorValue,
    Namespace,
    backfill_namespace,
    harvest_namespace,
    signal_namespace,
)
from series_pipelines.postgres.connection import Connection
from tests.support.cli_results import Run
from tests.support.simulation import MovableClock, World, make_product, make_vendor

SERIES = "SIM/A/PT1M"
JUNE, JULY = parse_time("2026-06-10"), parse_time("2026-07-10T08:30")
HEAD, TAIL = harvest_namespace("ohlc_v2", SERIES), backfill_namespace("ohlc_v2", SERIES)
TOKEN = Namespace("ohlc_v2", SERIES, "UPDATE", "CUSTOM", "feed", "TOKEN")


@pytest.fixture
def run(series_environment: dict[str, str], conn: Connection) -> Run:
    """Run `series cursors …` in this process, on a series that has come some way in June and July."""
    clock = MovableClock()
    World(series_environment["SERIES_DATABASE_URL"], [make_vendor(clock, [make_product("SIM/A", JUNE)])], clock).close()
    for moment in (JUNE, JULY):
        cursors.ensure_months(conn, moment)
    steps = [
        *((HEAD, CursorValue(moment), moment) for moment in (JUNE, JULY)),
        (TAIL, CursorValue(JUNE), JUNE),
        (signal_namespace("ohlc_v2", SERIES, "batch"), CursorValue(77), JULY),
        (TOKEN, CursorValue(token="abc"), JULY),
    ]
    for number, (namespace, value, moment) in enumerate(steps):
        cursors.record(conn, cursors.Author("cap"), [cursors.CursorStep(namespace, value, moment, f"page {number}")])
    conn.commit()

    def invoke(*arguments: str) -> Result:
        result = CliRunner().invoke(series, ["cursors", *arguments], prog_name="series")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return invoke


def read_json(result: Result, exit_code: int = 0) -> Any:
    assert result.exit_code == exit_code, result.output
    return json.loads(result.stdout)


def read_error(result: Result, exit_code: int = 2) -> str:
    assert (result.exit_code, result.stdout) == (exit_code, "")
    (line,) = result.stderr.splitlines()
    return line.removeprefix("series: error: ")


def spoil(conn: Connection, statement: str) -> None:
    conn.execute(statement)
    conn.commit()


def test_show_tells_times_ids_and_tokens_as_what_they_are(run: Run) -> None:
    shown = {each["operation"] + each["key"]: each["value"] for each in read_json(run("show", "--json"))}
    assert shown == {
        "HARVEST": "2026-07-10T08:30:00.000Z",
        "BACKFILLhistory": "2026-06-10T00:00:00.000Z",
        "UPDATEbatch": "77",
        "UPDATEfeed": "abc",
    }
    table = run("show", "SIM/A/1m", "--operation", "HARVEST").stdout
    assert "2026-07-10T08:30:00.000Z" in table
    assert "BACKFILL" not in table
    assert [each["key"] for each in read_json(run("show", "SIM/*", "--operation", "UPDATE", "--json"))] == [
        *("batch", "feed")
    ]


def test_replay_compares_each_namespace_with_where_it_stands(run: Run, conn: Connection) -> None:
    replayed = run("replay", SERIES)
    assert replayed.exit_code == 0
    assert replayed.stdout.count("fine") == 4
    spoil(conn, "update ing_cursor set position = position + 1 where operation = 'HARVEST'")
    spoil(conn, "delete from ing_cursor where operation = 'BACKFILL' or cursor_type = 'TOKEN'")
    (head,) = read_json(run("replay", SERIES, "--operation", "HARVEST", "--json"), 1)
    assert (head["state"], head["told"]["position"], head["held"]["position"]) == ("differs", JULY, JULY + 1)
    (tail,) = read_json(run("replay", SERIES, "--key", "history", "--json"), 1)
    assert (tail["state"], tail["told"]["value"]) == ("lost", "2026-06-10T00:00:00.000Z")
    (token,) = read_json(run("replay", SERIES, "--key", "feed", "--json"), 1)
    assert (token["state"], token["type"], token["told"]["token"]) == ("lost", "TOKEN", "abc")


def test_replay_names_the_events_that_do_not_follow(run: Run, conn: Connection) -> None:
    spoil(
        conn,
        "insert into ing_cursor_event (namespace_id, prev_position, new_position, recorded_at, table_name, series_id,"
        " operation, namespace_scope, namespace_key, direction, cursor_type, reason, idempotent_key) select"
        " namespace_id, new_position + 10, new_position + 20, recorded_at, table_name, series_id, operation,"
        " namespace_scope, namespace_key, direction, cursor_type, reason, 'gap' from ing_cursor_event"
        f" where new_position = {JULY} and operation = 'HARVEST'",
    )
    (head,) = read_json(run("replay", SERIES, "--operation", "HARVEST", "--json"), 1)
    assert head["broken"]
    assert len(head["broken_events"]) == 1
    assert f"1 broken, the first is event {head['broken_events'][0]}" in run("replay", SERIES).stdout


def test_verify_says_what_is_wrong_and_rebuild_mends_it(run: Run, conn: Connection) -> None:
    verified = run("verify")
    assert verified.exit_code == 0
    proof, months, tables, roles = verified.stdout.splitlines()
    assert proof == "5 events in 4 namespaces: 0 differ, 0 lost, 0 without events, 0 broken chains"
    assert months == "2 closed months: 0 do not hold what they held"
    assert tables.endswith("tables of events: all refuse changes")
    assert roles.endswith("the role of this command, can't switch that off")
    spoil(conn, "update ing_cursor set position = 1 where operation = 'HARVEST'")
    spoil(conn, "delete from ing_cursor where operation = 'BACKFILL'")
    verified = run("verify", "--table", "ohlc_v2")
    assert verified.exit_code == 1
    assert "5 events in 4 namespaces: 1 differ, 1 lost, 0 without events, 0 broken chains" in verified.stdout
    assert "1970-01-01T00:00:00.001Z" in verified.stdout
    found = read_json(run("verify", "--json"), 1)
    assert [(each["operation"], each["state"]) for each in found["problems"]] == [
        ("HARVEST", "differs"),
        ("BACKFILL", "lost"),
    ]
    assert read_json(run("verify", "--table", "interest_rate", "--json"))["events"] == 0
    mended = run("rebuild")
    assert mended.exit_code == 0
    assert "2 of 4 cursors were made again: 1 were lost, 1 differed, 0 had no events and are gone" in mended.stdout
    assert read_json(run("rebuild", "--json")) == []
    assert run("verify").exit_code == 0


def test_archive_moves_old_months_and_verify_still_holds(run: Run) -> None:
    assert "ing_cursor_event_2026_06" in run("archive", "--before", "2026-07").stdout
    moved = read_json(run("archive", "--before", "2026-08", "--json"))
    assert moved == [{"archived": "ing_cursor_event_2026_07", "events": 3, "carried": 3}]
    assert run("archive", "--before", "2026-08").stdout == "no month before 2026-08 is left to archive\n"
    assert run("verify").exit_code == 0
    assert run("replay", SERIES).exit_code == 0


def test_errors_are_one_line(run: Run) -> None:
    assert "the current month can't be archived" in read_error(run("archive", "--before", "2999-01"))
    assert read_error(run("archive", "--before", "July")) == "--before 'July' is not a month: expected one like 2026-10"
    assert "SIM/B" in read_error(run("show", "SIM/B/PT1M"))
    assert read_error(run("replay", SERIES, "--key", "nothing")) == f"no page of {SERIES} was recorded as asked"
    assert "Missing argument" in read_error(run("replay"))


@pytest.mark.parametrize("command", ["show", "replay", "verify", "rebuild", "archive"])
def test_help_gives_an_example(command: str) -> None:
    shown = CliRunner().invoke(series, ["cursors", command, "--help"], prog_name="series").stdout
    assert f"Example: series cursors {command}" in shown
    assert "--json" in shown
