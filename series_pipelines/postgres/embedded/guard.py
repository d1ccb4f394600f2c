"""The parent of an embedded Postgres: it stops the server when the last lease is gone, however its holder died.

Started by `embedded.py` by file path under `python -I -S`, so it imports the standard library only. A server that
recovers from a crash is left alone until it has: a fast shutdown during crash recovery never ends (Postgres 18).
Arguments: home, data folder, port, uid and gid (-1 keeps ours), the lock to hand down, Postgres's command.
"""

import ctypes
import fcntl
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

LOG_LIMIT_BYTES = 4 * 1024 * 1024
LOG_CHECK_SECONDS = 60.0
PR_SET_PDEATHSIG = 1
# All of it together is less than a starter waits for the lease.
UNDISTURBED_SECONDS = 10.0
STOP_SIGNALS = ((signal.SIGINT, 20.0), (signal.SIGQUIT, 8.0), (signal.SIGKILL, 5.0))
RECOVERY_SECONDS = 300.0
RECOVERY_LOOK_SECONDS = 0.2
GREETING_SECONDS = 1.0
STARTUP_PACKET = b"\0\3\0\0user\0postgres\0database\0postgres\0\0"


def main(arguments: list[str]) -> None:
    """Start Postgres, wait for a reason to stop it, stop it."""
    home, data, port, uid, gid, lock, *command = arguments
    lease = os.open(os.path.join(home, "postgres.lease"), os.O_RDWR)
    # Held alone while this process watches, shared while it stops the server: starters attach to a watched one only,
    # and a server of which nobody holds it has nobody who would end it.
    guarding = os.open(os.path.join(home, "postgres.guard.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(guarding, fcntl.LOCK_EX)
    if os.fork():
        os._exit(0)
    os.umask(0o077)
    woken, waker = _catch_signals()
    server = _start_server(data, int(uid), int(gid), int(lock), command)
    threading.Thread(target=_await_last_lease, args=(lease, int(port), waker), daemon=True).start()
    _await_reason_to_stop(server, woken)
    fcntl.flock(guarding, fcntl.LOCK_SH)
    _stop_server(server, int(port), woken)
    if server.returncode:
        _end_leftovers(data, os.path.join(home, "postgres.server.lock"), uid, gid)
    os._exit(0)


def _catch_signals() -> tuple[int, int]:
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    return woken, waker


def _start_server(data: str, uid: int, gid: int, lock: int, command: list[str]) -> "subprocess.Popen[bytes]":
    guard = os.getpid()
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None

    # Runs after setuid, which would clear the parent-death signal, and without root's power over the data.
    def prepare_child() -> None:
        if libc is not None:
            # The immediate shutdown: the fast one would hang during crash recovery, with nobody left to notice.
            libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGQUIT), 0, 0, 0)
        if os.getppid() != guard:
            os._exit(1)
        _adopt_stale_pid_file(data, guard)

    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        pass_fds=(lock,),
        user=None if uid < 0 else uid,
        group=None if uid < 0 else gid,
        extra_groups=None if uid < 0 else [],
        preexec_fn=prepare_child,
    )


def _adopt_stale_pid_file(data: str, guard: int) -> None:
    # Postgres refuses to start over a pid file whose pid is alive, unless it is its own parent's. Deleting the
    # file would also lose the shared memory key by which Postgres finds survivors of the old server.
    path = os.path.join(data, "postmaster.pid")
    try:
        with open(path, "rb") as file:
            first, _, rest = file.read().partition(b"\n")
    except FileNotFoundError:
        return
    if _works_in_folder(first, data):
        return
    with open(path + ".new", "wb") as file:
        file.write(b"%d\n" % guard + rest)
    os.replace(path + ".new", path)


def _works_in_folder(pid: bytes, folder: str) -> bool:
    try:
        return os.path.samefile(f"/proc/{int(pid)}/cwd", folder)
    except (ValueError, OSError):
        return False


def _await_last_lease(lease: int, port: int, waker: int) -> None:
    try:
        fcntl.flock(lease, fcntl.LOCK_EX)
        deadline = time.monotonic() + RECOVERY_SECONDS
        while _is_recovering(port) and time.monotonic() < deadline:
            # Whoever comes meanwhile may have it: stopping would only make the next start recover from the beginning.
            fcntl.flock(lease, fcntl.LOCK_UN)
            time.sleep(RECOVERY_LOOK_SECONDS)
            fcntl.flock(lease, fcntl.LOCK_EX)
    finally:
        os.write(waker, b"\0")


def _is_recovering(port: int) -> bool:
    """Ask as a client would: crash recovery under a living postmaster shows in no file."""
    try:
        with socket.create_connection(("127.0.0.1", port), GREETING_SECONDS) as probe:
            probe.sendall(struct.pack("!i", 4 + len(STARTUP_PACKET)) + STARTUP_PACKET)
            reply = probe.recv(1024)
    except OSError:
        return False
    cannot_connect_now = b"\0C57P03\0"
    return reply[:1] == b"E" and cannot_connect_now in reply and b"shutting down" not in reply


def _await_reason_to_stop(server: "subprocess.Popen[bytes]", woken: int) -> None:
    while server.poll() is None:
        if set(_read_wakeups(woken, LOG_CHECK_SECONDS)) - {signal.SIGCHLD}:
            return
        if os.fstat(2).st_size > LOG_LIMIT_BYTES:
            os.ftruncate(2, 0)


def _stop_server(server: "subprocess.Popen[bytes]", port: int, woken: int) -> None:
    deadline = time.monotonic() + UNDISTURBED_SECONDS
    while (recovering := server.poll() is None and _is_recovering(port)) and time.monotonic() < deadline:
        _read_wakeups(woken, RECOVERY_LOOK_SECONDS)
    for number, patience_seconds in STOP_SIGNALS[1:] if recovering else STOP_SIGNALS:
        server.send_signal(number)
        deadline = time.monotonic() + patience_seconds
        while server.poll() is None and (left := deadline - time.monotonic()) > 0:
            _read_wakeups(woken, left)
        if server.returncode is not None:
            return


def _end_leftovers(data: str, lock_file: str, uid: str, gid: str) -> None:
    # A backend that computes does not see that its postmaster is gone.
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leftovers.py")
    subprocess.run([sys.executable, "-I", "-S", script, data, lock_file, uid, gid], check=False)


def _read_wakeups(woken: int, seconds: float) -> bytes:
    return os.read(woken, 64) if select.select([woken], [], [], seconds)[0] else b""


if __name__ == "__main__":
    main(sys.argv[1:])
