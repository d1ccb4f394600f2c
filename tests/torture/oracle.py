"""The oracle: asks the truth directly, and says of a database everything in it that can't be.

What a vendor left out or made up in a well-formed page can't be known from that page; the book of lies says where that
was, and only there the database may repeat it.
"""

import traceback
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from series_pipelines.core.duration import MINUTE_MS, parse_duration
from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import TABLES
from series_pipelines.core.text import describe_error
from series_pipelines.ingest.ledger import audit as ledger
from series_pipelines.ingest.pages.clocks import TOLERANCE_MS
from series_pipelines.ingest.proving.verify import ACTIVITY, verify_series
from series_pipelines.postgres.connection import Connection

from .liebook import LieBook
from .market import Life, Market, measure_lag
from .worlds import House

BELIEVED_MS = 10_000
"""How far ahead of ours the clock of a vendor that we believe may be here."""
LONGEST_ERROR = 400
LONGEST_PAUSE_MS = 10 * MINUTE_MS
"""Longer than any pause of our own."""
SHOWN = 3
BREAK = "a round ends"
"""The rule that what breaks off a round breaks."""
_COLUMNS = {table.name: ", ".join((*table.times[1:], *table.values)) for table in TABLES.values()}


@dataclass(frozen=True)
class Violation:
    """One thing that must not be: which rule it breaks, where, and what it looks like."""

    rule: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.where}: {self.what}"


@dataclass(frozen=True)
class Series:
    """One series of the world, and what is doubtful about it."""

    series_id: str
    duration: str | None
    life: Life
    doubts: tuple[Range, ...]
    has_omissions: bool

    @property
    def table_name(self) -> str:
        return "interest_rate" if self.duration is None else "ohlc_v2"

    def is_doubted(self, time_ms: int) -> bool:
        """Whether a vendor itself said something untrue about this moment."""
        return any(doubt.start_ms <= time_ms < doubt.end_ms for doubt in self.doubts)


