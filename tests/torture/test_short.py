"""A short piece of torture with a fresh seed each time; `make torture` is the long one."""

import itertools
import json
import os
import secrets
import shutil
import signal
import time
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from series_pipelines.core.duration import parse_duration
from series_pipelines.core.tables import TABLES
from series_pipelines.errors import PageRefused
from series_pipelines.ingest.pages.check import check_bar_page
from series_pipelines.postgres.connection import connect
from series_pipelines.vendors.contract import INGEST_OHLC, Request
from tests.support.databases import Server, create_database
from tests.torture import kills, program
from tests.torture.__main__ import main, parse_arguments
from tests.torture.ingest_process import find_processes
from tests.torture.kills import KillsRound
from tests.torture.liebook import LieBook
from tests.torture.lies import LIES, ONLY_ON_GRID
from tests.torture.oracle import Violation
from tests.torture.pages import PagesRound
from tests.torture.program import describe_pages
from tests.torture.vendor import Options, make_vendors
from tests.torture.worlds import LONG, draw_houses

pytestmark = pytest.mark.xdist_group("torture")

LYING_PAGES = 250
KILLS = 5

EPOCH_MS = 1_795_000_000_000

ONE_RANGE = "where ctid = (select ctid from series_data_range where table_name = 'ohlc_v2' order by start_time limit 1)"
WRONGS = {
    "rows are the truth": "update ohlc_v2 set high = high + 1 where ctid = (select min(ctid) from ohlc_v2)",
    "a range is whole": "delete from ohlc_v2 where ctid = (select min(ctid) from ohlc_v2)",
    "only known series have rows": "insert into ohlc_v2 select 'X/Y/PT1M', created_at, closed_at, 1, 1, 1, 1 from "
    "ohlc_v2 limit 1",
    "no range ends after now": f"update series_data_range set end_time = end_time + interval '400 days' {ONE_RANGE}",
    "a range begins with a row": f"update series_data_range set start_time = start_time - interval '1 s' {ONE_RANGE}",
    "every row lies in a range": f"delete from series_data_range {ONE_RANGE}",
    "no empty time has data": "insert into coverage_evidence select series_id, table_name, 'verified_empty', "
    f"start_time, end_time, 'x', 'x', now(), now() from series_data_range {ONE_RANGE}",
    "errors are printable and short": r"update series_state set last_error = E'one\ntwo'",
    "the ledger replays": "delete from ing_cursor",
    "the ledger tells of all that is covered": "update series_data_range set end_time = end_time + interval '1 s' "
    f"{ONE_RANGE}",
}


def show(command: str, violations: list[Violation]) -> str:
    found = "\n  ".join(map(str, violations))
    return f"again: {command}\n  {found}"


def test_hundreds_of_lying_pages_hurt_only_their_own_series(database_url: str) -> None:
    seed, epoch_ms = secrets.randbelow(10**6), time.time_ns() // 1_000_000
    print(f"seed {seed}")
    result = PagesRound(database_url, seed, LYING_PAGES, epoch_ms, bars=150).run()
    assert not result.violations, show(describe_pages(seed, epoch_ms, LYING_PAGES, 150), result.violations)
    assert result.lies >= LYING_PAGES


def test_kills_lose_nothing_double_nothing_and_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    # Whose settings these are, they are not the world's.
    monkeypatch.setenv("SERIES_VENDORS_FILE", "/nonexistent/vendors.toml")
    monkeypatch.setenv("SERIES_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nowhere")
    seed = secrets.randbelow(10**6)
    print(f"seed {seed}")
    result = KillsRound(seed, KILLS, processes=2, bars=100).run()
    command = f"python -m tests.torture kills --seed {seed} --kills {KILLS} --processes 2 --bars 100"
    assert not result.violations, show(command, result.violations)
    assert result.rows > 0


def test_a_round_of_pages_is_the_same_again_by_its_seed_and_epoch(postgres: Server, template: str) -> None:
    # Where a vendor allows several requests at once, the machine decides which comes first.
    seed = next(
        seed
        for seed in itertools.count()
        if all(house.offers[0].limits.concurrent == 1 for house in draw_houses(seed, EPOCH_MS, 60))
    )
    told = []
    for _ in "ab":
        with contextmanager(create_database)(postgres, template) as url:
            result = PagesRound(url, seed, 60, EPOCH_MS, bars=60).run()
        assert result.violations == []
        told.append((result.told, result.told_of_catalogue, result.pages, result.lanes, result.rows))
    assert told[0] == told[1]
    asked = ["--seed", "7", "--pages", "60", "--epoch", "1", "--lies", "hangs,clock_text", "--bars", "60"]
    assert sorted(describe_pages(7, 1, 60, 60, ("hangs", "clock_text")).split()[4:]) == sorted(asked)
    assert parse_arguments(["pages", *asked]).epoch == 1


