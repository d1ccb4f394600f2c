"""Aster: Binance's API for perpetuals (`/fapi`) and spot (`/api`), versions 1 and 3 alike."""

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
    "PERP": Kind(
        name="PERP",
        prefix="ASTER/PERP/",
        name_instrument=lambda base, quote: base + quote,
        perpetual=True,
        reports_delisted=True,
    ),
    "SPOT": Kind("SPOT", "ASTER/SPOT/", lambda base, quote: base + quote),
}
_PERP: Final = Board("PERP", most_bars=1_500, refuses_big_pages=True)
_SPOT: Final = Board("SPOT", most_bars=1_500, refuses_big_pages=True)


def _perp_info(call: Call) -> Answer:
    symbols = [
        describe_perpetual(each, "TRADING" if each.is_alive(call.now_ms) else "SETTLING")
        | {"createTime": each.listed_ms}
        for each in call.source.listed("PERP")
        if each.listed_ms <= call.now_ms
    ]
    return describe_info(call, symbols, 2_400)


def _spot_info(call: Call) -> Answer:
    symbols = [
        describe_symbol(each, "TRADING") | {"listingTime": each.listed_ms, "ocoAllowed": False}
        for each in call.source.listed("SPOT")
        if each.is_alive(call.now_ms)
    ]
    return describe_info(call, symbols, 6_000)


def _weigh(call: Call) -> tuple[str, int]:
    weight = weigh_bars(call.whole("limit") or 500) if call.path.endswith("/klines") else 1
    return call.path.split("/")[1], weight


EXCHANGE: Final = Exchange(
    name="aster",
    kinds=KINDS,
    intervals=INTERVALS,
    routes={
        f"/{board}/{version}/{name}": handler
        for version in ("v1", "v3")
        for board, handlers in {
            "fapi": {
                "time": serve_time,
                "exchangeInfo": _perp_info,
                "klines": serve_bars(_PERP),
                "fundingRate": serve_rates(_PERP),
            },
            "api": {"time": serve_time, "exchangeInfo": _spot_info, "klines": serve_bars(_SPOT)},
        }.items()
        for name, handler in handlers.items()
    },
    render_bar=render_bar,
    refuse=refuse,
    weigh=_weigh,
    count_headers=lambda pool, used: {"X-MBX-USED-WEIGHT-1M": str(used)},
)
