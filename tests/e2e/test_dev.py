"""`series dev` as a newcomer meets it: one command, a UI in which series fill up, and nothing left behind."""

import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from websockets.sync.client import connect as connect_websocket
from websockets.typing import Subprotocol

from series_pipelines.postgres import locks
from series_pipelines.postgres.connection import connect
from series_pipelines.postgres.embedded.server import start_embedded
from tests.support.places import PROJECT

SERIES = Path(sys.executable).with_name("series")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
STOP_SECONDS = 8 if os.environ.keys() & {"CI", "PYTEST_XDIST_WORKER"} else 5
"""Where other tests run beside it everything takes longer."""
FINISHED = ("SUCCESS", "FAILURE", "CANCELED")
pytestmark = [pytest.mark.timeout(400), pytest.mark.xdist_group("dev")]


@dataclass
class Dev:
    """A running `series dev`."""

    process: subprocess.Popen[str]
    home: Path
    port: int
    environment: dict[str, str]

    def ask(self, query: str, **variables: object) -> Any:
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/graphql", body, {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            reply = json.load(answer)
        assert "errors" not in reply, reply
        return reply["data"]

    def await_until(self, look: Callable[[], Any], what: str, seconds: float = 120) -> Any:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if (found := look()) is not None and found is not False:
                return found
            assert self.process.poll() is None, f"series dev ended: see {self.home}/dagster.log"
            time.sleep(0.5)
        raise AssertionError(
            f"{what} did not happen within {seconds} s\n{(self.home / 'dagster.log').read_text()[-3000:]}"
        )

    def find_stats(self, table_name: str) -> dict[str, int]:
        query = "{ assetNodes { assetKey { path } partitionStats { numMaterialized numPartitions numFailed } } }"
        nodes = {node["assetKey"]["path"][0]: node["partitionStats"] for node in self.ask(query)["assetNodes"]}
        return nodes.get(table_name) or {"numMaterialized": 0, "numPartitions": 0, "numFailed": 0}

    def find_statuses(self, table_name: str) -> dict[str, set[str]]:
        query = """query($key: AssetKeyInput!) { assetNodeOrError(assetKey: $key) { ... on AssetNode {
            assetPartitionStatuses { ... on DefaultPartitionStatuses {
                materializedPartitions failedPartitions unmaterializedPartitions } } } } }"""
        node = self.ask(query, key={"path": [table_name]})["assetNodeOrError"]["assetPartitionStatuses"]
        return {name: set(keys) for name, keys in node.items()}

    def find_last_materialization(self, asset: str) -> float:
        query = """query($key: AssetKeyInput!) { assetOrError(assetKey: $key) { ... on Asset {
            assetMaterializations(limit: 1) { timestamp } } } }"""
        found = self.ask(query, key={"path": [asset]})["assetOrError"].get("assetMaterializations")
        return float(found[0]["timestamp"]) if found else 0.0

    def launch(self, job: str, assets: tuple[str, ...] = (), **tags: str) -> str:
        """Start a run as a person would; return its id."""
        mutation = """mutation($params: ExecutionParams!) { launchPipelineExecution(executionParams: $params) {
            __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }
            ... on RunConfigValidationInvalid { errors { message } } } }"""
        selector: dict[str, Any] = {
            "repositoryLocationName": "series_pipelines.definitions",
            "repositoryName": "__repository__",
            "jobName": job,
        }
        if assets:
            selector["assetSelection"] = [{"path": [asset]} for asset in assets]
        metadata = {"tags": [{"key": f"dagster/{key}", "value": value} for key, value in tags.items()]}
        params = {"selector": selector, "runConfigData": "{}", "mode": "default", "executionMetadata": metadata}
        launched = self.ask(mutation, params=params)["launchPipelineExecution"]
        assert launched["__typename"] == "LaunchRunSuccess", launched
        return str(launched["run"]["runId"])

    def find_run_status(self, run_id: str) -> str:
        query = "query($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"
        return str(self.ask(query, id=run_id)["runOrError"]["status"])

    def execute(self, job: str) -> None:
        """Start a run and wait until it has succeeded."""
        run_id = self.launch(job)
        self.await_until(lambda: self.find_run_status(run_id) in FINISHED, f"the end of {job}")
        assert self.find_run_status(run_id) == "SUCCESS"

    def find_runs(self, **tags: str) -> list[dict[str, Any]]:
        query = """query($filter: RunsFilter) { runsOrError(filter: $filter, limit: 50) { ... on Runs { results {
            runId status jobName tags { key value } stepStats { stepKey status } } } } }"""
        wanted = [{"key": key, "value": value} for key, value in tags.items()]
        runs: list[dict[str, Any]] = self.ask(query, filter={"tags": wanted})["runsOrError"]["results"]
        return runs


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def make_foreign_project(home: Path) -> Path:
    """Make a folder of somebody's own: another Dagster's configuration, its settings, and a module."""
    folder = home.parent / "project"
    folder.mkdir(exist_ok=True)
    (folder / "dagster.yaml").write_text("storage:\n  custom:\n    module: nowhere\n    class: Nothing\n")
    (folder / ".env").write_text("SERIES_DATABASE_URL=postgresql://u:p@127.0.0.1:1/theirs\nSERIES_VENDORS=no:thing\n")
    (folder / "gql.py").write_text("raise SystemExit('this is another gql than the web server needs')\n")
    return folder


