"""Merging the overlapping ranges of series; it changes no read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from series_pipelines.actions.answers import Json
from series_pipelines.core.tables import TABLES
from series_pipelines.ingest.storing import ranges
from series_pipelines.ingest.storing.compaction import compact_series
from series_pipelines.ingest.storing.ranges import Compaction
from series_pipelines.ingest.storing.states import KnownSeries
from series_pipelines.postgres.connection import Connection


@dataclass(frozen=True, slots=True)
class Compacted:
    """How many ranges the series of a table that changed had before, and have now."""

    before: int
    after: int
    series: int

    def as_json(self) -> Json:
        """Return the counts."""
        return {"before": self.before, "after": self.after, "series": self.series}


def compact_chosen(
    conn: Connection, chosen: Sequence[KnownSeries] | None, table_name: str | None = None
) -> dict[str, Compacted]:
    """Merge the ranges of some series, or of all, of one table or of each."""
    names: Iterable[str] = TABLES if table_name is None else (table_name,)
    done: dict[str, Compacted] = {}
    for name in names:
        if chosen is None:
            with conn.transaction():
                change = ranges.compact(conn, name)
        else:
            change = compact_series(conn, name, [known.series_id for known in chosen if known.table_name == name])
        done[name] = count_ranges(conn, name, change)
    return done


def count_ranges(conn: Connection, table_name: str, change: Compaction) -> Compacted:
    """Return how many ranges the series that changed had before a compaction, and have after it."""
    touched = sorted({changed.series_id for changed in (*change.deleted, *change.inserted)})
    after = sum(len(stored) for stored in ranges.read(conn, table_name, touched).values())
    return Compacted(after + len(change.deleted) - len(change.inserted), after, len(touched))
