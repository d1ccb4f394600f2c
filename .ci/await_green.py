"""Runs `make dev` in this clone as a newcomer would, until every partition is green; then Ctrl-C.

Used by `newcomers`; standard library only.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

CLONE = Path(__file__).resolve().parents[1]
SECONDS = 300
QUERY = "{ assetNodes { assetKey { path } partitionStats { numMaterialized numPartitions numFailed } } }"


def main() -> None:
    """Fail with the log's end unless all becomes green and all stops."""
    environment = {**os.environ, "SERIES_UI_PORT": "0", "SERIES_DEMO_PRODUCTS": "12"}
    dev = subprocess.Popen(["make", "dev"], cwd=CLONE, env=environment, stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("await_green: terminated"))
    watchdog = threading.Timer(SECONDS, dev.terminate)
    watchdog.daemon = True
    watchdog.start()
    try:
        await_green(dev, read_url(dev))
        began = time.monotonic()
    finally:
        dev.send_signal(signal.SIGTERM)
        said = dev.communicate(timeout=60)[1]
    print(f"await_green: all stopped in {time.monotonic() - began:.1f} s")
    if "stopping" not in said:
        sys.exit(f"await_green: it did not stop as asked: {said}")


def read_url(dev: "subprocess.Popen[str]") -> str:
    """Return the address of the UI once it is open."""
    assert dev.stderr is not None
    for line in dev.stderr:
        sys.stdout.write(line)
        if found := re.search(r"open (http://\S+)", line):
            return found[1]
    sys.exit(f"await_green: series dev ended\n{read_log()}")


def await_green(dev: "subprocess.Popen[str]", url: str) -> None:
    """Wait until every partition of both tables is materialized."""
    request = urllib.request.Request(
        f"{url}/graphql", json.dumps({"query": QUERY}).encode(), {"content-type": "application/json"}
    )
    while dev.poll() is None:
        with urllib.request.urlopen(request, timeout=60) as answer:
            nodes = json.load(answer)["data"]["assetNodes"]
        stats = [node["partitionStats"] for node in nodes if node["partitionStats"]]
        counts = [(found["numMaterialized"], found["numPartitions"], found["numFailed"]) for found in stats]
        if len(counts) > 1 and all(done == all_of_them > 0 for done, all_of_them, _ in counts):
            print(f"await_green: {sum(done for done, _, _ in counts)} partitions are green")
            return
        time.sleep(1)
    sys.exit(f"await_green: not green within {SECONDS} s\n{read_log()}")


def read_log() -> str:
    """Return the end of what Dagster said."""
    log = CLONE / ".series" / "dagster.log"
    return log.read_text(errors="replace")[-5000:] if log.exists() else ""


if __name__ == "__main__":
    main()
