"""The ledger's closed months: a digest of each, made when it is over, and compared with what it holds since.

Who owns the tables could rewrite the past and these digests with it; a certificate kept elsewhere still tells.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, cast

from series_pipelines.ingest.ledger.audit import take_time
from series_pipelines.postgres.connection import Connection
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("ingest/ledger_months")


class MonthDigest(NamedTuple):
    """What a month held of the events numbered above one number (of all, if 0) and up to another."""

    month: str
    after_id: int
    until_id: int
    events: int
    digest: str


class ChangedMonth(NamedTuple):
    """A month that does not hold what it held; no events if it is gone."""

    told: MonthDigest
    events: int | None


def close_months(conn: Connection) -> int:
    """Make the digests of months that have been over for a day; return how many. The connection is in no transaction.

    Events that come later still get a digest of their own the next time.
    """
    with conn.transaction():
        months = [month for (month,) in conn.execute(_SQL["list_parts"])]
    made = 0
    for month in months:
        # A transaction each: what is late for one month does not wait for the others.
        with conn.transaction():
            take_time(conn)
            row = conn.execute(_SQL["close_month"], {"month": month}).fetchone()
            made += bool(row and row[0])
    return made


def read_digests(conn: Connection) -> list[MonthDigest]:
    """Return the digests that were made."""
    return [MonthDigest(*row) for row in cast(list[Any], conn.execute(_SQL["read_digests"]).fetchall())]


def find_changes(conn: Connection, told: Iterable[MonthDigest]) -> list[ChangedMonth]:
    """Compare digests with what their months hold now."""
    take_time(conn)
    changed: list[ChangedMonth] = []
    for digest in sorted(set(told)):
        names = {"month": digest.month, "after_id": digest.after_id, "until_id": digest.until_id}
        row = cast(Any, conn.execute(_SQL["digest_part"], names).fetchone())
        if row is None or tuple(row) != (digest.events, digest.digest):
            changed.append(ChangedMonth(digest, None if row is None else row[0]))
    return changed
