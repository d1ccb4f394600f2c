"""Bitget, API v2: spot and the USDT and coin futures of `mix`. Bars come oldest first, the newest of a window kept.

`startTime` is inclusive, `endTime` exclusive. `candles` reaches back some days and gives the forming bar,
`history-candles` everything that is closed, at most 200. Funding has pages and no times, newest first.
"""

from typing import Final

from series_pipelines.core.duration import DAY_MS, HOUR_MS

from .instruments import Instrument, Kind
from .wire import Answer, Call, Exchange, Interval, Refused, Row, dump, estimate_turnover, join_rows

_SPOT, _MIX = "/api/v2/spot", "/api/v2/mix/market"
_BEIJING_MS: Final = 8 * HOUR_MS

KINDS: Final = {
    "SPOT": Kind("SPOT", "BITGET/SPOT/", lambda base, quote: base + quote),
    "USDT-FUTURES": Kind(
        name="USDT-FUTURES",
        prefix="BITGET/USDT-FUTURES/",
        name_instrument=lambda base, quote: base + quote,
        quotes=("USDT", "USDT"),
        perpetual=True,
        reports_delisted=True,
    ),
    "COIN-FUTURES": Kind(
        name="COIN-FUTURES",
        prefix="BITGET/COIN-FUTURES/",
        name_instrument=lambda base, quote: base + quote,
        quotes=("USD", "USD"),
        perpetual=True,
        settle="base",
    ),
}
_LONG: Final = {"6H": "PT6H", "12H": "PT12H", "1D": "P1D", "3D": "P3D", "1W": "P1W", "1M": "P1M"}
_LONG_INTERVALS: Final = {
    **{f"{word}utc": Interval(iso) for word, iso in _LONG.items()},
    **{word: Interval(iso, _BEIJING_MS) for word, iso in _LONG.items()},
}
MIX_INTERVALS: Final = {
    **{f"{count}m": Interval(f"PT{count}M") for count in (1, 3, 5, 15, 30)},
    **{f"{count}H": Interval(f"PT{count}H") for count in (1, 2, 4)},
    **_LONG_INTERVALS,
}
SPOT_INTERVALS: Final = {
    **{f"{count}min": Interval(f"PT{count}M") for count in (1, 3, 5, 15, 30)},
    **{f"{count}h": Interval(f"PT{count}H") for count in (1, 4)},
    **{
        word.lower() if word in ("6H", "12H") else word: each for word, each in _LONG_INTERVALS.items() if each.shift_ms
    },
    **{word: each for word, each in _LONG_INTERVALS.items() if not each.shift_ms},
}
_RECENT_DAYS: Final = {"PT1H": 60, "PT2H": 120, "PT4H": 240, "PT6H": 360, "PT12H": 720, "P1D": 1440}


def _answer(call: Call, data: str, rows: int | None = None) -> Answer:
    return Answer(f'{{"code":"00000","msg":"success","requestTime":{call.now_ms},"data":{data}}}', rows=rows)


def _error(call: Call, code: str, message: str, status: int = 400) -> Answer:
    return Answer(dump({"code": code, "msg": message, "requestTime": call.now_ms, "data": None}), status)


def refuse(kind: str, call: Call, seconds: int) -> Answer:
    match kind:
        case "rate_limit":
            return _error(call, "429", "Too Many Requests", 429)
        case "banned":
            return Answer("Too Many Requests", 429, {"Retry-After": str(seconds)}, content_type="text/plain")
        case "inside_200":
            return _error(call, "40725", "service return an error", 200)
    return _error(call, "40404", "Request URL NOT FOUND", 404)


def render_bar(instrument: Instrument, row: Row, closed: bool) -> str:
    created_ms, _, opened, high, low, close, volume = row
    turnover = estimate_turnover(row)
    if instrument.kind.name == "SPOT":
        amounts = f'{volume}","{turnover}","{turnover}'
    else:
        amounts = f'{turnover}","{volume}' if instrument.settle == instrument.base else f'{volume}","{turnover}'
    return f'["{created_ms}","{opened}","{high}","{low}","{close}","{amounts}"]'


def _find(call: Call, kind: str) -> Instrument:
    symbol = call.query.get("symbol", "")
    if not symbol:
        raise Refused(_error(call, "40019", "Parameter symbol cannot be empty"))
    instrument = call.source.find(kind, symbol) if kind in KINDS else None
    if instrument is None:
        raise Refused(_error(call, "40034", f"Parameter {symbol} does not exist"))
    return instrument


def _candles(call: Call, *, spot: bool, history: bool) -> Answer:
    instrument = _find(call, "SPOT" if spot else call.query.get("productType", "").upper())
    word = call.query.get("granularity", "")
    intervals = SPOT_INTERVALS if spot else MIX_INTERVALS
    if word not in intervals:
        raise Refused(_error(call, "400171", "Parameter verification failed: granularity"))
    start_ms, end_ms = call.whole("startTime"), call.whole("endTime")
    most = 200 if history else 1_000
    limit = call.whole("limit") or 100
    if limit > most:
        raise Refused(_error(call, "40020", "Parameter limit error"))
    if spot and history and end_ms is None:
        raise Refused(_error(call, "40019", "Parameter endTime cannot be empty"))
    if not history:
        recent_ms = _RECENT_DAYS.get(intervals[word].duration, 30) * DAY_MS
        start_ms = max(start_ms or 0, call.now_ms - recent_ms)
    texts = call.bars(instrument, word, start_ms=start_ms, end_ms=end_ms, limit=limit, newest=True, forming=not history)
    return _answer(call, join_rows(texts), len(texts))


