"""An asset check a table: does any series have time behind its newest row of which we do not know what it holds?"""

from typing import Any

from dagster import (
    AssetCheckResult,
    AssetChecksDefinition,
    AssetCheckSeverity,
    MetadataValue,
    TableColumn,
    TableRecord,
    TableSchema,
    asset_check,
)

from series_pipelines.core.coverage import measure_coverage
from series_pipelines.core.series import TABLE_NAMES, TableName
from series_pipelines.core.times import format_span
from series_pipelines.defs.resources import SeriesResource
from series_pipelines.store import coverage as coverage_store
from series_pipelines.store import states
from series_pipelines.store.connection import Connection
from series_pipelines.store.coverage import Account

WORST = 10


def build_coverage_checks() -> list[AssetChecksDefinition]:
    """Make the check of each table."""
    return [_build_check(table_name) for table_name in TABLE_NAMES]


def _build_check(table_name: TableName) -> AssetChecksDefinition:
    @asset_check(
        asset=table_name,
        name="coverage_is_known",
        description="Every stretch of a series' life behind its newest row is data, or proven to have none.",
    )
    def coverage_is_known(series: SeriesResource) -> AssetCheckResult:
        with series.connect("coverage check") as conn:
            return check_coverage(conn, table_name, series.clock.now_ms())

    return coverage_is_known


def check_coverage(conn: Connection, table_name: TableName, now_ms: int) -> AssetCheckResult:
    """Count the series that have unknown time older than their floor allows, and name the worst."""
    known = states.read_facts(conn, table_name)
    accounts = coverage_store.read(conn, table_name)
    found: list[tuple[int, bool, str]] = []
    for facts in known:
        account = accounts.get(facts.series_id, Account())
        coverage = measure_coverage(facts, account.ranges, now_ms, account.evidence)
        if coverage.behind_ms or not coverage.is_start_proven:
            found.append((coverage.behind_ms, coverage.is_start_proven, facts.series_id))
    found.sort(key=lambda entry: (-entry[0], entry[1], entry[2]))
    told = f"{len(found)} series have unknown time older than their floor"
    return AssetCheckResult(
        passed=not found,
        severity=AssetCheckSeverity.WARN,
        description=f"{told}, of {len(known)}",
        metadata=_describe(found, len(known)),
    )


def _describe(found: list[tuple[int, bool, str]], total: int) -> dict[str, Any]:
    records = [
        TableRecord(
            {"series": series_id, "unknown": format_span(behind_ms), "floor": "proven" if is_proven else "not reached"}
        )
        for behind_ms, is_proven, series_id in found[:WORST]
    ]
    columns = [TableColumn(name, "string") for name in ("series", "unknown", "floor")]
    return {
        "series": MetadataValue.int(total),
        "incomplete": MetadataValue.int(len(found)),
        "worst": MetadataValue.table(records=records, schema=TableSchema(columns=columns)),
    }
