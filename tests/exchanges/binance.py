"""Binance: spot (`/api/v3`) and USDT-margined futures (`/fapi/v1`), each with its own pool of weight a minute."""

from typing import Final

from .instruments import Kind
from .klines_api import (
    INTERVALS,
    Board,
    describe_info,
    describe_perpetual,
    describe_symbol,
    refuse,
    render_bar,
    serve_bars,
    serve_rates,
    serve_time,
    weigh_bars,
)
from .wire import Answer, Call, Exchange

KINDS: Final = {
    "SPOT": Kind("SPOT", "BINANCE/SPOT/", lambda base, quote: base + quote, reports_delisted=True),
    "MARGIN": Kind("MARGIN", "BINANCE/MARGIN/", lambda base, quote: base + quote, alias_of="SPOT"),
    "USDT-FUTURE": Kind(
        name="USDT-FUTURE",
        prefix="BINANCE/USDT-FUTURE/",
        name_instrument=lambda base, quote: base + quote,
        perpetual=True,
        reports_delisted=True,
        settlement_price=True,
        rate_jitter_ms=12,
    ),
}
_SPOT: Final = Board("SPOT", most_bars=1_000, refuses_big_pages=False)
_FUTURE: Final = Board("USDT-FUTURE", most_bars=1_500, refuses_big_pages=True, has_mark_price=True)


def _spot_info(call: Call) -> Answer:
    margin = {each.instrument_id for each in call.source.listed("MARGIN")}
    symbols = [
        describe_symbol(each, "TRADING" if each.is_alive(call.now_ms) else "BREAK")
        | {
            "isSpotTradingAllowed": True,
            "isMarginTradingAllowed": each.instrument_id in margin,
            "permissions": [],
            "permissionSets": [["SPOT", "MARGIN"] if each.instrument_id in margin else ["SPOT"]],
        }
        for each in call.source.listed("SPOT")
        if each.listed_ms <= call.now_ms
    ]
    return describe_info(call, symbols, 6_000)


def _future_info(call: Call) -> Answer:
    symbols = [
        describe_perpetual(each, "TRADING" if each.is_alive(call.now_ms) else "SETTLING")
        for each in call.source.listed("USDT-FUTURE")
        if each.listed_ms <= call.now_ms
    ]
    return describe_info(call, symbols, 2_400)


def _weigh(call: Call) -> tuple[str, int]:
    pool = call.path.split("/")[1]
    if pool == "fapi":
        # Funding history counts in a pool of its own: 500 requests in five minutes.
        if call.path.endswith("/fundingRate"):
            return "fundingRate", 1
        return pool, weigh_bars(call.whole("limit") or 500) if call.path.endswith("/klines") else 1
    return pool, {"/api/v3/klines": 2, "/api/v3/exchangeInfo": 20}.get(call.path, 1)


EXCHANGE: Final = Exchange(
    name="binance",
    kinds=KINDS,
    intervals=INTERVALS,
    routes={
        "/api/v3/time": serve_time,
        "/api/v3/ping": lambda call: Answer("{}"),
        "/api/v3/exchangeInfo": _spot_info,
        "/api/v3/klines": serve_bars(_SPOT),
        "/fapi/v1/time": serve_time,
        "/fapi/v1/ping": lambda call: Answer("{}"),
        "/fapi/v1/exchangeInfo": _future_info,
        "/fapi/v1/klines": serve_bars(_FUTURE),
        "/fapi/v1/fundingRate": serve_rates(_FUTURE),
        "/dapi/v1/time": serve_time,
        "/dapi/v1/exchangeInfo": lambda call: describe_info(call, [], 2_400),
        "/eapi/v1/exchangeInfo": lambda call: Answer('{"timezone":"UTC","optionSymbols":[]}'),
    },
    render_bar=render_bar,
    refuse=refuse,
    weigh=_weigh,
    count_headers=lambda pool, used: {"X-MBX-USED-WEIGHT-1M": str(used)} if pool != "fundingRate" else {},
)
