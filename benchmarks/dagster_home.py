"""Dagster processes for benchmarks: an instance on the benchmark's database, and children with its environment."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from benchmarks.server import Server
from tests.support.places import PROJECT

LAST_LINES: Final = 15


def make_environment(server: Server, url: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Make a DAGSTER_HOME with the project's dagster.yaml, and the environment a deployment would have."""
    home = server.folder / "dagster"
    home.mkdir(exist_ok=True)
    shutil.copyfile(PROJECT / "dagster.yaml", home / "dagster.yaml")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("SERIES_", "DAGSTER_"))}
    # Without cached bytecode every process would compile all it imports.
    inherited.pop("PYTHONDONTWRITEBYTECODE", None)
    return {
        **inherited,
        "DAGSTER_HOME": str(home),
        "SERIES_DATABASE_URL": url,
        "PYTHONPATH": str(PROJECT),
        **settings,
    }


def run_python(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Run a module in a fresh Python process and return what it printed; say why when it fails."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        env=dict(environment),
        cwd=environment["DAGSTER_HOME"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-LAST_LINES:])
        raise RuntimeError(f"{' '.join(arguments[:3])} ended with code {done.returncode}:\n{last}")
    return done.stdout


def ask_child(command: str, argument: str, environment: Mapping[str, str]) -> Any:
    """Run one command of `benchmarks.dagster_child` and return its answer."""
    lines = run_python(["benchmarks.dagster_child", command, argument], environment).splitlines()
    return json.loads(lines[-1])
