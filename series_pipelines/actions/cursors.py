"""The cursor ledger: how far each operation has come, proven from its events."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from series_pipelines.actions.answers import Json, to_iso
from series_pipelines.actions.certify import describe_digest
from series_pipelines.errors import InvalidInput, UnknownSeries
from series_pipelines.ingest.ledger import audit as ledger
from series_pipelines.ingest.ledger import months as ledger_months
from series_pipelines.ingest.ledger.audit import Archived, Comparison, Held
from series_pipelines.ingest.ledger.cursor import HISTORY, CursorValue, Namespace, Operation, Scope, format_value
from series_pipelines.ingest.ledger.months import ChangedMonth, MonthDigest
from series_pipelines.ingest.storing.states import KnownSeries
from series_pipelines.postgres.connection import Connection
from series_pipelines.postgres.protection import Protection, read_protection

_MONTH: Final = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_KEYED: Final[tuple[tuple[Operation, Scope], ...]] = (("HARVEST", "EXPR"), ("BACKFILL", "CUSTOM"), ("UPDATE", "CUSTOM"))


@dataclass(frozen=True, slots=True)
class LedgerVerification:
    """What cursors and events say of each other, what closed months hold, and how well the ledger is protected."""

    found: ledger.Verification
    closed_months: int
    changes: tuple[ChangedMonth, ...]
    protection: Protection

    @property
    def is_sound(self) -> bool:
        """Whether all is as it must be, and stays so."""
        return not (self.found.problems or self.changes or self.protection.open_tables)

    def as_json(self) -> Json:
        """Return counts, problems, changed months and the protection."""
        return {
            "namespaces": self.found.namespaces,
            "events": self.found.events,
            **self.found.count(),
            "problems": [describe_comparison(problem) for problem in self.found.problems],
            "closed_months": self.closed_months,
            "changed_months": [describe_digest(change.told) | {"events_now": change.events} for change in self.changes],
            "protection": {
                "tables": self.protection.tables,
                "open_tables": list(self.protection.open_tables),
                "owners": list(self.protection.owners),
                "role": self.protection.role,
                "can_role_change": self.protection.can_role_change,
            },
        }


def list_cursors(conn: Connection, chosen: Sequence[KnownSeries] | None, operation: Operation | None) -> list[Held]:
    """Return the current values of some series' cursors, or of all."""
    return ledger.list_cursors(conn, None if chosen is None else _list_names(chosen), operation)


def replay_cursors(
    conn: Connection, chosen: Sequence[KnownSeries], operation: Operation | None, key: str | None
) -> list[Comparison]:
    """Replay the cursors of some series event by event, and compare with where they stand."""
    spaces = _find_namespaces(conn, _list_names(chosen), operation, key)
    replayed = [ledger.replay_namespace(conn, namespace) for namespace in spaces]
    found = [finding for finding in replayed if finding.events or finding.held is not None]
    if not found:
        raise UnknownSeries(f"no page of {', '.join(known.series_id for known in chosen)} was recorded as asked")
    return found


def verify_ledger(
    conn: Connection, table_name: str | None, certified: Iterable[MonthDigest] = ()
) -> LedgerVerification:
    """Check every cursor against its events, and closed months against their digests and those of certificates."""
    ledger_months.close_months(conn)
    told = {*ledger_months.read_digests(conn), *certified}
    changes = tuple(ledger_months.find_changes(conn, told))
    found = ledger.verify(conn, table_name)
    return LedgerVerification(found, len({digest.month for digest in told}), changes, read_protection(conn))


def rebuild_cursors(conn: Connection, table_name: str | None) -> ledger.Verification:
    """Make lost or wrong cursors again from events alone; return what was wrong before."""
    with conn.transaction():
        return ledger.rebuild(conn, table_name)


def archive_months(owner: Connection, before_month: str, now_ms: int) -> list[Archived]:
    """Move whole months of events out of the way, as the role that owns the tables."""
    check_month(before_month)
    with owner.transaction():
        return ledger.archive(owner, before_month, now_ms)


def check_month(text: str) -> None:
    """Refuse what is not a month."""
    if not _MONTH.fullmatch(text):
        raise InvalidInput(f"--before {text!r} is not a month: expected one like 2026-10")


def list_repaired(found: ledger.Verification) -> list[Comparison]:
    """Return what a rebuild made again; a broken chain can't be."""
    return [problem for problem in found.problems if problem.state != "fine"]


def describe_held(cursor: Held) -> Json:
    """Return a cursor as JSON."""
    return (
        _describe_names(cursor.namespace)
        | _describe_value(cursor.namespace, cursor.value)
        | {"version": cursor.version, "updated_at": to_iso(cursor.updated_ms)}
    )


def describe_comparison(finding: Comparison) -> Json:
    """Return what events say of a cursor as JSON."""
    return _describe_names(finding.namespace) | {
        "state": finding.state,
        "broken": finding.is_broken,
        "broken_events": list(finding.broken_events),
        "events": finding.events,
        "told": _describe_value(finding.namespace, finding.told),
        "held": _describe_value(finding.namespace, finding.held),
    }


def describe_archived(archived: Archived) -> Json:
    """Return an archived month as JSON."""
    return {"archived": archived.name, "events": archived.events, "carried": archived.copied + archived.carried}


def _list_names(chosen: Collection[KnownSeries]) -> list[tuple[str, str]]:
    return [(known.table_name, known.series_id) for known in chosen]


def _find_namespaces(
    conn: Connection, chosen: Sequence[tuple[str, str]], operation: Operation | None, key: str | None
) -> list[Namespace]:
    """Return the namespaces that have a value, and those that would have one if it were not lost."""
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


def _describe_names(space: Namespace) -> Json:
    return {
        "series_id": space.series_id,
        "table_name": space.table_name,
        "operation": space.operation,
        "scope": space.scope,
        "key": space.key,
        "direction": space.direction,
        "type": space.cursor_type,
    }


def _describe_value(space: Namespace, value: CursorValue | None) -> Json:
    shown = format_value(space, value)
    value = value or CursorValue()
    return {"position": value.position, "token": value.token, "value": shown}
