"""Shows what a lane did: one partition event a series, in batches, and never for more than a fifth of its time.

Events are display only: nothing reads them to decide. A series is shown the first time, when a person asked for the
run, and when its state changed; otherwise at most once an interval that grows with the number of series. What does
not fit into a sensor's lane is left to the next lane that touches the series.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from dagster import AssetKey, AssetMaterialization, AssetObservation, MetadataValue

from series_pipelines.core.tables import TABLES
from series_pipelines.core.times import date_to_ms, format_span, format_time
from series_pipelines.defs.display_rules import FEW_SERIES, find_display_interval, has_changed_state, is_display_due
from series_pipelines.defs.event_batch import EventBatches, PartitionEvent
from series_pipelines.defs.tables import make_table
from series_pipelines.ingest.planning.cadence import Cadence
from series_pipelines.ingest.planning.facts import SeriesFacts
from series_pipelines.ingest.standing.coverage import Coverage
from series_pipelines.ingest.standing.lag import is_delisted
from series_pipelines.ingest.standing.series import Standing, StandingReader
from series_pipelines.ingest.storing import states
from series_pipelines.ingest.storing.rows import read_last
from series_pipelines.ingest.storing.writer import Written
from series_pipelines.postgres.connection import Connection

FLUSH_EVERY_SECONDS: Final = 5.0
MAX_BATCH: Final = 200
MIN_BATCH: Final = 40
MAX_SHARE: Final = 0.18
LAST_ROWS: Final = 5


class Display:
    """Collects a lane's committed attempts and shows them; a run with several lanes has one for each."""

    def __init__(
        self,
        batches: EventBatches,
        conn: Connection,
        table_name: str,
        series: int,
        by_person: bool,
        find_cadence: Callable[[SeriesFacts], Cadence],
    ) -> None:
        self._batches = batches
        self._standings = StandingReader(conn, lambda _, facts: find_cadence(facts))
        self._conn = conn
        self._table_name = table_name
        self._by_person = by_person
        self._interval_ms = find_display_interval(series)
        self._pending: dict[str, tuple[SeriesFacts, str | None]] = {}
        self._new_rows: defaultdict[str, int] = defaultdict(int)
        self._shown: set[str] = set()
        self._started = self._flushed = time.monotonic()
        self._spent = 0.0
        self._events = 0

    def note(self, written: Written) -> None:
        """Take note of a committed attempt, and show what has gathered when it is time."""
        facts = written.facts
        if facts is None:
            return
        self._new_rows[facts.series_id] += written.new_rows
        if self._must_show(written, facts) or facts.series_id in self._pending:
            self._pending[facts.series_id] = (facts, written.finished.outcome.error)
        is_time = time.monotonic() - self._flushed >= FLUSH_EVERY_SECONDS or len(self._pending) >= MAX_BATCH
        if self._pending and is_time and (room := self._find_room()):
            self._show_some(room)

    def _must_show(self, written: Written, facts: SeriesFacts) -> bool:
        if self._by_person or has_changed_state(written.finished.facts, facts):
            return True
        if facts.series_id in self._shown and self._interval_ms:
            return False
        return is_display_due(facts, self._interval_ms, written.finished.attempted_ms)

    def show_rest(self, series_ids: Collection[str]) -> None:
        """Show chosen series that were up to date already: a person asked for them."""
        silent = [series_id for series_id in series_ids if series_id not in self._shown | self._pending.keys()]
        if silent:
            known = states.read_facts(self._conn, self._table_name, series_ids=silent)
            self._pending.update({facts.series_id: (facts, None) for facts in known})

    def finish(self) -> str:
        """Show what has gathered, as far as there is time for it, and tell how much that took."""
        while self._pending and (room := self._find_room()):
            self._show_some(room)
        left = len(self._pending)
        if left:
            states.mark_shown(self._conn, self._table_name, list(self._pending), None)
            self._pending = {}
        share = self._spent / max(time.monotonic() - self._started, 1e-9)
        return f"showing {len(self._shown)} series took {share:.0%} of the time" + (
            f", {left} are left to the next lane" if left else ""
        )

    def _find_spare(self) -> float:
        """Return how many seconds may still be spent on showing."""
        return MAX_SHARE * (time.monotonic() - self._started) - self._spent

    def _find_room(self) -> int:
        """Return how many series there is time for, at the price of those before; none if that is hardly any."""
        # A person gets all that was asked for; and a few series cost nothing worth saving.
        if self._by_person:
            return MAX_BATCH
        if len(self._shown) < FEW_SERIES:
            return FEW_SERIES
        room = int(self._find_spare() * self._events / self._spent)
        return min(MAX_BATCH, room) if room >= min(MIN_BATCH, len(self._pending)) else 0

    def _show_some(self, room: int) -> None:
        begun = time.monotonic()
        group = [self._pending.pop(series_id) for series_id in list(self._pending)[:room]]
        self._show(group, with_last_rows=self._find_spare() > 0)
        self._flushed = time.monotonic()
        self._spent += self._flushed - begun
        self._events += len(group)

    def _show(self, group: Sequence[tuple[SeriesFacts, str | None]], with_last_rows: bool) -> None:
        series_ids = [facts.series_id for facts, _ in group]
        # A table of rows is two thirds of an event's cost, and the first thing to do without when time is short.
        last_rows = list_last_rows(self._conn, self._table_name, series_ids) if with_last_rows else {}
        now_ms = time.time_ns() // 1_000_000
        events: list[PartitionEvent] = []
        errors = dict(zip(series_ids, (error for _, error in group), strict=True))
        for standing in self._standings.read(self._table_name, [facts for facts, _ in group], now_ms):
            key = standing.facts.series_id
            metadata = {
                "new_rows": MetadataValue.int(self._new_rows.pop(key, 0)),
                **describe_coverage(standing.facts, standing.coverage, standing.left_ms),
                **describe_lag(standing, now_ms),
                **describe_last_rows(last_rows.get(key, []), self._table_name),
            }
            events.append(make_event(self._table_name, key, metadata, errors[key]))
        self._batches.log(events)
        states.mark_shown(self._conn, self._table_name, series_ids, now_ms)
        self._shown.update(series_ids)


