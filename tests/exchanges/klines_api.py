"""The API that Binance made and others copied: rows oldest first, bounds inclusive, strings for decimals.

With `startTime` a page begins there; without it a page ends at `endTime` or now. The forming bar is given.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from .instruments import Instrument
from .wire import Answer, Call, Interval, Refused, Row, dump, estimate_turnover, join_rows

PERPETUAL_END_MS: Final = 4_133_404_800_000
INTERVALS: Final = {
    **{f"{count}m": Interval(f"PT{count}M") for count in (1, 3, 5, 15, 30)},
    **{f"{count}h": Interval(f"PT{count}H") for count in (1, 2, 4, 6, 8, 12)},
    "1d": Interval("P1D"),
    "3d": Interval("P3D"),
    "1w": Interval("P1W"),
    "1M": Interval("P1M"),
}


@dataclass(frozen=True, slots=True)
class Board:
    """One of the API's boards: which kind it trades and how its pages are bounded."""

    kind: str
    most_bars: int
    refuses_big_pages: bool
    has_mark_price: bool = False


def error(code: int, message: str, status: int = 400) -> Answer:
    """Say no as this API does."""
    return Answer(dump({"code": code, "msg": message}), status)


def refuse(kind: str, call: Call, seconds: int) -> Answer:
    """Say no for the server's reasons."""
    match kind:
        case "rate_limit":
            text = "Too much request weight used; current limit is 2400 request weight per 1 MINUTE."
            return error(-1003, text, 429)
        case "banned":
            until_ms = call.now_ms + seconds * 1_000
            text = f"Way too many requests; IP banned until {until_ms}. Please use the websocket for live updates."
            banned = error(-1003, text, 418)
            return Answer(banned.text, 418, {"Retry-After": str(seconds)})
        case "inside_200":
            return error(-1001, "Internal error; unable to process your request. Please try again.", 200)
    return Answer("<html>404 Not Found</html>", 404, content_type="text/html")


def render_bar(instrument: Instrument, row: Row, closed: bool) -> str:
    """Write one bar; its close time is its last millisecond."""
    created_ms, closed_ms, opened, high, low, close, volume = row
    turnover = estimate_turnover(row)
    return (
        f'[{created_ms},"{opened}","{high}","{low}","{close}","{volume}",{closed_ms - 1},"{turnover}",40,"0","0","0"]'
    )


def weigh_bars(limit: int) -> int:
    """Return what a page of this length weighs on a futures board."""
    return 1 if limit < 100 else 2 if limit < 500 else 5 if limit <= 1_000 else 10


def serve_bars(board: Board) -> Callable[[Call], Answer]:
    """Return the handler of a board's klines."""

    def handle(call: Call) -> Answer:
        instrument = _find(call, board)
        interval = call.query.get("interval", "")
        if interval not in INTERVALS:
            raise Refused(error(-1120, "Invalid interval."))
        limit = call.whole("limit") or 500
        if limit > board.most_bars and board.refuses_big_pages:
            raise Refused(error(-1130, "Data sent for parameter 'limit' is not valid."))
        start_ms, end_ms = _window(call)
        texts = call.bars(
            instrument,
            interval,
            start_ms=start_ms,
            end_ms=end_ms,
            limit=min(limit, board.most_bars),
            newest=start_ms is None,
        )
        return Answer(join_rows(texts), rows=len(texts))

    return handle


def serve_rates(board: Board) -> Callable[[Call], Answer]:
    """Return the handler of a board's funding history; at most 1000 rates a page."""

    def handle(call: Call) -> Answer:
        instrument = _find(call, board)
        start_ms, end_ms = _window(call)
        rates = call.source.rates(instrument, call.now_ms)
        limit = min(call.whole("limit") or 100, 1_000)
        found = call.rates(rates, start_ms=start_ms, end_ms=end_ms, limit=limit, newest=start_ms is None)
        data = [
            {"symbol": instrument.instrument_id, "fundingTime": time_ms, "fundingRate": rate}
            | ({"markPrice": price} if board.has_mark_price else {})
            for time_ms, rate, price in found
        ]
        return Answer(dump(data), rows=len(data))

    return handle


def serve_time(call: Call) -> Answer:
    """Answer with the server's time."""
    return Answer(f'{{"serverTime":{call.now_ms}}}')


def describe_info(call: Call, symbols: list[dict[str, object]], weight: int) -> Answer:
    """Answer with a board's instruments."""
    assets = sorted({str(each[side]) for each in symbols for side in ("baseAsset", "quoteAsset")})
    return Answer(
        dump(
            {
                "timezone": "UTC",
                "serverTime": call.now_ms,
                "rateLimits": [
                    {"rateLimitType": "REQUEST_WEIGHT", "interval": "MINUTE", "intervalNum": 1, "limit": weight}
                ],
                "exchangeFilters": [],
                "assets": [{"asset": asset} for asset in assets],
                "symbols": symbols,
            }
        )
    )


def describe_symbol(instrument: Instrument, status: str) -> dict[str, object]:
    """Return what every board says about an instrument."""
    price_step, volume_step = instrument.price_step, instrument.volume_step
    return {
        "symbol": instrument.instrument_id,
        "status": status,
        "baseAsset": instrument.base,
        "baseAssetPrecision": 8,
        "quoteAsset": instrument.quote,
        "quotePrecision": 8,
        "filters": [
            {"filterType": "PRICE_FILTER", "minPrice": price_step, "maxPrice": "1000000", "tickSize": price_step},
            {"filterType": "LOT_SIZE", "minQty": volume_step, "maxQty": "9000000", "stepSize": volume_step},
            {"filterType": "MIN_NOTIONAL", "minNotional": "5", "notional": "5"},
        ],
        "orderTypes": ["LIMIT", "MARKET"],
    }


def describe_perpetual(instrument: Instrument, status: str) -> dict[str, object]:
    """Return what a futures board says about an instrument; a delisted one was delivered then."""
    return describe_symbol(instrument, status) | {
        "pair": instrument.instrument_id,
        "contractType": "PERPETUAL",
        "deliveryDate": instrument.delisted_ms or PERPETUAL_END_MS,
        "onboardDate": instrument.listed_ms,
        "maintMarginPercent": "2.5000",
        "requiredMarginPercent": "5.0000",
        "marginAsset": instrument.settle,
        "pricePrecision": 2,
        "quantityPrecision": 3,
        "underlyingType": "COIN",
        "timeInForce": ["GTC", "IOC", "FOK", "GTX"],
    }


def _find(call: Call, board: Board) -> Instrument:
    symbol = call.query.get("symbol")
    if not symbol:
        raise Refused(error(-1102, "Mandatory parameter 'symbol' was not sent, was empty/null, or malformed."))
    if (instrument := call.source.find(board.kind, symbol)) is None:
        raise Refused(error(-1121, "Invalid symbol."))
    return instrument


def _window(call: Call) -> tuple[int | None, int | None]:
    try:
        start_ms, end_ms = call.whole("startTime"), call.whole("endTime")
    except ValueError:
        raise Refused(error(-1100, "Illegal characters found in parameter 'startTime'.")) from None
    if start_ms is not None and end_ms is not None and start_ms > end_ms:
        raise Refused(error(-1023, "Start time is greater than end time."))
    return start_ms, None if end_ms is None else end_ms + 1
