"""Who may do what in the database: lets the writer in, and says how well the ledger is protected from a role."""

from dataclasses import dataclass
from typing import Any, Final, cast

from series_pipelines.postgres.connection import Connection
from series_pipelines.postgres.queries import load_queries

_SQL: Final = load_queries("ingest/protection")


@dataclass(frozen=True, slots=True)
class Protection:
    """How the tables of events are protected now. It says nothing of what was done before: digests do."""

    tables: int
    open_tables: tuple[str, ...]
    """Those where something that refuses changes is missing, off, or not what it was."""

    owners: tuple[str, ...]
    role: str
    can_role_change: bool
    """Whether the connected role could take the protection away."""


def find_role(conn: Connection) -> str:
    """Return who this connection works as."""
    row = conn.execute(_SQL["find_role"]).fetchone()
    return str(cast(Any, row)[0])


def admit_writer(conn: Connection, writer: str) -> None:
    """Give a role what a writer needs and nothing more; the connection is the owner's."""
    with conn.transaction():
        # Of several that start together, one does it, and the others find it done.
        conn.execute(_SQL["lock_admission"])
        conn.execute(_SQL["admit_writer"], {"writer": writer})


def read_protection(conn: Connection) -> Protection:
    """Look at every table of events, those of the archive too."""
    rows = cast(list[Any], conn.execute(_SQL["read_protection"]).fetchall())
    return Protection(
        len(rows),
        tuple(name for name, _, refuses, _ in rows if not refuses),
        tuple(sorted({owner for _, owner, _, _ in rows})),
        find_role(conn),
        any(can_change for *_, can_change in rows),
    )
