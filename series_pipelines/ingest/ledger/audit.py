"""The ledger's reading side: replays namespaces, compares them with current values, makes lost values again, archives.

Events are the truth here. Nothing changes them, and a current value is only ever repaired from them.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from series_pipelines.core.times import format_iso, parse_time
from series_pipelines.errors import InvalidInput
from series_pipelines.ingest.ledger.append import ensure_months, read_value
from series_pipelines.ingest.ledger.cursor import CursorEvent, CursorValue, Namespace, Operation, replay
from series_pipelines.postgres.connection import Connection, ms_to_time
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("ingest/ledger")

State = Literal["fine", "differs", "lost", "orphan"]
"""What a current value is: what the events say, another one, missing, or one that no event says."""


@dataclass(frozen=True, slots=True)
class Held:
    """A current value as it is stored."""

    namespace: Namespace
    value: CursorValue
    version: int
    updated_ms: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """What events say of a namespace, beside its current value. It is broken if they do not form one whole chain."""

    namespace: Namespace
    state: State
    is_broken: bool
    events: int
    held: CursorValue | None
    told: CursorValue | None
    broken_events: tuple[int, ...] = ()
    """Those that do not follow from the ones before; only a replay knows them."""

    @property
    def is_problem(self) -> bool:
        """Whether something is not as it must be."""
        return self.is_broken or self.state != "fine"


@dataclass(frozen=True, slots=True)
class Verification:
    """What was looked at, and every problem found, the furthest difference first."""

    namespaces: int
    events: int
    problems: list[Comparison]

    def count(self) -> dict[str, int]:
        """Return how many namespaces have each kind of problem."""
        states = [problem.state for problem in self.problems]
        return {
            "differing": states.count("differs"),
            "lost": states.count("lost"),
            "orphan": states.count("orphan"),
            "broken": sum(problem.is_broken for problem in self.problems),
        }


@dataclass(frozen=True, slots=True)
class Archived:
    """A partition that went to the archive, and how many events replays still need of it."""

    name: str
    events: int
    copied: int
    carried: int


def take_time(conn: Connection) -> None:
    """Let this transaction work as long as it must, but wait for locks only so long."""
    conn.execute(_SQL["take_time"])


def verify(conn: Connection, table_name: str | None = None) -> Verification:
    """Compare every current value with its events, in one statement that reads each event once."""
    take_time(conn)
    rows = cast(list[Any], conn.execute(_SQL["verify"], {"table_name": table_name}).fetchall())
    namespaces, events = rows[0][:2]
    return Verification(namespaces, events, [_make_finding(row[2:]) for row in rows if row[2] is not None])


def _make_finding(row: Sequence[Any]) -> Comparison:
    *names, state, is_broken, events, position, token, told_position, told_token = row
    held, told = _make_value(position, token), _make_value(told_position, told_token)
    return Comparison(Namespace(*names), state, is_broken, events, held, told)


def _make_value(position: int | None, token: str | None) -> CursorValue | None:
    return None if position is None and token is None else CursorValue(position, token)


def rebuild(conn: Connection, table_name: str | None = None) -> Verification:
    """Make lost and wrong current values again from events alone; return what was wrong before.

    Writers wait until the transaction ends, and then decide again on what they find.
    """
    take_time(conn)
    conn.execute(_SQL["lock_cursors"])
    found = verify(conn, table_name)
    wrong = [_describe_problem(problem) for problem in found.problems if problem.state != "fine"]
    conn.execute(_SQL["repair"], {"problems": json.dumps(wrong)})
    return found


def _describe_problem(problem: Comparison) -> dict[str, object]:
    space, told = problem.namespace, problem.told or CursorValue()
    return {
        "table_name": space.table_name,
        "series_id": space.series_id,
        "operation": space.operation,
        "namespace_scope": space.scope,
        "namespace_key": space.key,
        "direction": space.direction,
        "cursor_type": space.cursor_type,
        "position": told.position,
        "token": told.token,
        "state": problem.state,
    }


def list_cursors(
    conn: Connection, series: Sequence[tuple[str, str]] | None = None, operation: Operation | None = None
) -> list[Held]:
    """Return current values, of some (table_name, series_id) or of all."""
    rows = conn.execute(
        _SQL["list_cursors"],
        {
            "operation": operation,
            "table_names": None if series is None else [table_name for table_name, _ in series],
            "series_ids": None if series is None else [series_id for _, series_id in series],
        },
    )
    return [Held(Namespace(*row[:6]), CursorValue(*row[6:8]), *row[8:]) for row in cast(list[Any], rows.fetchall())]


def read_events(conn: Connection, namespace: Namespace) -> tuple[Namespace, Iterator[CursorEvent]]:
    """Return a namespace's events in their order, and the namespace with the type of cursor they speak of."""
    rows = cast(
        list[Any],
        conn.execute(
            _SQL["read_events"],
            {
                "table_name": namespace.table_name,
                "series_id": namespace.series_id,
                "operation": namespace.operation,
                "scope": namespace.scope,
                "key": namespace.key,
            },
        ).fetchall(),
    )
    names = (namespace.table_name, namespace.series_id, namespace.operation, namespace.scope, namespace.key)
    typed = Namespace(*names, rows[0][6] if rows else namespace.cursor_type)
    return typed, (CursorEvent(row[0], row[1], CursorValue(*row[2:4]), CursorValue(*row[4:6])) for row in rows)


def replay_namespace(conn: Connection, namespace: Namespace) -> Comparison:
    """Replay a namespace's events one after the other; the cost is that of these events."""
    typed, events = read_events(conn, namespace)
    replayed = replay(typed, events)
    told, held = replayed.value, read_value(conn, namespace)
    state: State = "fine"
    if told != held:
        state = "lost" if held is None else "differs" if told else "orphan"
    is_headless = replayed.start is not None and not _has_archive(conn)
    is_broken = bool(replayed.broken) or is_headless
    return Comparison(typed, state, is_broken, replayed.events, held, told, replayed.broken)


def _has_archive(conn: Connection) -> bool:
    row = conn.execute(_SQL["has_archive"]).fetchone()
    return bool(row and row[0])


def archive(conn: Connection, before_month: str, now_ms: int) -> list[Archived]:
    """Move whole months before one, like 2026-10, to the archive. Replaying what stays says the same as before.

    The connection is the owner's.
    """
    before_ms, this_month = parse_time(f"{before_month}-01"), format_iso(now_ms)[:7]
    if before_month > this_month:
        raise InvalidInput(f"the current month can't be archived: --before may be {this_month} at most")
    take_time(conn)
    ensure_months(conn, now_ms)
    conn.execute(_SQL["lock_events"])
    partitions = conn.execute(_SQL["list_old_partitions"], {"before": ms_to_time(before_ms)}).fetchall()
    moment = ms_to_time(now_ms)
    done = [
        conn.execute(_SQL["archive_partition"], {"partition": name, "now": moment}).fetchone() for (name,) in partitions
    ]
    return [Archived(*cast(Any, row)) for row in done]
