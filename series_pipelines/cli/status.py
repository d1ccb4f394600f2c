"""Commands that look after coverage: `peek`, `coverage`, `compact`."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from series_pipelines.cli.options import FiniteRange, with_json, with_series, with_table
from series_pipelines.cli.output import print_json, print_table, show_minute, to_iso
from series_pipelines.core.coverage import (
    COVERAGE_KINDS,
    Coverage,
    draw_bar,
    measure_coverage,
)
from series_pipelines.core.plan import SeriesFacts
from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import TABLES
from series_pipelines.core.times import format_span

if TYPE_CHECKING:
    from series_pipelines.store.connection import Connection
    from series_pipelines.store.coverage import Account
    from series_pipelines.store.ranges import Compaction
    from series_pipelines.store.states import KnownSeries

BAR_WIDTH: Final = 30
_PEEK_COLUMNS: Final = (
    *("capability", ">series", ">heads", ">tails", ">in flight", ">backoff", "next eligible", "last error"),
    *("method", "prefix", "direction"),
)
_COVERAGE_COLUMNS: Final = (
    *("series", "covered", ">%", "from", "to", ">gaps", ">unknown", ">known in", ">lag", "floor", "floor at"),
)


@click.command("peek", short_help="Show what each capability does and what waits.")
@click.option("--watch", is_flag=True, help="Look again and again until Ctrl-C; with --json, a line each time.")
@click.option("--every", default=2.0, show_default=True, type=FiniteRange(0.1, 86_400), help="Seconds between looks.")
@with_json
def peek_command(watch: bool, every: float, as_json: bool) -> None:
    """Show what each capability does: lanes in flight, heads and tails that wait, backoffs, errors.

    Example: series peek --watch
    """
    from series_pipelines.cli.session import ensure_series, open_database

    with open_database("peek") as conn:
        ensure_series(conn)
        try:
            while True:
                _show_peek(read_peek(conn), as_json, watch)
                if not watch:
                    return
                time.sleep(every)
        except KeyboardInterrupt:
            if not watch:
                raise


def read_peek(conn: "Connection") -> dict[str, Any]:
    """Return Peek: the global numbers and one row a capability."""
    from series_pipelines.ingest.backlog import read_backlog
    from series_pipelines.ingest.peek import list_capabilities
    from series_pipelines.system_clock import SystemClock

    backlog = read_backlog(conn, SystemClock().now_ms())
    conn.commit()
    return {
        "global_in_flight": backlog.in_flight,
        "capability_count": len(backlog.capabilities),
        "global_head_backlog": backlog.head_backlog,
        "global_tail_backlog": backlog.tail_backlog,
        "capabilities": list_capabilities(backlog),
    }


def _show_peek(peek: dict[str, Any], as_json: bool, watch: bool) -> None:
    if as_json:
        print_json(peek, indent=None if watch else 2)
        return
    rows = [
        tuple((row | {"backoff_ms": f"{row['backoff_ms'] / 1000:g} s" if row["backoff_ms"] else None}).values())
        for row in peek["capabilities"]
    ]
    if watch:
        click.clear()
    click.echo(
        f"{peek['global_in_flight']} in flight · {peek['capability_count']} capabilities · "
        f"{peek['global_head_backlog']} heads wait · {peek['global_tail_backlog']} tails wait\n"
    )
    print_table(_PEEK_COLUMNS, rows, droppable=("method", "prefix", "direction"))


@dataclass(frozen=True, slots=True)
class SeriesCoverage:
    """A series, what it covers, and what is known of it; nothing is known of a retired one but its ranges."""

    known: "KnownSeries"
    facts: SeriesFacts
    ranges: list[Range]
    coverage: Coverage
    left_ms: int | None
    """How long it may take until nothing behind is unknown."""


@click.command("coverage", short_help="Show covered time, gaps and lag of series.")
@with_series(required=False)
@with_table
@with_json
def coverage_command(series: tuple[str, ...], table_name: str | None, as_json: bool) -> None:
    """Show how much time each series covers, its gaps and its lag; all series if none is named.

    The bar goes from the start of the series' life to now; a darker cell is covered more.

    Example: series coverage 'DEMO/SWAP/BTC-USDT/*'
    """
    from series_pipelines.cli.session import choose_series, ensure_series, open_database
    from series_pipelines.system_clock import SystemClock

    with open_database("coverage") as conn:
        ensure_series(conn)
        chosen = choose_series(conn, series, table_name)
        measured = list(measure_series(conn, chosen, SystemClock().now_ms()))
    if as_json:
        print_json([_describe_coverage(entry) for entry in measured])
        return
    rows = [_make_coverage_row(entry) for entry in measured]
    print_table(_COVERAGE_COLUMNS, rows, droppable=("floor at", "from", "to", "known in"))
    lives = [entry.coverage for entry in measured if entry.coverage.life is not None]
    life_ms = sum(coverage.life.end_ms - coverage.life.start_ms for coverage in lives if coverage.life)
    percent = 100 * sum(coverage.covered_ms for coverage in lives) / life_ms if life_ms else 0.0
    gaps = sum(len(entry.coverage.gaps) for entry in measured)
    click.echo(f"\n{len(measured)} series, {percent:.2f} % of their time, {gaps} {'gap' if gaps == 1 else 'gaps'}")
    sums: Counter[str] = Counter()
    for coverage in lives:
        sums.update(coverage.kinds)
    kinds = [f"{kind} {format_span(sums[kind])}" for kind in COVERAGE_KINDS if sums[kind]]
    click.echo(f"by kind: {', '.join(kinds) or 'nothing yet'}")


def measure_series(conn: "Connection", chosen: "list[KnownSeries]", now_ms: int) -> Iterator[SeriesCoverage]:
    """Measure some series, in their order, with a few reads a table."""
    from series_pipelines.ingest.backlog import estimate_left, read_paces
    from series_pipelines.ingest.cadences import read_cadences
    from series_pipelines.store import coverage as coverage_store
    from series_pipelines.store import states

    facts_of: dict[tuple[str, str], SeriesFacts] = {}
    accounts: dict[tuple[str, str], Account] = {}
    for name in TABLES:
        series_ids = [known.series_id for known in chosen if known.table_name == name]
        facts_of |= {(name, facts.series_id): facts for facts in states.read_facts(conn, name, series_ids=series_ids)}
        found = coverage_store.read(conn, name, series_ids)
        accounts |= {(name, series_id): account for series_id, account in found.items()}
    paces, find_cadence = read_paces(conn), read_cadences(conn)
    for known in chosen:
        key = (known.table_name, known.series_id)
        facts, account = facts_of.get(key) or _make_retired_facts(known), accounts[key]
        cadence = find_cadence(known.table_name, facts)
        coverage = measure_coverage(facts, cadence, account.ranges, now_ms, account.evidence)
        left_ms = estimate_left(paces, facts, coverage)
        yield SeriesCoverage(known, facts, account.ranges, coverage, left_ms)


def _make_retired_facts(known: "KnownSeries") -> SeriesFacts:
    values: dict[str, Any] = {name: 0 if kind is int else None for name, kind in SeriesFacts.__annotations__.items()}
    return SeriesFacts(**values | {"series_id": known.series_id, "cap_key": known.cap_key, "floor_grounds": ()})


def _make_coverage_row(entry: SeriesCoverage) -> tuple[object, ...]:
    coverage, facts, union = entry.coverage, entry.facts, entry.coverage.union
    bar = draw_bar(entry.ranges, coverage.life, BAR_WIDTH) if coverage.life else " " * BAR_WIDTH
    return (
        entry.known.series_id,
        f"▕{bar}▏",
        f"{coverage.percent:.2f}" if coverage.life else None,
        show_minute(union and union.start_ms),
        show_minute(union and union.end_ms),
        len(coverage.gaps),
        format_span(coverage.unknown_ms) if coverage.unknown_ms else None,
        None if entry.left_ms is None else f"~{format_span(entry.left_ms)}",
        None if coverage.lag_ms is None else format_span(coverage.lag_ms),
        facts.floor_kind if entry.known.active else "retired",
        show_minute(facts.floor_ms),
    )


def _describe_coverage(entry: SeriesCoverage) -> dict[str, object]:
    coverage, facts = entry.coverage, entry.facts
    return {
        "series_id": entry.known.series_id,
        "table_name": entry.known.table_name,
        "active": entry.known.active,
        "percent": round(coverage.percent, 2),
        "covered_seconds": coverage.covered_ms // 1000,
        "life": _describe_range(coverage.life),
        "range": _describe_range(coverage.union),
        "gaps": [_describe_range(gap) for gap in coverage.gaps],
        "lag_seconds": None if coverage.lag_ms is None else coverage.lag_ms // 1000,
        "kinds": {kind: span_ms // 1000 for kind, span_ms in coverage.kinds.items()},
        "unknown_seconds": coverage.unknown_ms // 1000,
        "complete_in_seconds": None if entry.left_ms is None else entry.left_ms // 1000,
        "floor_kind": facts.floor_kind,
        "floor_at": to_iso(facts.floor_ms),
        "floor_grounds": list(facts.floor_grounds),
        "failures": facts.failures,
    }


def _describe_range(stretch: Range | None) -> dict[str, str | None] | None:
    return None if stretch is None else {"start": to_iso(stretch.start_ms), "end": to_iso(stretch.end_ms)}


@click.command("compact", short_help="Merge overlapping ranges of covered time.")
@with_series(required=False)
@with_table
@with_json
def compact_command(series: tuple[str, ...], table_name: str | None, as_json: bool) -> None:
    """Merge overlapping ranges of covered time; all series if none is named. It changes no read.

    Example: series compact DEMO/SWAP/BTC-USDT/1m
    """
    from series_pipelines.cli.session import choose_series, open_database

    with open_database("compact") as conn:
        chosen = choose_series(conn, series, table_name) if series else None
        tables = TABLES if table_name is None else (table_name,)
        counts = {name: count_ranges(conn, name, _compact(conn, name, chosen)) for name in tables}
    if as_json:
        print_json(counts)
        return
    for name, count in counts.items():
        click.echo(f"{name}: {count['before']} ranges became {count['after']} in {count['series']} series")


def _compact(conn: "Connection", table_name: str, chosen: "list[KnownSeries] | None") -> "Compaction":
    from series_pipelines.ingest.writer import compact_series
    from series_pipelines.store import ranges

    if chosen is not None:
        return compact_series(conn, table_name, [known.series_id for known in chosen if known.table_name == table_name])
    with conn.transaction():
        return ranges.compact(conn, table_name)


def count_ranges(conn: "Connection", table_name: str, change: "Compaction") -> dict[str, int]:
    """Return how many ranges the series that changed had before a compaction, and have after it."""
    from series_pipelines.store import ranges

    touched = sorted({changed.series_id for changed in (*change.deleted, *change.inserted)})
    after = sum(len(stored) for stored in ranges.read(conn, table_name, touched).values())
    return {"before": after + len(change.deleted) - len(change.inserted), "after": after, "series": len(touched)}
