"""Lets Dagster show our errors as what they are: one line that says what is wrong and what to do, no traceback.

Dagster wraps what a sensor or an op raises in frames of its own. Only an error that says it has crossed a process
already, with what it looked like there, is shown as it is: failed, and in our words.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from dagster._core.errors import DagsterUserCodeProcessError
from dagster_shared.error import SerializableErrorInfo

from series_pipelines.core.text import clean_text
from series_pipelines.errors import SeriesError
from series_pipelines.postgres.connection import translated_errors

LONGEST_LINE: Final = 2_000
"""Longer than other texts: it may name several series, each with its reason."""


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn our errors, and the database's, into a failure of one line."""
    try:
        with translated_errors():
            yield
    except SeriesError as error:
        raise make_failure(str(error) or type(error).__doc__ or "", type(error).__name__) from None


def make_failure(message: str, name: str | None = None) -> DagsterUserCodeProcessError:
    """Return what a sensor or an op raises to fail with one line; `name` says what kind of error it is."""
    line = clean_text(message, LONGEST_LINE)
    return DagsterUserCodeProcessError(  # type: ignore[no-untyped-call]
        line, user_code_process_error_infos=[SerializableErrorInfo(message=line, stack=[], cls_name=name)]
    )
