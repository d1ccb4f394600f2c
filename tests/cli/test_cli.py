"""The command line as a person and a script meet it: results, errors of one line, exit codes."""

import io
import itertools
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from rich.console import Console

from series_pipelines.actions import backfill
from series_pipelines.api.reading import read_ohlc
from series_pipelines.app.settings import Settings, load_settings
from series_pipelines.cli import series
from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import INTEREST_RATE, OHLC
from series_pipelines.core.times import format_iso, parse_time
from series_pipelines.errors import VendorError, VendorRejected, VendorUnavailable
from series_pipelines.ingest.lane.order import Ending, LaneEnd, LaneReport
from series_pipelines.ingest.storing import capabilities, ranges, states
from series_pipelines.ingest.storing.rows import SeriesRows, write_rows
from series_pipelines.postgres import locks
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.contract import Reply, Request
from series_pipelines.vendors.demo.vendor import DemoVendor
from tests.support.bars import BAR_NAMES, make_bar
from tests.support.cli_results import Run, read_error, succeed

SERIES_BIN = Path(sys.executable).with_name("series")
SWAP_HOURS = "DEMO/SWAP/BTC-USDT/PT1H"
SWAP_LANE = "IngestOHLC/DEMO%2FSWAP%2F/backward"
PRICE = "1.234567890123456789"
HOUR_MS = 3_600_000
START_MS = parse_time("2026-03-01")

PEEK_COLUMNS = ["cap_key", "series", "head_queue", "tail_queue", "in_flight", "backoff_ms", "next_eligible_at"]
PEEK_COLUMNS += ["last_error", "method", "prefix", "direction"]


def write_bars(conn: Connection, series_id: str, count: int = 24) -> None:
    rows = [
        make_bar(START_MS + n * HOUR_MS, START_MS + (n + 1) * HOUR_MS, *[PRICE] * 4, f"{n}.0") for n in range(count)
    ]
    write_rows(conn, OHLC, [SeriesRows(series_id, rows)])
    conn.commit()


def run_real(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SERIES_BIN, *arguments], env={**os.environ, **environment}, capture_output=True, text=True, timeout=60
    )


def test_every_command_explains_itself_with_an_example() -> None:
    overview = CliRunner().invoke(series, ["--help"]).stdout
    for name in series.commands:
        assert f"\n  {name} " in overview
        help_text = CliRunner().invoke(series, [name, "--help"]).stdout
        assert re.search(rf"Example: .*series {name}", help_text), name


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from series_pipelines.cli import series\n"
        "try: series(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'dagster', 'pandas', 'numpy', 'psycopg', 'pydantic', 'rich', 'series_pipelines.vendors'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_migrate_names_what_it_applied_once(run: Run, owner: Connection) -> None:
    assert succeed(run("migrate")) == "nothing to do\n"
    owner.execute("drop schema public cascade")
    owner.execute("create schema public")
    assert "run `series migrate`" in read_error(run("peek"), 1)
    applied = succeed(run("migrate")).splitlines()
    assert applied[0] == "applied ingest/0001_series.sql"
    assert succeed(run("migrate")) == "nothing to do\n"


def test_products_are_asked_for_once_and_found_by_any_case(run: Run, conn: Connection) -> None:
    first = run("products", "btc", "--json")
    assert "asking the vendors" in first.stderr
    found = json.loads(succeed(first))
    assert [product["product_id"] for product in found] == [
        "DEMO/MARGIN/BTC-USDT",
        "DEMO/SPOT/BTC-USDT",
        "DEMO/SWAP/BTC-USDT",
    ]
    assert found[2]["price_step"] == "0.1"
    assert datetime.fromisoformat(found[2]["listed_at"]).tzinfo is not None
    assert run("products").stderr == ""
    conn.execute("update product set name = 'stale' where product_id = 'DEMO/SWAP/BTC-USDT'")
    conn.commit()
    assert "stale" in succeed(run("products", "BTC"))
    assert "stale" not in succeed(run("products", "BTC", "--refresh"))
    assert "no product contains 'nothing'" in run("products", "nothing").stderr


