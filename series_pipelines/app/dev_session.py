"""Ends what `series dev` has started: lanes after their page, everything else at once.

Dagster's own way waits for a browser that looks on, for up to a minute, and interrupts lanes anywhere. Nothing that is
killed here knows what Postgres does not. Processes are found by their session: `series dev` gave them one of their own.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

LANES_SECONDS: Final = 2.0
# A code server looks for runs that were lost every half second, and writes down that they failed.
REPORT_SECONDS: Final = 0.8
END_SECONDS: Final = 0.5
LOOK_SECONDS: Final = 0.05

RUN: Final = "multiprocessing.spawn"
TRACKER: Final = "multiprocessing.resource_tracker"
CODE_SERVERS: Final = ("dagster api grpc", "dagster code-server")


class Process(NamedTuple):
    """A living process of the session, and the words it was started with."""

    pid: int
    command: str


def end_session(session: int, tell_lanes_to_end: Callable[[], None]) -> None:
    """End all processes of the session; a run that does not end in time is killed, and shown as failed."""
    # First whatever would start new runs.
    _kill(session, lambda command: not any(word in command for word in (RUN, TRACKER, *CODE_SERVERS)))
    tell_lanes_to_end()
    if not _await_end(session, _is_run, LANES_SECONDS):
        _kill(session, _is_run)
        time.sleep(REPORT_SECONDS)
    # A tracker ends by itself after the last of those it serves, and removes what they left in shared memory.
    _kill(session, lambda command: TRACKER not in command)
    _await_end(session, lambda _: True, END_SECONDS)
    try:
        os.killpg(session, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _is_run(command: str) -> bool:
    return RUN in command


def _kill(session: int, is_meant: Callable[[str], bool]) -> None:
    for process in _find_processes(session):
        if is_meant(process.command):
            try:
                os.kill(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def _await_end(session: int, is_meant: Callable[[str], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while any(is_meant(process.command) for process in _find_processes(session)):
        if time.monotonic() > deadline:
            return False
        time.sleep(LOOK_SECONDS)
    return True


def _find_processes(session: int) -> Iterator[Process]:
    for place in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, found, *_ = (place / "stat").read_text().rpartition(")")[2].split(maxsplit=4)
            if int(found) == session and state not in "ZX":
                command = (place / "cmdline").read_bytes().replace(b"\0", b" ")
                yield Process(int(place.name), command.decode(errors="replace"))
        except OSError:
            continue
