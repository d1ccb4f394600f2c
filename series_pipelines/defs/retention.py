"""Purges what Dagster keeps only for display: old events and finished runs.

The newest materialization and observation of every asset and partition stay, and the runs that hold them, so
statuses and metadata do not change. Ticks are purged by Dagster itself (`retention` in dagster.yaml).
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from dagster import Config, OpExecutionContext, job, op
from pydantic import Field

from series_pipelines.defs.one_line import one_line_errors
from series_pipelines.defs.resources import SeriesResource
from series_pipelines.defs.storage import find_dagster_database
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("defs/dagster_events")


class PurgeConfig(Config):
    days: int | None = Field(None, ge=0, description="how many days to keep; the settings say if empty")


@op(description="Delete events and finished runs that are older than the settings say and shown nowhere.")
def purge_events(context: OpExecutionContext, config: PurgeConfig, series: SeriesResource) -> None:
    days = series.settings.event_days if config.days is None else config.days
    with (
        one_line_errors(),
        connect(find_dagster_database(), purpose="retention", statement_timeout_ms=600_000) as conn,
    ):
        events, runs = purge_dagster_events(conn, datetime.now(UTC) - timedelta(days=days))
    context.log.info(f"deleted {events} events and {runs} runs older than {days} days")


def purge_dagster_events(conn: Connection, before: datetime) -> tuple[int, int]:
    """Delete old events and the finished runs that hold none any more; return how many of each."""
    events = conn.execute(_SQL["purge_events"], {"before": before}).rowcount
    runs = conn.execute(_SQL["purge_runs"], {"before": before}).rowcount
    return events, runs


@job(description="Purges Dagster's display events and finished runs.")
def purge_display() -> None:
    purge_events()
