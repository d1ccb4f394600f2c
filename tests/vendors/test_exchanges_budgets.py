"""Budgets and bans as the exchanges see them: four processes of lanes against loopback servers that count."""

import multiprocessing
import os
import signal
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import NamedTuple, Self

import pytest

from series_pipelines.actions.peek import peek
from series_pipelines.app.clock import SystemClock
from series_pipelines.app.database import find_database
from series_pipelines.app.settings import load_settings
from series_pipelines.app.sources import load_registry
from series_pipelines.ingest.catalogue.universe import sync_universe
from series_pipelines.ingest.lane.lane import run_lane
from series_pipelines.ingest.lane.order import LaneOrder, LaneTools
from series_pipelines.ingest.storing import capabilities
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.vendors.exchanges.table import EXCHANGES
from tests.exchanges.launch import RunningExchange
from tests.exchanges.traffic import Arrival, find_most
from tests.support.exchange_lanes import start_exchanges
from tests.support.narrowing import expect

pytestmark = pytest.mark.xdist_group("exchanges")
PROCESSES = 4
SPAWN = multiprocessing.get_context("spawn")
Step = list[tuple[str, LaneOrder]]
"""Capabilities to work at once, and what to do for each."""


class Done(NamedTuple):
    pages: int
    seconds: float


@dataclass(frozen=True)
class Meter:
    """One of our pools, and by which part of their path the server's arrivals belong to it."""

    exchange: str
    group: str
    path: str

    @property
    def weight(self) -> int:
        return int(EXCHANGES[self.exchange].pools[self.group].weight * SHARES[self.exchange])

    @property
    def window_ms(self) -> int:
        return EXCHANGES[self.exchange].pools[self.group].window_ms

    def as_budget(self) -> dict[str, int | str]:
        """Return what makes the server refuse and count anything above it."""
        return {"weight": self.weight, "window_ms": self.window_ms, "path": self.path}


# What two busy cores can use up.
SHARES = {"okx": 0.6, "binance": 0.4, "bybit": 0.25}
METERS = (
    Meter("okx", "candles", "/market/candles"),
    Meter("okx", "funding", "/funding-rate-history"),
    Meter("binance", "spot", "/api/v3/"),
    Meter("binance", "fapi", "/fapi/v1/klines"),
    Meter("binance", "fapi-funding", "/fapi/v1/fundingRate"),
    Meter("bybit", "ip", ""),
)
BAN_S = 12
PAGES = 12
CALM_SHARES = {"bybit": 0.15, "gate": 0.3, "bitget": 0.5, "binance": 0.1}


@pytest.fixture
def vendors_file(series_environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "vendors.toml"
    monkeypatch.setenv("SERIES_VENDORS_FILE", str(path))
    monkeypatch.setenv("SERIES_HOME", str(tmp_path))
    load_settings.cache_clear()
    return path


def write_vendors(
    path: Path, exchanges: Mapping[str, RunningExchange], shares: Mapping[str, float], rates: str
) -> None:
    wishes = f'rates = {rates}\ndurations = ["PT15M", "PT30M", "PT1H", "PT4H"]\n'
    path.write_text(
        "".join(
            f'[exchanges.{name}]\nurl = "{exchange.url}"\nbudget_share = {shares[name]}\n{wishes}'
            for name, exchange in exchanges.items()
        )
    )


def discover(conn: Connection) -> list[str]:
    """Ask the exchanges what they have; return the keys of all capabilities."""
    report = sync_universe(conn, load_registry(load_settings()), SystemClock().now_ms())
    assert report.refused == ()
    found = [state.cap_key for state in capabilities.read(conn)]
    conn.commit()
    return found


def work_lanes(steps: Sequence[Step], together: Barrier, out: "multiprocessing.Queue[dict[str, Done]]") -> None:
    """In a process: in each step work its capabilities at once; tell what each has done."""
    settings = load_settings()
    catalogue = load_registry(settings).read()
    url = find_database(settings)
    tools = LaneTools(lambda purpose, autocommit: connect(url, purpose=purpose, autocommit=autocommit), SystemClock())

    def work(cap_key: str, order: LaneOrder) -> tuple[str, Done]:
        began = time.monotonic()
        report = run_lane(tools, catalogue.vendor_of[cap_key], catalogue.capabilities[cap_key], order)
        return cap_key, Done(report.pages, time.monotonic() - began)

    with ThreadPoolExecutor(8) as pool:
        for step in steps:
            together.wait(60)
            out.put(dict(pool.map(work, *zip(*step, strict=True)) if step else ()))


class Workers:
    """Four processes that work their lanes step by step, all at the same time."""

    def __init__(self, steps: Sequence[Sequence[Step]]) -> None:
        self._together, self._out = SPAWN.Barrier(len(steps) + 1), SPAWN.Queue()
        self._processes = [SPAWN.Process(target=work_lanes, args=(each, self._together, self._out)) for each in steps]

    def __enter__(self) -> Self:
        for process in self._processes:
            process.start()
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        for process in self._processes:
            process.join(0 if failed else 30)
            process.kill()
            process.join()

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._processes if process.pid is not None]

    def begin_step(self) -> None:
        self._together.wait(60)

    def end_step(self) -> dict[str, Done]:
        """Wait for the end of a step; return what each capability has done."""
        return {cap_key: done for _ in self._processes for cap_key, done in self._out.get(timeout=60).items()}

    def do_step(self) -> dict[str, Done]:
        self.begin_step()
        return self.end_step()


