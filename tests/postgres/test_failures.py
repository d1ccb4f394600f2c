"""What each error of the driver is taken for, and what is done about it."""

import psycopg
import pytest

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
from series_pipelines.postgres.connection import ms_to_time, translated_errors
from series_pipelines.postgres.failures import explain_error
from series_pipelines.postgres.reopening import LONGEST_PAUSE_MS, find_pause


def fail_with(state: str) -> psycopg.Error:
    return psycopg.errors.lookup(state)("what the server said\nLINE 1: select secret\nHINT: none")


@pytest.mark.parametrize(
    ("states", "kind"),
    [
        (("40001", "40P01", "55P03"), DatabaseContended),
        (("53000", "53100", "53200", "53300", "53400"), DatabaseExhausted),
        (("08000", "08003", "08006", "08P01", "57P01", "57P02", "57P03", "57P05"), DatabaseUnavailable),
        (("25006", "25P03", "28P01"), DatabaseUnavailable),
        (("57014",), StatementCancelled),
        (("22P02", "22003", "22008", "22021", "23502", "23514", "54000"), DataRefused),
        (("23505",), AlreadyStored),
        (("42P01", "42883", "42703", "3F000"), NotMigrated),
        (("42501",), NotPermitted),
        (("42601", "XX000", "58030", "P0001", "25001"), StoreError),
    ],
)
def test_an_error_is_told_by_its_state_in_one_line(states: tuple[str, ...], kind: type[StoreError]) -> None:
    for state in states:
        explained = explain_error(fail_with(state))
        assert type(explained) is kind, state
        assert str(explained).endswith(": what the server said")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (psycopg.OperationalError("server closed the connection unexpectedly\n\tThis probably means"), "stopped"),
        (psycopg.InterfaceError("the connection is closed"), "stopped"),
        (psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes"), "refused"),
        (psycopg.ProgrammingError("cannot adapt type 'dict'"), "refused"),
    ],
)
def test_an_error_without_a_state_is_the_connections_or_the_datas(error: psycopg.Error, kind: str) -> None:
    expected = DatabaseUnavailable if kind == "stopped" else DataRefused
    assert type(explain_error(error)) is expected


def test_translations_may_be_nested_and_leave_other_errors_alone() -> None:
    with pytest.raises(DatabaseContended) as raised, translated_errors(), translated_errors():
        raise fail_with("40P01")
    assert isinstance(raised.value.__cause__, psycopg.errors.DeadlockDetected)
    with pytest.raises(KeyError), translated_errors():
        raise KeyError("ours")


def test_half_a_surrogate_is_refused_in_words_that_can_be_stored() -> None:
    with pytest.raises(DataRefused) as raised, translated_errors():
        "\ud83d".encode()
    str(raised.value).encode()


@pytest.mark.parametrize("time_ms", [10**18, -(10**18), 10**400, 253_402_300_800_000])
def test_a_time_that_can_not_be_stored_is_refused(time_ms: int) -> None:
    with pytest.raises(DataRefused, match="is no time in milliseconds that can be stored"):
        ms_to_time(time_ms)


def test_only_what_may_end_otherwise_is_done_again() -> None:
    again = (DatabaseContended("x"), DatabaseUnavailable("x"), DatabaseExhausted("x"))
    never = (DataRefused("x"), StatementCancelled("x"), NotMigrated("x"), NotPermitted("x"), StoreError("x"))
    assert all(find_pause(error, 1) is not None for error in again)
    assert all(find_pause(error, 1) is None for error in never)


def test_pauses_grow_and_only_for_room_it_waits_as_long_as_there_is_time() -> None:
    for error in (DatabaseContended("x"), DatabaseUnavailable("x"), DatabaseExhausted("x")):
        pauses = [pause for pause in (find_pause(error, failures) for failures in range(1, 100)) if pause is not None]
        assert pauses == sorted(pauses)
        assert max(pauses) <= LONGEST_PAUSE_MS
        assert (len(pauses) == 99) is isinstance(error, DatabaseExhausted)
