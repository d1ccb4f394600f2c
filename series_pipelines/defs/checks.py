"""The asset checks of each table: is all its time accounted for, and does the ledger say what the cursors say?"""

from collections.abc import Callable, Sequence
from typing import Final

from dagster import (
    AssetCheckResult,
    AssetChecksDefinition,
    AssetCheckSeverity,
    MetadataValue,
    TableColumn,
    TableMetadataValue,
    TableRecord,
    TableSchema,
    asset_check,
)

from series_pipelines.core.coverage import measure_coverage
from series_pipelines.core.cursor import format_value
from series_pipelines.core.series import TABLE_NAMES, TableName
from series_pipelines.core.times import format_span
from series_pipelines.defs.resources import SeriesResource
from series_pipelines.store import coverage as coverage_store
from series_pipelines.store import ledger, ledger_months, states
from series_pipelines.store.connection import Connection
from series_pipelines.store.coverage import Account

WORST: Final = 10

Look = Callable[[Connection, TableName, int], AssetCheckResult]


def build_checks() -> list[AssetChecksDefinition]:
    """Make the checks of each table."""
    looks: dict[str, tuple[str, Look]] = {
        "coverage_is_known": (
            "Every stretch of a series' life behind its newest row is data, or proven to have none.",
            check_coverage,
        ),
        "ledger_replays": (
            "Every cursor is what its events say, every chain of events is whole, and no closed month was changed.",
            lambda conn, table_name, now_ms: check_ledger(conn, table_name),
        ),
    }
    return [
        _build_check(name, description, look, table_name)
        for name, (description, look) in looks.items()
        for table_name in TABLE_NAMES
    ]


def _build_check(name: str, description: str, look: Look, table_name: TableName) -> AssetChecksDefinition:
    @asset_check(asset=table_name, name=name, description=description)
    def check(series: SeriesResource) -> AssetCheckResult:
        with series.connect(name.replace("_", " ")) as conn:
            return look(conn, table_name, series.clock.now_ms())

    return check


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
    worst = [
        (
            series_id,
            format_span(behind_ms) if behind_ms else "before its first row",
            "proven" if is_proven else "not proven yet",
        )
        for behind_ms, is_proven, series_id in found[:WORST]
    ]
    return AssetCheckResult(
        passed=not found,
        severity=AssetCheckSeverity.WARN,
        description=f"{len(found)} series have unknown time older than their floor, of {len(known)}",
        metadata={
            "series": MetadataValue.int(len(known)),
            "incomplete": MetadataValue.int(len(found)),
            "worst": _make_table(("series", "unknown", "floor"), worst),
        },
    )


def check_ledger(conn: Connection, table_name: TableName) -> AssetCheckResult:
    """Count the cursors that are not what their events say, name some, and close months that are over."""
    # Months are the whole ledger's: one of the tables' checks looks at them.
    looks_at_months = table_name == TABLE_NAMES[0]
    changes: list[ledger_months.ChangedMonth] = []
    if looks_at_months:
        ledger_months.close_months(conn)
        changes = ledger_months.find_changes(conn, ledger_months.read_digests(conn))
    found = ledger.verify(conn, table_name)
    changed = sorted({change.told.month for change in changes})
    texts = [_describe_ledger(found), *([f"closed months were changed: {', '.join(changed)}"] if changed else [])]
    return AssetCheckResult(
        passed=not found.problems and not changes,
        severity=AssetCheckSeverity.ERROR,
        description="; ".join(texts),
        metadata={
            **({"changed_months": MetadataValue.int(len(changed))} if looks_at_months else {}),
            "namespaces": MetadataValue.int(found.namespaces),
            "events": MetadataValue.int(found.events),
            **{kind: MetadataValue.int(count) for kind, count in found.count().items()},
            "worst": _make_table(
                ("series_id", "operation", "key", "verdict", "events_say", "stands_at"),
                [_list_cells(problem) for problem in found.problems[:WORST]],
            ),
        },
    )


def _describe_ledger(found: ledger.Verification) -> str:
    if not found.problems:
        return f"{found.namespaces} cursors are what their {found.events} events say"
    counts = ", ".join(f"{count} {kind}" for kind, count in found.count().items() if count)
    return f"{len(found.problems)} of {found.namespaces} cursors are not what their events say: {counts}"


def _list_cells(problem: ledger.Finding) -> tuple[str, ...]:
    space = problem.namespace
    verdict = f"{problem.state}, broken" if problem.is_broken else problem.state
    told, held = (format_value(space, value) or "" for value in (problem.told, problem.held))
    return (space.series_id, space.operation, space.key, verdict, told, held)


def _make_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> TableMetadataValue:
    records = [TableRecord(dict(zip(columns, row, strict=True))) for row in rows]
    return MetadataValue.table(records=records, schema=TableSchema([TableColumn(name) for name in columns]))
