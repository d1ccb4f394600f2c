"""A stop that keeps what is done: SIGTERM ends long work as Ctrl-C does, and the exit code says which it was."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

import click

from series_pipelines.cli.exit_codes import INTERRUPTED, TERMINATED


@dataclass(slots=True)
class Stop:
    """How the work was asked to stop, if it was."""

    exit_code: int = INTERRUPTED


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Turn SIGTERM into a KeyboardInterrupt while the work inside goes on."""
    stop = Stop()

    def interrupt(number: int, frame: FrameType | None) -> None:
        stop.exit_code = TERMINATED
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield stop
    except KeyboardInterrupt:
        # Before there was anything to keep, or while it was being put away.
        if stop.exit_code == INTERRUPTED:
            raise
        click.echo("series: terminated", err=True)
        raise click.exceptions.Exit(stop.exit_code) from None
    finally:
        signal.signal(signal.SIGTERM, before)
