"""OKX, API v5. Rows come newest first, bounds are exclusive; bars of six hours and more follow Hong Kong's day
unless their name ends in `utc`; `history-candles` gives only closed bars, `candles` only the newest 1440.
"""

from typing import Final

from series_pipelines.core.duration import DAY_MS, HOUR_MS

from .instruments import Instrument, Kind
from .wire import Answer, Call, Exchange, Interval, Refused, Row, dump, estimate_turnover, join_rows

_HONG_KONG_MS: Final = 8 * HOUR_MS
_MARKET, _PUBLIC = "/api/v5/market", "/api/v5/public"

KINDS: Final = {
    "SWAP": Kind(
        name="SWAP",
        prefix="OKX/SWAP/",
        name_instrument=lambda base, quote: f"{base}-{quote}-SWAP",
        perpetual=True,
        lot_step="0.01",
        rate_keep_ms=90 * DAY_MS,
    ),
    "SPOT": Kind("SPOT", "OKX/SPOT/", lambda base, quote: f"{base}-{quote}"),
    "MARGIN": Kind("MARGIN", "OKX/MARGIN/", lambda base, quote: f"{base}-{quote}", alias_of="SPOT", lends=True),
}
INTERVALS: Final = {
    **{f"{count}m": Interval(f"PT{count}M") for count in (1, 3, 5, 15, 30)},
    **{f"{count}H": Interval(f"PT{count}H") for count in (1, 2, 4)},
    **{f"{word}utc": Interval(iso) for word, iso in (("6H", "PT6H"), ("12H", "PT12H"), ("1D", "P1D"))},
    **{word: Interval(iso, _HONG_KONG_MS) for word, iso in (("6H", "PT6H"), ("12H", "PT12H"), ("1D", "P1D"))},
    **{f"{word}utc": Interval(iso) for word, iso in (("1W", "P1W"), ("1M", "P1M"), ("3M", "P3M"))},
    **{word: Interval(iso, _HONG_KONG_MS) for word, iso in (("1W", "P1W"), ("1M", "P1M"), ("3M", "P3M"))},
}


def _answer(data: str, rows: int | None = None) -> Answer:
    return Answer(f'{{"code":"0","msg":"","data":{data}}}', rows=rows)


def _error(code: str, message: str, status: int = 200) -> Answer:
    return Answer(dump({"code": code, "msg": message, "data": []}), status)


def refuse(kind: str, call: Call, seconds: int) -> Answer:
    match kind:
        case "rate_limit":
            return _error("50011", "Too Many Requests", 429)
        case "banned":
            # A flood from one address meets a plain 429 from the edge, not the API's own words.
            return Answer("Too Many Requests", 429, {"Retry-After": str(seconds)}, content_type="text/plain")
        case "inside_200":
            return _error("50001", "Service temporarily unavailable. Try again later")
    return Answer(dump({"msg": "Request path not exist", "code": "50404"}), 404)


def render_bar(instrument: Instrument, row: Row, closed: bool) -> str:
    created_ms, _, opened, high, low, close, volume = row
    turnover = estimate_turnover(row)
    amounts = (
        f'{instrument.count_contracts(volume)}","{volume}' if instrument.kind.perpetual else f'{volume}","{turnover}'
    )
    return f'["{created_ms}","{opened}","{high}","{low}","{close}","{amounts}","{turnover}","{closed:d}"]'


def _find(call: Call, *kinds: str) -> Instrument:
    instrument_id = call.query.get("instId", "")
    if not instrument_id:
        raise Refused(_error("50014", "Parameter instId can not be empty.", 400))
    found = (call.source.find(kind, instrument_id) for kind in kinds)
    if (instrument := next((each for each in found if each), None)) is None:
        raise Refused(_error("51001", "Instrument ID, Instrument ID code, or Spread ID doesn't exist."))
    return instrument


def _whole(call: Call, name: str) -> int | None:
    try:
        return call.whole(name)
    except ValueError:
        raise Refused(_error("51000", f"Parameter {name} error", 400)) from None


def _window(call: Call) -> tuple[int | None, int | None]:
    """`before` asks for newer rows, `after` for older ones, both without the bound itself."""
    before, after = _whole(call, "before"), _whole(call, "after")
    return None if before is None else before + 1, after


