"""Every vendor is a case; it is started once, and all its sentences run in one worker."""

from collections.abc import Iterator

import pytest

from tests.contract.demo_case import DemoCase
from tests.contract.exchange_case import run_exchange
from tests.contract.http_case import HttpCase
from tests.contract.vendor_case import KnownCase
from tests.exchanges.catalogue import NAMES

CASES = ("demo-a", "demo-b", "http", *NAMES)


@pytest.fixture(
    scope="session", params=[pytest.param(name, marks=pytest.mark.xdist_group(f"contract-{name}")) for name in CASES]
)
def case(request: pytest.FixtureRequest) -> Iterator[KnownCase]:
    """A vendor that runs here."""
    if request.param in NAMES:
        with run_exchange(request.param) as exchange:
            yield exchange
    elif request.param == "http":
        remote = HttpCase("http", "demo-a", "demo-b")
        yield remote
        remote.close()
    else:
        yield DemoCase(request.param, request.param)
