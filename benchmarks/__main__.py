"""`python -m benchmarks`: runs them, prints a table, keeps it in RESULTS.md and results.json.

A missed target is printed, never an error: times depend on the machine. Only a whole run at full size is kept.
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from benchmarks import (
    compaction,
    coverage_read,
    dagster_lane,
    duplicates,
    exchange_pages,
    ledger,
    planning,
    sensor_tick,
    tiny_pages,
    write_path,
)
from benchmarks.harness import Row, say
from benchmarks.report import describe_machine, format_json, format_machine, format_table, write_files
from benchmarks.server import Server, start_server

BENCHMARKS: Final[Mapping[str, Callable[[Server, bool], list[Row]]]] = {
    "write_path": write_path.run,
    "tiny_pages": tiny_pages.run,
    "duplicates": duplicates.run,
    "planning": planning.run,
    "compaction": compaction.run,
    "ledger": ledger.run,
    "dagster_lane": dagster_lane.run,
    "sensor_tick": sensor_tick.run,
    "exchange_pages": exchange_pages.run,
    "coverage_read": coverage_read.run,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen benchmarks; return the exit code."""
    options = _parse(arguments)
    begun = time.monotonic()
    rows: list[Row] = []
    try:
        with start_server() as server:
            for name in options.only or BENCHMARKS:
                say(f"{name} …")
                rows += BENCHMARKS[name](server, options.quick)
            machine = describe_machine(server.find_version())
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    if options.json:
        print(format_json(rows, machine))
    else:
        print(f"{format_table(rows)}\n\n{format_machine(machine)}")
    if options.only or options.quick:
        say("only a whole run at full size is kept in RESULTS.md")
    else:
        write_files(rows, machine)
    say(f"done in {time.monotonic() - begun:.0f} s, {sum(not row.ok for row in rows)} targets missed")
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", choices=BENCHMARKS, metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run, not how fast is it")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
