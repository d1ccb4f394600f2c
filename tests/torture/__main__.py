"""Torture: `make torture`, or one part of it, or one round of it again by its seed."""

import argparse
import json
import secrets
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from .lies import LIES
from .program import Progress, Tally, print_outcome, torture_pages, torture_processes

_EXAMPLES = """
examples:
  python -m tests.torture                                     all: 10,000 lying pages and 1,000 kills
  python -m tests.torture pages --pages 500 --seed 7          only lying pages
  python -m tests.torture pages --lies hangs,clock_text       only these lies
  python -m tests.torture kills --kills 25 --processes 4      kill -9 of `series ingest`, now and then of the server
  python -m tests.torture server --kills 25                   mostly the server and its backends
  python -m tests.torture --minutes 30 --json                 what fits into half an hour, summed up as JSON

lies:
  """


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        "python -m tests.torture",
        description="Attack lanes with lies and kills, and ask an oracle what the database says then.",
        epilog=_EXAMPLES + ", ".join(LIES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("part", nargs="?", choices=("all", "pages", "kills", "server"), default="all")
    parser.add_argument("--seed", type=int, help="of the first round; the next ones follow (default: a fresh one)")
    parser.add_argument("--epoch", type=int, help="of lying pages: when a round begins, in ms (default: now)")
    parser.add_argument("--pages", type=int, default=10_000, help="how many lying pages (default 10000)")
    parser.add_argument("--kills", type=int, default=1_000, help="how many kills (default 1000)")
    parser.add_argument("--processes", type=int, help="how many ingests at once (default: two to four)")
    parser.add_argument("--bars", type=int, default=300, help="about how much history a series has (default 300)")
    parser.add_argument("--minutes", type=float, help="begin no round later than this")
    parser.add_argument("--lies", help="only these lies, separated by commas")
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Run it; 1 when something was found that must not be. However it ends, what it came to is printed."""
    chosen = parse_arguments(arguments)
    seed = secrets.randbelow(10**6) if chosen.seed is None else chosen.seed
    print(f"seed {seed}", file=sys.stderr, flush=True)
    tally = Tally(seed)
    progress = Progress(sys.stderr, None if chosen.minutes is None else time.monotonic() + 60 * chosen.minutes)
    only = tuple(chosen.lies.split(",")) if chosen.lies else ()
    if unknown := set(only) - set(LIES):
        sys.exit(f"no such lies: {', '.join(sorted(unknown))}")
    try:
        with _asked_to_end_by_interrupts():
            _torture(chosen, tally, progress, only)
        return 1 if tally.violations else 0
    except KeyboardInterrupt as error:
        print("\nended from outside", file=sys.stderr, flush=True)
        return 128 + (error.args[0] if error.args else signal.SIGINT)
    finally:
        if chosen.json:
            print(json.dumps(tally.describe(), indent=2))
        else:
            print_outcome(tally, sys.stdout)


def _torture(chosen: argparse.Namespace, tally: Tally, progress: Progress, only: tuple[str, ...]) -> None:
    if chosen.part in ("all", "pages"):
        torture_pages(tally, chosen.pages, progress, chosen.bars, only, chosen.epoch)
    if chosen.part in ("all", "kills"):
        torture_processes(tally, chosen.kills, progress, chosen.bars, chosen.processes)
    if chosen.part == "server":
        torture_processes(tally, chosen.kills, progress, chosen.bars, chosen.processes, at_the_server=True)


@contextmanager
def _asked_to_end_by_interrupts() -> Iterator[None]:
    """Turn the first SIGTERM into an interrupt: what was started is then ended as after Ctrl-C. `make` may send two."""

    def end(number: int, frame: object) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt(number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
