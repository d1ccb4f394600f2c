"""Row 2: head refreshes of three rows, grouped, against the same pages in a transaction each by executemany."""

from collections.abc import Sequence
from functools import partial
from typing import Final
from uuid import uuid4

from benchmarks.harness import Pairs, Row, say
from benchmarks.market import (
    TABLE,
    advance,
    commit_pages,
    fetch_newer,
    find_minute,
    make_vendor,
    read_series,
    register,
)
from benchmarks.server import Server, vacuum
from series_pipelines.core.duration import MINUTE_MS
from series_pipelines.core.tables import OHLC
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.storing.commit import Finished
from series_pipelines.postgres.connection import Connection, connect, ms_to_time
from series_pipelines.vendors.demo.vendor import DemoVendor
from series_pipelines.vendors.services import Capability
from tests.support.narrowing import read_bars

TARGET: Final = 5.0
HISTORY_ROWS: Final = 100
NEW_ROWS: Final = 2
_NAMES: Final = ("series_id", *OHLC.times, *OHLC.values)
WRITE_ROW: Final = f"""
insert into ohlc_v2 ({", ".join(_NAMES)}) values ({", ".join(["%s"] * len(_NAMES))})
on conflict (series_id, created_at) do update set {", ".join(f"{name} = excluded.{name}" for name in _NAMES[2:])}"""  # noqa: S608
WRITE_RANGE: Final = """
insert into series_data_range (series_id, table_name, start_time, end_time) values (%s, %s, %s, %s)
on conflict do nothing"""
WRITE_EVENT: Final = """
insert into ing_cursor_event (
    namespace_id, series_id, table_name, operation, namespace_scope, namespace_key, direction, cursor_type,
    prev_position, new_position, window_from, window_to, reason, cap_key, recorded_at, row_count, idempotent_key
) values (
    find_namespace_id(%s, %s, 'HARVEST', 'GLOBAL', ''),
    %s, %s, 'HARVEST', 'GLOBAL', '', 'FORWARD', 'TIME', %s, %s, %s, %s, 'advanced', %s, %s, %s, %s
)"""
WRITE_CURSOR: Final = """
insert into ing_cursor (
    namespace_id, series_id, table_name, operation, namespace_scope, namespace_key, direction, cursor_type, position
) values (find_namespace_id(%s, %s, 'HARVEST', 'GLOBAL', ''), %s, %s, 'HARVEST', 'GLOBAL', '', 'FORWARD', 'TIME', %s)
on conflict (series_id, table_name, operation, namespace_scope, namespace_key)
do update set position = excluded.position, version = ing_cursor.version + 1, updated_at = now()
where excluded.position > ing_cursor.position"""
WRITE_STATE: Final = """
update series_state set head_attempted_at = %s, head_eligible_at = null, head_misses = 0, failures = 0,
    last_page_span_ms = %s, last_error = null, last_success_at = %s
where series_id = %s and table_name = %s"""


class _SetClock:
    """A vendor's clock that stands where it is put."""

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms

    def __call__(self) -> int:
        return self.now_ms


def run(server: Server, quick: bool) -> list[Row]:
    """Refresh the heads of two equal sets of series, one set each way, in turns."""
    pages, rounds = (100, 3) if quick else (500, 6)
    clock = _SetClock(find_minute(60))
    vendor = make_vendor(2 * pages, {"forward": 1_000}, clock)
    pairs = Pairs()
    with server.fresh_database() as url, connect(url, purpose="ours") as ours, connect(url, purpose="plain") as plain:
        capability = register(ours, vendor)["forward"]
        known = _write_history(ours, vendor, capability)
        vacuum(url)
        for number in range(rounds + 1):
            clock.now_ms += NEW_ROWS * MINUTE_MS
            fetched = [fetch_newer(vendor, capability, facts, _find_last_bar(facts)) for facts in known]
            known = [advance(finished) for finished in fetched]
            timed = pairs if number else Pairs()
            timed.run(
                partial(commit_pages, ours, capability, fetched[:pages]),
                partial(_commit_singly, plain, capability.cap_key, fetched[pages:]),
            )
            say(f"tiny_pages: round {number} of {rounds}, {pages} pages each way")
    ours_rate, plain_rate = (pages / sorted(times)[len(times) // 2] for times in (pairs.ours, pairs.yardstick))
    return [
        Row(
            "tiny pages (3 rows, a head refresh), grouped, against a transaction each by executemany",
            f"at least {TARGET:.0f}×",
            f"{pairs.speedup:.1f}×",
            pairs.speedup >= TARGET,
            f"{ours_rate:,.0f} against {plain_rate:,.0f} pages/s; 1 row stored already and {NEW_ROWS} new a page; "
            f"median of {rounds} rounds of {pages} pages",
            {"ratio": pairs.speedup, "pages_per_second": ours_rate, "plain_pages_per_second": plain_rate},
        )
    ]


def _write_history(conn: Connection, vendor: DemoVendor, capability: Capability) -> list[SeriesFacts]:
    start_ms = vendor.clock() - HISTORY_ROWS * MINUTE_MS
    fetched = [fetch_newer(vendor, capability, facts, start_ms) for facts in read_series(conn, capability)]
    commit_pages(conn, capability, fetched)
    return [advance(finished) for finished in fetched]


def _find_last_bar(facts: SeriesFacts) -> int:
    assert facts.end_ms is not None
    return facts.end_ms - MINUTE_MS


def _commit_singly(conn: Connection, cap_key: str, pages: Sequence[Finished]) -> None:
    for finished in pages:
        page, series_id = finished.page, finished.facts.series_id
        assert page is not None
        assert page.range is not None
        assert len(page.rows) == NEW_ROWS + 1
        start, end = ms_to_time(page.range.start_ms), ms_to_time(page.range.end_ms)
        attempted = ms_to_time(finished.attempted_ms)
        rows = [(series_id, ms_to_time(row[0]), ms_to_time(row[1]), *row[2:]) for row in read_bars(page)]
        previous_ms, end_ms = finished.facts.end_ms, page.range.end_ms
        names = (TABLE, series_id, series_id, TABLE)
        event = (*names, previous_ms, end_ms, start, end, cap_key, attempted, len(rows), uuid4().hex)
        with conn.transaction(), conn.cursor() as cursor:
            cursor.executemany(WRITE_ROW, rows)
            cursor.execute(WRITE_RANGE, (series_id, TABLE, start, end))
            cursor.execute(WRITE_EVENT, event)
            cursor.execute(WRITE_CURSOR, (*names, end_ms))
            cursor.execute(WRITE_STATE, (attempted, finished.outcome.page_span_ms, attempted, series_id, TABLE))
