"""Start a loopback exchange in a process of its own, and steer it from a test.

The process says on a pipe when it listens, and ends with its parent: its standard input closes then.
"""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

from tests.support.places import PROJECT

from .instruments import Options
from .market import Truth


class RunningExchange:
    """A server that runs, and what it can give. `truth` follows what is added or vanishes through this object."""

    def __init__(self, name: str, url: str, pid: int, options: Options) -> None:
        self.name, self.url, self.pid, self.options = name, url, pid, options
        self.truth = Truth(name, **asdict(options))

    def control(self, **changes: Any) -> int:
        """Change faults (see faults.Faults), `ban_s`, `now_ms` (None: the real clock), `skew_ms`; return its now."""
        return int(self._post("set", changes)["now_ms"])

    def add(self, prefix: str, base: str, quote: str, listed_ms: int) -> str:
        """List one more instrument; return its product id."""
        arguments = {"prefix": prefix, "base": base, "quote": quote, "listed_ms": listed_ms}
        self._post("instruments", {"add": [arguments]})
        return self.truth.market.add(**arguments).product_id  # type: ignore[arg-type]

    def vanish(self, product_id: str, at_ms: int, *, gone: bool = False) -> None:
        """Take an instrument off its list at that time; if `gone`, requests for its history are refused too."""
        self._post("instruments", {"vanish": [{"product_id": product_id, "at_ms": at_ms, "gone": gone}]})
        self.truth.market.vanish(product_id, at_ms, gone=gone)

    def stats(self, window_ms: float | None = None, *, arrivals: bool = False) -> dict[str, Any]:
        """Return what the server received; with a window also the most in any window of that length."""
        query = {} if window_ms is None else {"window_ms": window_ms}
        with urllib.request.urlopen(
            f"{self.url}/__control__/stats?{urlencode(query | ({'arrivals': 1} if arrivals else {}))}", timeout=30
        ) as answer:
            return dict(json.load(answer))

    def max_in_window(self, window_ms: float, *, weighted: bool = False) -> int:
        """Return the most requests, or the most weight, that arrived in any window of this length."""
        return int(self.stats(window_ms)["window"]["max_weight" if weighted else "max_requests"])

    def reset(self) -> None:
        """Forget what was received so far."""
        self._post("reset", {})

    def now_ms(self) -> int:
        """Return the server's time."""
        return int(self.stats()["now_ms"])

    def _post(self, action: str, body: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(f"{self.url}/__control__/{action}", json.dumps(body).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return dict(json.load(answer))


@contextmanager
def start_exchange(
    name: str,
    *,
    seed: int = 1,
    now_ms: int | None = None,
    epoch_ms: int | None = None,
    instruments: int = 3,
    age_days: float = 10.0,
    skew_ms: int = 0,
    port: int = 0,
    **faults: Any,
) -> Iterator[RunningExchange]:
    """Run an exchange until the block ends. Without `now_ms` its clock is the machine's."""
    if epoch_ms is None:
        epoch_ms = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    options = Options(seed=seed, epoch_ms=epoch_ms, instruments=instruments, age_days=age_days)
    command = [sys.executable, "-m", "tests.exchanges", "--exchange", name, "--json", "--until-stdin-closes"]
    chosen = {"port": port, "seed": seed, "instruments": instruments, "age-days": age_days, "skew-ms": skew_ms}
    chosen |= {"epoch": epoch_ms} | ({} if now_ms is None else {"now": now_ms})
    command += [f"--{option}={value}" for option, value in chosen.items()]
    with subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            if not said:
                raise RuntimeError(f"the {name} server did not start: it ended with {process.wait()}")
            running = RunningExchange(name, json.loads(said)["url"], process.pid, options)
            if faults:
                running.control(**faults)
            yield running
        finally:
            process.terminate()
            process.wait(60)