def describe_break(error: Exception) -> Violation:
    """Return what ended a round that was to go on."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return Violation(BREAK, f"{Path(frame.filename).name}:{frame.lineno}", describe_error(error))


class Oracle:
    """Knows the world; compares a database with it."""

    def __init__(self, seed: int, houses: Sequence[House], book: LieBook) -> None:
        self.market = Market(seed)
        self._houses, self._book = houses, book

    def list_series(self, only_honest: bool = False) -> Iterator[Series]:
        """Yield every series of the world."""
        for house in self._houses:
            for life in house.lives:
                if only_honest and life.lies:
                    continue
                for series_id, duration in life.list_series():
                    doubts = tuple(self._book.doubts.get(series_id, ()))
                    is_given_up = life.delisting_ms is not None and series_id in self._book.denied
                    has_omissions = is_given_up or series_id in self._book.left_out
                    yield Series(series_id, duration, life, doubts, has_omissions)

    def find_violations(self, conn: Connection, now_ms: int) -> list[Violation]:
        """Return everything that can't be, but for what is only not yet there."""
        found = [*self._check_strangers(conn), *check_errors(conn), *check_ledger(conn), *check_self(conn, now_ms)]
        for series in self.list_series():
            stored = self._check_rows(conn, series, now_ms, found)
            ranges = _read_stretches(conn, "series_data_range", series)
            found += self._check_ranges(series, [stretch for _, stretch in ranges], stored, now_ms)
            found += _check_pages(conn, series, [stretch for _, stretch in ranges])
            found += self._check_evidence(conn, series, stored, now_ms)
        conn.rollback()
        return found

    def find_incomplete(self, conn: Connection, now_ms: int, only_honest: bool = False) -> list[Violation]:
        """Return the series that miss what their vendor has had for long enough."""
        found = []
        for series in self.list_series(only_honest):
            if series.has_omissions:
                continue
            wanted = self._list_available(series, now_ms - measure_lag(series.life, series.duration), now_ms)
            stored = set(_read_times(conn, series))
            missing = [time_ms for time_ms in wanted if time_ms not in stored]
            if missing:
                what = f"misses {len(missing)} rows, from {missing[0]} to {missing[-1]}"
                found.append(Violation("complete", series.series_id, f"{what}; {_describe_state(conn, series)}"))
        conn.rollback()
        return found

    def _list_available(self, series: Series, end_ms: int, now_ms: int) -> Iterable[int]:
        life = series.life
        start_ms = 0 if life.retention_ms is None else now_ms - life.retention_ms
        return self.market.list_times(life, series.duration, start_ms, end_ms)

    def _check_rows(self, conn: Connection, series: Series, now_ms: int, found: list[Violation]) -> list[int]:
        """Compare each stored row with the truth; return when they begin."""
        truth = set(self.market.list_times(series.life, series.duration, 0, now_ms + BELIEVED_MS))
        rows = conn.execute(
            f"select (date_part('epoch', created_at) * 1000)::bigint, {_COLUMNS[series.table_name]} "
            f"from {series.table_name} where series_id = %s order by created_at",
            [series.series_id],
        ).fetchall()
        wrong: list[str] = []
        times: list[int] = []
        for row in rows:
            created_ms = int(row[0])  # type: ignore[call-overload]
            times.append(created_ms)
            expected = self.market.make_row(series.life, series.duration, created_ms)
            if created_ms not in truth:
                wrong.append(f"a row at {created_ms} that never was")
            elif not _equals(row, expected, series.duration) and not series.is_doubted(created_ms):
                wrong.append(f"the row at {created_ms} is {_show_row(row)}, not {expected[1:]}")
        if wrong:
            what = f"{len(wrong)} of {len(rows)} rows: {'; '.join(wrong[:SHOWN])}"
            found.append(Violation("rows are the truth", series.series_id, what))
        return times

    def _check_ranges(
        self, series: Series, ranges: Sequence[Range], stored: Sequence[int], now_ms: int
    ) -> Iterator[Violation]:
        known = set(stored)
        for stretch in ranges:
            if stretch.end_ms > now_ms + BELIEVED_MS:
                yield Violation("no range ends after now", series.series_id, f"{stretch} at {now_ms}")
            if stretch.start_ms not in known:
                yield Violation("a range begins with a row", series.series_id, f"{stretch}")
            times = self.market.list_times(series.life, series.duration, stretch.start_ms, stretch.end_ms)
            missing = [time_ms for time_ms in times if time_ms not in known and not series.is_doubted(time_ms)]
            if missing:
                what = f"{stretch} misses {len(missing)} rows, the first at {missing[0]}"
                yield Violation("a range is whole", series.series_id, what)
        outside = [time_ms for time_ms in stored if not any(r.start_ms <= time_ms < r.end_ms for r in ranges)]
        if outside:
            what = f"{len(outside)} rows, the first at {outside[0]}"
            yield Violation("every row lies in a range", series.series_id, what)

    def _check_evidence(
        self, conn: Connection, series: Series, stored: Sequence[int], now_ms: int
    ) -> Iterator[Violation]:
        """Time that is said to be empty holds none of the truth."""
        for kind, stretch in _read_stretches(conn, "coverage_evidence", series):
            if kind == "quarantined" or (kind != "verified_empty" and series.has_omissions):
                continue
            available = list(self._list_available(series, now_ms, now_ms))
            first, last = bisect_left(available, stretch.start_ms), bisect_left(available, stretch.end_ms)
            there = [time_ms for time_ms in available[first:last] if not series.is_doubted(time_ms)]
            if there:
                what = f"{kind} {stretch} has {len(there)} rows of the truth, the first at {there[0]}"
                yield Violation("no empty time has data", series.series_id, what)

    def _check_strangers(self, conn: Connection) -> Iterator[Violation]:
        known = {(series.table_name, series.series_id) for series in self.list_series()}
        for table_name in TABLES:
            rows = conn.execute(f"select distinct series_id from {table_name}").fetchall()
            for (series_id,) in rows:
                if (table_name, series_id) not in known:
                    yield Violation("only known series have rows", str(series_id), f"rows in {table_name}")


def check_errors(conn: Connection) -> Iterator[Violation]:
    """Every error that is written down can be shown on one line."""
    rows = conn.execute(
        "select series_id, last_error from series_state where last_error is not null "
        "union all select cap_key, last_error from capability_state where last_error is not null"
    ).fetchall()
    for name, error in rows:
        text = str(error)
        if not text.isprintable() or not text or len(text) > LONGEST_ERROR:
            shown = f"{len(text)} characters: {text[:80]!a}"
            yield Violation("errors are printable and short", str(name), shown)


def check_ledger(conn: Connection) -> Iterator[Violation]:
    """Every cursor stands where its events say."""
    for problem in ledger.verify(conn, None).problems:
        yield Violation("the ledger replays", str(problem.namespace), f"{problem.state}, broken: {problem.is_broken}")


def check_self(conn: Connection, now_ms: int) -> Iterator[Violation]:
    """What the project itself finds wrong with its coverage, as `series verify` does."""
    for table_name in TABLES:
        # The database's time goes on while a round's clock may stand still: rows age by it.
        for fault in verify_series(conn, table_name, None, now_ms + TOLERANCE_MS):
            yield Violation("`series verify` finds nothing", fault.series_id, f"{fault.what}: {fault.window}")