def test_peek_shows_the_global_numbers_and_each_capability(run: Run, conn: Connection) -> None:
    peek = json.loads(succeed(run("peek", "--json")))
    assert peek["capability_count"] == len(peek["capabilities"]) == 4
    assert peek["global_in_flight"] == 0
    assert peek["global_head_backlog"] == sum(row["head_queue"] for row in peek["capabilities"]) > 0
    assert peek["global_tail_backlog"] == 0
    assert all(list(row) == PEEK_COLUMNS for row in peek["capabilities"])
    assert locks.try_capability(conn, SWAP_LANE)
    now_ms = time.time_ns() // 1_000_000
    capabilities.write_pause(conn, SWAP_LANE, 5_000, now_ms + 60_000, "429 slow down\nplease", now_ms)
    conn.commit()
    text = succeed(run("peek"))
    assert text.startswith("1 in flight · 4 capabilities · ")
    (line,) = [line for line in text.splitlines() if line.startswith(SWAP_LANE)]
    assert "429 slow down please" in line
    assert "5 s" in line


def test_plan_lists_what_a_lane_takes_next_longest_waiting_first(run: Run, conn: Connection) -> None:
    planned = json.loads(succeed(run("plan", "--table", "ohlc_v2", "--limit", "3", "--json")))
    assert [work["series_id"] for work in planned] == sorted(work["series_id"] for work in planned)
    assert {work["kind"] for work in planned} == {"head"}
    assert set(planned[0]) == {
        *("series_id", "table_name", "cap_key", "kind", "is_due", "due_at", "target", "asks_at", "why"),
        *("last_tried_at", "waits_because"),
    }
    conn.execute("update series_state set head_attempted_at = now() where series_id <> %s", [SWAP_HOURS])
    conn.commit()
    first = json.loads(succeed(run("plan", "--json")))[0]
    assert first["series_id"] == SWAP_HOURS
    assert first["why"] == "nothing is stored yet"
    assert json.loads(succeed(run("plan", "--kind", "tail", "--json"))) == []


def test_plan_says_of_named_series_why_nothing_is_due_and_until_when(run: Run, conn: Connection) -> None:
    succeed(run("ingest", SWAP_HOURS))
    head, tail = json.loads(succeed(run("plan", SWAP_HOURS, "--json")))
    assert (head["kind"], head["is_due"], head["why"]) == ("head", False, "fresh")
    assert parse_time(head["due_at"]) > time.time() * 1000
    assert (tail["is_due"], tail["why"]) == (False, "complete back to its listing, which is then verified again")
    assert parse_time(tail["due_at"]) > parse_time(head["due_at"])
    assert SWAP_HOURS not in succeed(run("plan", "--kind", "tail"))
    now_ms = time.time_ns() // 1_000_000
    capabilities.write_pause(conn, SWAP_LANE, 5_000, now_ms + 60_000, "429", now_ms)
    conn.commit()
    assert "the capability backs off until" in succeed(run("plan", "DEMO/SWAP/ETH-USDT/1h"))


def test_plan_calls_due_what_the_sensors_count_as_due(run: Run, conn: Connection) -> None:
    verified, paused, gapped = (f"DEMO/SWAP/{product}-USDT/PT4H" for product in ("BTC", "ETH", "SOL"))
    succeed(run("ingest", verified, paused, gapped))
    due = "update series_state set recheck_at = now() - interval '1 minute' where series_id = any(%s)"
    conn.execute(due, [[verified, paused, gapped]])
    conn.execute("update series_state set start_eligible_at = now() + interval '1 h' where series_id = %s", [paused])
    ranges.add(conn, "ohlc_v2", [(gapped, Range(0, HOUR_MS))])
    conn.commit()
    works = json.loads(succeed(run("plan", "--limit", "1000", "--json")))
    peek = json.loads(succeed(run("peek", "--json")))
    for kind in ("head", "tail"):
        assert sum(work["kind"] == kind for work in works) == peek[f"global_{kind}_backlog"]
    tails = {work["series_id"]: (work["target"], work["why"]) for work in works if work["kind"] == "tail"}
    assert tails.keys() == {verified, gapped}
    assert tails[verified] == ("start", "its listing is to be verified again")
    assert tails[gapped][0] == "gap"
    _, tail = json.loads(succeed(run("plan", paused, "--json")))
    assert (tail["is_due"], parse_time(tail["due_at"]) > time.time() * 1000) == (False, True)
    assert tail["why"].startswith("complete back to its listing")


