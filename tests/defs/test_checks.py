"""The summaries and ledgers of the tables, with their checks, as Dagster runs them on a real instance."""

from collections.abc import Iterator

import pytest
from dagster import (
    AssetCheckSeverity,
    AssetKey,
    DagsterInstance,
    Definitions,
    ExecuteInProcessResult,
    RunRequest,
    SkipReason,
    build_schedule_context,
    build_sensor_context,
)

from series_pipelines.defs.build import build_definitions
from series_pipelines.ingest.lane.order import LaneOrder
from series_pipelines.postgres.connection import Connection
from tests.support.simulation import NOON_MS, MovableClock, World, make_product, make_vendor

pytestmark = pytest.mark.filterwarnings("default")
MINUTE_MS = 60_000


@pytest.fixture
def instance(series_environment: dict[str, str]) -> Iterator[DagsterInstance]:
    with DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture
def defs(series_environment: dict[str, str]) -> Definitions:
    return build_definitions()


def run(defs: Definitions, instance: DagsterInstance, job: str) -> ExecuteInProcessResult:
    return defs.resolve_job_def(job).execute_in_process(instance=instance, raise_on_error=False)


def read_numbers(instance: DagsterInstance, asset: str) -> dict[str, float]:
    event = instance.get_latest_materialization_event(AssetKey(asset))
    assert event is not None
    assert event.asset_materialization is not None
    metadata = event.asset_materialization.metadata
    return {name: value.value for name, value in metadata.items() if isinstance(value.value, int | float)}


@pytest.mark.parametrize(
    ("job", "check", "assets"),
    [
        ("summarize", "coverage_is_known", ("ohlc_v2_summary", "interest_rate_summary")),
        ("nightly_checks", "ledger_replays", ("ohlc_v2_ledger", "interest_rate_ledger")),
    ],
)
def test_each_check_is_evaluated_in_the_run_that_materializes_its_asset(
    defs: Definitions, instance: DagsterInstance, job: str, check: str, assets: tuple[str, ...]
) -> None:
    result = run(defs, instance, job)

    assert result.success
    found = {(event.asset_key, event.check_name): event.passed for event in result.get_asset_check_evaluations()}
    assert found == {(AssetKey(asset), check): True for asset in assets}
    assert {event.asset_key for event in result.get_asset_materialization_events()} == set(map(AssetKey, assets))


def test_no_check_hangs_on_what_lanes_or_people_materialize(defs: Definitions) -> None:
    graph = defs.resolve_asset_graph()
    for table_name in ("ohlc_v2", "interest_rate"):
        assert not graph.get_check_keys_for_assets({AssetKey(table_name)})
        nodes = {node.name for node in defs.resolve_job_def(f"{table_name}_lane").graph.nodes}
        assert nodes == {table_name}


def test_only_the_job_of_each_asset_with_a_check_materializes_it(defs: Definitions) -> None:
    graph = defs.resolve_asset_graph()
    checked = {key.asset_key.to_user_string() for key in graph.asset_check_keys}
    jobs = {job.name: {node.name for node in job.graph.nodes} for job in defs.resolve_all_job_defs()}
    named = {name: nodes & checked for name, nodes in jobs.items() if not name.startswith("__")}
    assert {name: nodes for name, nodes in named.items() if nodes} == {
        "summarize": {"ohlc_v2_summary", "interest_rate_summary"},
        "nightly_checks": {"ohlc_v2_ledger", "interest_rate_ledger"},
    }


def test_both_jobs_have_a_schedule(defs: Definitions) -> None:
    assert defs.resolve_schedule_def("summarize_schedule").cron_schedule == "*/5 * * * *"
    assert defs.resolve_schedule_def("nightly_checks_schedule").cron_schedule == "47 2 * * *"