def _candles(call: Call, *, history: bool) -> Answer:
    instrument = _find(call, "SWAP", "SPOT")
    bar = call.query.get("bar") or "1m"
    if bar not in INTERVALS:
        raise Refused(_error("51000", "Parameter bar error"))
    start_ms, end_ms = _window(call)
    limit = min(_whole(call, "limit") or 100, 300)
    if not history:
        oldest = call.source.bar_texts(
            instrument,
            bar,
            now_ms=call.now_ms,
            start_ms=0,
            end_ms=call.now_ms + 1,
            limit=1440,
            newest=True,
            forming=True,
        )
        start_ms = max(start_ms or 0, int(oldest[0].split('"')[1]) if oldest else 0)
    texts = call.bars(instrument, bar, start_ms=start_ms, end_ms=end_ms, limit=limit, newest=True, forming=not history)
    return _answer(join_rows(texts[::-1]), len(texts))


def _funding_history(call: Call) -> Answer:
    instrument = _find(call, "SWAP")
    start_ms, end_ms = _window(call)
    limit = min(_whole(call, "limit") or 400, 400)
    rates = call.source.rates(instrument, call.now_ms)
    found = call.rates(rates, start_ms=start_ms, end_ms=end_ms, limit=limit, newest=True)
    data = [
        {
            "formulaType": "withRate",
            "fundingRate": rate,
            "fundingTime": str(time_ms),
            "instId": instrument.instrument_id,
            "instType": "SWAP",
            "method": "current_period",
            "realizedRate": rate,
        }
        for time_ms, rate, _ in reversed(found)
    ]
    return _answer(dump(data), len(data))


def _lending_history(call: Call) -> Answer:
    start_ms, end_ms = _window(call)
    limit = min(_whole(call, "limit") or 100, 100)
    currency = call.query.get("ccy", "USDT")
    rates = call.source.lending_rates(currency, call.now_ms)
    found = call.rates(rates, start_ms=start_ms, end_ms=end_ms, limit=limit, newest=True)
    data = [
        {"amt": "992.10341195", "ccy": currency, "rate": rate, "ts": str(time_ms)}
        for time_ms, rate, _ in reversed(found)
    ]
    return _answer(dump(data), len(data))


def _instruments(call: Call) -> Answer:
    kind = call.query.get("instType", "")
    if kind not in ("SPOT", "MARGIN", "SWAP", "FUTURES", "OPTION"):
        raise Refused(_error("51000", "Parameter instType error", 400))
    if kind not in KINDS:
        return _answer("[]")
    data = [_describe(each, kind) for each in call.source.listed(kind) if each.is_alive(call.now_ms)]
    wanted = call.query.get("instId")
    return _answer(dump([each for each in data if wanted in (None, each["instId"])]))


def _describe(instrument: Instrument, kind: str) -> dict[str, object]:
    swap = kind == "SWAP"
    return {
        "alias": "",
        "baseCcy": "" if swap else instrument.base,
        "category": "1",
        "contTdSwTime": "",
        "ctMult": "1" if swap else "",
        "ctType": "linear" if swap else "",
        "ctVal": f"{instrument.contract_size:f}" if swap else "",
        "ctValCcy": instrument.base if swap else "",
        "expTime": "",
        "instFamily": f"{instrument.base}-{instrument.quote}" if swap else "",
        "instId": instrument.instrument_id,
        "instIdCode": 10_000 + instrument.number,
        "instType": kind,
        "lever": "50" if swap else "10",
        "listTime": str(instrument.listed_ms),
        "lotSz": instrument.lot_step,
        "maxLmtSz": "100000000",
        "maxMktSz": "",
        "minSz": instrument.lot_step,
        "optType": "",
        "quoteCcy": "" if swap else instrument.quote,
        "ruleType": "normal",
        "settleCcy": instrument.settle if swap else "",
        "state": "live",
        "stk": "",
        "tickSz": instrument.price_step,
        "uly": f"{instrument.base}-{instrument.quote}" if swap else "",
    }


EXCHANGE: Final = Exchange(
    name="okx",
    kinds=KINDS,
    intervals=INTERVALS,
    routes={
        f"{_MARKET}/candles": lambda call: _candles(call, history=False),
        f"{_MARKET}/history-candles": lambda call: _candles(call, history=True),
        f"{_PUBLIC}/funding-rate-history": _funding_history,
        f"{_PUBLIC}/instruments": _instruments,
        f"{_PUBLIC}/time": lambda call: _answer(f'[{{"ts":"{call.now_ms}"}}]'),
        "/api/v5/finance/savings/lending-rate-history": _lending_history,
        "/api/v5/system/status": lambda call: _answer("[]"),
    },
    render_bar=render_bar,
    refuse=refuse,
    weigh=lambda call: (call.path, 1),
)
