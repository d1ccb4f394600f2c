"""Ends what is left of an embedded Postgres that nobody guards any more: an immediate shutdown, then KILL.

Run by file path under `python -I -S` by the guard and by starters, so it imports the standard library only. A process
belongs to the server if it works in the data folder and holds the server lock open: no pid file is believed.
Arguments: data folder, server lock, uid and gid (-1 keeps ours).
"""

import os
import select
import signal
import sys
import time

# Postgres itself kills the children that an immediate shutdown did not end within five seconds.
STEPS = ((signal.SIGQUIT, 7.0), (signal.SIGKILL, 5.0))


def main(arguments: list[str]) -> None:
    """End every process of the server, gently first."""
    data, lock_file, uid, gid = arguments
    folder, lock = os.stat(data), os.stat(lock_file)
    if int(uid) >= 0:
        # Root of a container often lacks the right to look into other users' processes; their own user has it.
        os.setgroups([])
        os.setgid(int(gid))
        os.setuid(int(uid))
    for number, patience_seconds in STEPS:
        deadline = time.monotonic() + patience_seconds
        # Again and again: a process may have forked while we looked.
        while processes := _find_processes(folder, lock):
            for process in processes:
                signal.pidfd_send_signal(process, number)
            _await_end(processes, deadline)
            if time.monotonic() > deadline:
                break
        else:
            return


def _find_processes(folder: os.stat_result, lock: os.stat_result) -> list[int]:
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if name.isdigit():
            try:
                process = os.pidfd_open(int(name))
            except OSError:
                continue
            # Looked at after it was opened: a pid that is used anew can't be mistaken.
            if _belongs(name, folder, lock):
                found.append(process)
            else:
                os.close(process)
    return found


def _belongs(pid: str, folder: os.stat_result, lock: os.stat_result) -> bool:
    try:
        if not os.path.samestat(os.stat(f"/proc/{pid}/cwd"), folder):
            return False
        opened = [f"/proc/{pid}/fd/{name}" for name in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return False
    return any(_is_same(path, lock) for path in opened)


def _is_same(path: str, file: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(path), file)
    except OSError:
        return False


def _await_end(processes: list[int], deadline: float) -> None:
    for process in processes:
        select.select([process], [], [], max(0.0, deadline - time.monotonic()))
        os.close(process)


if __name__ == "__main__":
    main(sys.argv[1:])
