"""HTX: spot and USDT-margined swaps. Decimals of bars are JSON numbers, times seconds, days are Singapore's.

Spot gives the newest 2000 bars and knows no times on `/market/history/kline`, newest first. Swaps take `from` and
`to` unless there is a `size`, inclusive and oldest first. Funding comes in pages of at most 50, newest first.
"""

from typing import Final

from series_pipelines.core.duration import HOUR_MS, parse_duration

from .htx_markets import list_coin_contract, list_currencies, list_short_symbols, list_swaps, list_symbols
from .instruments import Instrument, Kind
from .wire import Answer, Call, Exchange, Interval, Rate, Refused, Row, dump, estimate_turnover, join_rows

_SINGAPORE_MS: Final = 8 * HOUR_MS
_MOST_BARS: Final = 2_000

KINDS: Final = {
    "SWAP": Kind(
        name="SWAP",
        prefix="HTX/SWAP/",
        name_instrument=lambda base, quote: f"{base}-{quote}",
        quotes=("USDT", "USDT"),
        perpetual=True,
        lot_step="1",
        trim=True,
    ),
    "SPOT": Kind(
        name="SPOT",
        prefix="HTX/SPOT/",
        name_instrument=lambda base, quote: f"{base}{quote}".lower(),
        reports_delisted=True,
        trim=True,
        keep_rows=_MOST_BARS,
    ),
}
INTERVALS: Final = {
    **{f"{count}min": Interval(f"PT{count}M") for count in (1, 5, 15, 30)},
    "60min": Interval("PT1H"),
    "4hour": Interval("PT4H"),
    **{
        word: Interval(iso, _SINGAPORE_MS)
        for word, iso in (("1day", "P1D"), ("1week", "P1W"), ("1mon", "P1M"), ("1year", "P12M"))
    },
}


def _spot_error(code: str, message: str) -> Answer:
    return Answer(dump({"status": "error", "err-code": code, "err-msg": message, "data": None}))


def _swap_error(call: Call, code: int, message: str) -> Answer:
    return Answer(dump({"status": "error", "err_code": code, "err_msg": message, "ts": call.now_ms}))


def refuse(kind: str, call: Call, seconds: int) -> Answer:
    match kind:
        case "rate_limit":
            limited = _spot_error("rate-too-many-requests", "exceeded rate limit")
            return Answer(limited.text, 429, {"ratelimit-interval": "1000"})
        case "banned":
            return Answer("Too Many Requests", 429, {"Retry-After": str(seconds)}, content_type="text/plain")
        case "inside_200":
            return _spot_error("system-busy", "System is busy, please try again later")
    return Answer(dump({"status": "error", "err-code": "not-found", "err-msg": "Not Found"}), 404)


def render_bar(instrument: Instrument, row: Row, closed: bool) -> str:
    created_ms, _, opened, high, low, close, volume = row
    turnover = estimate_turnover(row)
    prices = f'"id":{created_ms // 1_000},"open":{opened},"close":{close},"low":{low},"high":{high}'
    if instrument.kind.name == "SWAP":
        contracts = instrument.count_contracts(volume)
        return f'{{{prices},"amount":{volume},"vol":{contracts},"trade_turnover":{turnover},"count":40}}'
    return f'{{{prices},"amount":{volume},"vol":{turnover},"count":40}}'


def _find_spot(call: Call) -> Instrument:
    if (instrument := call.source.find("SPOT", call.query.get("symbol", ""))) is None:
        raise Refused(_spot_error("invalid-parameter", "invalid symbol"))
    if call.query.get("period") not in INTERVALS:
        raise Refused(_spot_error("invalid-parameter", "invalid period"))
    return instrument


def _find_swap(call: Call) -> Instrument:
    if (instrument := call.source.find("SWAP", call.query.get("contract_code", ""))) is None:
        raise Refused(_swap_error(call, 1013, "This contract symbol doesn't exist."))
    return instrument


def _answer_bars(call: Call, instrument: Instrument, texts: list[str]) -> Answer:
    channel = f"market.{instrument.instrument_id}.kline.{call.query['period']}"
    head = f'"ch":"{channel}","status":"ok","ts":{call.now_ms}'
    return Answer(f'{{{head},"data":{join_rows(texts)}}}', rows=len(texts))


def _spot_klines(call: Call) -> Answer:
    instrument = _find_spot(call)
    size = call.whole("size") or 150
    if not 1 <= size <= _MOST_BARS:
        raise Refused(_spot_error("invalid-parameter", f"invalid size, valid range: [1,{_MOST_BARS}]"))
    texts = call.bars(instrument, call.query["period"], limit=size, newest=True)
    return _answer_bars(call, instrument, texts[::-1])


