"""Evidence about time without data: rows of coverage_evidence. The caller owns the series."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, cast

from series_pipelines.core.ranges import Range, find_missing
from series_pipelines.core.tables import SeriesTable
from series_pipelines.ingest.pages.evidence import Evidence, trim_evidence
from series_pipelines.ingest.pages.floor import APART_MS
from series_pipelines.ingest.storing.table_queries import load_table_queries
from series_pipelines.postgres.connection import Connection, ms_to_time
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("ingest/evidence")


class Covered(NamedTuple):
    """The time that a page covers, and the holes it says are in it."""

    series_id: str
    stretches: Sequence[Range]
    holes: Sequence[Range]


def record(conn: Connection, table_name: str, known: Sequence[tuple[str, Evidence]]) -> None:
    """Add evidence, or confirm what is there: answers close together count once."""
    if not known:
        return
    conn.execute(
        _SQL["record"],
        {
            "table_name": table_name,
            "apart_ms": APART_MS,
            "series_ids": [series_id for series_id, _ in known],
            "kinds": [evidence.kind for _, evidence in known],
            "starts": [ms_to_time(evidence.window.start_ms) for _, evidence in known],
            "ends": [ms_to_time(evidence.window.end_ms) for _, evidence in known],
            "requests": [evidence.request for _, evidence in known],
            "digests": [evidence.digest for _, evidence in known],
            "observed": [ms_to_time(evidence.observed_ms) for _, evidence in known],
            "confirmed": [ms_to_time(evidence.confirmed_ms) for _, evidence in known],
            "confirmations": [evidence.confirmations for _, evidence in known],
        },
    )


def keep_stored(
    conn: Connection, table: SeriesTable, known: Sequence[tuple[str, Evidence]]
) -> list[tuple[str, Evidence]]:
    """Return evidence about bars less the time of bars that are stored: a vendor that forgets does not unsay them."""
    holes = [(series_id, evidence.window) for series_id, evidence in known if evidence.kind == "verified_empty"]
    if not holes:
        return list(known)
    rows = conn.execute(
        load_table_queries("ingest/rows", table)["find_bars_inside"],
        {
            "series_ids": [series_id for series_id, _ in holes],
            "starts": [ms_to_time(hole.start_ms) for _, hole in holes],
            "ends": [ms_to_time(hole.end_ms) for _, hole in holes],
        },
    ).fetchall()
    stored: defaultdict[str, list[Range]] = defaultdict(list)
    for series_id, start_ms, end_ms in cast(list[Any], rows):
        stored[series_id].append(Range(start_ms, end_ms))
    return [
        (series_id, part)
        for series_id, evidence in known
        for part in (
            [replace(evidence, window=window) for window in find_missing(stored[series_id], evidence.window)]
            if evidence.kind == "verified_empty"
            else [evidence]
        )
    ]


def trim(conn: Connection, table_name: str, covered: Sequence[Covered]) -> None:
    """Take back what the pages' data contradicts."""
    if not covered:
        return
    rows = conn.execute(
        _SQL["find_overlapping"],
        {
            "table_name": table_name,
            "series_ids": [page.series_id for page in covered],
            "starts": [ms_to_time(page.stretches[0].start_ms) for page in covered],
            "ends": [ms_to_time(page.stretches[-1].end_ms) for page in covered],
        },
    ).fetchall()
    page_of = {page.series_id: page for page in covered}
    outdated: list[tuple[str, Evidence]] = []
    left: list[tuple[str, Evidence]] = []
    for series_id, known in _group(rows).items():
        page = page_of[series_id]
        for evidence in known:
            remainder = trim_evidence(evidence, page.stretches, page.holes)
            if remainder != [evidence]:
                outdated.append((series_id, evidence))
                left += [(series_id, part) for part in remainder]
    if outdated:
        conn.execute(
            _SQL["remove"],
            {
                "table_name": table_name,
                "series_ids": [series_id for series_id, _ in outdated],
                "kinds": [evidence.kind for _, evidence in outdated],
                "starts": [ms_to_time(evidence.window.start_ms) for _, evidence in outdated],
            },
        )
        record(conn, table_name, left)


def _group(rows: Sequence[Any]) -> dict[str, list[Evidence]]:
    found: defaultdict[str, list[Evidence]] = defaultdict(list)
    for series_id, kind, start_ms, end_ms, *rest in cast(list[Any], rows):
        found[series_id].append(Evidence(kind, Range(start_ms, end_ms), *rest))
    return found
