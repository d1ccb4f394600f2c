"""Bybit, API v5: spot, linear and inverse. Rows come newest first, both bounds inclusive.

`start` without `end` asks for as many durations from there; with `end` the newest of the window are kept. Funding
with a `startTime` but no `endTime` is refused.
"""

from typing import Final

from series_pipelines.core.duration import HOUR_MS, parse_duration

from .instruments import Instrument, Kind
from .wire import Answer, Call, Exchange, Interval, Refused, Row, dump, estimate_turnover, join_rows

KINDS: Final = {
    "spot": Kind("spot", "BYBIT/SPOT/", lambda base, quote: base + quote),
    "linear": Kind(
        name="linear",
        prefix="BYBIT/LINEAR/",
        name_instrument=lambda base, quote: f"{base}PERP" if quote == "USDC" else base + quote,
        perpetual=True,
    ),
    "inverse": Kind(
        name="inverse",
        prefix="BYBIT/INVERSE/",
        name_instrument=lambda base, quote: base + quote,
        quotes=("USD", "USD"),
        perpetual=True,
        settle="base",
    ),
}
INTERVALS: Final = {
    **{str(count): Interval(f"PT{count}M") for count in (1, 3, 5, 15, 30)},
    **{str(count * 60): Interval(f"PT{count}H") for count in (1, 2, 4, 6, 12)},
    "D": Interval("P1D"),
    "W": Interval("P1W"),
    "M": Interval("P1M"),
}


def _answer(call: Call, result: str, rows: int | None = None) -> Answer:
    text = f'{{"retCode":0,"retMsg":"OK","result":{result},"retExtInfo":{{}},"time":{call.now_ms}}}'
    return Answer(text, rows=rows)


def _error(call: Call, code: int, message: str, status: int = 200) -> Answer:
    body = {"retCode": code, "retMsg": message, "result": {}, "retExtInfo": {}, "time": call.now_ms}
    return Answer(dump(body), status)


def refuse(kind: str, call: Call, seconds: int) -> Answer:
    match kind:
        case "rate_limit":
            return _error(call, 10006, "Too many visits. Exceeded the API Rate Limit.")
        case "banned":
            return Answer("access too frequent", 403, content_type="text/plain")
        case "inside_200":
            return _error(call, 10016, "Internal System Error.")
    return Answer("404 page not found", 404, content_type="text/plain")


def render_bar(instrument: Instrument, row: Row, closed: bool) -> str:
    created_ms, _, opened, high, low, close, volume = row
    turnover = estimate_turnover(row)
    amounts = f'{turnover}","{volume}' if instrument.kind.name == "inverse" else f'{volume}","{turnover}'
    return f'["{created_ms}","{opened}","{high}","{low}","{close}","{amounts}"]'


def _find(call: Call) -> Instrument:
    category = call.query.get("category", "linear")
    if category not in KINDS:
        raise Refused(_error(call, 10001, "params error: category invalid"))
    if (instrument := call.source.find(category, call.query.get("symbol", ""))) is None:
        raise Refused(_error(call, 10001, "Not supported symbols"))
    return instrument


def _klines(call: Call) -> Answer:
    instrument = _find(call)
    interval = call.query.get("interval", "")
    if interval not in INTERVALS:
        raise Refused(_error(call, 10001, "Invalid period!"))
    duration = parse_duration(INTERVALS[interval].duration)
    start_ms, end_ms = call.whole("start"), call.whole("end")
    limit = min(call.whole("limit") or 200, 1_000)
    if start_ms is not None:
        start_ms = duration.start_of_bar(start_ms)
        if end_ms is None:
            end_ms = start_ms + limit * duration.nominal_ms - 1
    texts = call.bars(
        instrument,
        interval,
        start_ms=start_ms,
        end_ms=None if end_ms is None else end_ms + 1,
        limit=limit,
        newest=True,
    )
    head = f'"symbol":"{instrument.instrument_id}","category":"{instrument.kind.name}"'
    return _answer(call, f'{{{head},"list":{join_rows(texts[::-1])}}}', len(texts))


