"""Rows 8 and 9: histories from an exchange into Postgres, against ccxt's `fetch_ohlcv` in a loop with `to_sql`.

The exchange is a loopback one in a process of its own, which has made its bars before anything is timed. Ours is a
lane, with the throttle of a deployment; the plain way has no throttle, no checks and no record of what it covers.
"""

import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any, Final
from urllib.parse import urlsplit

import pandas as pd
import sqlalchemy

from benchmarks.harness import Pairs, Row, say, time_call
from benchmarks.market import find_minute
from benchmarks.server import Server
from series_pipelines.core.duration import MINUTE_MS
from series_pipelines.ingest.lane import LaneOrder, LaneReport, LaneTools, run_lane
from series_pipelines.ingest.throttle import PostgresThrottle
from series_pipelines.ingest.universe import sync_universe
from series_pipelines.store.connection import Connection, connect
from series_pipelines.vendors.config import ExchangeConfig
from series_pipelines.vendors.exchanges import ExchangeVendor
from series_pipelines.vendors.exchanges.spec import Exchange, Pool
from series_pipelines.vendors.exchanges.table import EXCHANGES
from series_pipelines.vendors.registry import Registry
from tests.exchanges.ccxt_client import connect_ccxt
from tests.exchanges.launch import RunningExchange, start_exchange

BYBIT: Final = EXCHANGES["bybit"]
PREFIX: Final = "BYBIT/LINEAR/"
PAGE_ROWS: Final = 1_000
BUDGET: Final = BYBIT.pools["ip"]
# Our own speed shows only where no budget ends before it; each request still takes its turn in Postgres.
BOUNDLESS: Final = replace(BYBIT, pools={"ip": Pool(1_000_000, BUDGET.window_ms)})
USUAL_THRESHOLDS: Final = gc.get_threshold()
SPEEDUP: Final = 5.0
SHARE: Final = 0.9
WINDOWS: Final = 3
LATENCY_MS: Final = 50
CREATE_PLAIN: Final = """
create table plain_ohlc (
    series_id text collate "C", created_at timestamptz, open float8, high float8, low float8, close float8,
    volume float8, primary key (series_id, created_at)
)"""
EMPTY: Final = "truncate plain_ohlc, ohlc_v2, series_data_range, ing_cursor, series_state"


class _MovedClock:
    """Runs as any clock does, from the moment at which the exchange's own stands: no head is due for a minute."""

    def __init__(self, start_ms: int) -> None:
        self._start_ms = start_ms
        self.restart()

    def restart(self) -> None:
        self._offset_ms = self._start_ms - time.monotonic_ns() // 1_000_000

    def now_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000 + self._offset_ms

    def wait(self, duration_ms: int) -> None:
        time.sleep(duration_ms / 1_000)


@dataclass(frozen=True, slots=True)
class _Market:
    """An exchange that runs, and instruments on it that were all listed at the same time."""

    exchange: RunningExchange
    products: Sequence[str]
    listed_ms: int
    now_ms: int

    @property
    def closed_ms(self) -> int:
        """Where the forming bar begins."""
        return self.now_ms // MINUTE_MS * MINUTE_MS

    @property
    def bars(self) -> int:
        """How many bars of one minute an instrument has."""
        return (self.closed_ms - self.listed_ms) // MINUTE_MS


class _Lane:
    """Our way: a lane that brings the series of all instruments up to date."""

    def __init__(self, url: str, market: _Market, exchange: Exchange, budget_share: float = 1.0) -> None:
        config = ExchangeConfig(
            prefixes=(PREFIX,),
            durations=("PT1M",),
            rates=False,
            products=tuple(market.products),
            budget_share=budget_share,
            url=market.exchange.url,
        )
        self.report = LaneReport()
        self._market = market
        self._clock = _MovedClock(market.now_ms)
        self._tools = LaneTools(partial(_connect, url), self._clock)
        self._throttle = PostgresThrottle(partial(_connect, url), self._clock)
        self._vendor = ExchangeVendor(exchange, config, self._throttle, self._clock.now_ms, lambda _: None)
        self._registry = Registry([self._vendor])
        [self.capability] = self._registry.read().capabilities.values()

    def prepare(self, conn: Connection) -> None:
        """Let the database be as before the first page."""
        conn.execute(EMPTY)
        conn.commit()
        refused = sync_universe(conn, self._registry, self._market.now_ms).refused
        if refused:
            raise RuntimeError(refused[0])
        self._clock.restart()

    def run(self) -> None:
        self.report = run_lane(self._tools, self._vendor, self.capability, LaneOrder(by_person=True))

    def close(self) -> None:
        self._vendor.close()
        self._throttle.close()


