"""The real exchanges, only if someone asks for them: `SERIES_TEST_ONLINE=1`, or names like `okx,binance`.

`SERIES_TEST_ONLINE_URL_OKX=http://127.0.0.1:8080` lets another server stand in for that exchange.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import pytest

from series_pipelines.app.clock import SystemClock
from series_pipelines.vendors.config import ExchangeConfig
from series_pipelines.vendors.exchanges import ExchangeVendor, create
from series_pipelines.vendors.exchanges.table import EXCHANGES
from tests.contract.exchange_case import EMPTY_WHEN_UNKNOWN
from tests.contract.throttles import WaitingThrottle
from tests.contract.vendor_case import Ability

CHOSEN = "SERIES_TEST_ONLINE"
URL = "SERIES_TEST_ONLINE_URL_"


@dataclass
class OnlineCase:
    """An exchange as it is today: nothing is known of what it has, and nothing can be done to it."""

    name: str
    clock: SystemClock = field(default_factory=SystemClock)
    cannot: ClassVar[dict[Ability, str]] = {}
    empty_when_unknown: ClassVar[dict[str, str]] = EMPTY_WHEN_UNKNOWN

    def __post_init__(self) -> None:
        self.throttle = WaitingThrottle(self.clock)
        config = ExchangeConfig(url=os.environ.get(URL + self.name.upper()))
        options = {"exchanges": {self.name: config}, "throttle": self.throttle, "clock": self.now_ms}
        vendors: list[ExchangeVendor] = create(options)
        [self.vendor] = vendors

    def now_ms(self) -> int:
        return self.clock.now_ms()


def make_param(name: str) -> object:
    """Return an exchange as a parameter, skipped unless it was asked for."""
    asked = os.environ.get(CHOSEN, "").lower().replace(" ", "").split(",")
    reason = f"it asks the real {name}: set {CHOSEN}=1, or {CHOSEN}={name}"
    skip = pytest.mark.skipif("1" not in asked and name not in asked, reason=reason)
    return pytest.param(name, marks=[skip, pytest.mark.xdist_group(f"online-{name}")])


@pytest.fixture(scope="session", params=[make_param(name) for name in EXCHANGES])
def case(request: pytest.FixtureRequest) -> Iterator[OnlineCase]:
    """A real exchange."""
    online = OnlineCase(request.param)
    yield online
    online.vendor.close()
