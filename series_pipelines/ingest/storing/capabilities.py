"""The capabilities the vendors offer now, their pauses, and how many heads wait in each."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from series_pipelines.postgres.connection import Connection, ms_to_time
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("ingest/capabilities")


class CapabilityState(NamedTuple):
    cap_key: str
    vendor: str
    method: str
    table_name: str
    product_prefix: str
    direction: str
    durations: list[str]
    grace_ms: int
    page_rows: int | None
    backoff_ms: int
    next_eligible_ms: int | None
    last_error: str | None
    last_error_ms: int | None
    last_success_ms: int | None
    in_flight: bool


class Pause(NamedTuple):
    backoff_ms: int
    next_eligible_ms: int | None


def upsert(
    conn: Connection, vendor: str, capabilities: Sequence[Mapping[str, object]], kept: Sequence[str] = ()
) -> tuple[int, int]:
    """Make a vendor's active capabilities exactly these and those of it that are kept as they are.

    Returns how many were new or changed, and how many retired.
    """
    parameters = {"vendor": vendor, "capabilities": json.dumps(capabilities), "kept": list(kept)}
    row = conn.execute(_SQL["upsert"], parameters).fetchone()
    return cast(tuple[int, int], row)


def read(conn: Connection) -> list[CapabilityState]:
    """Return every active capability."""
    return [CapabilityState._make(cast(Any, row)) for row in conn.execute(_SQL["read"]).fetchall()]


def find_vendors(conn: Connection, cap_keys: Collection[str]) -> dict[str, str]:
    """Return the name of the vendor that serves each of some capabilities; what was never offered is left out."""
    rows = conn.execute(_SQL["find_vendors"], {"cap_keys": list(cap_keys)}).fetchall()
    return dict(cast(list[tuple[str, str]], rows))


def read_pause(conn: Connection, cap_key: str) -> Pause:
    """Return the pause of one capability."""
    row = conn.execute(_SQL["read_pause"], {"cap_key": cap_key}).fetchone()
    return Pause._make(cast(Any, row)) if row else Pause(0, None)


def write_pause(
    conn: Connection, cap_key: str, backoff_ms: int, next_eligible_ms: int, error: str, now_ms: int
) -> None:
    """Pause a capability that said no."""
    conn.execute(
        _SQL["write_pause"],
        {
            "cap_key": cap_key,
            "backoff_ms": backoff_ms,
            "next_eligible_at": ms_to_time(next_eligible_ms),
            "error": error,
            "now": ms_to_time(now_ms),
        },
    )


def clear_pause(conn: Connection, cap_key: str, now_ms: int) -> None:
    """End a capability's pause, because a request succeeded."""
    conn.execute(_SQL["clear_pause"], {"cap_key": cap_key, "now": ms_to_time(now_ms)})


def note_success(conn: Connection, cap_key: str, now_ms: int) -> None:
    """Remember when a request succeeded last."""
    conn.execute(_SQL["note_success"], {"cap_key": cap_key, "now": ms_to_time(now_ms)})


def drop_error(conn: Connection, cap_key: str) -> None:
    """Forget what went wrong, unless there is a pause or a series that it still keeps from its rows."""
    conn.execute(_SQL["drop_error"], {"cap_key": cap_key})


def note_error(conn: Connection, cap_key: str, error: str, now_ms: int) -> None:
    """Remember what went wrong last, without a pause."""
    conn.execute(_SQL["note_error"], {"cap_key": cap_key, "error": error, "now": ms_to_time(now_ms)})


def write_backlogs(conn: Connection, backlogs: Mapping[str, int], now_ms: int) -> None:
    """Publish how many heads wait in some capabilities."""
    parameters = {"cap_keys": list(backlogs), "backlogs": list(backlogs.values()), "now": ms_to_time(now_ms)}
    conn.execute(_SQL["write_backlogs"], parameters)


def sum_backlogs(conn: Connection, cap_key: str, since_ms: int, now_ms: int) -> int:
    """Return how many heads wait in the other capabilities."""
    row = conn.execute(
        _SQL["sum_backlogs"], {"cap_key": cap_key, "since": ms_to_time(since_ms), "now": ms_to_time(now_ms)}
    ).fetchone()
    return cast(tuple[int], row)[0]


def write_pace(conn: Connection, cap_key: str, pages_per_minute: float) -> None:
    """Remember how fast the last lane of a capability was."""
    conn.execute(_SQL["write_pace"], {"cap_key": cap_key, "pages_per_minute": pages_per_minute})


def read_paces(conn: Connection) -> dict[str, float]:
    """Return how many pages a minute each capability's last lane fetched."""
    return dict(cast(list[tuple[str, float]], conn.execute(_SQL["read_paces"]).fetchall()))
