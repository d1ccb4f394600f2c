"""What exchanges have in common: how their intervals are named, and the usual columns of a kline."""

from collections.abc import Mapping
from typing import Final

from series_pipelines.vendors.exchanges.spec import BarColumns


def name_intervals(
    minutes: str, hours: str, other: Mapping[str, str], minute: str = "{}m", hour: str = "{}h"
) -> dict[str, str]:
    """Return the exchange's name of each duration: so many minutes, so many hours, and others by name."""
    named = {f"PT{count}M": minute.format(count) for count in minutes.split()}
    named |= {f"PT{count}H": hour.format(count) for count in hours.split()}
    return named | dict(other)


KLINE: Final = BarColumns(0, 1, 2, 3, 4, 5)
