"""What the suite must know of a vendor: how to ask it, what it truly has, and how to make it misbehave.

`VendorCase` is enough for the sentences that hold anywhere, also at a real exchange. `KnownCase` adds the truth and
the faults of a vendor that runs here. What a case can't do it says in `cannot`, with the reason.
"""

from collections.abc import Container, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import pytest

from series_pipelines.core.tables import INTEREST_RATE, OHLC
from series_pipelines.ingest.pages.check import BarRow, InstantRow
from series_pipelines.ingest.planning.cadence import Cadence, find_cadence
from series_pipelines.vendors.contract import Vendor
from series_pipelines.vendors.registry import Registry
from series_pipelines.vendors.services import Capability

AnswerFault = Literal["html_200", "empty_200", "error_200", "cut", "500", "429", "503", "no_answer"]
RowFault = Literal["duplicate", "forming"]
Ability = AnswerFault | RowFault | Literal["failing_products", "throttle", "delisted"]


class TrueProduct(NamedTuple):
    """A product as it truly is; a step is None where the vendor has no such thing."""

    product_id: str
    listed_ms: int
    delisted_ms: int | None
    base: str
    quote: str
    price_step: str | None
    volume_step: str | None


@dataclass(frozen=True, slots=True)
class Series:
    """One product of a capability, at one duration or its rates."""

    capability: Capability
    product_id: str
    duration: str | None = None

    @property
    def series_id(self) -> str:
        if self.duration is None:
            return INTEREST_RATE.encode(self.product_id)
        return OHLC.encode(self.product_id, self.duration)

    @property
    def cadence(self) -> Cadence:
        return find_cadence(self.capability.table_name, self.series_id, self.capability.limits.grace_ms)

    @property
    def is_backward(self) -> bool:
        return self.capability.direction == "backward"


class VendorCase(Protocol):
    """A vendor under test."""

    name: str
    cannot: Mapping[Ability, str]
    empty_when_unknown: Mapping[str, str]
    """Keys of capabilities that may have nothing for an unknown product instead of rejecting it, and why."""

    @property
    def vendor(self) -> Vendor:
        """The vendor, or our client of it."""
        ...

    def now_ms(self) -> int:
        """Return our own time."""
        ...


class KnownCase(VendorCase, Protocol):
    """A vendor that runs here, so that all it can give is known and it does wrong what it is told to."""

    waits_ms: Container[int]
    """What its 429 may ask us to wait."""
    most_detours: int
    """How many more requests a walk may take to see where history goes on after a hole, or that it ends."""

    def connect(self, timeout_seconds: float) -> AbstractContextManager[Vendor]:
        """Make another client of the same server, one that knows nothing yet."""
        ...

    def products(self) -> Sequence[TrueProduct]:
        """Return every product there is, delisted ones where the vendor lists them."""
        ...

    def choose_product(self, capability: Capability, duration: str | None) -> str:
        """Return the product to page through: not so old that it takes long, and with something special."""
        ...

    def find_exact_product(self, capability: Capability) -> str:
        """Return the product whose prices have 18 digits."""
        ...

    def bars(self, product_id: str, duration: str, now_ms: int) -> list[BarRow]:
        """Return all bars that have ended by then, oldest first."""
        ...

    def rates(self, product_id: str, now_ms: int) -> list[InstantRow]:
        """Return all rates until then, oldest first."""
        ...

    def page_rows(self, series: Series) -> int:
        """Return how many rows a full page has."""
        ...

    def requests_a_page(self, series: Series) -> int:
        """Return how many requests one page takes."""
        ...

    def count_requests(self) -> int:
        """Return how many requests the server has received so far."""
        ...

    def count_paid(self) -> int:
        """Return how many requests the throttle has let pass so far."""
        ...

    def failing(self, fault: AnswerFault | RowFault) -> AbstractContextManager[None]:
        """Let every answer be like this until the block ends."""
        ...

    def skewed(self, skew_ms: int) -> AbstractContextManager[None]:
        """Put the server's clock ahead of ours until the block ends."""
        ...

    def wait(self, duration_ms: int) -> None:
        """Let time pass for the client, where it remembers how long to leave the server alone."""
        ...


def need(case: VendorCase, ability: Ability) -> None:
    """Skip a sentence that a case can't be put to, and say why."""
    if (reason := case.cannot.get(ability)) is not None:
        pytest.skip(f"{case.name}, {ability}: {reason}")


def list_capabilities(case: VendorCase) -> list[Capability]:
    """Return what the vendor serves, read as the pipelines read it."""
    catalogue = Registry([case.vendor]).read()
    assert catalogue.refused == ()
    assert catalogue.capabilities
    return list(catalogue.capabilities.values())


def list_series(case: KnownCase, duration: str | None) -> list[Series]:
    """Return one series of each capability: bars of a duration, or rates."""
    table_name = "interest_rate" if duration is None else "ohlc_v2"
    return [
        Series(capability, case.choose_product(capability, duration), duration)
        for capability in list_capabilities(case)
        if capability.table_name == table_name
    ]


def list_some_series(case: KnownCase) -> list[Series]:
    """Return one series of each capability, minutes where it has bars."""
    return [*list_series(case, "PT1M"), *list_series(case, None)]


def list_true_rows(case: KnownCase, series: Series, now_ms: int) -> list[BarRow] | list[InstantRow]:
    """Return all that is final at a time: what ended, or took effect, at least the vendor's grace before."""
    final_ms = now_ms - series.capability.limits.grace_ms
    if series.duration is None:
        return [rate for rate in case.rates(series.product_id, now_ms) if rate[0] <= final_ms]
    return [bar for bar in case.bars(series.product_id, series.duration, now_ms) if bar[1] <= final_ms]
