"""Sensors, lanes and a person's runs on a real Dagster instance whose storage is the real Postgres."""

import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from dagster import (
    AssetKey,
    DagsterError,
    DagsterInstance,
    DagsterRunStatus,
    Definitions,
    ExecuteInProcessResult,
    RunRequest,
    SensorResult,
    SkipReason,
    TableMetadataValue,
    build_sensor_context,
)
from dagster._core.storage.partition_status_cache import get_and_update_asset_status_cache_value
from dagster._core.test_utils import create_run_for_test
from dagster._utils.error import serializable_error_info_from_exc_info
from dagster_shared.error import SerializableErrorInfo

from series_pipelines.actions import backfill
from series_pipelines.app.settings import load_settings
from series_pipelines.defs import display, event_batch, lane_log
from series_pipelines.defs.build import build_definitions
from series_pipelines.defs.partitions import find_partitions
from series_pipelines.defs.resources import SeriesResource
from series_pipelines.defs.retention import purge_dagster_events
from series_pipelines.defs.storage import add_search_path, find_dagster_database
from series_pipelines.errors import DatabaseUnavailable
from series_pipelines.ingest.catalogue.universe import sync_universe
from series_pipelines.ingest.lane import lane as lane_module
from series_pipelines.ingest.lane.fetch import fetch_page
from series_pipelines.ingest.lane.order import Ending, LaneEnd, LaneReport
from series_pipelines.ingest.storing import capabilities, ranges, states
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.vendors.loading import load_vendors
from series_pipelines.vendors.registry import Registry
from series_pipelines.vendors.services import format_cap_key
from tests.support.databases import Server, create_database
from tests.support.narrowing import expect
from tests.support.places import PROJECT

pytestmark = pytest.mark.filterwarnings("default")  # Dagster's own deprecations are not ours to mend
SWAPS = format_cap_key("IngestOHLC", "DEMO/SWAP/", "backward")
BTC = "DEMO/SWAP/BTC-USDT/P1D"


