"""The HTTP server of one loopback exchange: real routes, faults, a clock of its own, a log, and a control plane.

Under `/__control__/`: `GET stats`, `POST set` (faults, ban, clock), `POST instruments` (add, vanish), `POST reset`.
"""

import asyncio
import time
from datetime import UTC, datetime
from email.utils import format_datetime
from math import ceil
from typing import Any

import orjson
from aiohttp import web

from .faults import ROW_FAULTS, Faults
from .instruments import Options
from .market import Market
from .traffic import Arrival, Traffic
from .wire import Answer, Call, Exchange, Refused

_HTML = "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Checking your browser</body></html>"


class Clock:
    """The server's time: the machine's, skewed, or one that stands still until it is set."""

    def __init__(self, now_ms: int | None = None, skew_ms: int = 0) -> None:
        self.fixed_ms, self.skew_ms = now_ms, skew_ms

    def now_ms(self) -> int:
        return (time.time_ns() // 1_000_000 if self.fixed_ms is None else self.fixed_ms) + self.skew_ms


class ExchangeServer:
    """One exchange behind HTTP."""

    def __init__(self, exchange: Exchange, options: Options, clock: Clock, faults: Faults) -> None:
        self.exchange, self.clock, self.faults = exchange, clock, faults
        self.market = Market(exchange, options)
        self.traffic = Traffic()
        self._banned_until_s = 0.0

    def make_app(self) -> web.Application:
        """Return the web application."""
        app = web.Application(client_max_size=1 << 20)
        app.router.add_get("/__control__/stats", self._show_stats)
        app.router.add_post("/__control__/set", self._change_settings)
        app.router.add_post("/__control__/instruments", self._change_instruments)
        app.router.add_post("/__control__/reset", self._reset)
        app.router.add_route("*", "/{path:.*}", self._serve)
        return app

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        arrived_ms = time.monotonic() * 1_000
        query: dict[str, Any] = dict(request.query)
        if request.can_read_body:
            query |= _parse_body(await request.read())
        path = f"{request.path}#{query['type']}" if request.method == "POST" and "type" in query else request.path
        call = Call(path, query, self.clock.now_ms(), self.market)
        pool, weight = self.exchange.weigh(call)
        arrival = Arrival(arrived_ms, call.path, pool, weight)
        used = self.traffic.note(arrival, call.now_ms // 60_000)
        if self.faults.latency_ms:
            await asyncio.sleep(self.faults.latency_ms / 1_000)
        fault = None
        if (answer := self._hold_back(call, arrival)) is None:
            fault = self.faults.draw(call.path)
            answer = self._answer(call, fault)
        self.traffic.statuses[str(answer.status)] += 1
        counts = self.exchange.count_headers(pool, used) if self.exchange.count_headers else {}
        return await self._send(request, answer, fault, {**counts, **answer.headers})

    def _hold_back(self, call: Call, arrival: Arrival) -> Answer | None:
        """Return the answer of a banned or overrun exchange."""
        left_s = self._banned_until_s - time.monotonic()
        if left_s > 0:
            self.traffic.during_ban += 1
            return self.exchange.refuse("banned", call, ceil(left_s))
        kept = [budget.take(arrival.time_ms, call.path, arrival.weight) for budget in self.faults.budgets]
        if not all(kept):
            self.traffic.violations += 1
            return self.exchange.refuse("rate_limit", call, self.faults.retry_after_s)
        return None

    def _answer(self, call: Call, fault: str | None) -> Answer:
        if fault is not None:
            self.traffic.faults[fault] += 1
        retry_after = {"Retry-After": str(self.faults.retry_after_s)}
        match fault:
            case "429_retry_after":
                return Answer(self.exchange.refuse("rate_limit", call, 0).text, 429, retry_after)
            case "429_plain":
                return Answer("Too Many Requests", 429, content_type="text/plain")
            case "503":
                return Answer("<html>503 Service Temporarily Unavailable</html>", 503, content_type="text/html")
            case "500_empty":
                return Answer("{}", 500)
            case "html_200":
                return Answer(_HTML, content_type="text/html")
            case "empty_200":
                return Answer("{}")
            case "error_200":
                return self.exchange.refuse("inside_200", call, 0)
        call.row_fault = fault if fault in ROW_FAULTS else None
        handler = self.exchange.routes.get(call.path)
        if handler is None:
            return self.exchange.refuse("unknown", call, 0)
        try:
            answer = handler(call)
        except Refused as refused:
            return refused.answer
        except (ValueError, TypeError):
            # A parameter that is no number: the exchanges' own words for it differ, the status does not.
            return Answer(self.exchange.refuse("unknown", call, 0).text, 400)
        if (answer.rows is not None and fault is None) or fault in ROW_FAULTS:
            counter = self.traffic.pages if answer.rows else self.traffic.empty_pages
            counter[call.path] += 1
            self.traffic.rows[call.path] += answer.rows or 0
        return answer

    async def _send(
        self, request: web.Request, answer: Answer, fault: str | None, headers: dict[str, str]
    ) -> web.StreamResponse:
        date = format_datetime(datetime.fromtimestamp(self.clock.now_ms() / 1_000, UTC), usegmt=True)
        headers = {"Date": date, "Content-Type": answer.content_type, **headers}
        body = answer.text.encode()
        if fault == "no_answer":
            await asyncio.sleep(self.faults.slow_ms / 1_000)
        if fault not in ("cut", "slow_body"):
            return web.Response(body=body, status=answer.status, headers=headers)
        response = web.StreamResponse(status=answer.status, headers=headers)
        response.content_length = len(body)
        await response.prepare(request)
        await response.write(body[: len(body) // 2])
        if fault == "slow_body":
            await asyncio.sleep(self.faults.slow_ms / 1_000)
            await response.write(body[len(body) // 2 :])
            await response.write_eof()
        elif request.transport is not None:
            request.transport.close()
        return response

    async def _show_stats(self, request: web.Request) -> web.Response:
        window = request.query.get("window_ms")
        report = self.traffic.report(
            None if window is None else float(window), with_arrivals="arrivals" in request.query
        )
        return _reply(report | {"now_ms": self.clock.now_ms()})

    async def _change_settings(self, request: web.Request) -> web.Response:
        changes: dict[str, Any] = orjson.loads(await request.read())
        if "now_ms" in changes:
            self.clock.fixed_ms = changes.pop("now_ms")
        self.clock.skew_ms = changes.pop("skew_ms", self.clock.skew_ms)
        if "ban_s" in changes:
            self._banned_until_s = time.monotonic() + changes.pop("ban_s")
        try:
            self.faults.change(changes)
        except (ValueError, TypeError) as wrong:
            return _reply({"error": str(wrong)}, 400)
        return _reply({"now_ms": self.clock.now_ms()})

    async def _change_instruments(self, request: web.Request) -> web.Response:
        changes: dict[str, Any] = orjson.loads(await request.read())
        try:
            for arguments in changes.get("add", ()):
                self.market.add(**arguments)
            for arguments in changes.get("vanish", ()):
                self.market.vanish(**arguments)
        except (KeyError, TypeError, StopIteration) as wrong:
            return _reply({"error": repr(wrong)}, 400)
        return _reply({"now_ms": self.clock.now_ms()})

    async def _reset(self, request: web.Request) -> web.Response:
        self.traffic = Traffic()
        return _reply({"now_ms": self.clock.now_ms()})


def _parse_body(body: bytes) -> dict[str, Any]:
    try:
        parsed = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _reply(value: object, status: int = 200) -> web.Response:
    return web.Response(body=orjson.dumps(value), status=status, content_type="application/json")
