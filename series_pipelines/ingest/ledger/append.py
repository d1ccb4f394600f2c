"""The ledger of progress: one event a page in the page's transaction, and current values that only advance."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar, cast

from series_pipelines.core.ranges import Range
from series_pipelines.errors import AlreadyStored, CursorContested, InvalidInput
from series_pipelines.ingest.ledger.cursor import HISTORY, CursorValue, Namespace
from series_pipelines.postgres.connection import Connection, ms_to_time, translated_errors
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("ingest/cursors")
MOST_TRIES: Final = 20
_SEPARATOR: Final = chr(31)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Author:
    """Who moves cursors: a lane of a capability, in a run if Dagster started it, and the plan under which it fetches
    what lies behind."""

    cap_key: str | None = None
    run_id: str | None = None
    lane: str | None = None
    direction: str = ""
    activity: str = HISTORY


class CursorStep(NamedTuple):
    """One page as the ledger sees it. Its key and time are the same however often its commit is tried."""

    namespace: Namespace
    candidate: CursorValue
    recorded_ms: int
    idempotent_key: str
    window: Range | None = None
    request: str | None = None
    row_count: int | None = None
    page_number: int | None = None


def commit_once(attempt: Callable[[bool], Result]) -> Result:
    """Run a transaction that records steps. If an earlier run of it has landed after all, run it again for the rest.

    It is told whether it runs again; looking for what is recorded in every commit would cost a tenth of the ledger.
    """
    with translated_errors():
        try:
            with translated_errors():
                return attempt(False)
        except AlreadyStored:
            return attempt(True)


def record(conn: Connection, author: Author, steps: Sequence[CursorStep], again: bool = False) -> int:
    """Append the steps' events and move their cursors; return how many events were appended.

    A step that was recorded before fails the transaction, or is left out if this runs again. Who loses a cursor to
    another writer reads it again and decides again, a bounded number of times.
    """
    landed = 0
    for round_of in _split_rounds(_drop_known(conn, steps) if again else steps):
        waiting = list(round_of)
        for _ in range(MOST_TRIES):
            count, lost = _record_once(conn, author, waiting)
            landed += count
            waiting = [waiting[ordinal - 1] for ordinal in lost]
            if not waiting:
                break
        else:
            raise CursorContested(
                f"the cursor of {waiting[0].namespace.series_id} was moved by others {MOST_TRIES} times: try again"
            )
    return landed


def _drop_known(conn: Connection, steps: Sequence[CursorStep]) -> list[CursorStep]:
    parameters = {
        "keys": [step.idempotent_key for step in steps],
        "times": [ms_to_time(step.recorded_ms) for step in steps],
    }
    known = {key for (key,) in conn.execute(_SQL["find_known"], parameters)}
    return [step for step in steps if step.idempotent_key not in known]


def _split_rounds(steps: Sequence[CursorStep]) -> Iterator[list[CursorStep]]:
    """Yield steps of one table, at most one a namespace, in their order."""
    one_table = len({step.namespace.table_name for step in steps}) == 1
    if one_table and len({step.namespace.series_id for step in steps}) == len(steps):
        yield list(steps)
        return
    rounds: list[dict[Namespace, CursorStep]] = []
    for step in steps:
        for taken in rounds:
            if step.namespace not in taken and next(iter(taken)).table_name == step.namespace.table_name:
                taken[step.namespace] = step
                break
        else:
            rounds.append({step.namespace: step})
    for taken in rounds:
        yield list(taken.values())


def _record_once(conn: Connection, author: Author, steps: Sequence[CursorStep]) -> tuple[int, list[int]]:
    """Return how many events are new, and which steps lost their cursor, counted from one."""
    spaces = [step.namespace for step in steps]
    values = [step.candidate for step in steps]
    row = conn.execute(
        _SQL["record"],
        {
            "table_name": spaces[0].table_name,
            "cap_key": author.cap_key,
            "run_id": author.run_id,
            "lane": author.lane,
            "series_ids": _join([space.series_id for space in spaces]),
            "operations": _join([space.operation for space in spaces]),
            "scopes": _join([space.scope for space in spaces]),
            "keys": _join([space.key for space in spaces]),
            "directions": _join([space.direction for space in spaces]),
            "types": _join([space.cursor_type for space in spaces]),
            "requests": _join([step.request or "" for step in steps]),
            "idempotent_keys": _join([step.idempotent_key for step in steps]),
            "candidates": _list([value.position for value in values]),
            "starts_ms": _list([step.window and step.window.start_ms for step in steps]),
            "ends_ms": _list([step.window and step.window.end_ms for step in steps]),
            "row_counts": _list([step.row_count for step in steps]),
            "numbers": _list([step.page_number for step in steps]),
            "recorded_ms": _list([step.recorded_ms for step in steps]),
            "tokens": [value.token for value in values] if any(value.token is not None for value in values) else None,
        },
    ).fetchone()
    return cast(tuple[int, list[int]], row)


def _join(texts: Sequence[str]) -> str:
    """Return texts as one, which the database divides faster than the driver would make an array of them."""
    joined = _SEPARATOR.join(texts)
    if joined.count(_SEPARATOR) != len(texts) - 1:
        raise InvalidInput("a name in the ledger must not hold the control character U+001F")
    return joined


def _list(numbers: Sequence[int | None]) -> str:
    """Return numbers as the text of an array."""
    return f"{{{','.join(map(str, numbers))}}}".replace("None", "NULL")


def ensure_months(conn: Connection, now_ms: int) -> None:
    """Make the partitions of this month and the next, so that events never fall into the default one."""
    conn.execute(_SQL["ensure_months"], {"now": ms_to_time(now_ms)})


def read_value(conn: Connection, namespace: Namespace) -> CursorValue | None:
    """Return where a cursor stands; None if it never moved."""
    row = conn.execute(
        _SQL["read_value"],
        {
            "table_name": namespace.table_name,
            "series_id": namespace.series_id,
            "operation": namespace.operation,
            "scope": namespace.scope,
            "key": namespace.key,
        },
    ).fetchone()
    return None if row is None else CursorValue(*cast(Any, row))