def _spot_candles(call: Call) -> Answer:
    """The newer endpoint, which ccxt prefers: at most 1000 bars, with times."""
    instrument = _find_spot(call)
    start, end = call.whole("from"), call.whole("to")
    texts = call.bars(
        instrument,
        call.query["period"],
        start_ms=None if start is None else start * 1_000,
        end_ms=None if end is None else end * 1_000 + 1,
        limit=min(call.whole("size") or 150, 1_000),
        newest=start is None or end is not None,
    )
    return _answer_bars(call, instrument, texts[::-1])


def _swap_klines(call: Call) -> Answer:
    instrument = _find_swap(call)
    period = call.query.get("period", "")
    if period not in INTERVALS:
        raise Refused(_swap_error(call, 1067, "invalid period"))
    size, start, end = call.whole("size"), call.whole("from"), call.whole("to")
    if size is not None:
        if not 1 <= size <= _MOST_BARS:
            raise Refused(_spot_error("bad-request", f"invalid size, valid range: [1,{_MOST_BARS}]"))
        return _answer_bars(call, instrument, call.bars(instrument, period, limit=size, newest=True))
    if start is None or end is None:
        raise Refused(_spot_error("bad-request", "size or from and to are required"))
    step_ms = parse_duration(INTERVALS[period].duration).nominal_ms
    if (end - start) * 1_000 // step_ms + 1 > _MOST_BARS:
        raise Refused(_spot_error("bad-request", f"invalid range, at most {_MOST_BARS} records"))
    texts = call.bars(instrument, period, start_ms=start * 1_000, end_ms=end * 1_000 + 1, limit=_MOST_BARS, newest=True)
    return _answer_bars(call, instrument, texts)


def _describe_rate(instrument: Instrument, rate: Rate) -> dict[str, object]:
    return {
        "avg_premium_index": "0.000149696771643437",
        "funding_rate": rate[1],
        "realized_rate": rate[1],
        "funding_time": str(rate[0]),
        "contract_code": instrument.instrument_id,
        "symbol": instrument.base,
        "fee_asset": instrument.settle,
    }


def _funding_pages(call: Call) -> Answer:
    instrument = _find_swap(call)
    index, size = call.whole("page_index") or 1, call.whole("page_size") or 20
    if not 1 <= size <= 50:
        raise Refused(_swap_error(call, 1067, "The parameter page_size is invalid."))
    rates = list(reversed(call.source.rates(instrument, call.now_ms)))
    page = call.spoil([_describe_rate(instrument, rate) for rate in rates[(index - 1) * size : index * size]])
    data = {
        "total_page": -(-len(rates) // size),
        "current_page": index,
        "total_size": len(rates),
        "data": page,
    }
    return Answer(dump({"status": "ok", "data": data, "ts": call.now_ms}), rows=len(page))


def _funding_history(call: Call) -> Answer:
    """The newer endpoint, which ccxt prefers."""
    instrument = _find_swap(call)
    start_ms, end_ms = call.whole("start_time"), call.whole("end_time")
    found = call.rates(
        call.source.rates(instrument, call.now_ms),
        start_ms=start_ms,
        end_ms=None if end_ms is None else end_ms + 1,
        limit=min(call.whole("limit") or 20, 100),
        newest=start_ms is None or end_ms is not None,
    )
    rows = [
        {
            "id": str(time_ms),
            "contract_code": instrument.instrument_id,
            "funding_rate": rate,
            "funding_time": str(time_ms),
        }
        for time_ms, rate, _ in reversed(found)
    ]
    return Answer(dump({"code": 200, "message": "Success", "data": rows, "ts": call.now_ms}), rows=len(rows))


EXCHANGE: Final = Exchange(
    name="htx",
    kinds=KINDS,
    intervals=INTERVALS,
    routes={
        "/v1/common/timestamp": lambda call: Answer(f'{{"status":"ok","data":{call.now_ms}}}'),
        "/api/v1/timestamp": lambda call: Answer(f'{{"status":"ok","ts":{call.now_ms}}}'),
        "/v1/common/symbols": list_symbols,
        "/v1/settings/common/symbols": list_short_symbols,
        "/v1/settings/common/market-symbols": list_short_symbols,
        "/v2/reference/currencies": list_currencies,
        "/market/history/kline": _spot_klines,
        "/market/history/candles": _spot_candles,
        "/linear-swap-ex/market/history/kline": _swap_klines,
        "/linear-swap-api/v1/swap_contract_info": list_swaps,
        "/linear-swap-api/v1/swap_historical_funding_rate": _funding_pages,
        "/v5/market/funding_rate_history": _funding_history,
        "/swap-api/v1/swap_contract_info": lambda call: list_coin_contract(call, "BTC-USD", ""),
        "/api/v1/contract_contract_info": lambda call: list_coin_contract(call, "BTC261225", "20261225"),
    },
    render_bar=render_bar,
    refuse=refuse,
)
