"""Says of a value what kind it is, where its type says less than the test knows."""

from collections.abc import Sequence
from typing import TypeVar, cast

from series_pipelines.ingest.pages.check import BarRow, Page

Value = TypeVar("Value")


def expect(kind: type[Value], value: object) -> Value:
    """Return a value, as the database gave it, that must be of this kind."""
    assert isinstance(value, kind), f"{value!r} is no {kind.__name__}"
    return value


def read_bars(page: Page) -> Sequence[BarRow]:
    """Return the rows of a page that is known to be one of bars."""
    return cast("Sequence[BarRow]", page.rows)
