"""All exchanges at once, through Dagster's lanes in several processes: complete, exact, and in few requests."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from math import ceil
from pathlib import Path

import pytest
from dagster import DagsterInstance

from series_pipelines.app.clock import SystemClock
from series_pipelines.app.settings import load_settings
from series_pipelines.app.sources import load_registry
from series_pipelines.core.duration import HOUR_MS
from series_pipelines.core.ranges import Range
from series_pipelines.ingest.catalogue.universe import sync_universe
from series_pipelines.ingest.storing import capabilities, ranges
from series_pipelines.postgres.connection import Connection
from series_pipelines.vendors.exchanges.spec import Endpoint
from series_pipelines.vendors.exchanges.table import EXCHANGES
from tests.exchanges.launch import RunningExchange
from tests.support.exchange_lanes import finish_lanes, make_environment, start_exchanges, start_lanes, write_vendors

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.xdist_group("exchanges")]
PROCESSES = 8
SHIFT_SECONDS = 150
# Old enough for many pages of each, as far as its budget lets them through, and no whole number of them.
AGES_DAYS = {
    "okx": 197.3,
    "binance": 2000.3,
    "bybit": 2000.3,
    "bitget": 296.3,
    "gate": 397.3,
    "htx": 197.3,
    "hyperliquid": 40.0,
    "aster": 2000.3,
}
WISHES = {"durations": ["PT1H"]}
# Budgets that let few rows through, so only some of their products are wanted.
CHOSEN = {
    "HYPERLIQUID/PERPETUAL/": ["HYPERLIQUID/PERPETUAL/BTC"],
    "HYPERLIQUID/SPOT/": ["HYPERLIQUID/SPOT/@312"],
    "OKX/MARGIN/": ["OKX/MARGIN/BTC-USDT"],
}

StoredBar = tuple[int, int, Decimal, Decimal, Decimal, Decimal, Decimal]
StoredRate = tuple[int, Decimal, Decimal, Decimal | None]
Row = StoredBar | StoredRate


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
        chosen = {name: list(choose(exchange)) for name, exchange in exchanges.items()}
        write_vendors(tmp_path / "vendors.toml", exchanges, chosen, **WISHES)
        wanted = discover(conn)
        for exchange in exchanges.values():
            exchange.reset()
            exchange.control(error_rate=0.05)
        shares = [wanted[number::PROCESSES] for number in range(PROCESSES)]
        begun_ms = SystemClock().now_ms()
        finish_lanes([start_lanes(environment, share, SHIFT_SECONDS) for share in shares])
        assert sum(sum(exchange.stats()["faults"].values()) for exchange in exchanges.values()) > 20
        made = {name: int(exchange.stats()["requests"]) for name, exchange in exchanges.items()}
        least = {name: sum(compare(conn, exchange, begun_ms)) for name, exchange in exchanges.items()}
    print(f"requests with the failed ones {made}, least possible {least}")
    assert sum(made.values()) <= 1.1 * sum(least.values())


def choose(exchange: RunningExchange) -> Iterator[str]:
    """Yield the ids of the products that are wanted."""
    for product in exchange.truth.products():
        few = next((few for prefix, few in CHOSEN.items() if product.product_id.startswith(prefix)), None)
        if few is None or product.product_id in few:
            yield product.product_id


def compare(conn: Connection, exchange: RunningExchange, begun_ms: int) -> Iterator[int]:
    """Compare what is stored with what the exchange has; yield the least number of pages of each series."""
    now_ms = exchange.now_ms()
    for product_id in choose(exchange):
        offer = next(each for each in EXCHANGES[exchange.name].offers if product_id.startswith(each.prefix))
        before, since = (tell_bars(exchange, product_id, at_ms) for at_ms in (begun_ms, now_ms))
        stored = read_bars(conn, f"{product_id}/PT1H")
        check_rows(product_id, stored, before, since)
        check_covered(conn, "ohlc_v2", f"{product_id}/PT1H", Range(stored[0][0], stored[-1][1]))
        yield count_pages(offer.ohlc, before, begun_ms) + count_newer(before, stored)
        if offer.rates is not None:
            settled, settled_since = (tell_rates(exchange, product_id, at_ms) for at_ms in (begun_ms, now_ms))
            rates = read_rates(conn, product_id)
            check_rows(product_id, rates, settled, settled_since)
            check_covered(conn, "interest_rate", product_id, Range(rates[0][0], rates[-1][0] + 1))
            # What it costs to borrow is asked for twice, once a currency.
            requests = 2 if offer.rates.paging == "lending" else 1
            yield requests * (count_pages(offer.rates, settled, begun_ms) + count_newer(settled, rates))


def tell_bars(exchange: RunningExchange, product_id: str, at_ms: int) -> list[StoredBar]:
    bars = exchange.truth.bars(product_id, "PT1H", at_ms)
    return [(bar[0], bar[1], *map(Decimal, bar[2:])) for bar in bars]  # type: ignore[misc]


def tell_rates(exchange: RunningExchange, product_id: str, at_ms: int) -> list[StoredRate]:
    instrument = exchange.truth.market.instruments[product_id]
    if instrument.kind.lends:
        base, quote = (
            {at: Decimal(rate) for at, rate, _ in exchange.truth.lending_rates(currency, at_ms)}
            for currency in (instrument.base, instrument.quote)
        )
        return [(at, -quote[at], -base[at], None) for at in sorted(base.keys() & quote.keys())]
    rates = exchange.truth.rates(product_id, at_ms)
    return [(at, -Decimal(rate), Decimal(rate), Decimal(price) if price else None) for at, rate, price in rates]


def check_rows(product_id: str, stored: Sequence[Row], before: Sequence[Row], since: Sequence[Row]) -> None:
    """Exactly what the exchange has is stored, but what it dropped or got since the lanes began may be so or not."""
    dropped = [row for row in before if row[0] < since[0][0]]
    told = [*dropped, *since]
    first = next((at for at, row in enumerate(told) if row[0] == stored[0][0]), 0)
    last = max(first + len(stored), len(dropped) + sum(row[0] <= before[-1][0] for row in since))
    expected = told[min(first, len(dropped)) : last]
    assert stored == expected, describe(product_id, stored, expected)


def count_newer(before: Sequence[Row], stored: Sequence[Row]) -> int:
    """Return how many rows came since: they can't be in the same pages as those before."""
    return sum(row[0] > before[-1][0] for row in stored)


def count_pages(endpoint: Endpoint, rows: Sequence[Row], now_ms: int) -> int:
    """Return how few pages can hold these rows; young ones may come in larger pages."""
    recent = endpoint.recent
    if recent is None or recent.limit <= endpoint.limit:
        return ceil(len(rows) / endpoint.limit)
    reach_hours = recent.reach_bars or recent.reach_days["PT1H"] * 24
    young = sum(row[0] >= now_ms - reach_hours * HOUR_MS for row in rows)
    return ceil(young / recent.limit) + ceil((len(rows) - young) / endpoint.limit)


def check_covered(conn: Connection, table_name: str, series_id: str, expected: Range) -> None:
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


def describe(series_id: str, stored: Sequence[Row], expected: Sequence[Row]) -> str:
    """Say in a line how two lists of rows differ."""
    missing = sorted({row[0] for row in expected} - {row[0] for row in stored})
    added = sorted({row[0] for row in stored} - {row[0] for row in expected})
    hours = [(time_ms - missing[0]) // HOUR_MS for time_ms in missing[:5]]
    return f"{series_id}: {len(stored)} of {len(expected)}; missing {len(missing)} {hours}, added {len(added)}"