def check_locks(conn: Connection) -> Iterator[Violation]:
    """No advisory lock is left once nobody works."""
    rows = conn.execute(
        "select coalesce(a.application_name, ''), count(*) from pg_locks as l "
        "left join pg_stat_activity as a on a.pid = l.pid "
        "where locktype = 'advisory' and l.pid <> pg_backend_pid() group by 1"
    ).fetchall()
    conn.rollback()
    for name, count in rows:
        yield Violation("no lock is left", str(name), f"{count} advisory locks")


def end_long_pauses(conn: Connection, now_ms: int) -> None:
    """End what no vendor's own wish for days of rest may do: make a round last for days."""
    conn.execute(
        "update capability_state set next_eligible_at = null where next_eligible_at > to_timestamp(%s / 1000.0)",
        [now_ms + LONGEST_PAUSE_MS],
    )
    conn.commit()


def count_rows(conn: Connection) -> int:
    """Return how many bars and rates there are."""
    row = conn.execute("select (select count(*) from ohlc_v2) + (select count(*) from interest_rate)").fetchone()
    return int(row[0]) if row else 0  # type: ignore[call-overload]


def _read_stretches(conn: Connection, table_name: str, series: Series) -> list[tuple[str, Range]]:
    kind = "'range'" if table_name == "series_data_range" else "kind"
    proven = "" if table_name == "series_data_range" else "and (kind <> 'outage' or confirmations >= 2)"
    rows = conn.execute(
        f"select {kind}, (date_part('epoch', start_time) * 1000)::bigint, (date_part('epoch', end_time) * 1000)::bigint"
        f" from {table_name} where series_id = %s and table_name = %s {proven} order by start_time",
        [series.series_id, series.table_name],
    ).fetchall()
    return [(str(kind), Range(int(start), int(end))) for kind, start, end in rows]  # type: ignore[call-overload]


def _check_pages(conn: Connection, series: Series, ranges: Sequence[Range]) -> Iterator[Violation]:
    """Each moment that is covered was covered by a page of which the ledger has an event."""
    rows = conn.execute(
        "select (date_part('epoch', window_from) * 1000)::bigint, (date_part('epoch', window_to) * 1000)::bigint "
        "from ing_cursor_event where series_id = %s and table_name = %s and window_from is not null "
        # What `series verify` takes back has an event, too.
        "and not (operation = 'UPDATE' and namespace_key = %s) order by 1",
        [series.series_id, series.table_name, ACTIVITY],
    ).fetchall()
    told = [Range(int(start), int(end)) for start, end in rows]  # type: ignore[call-overload]
    for stretch in ranges:
        reached_ms = stretch.start_ms
        for page in told:
            if page.start_ms <= reached_ms < page.end_ms:
                reached_ms = page.end_ms
        if reached_ms < stretch.end_ms:
            what = f"{stretch} is covered from {reached_ms} on, of which no event tells"
            yield Violation("the ledger tells of all that is covered", series.series_id, what)


def _read_times(conn: Connection, series: Series) -> list[int]:
    rows = conn.execute(
        f"select (date_part('epoch', created_at) * 1000)::bigint from {series.table_name} where series_id = %s",
        [series.series_id],
    ).fetchall()
    return [int(row[0]) for row in rows]  # type: ignore[call-overload]


def _describe_state(conn: Connection, series: Series) -> str:
    row = conn.execute(
        "select active, failures, last_error, head_eligible_at, start_eligible_at, floor_kind, floor_time "
        "from series_state where series_id = %s and table_name = %s",
        [series.series_id, series.table_name],
    ).fetchone()
    if row is None:
        return "it is not known at all"
    names = ("active", "failures", "error", "head again", "tail again", "floor", "floor at")
    return ", ".join(f"{name} {value}" for name, value in zip(names, row, strict=True))


def _equals(row: Sequence[Any], expected: Sequence[Any], duration: str | None) -> bool:
    values = list(row[1:])
    if duration is not None:
        closed_ms = int(values[0].timestamp() * 1000)
        if closed_ms != parse_duration(duration).end_of_bar(int(row[0])):
            return False
        values, expected = values[1:], expected[1:]
    return all(
        value is None if wanted is None else value == Decimal(wanted)
        for value, wanted in zip(values, expected[1:], strict=True)
    )


def _show_row(row: Sequence[Any]) -> str:
    return ", ".join(str(value) for value in row[1:])[:120]