@pytest.fixture(scope="session")
def template(postgres: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A migrated template with Dagster's own tables in it."""
    with contextmanager(create_database)(postgres, template) as url:
        # The environment is that of this moment only: a session ends long after.
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SERIES_DATABASE_URL", url)
            patch.setenv("DAGSTER_HOME", str(make_dagster_home(tmp_path_factory.mktemp("dagster"))))
            with DagsterInstance.get():
                pass
        yield urlsplit(url).path.removeprefix("/")


def make_dagster_home(folder: Path) -> Path:
    shutil.copyfile(PROJECT / "dagster.yaml", folder / "dagster.yaml")
    return folder


@pytest.fixture
def instance(
    series_environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DagsterInstance]:
    monkeypatch.setenv("DAGSTER_HOME", str(make_dagster_home(tmp_path)))
    monkeypatch.setenv("SERIES_DEMO_PRODUCTS", "8")
    monkeypatch.setenv("SERIES_DEMO_EPOCH", (datetime.now(UTC) - timedelta(days=1)).isoformat())
    load_settings.cache_clear()
    with DagsterInstance.get() as real:
        yield real


@pytest.fixture
def definitions(instance: DagsterInstance) -> Definitions:
    return build_definitions()


@pytest.fixture
def universe(definitions: Definitions, instance: DagsterInstance) -> Definitions:
    result = tick(definitions, instance, "universe")
    assert isinstance(result, SensorResult)
    for request in result.dynamic_partitions_requests or ():
        instance.add_dynamic_partitions(request.partitions_def_name, list(request.partition_keys))
    return definitions


def tick(definitions: Definitions, instance: DagsterInstance, name: str) -> SensorResult | SkipReason:
    sensor = definitions.get_repository_def().get_sensor_def(name)
    with build_sensor_context(instance=instance, resources={"series": SeriesResource()}) as context:
        return sensor(context)  # type: ignore[return-value]


def find_requests(result: SensorResult | SkipReason) -> dict[str, RunRequest]:
    assert isinstance(result, SensorResult), result
    return {request.tags["series/capability"]: request for request in result.run_requests or ()}


def execute(
    definitions: Definitions, instance: DagsterInstance, table_name: str = "ohlc_v2", **kwargs: object
) -> ExecuteInProcessResult:
    job = definitions.resolve_job_def(f"{table_name}_lane")
    return job.execute_in_process(instance=instance, raise_on_error=False, **kwargs)  # type: ignore[arg-type]


def find_error(result: ExecuteInProcessResult) -> SerializableErrorInfo:
    """Return the error of the step that failed."""
    assert not result.success
    data = next(event for event in result.all_node_events if event.is_step_failure).step_failure_data
    assert data.error is not None
    return data.error


def read_log(instance: DagsterInstance, result: ExecuteInProcessResult) -> list[str]:
    return [entry.user_message for entry in instance.all_logs(result.run_id)]


def read_metadata(instance: DagsterInstance) -> Mapping[str, Any]:
    """Return the metadata of the newest materialization of `ohlc_v2`."""
    event = instance.get_latest_materialization_event(AssetKey("ohlc_v2"))
    assert event is not None
    assert event.asset_materialization is not None
    return event.asset_materialization.metadata


def find_materialized(instance: DagsterInstance, table_name: str = "ohlc_v2") -> set[str]:
    asset = AssetKey(table_name)
    partitions = find_partitions(table_name)
    cache = get_and_update_asset_status_cache_value(instance, asset, partitions, instance)
    assert cache is not None
    return set(cache.deserialize_materialized_partition_subsets(partitions).get_partition_keys())


def test_the_universe_sensor_adds_every_series_as_a_sorted_partition(
    universe: Definitions, instance: DagsterInstance
) -> None:
    keys = instance.get_dynamic_partitions("ohlc_series")
    assert BTC in keys
    assert list(keys) == sorted(keys)
    assert instance.get_dynamic_partitions("interest_rate_series")
    again = tick(universe, instance, "universe")
    assert isinstance(again, SensorResult)
    assert not again.dynamic_partitions_requests
    bars, rates = (again.asset_events[0].metadata[name] for name in ("bars", "rates"))
    assert isinstance(bars, TableMetadataValue)
    assert isinstance(rates, TableMetadataValue)
    assert {record.data["prefix"] for record in bars.records} == {"DEMO/SWAP", "DEMO/SPOT"}
    assert {record.data["prefix"] for record in rates.records} == {"DEMO/SWAP", "DEMO/MARGIN"}


def test_the_head_sensor_asks_for_one_lane_a_capability_and_says_why_not(
    universe: Definitions, instance: DagsterInstance
) -> None:
    requests = find_requests(tick(universe, instance, "ohlc_v2_head"))
    assert len(requests) == 2
    request = requests[SWAPS]
    assert request.partition_key is None
    assert request.tags["dagster/priority"] == "10"
    assert request.tags["lane"] == "SWAP bars of DEMO, backward"
    assert request.tags["dagster/max_runtime_seconds"] == "180"
    config = request.run_config["ops"]["ohlc_v2"]["ops"]["ingest"]["config"]
    assert config == {"capability": SWAPS, "kind": "head"}
    skipped = tick(universe, instance, "ohlc_v2_tail")
    assert isinstance(skipped, SkipReason)
    assert "heads wait" in str(skipped.skip_message)


def test_a_capability_with_a_run_under_way_gets_no_second_one(universe: Definitions, instance: DagsterInstance) -> None:
    create_run_for_test(instance, status=DagsterRunStatus.STARTED, tags={"series/capability": SWAPS})
    assert SWAPS not in find_requests(tick(universe, instance, "ohlc_v2_head"))


def test_a_lane_holding_its_lock_keeps_sensors_away(universe: Definitions, instance: DagsterInstance) -> None:
    with connect(os.environ["SERIES_DATABASE_URL"], purpose="test", autocommit=True) as holder:
        holder.execute("select pg_advisory_lock(hashtextextended(%s, 0))", [SWAPS])
        assert SWAPS not in find_requests(tick(universe, instance, "ohlc_v2_head"))


def test_a_lane_run_fills_its_capability_and_logs_an_event_a_partition(
    universe: Definitions, instance: DagsterInstance, conn: Connection
) -> None:
    request = find_requests(tick(universe, instance, "ohlc_v2_head"))[SWAPS]
    result = execute(universe, instance, run_config=request.run_config, tags=request.tags)
    assert result.success
    series = {known.series_id for known in states.list_series(conn, "ohlc_v2") if known.cap_key == SWAPS}
    assert find_materialized(instance) == series
    event = instance.get_latest_materialization_event(AssetKey("ohlc_v2"))
    assert event is not None
    assert event.asset_materialization is not None
    metadata = event.asset_materialization.metadata
    assert {"new_rows", "range", "lag_bars", "coverage_percent", "gaps", "floor", "last_rows"} <= set(metadata)
    fragments = conn.execute("select count(*), count(distinct series_id) from series_data_range").fetchone()
    assert fragments is not None
    assert fragments[0] == fragments[1]


def test_a_one_partition_run_fills_exactly_that_series(
    universe: Definitions, instance: DagsterInstance, conn: Connection
) -> None:
    result = execute(universe, instance, partition_key=BTC)
    assert result.success
    assert find_materialized(instance) == {BTC}
    assert conn.execute("select distinct series_id from ohlc_v2").fetchall() == [(BTC,)]
    facts = states.read_facts(conn, "ohlc_v2", series_ids=[BTC])[0]
    assert facts.floor_kind == "listing"


def test_floors_are_verified_again_when_the_settings_say(
    universe: Definitions, instance: DagsterInstance, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERIES_RECHECK_DAYS", "30")
    load_settings.cache_clear()
    assert execute(universe, instance, partition_key=BTC).success
    recheck_ms = states.read_facts(conn, "ohlc_v2", series_ids=[BTC])[0].recheck_ms
    assert recheck_ms is not None
    assert 29 < (recheck_ms / 1000 - datetime.now(UTC).timestamp()) / 86_400 <= 30


def test_a_range_backfill_fills_exactly_its_series(
    universe: Definitions, instance: DagsterInstance, conn: Connection
) -> None:
    keys = instance.get_dynamic_partitions("ohlc_series")
    chosen = keys[4:9]
    tags = {"dagster/asset_partition_range_start": chosen[0], "dagster/asset_partition_range_end": chosen[-1]}
    config = {"ops": {"ohlc_v2": {"ops": {"ingest": {"config": {"kind": "head", "pages": 10}}}}}}
    result = execute(universe, instance, tags=tags, run_config=config)
    assert result.success
    assert find_materialized(instance) == set(chosen)
    assert {row[0] for row in conn.execute("select distinct series_id from ohlc_v2").fetchall()} == set(chosen)


def test_run_config_narrows_to_a_time_window(
    universe: Definitions, instance: DagsterInstance, conn: Connection
) -> None:
    series_id = "DEMO/SWAP/BTC-USDT/PT1H"
    end = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(days=3)
    window = {"start": (end - timedelta(days=2)).isoformat(), "end": end.isoformat()}
    config = {"ops": {"ohlc_v2": {"ops": {"ingest": {"config": window}}}}}
    assert execute(universe, instance, partition_key=series_id, run_config=config).success
    covered = ranges.read(conn, "ohlc_v2", [series_id])[series_id]
    assert covered[-1].end_ms <= (end + timedelta(hours=3)).timestamp() * 1000
    assert covered[0].start_ms <= (end - timedelta(days=2)).timestamp() * 1000


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"capability": SWAPS}, "either a capability or partitions"),
        ({"start": "yesterday"}, "'yesterday' is not a time"),
        ({"start": "2026-01-02", "end": "2026-01-01"}, "start 2026-01-02 is not before end 2026-01-01"),
        ({"kind": "head", "start": "2026-01-02"}, "a time window has no head"),
    ],
)
def test_a_wrong_wish_fails_the_run_with_one_clear_line(
    universe: Definitions, instance: DagsterInstance, config: dict[str, str], message: str
) -> None:
    run_config = {"ops": {"ohlc_v2": {"ops": {"ingest": {"config": config}}}}}
    result = execute(universe, instance, partition_key=BTC, run_config=run_config)
    error = find_error(result)
    assert message in error.message
    assert (error.stack, error.cause, error.context) == ([], None, None)


