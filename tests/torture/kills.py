"""Kills `series` commands and their database at random moments, lets them finish, and asks the oracle.

A round has a home of its own with an embedded server. Its seed fixes the world and the plan: who is hit, with what,
after how many requests of its own. What the machine makes of it (which statement was under way) no seed can fix.
"""

import os
import shutil
import signal
import socket
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Literal

import psutil
import psycopg

from series_pipelines.errors import SeriesError
from series_pipelines.postgres.connection import Connection, connect
from series_pipelines.postgres.embedded.server import start_embedded
from tests.support.places import PROJECT

from .ingest_process import IngestProcess, await_end
from .liebook import LieBook
from .oracle import BREAK, Oracle, Violation, check_locks, count_rows, describe_break, end_long_pauses
from .vendor import Options
from .worlds import House, draw_houses

Blow = Literal["kill", "terminate backend", "kill backend", "kill server", "stop", "term", "interrupt"]

ALL_BLOWS: dict[Blow, int] = {
    "kill": 100,
    "terminate backend": 12,
    "kill backend": 3,
    "kill server": 3,
    "stop": 6,
    "term": 6,
    "interrupt": 6,
}
"""How often each happens, against the others."""
AT_THE_SERVER: dict[Blow, int] = {"kill": 20, "terminate backend": 20, "kill backend": 15, "kill server": 15, "stop": 5}
KILLS: tuple[Blow, ...] = ("kill", "kill backend", "kill server")
SERVER_BLOWS: tuple[Blow, ...] = ("kill backend", "kill server")
COMMANDS = {"ingest": 90, "refresh": 8, "compact": 2}
"""What is run and killed, and how often."""
BUSY_PERCENT = 70
SHARE = 0.3
IDLE_SECONDS = 2.0
"""A lane may wait for longer than that, for a lock or to try a failing series again: it is hit while it waits."""
SECONDS = 600
PATIENCE_SECONDS = 60.0
FINISHES = 12
EXITS = {0, 1, 130, 143, -signal.SIGTERM, -signal.SIGKILL, -signal.SIGINT}
HOME_PREFIX = "series-torture-"


def _make_home() -> Path:
    """Make a folder for a round, in memory if there is any."""
    memory = Path("/dev/shm")
    home = Path(tempfile.mkdtemp(prefix=HOME_PREFIX, dir=memory if memory.is_dir() else None))
    home.chmod(0o755)
    return home


@dataclass(frozen=True)
class Step:
    """One blow: what, which of the living processes, after how many requests, and how much later."""

    blow: Blow
    victim: int
    after_requests: int
    delay_seconds: float
    arguments: tuple[str, ...]
    """What the process that takes the victim's place is to do."""
    forked: bool


@dataclass
class KillsResult:
    """What a round came to."""

    seed: int
    blows: Counter[str]
    told: Counter[str]
    rows: int
    violations: list[Violation]

    @property
    def is_broken_off(self) -> bool:
        return any(violation.rule == BREAK for violation in self.violations)

    @property
    def kills(self) -> int:
        return sum(self.blows[blow] for blow in KILLS)


def draw_plan(seed: int, kills: int, houses: Sequence[House], weights: Mapping[Blow, int] = ALL_BLOWS) -> list[Step]:
    """Return the blows of a seed, so many kills among them."""
    random = Random(f"kills {seed}")
    steps: list[Step] = []
    while kills:
        blow = random.choices(list(weights), list(weights.values()))[0]
        kills -= blow in KILLS
        steps.append(_draw_step(random, blow, houses))
    return steps


def _draw_step(random: Random, blow: Blow, houses: Sequence[House]) -> Step:
    return Step(
        blow,
        random.randrange(100),
        random.choice([0, 1, 2, 5, 10, 20, 40]),
        random.choice([0.0, 0.0, random.uniform(0, 0.02), random.uniform(0, 0.2)]),
        _draw_command(random, houses),
        random.random() < 0.95,
    )


def _draw_command(random: Random, houses: Sequence[House]) -> tuple[str, ...]:
    chosen = random.sample([house.offers[0].prefix for house in houses], random.randint(1, 3))
    patterns = [f"{prefix}*" for prefix in chosen]
    command = random.choices(list(COMMANDS), list(COMMANDS.values()))[0]
    if command == "compact":
        return (command, *patterns[: random.randrange(2)])
    days = ("--days", "2") if command == "refresh" else ()
    return (command, *patterns, *days, "--seconds", str(SECONDS))


