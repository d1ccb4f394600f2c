"""The sensors: `universe` keeps partitions equal to what vendors offer, and head and tail ask for lanes.

A tick is one read and a pure decision; state lives in tables, never in cursors. Every skip says why.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from dagster import (
    AssetKey,
    AssetMaterialization,
    DagsterInstance,
    DagsterRunStatus,
    DefaultSensorStatus,
    RunRequest,
    RunsFilter,
    SensorDefinition,
    SensorEvaluationContext,
    SensorResult,
    SkipReason,
    sensor,
)
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from series_pipelines.core.tables import TABLES
from series_pipelines.core.text import clean_text
from series_pipelines.defs.one_line import one_line_errors
from series_pipelines.defs.partitions import find_partitions
from series_pipelines.defs.peek_metadata import describe_backlog, name_lane
from series_pipelines.defs.resources import SeriesResource
from series_pipelines.defs.summaries import name_ledger
from series_pipelines.ingest.catalogue.universe import UniverseReport, sync_universe
from series_pipelines.ingest.planning.facts import Kind
from series_pipelines.ingest.standing.backlog import CapabilityBacklog, publish_backlogs, read_backlog
from series_pipelines.ingest.standing.decisions import decide_lanes
from series_pipelines.ingest.storing import states
from series_pipelines.postgres.connection import Connection

CAPABILITY_TAG: Final = "series/capability"
LANE_TAG: Final = "lane"
WORK_TAG: Final = "series/work"
PRIORITIES: Final[dict[Kind, str]] = {"head": "10", "tail": "0"}
QUIET_CONSOLE: Final = {"loggers": {"console": {"config": {"log_level": "WARNING"}}}}
"""What a run tells is in its events; a console that says each of them again fills the log of whoever started it."""
UNIVERSE_INTERVAL_SECONDS: Final = 30
FIRST_CHECKS_INTERVAL_SECONDS: Final = 300
LANE_INTERVAL_SECONDS: Final = 10
RECENTLY: Final = timedelta(seconds=60)
OVERTIME_SECONDS: Final = 60
MAX_NEW_PARTITIONS: Final = 5_000
LONGEST_TICK: Final = 1_000
UNDER_WAY: Final = [
    DagsterRunStatus.QUEUED,
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
]


def build_universe_sensor(status: DefaultSensorStatus) -> SensorDefinition:
    """Make the sensor that follows the vendors."""

    @sensor(
        name="universe",
        minimum_interval_seconds=UNIVERSE_INTERVAL_SECONDS,
        default_status=status,
        description="Follows vendors: products, capabilities and series; adds partitions; refreshes `capabilities`.",
    )
    def universe(context: SensorEvaluationContext, series: SeriesResource) -> SensorResult:
        with one_line_errors(), series.connect("universe") as conn:
            registry = series.load_registry()
            report = sync_universe(conn, registry, series.clock.now_ms(), wait=series.clock.wait)
            additions = {table_name: _find_new_keys(context.instance, conn, table_name) for table_name in TABLES}
            backlog = read_backlog(conn, series.clock.now_ms())
        for refusal in report.refused:
            context.log.warning(refusal)
        peek = AssetMaterialization(AssetKey("capabilities"), metadata=describe_backlog(backlog))
        return SensorResult(
            # Dagster's only place for words on a tick that starts no run.
            skip_reason=describe_universe(report, sum(map(len, additions.values()))),
            dynamic_partitions_requests=[
                find_partitions(table_name).build_add_request(keys) for table_name, keys in additions.items() if keys
            ],
            asset_events=[peek],
        )

    return universe


def build_lane_sensor(
    table_name: str, kind: Kind, job: UnresolvedAssetJobDefinition, status: DefaultSensorStatus
) -> SensorDefinition:
    """Make the sensor that asks for lanes for one kind of work of one table."""
    doing = "refreshes heads" if kind == "head" else "fills gaps and history while few heads wait"

    @sensor(
        name=f"{table_name}_{kind}",
        job=job,
        minimum_interval_seconds=LANE_INTERVAL_SECONDS,
        default_status=status,
        description=f"Asks for at most one lane a capability that {doing} in {table_name}.",
    )
    def lane_sensor(context: SensorEvaluationContext, series: SeriesResource) -> SensorResult | SkipReason:
        now_ms = series.clock.now_ms()
        with one_line_errors(), series.connect("sensor") as conn:
            backlog = read_backlog(conn, now_ms)
            publish_backlogs(conn, backlog, now_ms)
        decision = decide_lanes(backlog, table_name, kind, find_busy_capabilities(context.instance))
        if not decision.wanted:
            return SkipReason("; ".join(decision.reasons))
        return SensorResult(
            run_requests=[
                make_lane_request(table_name, kind, backlog.capabilities[cap_key], series.settings.shift_seconds)
                for cap_key in decision.wanted
            ],
        )

    return lane_sensor


def build_first_checks_sensor(job: UnresolvedAssetJobDefinition, status: DefaultSensorStatus) -> SensorDefinition:
    """Make the sensor that has each ledger looked at once, before its first night."""

    @sensor(
        name="first_checks",
        job=job,
        minimum_interval_seconds=FIRST_CHECKS_INTERVAL_SECONDS,
        default_status=status,
        description="Asks for the nightly checks once, when a ledger was never looked at.",
    )
    def first_checks(context: SensorEvaluationContext) -> RunRequest | SkipReason:
        ledgers = map(name_ledger, TABLES)
        if all(context.instance.get_latest_materialization_event(AssetKey(name)) for name in ledgers):
            return SkipReason("each ledger has been looked at; from now on it is every night")
        return RunRequest(run_config=QUIET_CONSOLE)

    return first_checks


def describe_universe(report: UniverseReport, new_partitions: int) -> str:
    """Say what a look at the vendors found and changed."""
    counts = {"capabilities": report.capabilities, "products": report.products, "series": sum(report.series.values())}
    changes = {
        "new series": sum(changes.added for changes in report.series_changes.values()),
        "retired series": sum(changes.retired for changes in report.series_changes.values()),
        "changed products": report.products_changed,
        "delisted products": len(report.delisted),
        "new partitions": new_partitions,
    }
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    changed = ", ".join(f"{count} {name}" for name, count in changes.items() if count) or "nothing new"
    refused = f"; refused: {'; '.join(report.refused)}" if report.refused else ""
    return clean_text(f"{told}; {changed}{refused}", LONGEST_TICK)


def make_lane_request(table_name: str, kind: Kind, capability: CapabilityBacklog, shift_seconds: int) -> RunRequest:
    """Ask for one lane; the run reads its plan itself, fresh."""
    cap_key = capability.state.cap_key
    config = {"capability": cap_key, "kind": "head" if kind == "head" else "both"}
    return RunRequest(
        run_config={"ops": {table_name: {"ops": {"ingest": {"config": config}}}}, **QUIET_CONSOLE},
        tags={
            CAPABILITY_TAG: cap_key,
            LANE_TAG: name_lane(capability),
            WORK_TAG: kind,
            "dagster/priority": PRIORITIES[kind],
            # A run whose machine died looks alive for ever, and would keep its capability from getting another.
            "dagster/max_runtime_seconds": str(shift_seconds + OVERTIME_SECONDS),
        },
    )


def find_busy_capabilities(instance: DagsterInstance) -> set[str]:
    """Return capabilities with a run under way, or with one that failed a moment ago.

    A run that was made but never queued, because its maker died, counts only for that moment.
    """
    just_now = [DagsterRunStatus.NOT_STARTED, DagsterRunStatus.FAILURE]
    records = [
        *instance.get_run_records(RunsFilter(statuses=UNDER_WAY)),
        *instance.get_run_records(RunsFilter(statuses=just_now, updated_after=datetime.now(UTC) - RECENTLY)),
    ]
    return {tag for record in records if (tag := record.dagster_run.tags.get(CAPABILITY_TAG)) is not None}


def _find_new_keys(instance: DagsterInstance, conn: Connection, table_name: str) -> list[str]:
    name = find_partitions(table_name).name
    assert name is not None
    present = set(instance.get_dynamic_partitions(name))
    wanted = (known.series_id for known in states.list_series(conn, table_name))
    return [series_id for series_id in wanted if series_id not in present][:MAX_NEW_PARTITIONS]