class _Loop:
    """The plain way: instrument after instrument, page after page, each page a DataFrame."""

    def __init__(self, url: str, market: _Market) -> None:
        self.requests = 0
        self._market = market
        self._client = connect_ccxt(BYBIT.name, market.exchange.url)
        self._client.load_markets()
        self._engine = sqlalchemy.create_engine(urlsplit(url)._replace(scheme="postgresql+psycopg").geturl())

    def run(self, products: Sequence[str]) -> None:
        self.requests = 0
        with _usual_collections():
            self._run(products)

    def _run(self, products: Sequence[str]) -> None:
        for product_id in products:
            symbol = self._client.markets_by_id[product_id.removeprefix(PREFIX)][0]["symbol"]
            since_ms = self._market.listed_ms
            while since_ms < self._market.closed_ms:
                rows = self._client.fetch_ohlcv(symbol, "1m", since_ms, PAGE_ROWS)
                self.requests += 1
                since_ms = rows[-1][0] + MINUTE_MS
                self._write(f"{product_id}/PT1M", rows)

    def close(self) -> None:
        self._engine.dispose()
        self._client.session.close()

    def _write(self, series_id: str, rows: list[Any]) -> None:
        frame = pd.DataFrame(rows, columns=["created_at", "open", "high", "low", "close", "volume"])
        frame = frame[frame["created_at"] < self._market.closed_ms]
        frame["created_at"] = pd.to_datetime(frame["created_at"], unit="ms", utc=True)
        frame.insert(0, "series_id", series_id)
        frame.to_sql("plain_ohlc", self._engine, if_exists="append", index=False)


def run(server: Server, quick: bool) -> list[Row]:
    """Fetch all history both ways, in turns, without latency; then with latency, within the exchange's budget."""
    instruments, pages, rounds = (12, 2, 1) if quick else (50, 8, 4)
    with (
        _start_market(instruments, pages) as market,
        server.fresh_database() as url,
        connect(url, purpose="bench") as conn,
        closing(_Loop(url, market)) as loop,
    ):
        conn.execute(CREATE_PLAIN)
        conn.commit()
        speed = _measure_speed(conn, url, market, loop, rounds)
        share = _measure_share(conn, url, market, loop)
    return [speed, share]


@contextmanager
def _usual_collections() -> Iterator[None]:
    """Let the garbage collector work as in any process; a lane has told it to work less."""
    thresholds = gc.get_threshold()
    gc.unfreeze()
    gc.set_threshold(*USUAL_THRESHOLDS)
    yield
    gc.freeze()
    gc.set_threshold(*thresholds)


def _measure_speed(conn: Connection, url: str, market: _Market, loop: _Loop, rounds: int) -> Row:
    pairs = Pairs()
    with closing(_Lane(url, market, BOUNDLESS)) as lane:
        _warm_up(conn, market, lane, loop)
        for number in range(rounds):
            lane.prepare(conn)
            pairs.run(lane.run, partial(loop.run, market.products))
            _check(conn, market, lane, plain_instruments=len(market.products))
            say(f"exchange_pages: round {number + 1} of {rounds}, {lane.report.pages} pages each way")
        pages = lane.report.requests
        concurrent = lane.capability.limits.concurrent
    bars = len(market.products) * market.bars
    ours_s, plain_s = median(pairs.ours), median(pairs.yardstick)
    return Row(
        "pages from an exchange at 0 ms by a lane, all of rule 1, against ccxt fetch_ohlcv and pandas to_sql",
        f"at least {SPEEDUP:.0f}×",
        f"{pairs.speedup:.1f}×",
        pairs.speedup >= SPEEDUP,
        f"{pages / ours_s:.0f} against {loop.requests / plain_s:.0f} pages/s, {bars / ours_s:,.0f} against "
        f"{bars / plain_s:,.0f} bars/s; {BYBIT.name}, {PAGE_ROWS:,}-bar pages of {len(market.products)} instruments, "
        f"{concurrent} in flight against 1; a turn in Postgres for each of our requests, but of a budget without end "
        f"instead of the exchange's {_count_a_second(BUDGET.weight):.0f}/s, and no limiter in the plain way; median of "
        f"{rounds} rounds of {bars:,} bars",
        {
            "ratio": pairs.speedup,
            "pages_per_second": pages / ours_s,
            "bars_per_second": bars / ours_s,
            "plain_pages_per_second": loop.requests / plain_s,
            "plain_bars_per_second": bars / plain_s,
        },
    )


