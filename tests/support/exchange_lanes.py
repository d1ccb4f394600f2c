"""Runs lanes through Dagster in processes of their own, against loopback exchanges: what a deployment does.

As a program it works capabilities one after the other: `python -m tests.support.exchange_lanes TABLE/CAP_KEY …`.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.exchanges.launch import RunningExchange, start_exchange
from tests.support.places import PROJECT


@contextmanager
def start_exchanges(ages_days: Mapping[str, float], **options: Any) -> Iterator[dict[str, RunningExchange]]:
    """Run exchanges until the block ends; their oldest products are so old."""
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(start_exchange(name, age_days=age_days, **options))
            for name, age_days in ages_days.items()
        }


def write_vendors(
    path: Path, exchanges: Mapping[str, RunningExchange], products: Mapping[str, Sequence[str]], **wishes: Any
) -> Path:
    """Write a vendors.toml for these exchanges, all or some products of each, and the same wishes for all."""
    lines = []
    for name, exchange in exchanges.items():
        lines += [f"[exchanges.{name}]", f'url = "{exchange.url}"', f"products = {json.dumps(products.get(name, []))}"]
        lines += [f"{wish} = {json.dumps(value)}" for wish, value in wishes.items()]
    path.write_text("\n".join(lines))
    return path


def make_environment(folder: Path, database_url: str, vendors: Path) -> dict[str, str]:
    """Make a deployment's environment, its DAGSTER_HOME in the folder."""
    shutil.copyfile(PROJECT / "dagster.yaml", folder / "dagster.yaml")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("SERIES_", "DAGSTER_"))}
    inherited.pop("PYTHONDONTWRITEBYTECODE", None)
    return {
        **inherited,
        "DAGSTER_HOME": str(folder),
        "SERIES_HOME": str(folder),
        "SERIES_DATABASE_URL": database_url,
        "SERIES_VENDORS_FILE": str(vendors),
    }


def start_lanes(environment: Mapping[str, str], wanted: Sequence[str], seconds: int) -> "subprocess.Popen[str]":
    """Start a process that works these `TABLE/CAP_KEY`s one after the other, each for so long at most."""
    command = [sys.executable, __file__, str(seconds), *wanted]
    return subprocess.Popen(
        command,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finish_lanes(processes: Sequence["subprocess.Popen[str]"], timeout_seconds: float = 280) -> None:
    """Wait for the processes, and show what one that failed has said."""
    for process in processes:
        said, _ = process.communicate(timeout=timeout_seconds)
        assert process.returncode == 0, said[-3000:]


def work(seconds: int, wanted: Sequence[str]) -> None:
    from dagster import DagsterInstance

    from series_pipelines.definitions import defs

    with DagsterInstance.get() as instance:
        for entry in wanted:
            table_name, _, cap_key = entry.partition("/")
            job = defs.resolve_job_def(f"{table_name}_lane")
            config = {"capability": cap_key, "seconds": seconds}
            result = job.execute_in_process(
                instance=instance,
                run_config={"ops": {table_name: {"ops": {"ingest": {"config": config}}}}},
                tags={"series/capability": cap_key},
            )
            assert result.success


if __name__ == "__main__":
    work(int(sys.argv[1]), sys.argv[2:])
