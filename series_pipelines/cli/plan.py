"""`plan`: what would be fetched next, and why; for named series also what is not due."""

from typing import TYPE_CHECKING, Final

import click

from series_pipelines.cli.options import MOST_ROWS, with_json, with_kind, with_series, with_table
from series_pipelines.cli.output import print_json, print_table, show_time

if TYPE_CHECKING:
    from series_pipelines.actions.plan import PlannedWork

_COLUMNS: Final = (">#", "series", "kind", "for", "asks at", "why", "last tried", "due", "waits because")


@click.command("plan", short_help="Show what would be fetched next, and why.")
@with_series(required=False)
@with_kind
@with_table
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, MOST_ROWS), help="Show at most so many.")
@with_json
def plan_command(series: tuple[str, ...], kind: str, table_name: str | None, limit: int, as_json: bool) -> None:
    """Show what would be fetched next and why; for named SERIES also what is not due, and when it will be.

    Example: series plan DEMO/SWAP/BTC-USDT/1m
    """
    from series_pipelines.actions.choosing import choose_series, refuse_retired
    from series_pipelines.actions.plan import plan_series
    from series_pipelines.app.clock import SystemClock
    from series_pipelines.cli.session import ensure_series, open_database

    with open_database("plan") as conn:
        ensure_series(conn)
        chosen = choose_series(conn, series, table_name)
        refuse_retired(chosen)
        works = plan_series(conn, chosen, SystemClock().now_ms())
    kinds = ("head", "tail") if kind == "both" else (kind,)
    wanted = [work for work in works if work.kind in kinds and (series or work.fetch is not None)]
    shown = wanted[:limit]
    if as_json:
        print_json([work.as_json() for work in shown])
        return
    rows = [(number, *_make_row(work)) for number, work in enumerate(shown, 1)]
    print_table(_COLUMNS, rows, droppable=("last tried", "for", "asks at", "#"))
    due = sum(work.fetch is not None for work in wanted)
    click.echo(f"\n{due} due" + (f", the first {limit} of {len(wanted)} shown" if len(wanted) > limit else ""))


def _make_row(work: "PlannedWork") -> tuple[object, ...]:
    fetch = work.fetch
    never = "after the head" if work.facts.end_ms is None else "never"
    due = "now" if fetch is not None else show_time(work.due_ms) or never
    return (
        *(work.facts.series_id, work.kind, fetch and fetch.target, fetch and show_time(fetch.time_ms)),
        *(work.why, show_time(work.attempted_ms), due, work.held),
    )
