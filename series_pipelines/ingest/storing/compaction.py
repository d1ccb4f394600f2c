"""Merges the ranges of many series, a few hundred a transaction, so that no writer waits long."""

from collections.abc import Sequence

from series_pipelines.ingest.storing import ranges
from series_pipelines.postgres.connection import Connection


def compact_series(conn: Connection, table_name: str, series_ids: Sequence[str]) -> ranges.Compaction:
    """Merge the ranges of some series, a few hundred a transaction, so that no writer waits long."""
    total = ranges.Compaction()
    for position in range(0, len(series_ids), ranges.MAX_SERIES_LOCKS):
        with conn.transaction():
            part = ranges.compact(conn, table_name, series_ids[position : position + ranges.MAX_SERIES_LOCKS])
        total.deleted += part.deleted
        total.inserted += part.inserted
    return total
