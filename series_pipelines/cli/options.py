"""Options that several commands share, and how typed times are read."""

import os
from collections.abc import Callable
from math import isnan
from typing import Any, Final, TypeVar

import click

from series_pipelines.core.duration import LONGEST_WORK_SECONDS
from series_pipelines.core.ranges import Range
from series_pipelines.core.tables import TABLES
from series_pipelines.core.times import format_time, parse_time
from series_pipelines.errors import InvalidInput

MOST_ROWS: Final = 1_000_000_000
MOST_PAGES: Final = 1_000_000_000

Command = TypeVar("Command", bound=Callable[..., Any])


class FiniteRange(click.FloatRange):
    """A number between two others; `nan`, which no comparison keeps out, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if isnan(number):
            self.fail(f"{value!r} is not in the range {self._describe_range()}.", param, ctx)
        return number


def _read_time(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    try:
        return None if value is None else parse_time(value)
    except InvalidInput as error:
        raise InvalidInput(f"{param.opts[0]}: {error}") from error


def with_json(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for a script.")(command)


def with_table(command: Command) -> Command:
    tables = click.Choice(TABLES)
    return click.option("--table", "table_name", type=tables, help="Only series of this table.")(command)


def with_kind(command: Command) -> Command:
    kinds = click.Choice(["head", "tail", "both"])
    text = "head: towards now; tail: gaps and history; both: head first."
    return click.option("--kind", type=kinds, default="both", show_default=True, help=text)(command)


def with_seconds(command: Command) -> Command:
    seconds = click.IntRange(1, LONGEST_WORK_SECONDS)
    text = "How long it may take (else SERIES_BACKFILL_SECONDS)."
    return click.option("--seconds", type=seconds, help=text)(command)


def with_window(command: Command) -> Command:
    end = click.option("--end", "end_ms", metavar="TIME", callback=_read_time, help="Before this time.")
    text = "From this time on, like 2026-01-31, 20260131 or 2026-01-31T08:00Z; UTC if it has no zone."
    start = click.option("--start", "start_ms", metavar="TIME", callback=_read_time, help=text)
    return start(end(command))


def with_series(required: bool) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        return click.argument("series", nargs=-1, required=required)(command)

    return decorate


def check_window(start_ms: int | None, end_ms: int | None) -> None:
    """Refuse a window that does not end after it starts."""
    if start_ms is not None and end_ms is not None and start_ms >= end_ms:
        raise InvalidInput(f"--start {format_time(start_ms)} must be before --end {format_time(end_ms)}")


def make_window(start_ms: int | None, end_ms: int | None, now_ms: int) -> Range | None:
    """Return the window that was asked for: until now, unless it says otherwise."""
    if start_ms is None and end_ms is None:
        return None
    check_window(start_ms, end_ms if end_ms is not None else now_ms)
    return Range(start_ms or 0, end_ms if end_ms is not None else now_ms)


def set_environment(name: str, value: str) -> None:
    """Let an option speak for an environment name, for us and for the processes we start."""
    from series_pipelines.app.settings import load_settings

    os.environ[name] = value
    load_settings.cache_clear()