def list_last_rows(conn: Connection, table_name: str, series_ids: Sequence[str]) -> dict[str, list[list[str]]]:
    """Return the newest rows of each series, newest first, as text: when each begins, and what fits beside it."""
    found: defaultdict[str, list[list[str]]] = defaultdict(list)
    for series_id, created_at, *values in read_last(conn, TABLES[table_name], series_ids, LAST_ROWS):
        texts = ["" if value is None else str(value) for value in values]
        found[series_id].append([format_time(date_to_ms(created_at)), *texts])
    return found


def make_event(table_name: str, series_id: str, metadata: dict[str, Any], error: str | None) -> PartitionEvent:
    """Return what the Dagster UI shows of a series: a materialization, or an observation of what went wrong."""
    if error is None:
        return AssetMaterialization(AssetKey(table_name), partition=series_id, metadata=metadata)
    told = {**metadata, "error": MetadataValue.text(error)}
    return AssetObservation(AssetKey(table_name), partition=series_id, metadata=told)


def describe_coverage(facts: SeriesFacts, coverage: Coverage, left_ms: int | None) -> dict[str, Any]:
    """Return what a series covers as metadata: coverage by kind, gaps, floor, range, and when all will be known."""
    metadata: dict[str, Any] = {
        "coverage_percent": MetadataValue.float(round(coverage.percent, 2)),
        "gaps": MetadataValue.int(len(coverage.gaps)),
        "floor": MetadataValue.text(
            f"{facts.floor_kind} at {format_time(facts.floor_ms)}" if facts.floor_ms is not None else "not reached yet"
        ),
        "kinds": MetadataValue.text(
            ", ".join(f"{kind} {format_span(span_ms)}" for kind, span_ms in coverage.kinds.items()) or "nothing yet"
        ),
        "unknown": MetadataValue.text(format_span(coverage.unknown_ms)),
    }
    if left_ms is not None:
        metadata["known_in"] = MetadataValue.text(f"about {format_span(left_ms)}")
    if coverage.union is not None:
        union = coverage.union
        metadata["range"] = MetadataValue.text(f"[{format_time(union.start_ms)}, {format_time(union.end_ms)})")
    return metadata


def describe_lag(standing: Standing, now_ms: int) -> dict[str, Any]:
    """Return as metadata how many bars are past due, or that nothing is owed any more."""
    facts, lag = standing.facts, standing.lag
    if facts.delisted_ms is not None and is_delisted(facts, now_ms):
        return {"delisted": MetadataValue.text(f"since {format_time(facts.delisted_ms)}")}
    if lag is None:
        return {}
    return {"lag_bars" if standing.cadence.duration else "lag_intervals": MetadataValue.int(lag.bars)}


def describe_last_rows(last_rows: Sequence[Sequence[str]], table_name: str) -> dict[str, Any]:
    """Return the newest rows as a table; nothing where there was no time for them."""
    if not last_rows:
        return {}
    columns = ("created_at", *TABLES[table_name].shown)
    return {"last_rows": make_table(dict.fromkeys(columns, "string"), last_rows)}