def _funding_history(call: Call) -> Answer:
    instrument = _find(call)
    start_ms, end_ms = call.whole("startTime"), call.whole("endTime")
    if start_ms is not None and end_ms is None:
        raise Refused(_error(call, 10001, "params error: startTime without endTime"))
    found = call.rates(
        call.source.rates(instrument, call.now_ms),
        start_ms=start_ms,
        end_ms=None if end_ms is None else end_ms + 1,
        limit=min(call.whole("limit") or 200, 200),
        newest=True,
    )
    rows = [
        {"symbol": instrument.instrument_id, "fundingRate": rate, "fundingRateTimestamp": str(time_ms)}
        for time_ms, rate, _ in reversed(found)
    ]
    return _answer(call, dump({"category": instrument.kind.name, "list": rows}), len(rows))


def _instruments(call: Call) -> Answer:
    category = call.query.get("category", "")
    if category not in (*KINDS, "option"):
        raise Refused(_error(call, 10001, "params error: category invalid"))
    known = [] if category == "option" or call.query.get("status") == "PreLaunch" else call.source.listed(category)
    alive = [each for each in known if each.is_alive(call.now_ms)]
    first, most = int(call.query.get("cursor") or 0), 1 << 30
    if category != "spot":
        most = min(call.whole("limit") or 500, 1_000)
    page = alive[first : first + most]
    result: dict[str, object] = {"category": category, "list": [_describe(each, call.now_ms) for each in page]}
    if category != "spot":
        result["nextPageCursor"] = str(first + most) if first + most < len(alive) else ""
    return _answer(call, dump(result))


def _describe(instrument: Instrument, now_ms: int) -> dict[str, object]:
    common = {
        "symbol": instrument.instrument_id,
        "baseCoin": instrument.base,
        "quoteCoin": instrument.quote,
        "status": "Trading",
    }
    if instrument.kind.name == "spot":
        lots = {"basePrecision": instrument.volume_step, "quotePrecision": "0.00000001", "minOrderQty": "0.00004"}
        return common | {
            "innovation": "0",
            "marginTrading": "utaOnly",
            "lotSizeFilter": lots,
            "priceFilter": {"tickSize": instrument.price_step},
        }
    linear = instrument.kind.name == "linear"
    return common | {
        "contractType": "LinearPerpetual" if linear else "InversePerpetual",
        "launchTime": str(instrument.listed_ms),
        "deliveryTime": "0",
        "deliveryFeeRate": "",
        "priceScale": "2",
        "leverageFilter": {"minLeverage": "1", "maxLeverage": "100.00", "leverageStep": "0.01"},
        "priceFilter": {
            "minPrice": instrument.price_step,
            "maxPrice": "1999999.80",
            "tickSize": instrument.price_step,
        },
        "lotSizeFilter": {
            "maxOrderQty": "1190.000",
            "minOrderQty": instrument.volume_step,
            "qtyStep": instrument.volume_step,
            "minNotionalValue": "5",
        },
        "unifiedMarginTrade": True,
        "fundingInterval": instrument.find_rate_interval(now_ms) * 60 // HOUR_MS,
        "settleCoin": instrument.settle,
        "copyTrading": "both",
    }


def _time(call: Call) -> Answer:
    return _answer(call, dump({"timeSecond": str(call.now_ms // 1_000), "timeNano": f"{call.now_ms}000000"}))


EXCHANGE: Final = Exchange(
    name="bybit",
    kinds=KINDS,
    intervals=INTERVALS,
    routes={
        "/v5/market/time": _time,
        "/v5/market/kline": _klines,
        "/v5/market/funding/history": _funding_history,
        "/v5/market/instruments-info": _instruments,
    },
    render_bar=render_bar,
    refuse=refuse,
)
