"""What vendors changed after it was stored: rows of row_revision, which the merge of a page writes itself.

Values are exact decimals as text; Postgres compares them, so 1.10 and 1.1 are no change.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from series_pipelines.postgres.connection import Connection
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("ingest/revisions")


class Change(NamedTuple):
    """One column of one row: what we had, what the vendor says now, and when that was seen."""

    table_name: str
    series_id: str
    created_ms: int
    column: str
    old_value: str | None
    new_value: str | None
    seen_ms: int


def read(
    conn: Connection,
    table_name: str,
    series_ids: Sequence[str],
    after: int,
    until: int | None = None,
    most: int | None = None,
) -> list[Change]:
    """Return what was seen to have changed after one revision and until another, in the order of series and time."""
    parameters = _bind(table_name, series_ids, after, until) | {"most": most}
    rows = conn.execute(_SQL["read"], parameters).fetchall()
    return [Change._make(row) for row in cast(list[Any], rows)]


def count(
    conn: Connection, table_name: str, series_ids: Sequence[str], after: int, until: int | None = None
) -> dict[str, int]:
    """Return how many rows changed, of those series of which any did."""
    rows = conn.execute(_SQL["count"], _bind(table_name, series_ids, after, until)).fetchall()
    return dict(cast(list[tuple[str, int]], rows))


def _bind(table_name: str, series_ids: Sequence[str], after: int, until: int | None) -> dict[str, Any]:
    return {"table_name": table_name, "series_ids": list(series_ids), "after": after, "until": until}
