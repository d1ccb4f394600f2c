"""`read`: the rows of one series as a table, CSV, JSON or Parquet. Decimals stay as they are stored."""

import io
import json
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Final

import click

from series_pipelines.cli.options import check_window, with_table, with_window
from series_pipelines.cli.output import print_table
from series_pipelines.core.series import TABLE_NAMES, TableName
from series_pipelines.core.times import format_iso, format_time
from series_pipelines.errors import InvalidInput, SeriesError

TABLE_ROWS: Final = 50
_FORMATS: Final = ("csv", "parquet", "table", "json")


@click.command("read", short_help="Print or save the rows of a series.")
@click.argument("series_id", metavar="SERIES")
@with_window
@click.option("--format", "kind", type=click.Choice(_FORMATS), help="Else: by FILE's ending, or a table, or CSV.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write to a file.")
@click.option("--limit", type=click.IntRange(min=1), help=f"Only the newest N rows; a table shows {TABLE_ROWS}.")
@click.option("--exact", is_flag=True, help="Parquet with decimals instead of floats; the others are always exact.")
@with_table
def read_command(
    series_id: str,
    start_ms: int | None,
    end_ms: int | None,
    kind: str | None,
    output: Path | None,
    limit: int | None,
    exact: bool,
    table_name: TableName | None,
) -> None:
    """Print the rows of SERIES that begin in [start, end): a table at a terminal, else CSV.

    Example: series read DEMO/SWAP/BTC-USDT/1h --start 2026-11-01 --output btc.parquet
    """
    from series_pipelines.database import find_database
    from series_pipelines.reading import export_lines, find_stored_series, open_for_export
    from series_pipelines.settings import load_settings
    from series_pipelines.store.connection import translated_errors

    check_window(start_ms, end_ms)
    kind = _choose_format(kind, output)
    tables = TABLE_NAMES if table_name is None else (table_name,)
    with translated_errors(), open_for_export(find_database(load_settings())) as conn:
        name, found_id = find_stored_series(conn, series_id, tables)
        with closing(export_lines(conn, name, found_id, start_ms, end_ms)) as lines:
            header = next(lines)
            if kind == "table":
                _print_rows(header, lines, limit or TABLE_ROWS)
                return
            with _opened(output) as file:
                _write(kind, name, header, deque(lines, limit) if limit else lines, exact, file)


def _choose_format(kind: str | None, output: Path | None) -> str:
    if output is not None:
        ending = output.suffix.removeprefix(".").lower()
        chosen = kind or (ending if ending in _FORMATS else "csv")
        if chosen == "table":
            raise InvalidInput("a table is for the screen: write csv, json or parquet to --output")
        return chosen
    if kind == "parquet" and sys.stdout.isatty():
        raise InvalidInput("parquet is not for the screen: add --output FILE")
    return kind or ("table" if sys.stdout.isatty() else "csv")


@contextmanager
def _opened(output: Path | None) -> Iterator[IO[bytes]]:
    """Give the file to write to; a file appears whole or not at all."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    # A pipe or a device can't be replaced by a file, and must not be.
    is_plain = output.is_file() or not output.exists()
    target = output.resolve() if is_plain else output
    part = target.with_name(f".{target.name}.{os.getpid()}.part") if is_plain else output
    try:
        with open(part, "wb") as file:
            yield file
        if is_plain:
            part.replace(target)
    except OSError as error:
        raise SeriesError(f"can't write {output}: {error.strerror or error}") from error
    finally:
        if is_plain:
            with suppress(OSError):
                part.unlink()


def _write(
    kind: str, table_name: TableName, header: bytes, lines: Iterable[bytes], exact: bool, file: IO[bytes]
) -> None:
    if kind == "parquet":
        from series_pipelines.reading import make_frame

        buffer = io.BytesIO()
        make_frame(table_name, [header, *lines], exact=exact).to_parquet(buffer)
        file.write(buffer.getbuffer())
    elif kind == "csv":
        file.write(header)
        file.writelines(f"{','.join(values)}\n".encode() for values in split_lines(header, lines, format_iso))
    else:
        _write_json(header, lines, file)


def _write_json(header: bytes, lines: Iterable[bytes], file: IO[bytes]) -> None:
    names = _split(header)
    before = "[\n"
    for values in split_lines(header, lines, format_iso):
        row = {name: value or None for name, value in zip(names, values, strict=True)}
        file.write(f"{before}{json.dumps(row)}".encode())
        before = ",\n"
    file.write(b"[]\n" if before == "[\n" else b"\n]\n")


def split_lines(header: bytes, lines: Iterable[bytes], show: Callable[[int], str]) -> Iterator[list[str]]:
    """Yield each exported line's values with its times made readable; numbers and times are never quoted."""
    times = _count_times(header)
    for line in lines:
        values = _split(line)
        values[:times] = [show(int(value)) for value in values[:times]]
        yield values


def _print_rows(header: bytes, lines: Iterable[bytes], limit: int) -> None:
    newest: deque[bytes] = deque(maxlen=limit)
    count = 0
    for line in lines:
        newest.append(line)
        count += 1
    times = _count_times(header)
    columns = [f">{name}" if position >= times else name for position, name in enumerate(_split(header))]
    print_table(columns, split_lines(header, newest, format_time))
    hidden = f", the newest {limit} shown (see --limit)" if count > limit else ""
    click.echo(f"\n{count} rows{hidden}")


def _count_times(header: bytes) -> int:
    return sum(name.endswith("_at") for name in _split(header))


def _split(line: bytes) -> list[str]:
    return line.decode().rstrip("\n").split(",")
