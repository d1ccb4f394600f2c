"""The ledger's price: its part of a page's transaction, and a whole verification against reading the events once."""

import time
from collections.abc import Sequence
from functools import partial
from statistics import median
from typing import Any, Final
from unittest.mock import patch
from uuid import uuid4

from benchmarks.harness import Pairs, Row, say, time_call
from benchmarks.market import (
    advance,
    commit_pages,
    fetch_newer,
    fetch_older,
    find_minute,
    make_vendor,
    read_series,
    register,
)
from benchmarks.server import Server, vacuum
from series_pipelines.core.duration import MINUTE_MS
from series_pipelines.ingest.ledger import audit as ledger
from series_pipelines.ingest.storing import commit
from series_pipelines.ingest.storing.commit import Finished
from series_pipelines.ingest.storing.writer import MAX_GROUP
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.vendors.services import Capability

SHARE_TARGET: Final = 0.15
SCANS_TARGET: Final = 3.0
PAGE_ROWS: Final = 1_000
EVENTS_A_NAMESPACE: Final = 50
SCAN: Final = "select count(*), max(new_position) from ing_cursor_event"
WRITE_EVENTS: Final = """
insert into ing_cursor_event (
    namespace_id, prev_position, new_position, recorded_at, window_from, window_to, page_number, row_count, table_name,
    series_id, operation, namespace_scope, namespace_key, direction, cursor_type, reason, cap_key, run_id, lane,
    request, idempotent_key
)
select find_namespace_id('ohlc_v2', series_id, operation, scope, key),
       case when page > 1 then 1790000000000 + sign * (page - 1) * 60000 end, 1790000000000 + sign * page * 60000,
       now() + page * interval '1 second', 'epoch', 'now', page, 3, 'ohlc_v2',
       series_id, operation, scope, key, direction, 'TIME', 'advanced', 'IngestOHLC/BENCH%%2FFORWARD%%2F/forward',
       %(run_id)s, %(lane)s, 'head forward 1790000000000', %(lane)s || '/' || page || '/' || operation || series
from generate_series(1, %(pages)s) as page, generate_series(1, %(series)s) as series,
     concat('BENCH/FORWARD/P', lpad(series::text, 5, '0'), '/PT1M') as series_id, (
    values ('HARVEST', 'GLOBAL', '', 'FORWARD', 1), ('BACKFILL', 'CUSTOM', 'history', 'BACKFILL', -1)
) as kind (operation, scope, key, direction, sign)"""


def run(server: Server, quick: bool) -> list[Row]:
    """Measure both."""
    return [_measure_share(server, quick), _measure_verify(server, quick)]


def _measure_share(server: Server, quick: bool) -> Row:
    rounds = 3 if quick else 8
    timed = {
        f"{PAGE_ROWS:,}-row pages, {MAX_GROUP} a commit": (_time_big_pages(server, rounds), MAX_GROUP),
        f"3-row pages, {MAX_GROUP} a commit": (_time_tiny_pages(server, rounds, MAX_GROUP), MAX_GROUP),
        "3-row pages, one a commit": (_time_tiny_pages(server, 2 * rounds, 1), 1),
    }
    worst = max(pairs.speedup for pairs, _ in timed.values())
    texts = [
        f"{kind} {pairs.speedup:.1%} ({1e6 * median(pairs.yardstick) / group:,.0f} of "
        f"{1e6 * median(pairs.ours) / group:,.0f} µs a page, median of {len(pairs.ours)} commits)"
        for kind, (pairs, group) in timed.items()
    ]
    return Row(
        "the ledger's part of the page transaction",
        f"at most {SHARE_TARGET:.0%}",
        f"{worst:.1%}",
        worst <= SHARE_TARGET,
        f"what a commit spends on making and recording events and cursors, of all it takes: {'; '.join(texts)}; the "
        "worst counts",
        {kind: pairs.speedup for kind, (pairs, _) in timed.items()},
    )