@dataclass
class KillsRound:
    """One home, its server, the processes that are hit, and what was found."""

    seed: int
    kills: int
    processes: int = 3
    bars: int = 400
    weights: Mapping[Blow, int] = field(default_factory=lambda: ALL_BLOWS)
    on_progress: Callable[[Counter[str]], None] = lambda _: None
    violations: list[Violation] = field(default_factory=list)
    blows: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    home: Path = field(default_factory=_make_home)

    def __post_init__(self) -> None:
        self._living: list[IngestProcess] = []
        self._started = 0
        self._says = self.home / "says"
        self._book = LieBook(self.home / "lies")
        self._inbox = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._options = Options(
            self.seed,
            time.time_ns() // 1_000_000,
            self.bars,
            SHARE,
            book=str(self.home / "lies"),
            progress=str(self.home / "progress"),
        )

    def run(self) -> KillsResult:
        """Run the round; what it breaks off with is a violation, too. The home stays if something was found."""
        try:
            with closing(start_embedded(self.home / "series")):
                self._attack()
        except Exception as error:
            self.violations.append(describe_break(error))
        finally:
            self._inbox.close()
            self._check_nothing_left()
            if not self.violations:
                shutil.rmtree(self.home, ignore_errors=True)
        return self.sum_up()

    def sum_up(self) -> KillsResult:
        """Return what it came to so far."""
        return KillsResult(self.seed, self.blows, self._book.told, self.rows, self.violations)

    def _attack(self) -> None:
        houses = draw_houses(self.seed, self._options.epoch_ms, self.bars)
        self._inbox.bind(str(self.home / "progress"))
        self._says.mkdir()
        try:
            self._ingest_products(houses)
            for step in draw_plan(self.seed, self.kills, houses, self.weights):
                self._fill(step)
                self._strike(step)
                self.on_progress(self.blows)
            self._end_all()
            self._book.read()
            self.rows = self._finish(Oracle(self.seed, houses, self._book), houses)
        finally:
            for process in self._living:
                process.send(signal.SIGKILL)
                process.wait(PATIENCE_SECONDS)

    def _note(self, rule: str, where: str, what: str) -> None:
        self.violations.append(Violation(rule, where, what))

    def _environment(self, share: float) -> dict[str, str]:
        options = replace(self._options, share=share, process=self._started)
        roots = os.pathsep.join([str(PROJECT), os.environ.get("PYTHONPATH", "")])
        return {
            **options.as_environment(),
            "SERIES_HOME": str(self.home / "series"),
            "PYTHONPATH": roots,
        }

    def _start(self, arguments: Sequence[str], share: float = SHARE, forked: bool = True) -> IngestProcess:
        self._started += 1
        says = self._says / f"{self._started:05d} {arguments[0]}"
        return IngestProcess(arguments, self._environment(share), says, forked)

    def _ingest_products(self, houses: Sequence[House]) -> None:
        """Let one process migrate and make the series known, so that all others begin with lanes."""
        process = self._start(["ingest", f"{houses[0].offers[0].prefix}*", "--pages", "1"], share=0.0, forked=False)
        self._living.append(process)
        if process.wait(PATIENCE_SECONDS) != 0:
            self._note("the first ingest succeeds", "series ingest", process.says.read_text()[-300:])
        self._living.remove(process)

    def _fill(self, step: Step) -> None:
        """Start processes until as many live as there are to be."""
        for process in [process for process in self._living if process.poll() is not None]:
            self._bury(process)
        while len(self._living) < self.processes:
            self._living.append(self._start(step.arguments, forked=step.forked))

    def _bury(self, process: IngestProcess) -> None:
        """Look at what a process left: how it ended, and that it said so in lines that a person can read."""
        self._living.remove(process)
        code, text = process.poll(), process.says.read_text(errors="backslashreplace")
        if code not in EXITS:
            self._note("exit codes are known", process.says.name, f"{code}: {text[-300:]!r}")
        if "Traceback" in text or "Fatal" in text:
            self._note("no traceback", process.says.name, f"{code}: {text[-700:]!r}")

    def _strike(self, step: Step) -> None:
        latest = self._await_requests(step.after_requests)
        time.sleep(step.delay_seconds)
        # Mostly the one that is at work; else any, which may wait for a lock, begin or end.
        busy = [process for process in self._living if process.pid == latest and step.victim < BUSY_PERCENT]
        victim = (busy or self._living)[step.victim % len(busy or self._living)]
        if self._hit(step.blow, victim):
            self.blows[step.blow] += 1
        if step.blow in SERVER_BLOWS:
            # One blow a life: the embedded server is started again by whoever needs it next.
            self._await_server()

    def _await_requests(self, count: int) -> int:
        """Wait until all together have made so many more requests, or none for a while; return who made the last."""
        latest = 0
        # What came before says nothing of what is done now.
        self._receive(0)
        deadline = time.monotonic() + IDLE_SECONDS
        while count > 0 and time.monotonic() < deadline:
            if all(process.poll() is not None for process in self._living):
                break
            for pid in self._receive(0.05):
                latest, count = pid, count - 1
                deadline = time.monotonic() + IDLE_SECONDS
        return latest

    def _receive(self, seconds: float) -> list[int]:
        """Return who has made requests since, waiting a moment for the first."""
        pids: list[int] = []
        self._inbox.settimeout(seconds)
        try:
            while True:
                pids.append(int(self._inbox.recv(32)))
                self._inbox.settimeout(0)
        except (TimeoutError, BlockingIOError):
            return pids

    def _hit(self, blow: Blow, victim: IngestProcess) -> bool:
        if blow == "kill":
            return victim.send(signal.SIGKILL) and victim.wait(PATIENCE_SECONDS) is not None
        if blow in ("term", "interrupt"):
            return self._ask_to_end(victim, signal.SIGTERM if blow == "term" else signal.SIGINT)
        if blow == "stop":
            return self._stop_for_a_while(victim)
        backends = list(self._list_backends())
        if not backends:
            return False
        if blow == "terminate backend":
            return self._terminate(backends[victim.pid % len(backends)])
        try:
            backend = psutil.Process(backends[victim.pid % len(backends)])
            (backend if blow == "kill backend" else backend.parent() or backend).send_signal(signal.SIGKILL)
        except psutil.NoSuchProcess:
            return False
        return True

    def _ask_to_end(self, victim: IngestProcess, number: signal.Signals) -> bool:
        if not victim.send(number):
            return False
        if victim.wait(PATIENCE_SECONDS) is None:
            self._note("a process that is asked to end does", number.name, f"it lives {PATIENCE_SECONDS:.0f} s later")
            victim.send(signal.SIGKILL)
        return True

    def _stop_for_a_while(self, victim: IngestProcess) -> bool:
        """Let a process stand still while the others make requests, and go on."""
        if not victim.send(signal.SIGSTOP):
            return False
        if self.processes > 1:
            self._await_requests(10)
        return victim.send(signal.SIGCONT)

    def _connect(self, purpose: str = "torture") -> Connection:
        """Connect as whoever needs the database does: start it if it is gone."""
        deadline = time.monotonic() + 2 * PATIENCE_SECONDS
        while True:
            try:
                server = start_embedded(self.home / "series")
                try:
                    return connect(server.url, purpose=purpose)
                finally:
                    # The round has a share of its own for as long as it lasts.
                    server.close()
            except SeriesError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def _await_server(self) -> None:
        try:
            self._connect().close()
        except SeriesError as error:
            self._note("the server comes back", "embedded", str(error))
            raise

    def _list_backends(self) -> Iterator[int]:
        try:
            with self._connect() as conn:
                rows = conn.execute(
                    "select pid from pg_stat_activity where backend_type = 'client backend' "
                    "and application_name like 'series lane%' order by pid"
                ).fetchall()
                yield from (int(row[0]) for row in rows)  # type: ignore[call-overload]
        except psycopg.Error:
            return

    def _terminate(self, backend: int) -> bool:
        try:
            with self._connect() as conn:
                row = conn.execute("select pg_terminate_backend(%s)", [backend]).fetchone()
                return bool(row and row[0])
        except psycopg.Error:
            return False

    def _end_all(self) -> None:
        for process in list(self._living):
            process.send(signal.SIGKILL)
            process.wait(PATIENCE_SECONDS)
            self._bury(process)

    def _finish(self, oracle: Oracle, houses: Sequence[House]) -> int:
        """Tell the truth and let it finish; return how many rows there are then."""
        incomplete: list[Violation] = []
        for _ in range(FINISHES):
            with self._connect() as conn:
                end_long_pauses(conn, time.time_ns() // 1_000_000)
            process = self._start(
                ["ingest", *(f"{house.offers[0].prefix}*" for house in houses), "--seconds", str(SECONDS)], share=0.0
            )
            self._living.append(process)
            if process.wait(SECONDS) is None:
                self._note("an ingest ends in its time", process.says.name, f"it lives {SECONDS} s later")
                process.send(signal.SIGKILL)
                process.wait(PATIENCE_SECONDS)
            self._bury(process)
            with self._connect() as conn:
                incomplete = oracle.find_incomplete(conn, time.time_ns() // 1_000_000)
            if not incomplete:
                break
        self.violations += incomplete
        with self._connect() as conn:
            self.violations += oracle.find_violations(conn, time.time_ns() // 1_000_000)
            self.violations += check_locks(conn)
            return count_rows(conn)

    def _check_nothing_left(self) -> None:
        left = await_end(str(self.home), PATIENCE_SECONDS)
        for process in left:
            with suppress(psutil.NoSuchProcess):
                self._note("no process is left", str(process.pid), " ".join(process.cmdline())[:200])
