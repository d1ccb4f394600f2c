"""Row 3: the same rows again. Nothing may change, and almost nothing may be logged."""

from typing import Any, Final, cast

from benchmarks.harness import Row, say
from benchmarks.market import TABLE, commit_pages, fetch_older, find_minute, make_vendor, read_series, register
from benchmarks.server import Server, vacuum
from series_pipelines.ingest.storing.commit import Finished
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.vendors.services import Capability

PAGE_ROWS: Final = 1_000
TARGET_BYTES: Final = 20


def run(server: Server, quick: bool) -> list[Row]:
    """Commit the same pages three times: fresh, right after a checkpoint, and once more to measure."""
    series = 50 if quick else 200
    vendor = make_vendor(series, {"backward": PAGE_ROWS})
    with server.fresh_database() as url, connect(url, purpose="ours") as conn:
        capability = register(conn, vendor)["backward"]
        now_ms = find_minute(0)
        pages = [fetch_older(vendor, capability, facts, now_ms) for facts in read_series(conn, capability)]
        commit_pages(conn, capability, pages)
        vacuum(url)
        server.checkpoint()
        rows = series * PAGE_ROWS
        first_bytes = _measure_wal(conn, capability, pages)
        say(f"duplicates: {rows} rows again, first after a checkpoint: {first_bytes / rows:.2f} bytes of log a row")
        marker = _read_one(conn, "select pg_snapshot_xmax(pg_current_snapshot())::text::bigint, clock_timestamp()")
        logged_bytes = _measure_wal(conn, capability, pages)
        rewritten, touched, stored = _read_one(
            conn,
            f"select count(*) filter (where xmin::text::bigint >= %s), count(*) filter (where updated_at >= %s), "  # noqa: S608
            f"count(*) from {TABLE}",
            marker,
        )
        assert stored == rows
    per_row = logged_bytes / rows
    say(f"duplicates: warm: {per_row:.2f} bytes of log a row")
    return [
        Row(
            "the same rows again: rows changed, `updated_at` changed, WAL a row",
            f"0, 0, under {TARGET_BYTES} bytes",
            f"{rewritten}, {touched}, {per_row:.1f} bytes",
            rewritten == 0 and touched == 0 and per_row < TARGET_BYTES,
            f"{rows:,} rows in 1,000-row pages; all of rule 1's log counted; right after a checkpoint, with its "
            f"full-page images: {first_bytes / rows:.1f} bytes",
            {"rows_changed": rewritten, "updated_at_changed": touched, "wal_bytes_per_row": per_row},
        )
    ]


def _measure_wal(conn: Connection, capability: Capability, pages: list[Finished]) -> int:
    before = _read_one(conn, "select pg_current_wal_insert_lsn()")
    commit_pages(conn, capability, pages)
    return int(_read_one(conn, "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), %s)", before)[0])


def _read_one(conn: Connection, statement: str, parameters: tuple[Any, ...] = ()) -> tuple[Any, ...]:
    with conn.transaction():
        return cast(tuple[Any, ...], conn.execute(cast(Any, statement), parameters or None).fetchone())
