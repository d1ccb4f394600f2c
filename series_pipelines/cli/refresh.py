"""`refresh`: fetch again what is stored, and show what vendors have changed since."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import click

from series_pipelines.cli.exit_codes import DONE, FAILED
from series_pipelines.cli.options import with_json, with_seconds, with_series, with_table
from series_pipelines.cli.output import make_error_console, print_json, print_table, show_minute, show_time, to_iso
from series_pipelines.cli.stopping import stoppable
from series_pipelines.core.duration import DAY_MS
from series_pipelines.core.ranges import Range
from series_pipelines.core.times import format_iso
from series_pipelines.errors import CapabilityBusy, InvalidInput, UnknownSeries

if TYPE_CHECKING:
    from series_pipelines.cli.lanes import PersonLane
    from series_pipelines.core.clock import Clock
    from series_pipelines.core.page import Page
    from series_pipelines.ingest.refresh import RefreshReport
    from series_pipelines.store.campaigns import Campaign
    from series_pipelines.store.connection import Connection
    from series_pipelines.store.revisions import Change
    from series_pipelines.store.states import KnownSeries
    from series_pipelines.vendors.registry import Catalogue

MOST_DAYS: Final = 10_000
MOST_SHOWN: Final = 20
_LANE_COLUMNS: Final = ("capability", ">series", ">requests", ">pages", ">rows", ">failed", "ended because")
_CHANGE_COLUMNS: Final = ("series", "time", "column", ">old value", ">new value", "seen")
_LIST_COLUMNS: Final = ("campaign", ">series", ">days", "from", "to", "begun", "finished", ">changed rows")


@dataclass(slots=True)
class Refresh:
    """One command's part of a campaign: the lanes it worked, and whether the person stopped it."""

    campaign: "Campaign"
    is_resumed: bool
    lanes: "list[PersonLane]" = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def failed(self) -> dict[str, str]:
        """The series that failed, and why."""
        return {series_id: reason for lane in self.lanes for series_id, reason in lane.failed.items()}


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
    from series_pipelines.cli.session import choose_series, ensure_series, open_database
    from series_pipelines.settings import load_settings
    from series_pipelines.store import campaigns
    from series_pipelines.system_clock import SystemClock

    if not list_all and campaign_id is None:
        if not series:
            raise click.UsageError("Missing argument 'SERIES...', or '--campaign'.", ctx)
        if days is None:
            raise click.UsageError("Missing option '--days'.", ctx)
    clock = SystemClock()
    with stoppable() as stop, open_database("refresh") as conn:
        ensure_series(conn)
        if list_all:
            _list_campaigns(conn, as_json)
            return
        chosen = choose_series(conn, series, table_name) if series else []
        if campaign_id is not None:
            done = Refresh(_find_campaign(conn, campaign_id, chosen, days), True)
        else:
            assert days is not None
            done = _begin_or_resume(conn, chosen, days, clock.now_ms())
        conn.commit()
        if done.campaign.finished_ms is None:
            budget_ms = 1000 * (seconds or load_settings().backfill_seconds)
            _work(conn, clock, done, clock.now_ms() + budget_ms)
        counts = campaigns.count_changed(conn, done.campaign)
        changes = campaigns.read_changes(conn, done.campaign, None if as_json else MOST_SHOWN + 1)
    if as_json:
        print_json(_describe(done, counts, changes))
    else:
        _print_summary(done, counts, changes)
    _say_what_is_left(done)
    ctx.exit(stop.exit_code if done.interrupted else FAILED if done.failed else DONE)


def _find_campaign(
    conn: "Connection", campaign_id: str, chosen: "Sequence[KnownSeries]", days: int | None
) -> "Campaign":
    from series_pipelines.store import campaigns

    found = campaigns.read(conn, campaign_id)
    if not found:
        raise InvalidInput(f"no campaign {campaign_id!r}: `series refresh --list` shows all")
    campaign = found[0]
    if chosen and _sort_by_table(chosen) != campaign.series:
        raise InvalidInput(f"campaign {campaign_id!r} is of other series: leave out SERIES, or --campaign")
    if days is not None and days != _count_days(campaign):
        raise InvalidInput(f"campaign {campaign_id!r} is of {_count_days(campaign)} days: leave out --days {days}")
    state = "goes on" if campaign.finished_ms is None else f"finished at {show_time(campaign.finished_ms)}"
    _announce(campaign, state)
    return campaign


