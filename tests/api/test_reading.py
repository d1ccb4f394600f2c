"""Reading series into DataFrames, against rows that were written by the store."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import series_pipelines
from series_pipelines.api.reading import read_interest_rate, read_ohlc
from series_pipelines.core.tables import INTEREST_RATE, OHLC
from series_pipelines.core.times import date_to_ms, format_iso, format_span, format_time, parse_time
from series_pipelines.errors import InvalidDuration, InvalidInput, StoreError, UnknownSeries
from series_pipelines.ingest.catalogue import products
from series_pipelines.ingest.storing import capabilities as capability_store
from series_pipelines.ingest.storing import states
from series_pipelines.ingest.storing.rows import SeriesRows, write_rows
from series_pipelines.postgres.connection import Connection
from tests.support.bars import BAR_NAMES, make_bar
from tests.support.databases import Server, create_database

BARS = "TEST/SWAP/A-B/PT1H"
RATES = "TEST/SWAP/A-B"
HOUR_MS = 3_600_000
START_MS = parse_time("2026-03-01")
PRICE = "12345.678901234567890123"
LONG_NAMES = list(BAR_NAMES[1:])


@pytest.fixture(scope="module")
def database_url(postgres: Server, template: str) -> Iterator[str]:
    """One database for all tests here: they only read, or write the same rows again."""
    yield from create_database(postgres, template)


def write_bars(conn: Connection, count: int = 24, series_id: str = BARS) -> None:
    rows = [
        make_bar(START_MS + n * HOUR_MS, START_MS + (n + 1) * HOUR_MS, *[PRICE] * 4, f"{n}.50") for n in range(count)
    ]
    write_rows(conn, OHLC, [SeriesRows(series_id, rows)])
    conn.commit()


def write_rates(conn: Connection) -> None:
    rows = [(START_MS + n * 8 * HOUR_MS + 5, "-0.0001", "0.0001", "100.5" if n else None) for n in range(3)]
    write_rows(conn, INTEREST_RATE, [SeriesRows(RATES, rows)])
    conn.commit()


def know_series(conn: Connection, *series_ids: str) -> None:
    capability = {
        "cap_key": "IngestOHLC/TEST%2F/backward",
        "vendor": "test",
        "method": "IngestOHLC",
        "table_name": "ohlc_v2",
        "product_prefix": "TEST/",
        "direction": "backward",
        "durations": ["PT1H"],
        "grace_ms": 0,
    }
    product = {
        **dict.fromkeys(("name", "base_currency", "quote_currency", "market_id"), ""),
        **dict.fromkeys(("price_step", "volume_step", "value_scale", "listed_ms", "delisted_ms")),
        **dict.fromkeys(("allow_long", "allow_short", "no_interest_rate"), False),
        "product_id": RATES,
    }
    products.upsert(conn, "test", [product], 0)
    capability_store.upsert(conn, "test", [capability])
    states.upsert_series(
        conn, "ohlc_v2", [(series_id, RATES, "IngestOHLC/TEST%2F/backward") for series_id in series_ids]
    )
    conn.commit()


@pytest.fixture
def bars(conn: Connection) -> None:
    write_bars(conn)


@pytest.mark.usefixtures("bars")
def test_bars_are_indexed_by_utc_time_and_are_floats(database_url: str) -> None:
    frame = read_ohlc(BARS, database_url=database_url)
    assert isinstance(frame.index, pd.DatetimeIndex)
    assert frame.index.name == "created_at"
    assert str(frame.index.dtype) == "datetime64[us, UTC]"
    assert frame.index.is_monotonic_increasing
    assert list(frame.columns) == LONG_NAMES
    assert str(frame["closed_at"].dtype) == "datetime64[us, UTC]"
    assert all(frame[name].dtype == np.float64 for name in LONG_NAMES[1:])
    assert len(frame) == 24
    assert frame["open"].iloc[0] == float(PRICE)
    assert frame["open_interest"].isna().all()
    assert frame.index[0] == pd.Timestamp("2026-03-01", tz="UTC")
    assert frame["closed_at"].iloc[0] == pd.Timestamp("2026-03-01T01:00Z")


@pytest.mark.usefixtures("bars")
def test_exact_values_are_the_decimals_that_were_written(database_url: str) -> None:
    frame = read_ohlc(BARS, exact=True, database_url=database_url)
    assert frame["open"].iloc[0] == Decimal(PRICE)
    assert str(frame["open"].iloc[0]) == PRICE
    assert str(frame["volume"].iloc[3]) == "3.50"
    assert frame["open_interest"].iloc[0] is None
    assert all(frame[name].dtype == object for name in LONG_NAMES[1:])


WINDOWS: list[tuple[str | date | None, str | date | None, list[int]]] = [
    ("2026-03-01T02:00", "2026-03-01T05:00", [2, 3, 4]),
    ("2026-03-01T02:00:00.000001", "2026-03-01T05:00:00.000001", [3, 4, 5]),
    (datetime(2026, 3, 1, 22), None, [22, 23]),
    (None, datetime(2026, 3, 1, 1, tzinfo=UTC), [0]),
    (None, datetime(2026, 3, 1, 3, tzinfo=timezone(timedelta(hours=1))), [0, 1]),
    (pd.Timestamp("2026-03-01T23:00", tz="UTC"), date(2026, 3, 2), [23]),
    (pd.Timestamp("2026-03-01T22:00:00.000000001"), None, [23]),
    (date(2026, 3, 2), None, []),
    ("2026-03-01", "2026-03-01", []),
]


@pytest.mark.usefixtures("bars")
def test_a_window_has_its_start_and_not_its_end(database_url: str) -> None:
    for start, end, hours in WINDOWS:
        frame = read_ohlc(BARS, start, end, database_url=database_url)
        assert isinstance(frame.index, pd.DatetimeIndex)
        assert list(frame.index.hour) == hours, (start, end)


@pytest.mark.usefixtures("bars")
@pytest.mark.parametrize("exact", [False, True])
def test_an_empty_window_has_the_types_of_a_full_one(database_url: str, exact: bool) -> None:
    empty = read_ohlc(BARS, "2020-01-01", "2020-01-02", exact=exact, database_url=database_url)
    full = read_ohlc(BARS, exact=exact, database_url=database_url)
    assert empty.empty
    assert empty.index.dtype == full.index.dtype
    assert list(empty.dtypes.items()) == list(full.dtypes.items())


def test_a_known_series_without_rows_is_empty_and_not_unknown(conn: Connection, database_url: str) -> None:
    know_series(conn, "TEST/SWAP/EMPTY/PT1H")
    assert read_ohlc("TEST/SWAP/EMPTY/PT1H", database_url=database_url).empty


def test_rates_have_their_own_columns_and_keep_milliseconds(conn: Connection, database_url: str) -> None:
    write_rates(conn)
    frame = read_interest_rate(RATES, database_url=database_url)
    assert list(frame.columns) == ["long_rate", "short_rate", "settlement_price"]
    assert frame.index[0] == pd.Timestamp("2026-03-01T00:00:00.005Z")
    assert frame["settlement_price"].isna().tolist() == [True, False, False]
    assert read_interest_rate(RATES, "2026-03-01T00:00:00.006", database_url=database_url).index[0].hour == 8
    exact = read_interest_rate(RATES, exact=True, database_url=database_url)
    assert exact["long_rate"].tolist() == [Decimal("-0.0001")] * 3


@pytest.mark.usefixtures("bars")
def test_a_typed_duration_is_understood(database_url: str) -> None:
    assert len(read_ohlc("TEST/SWAP/A-B/1h", database_url=database_url)) == 24


def test_an_unknown_series_is_said_with_the_likeliest_one(conn: Connection, database_url: str) -> None:
    conn.execute("delete from series_state")
    conn.commit()
    with pytest.raises(UnknownSeries, match="no series are known yet"):
        read_ohlc("TEST/SWAP/A-C/PT1H", database_url=database_url)
    know_series(conn, BARS, "TEST/SWAP/A-B/P1D")
    with pytest.raises(UnknownSeries, match="no series 'TEST/SWAP/A-C/1h': did you mean 'TEST/SWAP/A-B/PT1H'"):
        read_ohlc("TEST/SWAP/A-C/1h", database_url=database_url)
    with pytest.raises(InvalidDuration, match="'7x' is not a duration"):
        read_ohlc("TEST/SWAP/A-B/7x", database_url=database_url)
    with pytest.raises(UnknownSeries):
        read_interest_rate(BARS, database_url=database_url)


@pytest.mark.parametrize("start", ["yesterday", "", "2026-13-01", 5, pd.NaT, "0001-01-01T00:00+14:00"])
def test_what_is_not_a_time_is_refused_before_the_database_is_asked(start: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_ohlc(BARS, start, database_url="postgresql://nowhere.invalid/x")
    assert "\n" not in str(caught.value)


def test_a_window_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(InvalidInput, match="can't end before it starts"):
        read_ohlc(BARS, "2026-03-02", "2026-03-01", database_url="postgresql://nowhere.invalid/x")


def test_a_database_without_tables_says_to_migrate(database_url: str) -> None:
    with pytest.raises(StoreError, match="run `series migrate`"):
        read_ohlc(BARS, database_url=f"{database_url}?options=-csearch_path%3Dnowhere")


@pytest.mark.usefixtures("series_environment", "bars")
def test_the_package_reads_the_database_of_the_environment() -> None:
    assert len(series_pipelines.read_ohlc(BARS, "2026-03-01T20:00")) == 4
    with pytest.raises(UnknownSeries):
        series_pipelines.read_interest_rate("TEST/NONE")


def test_a_frame_joins_with_times_that_pandas_made(conn: Connection, database_url: str) -> None:
    write_bars(conn)
    frame = read_ohlc(BARS, database_url=database_url)
    ticks = pd.DataFrame({"at": pd.date_range("2026-03-01T00:30", periods=3, freq="h", tz="UTC")})
    joined = pd.merge_asof(ticks, frame, left_on="at", right_index=True)
    assert joined["volume"].tolist() == [0.5, 1.5, 2.5]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-18", "2026-11-18T00:00:00.000Z"),
        (" 2026-11-18T08:15 ", "2026-11-18T08:15:00.000Z"),
        ("2026-11-18T08:15:00Z", "2026-11-18T08:15:00.000Z"),
        ("2026-11-18 08:15:00.25+02:00", "2026-11-18T06:15:00.250Z"),
        ("1969-12-31T23:59:59.999", "1969-12-31T23:59:59.999Z"),
        ("9999-12-31", "9999-12-31T00:00:00.000Z"),
    ],
)
def test_a_time_is_read_as_utc_and_written_back(text: str, expected: str) -> None:
    assert format_iso(parse_time(text)) == expected


def test_times_and_spans_are_readable() -> None:
    assert format_time(parse_time("2026-11-18")) == "2026-11-18 00:00:00Z"
    assert date_to_ms(date(1970, 1, 2)) == 86_400_000
    spans = [0, 119_000, 120_000, 2 * HOUR_MS, 48 * HOUR_MS]
    assert [format_span(span) for span in spans] == ["0 s", "119 s", "2 min", "2.0 h", "2.0 d"]
