"""Calls vendors so that whatever one does hurts only what was asked of it.

Each call runs in a thread of its own kind. Whatever the vendor raises, SystemExit too, becomes a VendorError with a
clean, short text. A call that overstays is left behind in its thread and counted; a vendor that has left too many
unanswered is not asked again until one of them ends. The threads never keep a process from ending.
"""

import queue
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from concurrent.futures import TimeoutError as TooLate
from typing import Final, Generic, TypeVar

from series_pipelines.core.duration import DAY_MS
from series_pipelines.core.text import clean_text, describe_error, name_type
from series_pipelines.errors import (
    ClockApart,
    ClockRefused,
    PageRefused,
    StoreError,
    VendorBackoff,
    VendorBroken,
    VendorBusy,
    VendorError,
    VendorRejected,
    VendorTimeout,
    VendorUnavailable,
)

LONGEST_RETRY_AFTER_MS: Final = 7 * DAY_MS
"""A pause is a moment in a table: one that a mad vendor puts beyond all time could not be stored."""
MOST_LEFT_BEHIND: Final = 4

Result = TypeVar("Result")

_BACKOFFS: Final[tuple[type[VendorBackoff], ...]] = (
    VendorBusy,
    VendorTimeout,
    VendorUnavailable,
    ClockApart,
    VendorBackoff,
)

_left_behind: Counter[str] = Counter()
_counting = threading.Lock()


class VendorThreads(Generic[Result]):
    """Threads that call a vendor; there is always one for the next call, however many are left behind."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls: queue.SimpleQueue[tuple[Callable[[], Result], Future[Result]] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads = self._idle = 0

    def submit(self, call: Callable[[], Result]) -> "Future[Result]":
        """Make a call; its future holds what it returned, or a VendorError."""
        future: Future[Result] = Future()
        with self._lock:
            if self._idle:
                self._idle -= 1
            else:
                self._threads += 1
                threading.Thread(target=self._work, name=self._name, daemon=True).start()
        self._calls.put((call, future))
        return future

    def close(self) -> None:
        """Let the threads end, those that were left behind after their call."""
        for _ in range(self._threads):
            self._calls.put(None)

    def _work(self) -> None:
        while (task := self._calls.get()) is not None:
            call, future = task
            try:
                result = call()
            except BaseException as error:
                future.set_exception(blame_vendor(self._name, error))
            else:
                future.set_result(result)
            del task, call, future
            with self._lock:
                self._idle += 1


def ask(vendor_name: str, what: str, call: Callable[[], Result], seconds: float) -> Result:
    """Call a vendor and wait so long; raise a VendorError when it fails or overstays."""
    answer = ask_all({vendor_name: call}, what, seconds)[vendor_name]
    if isinstance(answer, VendorError):
        raise answer
    return answer


def ask_all(calls: Mapping[str, Callable[[], Result]], what: str, seconds: float) -> dict[str, Result | VendorError]:
    """Call some vendors side by side, each with the same time; return what each said, or its error."""
    answers: dict[str, Result | VendorError] = {}
    asked: dict[str, Future[Result]] = {}
    for name, call in calls.items():
        if refusal := refuse_overstayer(name):
            answers[name] = refusal
            continue
        threads: VendorThreads[Result] = VendorThreads(name)
        asked[name] = threads.submit(call)
        threads.close()
    wait(asked.values(), seconds)
    for name, future in asked.items():
        try:
            answers[name] = future.result(0)
        except TooLate:
            answers[name] = leave_behind(name, what, future, seconds)
        except VendorError as error:
            answers[name] = error
    return {name: answers[name] for name in calls}


def leave_behind(vendor_name: str, what: str, future: "Future[Result]", seconds: float) -> VendorTimeout:
    """Wait no longer for a call, count it until it ends, and return the error that says so."""
    with _counting:
        _left_behind[vendor_name] += 1
    future.add_done_callback(lambda _: _count_return(vendor_name))
    return VendorTimeout(f"vendor {clean_text(vendor_name, 80)!r}: {what} did not end within {seconds:.0f} s")


def refuse_overstayer(vendor_name: str) -> VendorTimeout | None:
    """Return why a vendor is not asked now: too many of its calls never ended."""
    with _counting:
        count = _left_behind[vendor_name]
    if count < MOST_LEFT_BEHIND:
        return None
    return VendorTimeout(
        f"vendor {clean_text(vendor_name, 80)!r}: {count} calls have not ended yet, so no other begins"
    )


def count_left_behind(vendor_name: str) -> int:
    """Return how many calls of a vendor were left behind and have not ended."""
    with _counting:
        return _left_behind[vendor_name]


def _count_return(vendor_name: str) -> None:
    with _counting:
        _left_behind[vendor_name] -= 1


def blame_vendor(vendor_name: str, error: BaseException, where: str = "") -> VendorError:
    """Return a VendorError for whatever came out of a vendor's code, with a text that can be stored and shown."""
    for refused in (ClockRefused, PageRefused):
        if isinstance(error, refused):
            return refused(_tell(error), _read_digest(error))
    for refusal in (VendorRejected, VendorBroken):
        if isinstance(error, refusal):
            return refusal(_tell(error))
    for backoff in _BACKOFFS:
        if isinstance(error, backoff):
            return backoff(_tell(error), _read_retry_after(error))
    if isinstance(error, StoreError):
        # What vendors share through our database, their budgets, is out of reach: no series is to blame.
        return VendorUnavailable(_tell(error))
    return VendorBroken(clean_text(f"vendor {vendor_name!r} broke{where}: {describe_error(error)}"))


def _tell(error: BaseException) -> str:
    """Return what an error says; one without words by its name."""
    return clean_text(error) or name_type(error)


def _read_digest(error: PageRefused) -> str:
    digest = vars(error).get("digest")
    return clean_text(digest) if type(digest) is str else ""


def _read_retry_after(error: VendorBackoff) -> int | None:
    try:
        given = error.retry_after_ms
    except BaseException:
        return None
    if type(given) is not int or given < 0:
        return None
    return min(given, LONGEST_RETRY_AFTER_MS)
