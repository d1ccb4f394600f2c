"""`series refresh` as a person and a script meet it: what vendors changed, campaigns that go on, errors of one line."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from series_pipelines.cli import series
from series_pipelines.core.times import format_iso
from series_pipelines.errors import VendorBusy, VendorRejected
from series_pipelines.ingest.refreshing import campaigns
from series_pipelines.postgres import locks
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.contract import Reply, Request
from series_pipelines.vendors.demo.vendor import DemoVendor
from tests.support.cli_results import Run, read_error, succeed
from tests.support.simulation import interrupt_main

SERIES_BIN = Path(sys.executable).with_name("series")
HOURS = "DEMO/SWAP/BTC-USDT/PT1H"
SPOT_HOURS = "DEMO/SPOT/BTC-USDT/PT1H"
RATES = "DEMO/SWAP/BTC-USDT"
SWAP_LANE = "IngestOHLC/DEMO%2FSWAP%2F/backward"
HOUR_MS = 3_600_000

Revise = Callable[[str, str | None, int, int, str], None]


@pytest.fixture
def revise(monkeypatch: pytest.MonkeyPatch) -> Revise:
    """Let the demo vendors say another value of a row from now on."""
    changes: dict[tuple[str, str | None, int], tuple[int, str]] = {}
    fetch = DemoVendor.fetch

    def fetch_revised(vendor: DemoVendor, request: Request) -> Reply:
        reply = fetch(vendor, request)
        rows = [list(row) for row in reply.rows]
        for row in rows:
            if change := changes.get((request.product_id, request.duration, row[0])):
                row[change[0]] = change[1]
        return Reply(rows, reply.now_ms)

    monkeypatch.setattr(DemoVendor, "fetch", fetch_revised)

    def add(product_id: str, duration: str | None, created_ms: int, column: int, value: str) -> None:
        changes[product_id, duration, created_ms] = (column, value)

    return add


def find_hour(hours_ago: int) -> int:
    return time.time_ns() // 1_000_000 // HOUR_MS * HOUR_MS - hours_ago * HOUR_MS


def break_after(monkeypatch: pytest.MonkeyPatch, requests: int, error: BaseException) -> list[Request]:
    """Let every request after so many raise an error, or be interrupted as by Ctrl-C; return where all are noted."""
    asked: list[Request] = []
    fetch = DemoVendor.fetch

    def fetch_or_break(vendor: DemoVendor, request: Request) -> Reply:
        asked.append(request)
        if len(asked) > requests:
            if isinstance(error, KeyboardInterrupt):
                interrupt_main()
            raise error
        return fetch(vendor, request)

    monkeypatch.setattr(DemoVendor, "fetch", fetch_or_break)
    return asked


def test_it_shows_what_the_vendors_changed_and_nothing_else(run: Run, revise: Revise) -> None:
    succeed(run("ingest", HOURS, SPOT_HOURS, RATES))
    early, late = find_hour(300), find_hour(5)
    rate = int(datetime.now(UTC).timestamp() * 1000) // (8 * HOUR_MS) * 8 * HOUR_MS - 8 * HOUR_MS
    revise("DEMO/SWAP/BTC-USDT", "PT1H", early, 6, "123.456789012345678901")
    revise("DEMO/SPOT/BTC-USDT", "PT1H", late, 6, "7.5")
    revise("DEMO/SWAP/BTC-USDT", None, rate, 2, "0.5")
    revise("DEMO/SWAP/BTC-USDT", "PT1H", find_hour(24 * 50), 6, "1")
    done = json.loads(succeed(run("refresh", HOURS, SPOT_HOURS, RATES, "--days", "30", "--json")))
    seen = {
        (change["table_name"], change["series_id"], change["created_at"], change["column"], change["new_value"])
        for change in done["changes"]
    }
    assert seen == {
        ("ohlc_v2", HOURS, format_iso(early), "volume", "123.456789012345678901"),
        ("ohlc_v2", SPOT_HOURS, format_iso(late), "volume", "7.5"),
        ("interest_rate", RATES, format_iso(rate), "short_rate", "0.5"),
    }
    assert (done["changed_rows"], done["failed"], done["interrupted"], done["resumed"]) == (3, {}, False, False)
    assert re.fullmatch(r"refresh-\d{8}-[0-9a-f]{8}", done["campaign_id"])
    assert done["finished_at"] is not None
    assert done["series"] == {"interest_rate": [RATES], "ohlc_v2": sorted([SPOT_HOURS, HOURS])}
    assert all(datetime.fromisoformat(change["seen_at"]).tzinfo for change in done["changes"])
    again = run("refresh", "--campaign", done["campaign_id"], "--json")
    assert "finished at" in again.stderr
    assert json.loads(succeed(again))["changes"] == done["changes"]
    fresh = json.loads(succeed(run("refresh", HOURS, SPOT_HOURS, RATES, "--days", "30", "--json")))
    assert fresh["campaign_id"] != done["campaign_id"]
    assert fresh["changes"] == []


def test_a_person_sees_the_first_twenty_values_and_the_counts(run: Run, revise: Revise) -> None:
    succeed(run("ingest", HOURS))
    for hours in range(3, 28):
        revise("DEMO/SWAP/BTC-USDT", "PT1H", find_hour(hours), 6, f"{hours}.5")
    result = run("refresh", "DEMO/SWAP/BTC-USDT/1h", "--days", "2")
    text = succeed(result)
    assert re.match(r"series: campaign refresh-\S+ begins: 1 series from \S+ \S+ to \S+ \S+\n", result.stderr)
    assert "25 rows of 1 series have been changed by their vendors\n" in text
    assert text.count(f"\n{HOURS} ") == 20
    assert "the first 20 values are shown, --json gives all\n" in text
    assert "all was fetched again" in text
    assert "no changed rows were seen\n" in succeed(run("refresh", HOURS, "--days", "2"))


def test_after_ctrl_c_the_same_command_goes_on(
    run: Run, revise: Revise, monkeypatch: pytest.MonkeyPatch, conn: Connection
) -> None:
    succeed(run("ingest", HOURS))
    revise("DEMO/SWAP/BTC-USDT", "PT1H", find_hour(24 * 80), 6, "1.5")
    revise("DEMO/SWAP/BTC-USDT", "PT1H", find_hour(5), 6, "2.5")
    with monkeypatch.context() as patch:
        break_after(patch, 3, KeyboardInterrupt())
        stopped = run("refresh", HOURS, "--days", "90", "--json")
    assert stopped.exit_code == 130
    first = json.loads(stopped.stdout)
    assert (first["interrupted"], first["pages"], first["finished_at"], first["changed_rows"]) == (True, 3, None, 1)
    campaign_id = first["campaign_id"]
    hint = f"series: interrupted; what was committed stays; go on with `series refresh --campaign {campaign_id}`\n"
    assert stopped.stderr.endswith(hint)
    asked = break_after(monkeypatch, 1_000, AssertionError())
    resumed = run("refresh", HOURS, "--days", "90", "--json")
    second = json.loads(succeed(resumed))
    assert re.match(rf"series: campaign {campaign_id} begun at \S+ \S+ goes on: 1 series", resumed.stderr)
    assert (second["campaign_id"], second["resumed"], second["changed_rows"]) == (campaign_id, True, 2)
    assert second["pages"] == len(asked)
    assert second["finished_at"] is not None
    events = conn.execute("select count(*) from ing_cursor_event where namespace_key = %s", [campaign_id]).fetchone()
    assert events == (first["pages"] + second["pages"],)


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_real_stop_keeps_what_was_committed_and_prints_the_summary(
    run: Run, conn: Connection, number: signal.Signals, exit_code: int
) -> None:
    minutes = "DEMO/SWAP/BTC-USDT/PT1M"
    succeed(run("ingest", minutes, "--pages", "30"))
    worker = subprocess.Popen(
        [SERIES_BIN, "refresh", minutes, "--days", "10"],
        env={**os.environ, "SERIES_DEMO_LATENCY_MS": "400"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What a shell starts in the background ignores it, and so would all that the tests start.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    statement = "select count(*) from ing_cursor_event where operation = 'UPDATE'"
    while (conn.execute(statement).fetchone() or (0,))[0] < 3:  # type: ignore[operator]
        assert worker.poll() is None
        conn.commit()
        time.sleep(0.05)
    worker.send_signal(number)
    summary, errors = worker.communicate(timeout=30)
    assert worker.returncode == exit_code
    assert re.search(r"^IngestOHLC/DEMO%2FSWAP%2F/backward +1 +[3-9] .* it was interrupted$", summary, re.MULTILINE)
    (campaign,) = campaigns.read(conn)
    conn.commit()
    assert errors.splitlines()[-1].endswith(f"go on with `series refresh --campaign {campaign.campaign_id}`")
    assert "Traceback" not in errors
    text = succeed(run("refresh", "--campaign", campaign.campaign_id))
    assert "all was fetched again" in text
    assert campaigns.read(conn)[0].finished_ms is not None


def test_its_time_being_over_is_no_failure_but_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    succeed(run("ingest", HOURS))
    fetch = DemoVendor.fetch

    def fetch_slowly(vendor: DemoVendor, request: Request) -> Reply:
        time.sleep(0.6)
        return fetch(vendor, request)

    monkeypatch.setattr(DemoVendor, "fetch", fetch_slowly)
    result = run("refresh", HOURS, "--days", "90", "--seconds", "1")
    assert "its time is over" in succeed(result)
    assert "series: not finished; go on with `series refresh --campaign refresh-" in result.stderr


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (VendorRejected("no such symbol"), f"series: failed: {HOURS}: no such symbol\n"),
        (VendorBusy("429", 3_600_000), f"series: failed: {HOURS}: the capability backs off until "),
    ],
)
def test_series_that_fail_are_named_and_the_campaign_stays_open(
    run: Run, monkeypatch: pytest.MonkeyPatch, conn: Connection, error: Exception, reason: str
) -> None:
    succeed(run("ingest", HOURS))
    break_after(monkeypatch, 0, error)
    result = run("refresh", HOURS, "--days", "1", "--seconds", "10")
    assert result.exit_code == 1
    assert reason in result.stderr
    assert campaigns.read(conn)[0].finished_ms is None


def test_a_busy_capability_is_waited_for_as_long_as_it_may(run: Run, conn: Connection) -> None:
    succeed(run("ingest", HOURS))
    assert locks.try_capability(conn, SWAP_LANE)
    result = run("refresh", HOURS, "--days", "1", "--seconds", "1")
    assert result.exit_code == 1
    assert "was not let go within 1 s" in result.stderr


def test_list_shows_all_campaigns(run: Run, revise: Revise) -> None:
    succeed(run("ingest", HOURS))
    assert json.loads(succeed(run("refresh", "--list", "--json"))) == []
    revise("DEMO/SWAP/BTC-USDT", "PT1H", find_hour(5), 6, "1.5")
    done = [json.loads(succeed(run("refresh", HOURS, "--days", days, "--json"))) for days in ("3", "4")]
    listed = json.loads(succeed(run("refresh", "--list", "--json")))
    assert [(entry["campaign_id"], entry["days"], entry["changed_rows"]) for entry in listed] == [
        (done[1]["campaign_id"], 4, 0),
        (done[0]["campaign_id"], 3, 1),
    ]
    text = succeed(run("refresh", "--list"))
    assert done[0]["campaign_id"] in text
    assert "changed rows" in text


def test_an_unfinished_campaign_of_long_ago_is_not_taken_for_the_one_that_is_meant(
    run: Run, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    succeed(run("ingest", HOURS))
    with monkeypatch.context() as patch:
        break_after(patch, 0, KeyboardInterrupt())
        assert run("refresh", HOURS, "--days", "2").exit_code == 130
    (old,) = campaigns.read(conn)
    ago = timedelta(days=2, minutes=1)
    conn.execute("update refresh_campaign set window_from = window_from - %s, window_to = window_to - %s", [ago, ago])
    conn.commit()
    done = json.loads(succeed(run("refresh", HOURS, "--days", "2", "--json")))
    assert done["campaign_id"] != old.campaign_id
    resumed = json.loads(succeed(run("refresh", HOURS, "--days", "2", "--campaign", old.campaign_id, "--json")))
    assert resumed["campaign_id"] == old.campaign_id
    assert resumed["finished_at"] is not None


def test_what_is_asked_wrongly_is_one_line_and_exit_code_two(run: Run, conn: Connection) -> None:
    succeed(run("ingest", HOURS))
    campaign_id = json.loads(succeed(run("refresh", HOURS, "--days", "2", "--json")))["campaign_id"]
    for arguments, expected in [
        (
            ["DEMO/SWAP/BTC-USDX/1h", "--days", "3"],
            "no series 'DEMO/SWAP/BTC-USDX/1h': did you mean 'DEMO/SWAP/BTC-USDT/P",
        ),
        ([HOURS, "--days", "0"], "Invalid value for '--days': 0 is not in the range"),
        ([HOURS, "--days", "-3"], "Invalid value for '--days': -3 is not in the range"),
        ([HOURS, "--days", "many"], "Invalid value for '--days': 'many' is not a valid integer"),
        ([HOURS], "Missing option '--days'. (see `series refresh --help`)"),
        (["--days", "3"], "Missing argument 'SERIES...', or '--campaign'. (see `series refresh --help`)"),
        (["--campaign", "nothing"], "no campaign 'nothing': `series refresh --list` shows all"),
        ([SPOT_HOURS, "--campaign", campaign_id], f"campaign '{campaign_id}' is of other series: leave out SERIES"),
        ([HOURS, "--days", "9", "--campaign", campaign_id], f"campaign '{campaign_id}' is of 2 days"),
    ]:
        assert expected in read_error(run("refresh", *arguments), 2)
    assert len(campaigns.read(conn)) == 1


def test_a_retired_series_can_not_be_refreshed(run: Run, conn: Connection) -> None:
    succeed(run("ingest", HOURS))
    conn.execute("update series_state set active = false where series_id = %s", [HOURS])
    conn.commit()
    assert "has retired" in read_error(run("refresh", HOURS, "--days", "1"), 2)
    assert campaigns.read(conn) == []


def test_it_explains_itself_with_an_example() -> None:
    assert "\n  refresh " in CliRunner().invoke(series, ["--help"]).stdout
    text = CliRunner().invoke(series, ["refresh", "--help"]).stdout
    assert "Example: series refresh 'DEMO/SWAP/BTC-USDT/*' --days 30" in text
