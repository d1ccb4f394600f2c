"""A whole remote vendor: bars of a sine wave since 2026. Try it: python docs/examples/remote_vendor.py --port 9000"""

import argparse
import json
import math
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PRODUCT, LISTED_AT, BAR_MS = "WAVE/SPOT/SINE-USD", 1_767_225_600_000, {"PT1H": 3_600_000, "P1D": 86_400_000}
SCHEMA = {"product_id": {"pattern": "^WAVE/SPOT/"}, "duration": {"enum": [*BAR_MS]}, "direction": {"const": "backward"}}
BARS = {"method": "IngestOHLC", "schema": {"properties": SCHEMA}, "limits": {"requests": 50, "window_ms": 1_000}}


class Handler(BaseHTTPRequestHandler):
    protocol_version, disable_nagle_algorithm = "HTTP/1.1", True

    def do_GET(self):
        self.answer(200, {"services": [BARS, {"method": "ListProducts"}]})

    def do_POST(self):
        wanted = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked, now = wanted.get("params", {}), time.time_ns() // 1_000_000
        if wanted["method"] == "ListProducts":
            self.answer(200, {"products": [{"product_id": PRODUCT, "quote_currency": "USD", "listed_at": LISTED_AT}]})
        elif asked.get("product_id") == PRODUCT and asked.get("duration") in BAR_MS:
            self.answer(200, {"now": now, "rows": make_rows(BAR_MS[asked["duration"]], min(asked["time"], now + 1))})
        else:
            self.answer(404, {"error": f"no {asked.get('duration')} of {asked.get('product_id')}"})

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def make_rows(bar_ms, before):  # the newest 500 bars that begin before a time
    numbers = range(max(LISTED_AT // bar_ms, (before - 1) // bar_ms - 499), (before - 1) // bar_ms + 1)
    ends = [[100 + 5 * math.sin(moment * bar_ms / 86_400_000) for moment in (n, n + 1)] for n in numbers]
    prices = [[f"{price:.2f}" for price in (first, max(first, last), min(first, last), last)] for first, last in ends]
    return [[n * bar_ms, None, *four, "1", None] for n, four in zip(numbers, prices, strict=True)]  # no open interest


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=9000)
    server = ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Handler)
    print(f"serving on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
