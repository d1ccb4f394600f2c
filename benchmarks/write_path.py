"""Row 1: big fresh pages with all of rule 1, against raw COPY of the same rows into a table with the same key."""

from collections.abc import Sequence
from functools import partial

from benchmarks.harness import Pairs, Row, say
from benchmarks.market import (
    TABLE,
    advance,
    commit_pages,
    fetch_older,
    find_minute,
    make_vendor,
    read_series,
    register,
)
from benchmarks.server import Server
from series_pipelines.core.tables import OHLC
from series_pipelines.ingest.storing.commit import Finished
from series_pipelines.ingest.storing.rows import SeriesRows, format_rows
from series_pipelines.ingest.storing.writer import MAX_GROUP
from series_pipelines.postgres.connection import Connection, connect

PAGE_ROWS = 1_000
TARGET = 0.5
COPY_RAW = f"copy raw_ohlc (series_id, {', '.join((*OHLC.times, *OHLC.values))}) from stdin"


def run(server: Server, quick: bool) -> list[Row]:
    """Write groups of pages both ways, in turns."""
    series, rounds = (50, 3) if quick else (100, 6)
    vendor = make_vendor(series, {"backward": PAGE_ROWS})
    pairs = Pairs()
    with server.fresh_database() as url, connect(url, purpose="ours") as ours, connect(url, purpose="raw") as raw:
        raw.execute(f"create table raw_ohlc (like {TABLE} including all)")
        raw.commit()
        capability = register(ours, vendor)["backward"]
        known = read_series(ours, capability)
        # Series are at different points of their history, so their times are not all the same.
        anchors = [find_minute(37 * position) for position in range(series)]
        for number in range(rounds + 1):
            pages = [
                fetch_older(vendor, capability, facts, anchor) for facts, anchor in zip(known, anchors, strict=True)
            ]
            known = [advance(finished) for finished in pages]
            texts = [_prebuild(pages[position : position + MAX_GROUP]) for position in range(0, series, MAX_GROUP)]
            timed = pairs if number else Pairs()
            timed.run(partial(commit_pages, ours, capability, pages), partial(_copy, raw, texts))
            say(f"write_path: round {number} of {rounds}, {series * PAGE_ROWS} rows each way")
    rows = series * PAGE_ROWS
    ours_rate, raw_rate = (rows / sorted(times)[len(times) // 2] for times in (pairs.ours, pairs.yardstick))
    return [
        Row(
            "write path, 1,000-row pages, all of rule 1, against raw COPY into the same keyed table",
            f"at least {TARGET}",
            f"{pairs.speedup:.2f}",
            pairs.speedup >= TARGET,
            f"{ours_rate:,.0f} against {raw_rate:,.0f} rows/s; {MAX_GROUP} pages a transaction both ways; "
            f"median of {rounds} rounds of {rows:,} rows",
            {"ratio": pairs.speedup, "rows_per_second": ours_rate, "raw_rows_per_second": raw_rate},
        )
    ]


def _prebuild(group: Sequence[Finished]) -> bytes:
    lines: list[str] = []
    for finished in group:
        if finished.page is not None:
            lines += format_rows(OHLC, SeriesRows(finished.facts.series_id, finished.page.rows))
    return "\n".join(lines).encode()


def _copy(conn: Connection, texts: Sequence[bytes]) -> None:
    for text in texts:
        with conn.transaction(), conn.cursor() as cursor, cursor.copy(COPY_RAW) as copy:
            copy.write(text)
