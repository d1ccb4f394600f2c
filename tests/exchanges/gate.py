"""Gate, API v4: spot and USDT futures, times in seconds, bounds inclusive, bars oldest first, rates newest first.

A window wider than a page is refused, as is one that begins more than 10000 bars ago, or one with a `limit`.
Weeks (`7d`) count from the epoch, a Thursday.
"""

from typing import Final

from series_pipelines.core.duration import DAY_MS, parse_duration

from .instruments import Instrument, Kind
from .wire import Answer, Call, Exchange, Interval, Refused, Row, dump, estimate_turnover, join_rows

_ROOT: Final = "/api/v4"
_MOST_AGO: Final = 10_000

KINDS: Final = {
    "FUTURE": Kind(
        name="FUTURE",
        prefix="GATE/FUTURE/",
        name_instrument=lambda base, quote: f"{base}_{quote}",
        quotes=("USDT", "USDT"),
        perpetual=True,
        lot_step="1",
        volume_in_contracts=True,
        reports_delisted=True,
        keep_points=_MOST_AGO,
    ),
    "SPOT": Kind("SPOT", "GATE/SPOT/", lambda base, quote: f"{base}_{quote}", keep_points=_MOST_AGO),
}
INTERVALS: Final = {
    **{f"{count}m": Interval(f"PT{count}M") for count in (1, 5, 15, 30)},
    **{f"{count}h": Interval(f"PT{count}H") for count in (1, 2, 4, 8)},
    "1d": Interval("P1D"),
    "7d": Interval("P1W", 4 * DAY_MS),
}


def _error(label: str, message: str, status: int = 400) -> Answer:
    return Answer(dump({"label": label, "message": message}), status)


def refuse(kind: str, call: Call, seconds: int) -> Answer:
    match kind:
        case "rate_limit":
            return _error("TOO_MANY_REQUESTS", "Request Rate limit Exceeded", 429)
        case "banned":
            return Answer("<html>403 Forbidden</html>", 403, {"Retry-After": str(seconds)}, content_type="text/html")
        case "inside_200":
            return _error("SERVER_ERROR", "Internal server error", 200)
    return _error("NOT_FOUND", "Request path not found", 404)


def render_bar(instrument: Instrument, row: Row, closed: bool) -> str:
    created_ms, _, opened, high, low, close, volume = row
    seconds, turnover = created_ms // 1_000, estimate_turnover(row)
    if instrument.kind.name == "FUTURE":
        return (
            f'{{"o":"{opened}","v":{volume},"t":{seconds},"c":"{close}","l":"{low}","h":"{high}","sum":"{turnover}"}}'
        )
    ended = "true" if closed else "false"
    return f'["{seconds}","{turnover}","{close}","{high}","{low}","{opened}","{volume}","{ended}"]'


def _find(call: Call, kind: str) -> Instrument:
    name = call.query.get("contract" if kind == "FUTURE" else "currency_pair", "")
    if (instrument := call.source.find(kind, name)) is None:
        if kind == "FUTURE":
            raise Refused(_error("CONTRACT_NOT_FOUND", "Contract not found"))
        raise Refused(_error("INVALID_CURRENCY_PAIR", f"Invalid currency pair {name}"))
    return instrument


def _candlesticks(call: Call, kind: str) -> Answer:
    instrument = _find(call, kind)
    word = call.query.get("interval") or "5m"
    if word not in INTERVALS:
        raise Refused(_error("INVALID_PARAM_VALUE", f"Invalid interval {word}"))
    step_ms = parse_duration(INTERVALS[word].duration).nominal_ms
    most = 2_000 if kind == "FUTURE" else 1_000
    limit, start, end = call.whole("limit"), call.whole("from"), call.whole("to")
    if limit is not None and (start is not None or end is not None):
        raise Refused(_error("INVALID_PARAM_VALUE", "limit conflicts with from and to"))
    if limit is not None and limit > most:
        raise Refused(_error("INVALID_PARAM_VALUE", f"limit must be in range [1, {most}]"))
    end_ms = call.now_ms if end is None else end * 1_000
    start_ms = None if start is None else start * 1_000
    if start_ms is not None:
        if (end_ms - start_ms) // step_ms + 1 > most:
            text = f"Candlestick range too broad. Maximum {most} data points are allowed per request"
            raise Refused(_error("INVALID_PARAM_VALUE", text))
        if start_ms < call.now_ms - _MOST_AGO * step_ms:
            text = f"Candlestick too long ago. Maximum {_MOST_AGO} points ago are allowed"
            raise Refused(_error("INVALID_PARAM_VALUE", text))
    texts = call.bars(
        instrument,
        word,
        start_ms=start_ms,
        end_ms=end_ms + 1,
        limit=most if start_ms is not None else limit or 100,
        newest=True,
    )
    return Answer(join_rows(texts), rows=len(texts))


