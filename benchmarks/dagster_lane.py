"""Row 6: a thousand heads by one lane, against a run for each partition, all of it through real Dagster runs.

Both are `dagster job execute` in a process of its own, timed from its start to its exit. The runs for single
partitions share the machine as well as they can: as many at a time as there are cores.
"""

import json
import os
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, cast
from uuid import uuid4

from benchmarks.dagster_home import ask_child, make_environment, run_python
from benchmarks.harness import Row, say, time_call
from benchmarks.market import (
    SERIES_VARIABLE,
    TABLE,
    commit_pages,
    fetch_newer,
    find_minute,
    make_vendor,
    read_clock,
    read_series,
    register,
)
from benchmarks.server import Server, vacuum
from series_pipelines.core.duration import MINUTE_MS
from series_pipelines.postgres.connection import Connection, connect, ms_to_time
from series_pipelines.vendors.services import Capability

TARGET: Final = 50.0
BEHIND_MINUTES: Final = 10
HISTORY_MINUTES: Final = 200
JOB: Final = f"{TABLE}_lane"


def run(server: Server, quick: bool) -> list[Row]:
    """Measure single-partition runs on a few series, then a lane a capability on all the others."""
    series, sample = (200, 2) if quick else (1_000, 6)
    with server.fresh_database() as url, connect(url, purpose="bench") as conn:
        capabilities = _write_history(conn, series)
        vacuum(url)
        settings = {"SERIES_VENDORS": "benchmarks.market:create", SERIES_VARIABLE: str(series)}
        environment = make_environment(server, url, settings)
        say(f"dagster_lane: {ask_child('partitions', TABLE, environment)} partitions, {BEHIND_MINUTES} minutes behind")
        single_rate = _run_singly(conn, capabilities.values(), sample, environment)
        lanes = {name: _run_lane(conn, capability, environment) for name, capability in capabilities.items()}
        worked = ask_child("runs", JOB, environment)
    slowest = min(rate for rate, _ in lanes.values())
    ratio = slowest / single_rate
    each = "; ".join(f"{name} {rate:.0f}/s ({count:,} heads)" for name, (rate, count) in lanes.items())
    return [
        Row(
            f"head refresh of {series:,} series by a lane in a Dagster run, series a second, against a run a partition",
            f"{TARGET:.0f}×",
            f"{ratio:.0f}×",
            ratio >= TARGET,
            f"{slowest:.0f} against {single_rate:.2f} series/s, process start included in both; lanes: {each}; "
            f"{sample} single runs, {_count_cores()} at a time; between a run's start and end event: single "
            f"{min(seconds for seconds, _ in worked[:sample]):.1f} s, lanes "
            f"{'; '.join(f'{seconds:.1f} s, {shown}' for seconds, shown in worked[sample:])}",
            {"ratio": ratio, "lane_series_per_second": slowest, "single_series_per_second": single_rate},
        )
    ]


def _write_history(conn: Connection, series: int) -> Mapping[str, Capability]:
    past_ms = find_minute(BEHIND_MINUTES)
    vendor = make_vendor(series, clock=lambda: past_ms)
    capabilities = register(conn, vendor)
    for capability in capabilities.values():
        time_ms = past_ms - HISTORY_MINUTES * MINUTE_MS if capability.direction == "forward" else past_ms
        pages = [fetch_newer(vendor, capability, facts, time_ms) for facts in read_series(conn, capability)]
        commit_pages(conn, capability, pages)
    return capabilities


def _run_singly(
    conn: Connection, capabilities: Collection[Capability], sample: int, environment: Mapping[str, str]
) -> float:
    # One capability after the other, so that runs at the same time do not wait for the same lock.
    known = zip(*(read_series(conn, capability) for capability in capabilities), strict=True)
    chosen = [facts.series_id for pair in known for facts in pair][:sample]
    since_ms = read_clock()

    def execute(series_id: str) -> None:
        _execute({"kind": "head"}, {"dagster/partition": series_id}, environment)

    with ThreadPoolExecutor(_count_cores()) as pool:
        seconds = time_call(lambda: list(pool.map(execute, chosen)))
    refreshed = sum(_count_refreshed(conn, capability, since_ms) for capability in capabilities)
    if refreshed != sample:
        raise RuntimeError(f"{refreshed} heads were refreshed by {sample} runs")
    say(f"dagster_lane: {sample} runs of one partition in {seconds:.1f} s")
    return sample / seconds


def _run_lane(conn: Connection, capability: Capability, environment: Mapping[str, str]) -> tuple[float, int]:
    since_ms = read_clock()
    config = {"capability": capability.cap_key, "kind": "head"}
    seconds = time_call(lambda: _execute(config, {"series/capability": capability.cap_key}, environment))
    count = _count_refreshed(conn, capability, since_ms)
    say(f"dagster_lane: a {capability.direction} lane refreshed {count} heads in {seconds:.1f} s")
    return count / seconds, count


def _execute(config: Mapping[str, str], tags: Mapping[str, str], environment: Mapping[str, str]) -> None:
    run_config = {
        "ops": {TABLE: {"ops": {"ingest": {"config": config}}}},
        "loggers": {"console": {"config": {"log_level": "WARNING"}}},
    }
    file = Path(environment["DAGSTER_HOME"]) / f"run-{uuid4().hex}.yaml"
    file.write_text(json.dumps(run_config))
    target: Sequence[str] = ("-m", "series_pipelines.definitions", "-j", JOB)
    run_python(["dagster", "job", "execute", *target, "-c", str(file), "--tags", json.dumps(tags)], environment)


def _count_refreshed(conn: Connection, capability: Capability, since_ms: int) -> int:
    statement = """
        select count(*) from series_state
        where cap_key = %s and head_attempted_at >= %s and head_misses = 0 and last_error is null"""
    with conn.transaction():
        row = conn.execute(statement, [capability.cap_key, ms_to_time(since_ms)]).fetchone()
    return int(cast(tuple[Any, ...], row)[0])


def _count_cores() -> int:
    return max(1, len(os.sched_getaffinity(0)))
