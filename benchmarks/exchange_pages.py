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
from series_pipelines.ingest.budgets.throttle import PostgresThrottle
from series_pipelines.ingest.catalogue.universe import sync_universe
from series_pipelines.ingest.lane.lane import run_lane
from series_pipelines.ingest.lane.order import LaneOrder, LaneReport, LaneTools
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.vendors.config import ExchangeConfig
from series_pipelines.vendors.exchanges import ExchangeVendor
from series_pipelines.vendors.exchanges.spec import Exchange, Pool, Segment
from series_pipelines.vendors.exchanges.table import EXCHANGES
from series_pipelines.vendors.registry import Registry
from tests.exchanges.ccxt_client import connect_ccxt
from tests.exchanges.launch import RunningExchange, start_exchange

FASTEST: Final = "BYBIT/LINEAR/"
# Where the budget ends before two cores do.
BOUNDED: Final = ("BINANCE/SPOT/", "BITGET/SPOT/", "GATE/SPOT/")
USUAL_THRESHOLDS: Final = gc.get_threshold()
SPEEDUP: Final = 5.0
SHARE: Final = 0.95
SHARE_SECONDS: Final = 12
SHARE_ROUNDS: Final = 3
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

    spec: Exchange
    offer: Segment
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

    @property
    def page_rows(self) -> int:
        """How many bars a page has."""
        return self.offer.ohlc.limit