def _begin_or_resume(conn: "Connection", chosen: "Sequence[KnownSeries]", days: int, now_ms: int) -> Refresh:
    """Go on with the newest unfinished campaign of the same series and days, if its window is not wholly past."""
    from uuid import uuid4

    from series_pipelines.cli.session import refuse_retired
    from series_pipelines.store import campaigns

    refuse_retired(chosen)
    series = _sort_by_table(chosen)
    for campaign in campaigns.read(conn, unfinished=True):
        is_recent = campaign.window.end_ms > now_ms - days * DAY_MS
        if is_recent and campaign.series == series and _count_days(campaign) == days:
            _announce(campaign, f"begun at {show_time(campaign.begun_ms)} goes on")
            return Refresh(campaign, True)
    campaign_id = f"refresh-{format_iso(now_ms)[:10].replace('-', '')}-{uuid4().hex[:8]}"
    window = Range(now_ms - days * DAY_MS, now_ms)
    campaign = campaigns.begin(conn, campaigns.Campaign(campaign_id, series, window, now_ms))
    _announce(campaign, "begins")
    return Refresh(campaign, False)


def _sort_by_table(chosen: "Sequence[KnownSeries]") -> dict[str, tuple[str, ...]]:
    sorted_ids: defaultdict[str, list[str]] = defaultdict(list)
    for table_name, series_id in sorted((known.table_name, known.series_id) for known in chosen):
        sorted_ids[table_name].append(series_id)
    return {table_name: tuple(series_ids) for table_name, series_ids in sorted_ids.items()}


def _count_days(campaign: "Campaign") -> int:
    return (campaign.window.end_ms - campaign.window.start_ms) // DAY_MS


def _announce(campaign: "Campaign", state: str) -> None:
    start, end = show_time(campaign.window.start_ms), show_time(campaign.window.end_ms)
    count = campaign.series_count
    click.echo(f"series: campaign {campaign.campaign_id} {state}: {count} series from {start} to {end}", err=True)


def _work(conn: "Connection", clock: "Clock", done: Refresh, deadline_ms: int) -> None:
    """Work each capability, then merge ranges; the campaign is finished when nothing of it failed or is left."""
    from series_pipelines.cli.lanes import SHORTEST_SHARE_MS, group_series
    from series_pipelines.cli.session import read_vendors
    from series_pipelines.ingest.writer import compact_series
    from series_pipelines.store import campaigns

    chosen = _find_series(conn, done.campaign)
    catalogue = read_vendors(conn, {series.cap_key for series in chosen})
    done.lanes = group_series(chosen, catalogue)
    refreshed = 0
    try:
        for position, lane in enumerate(done.lanes):
            left_ms = (deadline_ms - clock.now_ms()) // (len(done.lanes) - position)
            report = _work_lane(clock, catalogue, lane, done, max(SHORTEST_SHARE_MS, left_ms))
            refreshed += len(report.done)
    except KeyboardInterrupt:
        done.interrupted = True
    for lane in done.lanes:
        compact_series(conn, lane.table_name, sorted(lane.series_ids))
    if refreshed == done.campaign.series_count:
        done.campaign = campaigns.finish(conn, done.campaign.campaign_id, clock.now_ms())
        conn.commit()


def _find_series(conn: "Connection", campaign: "Campaign") -> "list[KnownSeries]":
    from series_pipelines.cli.session import list_known, refuse_retired

    known = {(series.table_name, series.series_id): series for series in list_known(conn, None)}
    wanted = [(table_name, series_id) for table_name, ids in campaign.series.items() for series_id in ids]
    for table_name, series_id in wanted:
        if (table_name, series_id) not in known:
            raise UnknownSeries(f"series {series_id!r} of campaign {campaign.campaign_id} is not known any more")
    chosen = [known[key] for key in wanted]
    refuse_retired(chosen)
    return chosen


def _work_lane(
    clock: "Clock", catalogue: "Catalogue", lane: "PersonLane", done: Refresh, patience_ms: int
) -> "RefreshReport":
    from series_pipelines.database import find_database
    from series_pipelines.ingest.refresh import RefreshOrder, RefreshReport, RefreshTools, refresh_capability
    from series_pipelines.settings import load_settings
    from series_pipelines.store.connection import Connection, connect

    def open_connection(purpose: str, autocommit: bool) -> Connection:
        return connect(find_database(load_settings()), purpose=purpose, autocommit=autocommit)

    lane.ended = "it was interrupted"
    tolerance_ms = load_settings().clock_tolerance_seconds * 1000
    order = RefreshOrder(done.campaign.campaign_id, lane.series_ids, done.campaign.window, patience_ms, tolerance_ms)
    with _draw_progress(lane, done.campaign.window) as note:
        tools = RefreshTools(open_connection, clock, note)
        vendor, capability = catalogue.vendor_of[lane.cap_key], catalogue.capabilities[lane.cap_key]
        try:
            report = refresh_capability(tools, vendor, capability, order)
        except CapabilityBusy as busy:
            report = RefreshReport(failed=dict.fromkeys(lane.series_ids, str(busy)), ended=str(busy))
    lane.requests, lane.failed, lane.ended = report.requests, report.failed, report.ended
    done.notes |= report.notes
    return report


