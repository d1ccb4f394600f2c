"""Starts `series ingest` as a process that can be killed: from the command line, or forked where all is imported.

Importing takes a second of processor time and the lanes far less between two kills, so most are forked from a server
that has imported the program but has not begun; what they run is the same `series` with the same arguments.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from tests.support.places import PROJECT

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload([__name__, "series_pipelines.cli.lanes", "series_pipelines.app.sources"])


class IngestProcess:
    """One `series` process; what it says goes into a file."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], says: Path, forked: bool) -> None:
        self.says = says
        # It may be killed before it has said anything.
        says.touch()
        self.stopped = False
        self._forked: multiprocessing.process.BaseProcess | None = None
        self._spawned: subprocess.Popen[bytes] | None = None
        if forked:
            process = _context.Process(
                target=run_series, args=(list(arguments), dict(environment), str(says)), daemon=True
            )
            process.start()
            self._forked = process
            self.pid = process.pid or 0
        else:
            with says.open("ab") as file:
                self._spawned = subprocess.Popen(
                    [sys.executable, "-c", "from series_pipelines.cli import main; main()", *arguments],
                    env={name: os.environ[name] for name in os.environ.keys() - _list_settings()} | dict(environment),
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=file,
                    preexec_fn=_listen_to_signals,
                )
            self.pid = self._spawned.pid

    def poll(self) -> int | None:
        """Return its exit code once it has ended; a signal's number is negative."""
        if self._forked is not None:
            return self._forked.exitcode
        assert self._spawned is not None
        return self._spawned.poll()

    def wait(self, seconds: float) -> int | None:
        """Wait for it to end, for so long."""
        if self._forked is not None:
            self._forked.join(seconds)
            return self._forked.exitcode
        assert self._spawned is not None
        try:
            return self._spawned.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def send(self, number: signal.Signals) -> bool:
        """Send a signal if it still lives."""
        if self.poll() is not None:
            return False
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            return False
        self.stopped = number == signal.SIGSTOP or (self.stopped and number != signal.SIGCONT)
        return True


def run_series(arguments: list[str], environment: dict[str, str], says: str) -> None:
    """Be `series ARGUMENTS` in a process that was just forked."""
    for name in _list_settings():
        del os.environ[name]
    os.environ.update(environment)
    file = os.open(says, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(file, 1)
    os.dup2(file, 2)
    _listen_to_signals()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["series", *arguments]
    sys.path.insert(0, str(PROJECT))
    from series_pipelines.cli import main

    main()


def _listen_to_signals() -> None:
    """Let it be asked to end: whoever started the tests may ignore that, from the background of a shell for one."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _list_settings() -> list[str]:
    """Return the settings of whoever runs the torture: none of them is the world's."""
    return [name for name in os.environ if name.startswith("SERIES_")]


def find_processes(word: str) -> list[psutil.Process]:
    """Return the living processes whose command line or environment names something."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE:
                continue
            if any(word in text for text in (*process.cmdline(), *process.environ().values())):
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def await_end(word: str, seconds: float) -> list[psutil.Process]:
    """Wait until no process names something any more, for so long; return those that do."""
    deadline = time.monotonic() + seconds
    while found := find_processes(word):
        if time.monotonic() > deadline:
            return found
        psutil.wait_procs(found, timeout=0.5)
    return []


__all__ = ["IngestProcess", "await_end", "find_processes", "run_series"]