class _Lane:
    """Our way: a lane that brings the series of all instruments up to date."""

    def __init__(self, url: str, market: _Market, exchange: Exchange) -> None:
        config = ExchangeConfig(
            prefixes=(market.offer.prefix,),
            durations=("PT1M",),
            rates=False,
            products=tuple(market.products),
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
        self._client = connect_ccxt(market.spec.name, market.exchange.url)
        self._client.load_markets()
        self._engine = sqlalchemy.create_engine(urlsplit(url)._replace(scheme="postgresql+psycopg").geturl())

    def run(self, products: Sequence[str]) -> None:
        self.requests = 0
        with _usual_collections():
            self._run(products)

    def _run(self, products: Sequence[str]) -> None:
        for product_id in products:
            symbol = self._client.markets_by_id[product_id.removeprefix(self._market.offer.prefix)][0]["symbol"]
            since_ms = self._market.listed_ms
            while since_ms < self._market.closed_ms:
                rows = self._client.fetch_ohlcv(symbol, "1m", since_ms, self._market.page_rows)
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
    """Fetch all history both ways, in turns, without latency; then with latency, within exchanges' budgets."""
    return [_measure_speed(server, quick), _measure_share(server, quick)]


@contextmanager
def _open(server: Server, prefix: str, instruments: int, pages: int) -> Iterator[tuple[Connection, str, _Market]]:
    with (
        _start_market(prefix, instruments, pages) as market,
        server.fresh_database() as url,
        connect(url, purpose="bench") as conn,
    ):
        conn.execute(CREATE_PLAIN)
        conn.commit()
        yield conn, url, market


@contextmanager
def _usual_collections() -> Iterator[None]:
    """Let the garbage collector work as in any process; a lane has told it to work less."""
    thresholds = gc.get_threshold()
    gc.unfreeze()
    gc.set_threshold(*USUAL_THRESHOLDS)
    yield
    gc.freeze()
    gc.set_threshold(*thresholds)


def _measure_speed(server: Server, quick: bool) -> Row:
    instruments, pages, rounds = (12, 2, 1) if quick else (50, 8, 4)
    pairs = Pairs()
    with _open(server, FASTEST, instruments, pages) as (conn, url, market), closing(_Loop(url, market)) as loop:
        budget = market.spec.pools[market.offer.ohlc.group]
        # Our own speed shows only where no budget ends before it; each request still takes its turn in Postgres.
        boundless = replace(market.spec, pools={market.offer.ohlc.group: Pool(1_000_000, budget.window_ms)})
        with closing(_Lane(url, market, boundless)) as lane:
            _warm_up(conn, market, lane, loop)
            for number in range(rounds):
                lane.prepare(conn)
                pairs.run(lane.run, partial(loop.run, market.products))
                _check(conn, market, lane, plain_instruments=len(market.products))
                say(f"exchange_pages: round {number + 1} of {rounds}, {lane.report.pages} pages each way")
            requests, concurrent = lane.report.requests, lane.capability.limits.concurrent
    bars = len(market.products) * market.bars
    ours_s, plain_s = median(pairs.ours), median(pairs.yardstick)
    return Row(
        "pages from an exchange at 0 ms by a lane, all of rule 1, against ccxt fetch_ohlcv and pandas to_sql",
        f"at least {SPEEDUP:.0f}×",
        f"{pairs.speedup:.1f}×",
        pairs.speedup >= SPEEDUP,
        f"{requests / ours_s:.0f} against {loop.requests / plain_s:.0f} pages/s, {bars / ours_s:,.0f} against "
        f"{bars / plain_s:,.0f} bars/s; {market.spec.name}, {market.page_rows:,}-bar pages of {len(market.products)} "
        f"instruments, {concurrent} in flight against 1; a turn in Postgres for each of our requests, but of a budget "
        f"without end instead of the exchange's {_count_a_second(market):.0f}/s, and no limiter in the plain way; "
        f"median of {rounds} rounds of {bars:,} bars",
        {
            "ratio": pairs.speedup,
            "pages_per_second": requests / ours_s,
            "bars_per_second": bars / ours_s,
            "plain_pages_per_second": loop.requests / plain_s,
            "plain_bars_per_second": bars / plain_s,
        },
    )


@dataclass(frozen=True, slots=True)
class _Within:
    """How much a lane made use of what a budget allows."""

    name: str
    share: float
    pages_a_second: float
    allowed_a_second: float
    plain_a_second: float
    text: str


def _measure_share(server: Server, quick: bool) -> Row:
    seconds, rounds = (2, 1) if quick else (SHARE_SECONDS, SHARE_ROUNDS)
    found = [_measure_within(server, prefix, seconds, rounds) for prefix in BOUNDED]
    fastest = _measure_within(server, FASTEST, seconds // 2, 1)
    share = min(within.share for within in found)
    return Row(
        f"pages from exchanges at {LATENCY_MS} ms by a lane, of what each one's budget allows",
        f"at least {SHARE}",
        f"{share:.2f}",
        share >= SHARE,
        "; ".join(within.text for within in found)
        + f"; the worst counts, median of {rounds} rounds each; what is allowed: an exchange may count a request when "
        "it leaves or when it is answered, so the next may leave a window after the first was answered; "
        f"{fastest.text}, which two cores with exchange and database on them can't serve",
        {
            f"{within.name}_{name}": value
            for within in (*found, fastest)
            for name, value in (
                ("share", within.share),
                ("pages_per_second", within.pages_a_second),
                ("budget_per_second", within.allowed_a_second),
                ("plain_pages_per_second", within.plain_a_second),
            )
        },
    )


def _measure_within(server: Server, prefix: str, seconds: int, rounds: int) -> _Within:
    """Let a lane fetch so much that it must take at least so many seconds, with the latency of a real exchange."""
    spec, offer = _find_offer(prefix)
    pool = spec.pools[offer.ohlc.group]
    granted = pool.weight // offer.ohlc.weight
    windows = max(1, seconds * 1_000 // pool.window_ms)
    # Two pages each; the last two begin another window.
    instruments = (granted * windows + 2) // 2
    with _open(server, prefix, instruments, 2) as (conn, url, market), closing(_Loop(url, market)) as loop:
        market.exchange.control(latency_ms=LATENCY_MS)
        times = []
        with closing(_Lane(url, market, spec)) as lane:
            for number in range(rounds):
                lane.prepare(conn)
                # Asking for the products spends of the budget, and opens a client.
                time.sleep(pool.window_ms / 1_000)
                times.append(time_call(lane.run))
                _check(conn, market, lane, plain_instruments=0)
                say(
                    f"exchange_pages: {spec.name} at {LATENCY_MS} ms, round {number + 1} of {rounds}, {times[-1]:.1f} s"
                )
            requests, concurrent = lane.report.requests, lane.capability.limits.concurrent
        sample = market.products[:10]
        plain_s = time_call(partial(loop.run, sample))
        plain_rate, plain_bars = loop.requests / plain_s, len(sample) * market.bars / plain_s
    spent_s, full_windows = median(times), (requests - 1) // granted
    share = full_windows * (pool.window_ms + LATENCY_MS) / 1_000 / spent_s
    allowed = granted * 1_000 / (pool.window_ms + LATENCY_MS)
    text = (
        f"{spec.name} {share:.2f} of {allowed:.1f}/s ({full_windows * pool.window_ms / 1_000 / spent_s:.2f} of the "
        f"whole budget of {_count_a_second(market):.1f}/s; {requests} pages of {market.page_rows:,} bars, {concurrent} "
        f"in flight, {requests / spent_s:.1f} pages/s and {len(market.products) * market.bars / spent_s:,.0f} bars/s; "
        f"the plain way {plain_rate:.1f} and {plain_bars:,.0f})"
    )
    return _Within(spec.name, share, requests / spent_s, allowed, plain_rate, text)


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


def _count_a_second(market: _Market) -> float:
    endpoint = market.offer.ohlc
    pool = market.spec.pools[endpoint.group]
    return pool.weight / endpoint.weight * 1_000 / pool.window_ms


def _connect(url: str, purpose: str, autocommit: bool) -> Connection:
    return connect(url, purpose=purpose, autocommit=autocommit)


def _find_offer(prefix: str) -> tuple[Exchange, Segment]:
    return next(
        (exchange, offer) for exchange in EXCHANGES.values() for offer in exchange.offers if offer.prefix == prefix
    )


@contextmanager
def _start_market(prefix: str, instruments: int, pages: int) -> Iterator[_Market]:
    spec, offer = _find_offer(prefix)
    now_ms = find_minute(0) + spec.grace_ms + 1_000
    # A lane's pages overlap by a bar, and the first has the forming one; and the last is not full, as hardly any is. So
    # both ways ask as often.
    listed_ms = find_minute(pages * (offer.ohlc.limit - 1) - offer.ohlc.limit // 10)
    with start_exchange(spec.name, now_ms=now_ms, instruments=1) as exchange:
        products = [exchange.add(prefix, f"BENCH{number:03d}", "USDT", listed_ms) for number in range(instruments)]
        yield _Market(spec, offer, exchange, products, listed_ms, now_ms)
