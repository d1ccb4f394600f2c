"""A short piece of torture with a fresh seed each time; `make torture` is the long one."""

import secrets
import time

import pytest

from series_pipelines.postgres.connection import connect

from .kills import KillsRound
from .lies import LIES
from .oracle import Violation
from .pages import PagesRound

pytestmark = pytest.mark.xdist_group("torture")

LYING_PAGES = 250
KILLS = 5

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
}


def show(seed: int, command: str, violations: list[Violation]) -> str:
    found = "\n  ".join(map(str, violations))
    return f"again: python -m tests.torture {command} --seed {seed}\n  {found}"


def test_hundreds_of_lying_pages_hurt_only_their_own_series(database_url: str) -> None:
    seed = secrets.randbelow(10**6)
    print(f"seed {seed}")
    result = PagesRound(database_url, seed, LYING_PAGES, time.time_ns() // 1_000_000, bars=150).run()
    assert not result.violations, show(seed, f"pages --pages {LYING_PAGES} --bars 150", result.violations)
    assert result.lies >= LYING_PAGES


def test_kills_lose_nothing_double_nothing_and_leave_nothing_behind() -> None:
    seed = secrets.randbelow(10**6)
    print(f"seed {seed}")
    result = KillsRound(seed, KILLS, processes=2, bars=100).run()
    command = f"kills --kills {KILLS} --processes 2 --bars 100"
    assert not result.violations, show(seed, command, result.violations)
    assert result.rows > 0


def test_there_are_more_than_sixty_ways_to_lie() -> None:
    assert len(LIES) > 60
    assert {lie.kind for lie in LIES.values()} == {"refused", "pause", "harmless", "omission", "value"}


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