def _measure_share(conn: Connection, url: str, market: _Market, loop: _Loop) -> Row:
    market.exchange.control(latency_ms=LATENCY_MS)
    with closing(_Lane(url, market, BYBIT)) as lane:
        whole_rate = _time_lane(conn, market, lane)[1]
        # The budget is to be the limit, not the machine: as much of it is ours as makes the pages fill some windows.
        granted = min(BUDGET.weight, (lane.report.requests - 1) // WINDOWS)
    # A little more than that many, so that rounding takes none away.
    budget_share = (granted + 0.5) / BUDGET.weight
    with closing(_Lane(url, market, BYBIT, budget_share)) as lane:
        seconds, rate = _time_lane(conn, market, lane)
        pages, concurrent = lane.report.requests, lane.capability.limits.concurrent
    sample = market.products[: max(1, len(market.products) // 6)]
    plain_s = time_call(partial(loop.run, sample))
    # The first window's worth leaves at once.
    share = (pages - 1) // granted * BUDGET.window_ms / 1_000 / seconds
    bars = len(market.products) * market.bars
    return Row(
        f"pages from an exchange at {LATENCY_MS} ms by a lane, of what {budget_share:.0%} of its budget allows",
        f"at least {SHARE}",
        f"{share:.2f}",
        share >= SHARE,
        f"{pages} pages in {seconds:.1f} s, {rate:.0f} pages/s and {bars / seconds:,.0f} bars/s with the first "
        f"{granted} at once, of a budget of {_count_a_second(granted):.0f}/s ({budget_share:.0%} of {BYBIT.name}'s, so "
        f"that it is the limit and not the machine), {concurrent} in flight; with all of its "
        f"{_count_a_second(BUDGET.weight):.0f}/s {whole_rate:.0f} pages/s; the plain way "
        f"{loop.requests / plain_s:.1f} pages/s and {len(sample) * market.bars / plain_s:,.0f} bars/s, of "
        f"{len(sample)} of the same instruments",
        {
            "share": share,
            "pages_per_second": rate,
            "budget_per_second": _count_a_second(granted),
            "whole_budget_pages_per_second": whole_rate,
            "plain_pages_per_second": loop.requests / plain_s,
        },
    )


def _time_lane(conn: Connection, market: _Market, lane: _Lane) -> tuple[float, float]:
    # Asking for the products spends of the budget, and opens a client.
    lane.prepare(conn)
    time.sleep(BUDGET.window_ms / 1_000)
    seconds = time_call(lane.run)
    _check(conn, market, lane, plain_instruments=0)
    say(f"exchange_pages: {lane.report.pages} pages at {LATENCY_MS} ms in {seconds:.1f} s")
    return seconds, lane.report.requests / seconds


def _warm_up(conn: Connection, market: _Market, lane: _Lane, loop: _Loop) -> None:
    lane.prepare(conn)
    lane.run()
    loop.run(market.products[:2])


def _check(conn: Connection, market: _Market, lane: _Lane, plain_instruments: int) -> None:
    """Both ways must have stored the same bars, without a failure."""
    with conn.transaction():
        stored = conn.execute("select (select count(*) from ohlc_v2), (select count(*) from plain_ohlc)").fetchone()
    wanted = len(market.products) * market.bars, plain_instruments * market.bars
    if stored != wanted or lane.report.failed or lane.report.backoffs:
        raise RuntimeError(f"{stored} bars instead of {wanted} are stored; {lane.report}")


def _count_a_second(weight: int) -> float:
    return weight * 1_000 / BUDGET.window_ms


def _connect(url: str, purpose: str, autocommit: bool) -> Connection:
    return connect(url, purpose=purpose, autocommit=autocommit)


@contextmanager
def _start_market(instruments: int, pages: int) -> Iterator[_Market]:
    now_ms = find_minute(0) + BYBIT.grace_ms + 1_000
    # A lane's pages overlap by a bar, and the first has the forming one; and the last is not full, as hardly any is. So
    # both ways ask as often.
    listed_ms = find_minute(pages * (PAGE_ROWS - 1) - PAGE_ROWS // 10)
    with start_exchange(BYBIT.name, now_ms=now_ms, instruments=1) as exchange:
        products = [exchange.add(PREFIX, f"BENCH{number:03d}", "USDT", listed_ms) for number in range(instruments)]
        yield _Market(exchange, products, listed_ms, now_ms)