def test_plan_holds_tails_back_while_many_heads_wait(run: Run) -> None:
    succeed(run("ingest", "DEMO/SWAP/BTC-USDT/1m", "--pages", "1"))
    (tail,) = json.loads(succeed(run("plan", "--kind", "tail", "--json")))
    assert tail["series_id"] == "DEMO/SWAP/BTC-USDT/PT1M"
    assert (tail["target"], tail["why"]) == ("start", "history before the first row")
    assert re.fullmatch(r"\d+ heads wait, tails go on below 20", tail["waits_because"])


def test_ingest_completes_series_of_both_tables_and_leaves_one_range_each(run: Run, conn: Connection) -> None:
    result = run("ingest", "DEMO/SWAP/BTC-USDT/1d", "DEMO/SPOT/*/1d", "DEMO/SWAP/BTC-USDT", "--json")
    done = json.loads(succeed(result))
    assert done["failed"] == {}
    assert not done["interrupted"]
    assert [lane["series"] for lane in done["lanes"]] == [1, 2, 1]
    assert all(lane["ended"] == "nothing more is due" for lane in done["lanes"])
    assert done["pages"] == sum(lane["pages"] for lane in done["lanes"])
    measured = json.loads(succeed(run("coverage", "DEMO/SWAP/BTC-USDT/1d", "DEMO/SPOT/*/1d", "--json")))
    assert len(measured) == 3
    healthy: tuple[float, int, int, list[object]] = (100.0, 0, 0, [])
    shown = ("percent", "lag_seconds", "unknown_seconds", "gaps")
    assert [tuple(entry[name] for name in shown) for entry in measured] == [healthy] * 3
    assert all(list(entry["kinds"]) == ["data"] for entry in measured)
    assert "by kind: data" in (text := succeed(run("coverage", "DEMO/SPOT/*/1d")))
    assert "unknown" not in text.splitlines()[-1]
    for known in states.find_series(conn, [entry["series_id"] for entry in measured]):
        stored = ranges.read(conn, "ohlc_v2", [known.series_id])[known.series_id]
        assert len(stored) == 1
    assert "0 ranges became 0" in succeed(run("ingest", "DEMO/SWAP/BTC-USDT/1d"))


def test_ingest_can_be_narrowed_to_pages_to_a_kind_and_to_a_window(run: Run, conn: Connection) -> None:
    (lane,) = json.loads(succeed(run("ingest", "DEMO/SWAP/*/1m", "--pages", "2", "--json")))["lanes"]
    assert (lane["requests"], lane["ended"]) == (2, "2 pages were asked for")
    succeed(run("ingest", SWAP_HOURS, "--kind", "head"))
    assert len(ranges.read(conn, "ohlc_v2", [SWAP_HOURS])[SWAP_HOURS]) == 1
    conn.commit()
    listed = read_ohlc(SWAP_HOURS).index[0]
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    start, end = midnight - timedelta(days=60), midnight - timedelta(days=59)
    assert start < listed
    succeed(run("ingest", SWAP_HOURS, "--start", start.isoformat(), "--end", end.isoformat()))
    wanted = Range(int(start.timestamp() * 1000), int(end.timestamp() * 1000))
    stored = ranges.read(conn, "ohlc_v2", [SWAP_HOURS])[SWAP_HOURS]
    assert any(found.start_ms <= wanted.start_ms and wanted.end_ms <= found.end_ms for found in stored)
    (entry,) = json.loads(succeed(run("coverage", SWAP_HOURS, "--json")))
    assert len(entry["gaps"]) == 1


