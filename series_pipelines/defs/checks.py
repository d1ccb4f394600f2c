"""What the checks of a table say: is all its time accounted for, and does the ledger say what the cursors say?"""

from collections.abc import Sequence
from typing import Final

from dagster import AssetCheckResult, AssetCheckSeverity, AssetCheckSpec, MetadataValue

from series_pipelines.core.tables import TABLES
from series_pipelines.core.times import format_span
from series_pipelines.defs.tables import make_table
from series_pipelines.ingest.ledger import audit as ledger
from series_pipelines.ingest.ledger import months as ledger_months
from series_pipelines.ingest.ledger.cursor import format_value
from series_pipelines.ingest.standing.series import Standing
from series_pipelines.postgres.connection import Connection

WORST: Final = 10
COVERAGE_IS_KNOWN: Final = "coverage_is_known"
LEDGER_REPLAYS: Final = "ledger_replays"


def specify_coverage(asset_name: str) -> AssetCheckSpec:
    """Name the check of a table's coverage."""
    return AssetCheckSpec(
        COVERAGE_IS_KNOWN,
        asset=asset_name,
        description=(
            "Every stretch of a series' life behind its newest row is data, or proven to have none. It warns while "
            "history is being filled; it fails when answers are refused, or a day of asking has brought nothing."
        ),
    )


def specify_ledger(asset_name: str) -> AssetCheckSpec:
    """Name the check of a table's ledger."""
    return AssetCheckSpec(
        LEDGER_REPLAYS,
        asset=asset_name,
        description=(
            "Every cursor is what its events say, every chain of events is whole, and no closed month was changed."
        ),
    )


def check_coverage(standings: Sequence[Standing]) -> AssetCheckResult:
    """Count the series that have unknown time older than their floor allows, and name the worst.

    It is a warning while history is still being filled, and an error once somebody has to look.
    """
    found = [standing for standing in standings if not standing.is_known]
    found.sort(
        key=lambda known: (
            not known.is_ill,
            -known.coverage.behind_ms,
            known.coverage.is_start_proven,
            known.facts.series_id,
        ),
    )
    ill = sum(standing.is_ill for standing in found)
    columns = ("series", "unknown", "floor", "why")
    told = f"; {ill} of them stand still: refused answers, or a day without progress" if ill else ""
    return AssetCheckResult(
        check_name=COVERAGE_IS_KNOWN,
        passed=not found,
        severity=AssetCheckSeverity.ERROR if ill else AssetCheckSeverity.WARN,
        description=f"{len(found)} series have unknown time older than their floor, of {len(standings)}{told}",
        metadata={
            "series": MetadataValue.int(len(standings)),
            "incomplete": MetadataValue.int(len(found)),
            "ill": MetadataValue.int(ill),
            "worst": make_table(dict.fromkeys(columns, "string"), [_list_unknown(known) for known in found[:WORST]]),
        },
    )


def _list_unknown(known: Standing) -> tuple[str, ...]:
    coverage = known.coverage
    why = "being filled"
    if known.is_ill:
        why = f"refused {format_span(known.refused_ms)}" if known.refused_ms else "no progress for a day"
    return (
        known.facts.series_id,
        format_span(coverage.behind_ms) if coverage.behind_ms or coverage.is_start_proven else "before its first row",
        "proven" if coverage.is_start_proven else "not proven yet",
        why,
    )


def look_at_ledger(
    conn: Connection, table_name: str
) -> tuple[ledger.Verification, list[ledger_months.ChangedMonth] | None]:
    """Verify a table's ledger, close the months that are over, and find closed ones that were changed since.

    Months are the whole ledger's: one of the tables looks at them.
    """
    changes = None
    if table_name == next(iter(TABLES)):
        ledger_months.close_months(conn)
        changes = ledger_months.find_changes(conn, ledger_months.read_digests(conn))
    return ledger.verify(conn, table_name), changes


def check_ledger(
    found: ledger.Verification, changes: Sequence[ledger_months.ChangedMonth] | None = None
) -> AssetCheckResult:
    """Count the cursors that are not what their events say, name some, and the closed months that were changed."""
    columns = ("series_id", "operation", "key", "verdict", "events_say", "stands_at")
    changed = sorted({change.told.month for change in changes or ()})
    texts = [_describe_ledger(found), *([f"closed months were changed: {', '.join(changed)}"] if changed else [])]
    return AssetCheckResult(
        check_name=LEDGER_REPLAYS,
        passed=not found.problems and not changed,
        severity=AssetCheckSeverity.ERROR,
        description="; ".join(texts),
        metadata={
            **({"changed_months": MetadataValue.int(len(changed))} if changes is not None else {}),
            "namespaces": MetadataValue.int(found.namespaces),
            "events": MetadataValue.int(found.events),
            **{kind: MetadataValue.int(count) for kind, count in found.count().items()},
            "worst": make_table(
                dict.fromkeys(columns, "string"), [_list_cells(problem) for problem in found.problems[:WORST]]
            ),
        },
    )


def _describe_ledger(found: ledger.Verification) -> str:
    if not found.problems:
        return f"{found.namespaces} cursors are what their {found.events} events say"
    counts = ", ".join(f"{count} {kind}" for kind, count in found.count().items() if count)
    return f"{len(found.problems)} of {found.namespaces} cursors are not what their events say: {counts}"


def _list_cells(problem: ledger.Comparison) -> tuple[str, ...]:
    space = problem.namespace
    verdict = f"{problem.state}, broken" if problem.is_broken else problem.state
    told, held = (format_value(space, value) or "" for value in (problem.told, problem.held))
    return (space.series_id, space.operation, space.key, verdict, told, held)
