"""Row 4: reading and judging every series of a table, against the plainest read of the same ranges."""

from typing import Final

from benchmarks.coverage import MINUTE, add_ranges, age_states
from benchmarks.harness import Pairs, Row, say
from benchmarks.market import TABLE, make_vendor, read_clock, register
from benchmarks.server import Server, vacuum
from series_pipelines.ingest.standing.backlog import Backlog, CapabilityBacklog, count_due
from series_pipelines.ingest.storing import capabilities as capability_store
from series_pipelines.ingest.storing import states
from series_pipelines.postgres.connection import Connection, connect

TARGET: Final = 4.0
RANGES: Final = 3
PLAIN: Final = """
select series_id, min(start_time), max(end_time) from series_data_range where table_name = %s group by series_id"""


def run(server: Server, quick: bool) -> list[Row]:
    """Count what is due and run the plain query, in turns."""
    series, rounds = (2_000, 5) if quick else (10_000, 15)
    pairs = Pairs()
    with server.fresh_database() as url, connect(url, purpose="plan", autocommit=True) as conn:
        register(conn, make_vendor(series, {"backward": 300}))
        add_ranges(conn, RANGES, step=300 * MINUTE, length=300 * MINUTE, gap=60 * MINUTE)
        age_states(conn)
        vacuum(url)
        # A sensor's tick has a new connection, so nothing is prepared.
        conn.prepare_threshold = None
        say(f"planning: {series} series with {RANGES} ranges each")
        for number in range(rounds + 2):
            timed = pairs if number > 1 else Pairs()
            timed.run(lambda: _plan(conn, series), lambda: _read_plainly(conn, series))
    times_as_long = 1 / pairs.speedup
    ours, plain = (sorted(times)[len(times) // 2] for times in (pairs.ours, pairs.yardstick))
    return [
        Row(
            f"planning {series:,} series with {RANGES} ranges each, against a plain GROUP BY of the same table",
            f"within {TARGET:.0f}×",
            f"{times_as_long:.2f}×",
            times_as_long <= TARGET,
            f"{ours * 1000:.0f} ms against {plain * 1000:.0f} ms, both fetched; ours also reads states and products "
            f"and decides head and tail of each; median of {rounds} rounds",
            {"ratio": times_as_long, "plan_seconds": ours, "plain_seconds": plain},
        )
    ]


def _plan(conn: Connection, series: int) -> None:
    now_ms = read_clock()
    backlog = Backlog({state.cap_key: CapabilityBacklog(state, now_ms) for state in capability_store.read(conn)})
    count_due(backlog, TABLE, states.read_due(conn, TABLE))
    assert sum(capability.due_heads for capability in backlog.capabilities.values()) == series


def _read_plainly(conn: Connection, series: int) -> None:
    assert len(conn.execute(PLAIN, [TABLE]).fetchall()) == series
