"""`series certify`: what is certified when no window is asked for, and when half of one is."""

import json

import pytest

from series_pipelines.core.times import parse_time
from tests.support.cli_results import Run, read_error, succeed

DAYS = "DEMO/SWAP/BTC-USDT/P1D"
RATES = "DEMO/SWAP/BTC-USDT"


def test_a_healthy_series_is_certified_whole_without_a_window(run: Run) -> None:
    succeed(run("ingest", DAYS, RATES))
    certificates = json.loads(succeed(run("certify", DAYS, RATES, "--json")))
    measured = json.loads(succeed(run("coverage", DAYS, RATES, "--json")))
    assert [certificate["series_id"] for certificate in certificates] == [DAYS, RATES]
    for certificate, entry in zip(certificates, measured, strict=True):
        assert certificate["complete"]
        assert certificate["kinds"].keys() == {"data"}
        assert certificate["start"] == entry["floor_at"]
        assert certificate["end"] == entry["range"]["end"]


@pytest.mark.parametrize(
    ("window", "kinds"),
    [
        (["--end", "2020-01-01"], {"pre_listing"}),
        (["--start", "2020-01-01"], {"pre_listing", "data"}),
        (["--start", "2020-01-01", "--end", "2120-01-01"], {"pre_listing", "data", "unknown"}),
    ],
)
def test_half_a_window_is_completed_by_what_can_be_known(run: Run, window: list[str], kinds: set[str]) -> None:
    succeed(run("ingest", DAYS))
    result = run("certify", DAYS, *window, "--json")
    (certificate,) = json.loads(result.stdout)
    assert certificate["kinds"].keys() == kinds
    assert certificate["complete"] == ("unknown" not in kinds) == (result.exit_code == 0)
    assert parse_time(certificate["start"]) < parse_time(certificate["end"])


def test_a_series_of_which_nothing_is_stored_is_not_complete(run: Run) -> None:
    succeed(run("peek"))
    assert run("certify", DAYS).exit_code == 1
    assert "must be before --end" in read_error(run("certify", DAYS, "--start", "2120-01-01"), 2)
