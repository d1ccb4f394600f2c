"""A demo vendor behind HTTP: two instances of it on loopback, asked by the vendor for remote ones."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from series_pipelines.vendors.contract import Vendor
from tests.contract.demo_case import DemoCase
from tests.contract.vendor_case import Ability, AnswerFault, RowFault
from tests.support.remote_peers import Act, Handler, Peers, ask_demo, hang, refuse, send_raw, serve_demo
from tests.support.simulation import MovableClock

RETRY_AFTER_S = 7

_ANSWERS: dict[str, Act] = {
    "html_200": lambda handler, _: handler.send(200, b"<html><h1>Just a moment...</h1></html>"),
    "empty_200": refuse(200, {}),
    "error_200": refuse(200, {"error": "the matching engine restarts"}),
    "cut": send_raw(b'HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{"now": 1793491200000, "rows": ['),
    "500": refuse(500, {}),
    "429": refuse(429, {"error": "too many requests"}, Retry_After=str(RETRY_AFTER_S)),
    "503": refuse(503, {"error": "down for maintenance"}),
    "no_answer": hang,
}


class HttpCase(DemoCase):
    """Both instances say the same and fail alike."""

    cannot: Mapping[Ability, str] = {"throttle": DemoCase.cannot["throttle"]}

    def __init__(self, name: str, *demos: str) -> None:
        super().__init__(name, *demos)
        self.waits_ms = (RETRY_AFTER_S * 1_000,)
        self._clock = MovableClock(self.now_ms())
        self._peers = Peers(self._clock)
        for _ in range(2):
            serve_demo(self._peers.start(), self.demo)
        self.vendor = self._peers.connect(*self._peers.living)

    @contextmanager
    def connect(self, timeout_seconds: float) -> Iterator[Vendor]:
        yield self._peers.connect(*self._peers.living, timeout_seconds=timeout_seconds)

    def count_requests(self) -> int:
        return sum(len(peer.asked) for peer in self._peers.living)

    @contextmanager
    def failing(self, fault: AnswerFault | RowFault) -> Iterator[None]:
        if fault == "forming":
            yield  # As the demo's, its newest page always ends with the bar that is forming.
            return
        before = [(peer, peer.act, peer.list_products) for peer in self._peers.living]
        for peer in self._peers.living:
            peer.act = peer.list_products = _ANSWERS.get(fault, self._repeat_a_row)
        try:
            yield
        finally:
            for peer, act, list_products in before:
                peer.act, peer.list_products = act, list_products

    def wait(self, duration_ms: int) -> None:
        self._clock.wait(duration_ms)

    def close(self) -> None:
        """End the instances and their clients."""
        self._peers.close()

    def _repeat_a_row(self, handler: Handler, wanted: dict[str, Any]) -> None:
        reply = ask_demo(self.demo, wanted)
        rows = [list(row) for row in reply.rows]
        middle = len(rows) // 2
        handler.send_json(200, {"now": reply.now_ms, "rows": [*rows[: middle + 1], *rows[middle:]]})
