"""The lock file that says a `series dev` is alive. The kernel lets it go however that process dies."""

import fcntl
import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from series_pipelines.errors import AlreadyRunning

FILE: Final = "dev.lock"


@contextmanager
def hold_dev_lock(home: Path, url: str) -> Iterator[None]:
    """Be the only `series dev` of this folder, or say who is."""
    descriptor = os.open(home / FILE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = _read_holder(descriptor)
            raise AlreadyRunning(
                f"`series dev` already runs in {home} (process {holder.get('pid', '?')}, {holder.get('url', '?')}): "
                "stop it first, or set SERIES_HOME to another folder"
            ) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "url": url}).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def end_with_dev(home: Path) -> None:
    """Interrupt this process, as a cancellation would, once the `series dev` that started it is gone."""
    descriptor = os.open(home / FILE, os.O_RDONLY)
    threading.Thread(target=_await_release, args=(descriptor,), name="dev lock", daemon=True).start()


def _await_release(descriptor: int) -> None:
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    os.close(descriptor)
    os.kill(os.getpid(), signal.SIGTERM)


def _read_holder(descriptor: int) -> dict[str, object]:
    try:
        holder = json.loads(os.pread(descriptor, 1000, 0))
    except ValueError:
        return {}
    return holder if isinstance(holder, dict) else {}
