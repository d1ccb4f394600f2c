"""Refresh campaigns: rows of refresh_campaign, one a table. How far each series is, its cursor says."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, cast

from series_pipelines.core.ranges import Range
from series_pipelines.ingest.storing import revisions
from series_pipelines.ingest.storing.revisions import Change
from series_pipelines.postgres.connection import Connection, ms_to_time
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("ingest/campaigns")
_CAMPAIGN_ID: Final = itemgetter(0)


@dataclass(frozen=True, slots=True)
class Campaign:
    """What is fetched again: some series of some tables, in a window. Its report is what was seen changed meanwhile."""

    campaign_id: str
    series: dict[str, tuple[str, ...]]
    """The series ids of each table, sorted."""
    window: Range
    begun_ms: int
    finished_ms: int | None = None
    revisions_after: int = 0
    revisions_until: int | None = None

    @property
    def series_count(self) -> int:
        """How many series it has."""
        return sum(len(series_ids) for series_ids in self.series.values())


def begin(conn: Connection, campaign: Campaign) -> Campaign:
    """Write a new campaign and return it as it is stored."""
    for table_name, series_ids in campaign.series.items():
        conn.execute(
            _SQL["begin"],
            {
                "campaign_id": campaign.campaign_id,
                "table_name": table_name,
                "series_ids": list(series_ids),
                "window_from": ms_to_time(campaign.window.start_ms),
                "window_to": ms_to_time(campaign.window.end_ms),
                "begun_at": ms_to_time(campaign.begun_ms),
            },
        )
    (begun,) = read(conn, campaign.campaign_id)
    return begun


def finish(conn: Connection, campaign_id: str, now_ms: int) -> Campaign:
    """End a campaign, unless it has ended, and return it as it is stored."""
    conn.execute(_SQL["finish"], {"campaign_id": campaign_id, "finished_at": ms_to_time(now_ms)})
    (finished,) = read(conn, campaign_id)
    return finished


def read(conn: Connection, campaign_id: str | None = None, *, unfinished: bool = False) -> list[Campaign]:
    """Return one campaign, those that are not finished, or all; the newest first."""
    rows = conn.execute(_SQL["read"], {"campaign_id": campaign_id, "unfinished": unfinished}).fetchall()
    return [_make_campaign(list(parts)) for _, parts in groupby(cast(list[Any], rows), _CAMPAIGN_ID)]


def read_changes(conn: Connection, campaign: Campaign, most: int | None = None) -> list[Change]:
    """Return the first changes that were seen in a campaign's series while it went on, or all of them."""
    found: list[Change] = []
    for table_name, series_ids in campaign.series.items():
        room = None if most is None else most - len(found)
        after, until = campaign.revisions_after, campaign.revisions_until
        found += revisions.read(conn, table_name, series_ids, after, until, room)
    return found


def count_changed(conn: Connection, campaign: Campaign) -> dict[tuple[str, str], int]:
    """Return how many rows of each series (table, id) changed while a campaign went on."""
    after, until = campaign.revisions_after, campaign.revisions_until
    return {
        (table_name, series_id): count
        for table_name, series_ids in campaign.series.items()
        for series_id, count in revisions.count(conn, table_name, series_ids, after, until).items()
    }


def _make_campaign(parts: Sequence[Any]) -> Campaign:
    campaign_id, _, _, start_ms, end_ms, begun_ms, finished_ms, after, until = parts[0]
    series = {table_name: tuple(series_ids) for _, table_name, series_ids, *_ in parts}
    return Campaign(campaign_id, series, Range(start_ms, end_ms), begun_ms, finished_ms, after, until)