def _funding_rates(call: Call) -> Answer:
    instrument = _find(call, "FUTURE")
    start, end = call.whole("from"), call.whole("to")
    found = call.rates(
        call.source.rates(instrument, call.now_ms),
        start_ms=None if start is None else start * 1_000,
        end_ms=None if end is None else end * 1_000 + 1,
        limit=min(call.whole("limit") or 100, 1_000),
        newest=True,
    )
    rows = [{"r": rate, "t": time_ms // 1_000} for time_ms, rate, _ in reversed(found)]
    return Answer(dump(rows), rows=len(rows))


def _contracts(call: Call) -> Answer:
    data = []
    for each in call.source.listed("FUTURE"):
        if each.listed_ms > call.now_ms:
            continue
        alive = each.is_alive(call.now_ms)
        ended = {} if each.delisted_ms is None else {"delisted_time": each.delisted_ms // 1_000}
        data.append(
            {
                "name": each.instrument_id,
                "type": "direct",
                "quanto_multiplier": f"{each.contract_size:f}",
                "order_price_round": each.price_step,
                "order_price_deviate": "0.2",
                "mark_price": str(each.price),
                "funding_interval": each.find_rate_interval(call.now_ms) // 1_000,
                "leverage_min": "1",
                "leverage_max": "100",
                "order_size_min": 1,
                "order_size_max": 1_000_000,
                "in_delisting": not alive,
                "status": "trading" if alive else "delisted",
                "create_time": each.listed_ms // 1_000,
                "launch_time": each.listed_ms // 1_000,
                "enable_decimal": False,
            }
            | ended
        )
    return Answer(dump(data))


def _currency_pairs(call: Call) -> Answer:
    data = [
        {
            "id": each.instrument_id,
            "base": each.base,
            "base_name": each.base,
            "quote": each.quote,
            "quote_name": each.quote,
            "fee": "0.2",
            "min_base_amount": each.volume_step,
            "min_quote_amount": "3",
            "amount_precision": len(each.volume_step.partition(".")[2]),
            "precision": len(each.price_step.partition(".")[2]),
            "trade_status": "tradable",
            "sell_start": each.listed_ms // 1_000,
            "buy_start": each.listed_ms // 1_000,
            "delisting_time": 0,
            "type": "normal",
        }
        for each in call.source.listed("SPOT")
        if each.is_alive(call.now_ms)
    ]
    return Answer(dump(data))


def _currencies(call: Call) -> Answer:
    names = sorted({name for each in call.source.listed("SPOT") for name in (each.base, each.quote)})
    data = [
        {"currency": name, "name": name, "delisted": False, "withdraw_disabled": False, "deposit_disabled": False}
        for name in names
    ]
    return Answer(dump(data))


def _nothing(call: Call) -> Answer:
    return Answer("[]")


EXCHANGE: Final = Exchange(
    name="gate",
    kinds=KINDS,
    intervals=INTERVALS,
    routes={
        f"{_ROOT}/spot/time": lambda call: Answer(f'{{"server_time":{call.now_ms}}}'),
        f"{_ROOT}/spot/currencies": _currencies,
        f"{_ROOT}/spot/currency_pairs": _currency_pairs,
        f"{_ROOT}/spot/candlesticks": lambda call: _candlesticks(call, "SPOT"),
        f"{_ROOT}/margin/currency_pairs": _nothing,
        f"{_ROOT}/futures/usdt/contracts": _contracts,
        f"{_ROOT}/futures/usdt/candlesticks": lambda call: _candlesticks(call, "FUTURE"),
        f"{_ROOT}/futures/usdt/funding_rate": _funding_rates,
        f"{_ROOT}/futures/btc/contracts": _nothing,
        f"{_ROOT}/delivery/usdt/contracts": _nothing,
        f"{_ROOT}/delivery/btc/contracts": _nothing,
        f"{_ROOT}/options/underlyings": _nothing,
        f"{_ROOT}/options/contracts": _nothing,
    },
    render_bar=render_bar,
    refuse=refuse,
    weigh=lambda call: (call.path, 1),
)
