"""Which commands make a database, and what a question says where there is none."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from series_pipelines.api.reading import read_ohlc
from series_pipelines.app.settings import load_settings
from series_pipelines.cli import series
from series_pipelines.errors import DatabaseUnavailable
from tests.exchanges.launch import start_exchange
from tests.support.cli_results import read_error
from tests.support.databases import make_home

SERIES_BIN = Path(sys.executable).with_name("series")
HOURS = "DEMO/SWAP/BTC-USDT/1h"
QUESTIONS = [
    *(["read", HOURS], ["coverage"], ["certify", HOURS], ["peek"], ["plan"], ["compact"], ["products"]),
    *(["cursors", "show"], ["cursors", "verify"], ["cursors", "replay", HOURS], ["cursors", "rebuild"]),
    *(["cursors", "archive", "--before", "2026-01"], ["refresh", "--list"], ["refresh", HOURS, "--days", "1"]),
    *(["verify"], ["verify", HOURS, "--mend"]),
]


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A folder without a database, to stand in, and an environment that names none."""
    for name in [name for name in os.environ if name.startswith("SERIES_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    load_settings.cache_clear()
    yield tmp_path
    load_settings.cache_clear()


@pytest.mark.parametrize("arguments", QUESTIONS, ids=" ".join)
def test_a_question_says_where_no_database_is_and_makes_none(elsewhere: Path, arguments: list[str]) -> None:
    result: Result = CliRunner().invoke(series, arguments)
    told = read_error(result, 1)
    assert f"no database in {elsewhere}/.series yet: set SERIES_HOME" in told
    assert "or SERIES_DATABASE_URL" in told
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("arguments", [["list"], ["check"], ["check", "demo-a"]], ids=" ".join)
def test_vendors_are_asked_without_a_database_and_none_is_made(elsewhere: Path, arguments: list[str]) -> None:
    result = CliRunner().invoke(series, ["vendors", *arguments])
    assert (result.exit_code, result.stderr) == (0, "")
    assert "DEMO/SWAP/" in result.stdout
    assert list(elsewhere.iterdir()) == []


def test_exchanges_are_checked_without_a_database(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = elsewhere / "vendors.toml"
    monkeypatch.setenv("SERIES_VENDORS_FILE", str(file))
    load_settings.cache_clear()
    with start_exchange("okx") as okx:
        file.write_text(f'[exchanges.okx]\nurl = "{okx.url}"\n')
        result = CliRunner().invoke(series, ["vendors", "check"])
    assert (result.exit_code, result.stderr) == (0, "")
    assert "rows, the newest until" in result.stdout
    assert list(elsewhere.iterdir()) == [file]


def test_what_lies_above_and_is_no_database_is_passed_over(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (elsewhere / ".series").write_text("somebody's own file")
    (elsewhere / "below").mkdir()
    monkeypatch.chdir(elsewhere / "below")
    assert "below/.series yet: set SERIES_HOME to the folder that has one, or" in read_error(
        CliRunner().invoke(series, ["coverage"]), 1
    )


def test_reading_from_python_makes_no_database_either(elsewhere: Path) -> None:
    with pytest.raises(DatabaseUnavailable, match="yet: set SERIES_HOME"):
        read_ohlc(HOURS)
    assert list(elsewhere.iterdir()) == []


@pytest.mark.usefixtures("elsewhere")
def test_what_brings_data_in_makes_a_database_and_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    place = make_home()
    try:
        monkeypatch.chdir(place)
        monkeypatch.setenv("SERIES_DEMO_PRODUCTS", "4")

        def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run([SERIES_BIN, *arguments], capture_output=True, text=True, timeout=120)

        made = run("ingest", "DEMO/SWAP/BTC-USDT/1d")
        assert made.returncode == 0, made.stderr
        assert f"series: making a database in {place}/.series\n" in made.stderr
        shown = run("coverage", "DEMO/SWAP/BTC-USDT/1d")
        assert (shown.returncode, shown.stderr) == (0, "")
        below = place / "notebooks" / "deep"
        below.mkdir(parents=True)
        monkeypatch.chdir(below)
        lost = run("coverage")
        assert lost.returncode == 1
        assert f"({place}/.series?)" in lost.stderr
        monkeypatch.setenv("SERIES_HOME", str(place / ".series"))
        assert "DEMO/SWAP/BTC-USDT/P1D" in run("coverage").stdout
    finally:
        shutil.rmtree(place, ignore_errors=True)
