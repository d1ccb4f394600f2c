"""Coverage by kind of every series of a table, read in one query and divided in Python."""

from typing import Final

from benchmarks.coverage import MINUTE, add_ranges, age_states
from benchmarks.harness import Pairs, Row, say
from benchmarks.market import TABLE, make_vendor, register
from benchmarks.planning import PLAIN
from benchmarks.server import Server, vacuum
from series_pipelines.core.ranges import Range, find_union
from series_pipelines.ingest.standing.coverage import classify, sum_kinds
from series_pipelines.ingest.storing import coverage
from series_pipelines.postgres.connection import Connection, connect

RANGES: Final = 3
ADD_EVIDENCE: Final = """
insert into coverage_evidence
    (series_id, table_name, kind, start_time, end_time, request, response_digest, observed_at, confirmed_at)
select series_id, table_name, 'pre_listing', to_timestamp(0), min(start_time), '', '', now(), now()
from series_data_range group by series_id, table_name"""


def run(server: Server, quick: bool) -> list[Row]:
    """Divide the life of every series into kinds, and run the plain query, in turns."""
    series, rounds = (2_000, 3) if quick else (10_000, 7)
    pairs = Pairs()
    with server.fresh_database() as url, connect(url, purpose="coverage", autocommit=True) as conn:
        register(conn, make_vendor(series, {"backward": 300}))
        add_ranges(conn, RANGES, step=300 * MINUTE, length=300 * MINUTE, gap=60 * MINUTE)
        conn.execute(ADD_EVIDENCE)
        age_states(conn)
        vacuum(url)
        say(f"coverage_read: {series} series with {RANGES} ranges and a floor each")
        queries = _count_queries(conn)
        for number in range(rounds + 1):
            timed = pairs if number else Pairs()
            timed.run(lambda: _measure(conn, series), lambda: _read_plainly(conn, series))
    ours, plain = (sorted(times)[len(times) // 2] for times in (pairs.ours, pairs.yardstick))
    return [
        Row(
            f"coverage by kind of {series:,} series",
            "one query",
            f"{queries} query",
            queries == 1,
            f"{ours * 1000:.0f} ms, kinds divided and summed, against {plain * 1000:.0f} ms of a plain GROUP BY of the "
            f"same ranges; {RANGES} ranges and one floor a series; median of {rounds} rounds",
            {"queries": queries, "seconds": ours, "plain_seconds": plain},
        )
    ]


def _measure(conn: Connection, series: int) -> None:
    accounts = coverage.read(conn, TABLE)
    assert len(accounts) == series
    for account in accounts.values():
        union = find_union(account.ranges)
        assert union is not None
        kinds = sum_kinds(classify(account.ranges, account.evidence, Range(0, union.end_ms)))
        assert set(kinds) == {"pre_listing", "data", "unknown"}


def _read_plainly(conn: Connection, series: int) -> None:
    assert len(conn.execute(PLAIN, [TABLE]).fetchall()) == series


def _count_queries(conn: Connection) -> int:
    """Return how many statements one reading sends."""
    sent = 0

    class Counting:
        def execute(self, *arguments: object, **options: object) -> object:
            nonlocal sent
            sent += 1
            return conn.execute(*arguments, **options)  # type: ignore[call-overload]

    coverage.read(Counting(), TABLE)  # type: ignore[arg-type]
    return sent
