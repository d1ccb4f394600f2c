"""Runs inside a fresh process that has the environment of a deployment; prints its answer as one line of JSON.

`partitions TABLE` adds the table's series as partitions; `tick SENSOR` evaluates a sensor and says what it cost;
`runs JOB` tells each run's seconds between its start and its end event, and what showing its series took of them.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from dagster import DagsterInstance, RunsFilter, build_sensor_context

from series_pipelines.definitions import defs
from series_pipelines.defs.partitions import find_partitions
from series_pipelines.defs.resources import SeriesResource
from series_pipelines.ingest.storing import states


def add_partitions(instance: DagsterInstance, table_name: Any) -> int:
    """Make every series of a table a partition; return how many there are."""
    name = find_partitions(table_name).name
    assert name is not None
    with SeriesResource().connect("partitions") as conn:
        keys = [known.series_id for known in states.list_series(conn, table_name)]
    instance.add_dynamic_partitions(name, keys)
    return len(keys)


def tick_sensor(instance: DagsterInstance, sensor_name: str) -> dict[str, object]:
    """Evaluate a sensor once, as the daemon's code server would."""
    sensor = defs.resolve_sensor_def(sensor_name)
    before_mb = read_peak_mb()
    begun = time.perf_counter()
    resources = {"series": SeriesResource()}
    with build_sensor_context(instance=instance, definitions=defs, resources=resources) as context:
        ticked = sensor.evaluate_tick(context)
    seconds = time.perf_counter() - begun
    return {
        "seconds": seconds,
        "peak_mb": read_peak_mb(),
        "before_mb": before_mb,
        "run_requests": len(ticked.run_requests or ()),
        "skip": ticked.skip_message,
    }


def list_runs(instance: DagsterInstance, job_name: str) -> list[tuple[float, str]]:
    """Return the seconds each run of a job worked, and what its log says of showing its series; oldest first."""
    records = instance.get_run_records(RunsFilter(job_name=job_name), ascending=True)
    return [
        ((record.end_time or 0) - (record.start_time or 0), find_message(instance, record.dagster_run.run_id))
        for record in records
    ]


def find_message(instance: DagsterInstance, run_id: str) -> str:
    """Return what a run's log says of the time that showing took."""
    messages = (entry.user_message for entry in instance.all_logs(run_id))
    return next(message for message in messages if message.startswith("showing "))


def read_peak_mb() -> float:
    """Return the most memory this process has held; getrusage would count its parent's before exec."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("/proc/self/status has no VmHWM")


COMMANDS = {"partitions": add_partitions, "tick": tick_sensor, "runs": list_runs}

if __name__ == "__main__":
    with DagsterInstance.get() as the_instance:
        print(json.dumps(COMMANDS[sys.argv[1]](the_instance, sys.argv[2])))
