"""`series read` into files: endings say what is inside, exact files combine, a full disk leaves nothing half."""

import json
import os
import resource
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

from series_pipelines.core.tables import INTEREST_RATE, OHLC
from series_pipelines.core.times import parse_time
from series_pipelines.ingest.storing.rows import SeriesRows, write_rows
from series_pipelines.postgres.connection import Connection
from tests.support.bars import make_bar
from tests.support.cli_results import Run, read_error, succeed

SERIES_BIN = Path(sys.executable).with_name("series")
START_MS = parse_time("2026-03-01")
HOUR_MS = 3_600_000
COARSE, FINE, HUGE = "X/COARSE/PT1H", "X/FINE/PT1H", "X/HUGE/PT1H"


def write_bars(conn: Connection, series_id: str, price: str, volume: str | None, count: int = 2) -> None:
    times = [(START_MS + n * HOUR_MS, START_MS + (n + 1) * HOUR_MS) for n in range(count)]
    rows = [make_bar(*closed, price, price, price, price, volume) for closed in times]
    write_rows(conn, OHLC, [SeriesRows(series_id, rows)])
    conn.commit()


def test_exact_files_of_two_series_are_one_dataset_with_every_digit(run: Run, conn: Connection, tmp_path: Path) -> None:
    written = {
        COARSE: ("62454.4", "12345678901234567890.5"),
        FINE: ("0.000000001234567891", None),
        "X/PADDED/PT1H": ("1." + "50".ljust(60, "0"), "9e19"),
    }
    for number, (series_id, (price, volume)) in enumerate(written.items()):
        write_bars(conn, series_id, price, volume)
        succeed(run("read", series_id, "--exact", "--output", str(tmp_path / f"{number}.parquet")))
    succeed(run("read", COARSE, "--end", "2020-01-01", "--exact", "--output", str(tmp_path / "none.parquet")))
    files = sorted(tmp_path.glob("*.parquet"))
    assert len({pyarrow.parquet.read_schema(file).remove_metadata() for file in files}) == 1
    combined = pa.dataset.dataset(files).to_table()
    assert combined.schema.field("close").type == pa.decimal128(38, 18)
    assert combined["close"].to_pylist() == [Decimal(price) for price, _ in written.values() for _ in range(2)]
    volumes = [volume and Decimal(volume) for _, volume in written.values() for _ in range(2)]
    assert combined["volume"].to_pylist() == volumes


def test_exact_files_of_rates_combine_too(run: Run, conn: Connection, tmp_path: Path) -> None:
    for number, rate in enumerate(("0.0001", "-0.00000012345")):
        write_rows(conn, INTEREST_RATE, [SeriesRows(f"X/R{number}", [(START_MS, rate, rate, None)])])
        conn.commit()
        succeed(run("read", f"X/R{number}", "--exact", "--output", str(tmp_path / f"{number}.parquet")))
    combined = pa.dataset.dataset(sorted(tmp_path.glob("*.parquet"))).to_table()
    assert combined["long_rate"].to_pylist() == [Decimal("0.0001"), Decimal("-0.00000012345")]


@pytest.mark.parametrize("value", ["9e999", "100000000000000000000", "0.0000000000000000001"])
def test_a_value_that_exact_parquet_cannot_hold_is_refused_and_not_rounded(
    run: Run, conn: Connection, tmp_path: Path, value: str
) -> None:
    write_bars(conn, HUGE, value, "1")
    error = read_error(run("read", HUGE, "--exact", "--output", str(tmp_path / "huge.parquet")), 1)
    assert (
        "--exact Parquet holds 20 digits before the point and 18 after it, and the open at 2026-03-01T00:00:00Z"
        in error
    )
    assert len(error) < 300
    assert list(tmp_path.iterdir()) == []
    succeed(run("read", HUGE, "--output", str(tmp_path / "huge.json")))
    assert Decimal(json.loads((tmp_path / "huge.json").read_text())[0]["open"]) == Decimal(value)


def test_a_file_holds_what_its_ending_says(run: Run, conn: Connection, tmp_path: Path) -> None:
    write_bars(conn, COARSE, "1", "1")
    for name in ("bars.xlsx", "bars.csv.gz", "bars", "bars.table"):
        error = read_error(run("read", COARSE, "--output", str(tmp_path / name)), 2)
        assert f"{name} has none of the endings .csv, .json, .parquet: choose one, or say --format" in error
    error = read_error(run("read", COARSE, "--format", "csv", "--output", str(tmp_path / "bars.parquet")), 2)
    assert "would not hold parquet but csv" in error
    assert list(tmp_path.iterdir()) == []
    succeed(run("read", COARSE, "--format", "csv", "--output", str(tmp_path / "bars")))
    succeed(run("read", COARSE, "--output", str(tmp_path / "bars.CSV")))
    assert (tmp_path / "bars").read_bytes() == (tmp_path / "bars.CSV").read_bytes()


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_a_full_disk_is_one_line_and_keeps_the_old_file(conn: Connection, tmp_path: Path, kind: str) -> None:
    write_bars(conn, COARSE, "1.2345678", "1", count=5_000)
    file = tmp_path / f"bars.{kind}"
    file.write_text("kept")
    done = subprocess.run(
        [SERIES_BIN, "read", COARSE, "--output", file],
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"series: error: can't write {file}: File too large\n"
    assert file.read_text() == "kept"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(
    "arguments",
    [
        ["read", COARSE],
        ["read", COARSE, "--output", "/dev/full"],
        ["coverage"],
        ["--help"],
        ["--version"],
        ["read", "-h"],
    ],
)
def test_an_output_that_takes_nothing_is_one_line(conn: Connection, arguments: list[str]) -> None:
    write_bars(conn, COARSE, "1", "1", count=1_000)
    if "--output" in arguments:
        arguments = [*arguments, "--format", "csv"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [SERIES_BIN, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
    told = done.stderr.splitlines()
    assert done.returncode == 1
    assert all(line.startswith("series: ") for line in told), done.stderr
    assert [line.endswith("No space left on device") for line in told if line.startswith("series: error: ")] == [True]
