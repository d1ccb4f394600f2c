"""The lock files that say a `series dev` is alive, and that lanes may go on; the kernel lets both go if it dies."""

import fcntl
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from series_pipelines.errors import AlreadyRunning

FILE: Final = "dev.lock"
LANES_FILE: Final = "dev.lanes.lock"
LAST_PAGE_SECONDS: Final = 5.0


@contextmanager
def hold_dev_lock(home: Path, url: str) -> Iterator[Callable[[], None]]:
    """Be the only `series dev` of this folder, or say who is; what is given tells the lanes to end."""
    descriptor = os.open(home / FILE, os.O_RDWR | os.O_CREAT, 0o600)
    lanes = [os.open(home / LANES_FILE, os.O_RDWR | os.O_CREAT, 0o600)]

    def tell_lanes_to_end() -> None:
        while lanes:
            os.close(lanes.pop())

    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = _read_holder(descriptor)
            raise AlreadyRunning(
                f"`series dev` already runs in {home} (process {holder.get('pid', '?')}, {holder.get('url', '?')}): "
                "stop it first, or set SERIES_HOME to another folder"
            ) from error
        # Lanes of one that was killed share it for an instant, in which they are told.
        fcntl.flock(lanes[0], fcntl.LOCK_EX)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "url": url}).encode(), 0)
        yield tell_lanes_to_end
    finally:
        tell_lanes_to_end()
        os.close(descriptor)


def end_with_dev(home: Path) -> Callable[[], bool]:
    """Return what says whether the `series dev` that started this process ends; a lane then ends after its page."""
    told = threading.Event()
    descriptor = os.open(home / LANES_FILE, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        threading.Thread(target=_await_release, args=(descriptor, told), name="dev lock", daemon=True).start()
    else:
        os.close(descriptor)
        told.set()
    return told.is_set


def _await_release(descriptor: int, told: threading.Event) -> None:
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    os.close(descriptor)
    told.set()
    # A vendor may keep a page for long: interrupted as a cancellation would.
    time.sleep(LAST_PAGE_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


def _read_holder(descriptor: int) -> dict[str, object]:
    try:
        holder = json.loads(os.pread(descriptor, 1000, 0))
    except ValueError:
        return {}
    return holder if isinstance(holder, dict) else {}
