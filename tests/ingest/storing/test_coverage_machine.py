"""Any interleaving of pages, late rows, revisions, compaction, replay and crashes keeps the account true.

Pages are committed through the real writer's path on a real Postgres. A crash cuts the connection before COMMIT, or
after it before the answer is seen; what was not acknowledged is committed again under the same key, as the writer does.
"""

import itertools
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from series_pipelines.core.duration import MINUTE_MS
from series_pipelines.core.ranges import Range, find_gaps
from series_pipelines.core.tables import OHLC
from series_pipelines.ingest.ledger import append as cursors
from series_pipelines.ingest.ledger import audit as ledger
from series_pipelines.ingest.ledger.append import Author
from series_pipelines.ingest.ledger.cursor import backfill_namespace, harvest_namespace, replay
from series_pipelines.ingest.pages.check import check_bar_page
from series_pipelines.ingest.pages.evidence import find_evidence
from series_pipelines.ingest.pages.outcome import judge_page
from series_pipelines.ingest.planning.cadence import bar_cadence
from series_pipelines.ingest.planning.requests import Fetch
from series_pipelines.ingest.standing.coverage import classify
from series_pipelines.ingest.storing import coverage, ranges, states
from series_pipelines.ingest.storing.commit import Finished, commit_group
from series_pipelines.postgres.connection import connect
from tests.support.bars import make_bar
from tests.support.simulation import MovableClock, World, empty_tables, make_product, make_vendor

SERIES = "SIM/X/PT1M"
BARS = bar_cadence("PT1M", 0)
LIFE = Range(0, 130 * MINUTE_MS)
NUMBERS = itertools.count(1)
STARTS = st.integers(0, 100)
LENGTHS = st.integers(1, 20)


