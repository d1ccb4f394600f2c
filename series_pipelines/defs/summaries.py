"""Two small assets a table that carry its numbers over time and its checks: `…_summary` and `…_ledger`.

Dagster shows a check only while it is newer than its asset's last materialization. So checks hang on no table that
lanes materialize: each asset here is materialized by one job of its own, in the step that evaluates its check.
"""

from typing import Any, Final

from dagster import (
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    MaterializeResult,
    MetadataValue,
    asset,
)

from series_pipelines.core.tables import TABLES
from series_pipelines.core.times import format_span
from series_pipelines.defs.checks import check_coverage, check_ledger, look_at_ledger, specify_coverage, specify_ledger
from series_pipelines.defs.one_line import one_line_errors
from series_pipelines.defs.resources import SeriesResource
from series_pipelines.defs.tables import make_table
from series_pipelines.ingest.standing.series import Standing, read_standings
from series_pipelines.ingest.standing.summary import TableSummary, summarize
from series_pipelines.ingest.storing import states

HEALTH: Final = "health"
OWNERS: Final = ["team:market-data"]
TOTAL_NEW_ROWS: Final = "new_rows_so_far"
LATEST: Final = 10


def name_summary(table_name: str) -> str:
    """Return the name of a table's summary asset."""
    return f"{table_name}_summary"


def name_ledger(table_name: str) -> str:
    """Return the name of the asset that shows a table's ledger."""
    return f"{table_name}_ledger"


def build_summaries() -> list[AssetsDefinition]:
    """Make the summary of each table."""
    return [_build_summary(table_name) for table_name in TABLES]


def build_ledgers() -> list[AssetsDefinition]:
    """Make the ledger of each table, as far as Dagster shows it."""
    return [_build_ledger(table_name) for table_name in TABLES]


def _build_summary(table_name: str) -> AssetsDefinition:
    @asset(
        name=name_summary(table_name),
        group_name=HEALTH,
        kinds={"postgres"},
        owners=OWNERS,
        check_specs=[specify_coverage(name_summary(table_name))],
        description=(
            "Lag, coverage, gaps and new rows of the whole table, looked at every five minutes. Plots shows them over "
            f"time. The table: [{table_name}](/assets/{table_name})."
        ),
    )
    def summary(context: AssetExecutionContext, series: SeriesResource) -> MaterializeResult:  # type: ignore[type-arg]
        now_ms = series.clock.now_ms()
        with one_line_errors(), series.connect("summary") as conn:
            standings = read_standings(conn, table_name, now_ms)
            tally = states.tally(conn, table_name)
        before = _find_last_total(context)
        metadata = {
            **describe_summary(summarize(standings, now_ms)),
            "retired": MetadataValue.int(tally.retired),
            **({} if before is None else {"new_rows": MetadataValue.int(tally.new_rows - before)}),
            TOTAL_NEW_ROWS: MetadataValue.int(tally.new_rows),
            **describe_latest(standings),
        }
        return MaterializeResult(metadata=metadata, check_results=[check_coverage(standings)])

    return summary


def _build_ledger(table_name: str) -> AssetsDefinition:
    @asset(
        name=name_ledger(table_name),
        group_name=HEALTH,
        kinds={"postgres"},
        owners=OWNERS,
        check_specs=[specify_ledger(name_ledger(table_name))],
        description=(
            "What every page did to a cursor, replayed and compared once a night; Materialize does so now. "
            f"The table: [{table_name}](/assets/{table_name})."
        ),
    )
    def table_ledger(series: SeriesResource) -> MaterializeResult:  # type: ignore[type-arg]
        with one_line_errors(), series.connect("ledger replays") as conn:
            found, changes = look_at_ledger(conn, table_name)
        return MaterializeResult(
            metadata={
                "cursors": MetadataValue.int(found.namespaces),
                "events": MetadataValue.int(found.events),
                "problems": MetadataValue.int(len(found.problems)),
            },
            check_results=[check_ledger(found, changes)],
        )

    return table_ledger


def describe_summary(summary: TableSummary) -> dict[str, Any]:
    """Return a table's summary as metadata: numbers, so that Dagster plots them."""
    return {
        "lag_p50_seconds": MetadataValue.int(summary.lag_p50_ms // 1000),
        "lag_p99_seconds": MetadataValue.int(summary.lag_p99_ms // 1000),
        "lag_worst_seconds": MetadataValue.int(summary.lag_worst_ms // 1000),
        "behind": MetadataValue.int(summary.behind),
        "failing": MetadataValue.int(summary.failing),
        "unknown_hours": MetadataValue.float(round(summary.unknown_ms / 3_600_000, 2)),
        "gaps": MetadataValue.int(summary.gaps),
        "coverage_percent": MetadataValue.float(round(summary.coverage_percent, 2)),
        "series": MetadataValue.int(summary.series),
        "without_rows": MetadataValue.int(summary.without_rows),
        "delisted": MetadataValue.int(summary.delisted),
    }


def describe_latest(standings: list[Standing]) -> dict[str, Any]:
    """Return the series that are latest, as metadata; nothing if none is late."""
    late = [(standing.lag.late_ms, standing.facts.series_id) for standing in standings if standing.lag is not None]
    late = sorted((entry for entry in late if entry[0] > 0), reverse=True)[:LATEST]
    if not late:
        return {}
    rows = [(series_id, format_span(late_ms)) for late_ms, series_id in late]
    return {"latest": make_table({"series": "string", "late": "string"}, rows)}


def _find_last_total(context: AssetExecutionContext) -> int | None:
    """Return how many new rows there had been at the last look."""
    event = context.instance.get_latest_materialization_event(AssetKey(context.asset_key.path))
    shown = event.asset_materialization.metadata.get(TOTAL_NEW_ROWS) if event and event.asset_materialization else None
    return int(str(shown.value)) if shown is not None else None
