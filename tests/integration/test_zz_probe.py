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
from exchange_lanes import start_exchanges
from exchanges.launch import RunningExchange
from exchanges.traffic import Arrival, find_most

from series_pipelines.database import find_database
from series_pipelines.ingest.backlog import read_backlog
from series_pipelines.ingest.lane import LaneOrder, LaneTools, run_lane
from series_pipelines.ingest.peek import list_capabilities
from series_pipelines.ingest.universe import sync_universe
from series_pipelines.settings import load_settings
from series_pipelines.sources import load_registry
from series_pipelines.store import capabilities
from series_pipelines.store.connection import Connection, connect
from series_pipelines.system_clock import SystemClock
from series_pipelines.vendors.exchanges.table import EXCHANGES

pytestmark = pytest.mark.xdist_group("exchanges")
PROCESSES = 4
SPAWN = multiprocessing.get_context("spawn")
Step = tuple[list[str], LaneOrder]
"""Capabilities, and what to do for each."""


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
        for cap_keys, order in steps:
            together.wait(60)
            out.put(dict(pool.map(work, cap_keys, [order] * len(cap_keys))))


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



PATTERN = "ABBAABBAABBAABBA"

def test_probe(vendors_file: Path, conn: Connection) -> None:
    with start_exchanges(dict.fromkeys(CALM_SHARES, 1.0), instruments=80) as exchanges:
        write_vendors(vendors_file, exchanges, CALM_SHARES, "false")
        wanted = sorted(discover(conn))
        banned = [c for c in wanted if "BINANCE" in c]
        others = [c for c in wanted if c not in banned]
        warm, same = LaneOrder(shift_ms=30_000, max_pages=2), LaneOrder(shift_ms=6_000, max_pages=PAGES)
        steps = [[(alone + shut, warm)] + [(alone if k == "A" else alone + shut, same) for k in PATTERN]
            for alone, shut in zip(deal(others), deal(banned), strict=True)]
        out = {"A": [], "B": []}
        with Workers(steps) as workers:
            workers.do_step()
            exchanges["binance"].reset()
            exchanges["binance"].control(ban_s=300)
            for kind in PATTERN:
                conn.execute("update capability_state set backoff_ms = 0, next_eligible_at = null"); conn.commit()
                out[kind].append(round(time_work(workers, conn, others), 3))
        from statistics import mean, stdev
        for k, v in out.items():
            print("PROBE", k, v, f"mean {mean(v):.3f} sd {stdev(v):.3f}")
        print("PROBE ratio", round(mean(out["B"]) / mean(out["A"]), 3), "ABBA ratios", [round((out["B"][i]+out["B"][i+1])/(out["A"][i]+out["A"][i+1]),3) for i in range(0,8,2)], "met ban", exchanges["binance"].stats()["during_ban"])


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
    for row in list_capabilities(read_backlog(conn, now_ms)):
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
