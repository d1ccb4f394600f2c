"""How results look: tables that fit a terminal and are never cut elsewhere, and JSON."""

import io
import json
import sys
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from series_pipelines.core.times import format_time

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

# Wide enough for any table; rich never fills it, because tables do not expand.
_UNBOUNDED: Final = 100_000
_PLAIN: Final = str.maketrans("─━▕▏░▒▓█·–…", "-=||.:+#---")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], droppable: Sequence[str] = ()) -> None:
    """Print a table; `>` before a column's name aligns it to the right.

    A terminal that is too narrow is not shown the columns that are empty, nor then the droppable ones, first ones
    first, and folds what remains too wide.
    """
    from rich.console import Console

    is_terminal = sys.stdout.isatty()
    width = Console().width if is_terminal else _UNBOUNDED
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=is_terminal, emoji=False, highlight=False)
    cells = [["" if cell is None else " ".join(str(cell).split("\n")) for cell in row] for row in rows]
    hidden: set[str] = set()
    named = [name.removeprefix(">") for name in columns]
    empty = [name for position, name in enumerate(named) if cells and not any(row[position] for row in cells)]
    for name in (*empty, *droppable, None):
        table = _make_table(columns, cells, hidden)
        if name is None or console.measure(table, options=console.options.update_width(_UNBOUNDED)).maximum <= width:
            break
        hidden.add(name)
    console.print(table)
    click.echo("".join(f"{line.rstrip()}\n" for line in buffer.getvalue().splitlines()), nl=False)


def _make_table(columns: Sequence[str], rows: Sequence[Sequence[str]], hidden: Container[str]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    shown = [position for position, name in enumerate(columns) if name.removeprefix(">") not in hidden]
    for position in shown:
        justify: Any = "right" if columns[position].startswith(">") else "left"
        table.add_column(columns[position].removeprefix(">"), justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*(Text(row[position]) for position in shown))
    return table


def encode_plainly(error: UnicodeError) -> tuple[str, int]:
    """Tell a codec what to write for what a terminal can't show: a bar keeps its shades, a line stays a line."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    plain = error.object[error.start : error.end].translate(_PLAIN)
    return "".join(char if char.isascii() else "?" for char in plain), error.end


def make_error_console() -> "Console":
    """Return the console on the standard error, for what is not the result."""
    from rich.console import Console

    return Console(stderr=True, emoji=False, highlight=False)


def print_json(value: object, indent: int | None = 2) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, indent=indent, ensure_ascii=False))


def show_time(time_ms: int | None) -> str | None:
    """Return a time for a table's cell."""
    return None if time_ms is None else format_time(time_ms)


def show_minute(time_ms: int | None) -> str | None:
    """Return a time for a table's cell, without its seconds."""
    return None if time_ms is None else format_time(time_ms)[:16]