def deal(cap_keys: Sequence[str]) -> list[list[str]]:
    """Spread the capabilities over the processes, neighbours to different ones."""
    return [list(cap_keys[number::PROCESSES]) for number in range(PROCESSES)]


def give(cap_keys: Sequence[str], order: LaneOrder) -> Step:
    return [(cap_key, order) for cap_key in cap_keys]


def test_no_exchange_receives_more_than_its_budget_in_any_window(vendors_file: Path, conn: Connection) -> None:
    with start_exchanges(dict.fromkeys(SHARES, 1.0), instruments=60) as exchanges:
        write_vendors(vendors_file, exchanges, SHARES, "true")
        wanted = discover(conn)
        for name, exchange in exchanges.items():
            exchange.control(budgets=[meter.as_budget() for meter in METERS if meter.exchange == name])
        warm, order = LaneOrder(shift_ms=30_000, max_pages=2), LaneOrder(shift_ms=7_000)
        with Workers([[give(share, warm), give(share, order)] for share in deal(sorted(wanted))]) as workers:
            workers.do_step()
            for exchange in exchanges.values():
                exchange.reset()
            workers.begin_step()
            # Whoever stands still keeps turns that it took and has not used; all it sends later comes late.
            for pid in workers.pids:
                time.sleep(0.8)
                os.kill(pid, signal.SIGSTOP)
                time.sleep(0.7)
                os.kill(pid, signal.SIGCONT)
            workers.end_step()
        seen = {name: exchange.stats(arrivals=True) for name, exchange in exchanges.items()}
    for meter in METERS:
        arrivals = [Arrival(*each) for each in seen[meter.exchange]["arrivals"] if meter.path in each[1]]
        most = find_most(arrivals, meter.window_ms, lambda arrival: arrival.weight)
        windows = (arrivals[-1].time_ms - arrivals[0].time_ms) / meter.window_ms + 1
        used = sum(each.weight for each in arrivals) / windows
        print(f"{meter.exchange}/{meter.group}: most {most}, {used:.1f} on average, of {meter.weight}")
        assert most <= meter.weight, meter
        # Half of it or more on a quiet machine; here others may work beside us.
        assert most >= 0.5 * meter.weight, meter
        assert used >= 0.2 * meter.weight, meter
    assert {name: (stats["violations"], set(stats["statuses"])) for name, stats in seen.items()} == dict.fromkeys(
        SHARES, (0, {"200"})
    )