def test_a_summary_is_numbers_to_plot(
    defs: Definitions, instance: DagsterInstance, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = MovableClock()
    listed_ms = NOON_MS - 100 * MINUTE_MS
    gone = make_product("SIM/GONE", listed_ms, delisting_ms=NOON_MS - 50 * MINUTE_MS)
    world = World(database_url, [make_vendor(clock, [make_product("SIM/A", listed_ms), gone])], clock)
    monkeypatch.setattr("series_pipelines.defs.resources.SystemClock", lambda: clock)
    [cap_key] = world.registry.read().capabilities
    assert run(defs, instance, "summarize").success
    before = read_numbers(instance, "ohlc_v2_summary")
    assert (before["series"], before["without_rows"], before["new_rows_so_far"]) == (2, 2, 0)
    assert "new_rows" not in before
    report = world.run(cap_key, LaneOrder(("head", "tail"), 60_000))
    clock.wait(10 * MINUTE_MS)
    assert run(defs, instance, "summarize").success
    late = read_numbers(instance, "ohlc_v2_summary")
    world.close()

    assert (late["series"], late["delisted"], late["without_rows"], late["retired"]) == (2, 1, 0, 0)
    assert late["behind"] == 1
    assert late["lag_p50_seconds"] == late["lag_worst_seconds"] > 8 * 60
    assert late["new_rows"] == late["new_rows_so_far"] > 0
    assert late["new_rows"] <= report.rows


def test_a_failing_check_fails_until_it_is_mended(
    defs: Definitions, instance: DagsterInstance, database_url: str, conn: Connection
) -> None:
    clock = MovableClock()
    world = World(database_url, [make_vendor(clock, [make_product("SIM/A", NOON_MS - 100 * MINUTE_MS)])], clock)
    [cap_key] = world.registry.read().capabilities
    world.run(cap_key, LaneOrder(("head",), 60_000))
    world.close()

    def is_fine() -> bool:
        [event] = [
            event
            for event in run(defs, instance, "nightly_checks").get_asset_check_evaluations()
            if event.asset_key == AssetKey("ohlc_v2_ledger")
        ]
        return event.passed

    assert is_fine()
    conn.execute("update ing_cursor set position = position + 1")
    conn.commit()
    assert not is_fine()
    conn.execute("update ing_cursor set position = position - 1")
    conn.commit()
    assert is_fine()


def test_each_ledger_is_looked_at_on_the_first_day_too(defs: Definitions, instance: DagsterInstance) -> None:
    sensor = defs.get_repository_def().get_sensor_def("first_checks")
    with build_sensor_context(instance=instance) as context:
        asked = sensor(context)
    assert isinstance(asked, RunRequest)
    job = defs.resolve_job_def("nightly_checks")
    assert job.execute_in_process(instance=instance, run_config=asked.run_config).success
    with build_sensor_context(instance=instance) as context:
        assert isinstance(sensor(context), SkipReason)


@pytest.mark.parametrize("name", ["summarize", "nightly_checks", "purge_display"])
def test_what_runs_by_the_clock_fills_no_log(defs: Definitions, instance: DagsterInstance, name: str) -> None:
    with build_schedule_context(instance=instance) as context:
        [request] = defs.resolve_schedule_def(f"{name}_schedule").evaluate_tick(context).run_requests or ()
    assert request.run_config == {"loggers": {"console": {"config": {"log_level": "WARNING"}}}}


def test_coverage_warns_while_it_is_filled_and_fails_when_it_stands_still(
    defs: Definitions, instance: DagsterInstance, database_url: str, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = MovableClock()
    world = World(database_url, [make_vendor(clock, [make_product("SIM/A", NOON_MS - 1_000 * MINUTE_MS)])], clock)
    monkeypatch.setattr("series_pipelines.defs.resources.SystemClock", lambda: clock)
    [cap_key] = world.registry.read().capabilities

    def look() -> tuple[bool, AssetCheckSeverity]:
        found = run(defs, instance, "summarize").get_asset_check_evaluations()
        [event] = [event for event in found if event.asset_key == AssetKey("ohlc_v2_summary")]
        return event.passed, event.severity

    world.run(cap_key, LaneOrder(("head",), 60_000))
    assert look() == (False, AssetCheckSeverity.WARN)
    conn.execute("update series_state set start_misses = 10")
    conn.commit()
    assert look() == (False, AssetCheckSeverity.ERROR)
    conn.execute("update series_state set start_misses = 0")
    conn.execute(
        "insert into coverage_evidence (table_name, series_id, kind, start_time, end_time, request, response_digest, "
        "observed_at, confirmed_at) select table_name, series_id, 'quarantined', start_time - interval '2 minutes', "
        "start_time - interval '1 minute', 'x', 'x', now(), now() from series_data_range"
    )
    conn.commit()
    assert look() == (False, AssetCheckSeverity.ERROR)
    world.run(cap_key, LaneOrder(("head", "tail"), 3_600_000, by_person=True))
    world.close()
    assert look()[0]