@pytest.mark.parametrize("failing", [1, 2])
def test_ingest_fetches_as_many_pages_as_were_asked_for_whatever_failed_between(
    run: Run, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    fetch, asked = DemoVendor.fetch, itertools.count(1)

    def fail_once(vendor: DemoVendor, request: Request) -> Reply:
        if next(asked) == failing:
            raise VendorRejected("not now")
        return fetch(vendor, request)

    monkeypatch.setattr(DemoVendor, "fetch", fail_once)
    arguments = ("DEMO/SWAP/BTC-USDT/1m", "DEMO/SWAP/ETH-USDT/1m", "--pages", "3", "--json")
    (lane,) = json.loads(run("ingest", *arguments).stdout)["lanes"]
    assert (lane["requests"], lane["pages"], lane["ended"]) == (4, 3, "3 pages were asked for")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (VendorRejected("no such symbol"), "no such symbol"),
        (VendorUnavailable("503 maintenance"), "the capability backs off: 503 maintenance"),
    ],
)
def test_ingest_exits_with_one_when_series_fail_and_says_why(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: VendorError, reason: str
) -> None:
    def fail(vendor: DemoVendor, request: Request) -> Reply:
        raise error

    monkeypatch.setattr(DemoVendor, "fetch", fail)
    result = run("ingest", SWAP_HOURS, "--seconds", "1")
    assert result.exit_code == 1
    assert f"series: failed: {SWAP_HOURS}: {reason}\n" in result.stderr


