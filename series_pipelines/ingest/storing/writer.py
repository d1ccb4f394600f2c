"""The writer thread of a lane: commits what has queued up while the next page is being fetched.

It has a connection of its own and is never interrupted: signals reach the main thread only, so a page is committed
whole or not at all. A group that fails is retried page by page, so one bad page fails only its own series, whatever
is wrong with it. While the database restarts or has no room it waits, as long as the shift lasts.
"""

import queue
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from series_pipelines.core.clock import Clock
from series_pipelines.core.text import clean_text
from series_pipelines.errors import (
    DatabaseContended,
    DatabaseExhausted,
    DatabaseUnavailable,
    StatementCancelled,
    StoreError,
)
from series_pipelines.ingest.ledger.append import Author
from series_pipelines.ingest.pages.outcome import judge_failure
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.storing import capabilities, states
from series_pipelines.ingest.storing.commit import NO_PAGE_TO_BLAME, Finished, commit_group, explain_unstorable
from series_pipelines.ingest.storing.compaction import compact_series
from series_pipelines.ingest.storing.patience import ALWAYS_MS, Patience
from series_pipelines.postgres.connection import Connection
from series_pipelines.postgres.reopening import Reopening

MAX_GROUP: Final = 50
COMPACT_AFTER_PAGES: Final = 500


@dataclass(frozen=True, slots=True)
class Written:
    """A committed attempt and what is known of its series since; None when the series has retired."""

    finished: Finished
    facts: SeriesFacts | None
    new_rows: int = 0
    """How many of the page's rows were new or different."""


class Writer:
    """Commits attempts in the order they arrive and reports each through `on_written`.

    `on_waiting` hears why it waits for the database; `on_broken` what ended it.
    """

    def __init__(
        self,
        connect: Callable[[], Connection],
        table_name: str,
        author: Author,
        clock: Clock,
        deadline_ms: int,
        on_written: Callable[[list[Written]], None],
        on_broken: Callable[[BaseException], None],
        on_waiting: Callable[[str], None] = lambda why: None,
    ) -> None:
        self._clock = clock
        self._patience = Patience(clock, deadline_ms)
        self._database = Reopening(connect, self._patience.wait, self._tell_waiting)
        self._table_name = table_name
        self._author = author
        self._on_written = on_written
        self._on_broken = on_broken
        self._on_waiting = on_waiting
        self._inbox: queue.SimpleQueue[Finished | None] = queue.SimpleQueue()
        self._touched: set[str] = set()
        self._pages = 0
        self._thread = threading.Thread(target=self._run, name=f"writer of {author.cap_key}", daemon=True)
        self._thread.start()

    def submit(self, finished: Finished) -> None:
        """Hand over an attempt to commit."""
        self._inbox.put(finished)

    def close(self) -> None:
        """Commit what was handed over, if that takes no long wait for the database, then end."""
        self._patience.end()
        self._inbox.put(None)
        self._thread.join()
        self._database.close()

    def _run(self) -> None:
        try:
            while group := self._take_group():
                self._on_written(self._commit(group))
                self._compact_sometimes(group)
        except BaseException as error:
            if not isinstance(error, DatabaseUnavailable):
                self._note(clean_text(error))
            self._on_broken(error)

    def _take_group(self) -> list[Finished]:
        group: list[Finished] = []
        first = self._inbox.get()
        if first is None:
            return group
        group.append(first)
        while len(group) < MAX_GROUP:
            try:
                following = self._inbox.get_nowait()
            except queue.Empty:
                break
            if following is None:
                self._inbox.put(None)
                break
            group.append(following)
        return group

    def _commit(self, group: Sequence[Finished]) -> list[Written]:
        new_rows: Counter[str] = Counter()
        try:
            new_rows = self._commit_together(group)
            done = list(group)
        except NO_PAGE_TO_BLAME:
            raise
        except Exception:
            done = [self._commit_alone(finished, new_rows) for finished in group]
        series_ids = [finished.facts.series_id for finished in done]
        facts_of = {facts.series_id: facts for facts in self._database.run(lambda conn: self._read(conn, series_ids))}
        return [
            Written(finished, facts_of.get(series_id), new_rows[series_id])
            for finished, series_id in zip(done, series_ids, strict=True)
        ]

    def _read(self, conn: Connection, series_ids: Sequence[str]) -> list[SeriesFacts]:
        with conn.transaction():
            return states.read_facts(conn, self._table_name, series_ids=series_ids)

    def _commit_together(self, group: Sequence[Finished]) -> Counter[str]:
        # Twice is safe: rows, ranges and states are the same, and the ledger knows the pages by their keys.
        return self._database.run(lambda conn: commit_group(conn, self._table_name, self._author, group))

    def _commit_alone(self, finished: Finished, new_rows: Counter[str]) -> Finished:
        try:
            new_rows.update(self._commit_together([finished]))
            return finished
        except NO_PAGE_TO_BLAME:
            raise
        except Exception as error:
            reason = explain_unstorable(error)
        outcome = judge_failure(finished.facts, finished.fetch, reason, finished.attempted_ms)
        failed = Finished(finished.facts, finished.fetch, finished.attempted_ms, None, outcome, finished.number)
        try:
            self._commit_together([failed])
        except NO_PAGE_TO_BLAME:
            raise
        except Exception as error:
            series_id = clean_text(finished.facts.series_id)
            raise StoreError(f"not even a failure of {series_id} can be stored: {clean_text(error)}") from error
        return failed

    def _tell_waiting(self, error: StoreError, pause_ms: int) -> None:
        if pause_ms < ALWAYS_MS:
            return
        why = clean_text(f"nothing is stored now, trying again in {pause_ms // 1_000} s: {error}")
        self._on_waiting(why)
        if isinstance(error, DatabaseExhausted):
            self._note(why)

    def _note(self, why: str) -> None:
        """Write down where people look why nothing is stored; a full database may have room for that."""

        def write(conn: Connection) -> None:
            with conn.transaction():
                capabilities.note_error(conn, self._author.cap_key or "", why, self._clock.now_ms())

        with suppress(StoreError):
            self._database.run_once(write)

    def _compact_sometimes(self, group: Sequence[Finished]) -> None:
        self._touched.update(finished.facts.series_id for finished in group if finished.page is not None)
        self._pages += len(group)
        if self._pages < COMPACT_AFTER_PAGES:
            return
        self._pages = 0
        # What others were in the way of, or what took too long, is done next time; no page is in danger.
        with suppress(DatabaseContended, StatementCancelled):
            self._database.run(lambda conn: compact_series(conn, self._table_name, sorted(self._touched)))
            self._touched.clear()
