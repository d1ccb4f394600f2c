"""`series dev`: the whole system on one machine, in the foreground, until Ctrl-C.

Children get default signal handling, a session and a folder of their own, and die with us, however we die; lanes end
after their page; the embedded Postgres goes when its last user is gone.
"""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NoReturn

from series_pipelines.app.clock import SystemClock
from series_pipelines.app.database import migrate_database, open_connection
from series_pipelines.app.dev_lock import hold_dev_lock
from series_pipelines.app.dev_session import end_session
from series_pipelines.app.settings import Settings, load_settings
from series_pipelines.app.sources import load_registry
from series_pipelines.errors import SeriesError
from series_pipelines.ingest.catalogue.universe import sync_universe
from series_pipelines.postgres.connection import translated_errors
from series_pipelines.postgres.embedded.home import make_home

UI_HOST: Final = "127.0.0.1"
STARTUP_SECONDS: Final = 120
STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# A path of a Unix socket has at most 107 bytes, and Dagster's has a name of eleven.
LONGEST_SOCKET_FOLDER: Final = 95


def run_dev(settings: Settings) -> int:
    """Run everything until it is interrupted; return the exit code."""
    home = settings.home.absolute()
    make_home(home)
    port = find_port(settings.ui_port)
    # A shell's `&` makes its children ignore SIGINT; whoever sends one means it.
    for number in STOP_SIGNALS:
        signal.signal(number, _interrupt)
    with hold_dev_lock(home, f"http://{UI_HOST}:{port}") as tell_lanes_to_end:
        try:
            environment = _make_environment(home)
            _say("starting Postgres" if settings.database_url is None else "connecting to the database")
            _prepare_database()
            _say("starting Dagster")
            _supervise(home, port, environment, tell_lanes_to_end)
        except KeyboardInterrupt:
            return 0


def find_port(wanted: int) -> int:
    """Return the wanted port if it is free, else another that is."""
    for candidate in (wanted, 0):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((UI_HOST, candidate))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise SeriesError(f"no free port on {UI_HOST}: set SERIES_UI_PORT")


def _make_environment(home: Path) -> dict[str, str]:
    dagster_home = home / "dagster"
    dagster_home.mkdir(mode=0o700, exist_ok=True)
    dagster_home.chmod(0o700)
    shutil.copyfile(_find_dagster_yaml(), dagster_home / "dagster.yaml")
    environment = {
        **os.environ,
        **make_paths_whole(os.environ),
        "SERIES_HOME": str(home),
        "DAGSTER_HOME": str(dagster_home),
        "SERIES_SENSORS": os.environ.get("SERIES_SENSORS", "on"),
        "SERIES_UNDER_DEV": "yes",
        "PYTHONUNBUFFERED": "1",
        "TMPDIR": str(_make_temporary_folder(dagster_home)),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.update({name: environment[name] for name in ("SERIES_HOME", "SERIES_SENSORS")})
    load_settings.cache_clear()
    return environment


def make_paths_whole(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the paths of an environment as they are meant here, for what starts in another folder."""
    whole = {name: os.path.abspath(environment[name]) for name in ("SERIES_VENDORS_FILE",) if environment.get(name)}
    if given := environment.get("PYTHONPATH"):
        whole["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, given.split(os.pathsep)))
    return whole


def _make_temporary_folder(dagster_home: Path) -> Path:
    """Make a folder for what Dagster's processes, which are killed, would leave elsewhere."""
    folder = dagster_home / "tmp"
    if len(os.fsencode(folder)) > LONGEST_SOCKET_FOLDER:
        return Path(tempfile.mkdtemp(prefix="series-dev-"))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    return folder


def _find_dagster_yaml() -> Path:
    """Return our own file: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    packaged = package / "dagster.yaml"
    return packaged if packaged.exists() else package.parent / "dagster.yaml"


def _prepare_database() -> None:
    settings = load_settings()
    migrate_database(settings)
    with translated_errors(), open_connection(settings, "dev") as conn:
        clock = SystemClock()
        report = sync_universe(conn, load_registry(settings), clock.now_ms(), wait=clock.wait)
    for refusal in report.refused:
        _say(f"refused: {refusal}")
    _say(f"{report.capabilities} capabilities, {report.products} products, {sum(report.series.values())} series")


def _supervise(home: Path, port: int, environment: dict[str, str], tell_lanes_to_end: Callable[[], None]) -> NoReturn:
    # What Dagster says goes to a file, so that the terminal stays readable.
    log_path = home / "dagster.log"
    with open(os.open(log_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab") as log:
        os.fchmod(log.fileno(), 0o600)
        child = subprocess.Popen(
            [
                *(sys.executable, "-m", "dagster", "dev", "-m", "series_pipelines.definitions"),
                *("--host", UI_HOST, "--port", str(port), "--log-level", "warning"),
            ],
            # Dagster reads `.env` and imports modules of the folder it starts in, which here may be anybody's project.
            cwd=environment["DAGSTER_HOME"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )
    try:
        _await_ui(child, port, log_path)
        _say(f"open http://{UI_HOST}:{port}   (Ctrl-C stops everything; the log is {log_path})")
        code = child.wait()
        raise SeriesError(f"Dagster ended with code {code}: see {log_path}")
    except KeyboardInterrupt:
        _say("stopping")
        raise
    finally:
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        end_session(child.pid, tell_lanes_to_end)
        child.wait()
        shutil.rmtree(environment["TMPDIR"], ignore_errors=True)


def _interrupt(signum: int, frame: object) -> None:
    raise KeyboardInterrupt


def _die_with_parent() -> None:
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGINT)


def _await_ui(child: subprocess.Popen[bytes], port: int, log_path: Path) -> None:
    deadline = time.monotonic() + STARTUP_SECONDS
    while time.monotonic() < deadline:
        if child.poll() is not None:
            raise SeriesError(f"Dagster did not start (code {child.returncode}): see {log_path}")
        try:
            with urllib.request.urlopen(f"http://{UI_HOST}:{port}/server_info", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise SeriesError(f"Dagster did not answer within {STARTUP_SECONDS} s: see {log_path}")


def _say(text: str) -> None:
    sys.stderr.write(f"series dev: {text}\n")
    sys.stderr.flush()
