"""Makes certificates of completeness: what is known of a window of a series, and a digest of its rows.

The same data gives the same digest, one changed bar another: times in milliseconds and decimals without trailing zeros,
row by row in order of time, with nothing of when or how they were written.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, cast

from series_pipelines.core.coverage import Stretch, classify, sum_kinds
from series_pipelines.core.ranges import Range
from series_pipelines.store import coverage
from series_pipelines.store.connection import Connection, ms_to_time
from series_pipelines.store.queries import load_queries

QUERIES: Final = {"ohlc_v2": "ohlc", "interest_rate": "rates"}


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is known of a window of a series at one moment."""

    table_name: str
    series_id: str
    window: Range
    stretches: tuple[Stretch, ...]
    rows: int
    digest: str
    ledger_position: int | None
    """The last event of the series in the ledger."""

    @property
    def kinds(self) -> dict[str, int]:
        """The time of each kind, in milliseconds."""
        return sum_kinds(self.stretches)

    @property
    def is_complete(self) -> bool:
        """Whether all of the window is known, and nothing of it was refused."""
        return not {"unknown", "quarantined"} & self.kinds.keys()


def certify(conn: Connection, table_name: str, series_id: str, window: Range) -> Certificate:
    """Certify a window; rows, coverage and ledger are read in one snapshot."""
    sql = load_queries(QUERIES[table_name])
    bounds = {"series_id": series_id, "start": ms_to_time(window.start_ms), "end": ms_to_time(window.end_ms)}
    digest = sha256()
    rows = 0
    with conn.transaction():
        conn.execute("set transaction isolation level repeatable read, read only")
        account = coverage.read(conn, table_name, [series_id])[series_id]
        names = {"table_name": table_name, "series_id": series_id}
        position = conn.execute(load_queries("coverage")["find_last_event"], names).fetchone()
        with conn.cursor() as cursor, cursor.copy(cast(Any, sql["digest_rows"]), bounds) as copy:
            for block in copy:
                digest.update(block)
                rows += bytes(block).count(b"\n")
    return Certificate(
        table_name,
        series_id,
        window,
        tuple(classify(account.ranges, account.evidence, window)),
        rows,
        digest.hexdigest(),
        cast(tuple[int | None], position)[0],
    )