def start(home: Path, **extra: str) -> Dev:
    port = find_free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SERIES_", "DAGSTER_"))}
    environment |= {"SERIES_HOME": str(home), "SERIES_UI_PORT": str(port), "SERIES_DEMO_PRODUCTS": "12", **extra}
    process = subprocess.Popen(
        [str(SERIES), "dev"],
        cwd=make_foreign_project(home),
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        # As in a terminal: Ctrl-C works. A shell's `&` would have made children deaf to it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    return Dev(process, home, port, environment)


def await_open(dev: Dev) -> None:
    assert dev.process.stderr is not None
    for line in dev.process.stderr:
        if f"open http://127.0.0.1:{dev.port}" in line:
            return
    raise AssertionError(f"series dev ended: {(dev.home / 'dagster.log').read_text()[-3000:]}")


def find_descendants(dev: Dev) -> list[psutil.Process]:
    """Return every process that belongs to this home, however it was started."""
    marks = (str(dev.home),)
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and (
                any(mark in part for mark in marks for part in process.cmdline())
                or process.environ().get("SERIES_HOME") == str(dev.home)
            ):
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def stop(dev: Dev, number: signal.Signals) -> float:
    """Stop it and wait until nothing of it is left; return how many seconds it took to stop."""
    begun = time.monotonic()
    dev.process.send_signal(number)
    dev.process.communicate(timeout=60)
    seconds = time.monotonic() - begun
    await_gone(dev)
    return seconds


def await_gone(dev: Dev) -> None:
    _, alive = psutil.wait_procs(find_descendants(dev), timeout=60)
    assert alive == []
    assert find_descendants(dev) == []


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="series-dev-"))
    folder.chmod(0o755)
    home = folder / "home"
    # As an older version left it: open to all.
    for place in (home, home / "dagster"):
        place.mkdir()
        place.chmod(0o755)
    (home / "dagster.log").touch()
    (home / "dagster.log").chmod(0o644)
    yield home
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def dev(home: Path) -> Iterator[Dev]:
    dev = start(home)
    try:
        await_open(dev)
        yield dev
    finally:
        stop(dev, signal.SIGINT)


def test_series_fill_up_by_themselves(dev: Dev) -> None:
    def are_all_materialized() -> bool:
        stats = [dev.find_stats(table_name) for table_name in ("ohlc_v2", "interest_rate")]
        return all(0 < found["numPartitions"] == found["numMaterialized"] for found in stats)

    dev.await_until(are_all_materialized, "every series with a green dot")
    assert dev.find_stats("ohlc_v2")["numFailed"] == 0


