"""What a person and the sensor see when vendors are lost: nothing retires, and it is said; `--retire` means it."""

import json
import logging
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from dagster import DagsterInstance, Definitions, build_sensor_context

from series_pipelines.app.settings import load_settings
from series_pipelines.cli import series
from series_pipelines.defs.build import build_definitions
from series_pipelines.defs.resources import SeriesResource
from series_pipelines.ingest.storing import states
from series_pipelines.postgres.connection import Connection

pytestmark = pytest.mark.filterwarnings("default")  # Dagster's own deprecations are not ours to mend
SWAP_HOURS = "DEMO/SWAP/BTC-USDT/PT1H"


@pytest.fixture(autouse=True)
def environment(series_environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERIES_DEMO_EPOCH", "2026-11-01")
    monkeypatch.setenv("SERIES_DEMO_PRODUCTS", "8")
    monkeypatch.syspath_prepend(tmp_path)
    load_settings.cache_clear()


def invoke(*arguments: str) -> Result:
    result = CliRunner().invoke(series, arguments, prog_name="series")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def choose_vendors(monkeypatch: pytest.MonkeyPatch, names: str, file: Path | None = None) -> None:
    monkeypatch.setenv("SERIES_VENDORS", names)
    if file is not None:
        monkeypatch.setenv("SERIES_VENDORS_FILE", str(file))
    load_settings.cache_clear()


def count_active(conn: Connection) -> int:
    conn.rollback()
    return sum(each.active for name in ("ohlc_v2", "interest_rate") for each in states.list_series(conn, name))


@pytest.mark.parametrize("way", ["blank", "empty file"])
def test_a_blank_setting_and_an_empty_file_retire_nothing_without_retire(
    conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    assert invoke("products", "--refresh").exit_code == 0
    before = count_active(conn)
    empty = tmp_path / "vendors.toml"
    empty.write_text("")
    choose_vendors(monkeypatch, " ", empty if way == "empty file" else None)
    refused = invoke("products", "--refresh", "--json")
    assert refused.exit_code == 1
    assert len(json.loads(refused.stdout)) == 8
    for name in ("demo-a", "demo-b"):
        assert f"series: refused: vendor '{name}': it is not configured, so " in refused.stderr
    assert "`series products --refresh --retire` retires them" in refused.stderr
    assert count_active(conn) == before > 0
    assert invoke("products", "--retire").exit_code == 2
    assert count_active(conn) == before
    assert invoke("products", "--refresh", "--retire").exit_code == 0
    assert count_active(conn) == 0


def test_the_universe_sensor_retires_nothing_either_and_says_so(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert invoke("products", "--refresh").exit_code == 0
    before = count_active(conn)
    choose_vendors(monkeypatch, " ")
    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    definitions: Definitions = build_definitions()
    sensor = definitions.get_repository_def().get_sensor_def("universe")
    with (
        DagsterInstance.ephemeral() as instance,
        build_sensor_context(instance=instance, resources={"series": SeriesResource()}) as context,
    ):
        context.log.addHandler(handler)
        sensor(context)
    assert [line for line in said if "vendor 'demo-a': it is not configured" in line]
    assert count_active(conn) == before


def test_a_vendor_that_can_not_be_loaded_stops_no_other_and_is_told_each_time(
    conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad_plugin.py").write_text("raise SystemExit(0)")
    choose_vendors(monkeypatch, "bad_plugin:create,demo")
    told = "series: refused: vendor 'bad_plugin:create' can't be loaded: SystemExit: 0"
    for arguments in (("products", "--refresh"), ("ingest", SWAP_HOURS, "--pages", "1"), ("vendors", "list")):
        done = invoke(*arguments)
        assert done.exit_code == 0
        assert told in done.stderr.splitlines()
    choose_vendors(monkeypatch, "bad_plugin:create")
    alone = invoke("products", "--refresh", "--retire")
    assert alone.exit_code == 2
    assert alone.stderr.splitlines() == ["series: error: vendor 'bad_plugin:create' can't be loaded: SystemExit: 0"]
    assert count_active(conn) > 0


def test_a_lane_asks_nobody_but_the_vendor_that_serves_it(
    conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert invoke("products", "--refresh").exit_code == 0
    (tmp_path / "curious_plugin.py").write_text(
        "from pathlib import Path\n"
        "from tests.support.hostile_offers import HostileVendor\n"
        f"asked = Path({str(tmp_path / 'asked')!r})\n"
        "def create(options): return [HostileVendor(served=asked.touch, offered=asked.touch)]\n"
    )
    choose_vendors(monkeypatch, "curious_plugin:create,demo")
    assert invoke("ingest", SWAP_HOURS, "--pages", "1").exit_code == 0
    assert invoke("refresh", SWAP_HOURS, "--days", "1").exit_code == 0
    config = {"ops": {"ohlc_v2": {"ops": {"ingest": {"config": {
        "capability": "IngestOHLC/DEMO%2FSWAP%2F/backward", "pages": 1, "seconds": 5,
    }}}}}}  # fmt: skip
    with DagsterInstance.ephemeral() as instance:
        job = build_definitions().resolve_job_def("ohlc_v2_lane")
        assert job.execute_in_process(instance=instance, run_config=config).success
    assert not (tmp_path / "asked").exists()
    invoke("products", "--refresh")
    assert (tmp_path / "asked").exists()
