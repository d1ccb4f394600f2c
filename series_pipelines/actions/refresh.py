"""Refresh campaigns: begun or gone on with, worked capability after capability, and what vendors changed meanwhile.

A campaign outlives whoever works it: after a crash, or the end of its time, the next one goes on where it was.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from uuid import uuid4

from series_pipelines.actions.answers import Json, to_iso
from series_pipelines.actions.backfill import SHORTEST_SHARE_MS, LaneTally, find_unserved, group_series
from series_pipelines.actions.choosing import list_known, refuse_retired
from series_pipelines.actions.workshop import Workshop
from series_pipelines.core.duration import DAY_MS
from series_pipelines.core.ranges import Range
from series_pipelines.core.times import format_iso
from series_pipelines.errors import CapabilityBusy, InvalidInput, UnknownSeries
from series_pipelines.ingest.pages.check import Page
from series_pipelines.ingest.refreshing import campaigns
from series_pipelines.ingest.refreshing.campaigns import Campaign
from series_pipelines.ingest.refreshing.refresh import RefreshOrder, RefreshReport, RefreshTools, refresh_capability
from series_pipelines.ingest.storing.compaction import compact_series
from series_pipelines.ingest.storing.revisions import Change
from series_pipelines.ingest.storing.states import KnownSeries
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.registry import Catalogue

OnMoved = Callable[[str, int], None]
"""Hears how far a series is fetched again."""
Follow = Callable[[LaneTally, Range], AbstractContextManager[OnMoved]]


@dataclass(frozen=True, slots=True)
class Changes:
    """What vendors changed while a campaign went on: rows by series, and some or all of their values."""

    counts: dict[tuple[str, str], int]
    values: tuple[Change, ...]

    @property
    def rows(self) -> int:
        """How many rows changed."""
        return sum(self.counts.values())

    def as_json(self) -> list[Json]:
        """Return each changed value."""
        return [
            {
                "table_name": change.table_name,
                "series_id": change.series_id,
                "created_at": to_iso(change.created_ms),
                "column": change.column,
                "old_value": change.old_value,
                "new_value": change.new_value,
                "seen_at": to_iso(change.seen_ms),
            }
            for change in self.values
        ]


@dataclass(slots=True)
class Refresh:
    """One go at a campaign: the lanes it worked, what vendors changed, and whether a person stopped it."""

    campaign: Campaign
    is_resumed: bool
    lanes: list[LaneTally] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def failed(self) -> dict[str, str]:
        """The series that failed, and why."""
        return {series_id: reason for lane in self.lanes for series_id, reason in lane.failed.items()}

    def as_json(self, changes: Changes) -> Json:
        """Return the campaign, what was done for it, and what changed."""
        return describe_campaign(self.campaign, changes.rows) | {
            "resumed": self.is_resumed,
            "interrupted": self.interrupted,
            "requests": sum(lane.requests for lane in self.lanes),
            "pages": sum(lane.pages for lane in self.lanes),
            "rows": sum(lane.rows for lane in self.lanes),
            "failed": self.failed,
            "notes": self.notes,
            "ended": {lane.cap_key: lane.ended for lane in self.lanes},
            "changes": changes.as_json(),
        }


def list_campaigns(conn: Connection) -> list[tuple[Campaign, int]]:
    """Return all campaigns, the newest first, with how many rows each saw changed."""
    return [(campaign, sum(campaigns.count_changed(conn, campaign).values())) for campaign in campaigns.read(conn)]


def find_campaign(
    conn: Connection, campaign_id: str, chosen: Sequence[KnownSeries] = (), days: int | None = None
) -> Campaign:
    """Return a campaign by its id; series and days that are said besides must be its own."""
    found = campaigns.read(conn, campaign_id)
    if not found:
        raise InvalidInput(f"no campaign {campaign_id!r}: `series refresh --list` shows all")
    campaign = found[0]
    if chosen and _sort_by_table(chosen) != campaign.series:
        raise InvalidInput(f"campaign {campaign_id!r} is of other series: leave out SERIES, or --campaign")
    if days is not None and days != count_days(campaign):
        raise InvalidInput(f"campaign {campaign_id!r} is of {count_days(campaign)} days: leave out --days {days}")
    return campaign


def begin_or_resume(conn: Connection, chosen: Sequence[KnownSeries], days: int, now_ms: int) -> tuple[Campaign, bool]:
    """Return the newest unfinished campaign of the same series and days, if its window is not wholly past, and whether
    it is one; else a new one."""
    refuse_retired(chosen)
    series = _sort_by_table(chosen)
    for campaign in campaigns.read(conn, unfinished=True):
        is_recent = campaign.window.end_ms > now_ms - days * DAY_MS
        if is_recent and campaign.series == series and count_days(campaign) == days:
            return campaign, True
    campaign_id = f"refresh-{format_iso(now_ms)[:10].replace('-', '')}-{uuid4().hex[:8]}"
    window = Range(now_ms - days * DAY_MS, now_ms)
    return campaigns.begin(conn, Campaign(campaign_id, series, window, now_ms)), False


def list_series_of(conn: Connection, campaign: Campaign) -> list[KnownSeries]:
    """Return the series of a campaign; all of them must be served now."""
    known = {(series.table_name, series.series_id): series for series in list_known(conn, None)}
    wanted = [(table_name, series_id) for table_name, ids in campaign.series.items() for series_id in ids]
    for table_name, series_id in wanted:
        if (table_name, series_id) not in known:
            raise UnknownSeries(f"series {series_id!r} of campaign {campaign.campaign_id} is not known any more")
    chosen = [known[key] for key in wanted]
    refuse_retired(chosen)
    return chosen


def refresh(
    conn: Connection, workshop: Workshop, catalogue: Catalogue, done: Refresh, deadline_ms: int, follow: Follow
) -> None:
    """Work each capability of a campaign, then merge ranges; it is finished when nothing of it failed or is left.

    An interruption only ends it sooner.
    """
    works = group_series(list_series_of(conn, done.campaign))
    if refusal := find_unserved(works, catalogue):
        raise refusal
    done.lanes = [LaneTally(work.cap_key, work.table_name, work.series_ids or ()) for work in works]
    refreshed = 0
    try:
        for position, lane in enumerate(done.lanes):
            left_ms = (deadline_ms - workshop.clock.now_ms()) // (len(done.lanes) - position)
            report = _refresh_lane(workshop, catalogue, done.campaign, lane, max(SHORTEST_SHARE_MS, left_ms), follow)
            lane.requests, lane.failed, lane.ended = report.requests, report.failed, report.ended
            done.notes |= report.notes
            refreshed += len(report.done)
    except KeyboardInterrupt:
        done.interrupted = True
    for lane in done.lanes:
        compact_series(conn, lane.table_name, sorted(lane.series_ids))
    if refreshed == done.campaign.series_count:
        done.campaign = campaigns.finish(conn, done.campaign.campaign_id, workshop.clock.now_ms())
        conn.commit()


def _refresh_lane(
    workshop: Workshop, catalogue: Catalogue, campaign: Campaign, lane: LaneTally, patience_ms: int, follow: Follow
) -> RefreshReport:
    lane.ended = "it was interrupted"
    tolerance_ms = workshop.clock_tolerance_ms
    order = RefreshOrder(campaign.campaign_id, lane.series_ids, campaign.window, patience_ms, tolerance_ms)
    with follow(lane, campaign.window) as on_moved:

        def note(series_id: str, position_ms: int, page: Page | None) -> None:
            if page is not None:
                lane.note_page(page)
            on_moved(series_id, position_ms)

        tools = RefreshTools(workshop.connect, workshop.clock, note)
        try:
            vendor, capability = catalogue.vendor_of[lane.cap_key], catalogue.capabilities[lane.cap_key]
            return refresh_capability(tools, vendor, capability, order)
        except CapabilityBusy as busy:
            return RefreshReport(failed=dict.fromkeys(lane.series_ids, str(busy)), ended=str(busy))


def read_changes(conn: Connection, campaign: Campaign, most: int | None = None) -> Changes:
    """Return what vendors changed of a campaign's series: all rows counted, and so many of their values."""
    counts = campaigns.count_changed(conn, campaign)
    return Changes(counts, tuple(campaigns.read_changes(conn, campaign, most)))


def describe_campaign(campaign: Campaign, changed: int) -> Json:
    """Return a campaign as JSON."""
    return {
        "campaign_id": campaign.campaign_id,
        "series": campaign.series,
        "days": count_days(campaign),
        "start": to_iso(campaign.window.start_ms),
        "end": to_iso(campaign.window.end_ms),
        "begun_at": to_iso(campaign.begun_ms),
        "finished_at": to_iso(campaign.finished_ms),
        "changed_rows": changed,
    }


def count_days(campaign: Campaign) -> int:
    """Return how many days a campaign's window has."""
    return (campaign.window.end_ms - campaign.window.start_ms) // DAY_MS


def _sort_by_table(chosen: Sequence[KnownSeries]) -> dict[str, tuple[str, ...]]:
    sorted_ids: defaultdict[str, list[str]] = defaultdict(list)
    for table_name, series_id in sorted((known.table_name, known.series_id) for known in chosen):
        sorted_ids[table_name].append(series_id)
    return {table_name: tuple(series_ids) for table_name, series_ids in sorted_ids.items()}
