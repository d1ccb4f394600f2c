"""Makes the configured vendors, the same in every process of an installation, and once a process."""

import fcntl
import os
from functools import lru_cache, partial
from pathlib import Path
from uuid import uuid4

from series_pipelines.actions.workshop import Workshop
from series_pipelines.app.clock import SystemClock
from series_pipelines.app.database import has_database, open_connection
from series_pipelines.app.settings import Settings, read_secret
from series_pipelines.core.clock import Clock
from series_pipelines.core.duration import DAY_MS
from series_pipelines.core.times import date_to_ms, format_iso, parse_time
from series_pipelines.errors import InvalidInput
from series_pipelines.ingest.budgets.lone_throttle import LoneThrottle
from series_pipelines.ingest.budgets.throttle import PostgresThrottle
from series_pipelines.postgres.embedded.home import make_home
from series_pipelines.vendors.config import VendorsFile, parse_vendors
from series_pipelines.vendors.contract import Throttle
from series_pipelines.vendors.loading import load_vendors
from series_pipelines.vendors.registry import Registry


def load_registry(settings: Settings) -> Registry:
    """Make the vendors of the settings and of `vendors.toml`; a file that has changed is read again."""
    return _make_registry(settings, _read_vendors_file(settings), is_question=False)


def load_registry_to_ask(settings: Settings) -> Registry:
    """Make the same vendors for a question, which leaves nothing behind where nothing is."""
    return _make_registry(settings, _read_vendors_file(settings), is_question=True)


@lru_cache(maxsize=4)
def _make_registry(settings: Settings, text: str | None, is_question: bool) -> Registry:
    file = VendorsFile()
    if text is not None and settings.vendors_file is not None:
        file = parse_vendors(text, settings.vendors_file)
    names = list(settings.vendors if settings.vendors is not None else () if text is not None else ("demo",))
    options = settings.vendor_options
    if "demo" in names:
        options["demo"]["epoch_ms"] = find_demo_epoch(settings, is_question)
    clock = SystemClock()
    shared = {"clock": clock.now_ms, "secrets": read_secret}
    if file.exchanges:
        names.append("ccxt")
        is_alone = is_question and not has_database(settings)
        shared_books = partial(open_connection, settings)
        throttle: Throttle = LoneThrottle(clock) if is_alone else PostgresThrottle(shared_books, clock)
        options["ccxt"] = {**shared, "exchanges": file.exchanges, "throttle": throttle}
    if file.remote:
        names.append("http")
        options["http"] = {**shared, "remote": file.remote}
    return Registry(*load_vendors(names, options))


def make_workshop(settings: Settings, clock: Clock) -> Workshop:
    """Return what actions that ask vendors work with."""
    return Workshop(
        connect=partial(open_connection, settings),
        load_registry=partial(load_registry, settings),
        clock=clock,
        recheck_after_ms=settings.recheck_days * DAY_MS,
        clock_tolerance_ms=settings.clock_tolerance_seconds * 1000,
    )


def _read_vendors_file(settings: Settings) -> str | None:
    path = settings.vendors_file
    if path is None:
        return None
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path} can't be read ({error.strerror}): is SERIES_VENDORS_FILE right?") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not a text in UTF-8: {error.reason}") from error


def find_demo_epoch(settings: Settings, is_question: bool = False) -> int:
    """Return the day the demo market is built around: the settings', or the first day it was used here.

    A question is no use: until the first one its answer is today.
    """
    if settings.demo_epoch is not None:
        return date_to_ms(settings.demo_epoch)
    file = settings.home / "demo_epoch"
    try:
        text = file.read_text() if file.exists() else ""
        if not text:
            now_ms = SystemClock().now_ms()
            today_ms = now_ms - now_ms % DAY_MS
            if is_question:
                return today_ms
            make_home(settings.home)
            _write_once(file, format_iso(today_ms))
            text = file.read_text()
    except OSError as error:
        raise InvalidInput(
            f"{file} can't be written ({error.strerror}): set SERIES_DEMO_EPOCH or SERIES_HOME"
        ) from error
    return parse_time(text)


def _write_once(file: Path, text: str) -> None:
    """Give the file this text unless it has one; it is never seen half written, and all who come agree."""
    aside = file.with_name(f"{file.name}.{uuid4().hex}")
    try:
        aside.touch(mode=0o600)
        aside.write_text(text)
        try:
            os.link(aside, file)
        except OSError:
            # Another was first, or there are no hard links here (vfat, some FUSE). Who finds a file without a text,
            # from now or from a crash, waits for the others at it.
            file.touch(mode=0o600)
            with file.open() as found:
                fcntl.flock(found, fcntl.LOCK_EX)
                if not file.read_text():
                    aside.replace(file)
    finally:
        aside.unlink(missing_ok=True)
