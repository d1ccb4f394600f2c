"""Instances of remote vendors inside the test's process, which can misbehave in any way."""

import json
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from series_pipelines.errors import VendorRejected
from series_pipelines.vendors.config import RemoteConfig
from series_pipelines.vendors.contract import Limits, Reply, Request
from series_pipelines.vendors.demo.vendor import DemoVendor
from series_pipelines.vendors.remote import vendor as http_vendor
from series_pipelines.vendors.remote.vendor import HttpVendor
from tests.support.bars import make_bar
from tests.support.simulation import NOON_MS, MovableClock

BAR = list(make_bar(NOON_MS - 60_000, None, "1", "1", "1", "1", "1"))
PAGE = {"now": NOON_MS, "rows": [BAR]}

Act = Callable[["Handler", dict[str, Any]], None]


def make_offer(
    durations: tuple[str, ...] = ("PT1M",), prefix: str = "ACME/", limits: Mapping[str, object] | None = None
) -> dict[str, Any]:
    properties = {
        "product_id": {"pattern": f"^{prefix}"},
        "duration": {"enum": list(durations)},
        "direction": {"const": "backward"},
    }
    return {"method": "IngestOHLC", "schema": {"properties": properties}, "limits": dict(limits or {})}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: "Peer"

    def setup(self) -> None:
        super().setup()
        self.server.connections.append(self.connection)

    def do_GET(self) -> None:
        self.server.looks += 1
        self.server.authorizations.append(self.headers.get("Authorization"))
        self.server.look(self, {})

    def do_POST(self) -> None:
        wanted = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.authorizations.append(self.headers.get("Authorization"))
        if wanted["method"] == "ListProducts":
            self.server.list_products(self, wanted)
            return
        self.server.asked.append(wanted)
        self.server.act(self, wanted)

    def send_json(self, status: int, body: object, **headers: str) -> None:
        self.send(status, json.dumps(body).encode(), **headers)

    def send(self, status: int, data: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


class Peer(ThreadingHTTPServer):
    """An instance of a remote vendor that does what a test says."""

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.connections: list[socket.socket] = []
        self.services: list[object] = [make_offer(), {"method": "ListProducts"}]
        self.products: list[object] = [{"product_id": "ACME/X"}]
        self.look: Act = lambda handler, _: handler.send_json(200, {"services": self.services})
        self.list_products: Act = lambda handler, _: handler.send_json(200, {"products": self.products})
        self.act: Act = lambda handler, _: handler.send_json(200, PAGE)
        self.asked: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.looks = 0
        self.released = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def kill(self) -> None:
        self.released.set()
        self.shutdown()
        self._thread.join()
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


class Peers:
    """Starts peers and vendors, and ends them all."""

    def __init__(self, clock: MovableClock) -> None:
        self.clock = clock
        self.living: list[Peer] = []
        self.vendors: list[HttpVendor] = []

    def start(self, port: int = 0) -> Peer:
        peer = Peer(port)
        self.living.append(peer)
        return peer

    def kill(self, peer: Peer) -> None:
        self.living.remove(peer)
        peer.kill()

    def restart(self, peer: Peer) -> Peer:
        return self.start(peer.server_port)

    def connect(
        self,
        *peers: Peer | str,
        timeout_seconds: float = 10,
        token: str | None = None,
        clock: Callable[[], int] | None = None,
    ) -> HttpVendor:
        urls = tuple(peer if isinstance(peer, str) else peer.url for peer in peers)
        config = RemoteConfig(urls=urls, token_env="ACME_TOKEN" if token else None, timeout_seconds=timeout_seconds)
        secrets = {"ACME_TOKEN": token}.get
        (vendor,) = http_vendor.create({"remote": {"acme": config}, "clock": clock or self.clock, "secrets": secrets})
        self.vendors.append(vendor)
        return vendor

    def close(self) -> None:
        for vendor in self.vendors:
            vendor.close()
        for peer in self.living:
            peer.kill()


def refuse(status: int, body: object = None, **headers: str) -> Act:
    return lambda handler, _: handler.send_json(status, body, **headers)


def send_raw(data: bytes) -> Act:
    def act(handler: Handler, _: dict[str, Any]) -> None:
        handler.wfile.write(data)
        handler.wfile.flush()
        handler.close_connection = True

    return act


def cut(handler: Handler, _: dict[str, Any]) -> None:
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def hang(handler: Handler, _: dict[str, Any]) -> None:
    handler.server.released.wait()


def serve_demo(peer: Peer, demo: DemoVendor) -> None:
    """Let a peer pass on what a demo vendor says."""
    offers: list[object] = [
        {"method": service.method, "schema": service.schema, "limits": _describe_limits(service.limits)}
        for service in demo.services()
    ]
    peer.services = [*offers, {"method": "ListProducts"}]
    peer.products = [
        {
            "product_id": product.product_id,
            "name": product.name,
            "base_currency": product.base_currency,
            "quote_currency": product.quote_currency,
            "price_step": product.price_step,
            "volume_step": product.volume_step,
            "no_interest_rate": product.no_interest_rate,
            "listed_at": product.listed_ms,
            "delisted_at": product.delisted_ms,
        }
        for product in demo.products()
    ]

    def act(handler: Handler, wanted: dict[str, Any]) -> None:
        try:
            reply = ask_demo(demo, wanted)
        except VendorRejected as error:
            handler.send_json(404, {"error": str(error)})
        else:
            handler.send_json(200, {"now": reply.now_ms, "rows": [list(row) for row in reply.rows]})

    peer.act = act


def _describe_limits(limits: Limits) -> dict[str, object]:
    return {name: value for name, value in asdict(limits).items() if value is not None}


def ask_demo(demo: DemoVendor, wanted: Mapping[str, Any]) -> Reply:
    """Ask a demo vendor for what a peer was asked for."""
    asked = wanted["params"]
    duration = asked.get("duration")
    return demo.fetch(Request(wanted["method"], asked["product_id"], duration, asked["direction"], asked["time"]))
