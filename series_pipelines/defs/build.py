"""Puts the definitions together."""

from collections.abc import Mapping
from typing import Any, Final

from dagster import (
    AssetSelection,
    DefaultScheduleStatus,
    DefaultSensorStatus,
    Definitions,
    ScheduleDefinition,
    define_asset_job,
    in_process_executor,
    mem_io_manager,
)

from series_pipelines.app.settings import load_settings
from series_pipelines.core.tables import TABLES
from series_pipelines.defs.assets import build_assets
from series_pipelines.defs.resources import SeriesResource
from series_pipelines.defs.retention import purge_display
from series_pipelines.defs.sensors import (
    QUIET_CONSOLE,
    build_first_checks_sensor,
    build_lane_sensor,
    build_universe_sensor,
)
from series_pipelines.defs.summaries import build_ledgers, build_summaries
from series_pipelines.ingest.planning.facts import Kind

KINDS: Final[tuple[Kind, ...]] = ("head", "tail")
SUMMARY_PRIORITY: Final = "20"
"""Above all lanes: it takes seconds, and where lanes take every place it would wait for a whole shift."""


def build_definitions(resource_overrides: Mapping[str, Any] | None = None) -> Definitions:
    """Make everything Dagster loads; overrides replace resources by key."""
    are_on = load_settings().sensors
    sensor_status = DefaultSensorStatus.RUNNING if are_on else DefaultSensorStatus.STOPPED
    schedule_status = DefaultScheduleStatus.RUNNING if are_on else DefaultScheduleStatus.STOPPED
    lane_jobs = {
        table_name: define_asset_job(
            f"{table_name}_lane",
            selection=AssetSelection.assets(table_name),
            description=f"One lane: one capability's worker on {table_name} for one shift.",
        )
        for table_name in TABLES
    }
    summaries, ledgers = build_summaries(), build_ledgers()
    summary_job = define_asset_job(
        "summarize",
        selection=AssetSelection.assets(*summaries),
        description="How does each table stand, and is all its time accounted for?",
        tags={"dagster/priority": SUMMARY_PRIORITY},
    )
    check_job = define_asset_job(
        "nightly_checks",
        selection=AssetSelection.assets(*ledgers),
        description="Does the ledger say the same as the cursors?",
    )
    timetable = ((summary_job, "*/5 * * * *"), (check_job, "47 2 * * *"), (purge_display, "17 3 * * *"))
    return Definitions(
        assets=[*build_assets(), *summaries, *ledgers],
        jobs=[*lane_jobs.values(), *(job for job, _ in timetable)],
        schedules=[
            ScheduleDefinition(job=job, cron_schedule=cron, run_config=QUIET_CONSOLE, default_status=schedule_status)
            for job, cron in timetable
        ],
        sensors=[
            build_universe_sensor(sensor_status),
            *(
                build_lane_sensor(table_name, kind, lane_jobs[table_name], sensor_status)
                for table_name in TABLES
                for kind in KINDS
            ),
            build_first_checks_sensor(check_job, sensor_status),
        ],
        resources={"series": SeriesResource(), "in_memory": mem_io_manager, **(resource_overrides or {})},
        executor=in_process_executor,
    )