class Account(RuleBasedStateMachine):
    url = ""

    @initialize()
    def begin(self) -> None:
        self.conn = connect(self.url, purpose="machine")
        empty_tables(self.conn)
        clock = MovableClock()
        self.world = World(self.url, [make_vendor(clock, [make_product("SIM/X", 0)])], clock)
        # The ledger can't be emptied, so each example has a name of its own.
        self.author = Author("cap", "backward", f"lane-{next(NUMBERS)}", activity=f"example-{next(NUMBERS)}")
        self.conn.execute("update series_state set series_id = %s", [self.series_id])
        self.conn.commit()
        self.truth: dict[int, str] = {}
        self.covered: set[int] = set()

    @property
    def series_id(self) -> str:
        return f"SIM/{self.author.lane}/PT1M"

    def teardown(self) -> None:
        if hasattr(self, "conn"):
            self.conn.close()
            self.world.close()

    def make(self, minutes: list[int], kind: str, price: str) -> Finished:
        with self.conn.transaction():
            [facts] = states.read_facts(self.conn, "ohlc_v2", series_ids=[self.series_id])
        rows = [make_bar(m * MINUTE_MS, None, price, price, price, price, "1") for m in minutes]
        fetch = Fetch(kind, "head" if kind == "head" else "start", LIFE.end_ms, "")  # type: ignore[arg-type]
        asked: dict[str, Any] = {"direction": "backward", "time_ms": LIFE.end_ms, "closed_before_ms": LIFE.end_ms}
        assert BARS.duration is not None
        page = check_bar_page(OHLC, rows, duration=BARS.duration, **asked)
        outcome = judge_page(facts, fetch, page, BARS, LIFE.end_ms)
        found = find_evidence(facts, fetch, page, outcome, BARS, LIFE.end_ms)
        return Finished(facts, fetch, LIFE.end_ms, page, outcome, next(NUMBERS), found)

    def acknowledge(self, minutes: list[int], price: str) -> None:
        self.truth.update(dict.fromkeys(minutes, price))
        self.covered.update(range(minutes[0], minutes[-1] + 1))

    def commit(self, minutes: list[int], kind: str, price: str) -> None:
        commit_group(self.conn, "ohlc_v2", self.author, [self.make(minutes, kind, price)])
        self.acknowledge(minutes, price)

    @rule(start=STARTS, length=LENGTHS, kind=st.sampled_from(["head", "tail"]))
    def append_overlap_nest_or_touch(self, start: int, length: int, kind: str) -> None:
        self.commit(list(range(start, start + length)), kind, "5")

    @rule(start=STARTS, length=st.integers(3, 20), missing=st.integers(1, 18))
    def append_with_a_hole(self, start: int, length: int, missing: int) -> None:
        minutes = [
            m for m in range(start, start + length) if m == start or m - start > missing or m == start + length - 1
        ]
        self.commit(minutes, "tail", "5")

    @rule()
    def nested(self) -> None:
        for start, end in ((0, 100), (10, 20), (30, 40)):
            self.commit(list(range(start, end)), "tail", "5")
        stored = ranges.read(self.conn, "ohlc_v2", [self.series_id])[self.series_id]
        self.conn.commit()
        assert not [gap for gap in find_gaps(stored) if gap.start_ms < 100 * MINUTE_MS]

    @rule(at=STARTS)
    def late_row_or_patch(self, at: int) -> None:
        self.commit([at], "tail", "5")

    @rule(at=STARTS, price=st.sampled_from(["6", "7.25"]))
    def revise(self, at: int, price: str) -> None:
        self.commit([at], "head", price)

    @rule()
    def compact(self) -> None:
        with self.conn.transaction():
            ranges.compact(self.conn, "ohlc_v2", [self.series_id])

    @rule(start=STARTS, length=LENGTHS, after_commit=st.booleans(), is_retried=st.booleans())
    def crash(self, start: int, length: int, after_commit: bool, is_retried: bool) -> None:
        minutes = list(range(start, start + length))
        finished = self.make(minutes, "tail", "5")
        doomed = connect(self.url, purpose="doomed")
        try:
            with doomed.transaction():
                commit_group(doomed, "ohlc_v2", self.author, [finished])
                if not after_commit:
                    self.conn.execute("select pg_terminate_backend(%s, 5000)", [doomed.info.backend_pid])
                    self.conn.commit()
        except psycopg.OperationalError:
            assert not after_commit
        doomed.close()
        if is_retried:
            commit_group(self.conn, "ohlc_v2", self.author, [finished])
        if after_commit or is_retried:
            self.acknowledge(minutes, "5")
        if is_retried:
            keys = self.conn.execute(
                "select count(*) from ing_cursor_event where idempotent_key = %s",
                [f"{self.author.lane}/{finished.number}"],
            ).fetchone()
            self.conn.commit()
            assert keys == (1,)

    @invariant()
    def the_account_is_true(self) -> None:
        if not hasattr(self, "truth"):
            return
        rows = self.conn.execute(
            "select (date_part('epoch', created_at) / 60)::integer, trim_scale(close)::text from ohlc_v2 "
            "where series_id = %s",
            [self.series_id],
        ).fetchall()
        account = coverage.read(self.conn, "ohlc_v2", [self.series_id])[self.series_id]
        assert dict(rows) == self.truth  # type: ignore[arg-type]
        assert len(rows) == len(self.truth)
        stretches = classify(account.ranges, account.evidence, LIFE)
        assert stretches[0].start_ms == LIFE.start_ms
        assert stretches[-1].end_ms == LIFE.end_ms
        assert all(left.end_ms == right.start_ms for left, right in itertools.pairwise(stretches))
        minutes_of: dict[str, set[int]] = {}
        for kind, start_ms, end_ms in stretches:
            minutes_of.setdefault(kind, set()).update(range(start_ms // MINUTE_MS, end_ms // MINUTE_MS))
        assert minutes_of.get("data", set()) == set(self.truth)
        assert minutes_of.get("verified_empty", set()) == self.covered - set(self.truth)
        for space in (
            harvest_namespace("ohlc_v2", self.series_id),
            backfill_namespace("ohlc_v2", self.series_id, self.author.activity),
        ):
            replayed = replay(*ledger.read_events(self.conn, space))
            assert replayed.value == cursors.read_value(self.conn, space)
            assert replayed.broken == ()
        self.conn.commit()


@pytest.mark.timeout(200)
def test_any_interleaving_keeps_the_account_true(database_url: str) -> None:
    Account.url = database_url
    run_state_machine_as_test(
        Account,
        settings=settings(
            max_examples=12, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
