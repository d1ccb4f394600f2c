"""Row 5: compacting every series in one call, against a call and a transaction for each."""

from collections.abc import Sequence
from typing import Final

from benchmarks.coverage import MINUTE, add_ranges
from benchmarks.harness import Row, say, time_call
from benchmarks.market import TABLE, make_vendor, register
from benchmarks.server import Server, vacuum
from series_pipelines.ingest.storing import ranges, states
from series_pipelines.postgres.connection import Connection, connect

TARGET: Final = 10.0
FRAGMENTS: Final = 20
RUN: Final = 10


def run(server: Server, quick: bool) -> list[Row]:
    """Compact a sample series by series, then, all fragments restored, everything in one call."""
    series, sample, rounds = (1_000, 200, 1) if quick else (10_000, 1_000, 2)
    singles: list[float] = []
    wholes: list[float] = []
    with server.fresh_database() as url, connect(url, purpose="compact") as conn:
        register(conn, make_vendor(series, {"backward": 300}))
        series_ids = [known.series_id for known in states.list_series(conn, TABLE)]
        conn.commit()
        for number in range(rounds):
            _restore(conn, url)
            singles.append(time_call(lambda: _compact_each(conn, series_ids[:: series // sample])))
            _restore(conn, url)
            wholes.append(time_call(lambda: _compact_all(conn, series)))
            say(f"compaction: round {number + 1} of {rounds}, {series} series and a sample of {sample}")
    each = min(singles) / sample
    whole = min(wholes)
    ratio = each * series / whole
    return [
        Row(
            f"compacting {series:,} series × {FRAGMENTS} fragments in one call, against one call a series",
            f"{TARGET:.0f}× faster",
            f"{ratio:.1f}×",
            ratio >= TARGET,
            f"{whole:.2f} s against {each * series:.1f} s, scaled from {sample:,} calls of {each * 1000:.2f} ms, each "
            f"its own transaction; {FRAGMENTS} fragments become {FRAGMENTS // RUN}; best of {rounds} rounds",
            {"ratio": ratio, "one_call_seconds": whole, "call_a_series_seconds": each * series},
        )
    ]


def _restore(conn: Connection, url: str) -> None:
    with conn.transaction():
        conn.execute("truncate series_data_range")
    add_ranges(conn, FRAGMENTS, step=300 * MINUTE, length=301 * MINUTE, gap=60 * MINUTE, run=RUN)
    vacuum(url)


def _compact_each(conn: Connection, series_ids: Sequence[str]) -> None:
    for series_id in series_ids:
        with conn.transaction():
            change = ranges.compact(conn, TABLE, [series_id])
        assert len(change.inserted) == FRAGMENTS // RUN


def _compact_all(conn: Connection, series: int) -> None:
    with conn.transaction():
        change = ranges.compact(conn, TABLE)
    assert len(change.inserted) == series * FRAGMENTS // RUN
    assert len(change.deleted) == series * FRAGMENTS
