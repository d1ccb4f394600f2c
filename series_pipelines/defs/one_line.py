"""Lets Dagster show our errors as what they are: one line that says what is wrong and what to do, no traceback.

Dagster wraps what a sensor or an op raises in frames of its own. Only an error that says it has crossed a process
already, with what it looked like there, is shown as it is: failed, and in our words.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from dagster import DagsterExecutionInterruptedError
from dagster._core.errors import DagsterUserCodeProcessError
from dagster_shared.error import SerializableErrorInfo

from series_pipelines.core.text import clean_text
from series_pipelines.errors import SeriesError
from series_pipelines.postgres.connection import translated_errors

Told = TypeVar("Told", bound=DagsterUserCodeProcessError)

LONGEST_LINE: Final = 2_000
"""Longer than other texts: it may name several series, each with its reason."""


class RunInterrupted(DagsterExecutionInterruptedError, DagsterUserCodeProcessError):
    """The run was told to end."""


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn our errors, the database's, and a cancellation into a failure of one line."""
    try:
        with translated_errors():
            yield
    except SeriesError as error:
        raise make_failure(str(error) or type(error).__doc__ or "", type(error).__name__) from None
    except DagsterExecutionInterruptedError:
        # Dagster tells by its type that a run was cancelled and did not fail.
        raise _tell(RunInterrupted, "the run was told to end", None) from None


def make_failure(message: str, name: str | None = None) -> DagsterUserCodeProcessError:
    """Return what a sensor or an op raises to fail with one line; `name` says what kind of error it is."""
    return _tell(DagsterUserCodeProcessError, clean_text(message, LONGEST_LINE), name)


def _tell(kind: type[Told], line: str, name: str | None) -> Told:
    info = SerializableErrorInfo(message=line, stack=[], cls_name=name)
    return kind(line, user_code_process_error_infos=[info])