def _time_big_pages(server: Server, rounds: int) -> Pairs:
    """Time groups of history pages."""
    vendor = make_vendor(MAX_GROUP, {"backward": PAGE_ROWS})
    pairs, now_ms = Pairs(), find_minute(5)
    with server.fresh_database() as url, connect(url, purpose="bench") as conn:
        capability = register(conn, vendor)["backward"]
        known = read_series(conn, capability)
        for number in range(rounds + 1):
            pages = [fetch_older(vendor, capability, facts, now_ms) for facts in known]
            known = [advance(finished) for finished in pages]
            _time_group(pairs if number else Pairs(), conn, capability, pages)
            say(f"ledger: round {number} of {rounds}, {MAX_GROUP} pages of {PAGE_ROWS} rows")
    return pairs


def _time_tiny_pages(server: Server, rounds: int, group: int) -> Pairs:
    """Time head refreshes of ten groups of series a round: one row that is known and two new ones a page."""
    clock_ms = [find_minute(60)]
    vendor = make_vendor(10 * group, {"forward": PAGE_ROWS}, lambda: clock_ms[0])
    pairs = Pairs()
    with server.fresh_database() as url, connect(url, purpose="bench") as conn:
        capability = register(conn, vendor)["forward"]
        known = [facts._replace(end_ms=clock_ms[0] - 3 * MINUTE_MS) for facts in read_series(conn, capability)]
        for number in range(rounds + 1):
            clock_ms[0] += 2 * MINUTE_MS
            pages = [fetch_newer(vendor, capability, facts, (facts.end_ms or 0) - MINUTE_MS) for facts in known]
            known = [advance(finished) for finished in pages]
            for first in range(0, len(pages), group):
                # In the first round driver and database still choose how to run each statement.
                _time_group(pairs if number else Pairs(), conn, capability, pages[first : first + group])
    return pairs


def _time_group(pairs: Pairs, conn: Connection, capability: Capability, pages: Sequence[Finished]) -> None:
    """Time a commit, and inside it what it does for the ledger."""
    spent: list[float] = []
    record_steps = commit._record_steps

    def record_timed(*arguments: Any) -> None:
        begun = time.perf_counter()
        record_steps(*arguments)
        spent.append(time.perf_counter() - begun)

    with patch.object(commit, "_record_steps", record_timed):
        pairs.ours.append(time_call(partial(commit_pages, conn, capability, pages)))
    pairs.yardstick.append(sum(spent))


def _measure_verify(server: Server, quick: bool) -> Row:
    series, rounds = (1_000, 3) if quick else (10_000, 7)
    pairs = Pairs()
    with server.fresh_database() as url:
        with connect(url, purpose="bench") as conn:
            names = {"run_id": str(uuid4()), "lane": uuid4().hex, "pages": EVENTS_A_NAMESPACE, "series": series}
            conn.execute(WRITE_EVENTS, names)
            seconds = time_call(partial(ledger.rebuild, conn))
        say(f"ledger: {2 * series * EVENTS_A_NAMESPACE:,} events, cursors rebuilt from them in {seconds:.1f} s")
        vacuum(url)
        server.checkpoint()
        with connect(url, purpose="bench") as conn:
            conn.execute("set max_parallel_workers_per_gather = 0")
            for number in range(rounds + 1):
                timed = pairs if number else Pairs()
                timed.run(partial(ledger.verify, conn), partial(_scan, conn))
            found = ledger.verify(conn)
    assert not found.problems
    scans = 1 / pairs.speedup
    return Row(
        f"verify over {found.events:,} events in {found.namespaces:,} namespaces, in sequential scans of them",
        f"at most {SCANS_TARGET:.0f}",
        f"{scans:.2f}",
        scans <= SCANS_TARGET,
        f"{median(pairs.ours):.2f} s; a scan is `{SCAN}`, {median(pairs.yardstick):.2f} s; both on one connection "
        f"without parallel workers, in turns; median of {rounds} rounds; lost cursors rebuilt in {seconds:.1f} s",
        {"scans": scans, "verify_seconds": median(pairs.ours), "rebuild_seconds": seconds},
    )


def _scan(conn: Connection) -> None:
    conn.execute(SCAN).fetchall()