def _funding_history(call: Call) -> Answer:
    instrument = _find(call, call.query.get("productType", "").upper())
    size = min(call.whole("pageSize") or 20, 100)
    page = max(call.whole("pageNo") or 1, 1)
    newest_first = list(reversed(call.source.rates(instrument, call.now_ms)))
    rows = call.spoil(
        [
            {"symbol": instrument.instrument_id, "fundingRate": rate, "fundingTime": str(time_ms)}
            for time_ms, rate, _ in newest_first[(page - 1) * size : page * size]
        ]
    )
    return _answer(call, dump(rows), len(rows))


def _symbols(call: Call) -> Answer:
    data = [
        {
            "symbol": each.instrument_id,
            "baseCoin": each.base,
            "quoteCoin": each.quote,
            "minTradeAmount": "0",
            "maxTradeAmount": "900000000000000000000",
            "takerFeeRate": "0.002",
            "makerFeeRate": "0.002",
            "pricePrecision": str(len(each.price_step.partition(".")[2])),
            "quantityPrecision": str(len(each.volume_step.partition(".")[2])),
            "quotePrecision": "6",
            "status": "online",
            "minTradeUSDT": "1",
            "buyLimitPriceRatio": "0.05",
            "sellLimitPriceRatio": "0.05",
            "openTime": str(each.listed_ms),
            "offTime": "",
        }
        for each in call.source.listed("SPOT")
        if each.is_alive(call.now_ms)
    ]
    return _answer(call, dump(data))


def _contracts(call: Call) -> Answer:
    kind = call.query.get("productType", "").upper()
    known = call.source.listed(kind) if kind in KINDS else []
    data = [
        {
            "symbol": each.instrument_id,
            "baseCoin": each.base,
            "quoteCoin": each.quote,
            "buyLimitPriceRatio": "0.05",
            "sellLimitPriceRatio": "0.05",
            "makerFeeRate": "0.0002",
            "takerFeeRate": "0.0006",
            "supportMarginCoins": [each.settle],
            "minTradeNum": each.volume_step,
            "priceEndStep": "1",
            "volumePlace": str(len(each.volume_step.partition(".")[2])),
            "pricePlace": str(len(each.price_step.partition(".")[2])),
            "sizeMultiplier": each.volume_step,
            "symbolType": "perpetual",
            "minTradeUSDT": "5",
            "symbolStatus": "normal" if each.is_alive(call.now_ms) else "off",
            "offTime": "-1" if each.delisted_ms is None else str(each.delisted_ms),
            "limitOpenTime": "-1",
            "deliveryTime": "",
            "launchTime": str(each.listed_ms),
            "fundInterval": str(each.find_rate_interval(call.now_ms) // HOUR_MS),
            "minLever": "1",
            "maxLever": "125",
            "maintainTime": "",
        }
        for each in known
        if each.listed_ms <= call.now_ms
    ]
    return _answer(call, dump(data))


def _coins(call: Call) -> Answer:
    coins = sorted({coin for each in call.source.listed("SPOT") for coin in (each.base, each.quote)})
    data = [
        {"coinId": str(number), "coin": coin, "transfer": "true", "chains": []} for number, coin in enumerate(coins)
    ]
    return _answer(call, dump(data))


def _margin_currencies(call: Call) -> Answer:
    data = [
        {"symbol": each.instrument_id, "baseCoin": each.base, "quoteCoin": each.quote, "isBorrowable": True}
        for each in call.source.listed("SPOT")
    ]
    return _answer(call, dump(data))


EXCHANGE: Final = Exchange(
    name="bitget",
    kinds=KINDS,
    intervals=MIX_INTERVALS | SPOT_INTERVALS,
    routes={
        "/api/v2/public/time": lambda call: _answer(call, f'{{"serverTime":"{call.now_ms}"}}'),
        f"{_SPOT}/public/symbols": _symbols,
        f"{_SPOT}/public/coins": _coins,
        "/api/v2/margin/currencies": _margin_currencies,
        f"{_SPOT}/market/candles": lambda call: _candles(call, spot=True, history=False),
        f"{_SPOT}/market/history-candles": lambda call: _candles(call, spot=True, history=True),
        f"{_MIX}/contracts": _contracts,
        f"{_MIX}/candles": lambda call: _candles(call, spot=False, history=False),
        f"{_MIX}/history-candles": lambda call: _candles(call, spot=False, history=True),
        f"{_MIX}/history-fund-rate": _funding_history,
    },
    render_bar=render_bar,
    refuse=refuse,
    weigh=lambda call: (call.path, 1),
)