def test_a_ban_of_one_exchange_does_not_slow_the_others(vendors_file: Path, conn: Connection) -> None:
    with start_exchanges(dict.fromkeys(CALM_SHARES, 1.0), instruments=40) as exchanges:
        write_vendors(vendors_file, exchanges, CALM_SHARES, "false")
        wanted = sorted(discover(conn))
        binance = exchanges["binance"]
        banned = [cap_key for cap_key in wanted if "BINANCE" in cap_key]
        others = [cap_key for cap_key in wanted if cap_key not in banned]
        warm, same = LaneOrder(shift_ms=30_000, max_pages=2), LaneOrder(shift_ms=6_000, max_pages=PAGES)
        last = LaneOrder(shift_ms=25_000, max_pages=3)
        # To start a lane costs something too: what is compared with a ban is the same lanes, which ask for nothing.
        idle = LaneOrder(shift_ms=6_000, max_pages=0)
        steps = [
            [
                give(alone + shut, warm),
                *(give(alone, same) + give(shut, order) for order in (idle, same, same, idle)),
                give(shut, last),
            ]
            for alone, shut in zip(deal(others), deal(banned), strict=True)
        ]
        with Workers(steps) as workers:
            workers.do_step()
            without = time_work(workers, conn, others)
            binance.reset()
            binance.control(ban_s=BAN_S)
            until_s = time.monotonic() + BAN_S
            with_ban = time_work(workers, conn, others)
            in_flight = binance.stats()["during_ban"]
            check_pause(conn, banned, until_s)
            # As if the pause were over: then it is the circuit that refuses, in every process.
            conn.execute("update capability_state set backoff_ms = 0, next_eligible_at = null")
            conn.commit()
            with_ban += time_work(workers, conn, others)
            check_pause(conn, banned, until_s)
            if time.monotonic() >= until_s:
                pytest.skip("the machine is too slow: the ban was over before the work was done")
            assert binance.stats()["requests"] == in_flight
            without += time_work(workers, conn, others)
            afterwards = workers.do_step()
            stats = binance.stats()
    print(f"{with_ban:.2f} s with a ban, {without:.2f} s without; {in_flight} requests met the ban")
    assert 1 <= in_flight <= len(banned)
    assert stats["during_ban"] == in_flight
    assert {cap_key: done.pages for cap_key, done in afterwards.items()} == dict.fromkeys(banned, 3)
    # At most 1.1 on a quiet machine, as the line above tells; what else runs beside us may fall into either time.
    assert with_ban <= 1.25 * without


def time_work(workers: Workers, conn: Connection, cap_keys: Sequence[str]) -> float:
    """Do a step; return the seconds these capabilities took for the same work, on average.

    Budgets let requests leave in bursts, so pages in a fixed time depend on how the bursts fall into it. The books are
    emptied first: each step then meets the same empty windows.
    """
    conn.execute("delete from rate_request")
    conn.commit()
    done = workers.do_step()
    assert {done[cap_key].pages for cap_key in cap_keys} == {PAGES}
    return sum(done[cap_key].seconds for cap_key in cap_keys) / len(cap_keys)


def check_pause(conn: Connection, banned: Sequence[str], until_s: float) -> None:
    """Whoever looks sees that binance is shut, until when, and why; nobody else is, or waits for it."""
    now_ms = SystemClock().now_ms()
    left_ms = (until_s - time.monotonic()) * 1000
    for row in expect(list, peek(conn, now_ms).as_json()["capabilities"]):
        if row["cap_key"] in banned:
            assert "418, -1003 Way too many requests; IP banned until" in str(row["last_error"])
            ends_ms = datetime.fromisoformat(str(row["next_eligible_at"])).timestamp() * 1000
            assert ends_ms - now_ms == pytest.approx(left_ms, abs=2_000)
        else:
            assert (row["last_error"], row["next_eligible_at"]) == (None, None)
    blocked = conn.execute("select budget from rate_budget where blocked_until > clock_timestamp()").fetchall()
    assert {budget for (budget,) in blocked} == {f"binance/{group}@direct" for group in EXCHANGES["binance"].pools}
    # Its waiting heads do not hold up the others' tails.
    capabilities.write_backlogs(conn, dict.fromkeys(banned, 1_000), now_ms)
    assert capabilities.sum_backlogs(conn, "another", now_ms - 60_000, now_ms) < 1_000
    conn.rollback()
