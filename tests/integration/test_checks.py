"""The nightly checks as Dagster runs them, on a real instance."""

import pytest
from dagster import AssetKey, DagsterInstance, Definitions

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def instance(series_environment: dict[str, str]) -> object:
    with DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture
def defs(series_environment: dict[str, str]) -> Definitions:
    from series_pipelines.defs.build import build_definitions

    return build_definitions()


def test_the_nightly_job_checks_coverage_and_ledger_of_both_tables(
    defs: Definitions, instance: DagsterInstance
) -> None:
    result = defs.resolve_job_def("nightly_checks").execute_in_process(instance=instance)

    assert result.success
    found = {(check.asset_key, check.check_name): check.passed for check in result.get_asset_check_evaluations()}
    assert found == {
        (AssetKey(table_name), name): True
        for table_name in ("ohlc_v2", "interest_rate")
        for name in ("coverage_is_known", "ledger_replays")
    }


def test_the_nightly_job_has_a_schedule(defs: Definitions) -> None:
    assert defs.resolve_schedule_def("nightly_checks_schedule").cron_schedule == "47 2 * * *"


def test_a_lane_runs_no_checks(defs: Definitions) -> None:
    for table_name in ("ohlc_v2", "interest_rate"):
        nodes = {node.name for node in defs.resolve_job_def(f"{table_name}_lane").graph.nodes}
        assert nodes == {table_name}