def test_what_it_keeps_is_closed_to_other_users(dev: Dev) -> None:
    # As root Postgres is another user, who must be able to pass through the home.
    assert stat.S_IMODE(dev.home.stat().st_mode) == (0o711 if os.geteuid() == 0 else 0o700)
    modes = {place.name: stat.S_IMODE(place.stat().st_mode) for place in dev.home.iterdir()}
    assert {"dagster", "dagster.log", "dev.lock", "demo_epoch", "postgres", "postgres.json"} <= set(modes)
    assert {name for name, mode in modes.items() if mode & 0o077} == set()


def test_a_second_one_beside_it_is_told_who_is_there(dev: Dev) -> None:
    second = subprocess.run([str(SERIES), "dev"], cwd=PROJECT, env=dev.environment, capture_output=True, text=True)
    assert second.returncode != 0
    lines = second.stderr.strip().splitlines()
    assert len(lines) == 1
    assert f"already runs in {dev.home} (process {dev.process.pid}" in lines[0]


def test_a_backfill_over_islands_fills_exactly_those_series(dev: Dev) -> None:
    chosen = ["DEMO/SWAP/BTC-USDT/PT4H", "DEMO/SWAP/BTC-USDT/PT5M", "DEMO/SPOT/BTC-USDT/P1D"]
    mutation = """mutation($p: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $p) {
        __typename ... on LaunchBackfillSuccess { backfillId } ... on PythonError { message } } }"""
    params = {"assetSelection": [{"path": ["ohlc_v2"]}], "partitionNames": chosen}
    backfill = dev.ask(mutation, p=params)["launchPartitionBackfill"]
    assert backfill["__typename"] == "LaunchBackfillSuccess", backfill

    def find_ended() -> list[dict[str, Any]] | None:
        runs = dev.find_runs(**{"dagster/backfill": backfill["backfillId"]})
        return runs if len(runs) == 2 and all(run["status"] in FINISHED for run in runs) else None

    runs = dev.await_until(find_ended, "the backfill's two runs")
    assert {run["status"] for run in runs} == {"SUCCESS"}
    assert {step["status"] for run in runs for step in run["stepStats"]} == {"SUCCESS"}
    assert set(chosen) <= dev.find_statuses("ohlc_v2")["materializedPartitions"]
    coverage = subprocess.run(
        [str(SERIES), "coverage", "--json", *chosen], cwd=PROJECT, env=dev.environment, capture_output=True, text=True
    )
    for row in json.loads(coverage.stdout):
        assert row["gaps"] in (0, []), row


def test_a_run_that_waits_for_its_capability_can_be_cancelled(dev: Dev) -> None:
    cap_key = "IngestOHLC/DEMO%2FSWAP%2F/backward"
    server = start_embedded(dev.home)
    with connect(server.url, purpose="test", autocommit=True) as holder:
        locks.wait_capability(holder, cap_key, 60_000)
        run_id = dev.launch("ohlc_v2_lane", ("ohlc_v2",), partition="DEMO/SWAP/BTC-USDT/PT4H")
        dev.await_until(lambda: locks.is_awaited(holder, cap_key), "the run's wait for its capability")
        assert dev.find_run_status(run_id) == "STARTED"
        dev.ask("mutation($id: String!) { terminateRun(runId: $id) { __typename } }", id=run_id)
        dev.await_until(lambda: dev.find_run_status(run_id) in FINISHED, "the run's end")
        assert dev.find_run_status(run_id) == "CANCELED"
        dev.await_until(lambda: not locks.is_awaited(holder, cap_key), "the end of its wait")
    server.close()


