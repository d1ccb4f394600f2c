"""Commands about the cursor ledger: `cursors show`, `replay`, `verify`, `rebuild`, `archive`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

import click

from series_pipelines.cli.exit_codes import FAILED
from series_pipelines.cli.options import with_json, with_series, with_table
from series_pipelines.cli.output import print_json, print_table, show_time
from series_pipelines.ingest.ledger.cursor import Namespace, Operation, format_value

if TYPE_CHECKING:
    from series_pipelines.ingest.ledger.audit import Comparison
    from series_pipelines.ingest.ledger.months import ChangedMonth
    from series_pipelines.postgres.protection import Protection

SHOWN_PROBLEMS: Final = 20
_NAMES: Final = ("series", "table", "operation", "key")
_FINDINGS: Final = (*_NAMES, ">events", "events say", "stands at", "verdict")


def _with_operation(command: Any) -> Any:
    text = "HARVEST: towards now; BACKFILL: what lies behind; UPDATE: campaigns that fetch again."
    return click.option("--operation", type=click.Choice(get_args(Operation)), help=text)(command)


@click.group("cursors", short_help="See how far series have come, and prove it from the ledger.")
def cursors_command() -> None:
    """See how far each operation has come, and check it against the ledger of events.

    Every page leaves an event that its writer can't change; current values can be made again from events alone.

    Example: series cursors verify && series cursors show 'DEMO/SWAP/*/1h'
    """


@cursors_command.command("show", short_help="Show where cursors stand.")
@with_series(required=False)
@_with_operation
@with_json
def show_command(series: tuple[str, ...], operation: Operation | None, as_json: bool) -> None:
    """Show the current values of some series' cursors, or of all.

    Example: series cursors show DEMO/SWAP/BTC-USDT/1m --operation HARVEST
    """
    from series_pipelines.actions.choosing import choose_series
    from series_pipelines.actions.cursors import describe_held, list_cursors
    from series_pipelines.cli.session import open_database

    with open_database("cursors") as conn:
        held = list_cursors(conn, choose_series(conn, series, None) if series else None, operation)
    if as_json:
        print_json([describe_held(cursor) for cursor in held])
        return
    rows = [
        (
            *_show_names(cursor.namespace),
            format_value(cursor.namespace, cursor.value),
            cursor.namespace.cursor_type,
            cursor.version,
            show_time(cursor.updated_ms),
        )
        for cursor in held
    ]
    print_table((*_NAMES, "stands at", "type", ">version", "moved"), rows, droppable=("table", "version", "type"))


@cursors_command.command("replay", short_help="Replay cursors from their events and compare.")
@with_series(required=True)
@_with_operation
@click.option("--key", help="Only namespaces of this key: an activity, a campaign, an expression.")
@with_json
def replay_command(series: tuple[str, ...], operation: Operation | None, key: str | None, as_json: bool) -> None:
    """Replay the cursors of some series event by event, and compare with where they stand.

    It reads the events of these namespaces and no others. The exit code is 1 when a value differs or an event does not
    follow from those before it.

    Example: series cursors replay DEMO/SWAP/BTC-USDT/1m --operation BACKFILL --key history
    """
    from series_pipelines.actions.choosing import choose_series
    from series_pipelines.actions.cursors import describe_comparison, replay_cursors
    from series_pipelines.cli.session import open_database

    with open_database("cursors") as conn:
        found = replay_cursors(conn, choose_series(conn, series, None), operation, key)
    if as_json:
        print_json([describe_comparison(finding) for finding in found])
    else:
        print_table(_FINDINGS, [_show_finding(finding) for finding in found], droppable=("table", "events"))
    if any(finding.is_problem for finding in found):
        click.get_current_context().exit(FAILED)


@cursors_command.command("verify", short_help="Check every cursor against its events, and the events themselves.")
@with_table
@click.option(
    "--certificate",
    "certificates",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="What `series certify --json` once printed: its months are compared too.",
)
@with_json
def verify_command(table_name: str | None, certificates: tuple[Path, ...], as_json: bool) -> None:
    """Check every cursor against its events, all at once, and closed months against their digests.

    It also says how the ledger is protected from the role it works as. The exit code is 1 when a value differs, is
    lost, has no events, a chain of events is broken, a closed month was changed, or a table of events can be changed.

    Example: series cursors verify --certificate certificate-of-2026-10.json
    """
    from series_pipelines.actions.certify import read_ledger_months
    from series_pipelines.actions.cursors import verify_ledger
    from series_pipelines.cli.session import open_database

    certified = [digest for path in certificates for digest in read_ledger_months(path.read_bytes(), path.name)]
    with open_database("cursors") as conn:
        done = verify_ledger(conn, table_name, certified)
    if as_json:
        print_json(done.as_json())
    else:
        counts = done.found.count()
        _print_problems(done.found.problems)
        click.echo(
            f"{done.found.events} events in {done.found.namespaces} namespaces: {counts['differing']} differ, "
            f"{counts['lost']} lost, {counts['orphan']} without events, {counts['broken']} broken chains"
        )
        _print_months(done.closed_months, done.changes)
        _print_protection(done.protection)
    if not done.is_sound:
        click.get_current_context().exit(FAILED)


def _print_months(months: int, changes: "Sequence[ChangedMonth]") -> None:
    changed = len({change.told.month for change in changes})
    click.echo(f"{months} closed months: {changed} do not hold what they held" if months else "no month is closed yet")
    for told, events in changes:
        now = "are gone" if events is None else f"are {events} now, with another digest"
        click.echo(f"  {told.month}: {told.events} events up to number {told.until_id} {now}")


def _print_protection(protection: "Protection") -> None:
    open_tables = protection.open_tables
    click.echo(
        f"{protection.tables} tables of events: "
        + (
            f"{len(open_tables)} do not refuse changes: {', '.join(open_tables)}"
            if open_tables
            else "all refuse changes"
        )
    )
    owners = " and ".join(protection.owners)
    if protection.can_role_change:
        power = "could switch that off: this protects against accidents only (see SERIES_OWNER_URL)"
    else:
        power = "can't switch that off"
    click.echo(f"they belong to {owners}; {protection.role}, the role of this command, {power}")


@cursors_command.command("rebuild", short_help="Make lost or wrong cursors again from events.")
@with_table
@with_json
def rebuild_command(table_name: str | None, as_json: bool) -> None:
    """Make lost or wrong cursors again from events alone; those that are right are not touched.

    A broken chain is told but can't be mended: it says that events are missing, which is for a person to judge.

    Example: series cursors rebuild --json
    """
    from series_pipelines.actions.cursors import describe_comparison, list_repaired, rebuild_cursors
    from series_pipelines.cli.session import open_database

    with open_database("cursors") as conn:
        found = rebuild_cursors(conn, table_name)
    changed = list_repaired(found)
    if as_json:
        print_json([describe_comparison(problem) for problem in changed])
        return
    _print_problems(changed)
    counts = found.count()
    click.echo(
        f"{len(changed)} of {found.namespaces} cursors were made again: {counts['lost']} were lost, "
        f"{counts['differing']} differed, {counts['orphan']} had no events and are gone"
    )
    if counts["broken"]:
        click.echo(f"series: {counts['broken']} chains are broken, see `series cursors verify`", err=True)


@cursors_command.command("archive", short_help="Move old months of events out of the way.")
@click.option("--before", "before_month", required=True, metavar="MONTH", help="Months before this one, like 2026-10.")
@with_json
def archive_command(before_month: str, as_json: bool) -> None:
    """Move whole months of events to the schema ledger_archive, protected as before. Nothing is deleted.

    What replays still need of them is written down again first, so `verify` and `rebuild` say the same afterwards. It
    works as the role that owns the tables (SERIES_OWNER_URL).

    Example: series cursors archive --before 2026-10
    """
    from series_pipelines.actions.cursors import archive_months, check_month, describe_archived
    from series_pipelines.app.clock import SystemClock
    from series_pipelines.cli.session import open_as_owner

    check_month(before_month)
    with open_as_owner("cursors") as conn:
        archived = archive_months(conn, before_month, SystemClock().now_ms())
    if as_json:
        print_json([describe_archived(each) for each in archived])
    elif archived:
        rows = [(each.name, each.events, each.copied + each.carried) for each in archived]
        print_table(("archived", ">events", ">carried over"), rows)
    else:
        click.echo(f"no month before {before_month} is left to archive")


def _show_names(space: Namespace) -> tuple[str, ...]:
    return (space.series_id, space.table_name, space.operation, space.key)


def _show_finding(finding: "Comparison") -> tuple[object, ...]:
    verdict: str = finding.state
    if finding.broken_events:
        verdict += f", {len(finding.broken_events)} broken, the first is event {finding.broken_events[0]}"
    elif finding.is_broken:
        verdict += ", broken"
    values = [format_value(finding.namespace, value) for value in (finding.told, finding.held)]
    return (*_show_names(finding.namespace), finding.events, *values, verdict)


def _print_problems(problems: "Sequence[Comparison]") -> None:
    if not problems:
        return
    print_table(_FINDINGS, [_show_finding(problem) for problem in problems[:SHOWN_PROBLEMS]], ("table", "events"))
    if len(problems) > SHOWN_PROBLEMS:
        click.echo(f"… and {len(problems) - SHOWN_PROBLEMS} more; --json lists all")
    click.echo()
