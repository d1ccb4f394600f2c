"""The group of commands, and what each error looks like at a prompt: one line, and an exit code."""

import codecs
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import click

from series_pipelines.cli.certify import certify_command
from series_pipelines.cli.cursors import cursors_command
from series_pipelines.cli.exit_codes import ASKED_WRONGLY, DONE, FAILED, INTERRUPTED, NO_READER
from series_pipelines.cli.ingest import ingest_command
from series_pipelines.cli.output import encode_plainly
from series_pipelines.cli.plan import plan_command
from series_pipelines.cli.read import read_command
from series_pipelines.cli.refresh import refresh_command
from series_pipelines.cli.setup import dev_command, migrate_command, products_command
from series_pipelines.cli.status import compact_command, coverage_command, peek_command
from series_pipelines.cli.vendors import vendors_command
from series_pipelines.cli.verify import verify_command
from series_pipelines.core.text import describe_error
from series_pipelines.errors import InvalidInput, SeriesError


class SeriesGroup(click.Group):
    """A group that keeps the order of its commands and says errors in one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def main(self, args: Sequence[str] | None = None, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **extra)
        try:
            code = super().main(args, standalone_mode=False, **extra)
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            code = ASKED_WRONGLY
        except click.ClickException as error:
            _say_error(_describe_usage(error))
            code = error.exit_code
        except click.Abort:
            code = INTERRUPTED
        except OSError as error:
            code = _tell_unwritten(error)
        try:
            # What can't be written is to be told here, not by the interpreter when it ends.
            sys.stdout.flush()
        except OSError as error:
            code = _tell_unwritten(error)
        sys.exit(code if isinstance(code, int) else DONE)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SeriesError as error:
            self._say(ctx, error, str(error) or type(error).__doc__ or type(error).__name__)
            ctx.exit(ASKED_WRONGLY if isinstance(error, InvalidInput) else FAILED)
        except BrokenPipeError:
            _forget_output()
            ctx.exit(NO_READER)
        except (OSError, OverflowError, MemoryError, UnicodeError) as error:
            # A full disk, a number or a letter that nothing can hold: each may come from anywhere below.
            self._say(ctx, error, _describe_outside(error))
            _forget_output()
            ctx.exit(FAILED)

    def _say(self, ctx: click.Context, error: Exception, message: str) -> None:
        if ctx.params.get("debug"):
            traceback.print_exception(error)
        _say_error(message)


def _tell_unwritten(error: OSError) -> int:
    _say_error(_describe_outside(error))
    _forget_output()
    return FAILED


def _forget_output() -> None:
    """Drop what is still buffered: it would be written, and fail again, when the interpreter ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _describe_outside(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return describe_error(error)


def _describe_usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    hint = f" (see `{context.command_path} --help`)" if context is not None else ""
    return f"{error.format_message()}{hint}"


def _say_error(message: str) -> None:
    click.echo(f"series: error: {' '.join(message.split())}", err=True)


@click.group(cls=SeriesGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="series-pipelines", message="series %(version)s")
@click.option("--debug", is_flag=True, envvar="SERIES_DEBUG", help="Show the traceback of an error (SERIES_DEBUG=1).")
def series(debug: bool) -> None:
    """Keep market-data series complete and fresh, and see how far they are.

    A series is a product at a duration, like DEMO/SWAP/BTC-USDT/PT1M, or a product's interest rate, like
    DEMO/SWAP/BTC-USDT. Durations may be typed as 1m, 4h or 1d, and * stands for anything.

    Example: series ingest 'DEMO/SWAP/*/1h' && series coverage 'DEMO/SWAP/*/1h'
    """


for _command in (
    dev_command,
    migrate_command,
    vendors_command,
    products_command,
    peek_command,
    plan_command,
    ingest_command,
    refresh_command,
    coverage_command,
    certify_command,
    verify_command,
    compact_command,
    cursors_command,
    read_command,
):
    series.add_command(_command)


def main() -> None:
    """Run the command line."""
    # Who starts us may have closed them.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    # What the driver says of a query that Ctrl-C ended tells nobody anything; what ends a command is said as its error.
    logging.getLogger("psycopg").setLevel(logging.ERROR)
    codecs.register_error(encode_plainly.__name__, encode_plainly)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a character gets a plainer one instead of a traceback.
        stream.reconfigure(errors=encode_plainly.__name__)  # type: ignore[union-attr]
    series(prog_name="series")