def test_an_interest_rate_lane_works_like_an_ohlc_lane(universe: Definitions, instance: DagsterInstance) -> None:
    for request in find_requests(tick(universe, instance, "interest_rate_head")).values():
        assert execute(universe, instance, "interest_rate", run_config=request.run_config, tags=request.tags).success
    assert find_materialized(instance, "interest_rate") == set(instance.get_dynamic_partitions("interest_rate_series"))


def test_a_lane_that_finds_its_capability_taken_ends_well(universe: Definitions, instance: DagsterInstance) -> None:
    request = find_requests(tick(universe, instance, "ohlc_v2_head"))[SWAPS]
    with connect(os.environ["SERIES_DATABASE_URL"], purpose="test", autocommit=True) as holder:
        holder.execute("select pg_advisory_lock(hashtextextended(%s, 0))", [SWAPS])
        assert execute(universe, instance, run_config=request.run_config, tags=request.tags).success
    assert find_materialized(instance) == set()


def test_a_cancelled_run_keeps_its_pages_and_frees_the_capability(
    universe: Definitions, instance: DagsterInstance, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = find_requests(tick(universe, instance, "ohlc_v2_head"))[SWAPS]
    asked = threading.Semaphore(5)

    def interrupt_at_sixth(*args: object) -> object:
        if not asked.acquire(blocking=False):
            os.kill(os.getpid(), signal.SIGINT)
        return fetch_page(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(lane_module, "fetch_page", interrupt_at_sixth)
    result = execute(universe, instance, run_config=request.run_config, tags=request.tags)
    error = find_error(result)
    assert (error.message, error.stack, error.cause, error.context) == ("the run was told to end", [], None, None)
    monkeypatch.undo()
    covered = conn.execute("select count(distinct series_id) from series_data_range").fetchone()
    rows = conn.execute("select count(distinct series_id) from ohlc_v2").fetchone()
    assert covered == rows
    assert rows is not None
    assert expect(int, rows[0]) >= 5
    held = conn.execute("select count(*) from pg_locks where locktype = 'advisory' and objsubid = 1").fetchone()
    assert held == (0,)


@pytest.mark.parametrize(
    ("left_behind", "told"),
    [(0, "0 failed; ended because it was stubbed"), (2, "0 failed, 2 requests not answered in time; ended because")],
)
def test_a_run_s_log_says_how_many_requests_were_left_behind(
    universe: Definitions, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch, left_behind: int, told: str
) -> None:
    report = LaneReport(left_behind=left_behind, ending=Ending(LaneEnd.NOTHING_IS_DUE, "it was stubbed"))
    monkeypatch.setattr(backfill, "run_lane", lambda *_: report)
    result = execute(universe, instance, partition_key=BTC)
    assert result.success
    assert any(told in entry.user_message for entry in instance.all_logs(result.run_id))


def test_events_are_stored_in_batches_without_falling_back(
    universe: Definitions, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    storage = type(instance.event_log_storage)
    store = storage.store_event_batch

    def count(self: object, events: list[object]) -> None:
        sizes.append(len(events))
        store(self, events)  # type: ignore[arg-type]

    monkeypatch.setattr(storage, "store_event_batch", count)
    request = find_requests(tick(universe, instance, "ohlc_v2_head"))[SWAPS]
    assert execute(universe, instance, run_config=request.run_config, tags=request.tags).success
    assert sum(sizes) == len(find_materialized(instance))
    assert len(sizes) <= 3


def test_each_event_of_a_batch_has_a_millisecond_of_its_own(universe: Definitions, instance: DagsterInstance) -> None:
    request = find_requests(tick(universe, instance, "ohlc_v2_head"))[SWAPS]
    assert execute(universe, instance, run_config=request.run_config, tags=request.tags).success
    ended_ms = datetime.now(UTC).timestamp() * 1000
    records = instance.fetch_materializations(AssetKey("ohlc_v2"), limit=1_000, ascending=True).records
    times = [round(record.timestamp * 1000) for record in records]
    assert len(times) == len(find_materialized(instance)) > 10
    assert times == sorted(set(times))
    assert times[-1] <= ended_ms + len(times)


def test_the_lanes_of_one_run_share_no_millisecond(
    universe: Definitions, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ns = time.time_ns()
    monkeypatch.setattr(event_batch, "time", SimpleNamespace(time_ns=lambda: now_ns))
    chosen = ["DEMO/SPOT/BTC-USDT/P1D", BTC]
    tags = {"dagster/asset_partition_range_start": chosen[0], "dagster/asset_partition_range_end": chosen[-1]}
    config = {"ops": {"ohlc_v2": {"ops": {"ingest": {"config": {"kind": "head", "pages": 10}}}}}}
    assert execute(universe, instance, tags=tags, run_config=config).success
    records = instance.fetch_materializations(AssetKey("ohlc_v2"), limit=1_000).records
    assert set(chosen) <= {record.partition_key for record in records}
    times = [round(record.timestamp * 1000) for record in records]
    assert len(times) == len(set(times))


def test_events_are_logged_one_by_one_where_the_batch_fails(
    universe: Definitions, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: object, events: list[object]) -> None:
        raise TypeError("the call has changed")

    monkeypatch.setattr(type(instance.event_log_storage), "store_event_batch", refuse)
    result = execute(universe, instance, partition_key=BTC)
    assert result.success
    assert find_materialized(instance) == {BTC}
    assert any("the call has changed" in message for message in read_log(instance, result))


def test_a_lane_stores_no_empty_batches(
    universe: Definitions, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    show = display.Display._show

    def count(self: display.Display, group: list[Any], with_last_rows: bool) -> None:
        sizes.append(len(group))
        show(self, group, with_last_rows)

    monkeypatch.setattr(display.Display, "_show", count)
    monkeypatch.setattr(display, "FLUSH_EVERY_SECONDS", 0.0)
    monkeypatch.setattr(display, "find_display_interval", lambda series: 3_600_000)
    config = {"ops": {"ohlc_v2": {"ops": {"ingest": {"config": {"capability": SWAPS, "pages": 60}}}}}}
    assert execute(universe, instance, run_config=config).success
    assert len(sizes) > 10
    assert 0 not in sizes


def test_a_run_says_what_is_done_and_left_and_how_many_rows_were_new(
    universe: Definitions, instance: DagsterInstance, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane_log, "PERSON_SECONDS", 0.0)
    result = execute(universe, instance, partition_key=BTC)
    told = [line for line in read_log(instance, result) if "pages a minute" in line]
    assert "left: 0 heads, 1 tails" in told[0]
    assert "left: 0 heads, 0 tails" in told[-1]
    stored = conn.execute("select count(*) from ohlc_v2").fetchone()
    assert stored is not None
    assert f" {stored[0]} of them new;" in told[-1]
    metadata = read_metadata(instance)
    assert metadata["new_rows"].value == stored[0]
    assert metadata["lag_bars"].value == 0
    execute(universe, instance, partition_key=BTC)
    assert read_metadata(instance)["new_rows"].value == 0


def test_a_sensors_lane_says_what_is_left_of_its_kind_of_work(
    universe: Definitions, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane_log, "LANE_SECONDS", 0.0)
    request = find_requests(tick(universe, instance, "ohlc_v2_head"))[SWAPS]
    result = execute(universe, instance, run_config=request.run_config, tags=request.tags)
    told = [line for line in read_log(instance, result) if "pages a minute" in line]
    left = [int(found.group(1)) for line in told if (found := re.search(r"; left: (\d+) heads(?:; waits for|$)", line))]
    assert len(left) == len(told) > 10
    assert left[0] > 10
    assert left[-1] == 0


def test_a_lane_that_stands_still_says_so_every_few_seconds(
    universe: Definitions, instance: DagsterInstance, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane_log, "LANE_SECONDS", 0.5)
    monkeypatch.setenv("SERIES_DEMO_LATENCY_MS", "1800")
    load_settings.cache_clear()
    ingest = {"capability": SWAPS, "kind": "head", "pages": 1}
    result = execute(universe, instance, run_config={"ops": {"ohlc_v2": {"ops": {"ingest": {"config": ingest}}}}})
    told = [line for line in read_log(instance, result) if "pages a minute" in line]
    assert len(told) >= 2
    assert re.search(r"s: 0 pages, .*; left: \d+ heads; waits for an answer for DEMO/SWAP/.*, asked \d s ago$", told[0])


def test_a_lane_on_a_window_leaves_out_what_it_can_not_count(
    universe: Definitions, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane_log, "PERSON_SECONDS", 0.0)
    start = (datetime.now(UTC) - timedelta(days=3)).isoformat()
    config = {"ops": {"ohlc_v2": {"ops": {"ingest": {"config": {"start": start}}}}}}
    result = execute(universe, instance, partition_key="DEMO/SWAP/BTC-USDT/PT1H", run_config=config)
    told = [line for line in read_log(instance, result) if "pages a minute" in line]
    assert told
    assert not [line for line in told if "left" in line]


def test_a_delisted_series_has_no_lag_but_says_so(universe: Definitions, instance: DagsterInstance) -> None:
    assert execute(universe, instance, partition_key="DEMO/SWAP/LUNA-USDT/P1D").success
    metadata = read_metadata(instance)
    assert metadata["delisted"].value.startswith("since 20")
    assert "lag_bars" not in metadata


def test_why_a_lane_ended_is_told_also_when_showing_fails(
    universe: Definitions, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end_lane(*args: object) -> object:
        raise DatabaseUnavailable("this ended the lane")

    def fail_too(self: display.Display) -> str:
        raise psycopg.InterfaceError("the connection is closed")

    monkeypatch.setattr(lane_module, "judge_page", end_lane)
    monkeypatch.setattr(display.Display, "finish", fail_too)
    result = execute(universe, instance, partition_key=BTC)
    assert find_error(result).message == "this ended the lane"
    assert any("the connection is closed" in message for message in read_log(instance, result))


LOOKS = ("universe", "ohlc_v2_head", "interest_rate_tail")
JOBS: tuple[str, ...] = ("ohlc_v2_lane", "summarize", "nightly_checks", "purge_display")


@pytest.mark.parametrize("broken", ["unreachable", "not migrated"])
def test_a_database_that_does_not_serve_is_said_in_one_line_without_a_traceback(
    universe: Definitions, instance: DagsterInstance, owner: Connection, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    if broken == "unreachable":
        monkeypatch.setenv("SERIES_DATABASE_URL", "postgresql://nobody:secret@127.0.0.1:1/none")
        load_settings.cache_clear()
        expected, jobs = "the database at 127.0.0.1:1/none can't be reached: ", JOBS
    else:
        owner.execute("drop schema public cascade")
        owner.execute("create schema public")
        owner.execute("grant usage on schema public to public")
        expected, jobs = "the database is not migrated, run `series migrate`: ", JOBS[:-1]
    told: dict[str, SerializableErrorInfo] = {}
    for name in LOOKS:
        with pytest.raises(DagsterError) as caught:
            tick(universe, instance, name)
        told[name] = serializable_error_info_from_exc_info(caught._excinfo)  # type: ignore[arg-type]
    for name in jobs:
        partition = {"partition_key": BTC} if name == "ohlc_v2_lane" else {}
        job = universe.resolve_job_def(name)
        told[name] = find_error(job.execute_in_process(instance=instance, raise_on_error=False, **partition))  # type: ignore[arg-type]
    for name, error in told.items():
        assert error.message.startswith(expected), name
        assert "\n" not in error.message, name
        assert "secret" not in error.message, name
        assert (error.stack, error.cause, error.context) == ([], None, None), name


def test_a_tick_of_the_universe_says_what_it_found(definitions: Definitions, instance: DagsterInstance) -> None:
    first = tick(definitions, instance, "universe")
    assert isinstance(first, SensorResult)
    assert re.fullmatch(
        r"4 capabilities, 8 products, (\d+) series; \1 new series, 8 changed products, \1 new partitions",
        str(first.skip_reason.skip_message),  # type: ignore[union-attr]
    )
    for request in first.dynamic_partitions_requests or ():
        instance.add_dynamic_partitions(request.partitions_def_name, list(request.partition_keys))
    second = tick(definitions, instance, "universe")
    assert isinstance(second, SensorResult)
    assert str(second.skip_reason.skip_message).endswith(" series; nothing new")  # type: ignore[union-attr]


def test_what_a_lane_has_no_time_to_show_is_shown_by_the_next_one(
    universe: Definitions, instance: DagsterInstance, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(display, "MAX_SHARE", 0.0)
    monkeypatch.setattr(display, "MAX_BATCH", 3)
    monkeypatch.setattr(display, "FEW_SERIES", 5)
    config = {"ops": {"ohlc_v2": {"ops": {"ingest": {"config": {"capability": SWAPS, "kind": "head"}}}}}}
    assert execute(universe, instance, run_config=config).success
    shown = find_materialized(instance)
    facts = states.read_facts(conn, "ohlc_v2", cap_key=SWAPS)
    assert len(shown) == 6
    assert shown == {known.series_id for known in facts if known.shown_ms is not None}
    monkeypatch.undo()
    # Every series has a tail to fetch, so the next lane touches them all.
    longer = {"ops": {"ohlc_v2": {"ops": {"ingest": {"config": {"capability": SWAPS, "pages": len(facts) * 2}}}}}}
    assert execute(universe, instance, run_config=longer).success
    assert len(find_materialized(instance)) > len(shown)


def test_purging_events_keeps_statuses_and_metadata(universe: Definitions, instance: DagsterInstance) -> None:
    for _ in range(2):
        assert execute(universe, instance, partition_key=BTC).success
    before = find_materialized(instance)
    with connect(find_dagster_database(), purpose="test") as storage:
        events, runs = purge_dagster_events(storage, datetime.now(UTC) + timedelta(minutes=1))
    assert events > 10
    assert runs == 1
    instance.wipe_asset_cached_status([AssetKey("ohlc_v2")])
    assert find_materialized(instance) == before
    event = instance.get_latest_materialization_event(AssetKey("ohlc_v2"))
    assert event is not None
    assert event.asset_materialization is not None
    assert "last_rows" in event.asset_materialization.metadata


def test_secrets_are_in_no_table_of_dagster(universe: Definitions, instance: DagsterInstance, conn: Connection) -> None:
    assert execute(universe, instance, partition_key=BTC).success
    password = os.environ["SERIES_DATABASE_URL"].split(":")[2].split("@")[0]
    for table in ("event_logs", "runs", "run_tags", "job_ticks"):
        found = conn.execute(f"select count(*) from dagster.{table} as t where t::text like %s", [f"%{password}%"])
        assert found.fetchone() == (0,)


def test_a_url_keeps_its_own_options_when_the_schema_is_added() -> None:
    url = add_search_path("postgresql://a:b@h:1/d?sslmode=require&options=-cwork_mem%3D1MB", "dagster")
    assert url == ("postgresql://a:b@h:1/d?sslmode=require&options=-cwork_mem%3D1MB%20-csearch_path%3Ddagster")


def test_sensors_are_off_unless_the_settings_say_otherwise(
    series_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def find_statuses() -> set[str]:
        load_settings.cache_clear()
        return {sensor.default_status.value for sensor in build_definitions().sensors or ()}

    assert find_statuses() == {"STOPPED"}
    monkeypatch.setenv("SERIES_SENSORS", "on")
    assert find_statuses() == {"RUNNING"}


def test_a_capability_that_no_vendor_serves_now_pauses(
    universe: Definitions, instance: DagsterInstance, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERIES_VENDORS", "")
    monkeypatch.setenv("SERIES_VENDORS_FILE", str(PROJECT / "vendors.example.toml"))
    load_settings.cache_clear()
    config = {"ops": {"ohlc_v2": {"ops": {"ingest": {"config": {"capability": SWAPS}}}}}}
    assert not execute(universe, instance, run_config=config).success
    paused = next(state for state in capabilities.read(conn) if state.cap_key == SWAPS)
    assert paused.backoff_ms == 5_000
    assert SWAPS not in find_requests(tick(universe, instance, "ohlc_v2_head"))


def test_an_unknown_vendor_is_said_in_one_line(
    series_environment: dict[str, str], conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Exception, match="no vendor 'nope': known are ccxt, demo, http"):
        sync_universe(conn, Registry(*load_vendors(["nope"], {})), 0)