@contextmanager
def _draw_progress(lane: "PersonLane", window: Range) -> "Iterator[Any]":
    """Draw, on a terminal, how much of the window is fetched again; count pages, also those before a Ctrl-C."""
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

        def note(series_id: str, position_ms: int, page: "Page | None") -> None:
            if page is not None:
                lane.requests += 1
                lane.pages += 1
                lane.rows += len(page.rows)
            reached[series_id] = min(window.end_ms, max(reached[series_id], position_ms))
            completed = sum(reached.values()) - len(reached) * window.start_ms
            progress.update(task, completed=completed, pages=lane.pages, rows=lane.rows)

        yield note


def _describe(done: Refresh, counts: dict[tuple[str, str], int], changes: "list[Change]") -> dict[str, Any]:
    return _describe_campaign(done.campaign, sum(counts.values())) | {
        "resumed": done.is_resumed,
        "interrupted": done.interrupted,
        "requests": sum(lane.requests for lane in done.lanes),
        "pages": sum(lane.pages for lane in done.lanes),
        "rows": sum(lane.rows for lane in done.lanes),
        "failed": done.failed,
        "notes": done.notes,
        "ended": {lane.cap_key: lane.ended for lane in done.lanes},
        "changes": [
            {
                "table_name": change.table_name,
                "series_id": change.series_id,
                "created_at": to_iso(change.created_ms),
                "column": change.column,
                "old_value": change.old_value,
                "new_value": change.new_value,
                "seen_at": to_iso(change.seen_ms),
            }
            for change in changes
        ],
    }


def _describe_campaign(campaign: "Campaign", changed: int) -> dict[str, Any]:
    return {
        "campaign_id": campaign.campaign_id,
        "series": campaign.series,
        "days": _count_days(campaign),
        "start": to_iso(campaign.window.start_ms),
        "end": to_iso(campaign.window.end_ms),
        "begun_at": to_iso(campaign.begun_ms),
        "finished_at": to_iso(campaign.finished_ms),
        "changed_rows": changed,
    }


def _print_summary(done: Refresh, counts: dict[tuple[str, str], int], changes: "list[Change]") -> None:
    if done.lanes:
        rows = [
            (lane.cap_key, len(lane.series_ids), lane.requests, lane.pages, lane.rows, len(lane.failed), lane.ended)
            for lane in done.lanes
        ]
        print_table(_LANE_COLUMNS, rows, droppable=("requests",))
        click.echo()
    if not counts:
        click.echo("no changed rows were seen")
        return
    click.echo(f"{sum(counts.values())} rows of {len(counts)} series have been changed by their vendors\n")
    lines = [
        (
            change.series_id,
            show_time(change.created_ms),
            change.column,
            change.old_value,
            change.new_value,
            show_time(change.seen_ms),
        )
        for change in changes[:MOST_SHOWN]
    ]
    print_table(_CHANGE_COLUMNS, lines, droppable=("seen",))
    if len(changes) > MOST_SHOWN:
        click.echo(f"\nthe first {MOST_SHOWN} values are shown, --json gives all")


def _say_what_is_left(done: Refresh) -> None:
    for kind, messages in (("failed", done.failed), ("note", done.notes)):
        for series_id, message in list(messages.items())[:MOST_SHOWN]:
            click.echo(f"series: {kind}: {series_id}: {message}", err=True)
        if len(messages) > MOST_SHOWN:
            click.echo(f"series: {kind}: and {len(messages) - MOST_SHOWN} more", err=True)
    if done.campaign.finished_ms is None:
        why = "interrupted; what was committed stays" if done.interrupted else "not finished"
        click.echo(f"series: {why}; go on with `series refresh --campaign {done.campaign.campaign_id}`", err=True)


def _list_campaigns(conn: "Connection", as_json: bool) -> None:
    from series_pipelines.store import campaigns

    found = [(campaign, sum(campaigns.count_changed(conn, campaign).values())) for campaign in campaigns.read(conn)]
    if as_json:
        print_json([_describe_campaign(campaign, changed) for campaign, changed in found])
        return
    rows = [
        (
            campaign.campaign_id,
            campaign.series_count,
            _count_days(campaign),
            *map(show_minute, (*campaign.window, campaign.begun_ms, campaign.finished_ms)),
            changed,
        )
        for campaign, changed in found
    ]
    print_table(_LIST_COLUMNS, rows, droppable=("from", "to"))
