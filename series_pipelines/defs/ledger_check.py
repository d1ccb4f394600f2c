"""The nightly proof of the ledger: for each table, what cursors say must be what their events say."""

from typing import Final

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

from series_pipelines.core.cursor import format_value
from series_pipelines.core.series import TABLE_NAMES, TableName
from series_pipelines.defs.resources import SeriesResource
from series_pipelines.store import ledger

SHOWN_PROBLEMS: Final = 10
_COLUMNS: Final = ("series_id", "operation", "key", "verdict", "events_say", "stands_at")


def build_ledger_checks() -> list[AssetChecksDefinition]:
    """Make the check of each table."""
    return [_build_check(table_name) for table_name in TABLE_NAMES]


def _build_check(table_name: TableName) -> AssetChecksDefinition:
    @asset_check(
        asset=table_name,
        name="ledger_replays",
        description="Every cursor is what its events say, and every chain of events is whole.",
    )
    def ledger_replays(series: SeriesResource) -> AssetCheckResult:
        with series.connect("ledger check") as conn:
            found = ledger.verify(conn, table_name)
        return AssetCheckResult(
            passed=not found.problems,
            severity=AssetCheckSeverity.ERROR,
            description=_describe(found),
            metadata={
                "namespaces": MetadataValue.int(found.namespaces),
                "events": MetadataValue.int(found.events),
                **{kind: MetadataValue.int(count) for kind, count in found.count().items()},
                "worst": MetadataValue.table(
                    records=[_make_record(problem) for problem in found.problems[:SHOWN_PROBLEMS]],
                    schema=TableSchema(columns=[TableColumn(name) for name in _COLUMNS]),
                ),
            },
        )

    return ledger_replays


def _describe(found: ledger.Verification) -> str:
    if not found.problems:
        return f"{found.namespaces} cursors are what their {found.events} events say"
    counts = ", ".join(f"{count} {kind}" for kind, count in found.count().items() if count)
    return f"{len(found.problems)} of {found.namespaces} cursors are not what their events say: {counts}"


def _make_record(problem: ledger.Finding) -> TableRecord:
    space = problem.namespace
    verdict = f"{problem.state}, broken" if problem.is_broken else problem.state
    told, held = (format_value(space, value) or "" for value in (problem.told, problem.held))
    cells = (space.series_id, space.operation, space.key, verdict, told, held)
    return TableRecord(dict(zip(_COLUMNS, cells, strict=True)))
