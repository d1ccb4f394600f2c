"""What is accounted for of series, in one query: the time that has data, and the evidence for what has none."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from series_pipelines.core.ranges import Range
from series_pipelines.ingest.pages.evidence import Evidence
from series_pipelines.postgres.connection import Connection
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("ingest/coverage")


@dataclass(slots=True)
class Account:
    """The ranges of a series, oldest first, and the evidence for time without data."""

    ranges: list[Range] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)


def read(conn: Connection, table_name: str, series_ids: Sequence[str] | None = None) -> dict[str, Account]:
    """Return the accounts of some series, or of all of a table; a series without any has an empty one."""
    accounts: defaultdict[str, Account] = defaultdict(Account, {series_id: Account() for series_id in series_ids or ()})
    rows = conn.execute(
        _SQL["read"], {"table_name": table_name, "series_ids": None if series_ids is None else list(series_ids)}
    ).fetchall()
    for series_id, kind, start_ms, end_ms, *rest in cast(list[Any], rows):
        window = Range(start_ms, end_ms)
        if kind == "data":
            accounts[series_id].ranges.append(window)
        else:
            accounts[series_id].evidence.append(Evidence(kind, window, *rest))
    for account in accounts.values():
        account.ranges.sort()
    return dict(accounts)


def find_last_event(conn: Connection, table_name: str, series_id: str) -> int | None:
    """Return the last event of a series in the ledger."""
    row = conn.execute(_SQL["find_last_event"], {"table_name": table_name, "series_id": series_id}).fetchone()
    return cast(tuple[int | None], row)[0]
