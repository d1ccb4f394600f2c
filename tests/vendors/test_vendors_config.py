"""vendors.toml: what may be in it, and one line for what may not, never with a secret."""

from pathlib import Path

import pytest

from series_pipelines.errors import InvalidInput
from series_pipelines.vendors.config import parse_vendors
from series_pipelines.vendors.exchanges import create
from tests.support.places import PROJECT

PATH = Path("vendors.toml")
EXAMPLE = PROJECT / "vendors.example.toml"


class NoThrottle:
    def take(self, *_: object) -> int:
        raise AssertionError("making vendors asks nobody")


def test_the_example_names_exchanges_that_exist() -> None:
    file = parse_vendors(EXAMPLE.read_text(), EXAMPLE)
    vendors = create({"exchanges": file.exchanges, "throttle": NoThrottle(), "clock": lambda: 0})
    assert [vendor.name for vendor in vendors] == ["okx", "binance", "bybit"]
    assert file.exchanges["okx"].durations == ("PT1M", "PT1H", "P1D")
    assert file.exchanges["binance"].budget_share == 0.5


def test_an_empty_file_is_no_vendors() -> None:
    file = parse_vendors("", PATH)
    assert (file.exchanges, file.remote) == ({}, {})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[exchanges.okx\n", "vendors.toml is not TOML: .*line 1"),
        ("[exchange.okx]\n", "vendors.toml: exchange: Extra inputs are not permitted"),
        ("[exchanges.okx]\nprefix = 1\n", "exchanges.okx.prefix: Extra inputs"),
        ('[exchanges.okx]\ndurations = ["1x"]\n', "exchanges.okx.durations.0: .*1x"),
        ("[exchanges.okx]\nbudget_share = 1.5\n", "exchanges.okx.budget_share: .*less than or equal to 1"),
        ("[exchanges.okx]\nmin_age_days = -1\n", "exchanges.okx.min_age_days: "),
        ('[exchanges.okx]\nurl = "127.0.0.1"\n', "exchanges.okx.url: .*an address like http"),
        ('[exchanges.okx]\nproxy = "http://me:hunter2@h:1"\n', "exchanges.okx.proxy: .*belongs in the environment"),
        ('[exchanges.okx]\nproxy_env = "lower"\n', "exchanges.okx.proxy_env: "),
        ("[remote.acme]\nurls = []\n", "remote.acme.urls: "),
        ("[remote.acme]\n", "remote.acme.urls: Field required"),
    ],
)
def test_what_is_wrong_is_one_line_that_says_where(text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint) as caught:
        parse_vendors(text, PATH)
    assert "\n" not in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("okex", "", "no exchange 'okex': known are okx, binance"),
        ("okx", 'prefixes = ["OKX/FUTURES/"]', "OKX/SWAP/"),
    ],
)
def test_an_unknown_exchange_or_prefix_names_the_known_ones(name: str, text: str, complaint: str) -> None:
    file = parse_vendors(f"[exchanges.{name}]\n{text}\n", PATH)
    with pytest.raises(InvalidInput, match=complaint):
        create({"exchanges": file.exchanges, "throttle": NoThrottle(), "clock": lambda: 0})
