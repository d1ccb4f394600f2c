"""All exchanges at once, through Dagster's lanes in several processes: complete, exact, and in few requests."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from math import ceil
from pathlib import Path

import pytest
from dagster import DagsterInstance
from exchange_lanes import finish_lanes, make_environment, start_exchanges, start_lanes, write_vendors
from exchanges.faults import ROW_FAULTS
from exchanges.launch import RunningExchange

from series_pipelines.core.duration import HOUR_MS
from series_pipelines.core.ranges import Range
from series_pipelines.ingest.universe import sync_universe
from series_pipelines.settings import load_settings
from series_pipelines.sources import load_registry
from series_pipelines.store import capabilities, ranges
from series_pipelines.store.connection import Connection
from series_pipelines.system_clock import SystemClock
from series_pipelines.vendors.exchanges.spec import Endpoint, Offer
from series_pipelines.vendors.exchanges.table import EXCHANGES

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.xdist_group("exchanges")]
PROCESSES = 8
SHIFT_SECONDS = 150
# Old enough for many pages of each, as far as its budget lets them through.
AGES_DAYS = {
    "okx": 400.0,
    "binance": 900.0,
    "bybit": 900.0,
    "bitget": 300.0,
    "gate": 400.0,
    "htx": 200.0,
    "hyperliquid": 40.0,
    "aster": 900.0,
}
WISHES = {"durations": ["PT1H"]}
# Its budget lets few rows through, so only some of its products are wanted.
CHOSEN = {"hyperliquid": ["HYPERLIQUID/PERPETUAL/BTC", "HYPERLIQUID/SPOT/@312"]}

StoredBar = tuple[int, int, Decimal, Decimal, Decimal, Decimal, Decimal]
StoredRate = tuple[int, Decimal, Decimal, Decimal | None]


@pytest.fixture
def environment(series_environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    made = make_environment(tmp_path, series_environment["SERIES_DATABASE_URL"], tmp_path / "vendors.toml")
    for name in ("SERIES_VENDORS_FILE", "SERIES_HOME", "DAGSTER_HOME"):
        monkeypatch.setenv(name, made[name])
    load_settings.cache_clear()
    return made


def discover(conn: Connection) -> list[str]:
    """Ask the exchanges what they have; return `TABLE/CAP_KEY` of all capabilities."""
    report = sync_universe(conn, load_registry(load_settings()), SystemClock().now_ms())
    assert report.refused == ()
    found = [f"{state.table_name}/{state.cap_key}" for state in capabilities.read(conn)]
    conn.commit()
    # Dagster's tables must be there before several processes want to make them.
    with DagsterInstance.get():
        pass
    return found


def test_with_errors_everywhere_all_exchanges_end_complete_and_exact(
    environment: dict[str, str], conn: Connection, tmp_path: Path
) -> None:
    with start_exchanges(AGES_DAYS) as exchanges:
        write_vendors(tmp_path / "vendors.toml", exchanges, CHOSEN, **WISHES)
        wanted = [entry for entry in discover(conn) if "MARGIN" not in entry]
        for exchange in exchanges.values():
            exchange.reset()
            exchange.control(error_rate=0.05)
        shares = [wanted[number::PROCESSES] for number in range(PROCESSES)]
        finish_lanes([start_lanes(environment, share, SHIFT_SECONDS) for share in shares])
        assert sum(sum(exchange.stats()["faults"].values()) for exchange in exchanges.values()) > 20
        made = {name: count_answered(exchange) for name, exchange in exchanges.items()}
        least = {name: sum(compare(conn, exchange)) for name, exchange in exchanges.items()}
    print(f"requests that were answered {made}, least possible {least}")
    assert sum(made.values()) <= 1.1 * sum(least.values())


def count_answered(exchange: RunningExchange) -> int:
    """Return how many requests were made, but for those that the exchange failed on purpose: they come again."""
    stats = exchange.stats()
    spoilt = sum(count for fault, count in stats["faults"].items() if fault not in ROW_FAULTS)
    return int(stats["requests"]) - spoilt


def compare(conn: Connection, exchange: RunningExchange) -> Iterator[int]:
    """Compare what is stored with what the exchange has; yield the least number of pages of each series."""
    now_ms = exchange.now_ms()
    for product in exchange.truth.products():
        offer = next(each for each in EXCHANGES[exchange.name].offers if product.product_id.startswith(each.prefix))
        if offer.kind == "margin" or product.product_id not in CHOSEN.get(exchange.name, [product.product_id]):
            continue
        bars = exchange.truth.bars(product.product_id, "PT1H", now_ms)
        expected = [(bar[0], bar[1], *map(Decimal, bar[2:])) for bar in bars]
        stored = read_bars(conn, f"{product.product_id}/PT1H")
        assert stored == expected, describe(product.product_id, stored, expected)
        check_covered(conn, "ohlc_v2", f"{product.product_id}/PT1H", Range(bars[0][0], bars[-1][1]), offer)
        yield count_pages(offer.ohlc, len(bars))
        if offer.rates is not None:
            rates = exchange.truth.rates(product.product_id, now_ms)
            told = [(at, -Decimal(rate), Decimal(rate), price and Decimal(price)) for at, rate, price in rates]
            assert read_rates(conn, product.product_id) == told, product.product_id
            covered = Range(rates[0][0], rates[-1][0] + 1)
            check_covered(conn, "interest_rate", product.product_id, covered, offer)
            yield count_pages(offer.rates, len(rates))


def count_pages(endpoint: Endpoint, rows: int) -> int:
    """Return how few pages can hold so many rows, the newest of which may come in larger ones."""
    recent = endpoint.recent
    if recent is None or recent.limit <= endpoint.limit:
        return ceil(rows / endpoint.limit)
    young = min(rows, recent.reach_bars or recent.reach_days["PT1H"] * 24)
    return ceil(young / recent.limit) + ceil((rows - young) / endpoint.limit)


def check_covered(conn: Connection, table_name: str, series_id: str, expected: Range, offer: Offer) -> None:
    """The union is all that there is, and no hole is left that is not the exchange's own outage."""
    stored = ranges.read(conn, table_name, [series_id])[series_id]
    assert (stored[0].start_ms, stored[-1].end_ms) == (expected.start_ms, expected.end_ms), series_id
    gaps = [(left.end_ms, right.start_ms) for left, right in pairwise(stored)]
    assert len(gaps) <= 1, (series_id, gaps)


