"""`ingest`: bring chosen series up to date now."""

from typing import TYPE_CHECKING, Final

import click

from series_pipelines.cli.exit_codes import DONE, FAILED
from series_pipelines.cli.options import (
    MOST_PAGES,
    make_window,
    with_json,
    with_kind,
    with_seconds,
    with_series,
    with_table,
    with_window,
)
from series_pipelines.cli.output import print_json, print_table
from series_pipelines.cli.stopping import stoppable
from series_pipelines.errors import InvalidOrder

if TYPE_CHECKING:
    from series_pipelines.actions.backfill import Backfill

MOST_FAILURES_SHOWN: Final = 20
_COLUMNS: Final = ("capability", ">series", ">requests", ">pages", ">rows", ">left out", ">failed", "ended because")


@click.command("ingest", short_help="Fetch what series miss, now.")
@with_series(required=True)
@with_kind
@with_window
@click.option("--pages", type=click.IntRange(1, MOST_PAGES), help="At most so many vendor pages a capability.")
@with_seconds
@with_table
@with_json
@click.pass_context
def ingest_command(
    ctx: click.Context,
    series: tuple[str, ...],
    kind: str,
    start_ms: int | None,
    end_ms: int | None,
    pages: int | None,
    seconds: int | None,
    table_name: str | None,
    as_json: bool,
) -> None:
    """Fetch what SERIES miss: head first, then gaps and history, until they are complete.

    With --start or --end only what that window misses. Ctrl-C or SIGTERM keeps every page that was committed.

    Example: series ingest DEMO/SWAP/BTC-USDT/1m 'DEMO/SPOT/*/1h' --seconds 60
    """
    from series_pipelines.actions.backfill import Wishes, backfill, parse_kinds
    from series_pipelines.actions.choosing import choose_series, refuse_retired
    from series_pipelines.app.clock import SystemClock
    from series_pipelines.app.settings import load_settings
    from series_pipelines.app.sources import make_workshop
    from series_pipelines.cli.progress import IngestProgress
    from series_pipelines.cli.session import ask_vendors, ensure_series, open_database

    clock = SystemClock()
    now_ms = clock.now_ms()
    window = make_window(start_ms, end_ms, now_ms)
    if window is not None and kind == "head":
        raise InvalidOrder("a window has no head: leave out --kind head, or --start and --end")
    budget_ms = 1000 * (seconds or load_settings().backfill_seconds)
    wishes = Wishes(parse_kinds(kind), now_ms + budget_ms, pages, window)
    workshop = make_workshop(load_settings(), clock)
    with stoppable() as stop, open_database("ingest", may_make=True) as conn:
        ensure_series(conn)
        chosen = choose_series(conn, series, table_name)
        refuse_retired(chosen)
        catalogue = ask_vendors(conn, workshop, chosen)
        with IngestProgress(conn, clock.now_ms()) as progress:
            done = backfill(conn, workshop, catalogue, chosen, wishes, progress.follow)
    if as_json:
        print_json(done.as_json())
    else:
        _print_summary(done)
    ctx.exit(stop.exit_code if done.interrupted else FAILED if done.failed else DONE)


def _print_summary(done: "Backfill") -> None:
    rows = []
    for lane in done.lanes:
        counts = (lane.requests, lane.pages, lane.rows, lane.left_out, len(lane.failed))
        rows.append((lane.cap_key, len(lane.series_ids), *counts, lane.ended))
    print_table(_COLUMNS, rows, droppable=("left out", "requests"))
    before = sum(count.before for count in done.merged.values())
    after = sum(count.after for count in done.merged.values())
    pages, total = sum(lane.pages for lane in done.lanes), sum(lane.rows for lane in done.lanes)
    click.echo(f"\n{pages} pages, {total} rows; {before} ranges became {after}")
    for lane in done.lanes:
        if lane.left_behind:
            message = f"{lane.left_behind} requests were not answered in time, and left behind"
            click.echo(f"series: {lane.cap_key}: {message}", err=True)
    for series_id, reason in list(done.failed.items())[:MOST_FAILURES_SHOWN]:
        click.echo(f"series: failed: {series_id}: {reason}", err=True)
    if len(done.failed) > MOST_FAILURES_SHOWN:
        click.echo(f"series: failed: and {len(done.failed) - MOST_FAILURES_SHOWN} more", err=True)
    if done.interrupted:
        click.echo("series: interrupted; what was committed stays", err=True)
