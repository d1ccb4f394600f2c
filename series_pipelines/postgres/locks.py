"""Advisory locks: one a capability, held by a session of its own; one a series, held by a transaction.

The first statement of any transaction that touches ranges takes the locks of its series, in a statement of its own:
only then does the next statement see what the previous holder committed.
"""

import zlib
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from series_pipelines.errors import CapabilityBusy, DatabaseContended, StoreError
from series_pipelines.postgres.connection import Connection, translated_errors
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("postgres/locks")
_TABLE_SPACE: Final = 0x5E21
_SERIES_SPACE: Final = 0x5E22


def try_capability(conn: Connection, cap_key: str) -> bool:
    """Take a capability for this session; False when another session has it."""
    row = conn.execute(_SQL["try_capability"], {"cap_key": cap_key}).fetchone()
    return bool(row and row[0])


def wait_capability(conn: Connection, cap_key: str, patience_ms: int) -> None:
    """Take a capability as soon as its lane lets go; the lane sees that someone waits."""
    try:
        with translated_errors():
            conn.execute("select set_config('lock_timeout', %s, false)", [str(max(1, patience_ms))])
            conn.execute("select set_config('statement_timeout', '0', false)")
            conn.execute(_SQL["wait_capability"], {"cap_key": cap_key})
            conn.execute("reset statement_timeout")
    except DatabaseContended as error:
        seconds = patience_ms / 1000
        raise CapabilityBusy(f"{cap_key} was not let go within {seconds:.0f} s: another backfill has it") from error


def release_capability(conn: Connection, cap_key: str) -> None:
    """Let a capability go at once; closing the connection would do it a moment later, and does if this can't."""
    with suppress(StoreError), translated_errors():
        conn.execute(_SQL["release_capability"], {"cap_key": cap_key})


def is_awaited(conn: Connection, cap_key: str) -> bool:
    """Whether another session waits for the capability this session holds."""
    row = conn.execute(_SQL["is_awaited"], {"cap_key": cap_key}).fetchone()
    return bool(row and row[0])


def own_series(conn: Connection, table_name: str, series_ids: Iterable[str]) -> None:
    """Exclude other writers of these series' ranges until the transaction ends."""
    keys = sorted({_to_key(f"{table_name}/{series_id}") for series_id in series_ids})
    conn.execute(_SQL["share_table"], {"table_space": _TABLE_SPACE, "table_key": _to_key(table_name)})
    conn.execute(_SQL["own_series"], {"series_space": _SERIES_SPACE, "keys": keys})


def own_table(conn: Connection, table_name: str) -> None:
    """Exclude all other writers of a table's ranges until the transaction ends."""
    conn.execute(_SQL["own_table"], {"table_space": _TABLE_SPACE, "table_key": _to_key(table_name)})


def _to_key(text: str) -> int:
    return zlib.crc32(text.encode()) - (1 << 31)
