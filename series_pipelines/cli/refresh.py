"""`refresh`: fetch again what is stored, and show what vendors have changed since."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from series_pipelines.cli.exit_codes import DONE, FAILED
from series_pipelines.cli.options import with_json, with_seconds, with_series, with_table
from series_pipelines.cli.output import make_error_console, print_json, print_table, show_minute, show_time
from series_pipelines.cli.stopping import stoppable
from series_pipelines.core.ranges import Range

if TYPE_CHECKING:
    from series_pipelines.actions.backfill import LaneTally
    from series_pipelines.actions.refresh import Changes, OnMoved, Refresh
    from series_pipelines.postgres.connection import Connection

MOST_DAYS: Final = 10_000
MOST_SHOWN: Final = 20
_LANE_COLUMNS: Final = ("capability", ">series", ">requests", ">pages", ">rows", ">failed", "ended because")
_CHANGE_COLUMNS: Final = ("series", "time", "column", ">old value", ">new value", "seen")
_LIST_COLUMNS: Final = ("campaign", ">series", ">days", "from", "to", "begun", "finished", ">changed rows")


@click.command("refresh", short_help="Fetch again what is stored, and show what vendors changed.")
@with_series(required=False)
@click.option("--days", type=click.IntRange(1, MOST_DAYS), help="How far back from now.")
@click.option("--campaign", "campaign_id", metavar="ID", help="Go on with this campaign, or show its result again.")
@with_seconds
@click.option("--list", "list_all", is_flag=True, help="Show all campaigns.")
@with_table
@with_json
@click.pass_context
def refresh_command(
    ctx: click.Context,
    series: tuple[str, ...],
    days: int | None,
    campaign_id: str | None,
    seconds: int | None,
    list_all: bool,
    table_name: str | None,
    as_json: bool,
) -> None:
    """Fetch again what is stored of SERIES in the last days, and show which bars their vendors have changed.

    It is a campaign: after Ctrl-C, a crash or the end of its time, the same command goes on where it was. Every
    changed value is kept with the old one and when it was seen.

    Example: series refresh 'DEMO/SWAP/BTC-USDT/*' --days 30
    """
    from series_pipelines.actions.choosing import choose_series
    from series_pipelines.actions.refresh import (
        Refresh,
        begin_or_resume,
        find_campaign,
        list_series_of,
        read_changes,
        refresh,
    )
    from series_pipelines.app.clock import SystemClock
    from series_pipelines.app.settings import load_settings
    from series_pipelines.app.sources import make_workshop
    from series_pipelines.cli.session import ask_vendors, ensure_series, open_database

    if not list_all and campaign_id is None:
        if not series:
            raise click.UsageError("Missing argument 'SERIES...', or '--campaign'.", ctx)
        if days is None:
            raise click.UsageError("Missing option '--days'.", ctx)
    clock = SystemClock()
    workshop = make_workshop(load_settings(), clock)
    with stoppable() as stop, open_database("refresh") as conn:
        ensure_series(conn)
        if list_all:
            _list_campaigns(conn, as_json)
            return
        chosen = choose_series(conn, series, table_name) if series else []
        if campaign_id is not None:
            done = Refresh(find_campaign(conn, campaign_id, chosen, days), True)
        else:
            assert days is not None
            done = Refresh(*begin_or_resume(conn, chosen, days, clock.now_ms()))
        conn.commit()
        _announce(done, by_id=campaign_id is not None)
        if done.campaign.finished_ms is None:
            budget_ms = 1000 * (seconds or load_settings().backfill_seconds)
            catalogue = ask_vendors(conn, workshop, list_series_of(conn, done.campaign))
            refresh(conn, workshop, catalogue, done, clock.now_ms() + budget_ms, _draw_progress)
        changes = read_changes(conn, done.campaign, None if as_json else MOST_SHOWN + 1)
    if as_json:
        print_json(done.as_json(changes))
    else:
        _print_summary(done, changes)
    _say_what_is_left(done)
    ctx.exit(stop.exit_code if done.interrupted else FAILED if done.failed else DONE)


def _announce(done: "Refresh", *, by_id: bool) -> None:
    campaign = done.campaign
    if not done.is_resumed:
        state = "begins"
    elif campaign.finished_ms is not None:
        state = f"finished at {show_time(campaign.finished_ms)}"
    else:
        state = "goes on" if by_id else f"begun at {show_time(campaign.begun_ms)} goes on"
    start, end = show_time(campaign.window.start_ms), show_time(campaign.window.end_ms)
    count = campaign.series_count
    click.echo(f"series: campaign {campaign.campaign_id} {state}: {count} series from {start} to {end}", err=True)


@contextmanager
def _draw_progress(lane: "LaneTally", window: Range) -> "Iterator[OnMoved]":
    """Draw, on a terminal, how much of the window is fetched again."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    console = make_error_console()
    reached = dict.fromkeys(lane.series_ids, window.start_ms)
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[pages]} pages, {task.fields[rows]} rows"),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
    ) as progress:
        total = len(reached) * (window.end_ms - window.start_ms)
        task = progress.add_task(lane.cap_key, total=total, pages=0, rows=0)

        def note(series_id: str, position_ms: int) -> None:
            reached[series_id] = min(window.end_ms, max(reached[series_id], position_ms))
            completed = sum(reached.values()) - len(reached) * window.start_ms
            progress.update(task, completed=completed, pages=lane.pages, rows=lane.rows)

        yield note