def look(dev: Dev, path: str) -> str:
    """Return a page of the UI as a browser has drawn it."""
    with tempfile.TemporaryDirectory(prefix="series-browser-", ignore_cleanup_errors=True) as profile:
        page = subprocess.run(
            [
                str(CHROMIUM),
                *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
                *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
                *(f"--user-data-dir={profile}", "--window-size=1280,1000", "--virtual-time-budget=20000"),
                *("--dump-dom", f"http://127.0.0.1:{dev.port}{path}"),
            ],
            capture_output=True,
            text=True,
            timeout=120,
        )
    return page.stdout


def find_icons(page: str, after: str, before: str) -> list[str]:
    """Return the names of the icons between two texts of a page; none while the texts are not there."""
    _, _, rest = page.partition(after)
    part, found, _ = rest.partition(before)
    return re.findall(r'role="img" aria-label="(\w+)"', part) if found else []


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed here")
def test_a_browser_shows_the_series_on_the_partitions_page(dev: Dev) -> None:
    page = look(dev, "/assets/ohlc_v2?view=partitions")
    assert "DEMO/SPOT/" in page
    assert "Materialized" in page


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed here")
def test_a_failing_check_is_red_while_lanes_go_on_and_green_when_it_is_mended(dev: Dev) -> None:
    server = start_embedded(dev.home)
    with connect(server.url, purpose="test", autocommit=True) as conn:
        # A cursor without events, which no lane has to do with.
        conn.execute(
            "insert into ing_cursor (namespace_id, position, table_name, series_id, operation, namespace_scope, "
            "namespace_key, direction, cursor_type) values (find_namespace_id('ohlc_v2', 'X/PT1M', 'UPDATE', 'CUSTOM', "
            "'forged'), 1, 'ohlc_v2', 'X/PT1M', 'UPDATE', 'CUSTOM', 'forged', 'FORWARD', 'TIME')"
        )
    server.close()

    def look_at_check() -> tuple[str, str]:
        catalogue = find_icons(look(dev, "/assets"), ">ohlc_v2_ledger</span>", "Materialized")
        on_page = find_icons(look(dev, "/assets/ohlc_v2_ledger"), "Latest check results", "Asset history")
        return (catalogue or ["nothing"])[-1], (on_page or ["nothing"])[-1]

    dev.execute("nightly_checks")
    checked = dev.find_last_materialization("ohlc_v2_ledger")
    dev.await_until(lambda: dev.find_last_materialization("ohlc_v2") > checked, "a later event of a lane")
    assert look_at_check() == ("check_failed", "cancel")
    rebuild = [str(SERIES), "cursors", "rebuild"]
    assert subprocess.run(rebuild, cwd=PROJECT, env=dev.environment, capture_output=True).returncode == 0
    dev.execute("nightly_checks")
    assert look_at_check() == ("check_passed", "check_circle")


def test_ctrl_c_stops_everything_without_a_traceback_and_the_next_start_finds_its_data(home: Path, dev: Dev) -> None:
    before = dev.find_stats("ohlc_v2")["numMaterialized"]
    with connect_websocket(f"ws://127.0.0.1:{dev.port}/graphql", subprotocols=[Subprotocol("graphql-ws")]) as browser:
        browser.send(json.dumps({"type": "connection_init", "payload": {}}))
        assert json.loads(browser.recv(timeout=60))["type"] == "connection_ack"
        dev.await_until(lambda: [run for run in dev.find_runs() if run["status"] == "STARTED"], "a run at work")
        assert stop(dev, signal.SIGINT) < STOP_SECONDS
    assert dev.process.returncode == 0
    log = (home / "dagster.log").read_text()
    assert not re.search("Traceback|Stack Trace", log), log[-10_000:]
    assert not (home / "dagster" / "tmp").exists()
    again = start(home)
    try:
        await_open(again)
        assert again.find_stats("ohlc_v2")["numMaterialized"] >= before
    finally:
        stop(again, signal.SIGKILL)  # and kill -9 leaves no orphan either
