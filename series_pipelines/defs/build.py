"""Puts the definitions together."""

from collections.abc import Mapping
from typing import Any

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

from series_pipelines.core.plan import Kind
from series_pipelines.core.series import TABLE_NAMES
from series_pipelines.defs.assets import build_assets
from series_pipelines.defs.checks import build_checks
from series_pipelines.defs.resources import SeriesResource
from series_pipelines.defs.retention import purge_display
from series_pipelines.defs.sensors import build_lane_sensor, build_universe_sensor
from series_pipelines.settings import load_settings

KINDS: tuple[Kind, ...] = ("head", "tail")


def build_definitions(resource_overrides: Mapping[str, Any] | None = None) -> Definitions:
    """Make everything Dagster loads; overrides replace resources by key."""
    are_on = load_settings().sensors
    status = DefaultSensorStatus.RUNNING if are_on else DefaultSensorStatus.STOPPED
    jobs = {
        table_name: define_asset_job(
            f"{table_name}_lane",
            # Checks have a night of their own; a lane would run them every shift.
            selection=AssetSelection.assets(table_name).without_checks(),
            description=f"One lane: one capability's worker on {table_name} for one shift.",
        )
        for table_name in TABLE_NAMES
    }
    purge_schedule = ScheduleDefinition(
        job=purge_display,
        cron_schedule="17 3 * * *",
        default_status=DefaultScheduleStatus.RUNNING if are_on else DefaultScheduleStatus.STOPPED,
    )
    check_job = define_asset_job(
        "nightly_checks",
        selection=AssetSelection.all_asset_checks(),
        description="Is all time accounted for, and does the ledger say the same as the cursors?",
    )
    check_schedule = ScheduleDefinition(
        job=check_job,
        cron_schedule="47 2 * * *",
        default_status=DefaultScheduleStatus.RUNNING if are_on else DefaultScheduleStatus.STOPPED,
    )
    return Definitions(
        assets=build_assets(),
        asset_checks=build_checks(),
        jobs=[*jobs.values(), purge_display, check_job],
        schedules=[purge_schedule, check_schedule],
        sensors=[
            build_universe_sensor(status),
            *(
                build_lane_sensor(table_name, kind, jobs[table_name], status)
                for table_name in TABLE_NAMES
                for kind in KINDS
            ),
        ],
        resources={"series": SeriesResource(), "in_memory": mem_io_manager, **(resource_overrides or {})},
        executor=in_process_executor,
    )
