"""Commands that look after coverage: `peek`, `coverage`, `compact`."""

import time
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import click

from series_pipelines.cli.options import FiniteRange, with_json, with_series, with_table
from series_pipelines.cli.output import print_json, print_table, show_minute
from series_pipelines.core.times import format_span
from series_pipelines.ingest.standing.coverage import COVERAGE_KINDS, draw_bar

if TYPE_CHECKING:
    from series_pipelines.actions.coverage import SeriesCoverage

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
    from series_pipelines.actions.peek import peek
    from series_pipelines.app.clock import SystemClock
    from series_pipelines.cli.session import ensure_series, open_database

    with open_database("peek") as conn:
        ensure_series(conn)
        try:
            while True:
                _show_peek(peek(conn, SystemClock().now_ms()).as_json(), as_json, watch)
                if not watch:
                    return
                time.sleep(every)
        except KeyboardInterrupt:
            if not watch:
                raise


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


@click.command("coverage", short_help="Show covered time, gaps and lag of series.")
@with_series(required=False)
@with_table
@with_json
def coverage_command(series: tuple[str, ...], table_name: str | None, as_json: bool) -> None:
    """Show how much time each series covers, its gaps and its lag; all series if none is named.

    The bar goes from the start of the series' life to now; a darker cell is covered more.

    Example: series coverage 'DEMO/SWAP/BTC-USDT/*'
    """
    from series_pipelines.actions.choosing import choose_series
    from series_pipelines.actions.coverage import measure_series
    from series_pipelines.app.clock import SystemClock
    from series_pipelines.cli.session import ensure_series, open_database

    with open_database("coverage") as conn:
        ensure_series(conn)
        chosen = choose_series(conn, series, table_name)
        measured = measure_series(conn, chosen, SystemClock().now_ms())
    if as_json:
        print_json([entry.as_json() for entry in measured])
        return
    rows = [_make_coverage_row(entry) for entry in measured]
    print_table(_COVERAGE_COLUMNS, rows, droppable=("floor at", "from", "to", "known in"))
    measures = [entry.standing.coverage for entry in measured]
    lives = [coverage for coverage in measures if coverage.life is not None]
    life_ms = sum(coverage.life.end_ms - coverage.life.start_ms for coverage in lives if coverage.life)
    percent = 100 * sum(coverage.covered_ms for coverage in lives) / life_ms if life_ms else 0.0
    gaps = sum(len(coverage.gaps) for coverage in measures)
    click.echo(f"\n{len(measured)} series, {percent:.2f} % of their time, {gaps} {'gap' if gaps == 1 else 'gaps'}")
    sums: Counter[str] = Counter()
    for coverage in lives:
        sums.update(coverage.kinds)
    kinds = [f"{kind} {format_span(sums[kind])}" for kind in COVERAGE_KINDS if sums[kind]]
    click.echo(f"by kind: {', '.join(kinds) or 'nothing yet'}")


def _make_coverage_row(entry: "SeriesCoverage") -> tuple[object, ...]:
    standing = entry.standing
    coverage, facts, union = standing.coverage, standing.facts, standing.coverage.union
    bar = draw_bar(standing.ranges, coverage.life, BAR_WIDTH) if coverage.life else " " * BAR_WIDTH
    return (
        entry.known.series_id,
        f"▕{bar}▏",
        f"{coverage.percent:.2f}" if coverage.life else None,
        show_minute(union and union.start_ms),
        show_minute(union and union.end_ms),
        len(coverage.gaps),
        format_span(coverage.unknown_ms) if coverage.unknown_ms else None,
        None if standing.left_ms is None else f"~{format_span(standing.left_ms)}",
        None if coverage.lag_ms is None else format_span(coverage.lag_ms),
        facts.floor_kind if entry.known.active else "retired",
        show_minute(facts.floor_ms),
    )


@click.command("compact", short_help="Merge overlapping ranges of covered time.")
@with_series(required=False)
@with_table
@with_json
def compact_command(series: tuple[str, ...], table_name: str | None, as_json: bool) -> None:
    """Merge overlapping ranges of covered time; all series if none is named. It changes no read.

    Example: series compact DEMO/SWAP/BTC-USDT/1m
    """
    from series_pipelines.actions.choosing import choose_series
    from series_pipelines.actions.compact import compact_chosen
    from series_pipelines.cli.session import open_database

    with open_database("compact") as conn:
        chosen = choose_series(conn, series, table_name) if series else None
        done = compact_chosen(conn, chosen, table_name)
    if as_json:
        print_json({name: compacted.as_json() for name, compacted in done.items()})
        return
    for name, compacted in done.items():
        click.echo(f"{name}: {compacted.before} ranges became {compacted.after} in {compacted.series} series")
