"""Makes the configured vendors, the same in every process of an installation."""

from series_pipelines.core.duration import DAY_MS
from series_pipelines.core.times import date_to_ms, format_iso, parse_time
from series_pipelines.errors import InvalidInput
from series_pipelines.settings import Settings
from series_pipelines.system_clock import SystemClock
from series_pipelines.vendors.registry import Registry, load_vendors


def load_registry(settings: Settings) -> Registry:
    """Make the vendors of the settings."""
    options = settings.vendor_options
    if "demo" in settings.vendors:
        options["demo"]["epoch_ms"] = find_demo_epoch(settings)
    return Registry(load_vendors(settings.vendors, options))


def find_demo_epoch(settings: Settings) -> int:
    """Return the day the demo market is built around: the settings', or the first day it was used here."""
    if settings.demo_epoch is not None:
        return date_to_ms(settings.demo_epoch)
    file = settings.home / "demo_epoch"
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
        with file.open("x") as fresh:
            now_ms = SystemClock().now_ms()
            fresh.write(format_iso(now_ms - now_ms % DAY_MS))
    except FileExistsError:
        pass
    except OSError as error:
        raise InvalidInput(
            f"{file} can't be written ({error.strerror}): set SERIES_DEMO_EPOCH or SERIES_HOME"
        ) from error
    return parse_time(file.read_text())
