"""How `series dev` and what it has started end together: real processes, real locks, real kills."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from series_pipelines.app import dev_session
from series_pipelines.app.dev_session import end_session

DEV = """
import sys
from pathlib import Path
from series_pipelines.app.dev_lock import hold_dev_lock
with hold_dev_lock(Path(sys.argv[1]), "http://nowhere") as tell_lanes_to_end:
    print("holds", flush=True)
    sys.stdin.readline()
    tell_lanes_to_end()
    sys.stdin.read()
"""
LANE = """
import sys, time
from pathlib import Path
from series_pipelines.app import dev_lock
patience_seconds, is_stuck = float(sys.argv[2]), sys.argv[3] == "stuck"
dev_lock.LAST_PAGE_SECONDS = patience_seconds
should_end = dev_lock.end_with_dev(Path(sys.argv[1]))
print(should_end(), flush=True)
while is_stuck or not should_end():
    time.sleep(0.01)
"""
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[subprocess.Popen[str]] = []

    def start(script: str, *arguments: object) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", script, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL),
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def read_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize("how", ["told", "killed"])
def test_a_lane_ends_by_itself_when_its_series_dev_does(tmp_path: Path, start: Start, how: str) -> None:
    dev = start(DEV, tmp_path)
    assert read_line(dev) == "holds"
    lane = start(LANE, tmp_path, 60, "ends")
    assert read_line(lane) == "False"
    if how == "killed":
        dev.kill()
    else:
        assert dev.stdin is not None
        dev.stdin.write("\n")
        dev.stdin.flush()
    assert lane.wait(30) == 0
    # One that begins when it is too late does nothing.
    assert read_line(start(LANE, tmp_path, 60, "ends")) == "True"


def test_a_lane_that_is_stuck_is_interrupted(tmp_path: Path, start: Start) -> None:
    dev = start(DEV, tmp_path)
    assert read_line(dev) == "holds"
    lane = start(LANE, tmp_path, 0.1, "stuck")
    assert read_line(lane) == "False"
    dev.kill()
    assert lane.wait(30) == -signal.SIGTERM


def test_a_session_ends_whole_and_lanes_are_told_before_they_are_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev_session, "LANES_SECONDS", 0.1)
    monkeypatch.setattr(dev_session, "REPORT_SECONDS", 0.0)
    script = 'for name in multiprocessing.spawn "dagster api grpc" daemon; do (exec -a "$name" sleep 600) & done; wait'
    leader = subprocess.Popen(["bash", "-c", f"{script} & echo; wait"], stdout=subprocess.PIPE, start_new_session=True)
    assert leader.stdout is not None
    names = {"multiprocessing.spawn 600", "dagster api grpc 600", "daemon 600"}
    while not names <= list_commands(leader.pid):
        assert leader.poll() is None
    alive: list[set[str]] = []
    end_session(leader.pid, lambda: alive.append(list_commands(leader.pid)))
    leader.communicate()
    assert [names & commands for commands in alive] == [{"multiprocessing.spawn 600", "dagster api grpc 600"}]
    assert list_commands(leader.pid) == set()


def list_commands(session: int) -> set[str]:
    return {process.command.strip() for process in dev_session._find_processes(session)}
