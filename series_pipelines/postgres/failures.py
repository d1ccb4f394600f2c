"""What an error of the driver means for whoever asked, told by its SQLSTATE and by nothing else.

Most of what matters is one class to the driver: a deadlock, a full disk and a dead server are all operational errors.
"""

from typing import Final

import psycopg

from series_pipelines.core.text import clean_text, name_type
from series_pipelines.errors import (
    AlreadyStored,
    DatabaseContended,
    DatabaseExhausted,
    DatabaseUnavailable,
    DataRefused,
    NotMigrated,
    NotPermitted,
    StatementCancelled,
    StoreError,
)

# By state, or by class of states; the longer one counts. What is in none is the server's own trouble, or our fault.
_KINDS: Final[dict[str, tuple[type[StoreError], str]]] = {
    "08": (DatabaseUnavailable, "the database stopped answering"),
    "28": (DatabaseUnavailable, "the database can't be entered"),
    "57P": (DatabaseUnavailable, "the database stopped answering"),
    "25006": (DatabaseUnavailable, "the database only reads now"),
    # Sessions that idled inside a transaction, or whose transaction took too long, have been ended.
    "25P03": (DatabaseUnavailable, "the database stopped answering"),
    "25P04": (DatabaseUnavailable, "the database stopped answering"),
    "40": (DatabaseContended, "other work in the database was in the way"),
    "55P03": (DatabaseContended, "other work in the database was in the way"),
    "53": (DatabaseExhausted, "the database has no room"),
    "57014": (StatementCancelled, "the database gave up on a statement"),
    "22": (DataRefused, "the database refused"),
    "23": (DataRefused, "the database refused"),
    "23505": (AlreadyStored, "the database refused"),
    "54": (DataRefused, "the database refused"),
    "42501": (NotPermitted, "the database does not permit it"),
    **dict.fromkeys(
        ("3F000", "42P01", "42703", "42704", "42883"),
        (NotMigrated, "the database is not migrated, run `series migrate`"),
    ),
}


def explain_error(error: psycopg.Error | UnicodeEncodeError) -> StoreError:
    """Return an error of the driver as one of ours, in one line."""
    kind, what = _find_kind(error)
    return kind(f"{what}: {read_first_line(error)}")


def read_first_line(error: BaseException) -> str:
    """Return what an error says, without the statement and the hints that may follow."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return clean_text(lines[0]) if lines else name_type(error)


def _find_kind(error: psycopg.Error | UnicodeEncodeError) -> tuple[type[StoreError], str]:
    state = None if isinstance(error, UnicodeEncodeError) else error.sqlstate
    if state is None:
        # Nothing came from the server: its connection is gone, or the driver could not put a value into words.
        is_connection = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        return _KINDS["08"] if is_connection else _KINDS["22"]
    for length in (5, 3, 2):
        if state[:length] in _KINDS:
            return _KINDS[state[:length]]
    return StoreError, "the database refused"
