"""A whole remote vendor in the standard library: hourly and daily bars of a sine wave since the start of 2026.

Try it: python docs/examples/remote_vendor.py --port 9000
"""

import argparse
import json
import math
import sys
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PRODUCT, LISTED_AT, PAGE_ROWS = "WAVE/SPOT/SINE-USD", 1_767_225_600_000, 500
BAR_MS = {"PT1H": 3_600_000, "P1D": 86_400_000}
PROPERTIES = {
    "product_id": {"pattern": "^WAVE/SPOT/"},
    "duration": {"enum": list(BAR_MS)},
    "direction": {"const": "backward"},
}
SERVICES = [
    {"method": "IngestOHLC", "schema": {"properties": PROPERTIES}, "limits": {"requests": 50, "window_ms": 1_000}},
    {"method": "ListProducts"},
]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a page leaves at once, not 40 ms later

    def do_GET(self):
        found = self.path == "/services"
        self.answer(200 if found else 404, {"services": SERVICES} if found else {"error": "ask GET /services"})

    def do_POST(self):
        wanted = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        params = wanted.get("params", {})
        if wanted["method"] == "ListProducts":
            self.answer(200, {"products": [{"product_id": PRODUCT, "quote_currency": "USD", "listed_at": LISTED_AT}]})
        elif params.get("product_id") != PRODUCT or params.get("duration") not in BAR_MS:
            self.answer(404, {"error": f"no {params.get('duration')} of {params.get('product_id')}"})
        else:
            now = time.time_ns() // 1_000_000
            self.answer(200, {"now": now, "rows": make_rows(BAR_MS[params["duration"]], min(params["time"], now + 1))})

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def make_rows(bar_ms, before):
    newest = (before - 1) // bar_ms  # the newest bar that begins before the asked time
    return [make_bar(i, bar_ms) for i in range(max(LISTED_AT // bar_ms, newest - PAGE_ROWS + 1), newest + 1)]


def make_bar(number, bar_ms):
    first, last = (100 + 5 * math.sin(moment * bar_ms / 86_400_000) for moment in (number, number + 1))
    prices = [f"{price:.2f}" for price in (first, max(first, last), min(first, last), last)]
    return [number * bar_ms, None, *prices, "1", None]  # no closing time, volume 1, no open interest


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=9000)
    server = ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Handler)
    sys.stdout.write(f"serving on http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    with suppress(KeyboardInterrupt):
        server.serve_forever()
