"""`series vendors`: what is configured, what of it works, and what is wrong, a line each."""

import json
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from series_pipelines.app.clock import SystemClock
from series_pipelines.app.settings import load_settings
from series_pipelines.cli import series
from series_pipelines.core.duration import DAY_MS
from series_pipelines.ingest.proving.vendor_check import Trial, check_vendor
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.vendors.contract import Limits, Product, Reply
from tests.exchanges.launch import start_exchange
from tests.support.hostile_offers import HostileVendor, explode, make_service


@pytest.fixture
def vendors_file(series_environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "vendors.toml"
    monkeypatch.setenv("SERIES_VENDORS_FILE", str(path))
    load_settings.cache_clear()
    return path


def invoke(*arguments: str) -> Result:
    result = CliRunner().invoke(series, ["vendors", *arguments], prog_name="series")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_list_names_what_each_vendor_serves_and_asks_nobody(vendors_file: Path) -> None:
    vendors_file.write_text('[exchanges.okx]\nurl = "http://127.0.0.1:9"\nprefixes = ["OKX/SWAP/"]\n')
    found = json.loads(invoke("list", "--json").stdout)
    assert [(each["vendor"], each["method"], each["product_prefix"]) for each in found] == [
        ("okx", "IngestInterestRate", "OKX/SWAP/"),
        ("okx", "IngestOHLC", "OKX/SWAP/"),
    ]
    assert "OKX/SWAP/" in invoke("list").stdout


def test_check_tells_what_works_and_what_does_not(vendors_file: Path) -> None:
    with start_exchange("okx") as okx, start_exchange("gate") as gate:
        vendors_file.write_text(f'[exchanges.okx]\nurl = "{okx.url}"\n[exchanges.gate]\nurl = "{gate.url}"\n')
        assert invoke("check").exit_code == 0
        gate.control(error_rate=1.0, kinds=["html_200"], paths=["/futures/usdt/candlesticks"])
        checked = invoke("check", "gate")
        assert checked.exit_code == 1
        lines = checked.stdout.splitlines()
        assert [line for line in lines if line.startswith("BAD")] == [
            line for line in lines if "IngestOHLC GATE/FUTURE/" in line
        ]
        found = {each["what"]: each for each in json.loads(invoke("check", "okx", "--json").stdout)}
        assert found["products"]["ok"]
        assert "rows, the newest until" in found["IngestOHLC OKX/SWAP/"]["detail"]


def test_an_exchange_that_is_down_is_one_line_for_each_thing_tried(vendors_file: Path) -> None:
    vendors_file.write_text('[exchanges.bybit]\nurl = "http://127.0.0.1:9"\n')
    checked = invoke("check")
    assert checked.exit_code == 1
    assert "BAD  bybit        products: vendor 'bybit': products() failed: bybit: " in checked.stdout


def test_what_is_typed_wrongly_names_what_there_is(vendors_file: Path) -> None:
    vendors_file.write_text('[exchanges.okx]\nurl = "http://127.0.0.1:9"\n')
    unknown = invoke("check", "okex")
    assert unknown.exit_code == 2
    assert "no vendor 'okex': configured are okx" in unknown.stderr
    vendors_file.unlink()
    missing = invoke("list")
    assert missing.exit_code == 2
    assert "can't be read" in missing.stderr


def test_check_keeps_the_budget_that_the_lanes_have(series_environment: dict[str, str], conn: Connection) -> None:
    service = make_service("X/", limits=Limits(requests=1, window_ms=DAY_MS, budget="shared"))
    vendors = [HostileVendor(name, [Product(f"X/{name}")], [service]) for name in ("first", "second")]

    def check(vendor: HostileVendor) -> Trial:
        connect_again = partial(connect, series_environment["SERIES_DATABASE_URL"], purpose="check", autocommit=True)
        return [*check_vendor(vendor, SystemClock(), connect_again)][-1]

    vendors[0].fetch = lambda request: Reply([], SystemClock().now_ms())  # type: ignore[method-assign]
    assert check(vendors[0]) == Trial("first", "IngestOHLC X/", True, "X/first: an empty page")
    vendors[1].fetch = explode  # type: ignore[method-assign]
    refused = check(vendors[1])
    assert not refused.ok
    assert "'shared' is spent" in refused.detail


def test_check_finds_what_a_hostile_vendor_does_a_line_each(
    series_environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hostile_plugin.py").write_text(
        "from tests.support.hostile_offers import *\n"
        "class V(HostileVendor):\n"
        "    def fetch(self, request): explode()\n"
        "def create(options):\n"
        "    return [V(offered=[Product('X/1'), None], served=[make_service('X/'), None])]\n"
    )
    (tmp_path / "broken_plugin.py").write_text("def create(options:")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("SERIES_VENDORS", "hostile_plugin:create,broken_plugin:create")
    load_settings.cache_clear()
    checked = invoke("check")
    assert checked.exit_code == 1
    assert [line.split(": ")[0] for line in checked.stdout.splitlines()] == [
        "BAD  hostile      services",
        "BAD  hostile      products",
        "BAD  hostile      IngestOHLC X/",
    ]
    assert "SystemExit" in checked.stdout.splitlines()[2]
    assert "series: refused: vendor 'broken_plugin:create' can't be loaded: SyntaxError" in checked.stderr
    listed = invoke("list")
    assert "X/" in listed.stdout
    assert "SyntaxError" in listed.stderr
