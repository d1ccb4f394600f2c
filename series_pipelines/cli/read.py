"""`read`: the rows of one series as a table at a terminal, or in a format that other programs read."""

import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import click

from series_pipelines.cli.options import MOST_ROWS, check_window, with_table, with_window
from series_pipelines.cli.output import print_table
from series_pipelines.cli.row_formats import FILE_FORMATS, count_times, export_file, split_line, split_lines
from series_pipelines.core.tables import TABLES
from series_pipelines.core.text import describe_error
from series_pipelines.core.times import format_time
from series_pipelines.errors import InvalidInput, SeriesError

TABLE_ROWS: Final = 50
_FORMATS: Final = (*FILE_FORMATS, "table")


@click.command("read", short_help="Print or save the rows of a series.")
@click.argument("series_id", metavar="SERIES")
@with_window
@click.option("--format", "kind", type=click.Choice(_FORMATS), help="Else: by FILE's ending, or a table, or CSV.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write to a file.")
@click.option("--limit", type=click.IntRange(1, MOST_ROWS), help=f"Only the newest N rows; a table shows {TABLE_ROWS}.")
@click.option(
    "--exact", is_flag=True, help="Parquet with decimals(38, 18) instead of floats; the others are always exact."
)
@with_table
def read_command(
    series_id: str,
    start_ms: int | None,
    end_ms: int | None,
    kind: str | None,
    output: Path | None,
    limit: int | None,
    exact: bool,
    table_name: str | None,
) -> None:
    """Print the rows of SERIES that begin in [start, end): a table at a terminal, else CSV.

    Example: series read DEMO/SWAP/BTC-USDT/1h --start 2026-11-01 --output btc.parquet
    """
    from series_pipelines.actions.read import read_series
    from series_pipelines.app.database import find_existing_database, open_for_export
    from series_pipelines.app.settings import load_settings
    from series_pipelines.postgres.connection import translated_errors

    check_window(start_ms, end_ms)
    kind = _choose_format(kind, output)
    tables = tuple(TABLES) if table_name is None else (table_name,)
    with (
        translated_errors(),
        open_for_export(find_existing_database(load_settings())) as conn,
        read_series(conn, series_id, tables, start_ms, end_ms) as rows,
    ):
        header = next(rows.lines)
        if kind == "table":
            _print_rows(header, rows.lines, limit or TABLE_ROWS)
            return
        with _opened(output) as file:
            lines = deque(rows.lines, limit) if limit else rows.lines
            export_file(kind, rows.table.name, header, lines, exact, file)


def _choose_format(kind: str | None, output: Path | None) -> str:
    if kind == "table" and output is not None:
        raise InvalidInput("a table is for the screen: write csv, json or parquet to --output")
    if output is not None:
        return _choose_file_format(kind, output)
    if kind == "parquet" and sys.stdout.isatty():
        raise InvalidInput("parquet is not for the screen: add --output FILE")
    return kind or ("table" if sys.stdout.isatty() else "csv")


def _choose_file_format(kind: str | None, output: Path) -> str:
    """Return the format that the file's ending names; what it can't name needs --format, and nothing may belie it."""
    ending = output.suffix.removeprefix(".").lower()
    if ending not in FILE_FORMATS:
        if kind is None:
            known = ", ".join(f".{name}" for name in FILE_FORMATS)
            raise InvalidInput(f"--output {output} has none of the endings {known}: choose one, or say --format")
        return kind
    if kind not in (None, ending):
        raise InvalidInput(f"--output {output} would not hold {ending} but {kind}: change its ending, or --format")
    return ending


@contextmanager
def _opened(output: Path | None) -> Iterator[IO[bytes]]:
    """Give the file to write to; a file appears whole or not at all."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        # A pipe or a device can't be replaced by a file, and must not be.
        if output.exists() and not output.is_file():
            with open(output, "wb") as file:
                yield file
            return
        target = output.resolve()
        part = target.with_name(f".series-{os.getpid()}.part")
        try:
            with open(part, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise SeriesError(f"can't write {output}: {error.strerror or describe_error(error)}") from error


def _print_rows(header: bytes, lines: Iterable[bytes], limit: int) -> None:
    newest: deque[bytes] = deque(maxlen=limit)
    count = 0
    for line in lines:
        newest.append(line)
        count += 1
    times = count_times(header)
    columns = [f">{name}" if position >= times else name for position, name in enumerate(split_line(header))]
    print_table(columns, split_lines(header, newest, format_time), droppable=("closed_at",))
    hidden = f", the newest {limit} shown (see --limit)" if count > limit else ""
    click.echo(f"\n{count} rows{hidden}")
