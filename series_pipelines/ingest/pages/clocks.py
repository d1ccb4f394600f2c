"""Whose clock is believed: a vendor's, as long as it stands near ours and the database's.

What has closed is judged by the vendor's clock, so one that runs ahead would let us claim the future, for good. Three
clocks tell which of them stands apart: a vendor's fault fails the series that was asked for, ours or the database's
pauses the capability, because no series is to blame.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from series_pipelines.core.duration import MINUTE_MS
from series_pipelines.core.times import format_span
from series_pipelines.errors import ClockApart, ClockRefused

TOLERANCE_MS: Final = 10 * MINUTE_MS


@dataclass(frozen=True, slots=True)
class Clocks:
    """Our clock and the database's at one moment, and how far apart clocks may stand."""

    ours_ms: int
    database_ms: int
    tolerance_ms: int = TOLERANCE_MS


ReadClocks = Callable[[], Clocks]


def check_vendor_clock(vendor_ms: int, clocks: Clocks) -> None:
    """Refuse a vendor's time that is not near ours and the database's, and say which of the three stands apart."""
    ours_ms, database_ms = clocks.ours_ms, clocks.database_ms
    near_us = abs(vendor_ms - ours_ms) <= clocks.tolerance_ms
    near_database = abs(vendor_ms - database_ms) <= clocks.tolerance_ms
    if near_us and near_database:
        return
    if abs(ours_ms - database_ms) <= clocks.tolerance_ms:
        raise ClockRefused(
            f"the vendor's clock stands {_describe(vendor_ms - ours_ms)} ours and the database's: its page is refused"
        )
    if near_database:
        raise ClockApart(
            f"this machine's clock stands {_describe(ours_ms - database_ms)} the database's and the vendor's: "
            "set it right (is NTP running?)"
        )
    if near_us:
        raise ClockApart(
            f"the database's clock stands {_describe(database_ms - ours_ms)} ours and the vendor's: "
            "set it right on the database's machine"
        )
    raise ClockApart(
        f"three clocks tell three times: the vendor's stands {_describe(vendor_ms - ours_ms)} ours, "
        f"the database's {_describe(database_ms - ours_ms)} ours"
    )


def _describe(difference_ms: int) -> str:
    return f"{format_span(abs(difference_ms))} {'ahead of' if difference_ms > 0 else 'behind'}"