def _print_summary(done: "Refresh", changes: "Changes") -> None:
    if done.lanes:
        rows = [
            (lane.cap_key, len(lane.series_ids), lane.requests, lane.pages, lane.rows, len(lane.failed), lane.ended)
            for lane in done.lanes
        ]
        print_table(_LANE_COLUMNS, rows, droppable=("requests",))
        click.echo()
    if not changes.counts:
        click.echo("no changed rows were seen")
        return
    click.echo(f"{changes.rows} rows of {len(changes.counts)} series have been changed by their vendors\n")
    lines = [
        (
            change.series_id,
            show_time(change.created_ms),
            change.column,
            change.old_value,
            change.new_value,
            show_time(change.seen_ms),
        )
        for change in changes.values[:MOST_SHOWN]
    ]
    print_table(_CHANGE_COLUMNS, lines, droppable=("seen",))
    if len(changes.values) > MOST_SHOWN:
        click.echo(f"\nthe first {MOST_SHOWN} values are shown, --json gives all")


def _say_what_is_left(done: "Refresh") -> None:
    for kind, messages in (("failed", done.failed), ("note", done.notes)):
        for series_id, message in list(messages.items())[:MOST_SHOWN]:
            click.echo(f"series: {kind}: {series_id}: {message}", err=True)
        if len(messages) > MOST_SHOWN:
            click.echo(f"series: {kind}: and {len(messages) - MOST_SHOWN} more", err=True)
    if done.campaign.finished_ms is None:
        why = "interrupted; what was committed stays" if done.interrupted else "not finished"
        click.echo(f"series: {why}; go on with `series refresh --campaign {done.campaign.campaign_id}`", err=True)


def _list_campaigns(conn: "Connection", as_json: bool) -> None:
    from series_pipelines.actions.refresh import count_days, describe_campaign, list_campaigns

    found = list_campaigns(conn)
    if as_json:
        print_json([describe_campaign(campaign, changed) for campaign, changed in found])
        return
    rows = [
        (
            campaign.campaign_id,
            campaign.series_count,
            count_days(campaign),
            *map(show_minute, (*campaign.window, campaign.begun_ms, campaign.finished_ms)),
            changed,
        )
        for campaign, changed in found
    ]
    print_table(_LIST_COLUMNS, rows, droppable=("from", "to"))