def test_a_round_that_breaks_off_is_a_violation_and_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Hung(Exception):
        pass

    homes: list[Path] = []

    def fail(attack: KillsRound) -> None:
        homes.append(attack.home)
        attack._note("the server comes back", "embedded", "it does not")
        raise Hung("no server after 60 s")

    monkeypatch.setattr(KillsRound, "_attack", fail)
    monkeypatch.setattr(program, "KILLS_A_ROUND", 2)
    try:
        assert main(["server", "--kills", "4", "--processes", "2", "--bars", "40", "--seed", "900", "--json"]) == 1
    finally:
        for home in homes:
            # They stay where something was found.
            shutil.rmtree(home)
    outcome = json.loads(capsys.readouterr().out)
    found = [(violation["rule"], violation["what"]) for violation in outcome["violations"]]
    assert found == 2 * [("the server comes back", "it does not"), ("a round ends", "Hung: no server after 60 s")]
    assert outcome["rounds"] == 2
    assert [violation["replay"].split()[5] for violation in outcome["violations"]] == ["900", "900", "901", "901"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_whoever_ends_it_from_outside_gets_what_it_came_to_and_nothing_is_left(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    attacks: list[KillsRound] = []
    living: list[int] = []

    def end_amid(attack: KillsRound, step: kills.Step) -> None:
        attacks.append(attack)
        attack._await_requests(3)
        living.extend(process.pid for process in attack._living)
        os.kill(os.getpid(), number)

    monkeypatch.setattr(KillsRound, "_strike", end_amid)
    assert main(["kills", "--kills", "5", "--processes", "2", "--bars", "40", "--seed", "33"]) == 128 + number
    assert "1 rounds: " in capsys.readouterr().out
    assert [attack.home.exists() for attack in attacks] == [False]
    assert find_processes(str(attacks[0].home)) == []
    assert len(living) == 2
    assert not any(psutil.pid_exists(pid) for pid in living)


def test_there_are_more_than_sixty_ways_to_lie() -> None:
    assert len(LIES) > 60
    assert {lie.kind for lie in LIES.values()} == {"refused", "pause", "harmless", "omission", "value"}


@pytest.mark.parametrize("name", ONLY_ON_GRID)
def test_bars_that_only_a_grid_gives_away_lie_beside_that_of_every_duration(name: str) -> None:
    told = set()
    for seed in range(20):
        book = LieBook()
        for vendor in make_vendors(Options(seed, EPOCH_MS, 300, share=1.0), lambda: EPOCH_MS, book):
            offer = vendor.house.offers[0]
            if name not in vendor.lies:
                continue
            vendor.lies = [name]
            for life, duration in itertools.product(vendor.house.lives, offer.durations):
                time_ms = EPOCH_MS if offer.direction == "backward" else life.listing_ms
                request = Request(INGEST_OHLC, life.product_id, duration, offer.direction, time_ms)
                rows = vendor.fetch(request).rows
                if book.last[f"{life.product_id}/{duration}"] is None:
                    continue
                told.add((duration, offer.direction))
                with pytest.raises(PageRefused, match=r"beside the grid|before the one before it has closed"):
                    check_bar_page(
                        TABLES["ohlc_v2"],
                        rows,
                        direction=offer.direction,
                        time_ms=time_ms,
                        duration=parse_duration(duration),
                        closed_before_ms=EPOCH_MS,
                        on_grid=True,
                    )
    assert told >= {(duration, way) for duration in ("PT1M", *LONG) for way in ("backward", "forward")}


def test_the_oracle_sees_what_is_wrong(database_url: str) -> None:
    attack = PagesRound(database_url, 1, 0, time.time_ns() // 1_000_000, bars=30)
    assert attack.run().violations == []
    now_ms = attack.clock.now_ms()
    with connect(database_url, purpose="torture") as conn:
        for rule, wrong in WRONGS.items():
            conn.execute(wrong)
            # It ends the transaction, so each wrong is alone.
            assert rule in {found.rule for found in attack.oracle.find_violations(conn, now_ms)}
        conn.execute("delete from ohlc_v2")
        assert attack.oracle.find_incomplete(conn, now_ms)
        assert attack.oracle.find_violations(conn, now_ms) == []
