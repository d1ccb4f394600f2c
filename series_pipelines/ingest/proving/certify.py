"""Makes certificates of completeness: what is known of a window of a series, and a digest of its rows.

The same data gives the same digest, one changed bar another.
"""

from dataclasses import dataclass

from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import TABLES
from series_pipelines.ingest.ledger import months as ledger_months
from series_pipelines.ingest.ledger.months import MonthDigest
from series_pipelines.ingest.standing.coverage import Stretch, classify, sum_kinds
from series_pipelines.ingest.storing import coverage
from series_pipelines.ingest.storing.rows import digest_rows
from series_pipelines.postgres.connection import Connection


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
    ledger_months: tuple[MonthDigest, ...]
    """What the ledger's closed months hold, of all series: who keeps the certificate can tell if they are rewritten."""

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
    with conn.transaction():
        conn.execute("set transaction isolation level repeatable read, read only")
        account = coverage.read(conn, table_name, [series_id])[series_id]
        position = coverage.find_last_event(conn, table_name, series_id)
        months = tuple(ledger_months.read_digests(conn))
        digest, rows = digest_rows(conn, TABLES[table_name], series_id, window)
    stretches = tuple(classify(account.ranges, account.evidence, window))
    return Certificate(table_name, series_id, window, stretches, rows, digest, position, months)
