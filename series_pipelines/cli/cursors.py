"""Commands about the cursor ledger: `cursors show`, `replay`, `verify`, `rebuild`, `archive`."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

import click

from series_pipelines.cli.exit_codes import FAILED
from series_pipelines.cli.ledger_months import describe_digest, read_ledger_months
from series_pipelines.cli.options import with_json, with_series, with_table
from series_pipelines.cli.output import print_json, print_table, show_time, to_iso
from series_pipelines.core.cursor import HISTORY, CursorValue, Namespace, Operation, Scope, format_value
from series_pipelines.errors import InvalidInput, UnknownSeries

if TYPE_CHECKING:
    from series_pipelines.store.connection import Connection
    from series_pipelines.store.ledger import Finding
    from series_pipelines.store.ledger_months import ChangedMonth
    from series_pipelines.store.protection import Protection

SHOWN_PROBLEMS: Final = 20
_MONTH: Final = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_NAMES: Final = ("series", "table", "operation", "key")
_FINDINGS: Final = (*_NAMES, ">events", "events say", "stands at", "verdict")
_KEYED: Final[tuple[tuple[Operation, Scope], ...]] = (("HARVEST", "EXPR"), ("BACKFILL", "CUSTOM"), ("UPDATE", "CUSTOM"))


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
    from series_pipelines.cli.session import open_database
    from series_pipelines.store import ledger

    with open_database("cursors") as conn:
        held = ledger.list_cursors(conn, _choose(conn, series) if series else None, operation)
    if as_json:
        described = [
            _describe_names(cursor.namespace)
            | _describe_value(cursor.namespace, cursor.value)
            | {"version": cursor.version, "updated_at": to_iso(cursor.updated_ms)}
            for cursor in held
        ]
        print_json(described)
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
    from series_pipelines.cli.session import open_database
    from series_pipelines.store import ledger

    with open_database("cursors") as conn:
        spaces = _find_namespaces(conn, _choose(conn, series), operation, key)
        replayed = [ledger.replay_namespace(conn, namespace) for namespace in spaces]
    found = [finding for finding in replayed if finding.events or finding.held is not None]
    if not found:
        raise UnknownSeries(f"no page of {', '.join(series)} was recorded as asked")
    if as_json:
        print_json([_describe_finding(finding) for finding in found])
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
    from series_pipelines.cli.session import open_database
    from series_pipelines.store import ledger, ledger_months
    from series_pipelines.store.protection import read_protection

    certified = [digest for path in certificates for digest in read_ledger_months(path.read_bytes(), path.name)]
    with open_database("cursors") as conn:
        ledger_months.close_months(conn)
        told = {*ledger_months.read_digests(conn), *certified}
        changes = ledger_months.find_changes(conn, told)
        found = ledger.verify(conn, table_name)
        protection = read_protection(conn)
    counts = {"namespaces": found.namespaces, "events": found.events, **found.count()}
    if as_json:
        print_json(
            counts
            | {"problems": [_describe_finding(problem) for problem in found.problems]}
            | {"closed_months": len({digest.month for digest in told})}
            | {"changed_months": [describe_digest(change.told) | {"events_now": change.events} for change in changes]}
            | {"protection": _describe_protection(protection)}
        )
    else:
        _print_problems(found.problems)
        click.echo(
            f"{counts['events']} events in {counts['namespaces']} namespaces: {counts['differing']} differ, "
            f"{counts['lost']} lost, {counts['orphan']} without events, {counts['broken']} broken chains"
        )
        _print_months(len({digest.month for digest in told}), changes)
        _print_protection(protection)
    if found.problems or changes or protection.open_tables:
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


def _describe_protection(protection: "Protection") -> dict[str, object]:
    return {
        "tables": protection.tables,
        "open_tables": list(protection.open_tables),
        "owners": list(protection.owners),
        "role": protection.role,
        "can_role_change": protection.can_role_change,
    }


@cursors_command.command("rebuild", short_help="Make lost or wrong cursors again from events.")
@with_table
@with_json
def rebuild_command(table_name: str | None, as_json: bool) -> None:
    """Make lost or wrong cursors again from events alone; those that are right are not touched.

    A broken chain is told but can't be mended: it says that events are missing, which is for a person to judge.

    Example: series cursors rebuild --json
    """
    from series_pipelines.cli.session import open_database
    from series_pipelines.store import ledger

    with open_database("cursors") as conn, conn.transaction():
        found = ledger.rebuild(conn, table_name)
    changed = [problem for problem in found.problems if problem.state != "fine"]
    if as_json:
        print_json([_describe_finding(problem) for problem in changed])
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
    from series_pipelines.cli.session import open_as_owner
    from series_pipelines.store import ledger
    from series_pipelines.system_clock import SystemClock

    if not _MONTH.fullmatch(before_month):
        raise InvalidInput(f"--before {before_month!r} is not a month: expected one like 2026-10")
    with open_as_owner("cursors") as conn, conn.transaction():
        archived = ledger.archive(conn, before_month, SystemClock().now_ms())
    rows = [(each.name, each.events, each.copied + each.carried) for each in archived]
    if as_json:
        print_json([{"archived": name, "events": events, "carried": carried} for name, events, carried in rows])
    elif rows:
        print_table(("archived", ">events", ">carried over"), rows)
    else:
        click.echo(f"no month before {before_month} is left to archive")


def _choose(conn: "Connection", typed: Sequence[str]) -> list[tuple[str, str]]:
    from series_pipelines.cli.session import choose_series

    return [(known.table_name, known.series_id) for known in choose_series(conn, typed, None)]


def _find_namespaces(
    conn: "Connection", chosen: Sequence[tuple[str, str]], operation: Operation | None, key: str | None
) -> list[Namespace]:
    """Return the namespaces that have a value, and those that would have one if it were not lost."""
    from series_pipelines.store import ledger

    spaces = [cursor.namespace for cursor in ledger.list_cursors(conn, chosen)]
    for table_name, series_id in chosen:
        spaces.append(Namespace(table_name, series_id, "HARVEST", "GLOBAL"))
        spaces.append(Namespace(table_name, series_id, "BACKFILL", "CUSTOM", HISTORY))
        if key:
            spaces += [Namespace(table_name, series_id, named, scope, key) for named, scope in _KEYED]
    wanted = {
        (space.table_name, space.series_id, space.operation, space.scope, space.key): space
        for space in reversed(spaces)
        if operation in (None, space.operation) and key in (None, space.key)
    }
    return sorted(wanted.values(), key=lambda space: (space.series_id, space.table_name, space.operation, space.key))


def _show_names(space: Namespace) -> tuple[str, ...]:
    return (space.series_id, space.table_name, space.operation, space.key)


def _show_finding(finding: "Finding") -> tuple[object, ...]:
    verdict: str = finding.state
    if finding.broken_events:
        verdict += f", {len(finding.broken_events)} broken, the first is event {finding.broken_events[0]}"
    elif finding.is_broken:
        verdict += ", broken"
    values = [format_value(finding.namespace, value) for value in (finding.told, finding.held)]
    return (*_show_names(finding.namespace), finding.events, *values, verdict)


def _print_problems(problems: "Sequence[Finding]") -> None:
    if not problems:
        return
    print_table(_FINDINGS, [_show_finding(problem) for problem in problems[:SHOWN_PROBLEMS]], ("table", "events"))
    if len(problems) > SHOWN_PROBLEMS:
        click.echo(f"… and {len(problems) - SHOWN_PROBLEMS} more; --json lists all")
    click.echo()


def _describe_names(space: Namespace) -> dict[str, object]:
    return {
        "series_id": space.series_id,
        "table_name": space.table_name,
        "operation": space.operation,
        "scope": space.scope,
        "key": space.key,
        "direction": space.direction,
        "type": space.cursor_type,
    }


def _describe_value(space: Namespace, value: CursorValue | None) -> dict[str, object]:
    shown = format_value(space, value)
    value = value or CursorValue()
    return {"position": value.position, "token": value.token, "value": shown}


def _describe_finding(finding: "Finding") -> dict[str, object]:
    return _describe_names(finding.namespace) | {
        "state": finding.state,
        "broken": finding.is_broken,
        "broken_events": list(finding.broken_events),
        "events": finding.events,
        "told": _describe_value(finding.namespace, finding.told),
        "held": _describe_value(finding.namespace, finding.held),
    }