def test_ingest_says_how_many_requests_were_left_behind(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("products", "--refresh")
    for left_behind in (0, 2):
        report = LaneReport(
            requests=3, left_behind=left_behind, ending=Ending(LaneEnd.NOTHING_IS_DUE, "it was stubbed")
        )
        monkeypatch.setattr(backfill, "run_lane", lambda *_, report=report: report)
        [lane] = json.loads(run("ingest", SWAP_HOURS, "--json").stdout)["lanes"]
        assert lane["left_behind"] == left_behind
        told = f"series: {SWAP_LANE}: {left_behind} requests were not answered in time, and left behind\n"
        assert (told in run("ingest", SWAP_HOURS).stderr) == (left_behind > 0)


def test_ingest_waits_for_a_busy_capability_only_as_long_as_it_may(run: Run, conn: Connection) -> None:
    succeed(run("peek"))
    assert locks.try_capability(conn, SWAP_LANE)
    result = run("ingest", SWAP_HOURS, "--seconds", "1")
    assert result.exit_code == 1
    assert "was not let go within 1 s" in result.stderr


def test_a_retired_series_can_be_seen_and_read_but_not_ingested(run: Run, conn: Connection) -> None:
    succeed(run("ingest", "DEMO/SWAP/BTC-USDT/1d"))
    conn.execute("update series_state set active = false where series_id = 'DEMO/SWAP/BTC-USDT/P1D'")
    conn.commit()
    assert "has retired" in read_error(run("ingest", "DEMO/SWAP/BTC-USDT/1d"), 2)
    assert "has retired" in read_error(run("plan", "DEMO/SWAP/BTC-USDT/P1*D"), 2)
    assert "'DEMO/SWAP/BTC-USDT/P1D', which has retired?" in read_error(run("ingest", "demo/swap/btc-usdt/1d"), 2)
    assert "P1D" not in read_error(run("ingest", "DEMO/SWAP/BTC-USDT/2d"), 2)
    assert "retired" in succeed(run("coverage", "DEMO/SWAP/BTC-USDT/1d"))
    conn.execute("update series_state set active = false where product_id = 'DEMO/SWAP/BTC-USDT'")
    conn.commit()
    assert "'DEMO/SWAP/BTC-USDT' has retired, no vendor offers it" in read_error(
        run("ingest", "DEMO/SWAP/BTC-USDT/2d"), 2
    )
    assert "retired" in succeed(run("coverage", "DEMO/SWAP/BTC-USDT/*"))
    assert succeed(run("read", "DEMO/SWAP/BTC-USDT/1d")).count("\n") > 30


def test_coverage_draws_a_bar_and_is_never_cut(run: Run, conn: Connection) -> None:
    succeed(run("peek"))
    now_ms = time.time_ns() // 1_000_000
    day_ms = 24 * HOUR_MS
    for start_ms, end_ms in ((now_ms - 60 * day_ms, now_ms - 30 * day_ms), (now_ms - 10 * day_ms, now_ms + day_ms)):
        ranges.add(conn, "ohlc_v2", [(SWAP_HOURS, Range(start_ms, end_ms))])
    conn.commit()
    text = succeed(run("coverage", SWAP_HOURS))
    (line,) = [line for line in text.splitlines() if line.startswith(SWAP_HOURS)]
    bar = line[line.index("▕") + 1 : line.index("▏")]
    assert len(bar) == 30
    assert bar[0] == " "
    assert bar[-1] == "█"
    assert " " in bar.strip()
    assert "1 series, " in text
    assert "1 gap\n" in text
    (entry,) = json.loads(succeed(run("coverage", SWAP_HOURS, "--json")))
    assert entry["gaps"] == [{"start": format_iso(now_ms - 30 * day_ms), "end": format_iso(now_ms - 10 * day_ms)}]
    assert len(json.loads(succeed(run("coverage", "--json")))) == 42
    assert len(json.loads(succeed(run("coverage", "--table", "interest_rate", "--json")))) == 6


def test_compact_says_how_many_ranges_became_how_many(run: Run, conn: Connection) -> None:
    succeed(run("peek"))
    for start_ms, end_ms in ((0, 10), (5, 20), (6, 7), (20, 30), (40, 50)):
        for series_id in (SWAP_HOURS, "DEMO/SWAP/BTC-USDT/P1D"):
            statement = "insert into series_data_range values (%s, 'ohlc_v2', to_timestamp(%s), to_timestamp(%s))"
            conn.execute(statement, [series_id, start_ms, end_ms])
    conn.commit()
    assert "ohlc_v2: 5 ranges became 3 in 1 series\n" in succeed(run("compact", "DEMO/SWAP/BTC-USDT/1h"))
    counts = json.loads(succeed(run("compact", "--json")))
    assert counts["ohlc_v2"] == {"before": 5, "after": 3, "series": 1}
    assert counts["interest_rate"] == {"before": 0, "after": 0, "series": 0}
    assert succeed(run("compact", "--table", "ohlc_v2")) == "ohlc_v2: 0 ranges became 0 in 0 series\n"


def test_read_prints_exact_decimals_and_iso_times_as_csv(run: Run, conn: Connection) -> None:
    write_bars(conn, "X/Y/PT1H")
    lines = succeed(run("read", "X/Y/1h", "--start", "2026-03-01T02:00", "--end", "2026-03-01T04:00Z")).splitlines()
    nulls = "," * len(BAR_NAMES[7:])
    assert lines == [
        ",".join(BAR_NAMES),
        f"2026-03-01T02:00:00.000Z,2026-03-01T03:00:00.000Z,{PRICE},{PRICE},{PRICE},{PRICE},2.0{nulls}",
        f"2026-03-01T03:00:00.000Z,2026-03-01T04:00:00.000Z,{PRICE},{PRICE},{PRICE},{PRICE},3.0{nulls}",
    ]
    assert succeed(run("read", "X/Y/1h", "--limit", "1")).splitlines()[1].startswith("2026-03-01T23:00")
    assert succeed(run("read", "X/Y/1h", "--end", "2026-03-01")).splitlines() == lines[:1]


def test_read_prints_a_table_of_the_newest_rows(run: Run, conn: Connection) -> None:
    write_bars(conn, "X/Y/PT1H")
    text = succeed(run("read", "X/Y/PT1H", "--format", "table", "--limit", "2"))
    assert "2026-03-01 23:00:00Z  2026-03-02 00:00:00Z" in text
    assert "2026-03-01 21:00:00Z" not in text
    assert text.endswith("24 rows, the newest 2 shown (see --limit)\n")


def test_read_gives_rates_as_json(run: Run, conn: Connection) -> None:
    write_rows(conn, INTEREST_RATE, [SeriesRows("X/Y", [(START_MS, "-0.00010", "0.00010", None)])])
    conn.commit()
    assert json.loads(succeed(run("read", "X/Y", "--format", "json"))) == [
        {
            "created_at": "2026-03-01T00:00:00.000Z",
            "long_rate": "-0.00010",
            "short_rate": "0.00010",
            "settlement_price": None,
        }
    ]
    assert json.loads(succeed(run("read", "X/Y", "--format", "json", "--start", "2026-03-02"))) == []


def test_read_writes_parquet_that_reads_back_the_same(run: Run, conn: Connection, tmp_path: Path) -> None:
    write_bars(conn, "X/Y/PT1H")
    file = tmp_path / "bars.parquet"
    assert succeed(run("read", "X/Y/PT1H", "--output", str(file))) == ""
    pd.testing.assert_frame_equal(pd.read_parquet(file), read_ohlc("X/Y/PT1H"))
    piped = run("read", "X/Y/PT1H", "--format", "parquet", "--limit", "3")
    pd.testing.assert_frame_equal(pd.read_parquet(io.BytesIO(piped.stdout_bytes)), read_ohlc("X/Y/PT1H").tail(3))
    succeed(run("read", "X/Y/PT1H", "--exact", "--output", str(file)))
    assert str(pd.read_parquet(file)["open"].iloc[0]) == PRICE
    assert [path.name for path in tmp_path.iterdir()] == ["bars.parquet"]


def test_a_file_is_not_touched_when_reading_fails(run: Run, conn: Connection, tmp_path: Path) -> None:
    file = tmp_path / "kept.csv"
    file.write_text("kept")
    assert "no series" in read_error(run("read", "X/Y/PT1H", "--output", str(file)), 2)
    assert file.read_text() == "kept"
    write_bars(conn, "X/Y/PT1H")
    assert "can't write" in read_error(run("read", "X/Y/PT1H", "--output", str(tmp_path / "no" / "x.csv")), 1)
    assert "for the screen" in read_error(run("read", "X/Y/PT1H", "--format", "table", "--output", str(file)), 2)


def test_an_id_in_both_tables_is_read_when_the_table_is_said(run: Run, conn: Connection) -> None:
    write_bars(conn, "X/Y/PT1H", 1)
    write_rows(conn, INTEREST_RATE, [SeriesRows("X/Y/PT1H", [(START_MS, "1", "2", None)])])
    conn.commit()
    assert "choose one with --table" in read_error(run("read", "X/Y/PT1H"), 2)
    assert "long_rate" in succeed(run("read", "X/Y/PT1H", "--table", "interest_rate"))


ASKED_WRONGLY = [
    (["read", "DEMO/*"], "'DEMO/*' is a pattern of 42 series, and one is needed, like 'DEMO/"),
    (["read", "NOPE/*/1h"], "no series 'NOPE/*/1h'"),
    (["coverage", "DEMO/SWAP/BTC-USDT/1*"], "no id matches this pattern"),
    (["ingest", SWAP_HOURS, "--seconds", "99999999999"], "99999999999 is not in the range 1<=x<=2000000"),
    (["refresh", SWAP_HOURS, "--days", "1", "--seconds", "99999999999"], "is not in the range 1<=x<=2000000"),
    (["ingest", SWAP_HOURS, "--pages", "99999999999999999999"], "is not in the range"),
    (["read", SWAP_HOURS, "--limit", "99999999999999999999"], "is not in the range"),
    (["plan", "--limit", "99999999999999999999"], "is not in the range"),
    (["refresh", SWAP_HOURS, "--days", "99999999999999999999"], "is not in the range"),
    (["peek", "--watch", "--every", "nan"], "'nan' is not in the range"),
    (["peek", "--watch", "--every", "1e99"], "is not in the range"),
    (["dev", "--port", "99999999999999999999"], "is not in the range"),
    (
        ["coverage", "DEMO/SWAP/BTC-USDX/1m"],
        "no series 'DEMO/SWAP/BTC-USDX/1m': did you mean 'DEMO/SWAP/BTC-USDT/P",
    ),
    (["plan", "demo/swap/btc-usdt/1m"], "did you mean 'DEMO/SWAP/BTC-USDT/PT1M'?"),
    (["ingest", "DEMO/SWAP/BTC-USDT/7x"], "'7x' is not a duration: expected one like PT1M"),
    (["ingest", "NOPE*"], "no series 'NOPE*'"),
    (["compact", "a\tb"], "control character"),
    (["read", SWAP_HOURS, "--start", "soon"], "--start: 'soon' is not a time: expected one like 2026-01-31"),
    (["certify", SWAP_HOURS, "--start", "20261101-20261102"], "--start: '20261101-20261102' is a range, not a time"),
    (["ingest", SWAP_HOURS, "--end", "-20261102"], "--end: '-20261102' is a range, not a time: its end is 20261102"),
    (["read", SWAP_HOURS, "--start", "2026-02-01", "--end", "2026-01-01"], "must be before --end 2026-01-01"),
    (["ingest", SWAP_HOURS, "--start", "2126-01-01"], "must be before --end"),
    (["ingest", SWAP_HOURS, "--kind", "head", "--start", "2026-01-01"], "a window has no head"),
    (["ingest"], "Missing argument 'SERIES...'. (see `series ingest --help`)"),
    (["plan", "--kind", "sideways"], "'sideways' is not one of 'head', 'tail', 'both'"),
    (["nonsense"], "No such command 'nonsense'"),
]


def test_what_is_asked_wrongly_is_one_line_and_exit_code_two(run: Run) -> None:
    succeed(run("peek"))
    for arguments, expected in ASKED_WRONGLY:
        assert expected in read_error(run(*arguments), 2)


def test_an_unknown_vendor_and_a_bad_setting_are_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERIES_VENDORS", "nope")
    load_settings.cache_clear()
    assert "no vendor 'nope': known are " in read_error(run("peek"), 2)
    monkeypatch.setenv("SERIES_SHIFT_SECONDS", "much")
    load_settings.cache_clear()
    assert "SERIES_SHIFT_SECONDS" in read_error(run("peek"), 2)


def test_ingest_says_when_no_configured_vendor_serves_a_series(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    succeed(run("peek"))
    monkeypatch.setenv("SERIES_VENDORS", ",")
    load_settings.cache_clear()
    assert f"no vendor serves {SWAP_LANE} now" in read_error(run("ingest", SWAP_HOURS), 2)


def test_a_dead_database_is_one_line_without_its_password(run: Run) -> None:
    url = "postgresql://someone:geheim@127.0.0.1:1/market"
    for debug in ("0", "1"):
        done = run_real("coverage", SERIES_DATABASE_URL=url, SERIES_DEBUG=debug)
        assert done.returncode == 1
        assert done.stdout == ""
        last = done.stderr.splitlines()[-1]
        assert last.startswith("series: error: the database at 127.0.0.1:1/market can't be reached: ")
        assert ("Traceback" in done.stderr) == (debug == "1")
        assert "geheim" not in done.stderr
        assert debug == "1" or len(done.stderr.splitlines()) == 1


def test_a_reader_that_goes_away_is_no_error(run: Run, conn: Connection) -> None:
    write_bars(conn, "X/Y/PT1H", 20_000)
    command = f"set -o pipefail; {SERIES_BIN} read X/Y/PT1H | head -n 2"
    done = subprocess.run(["bash", "-c", command], env=dict(os.environ), capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert done.returncode == 141
    assert len(done.stdout.splitlines()) == 2


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_ingest_keeps_and_compacts_what_it_committed(
    run: Run, conn: Connection, number: signal.Signals, exit_code: int
) -> None:
    succeed(run("peek"))
    environment = {**os.environ, "SERIES_DEMO_LATENCY_MS": "5"}
    command = [str(SERIES_BIN), "ingest", "DEMO/SWAP/BTC-USDT/1m", "DEMO/SWAP/ETH-USDT/1m", "--json"]
    with subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background has made their children deaf to Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            row = conn.execute("select count(*) from ing_cursor_event").fetchone()
            conn.commit()
            if row is not None and int(str(row[0])) > 5:
                break
            time.sleep(0.05)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == exit_code, stderr
    done = json.loads(stdout)
    assert done["interrupted"]
    assert done["lanes"][0]["ended"] == "it was interrupted"
    assert stderr == ""
    for series_id in ("DEMO/SWAP/BTC-USDT/PT1M", "DEMO/SWAP/ETH-USDT/PT1M"):
        (stored,) = ranges.read(conn, "ohlc_v2", [series_id])[series_id]
        assert len(read_ohlc(series_id)) == (stored.end_ms - stored.start_ms) // 60_000


def test_dev_takes_its_port_from_the_option(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERIES_UI_PORT", "3000")
    seen: list[int] = []

    def run_dev(settings: Settings) -> int:
        seen.append(settings.ui_port)
        return 0

    monkeypatch.setattr("series_pipelines.app.dev.run_dev", run_dev)
    succeed(run("dev"))
    succeed(run("dev", "--port", "3456"))
    assert seen == [3000, 3456]


def test_the_demo_market_is_the_one_that_dev_keeps(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, conn: Connection
) -> None:
    monkeypatch.delenv("SERIES_DEMO_EPOCH")
    load_settings.cache_clear()
    (tmp_path / "demo_epoch").write_text("2026-02-01T00:00:00+00:00\n")
    (product,) = json.loads(succeed(run("products", "SWAP/BTC", "--json")))
    assert product["listed_at"].startswith("2025-10-04T10:00")


def test_ingest_draws_its_progress_on_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = io.StringIO()
    console = Console(file=drawn, force_terminal=True, width=200, highlight=False)
    monkeypatch.setattr("series_pipelines.cli.progress.make_error_console", lambda: console)
    succeed(run("ingest", SWAP_HOURS))
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn.getvalue())
    assert re.search(rf"{SWAP_LANE} +━+ +100% \d+ pages, \d+ rows", text)
    succeed(run("ingest", "DEMO/SWAP/*/1m", "--pages", "3"))
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn.getvalue())
    assert re.search(r"100% 3 pages, \d+ rows", text)


def test_an_ingest_that_is_terminated_before_its_first_page_says_so(run: Run, conn: Connection) -> None:
    succeed(run("peek"))
    conn.execute("lock table series_state in access exclusive mode")
    with subprocess.Popen([SERIES_BIN, "ingest", SWAP_HOURS], stderr=subprocess.PIPE, text=True) as process:
        waiting = "select count(*) from pg_locks where not granted and relation = 'series_state'::regclass"
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and conn.execute(waiting).fetchone() == (0,):
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=30)
    assert (process.returncode, stderr) == (143, "series: terminated\n")


def test_a_terminal_without_the_letters_gets_plainer_ones(run: Run, conn: Connection) -> None:
    succeed(run("peek"))
    now_ms = time.time_ns() // 1_000_000
    ranges.add(conn, "ohlc_v2", [(SWAP_HOURS, Range(now_ms - 30 * 24 * HOUR_MS, now_ms))])
    conn.commit()
    done = run_real("coverage", SWAP_HOURS, PYTHONIOENCODING="latin-1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "?" not in done.stdout
    assert re.search(r"\| +[.:+]?#+\| ", done.stdout)
    assert "-----" in done.stdout


def test_a_narrow_terminal_is_not_shown_empty_columns(run: Run) -> None:
    succeed(run("peek"))
    lines = draw_on_terminal("80", "peek")
    assert lines[2].split() == ["capability", "series", "heads", "tails", "in", "flight"]
    assert sum(line.startswith("IngestOHLC/DEMO%2FSWAP%2F/backward ") for line in lines) == 1


def draw_on_terminal(columns: str, *arguments: str) -> list[str]:
    reader, writer = pty.openpty()
    environment = {**os.environ, "COLUMNS": columns, "TERM": "xterm"}
    subprocess.run([str(SERIES_BIN), *arguments], env=environment, stdout=writer, timeout=60, check=True)
    os.close(writer)
    lines = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", os.read(reader, 65536).decode()).splitlines()
    os.close(reader)
    return lines


def test_tables_fit_a_narrow_terminal_and_keep_the_bar(run: Run) -> None:
    succeed(run("ingest", SWAP_HOURS, "--pages", "1"))
    lines = draw_on_terminal("90", "coverage", SWAP_HOURS)
    assert max(len(line) for line in lines) <= 90
    assert sum(line.startswith(SWAP_HOURS) and "▕" in line for line in lines) == 1
    assert "floor at" not in lines[0]
