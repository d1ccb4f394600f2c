"""Commits attempts: rows, range, cursor event, evidence and series state of a page in one transaction, or none of them.

Attempts that queued up share a transaction, at most one a series.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from series_pipelines.core.tables import TABLES, SeriesTable
from series_pipelines.core.text import clean_text, describe_error
from series_pipelines.errors import (
    DatabaseExhausted,
    DatabaseUnavailable,
    NotMigrated,
    NotPermitted,
    PageRefused,
    SeriesError,
)
from series_pipelines.ingest.ledger import append as cursors
from series_pipelines.ingest.ledger.cursor import CursorValue, backfill_namespace, harvest_namespace
from series_pipelines.ingest.pages.check import Page
from series_pipelines.ingest.pages.evidence import Evidence
from series_pipelines.ingest.pages.outcome import Outcome
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.planning.requests import Fetch
from series_pipelines.ingest.storing import evidence as evidence_store
from series_pipelines.ingest.storing import ranges, states
from series_pipelines.ingest.storing.rows import SeriesRows, find_bars_across, write_rows
from series_pipelines.postgres.connection import Connection
from series_pipelines.postgres.locks import own_series

NO_PAGE_TO_BLAME: Final = (DatabaseUnavailable, DatabaseExhausted, NotMigrated, NotPermitted)
"""Why nothing at all can be committed. Whatever else goes wrong is the trouble of the page that was to be."""


@dataclass(frozen=True, slots=True)
class Finished:
    """One finished attempt: what was known, what was asked, the page or why there is none, what it means."""

    facts: SeriesFacts
    fetch: Fetch
    attempted_ms: int
    page: Page | None
    outcome: Outcome
    number: int = 0
    """Which request of its lane it was."""
    evidence: tuple[Evidence, ...] = ()


def explain_unstorable(error: Exception) -> str:
    """Return why a page can't be stored, as one line that can be."""
    return clean_text(f"the page can't be stored: {error if isinstance(error, SeriesError) else describe_error(error)}")


def commit_group(conn: Connection, table_name: str, author: cursors.Author, group: Sequence[Finished]) -> Counter[str]:
    """Commit a group of attempts, at most one a series; return how many rows of each series were new or different.

    Doing it twice changes nothing.
    """
    return cursors.commit_once(lambda again: _commit(conn, table_name, author, group, again))


def _commit(
    conn: Connection, table_name: str, author: cursors.Author, group: Sequence[Finished], again: bool
) -> Counter[str]:
    table, series_ids = TABLES[table_name], [finished.facts.series_id for finished in group]
    paged = [(finished, finished.page) for finished in group if finished.page is not None]
    with conn.transaction():
        own_series(conn, table_name, series_ids)
        refuse_bars_across(conn, table, [(finished.facts.series_id, page) for finished, page in paged])
        new_rows = write_rows(
            conn, table, [SeriesRows(finished.facts.series_id, page.rows) for finished, page in paged]
        )
        ranges.add(
            conn,
            table_name,
            [(finished.facts.series_id, stretch) for finished, page in paged for stretch in page.stretches],
        )
        _record_steps(conn, table_name, author, paged, again)
        covered = [
            evidence_store.Covered(finished.facts.series_id, page.stretches, page.holes)
            for finished, page in paged
            if page.range is not None
        ]
        evidence_store.trim(conn, table_name, covered)
        said = [(finished.facts.series_id, known) for finished in group for known in finished.evidence]
        evidence_store.record(conn, table_name, evidence_store.keep_stored(conn, table, said))
        states.write_outcomes(
            conn,
            table_name,
            [
                states.Attempt(
                    finished.facts.series_id,
                    finished.fetch.target,
                    finished.attempted_ms,
                    finished.outcome,
                    new_rows[finished.facts.series_id],
                )
                for finished in group
            ],
        )
    return new_rows


def refuse_bars_across(conn: Connection, table: SeriesTable, pages: Sequence[tuple[str, Page]]) -> None:
    """Refuse bars that lie across stored ones: of two bars at one time at most one is true."""
    doubtful = [SeriesRows(series_id, page.rows) for series_id, page in pages if page.may_lie_across]
    if doubtful and (found := find_bars_across(conn, table, doubtful)):
        series_id, created_ms, stored_ms = found
        raise PageRefused(f"the bar at {created_ms} of {series_id} lies across the stored one at {stored_ms}")


def _record_steps(
    conn: Connection, table_name: str, author: cursors.Author, paged: Sequence[tuple[Finished, Page]], again: bool
) -> None:
    """Write in the ledger what the pages did to their cursors."""
    steps = [_make_step(table_name, author, finished, page) for finished, page in paged]
    cursors.record(conn, author, steps, again)


def _make_step(table_name: str, author: cursors.Author, finished: Finished, page: Page) -> cursors.CursorStep:
    series_id, fetch = finished.facts.series_id, finished.fetch
    if fetch.kind == "head":
        namespace = harvest_namespace(table_name, series_id)
        position = page.range.end_ms if page.range else None
    else:
        namespace = backfill_namespace(table_name, series_id, author.activity)
        position = page.range.start_ms if page.range else None
    return cursors.CursorStep(
        namespace,
        CursorValue(position),
        finished.attempted_ms,
        f"{author.lane}/{finished.number}",
        page.range,
        f"{fetch.target} {author.direction} {fetch.time_ms}",
        len(page.rows),
        finished.number,
    )
