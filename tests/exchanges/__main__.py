"""Run one loopback exchange: `python -m tests.exchanges --exchange okx`."""

import argparse
import asyncio
import json
import os
import signal
import sys
import time
from datetime import datetime

from aiohttp import web

from .catalogue import NAMES, load_exchange
from .faults import FAULTS, Faults
from .instruments import Options
from .server import Clock, ExchangeServer

_EXAMPLES = """examples:
  python -m tests.exchanges --exchange okx
  python -m tests.exchanges --exchange binance --port 8081 --latency-ms 50 --error-rate 0.05
  python -m tests.exchanges --exchange gate --now 2026-11-01T00:00Z --age-days 60 --json
  curl -s 'http://127.0.0.1:8081/__control__/stats?window_ms=1000'
  curl -s -d '{"ban_s": 30}' http://127.0.0.1:8081/__control__/set
  curl -s -d '{"next": ["429_plain", "cut"]}' http://127.0.0.1:8081/__control__/set
  curl -s -d '{"vanish": [{"product_id": "OKX/SPOT/BTC-USDT", "at_ms": 1793491200000}]}' \\
    http://127.0.0.1:8081/__control__/instruments

faults: """ + ", ".join(FAULTS)


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        "python -m tests.exchanges",
        description="Serve one exchange's own wire format on 127.0.0.1, from invented but repeatable data.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--exchange", choices=NAMES, required=True)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one (default)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other prices")
    parser.add_argument("--instruments", type=int, default=3, metavar="N", help="live instruments of each kind")
    parser.add_argument("--age-days", type=float, default=10.0, help="age of the oldest listing (default 10)")
    parser.add_argument("--now", type=parse_time, help="let the server's clock stand still at this time")
    parser.add_argument("--epoch", type=parse_time, help="count listing dates back from here (default: now)")
    parser.add_argument("--skew-ms", type=int, default=0, help="how far the server's clock is ahead")
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--error-rate", type=float, default=0.0, help="share of requests that meet a fault")
    parser.add_argument("--json", action="store_true", help="print the address as JSON")
    parser.add_argument("--until-stdin-closes", action="store_true", help="end when standard input does")
    return parser.parse_args(arguments)


def parse_time(text: str) -> int:
    """Read an ISO time, or epoch milliseconds."""
    if text.isdigit():
        return int(text)
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise argparse.ArgumentTypeError(f"{text} has no time zone: write {text}Z")
    return int(moment.timestamp() * 1_000)


async def serve(chosen: argparse.Namespace) -> None:
    """Serve until a signal comes or standard input ends."""
    now_ms = time.time_ns() // 1_000_000 if chosen.now is None else chosen.now
    options = Options(
        seed=chosen.seed,
        epoch_ms=now_ms if chosen.epoch is None else chosen.epoch,
        instruments=chosen.instruments,
        age_days=chosen.age_days,
    )
    faults = Faults(latency_ms=chosen.latency_ms, error_rate=chosen.error_rate, seed=chosen.seed)
    server = ExchangeServer(load_exchange(chosen.exchange), options, Clock(chosen.now, chosen.skew_ms), faults)
    runner = web.AppRunner(server.make_app(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", chosen.port, backlog=512)
    await site.start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    said = {"exchange": chosen.exchange, "url": address, "pid": os.getpid(), "epoch_ms": options.epoch_ms}
    print(json.dumps(said) if chosen.json else f"{chosen.exchange} listens on {address}", flush=True)
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    if chosen.until_stdin_closes:

        def stop_at_end() -> None:
            if not os.read(sys.stdin.fileno(), 1):
                stopped.set()

        loop.add_reader(sys.stdin.fileno(), stop_at_end)
    await stopped.wait()
    await runner.cleanup()


if __name__ == "__main__":
    try:
        import uvloop
    except ImportError:
        asyncio.run(serve(parse_arguments(sys.argv[1:])))
    else:
        uvloop.run(serve(parse_arguments(sys.argv[1:])))