def read_bars(conn: Connection, series_id: str) -> list[StoredBar]:
    statement = """
        select (extract(epoch from created_at) * 1000)::bigint, (extract(epoch from closed_at) * 1000)::bigint,
               open, high, low, close, volume
        from ohlc_v2 where series_id = %s order by created_at"""
    return conn.execute(statement, [series_id]).fetchall()  # type: ignore[return-value]


def read_rates(conn: Connection, series_id: str) -> list[StoredRate]:
    statement = """
        select (extract(epoch from created_at) * 1000)::bigint, long_rate, short_rate, settlement_price
        from interest_rate where series_id = %s order by created_at"""
    return conn.execute(statement, [series_id]).fetchall()  # type: ignore[return-value]


def describe(series_id: str, stored: Sequence[StoredBar], expected: Sequence[tuple[object, ...]]) -> str:
    """Say in a line how two lists of bars differ."""
    missing = sorted({row[0] for row in expected} - {row[0] for row in stored})
    added = sorted({row[0] for row in stored} - {row[0] for row in expected})
    hours = [(time_ms - missing[0]) // HOUR_MS for time_ms in missing[:5]]  # type: ignore[operator]
    return f"{series_id}: {len(stored)} of {len(expected)}; missing {len(missing)} {hours}, added {len(added)}"
