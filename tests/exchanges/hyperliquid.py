"""Hyperliquid: everything is a POST to `/info`. Bounds inclusive, rows oldest first, at most 5000 bars ever.

A funding page has 500 rates from `startTime` on, hourly, some milliseconds late. An unknown coin is a 500 with
`null`.
"""

from typing import Any, Final
from zlib import crc32

from series_pipelines.core.duration import parse_duration

from .instruments import Instrument, Kind
from .wire import Answer, Call, Exchange, Interval, Refused, Row, dump, join_rows

_MOST_BARS: Final = 5_000
_MOST_RATES: Final = 500


def _name_spot(base: str, quote: str) -> str:
    """The first pair has a name, all later ones only a number."""
    return f"{base}/{quote}" if base == "BTC" else f"@{crc32(base.encode()) % 900 + 1}"


KINDS: Final = {
    "PERPETUAL": Kind(
        name="PERPETUAL",
        prefix="HYPERLIQUID/PERPETUAL/",
        name_instrument=lambda base, quote: base,
        quotes=("USDC", "USDC"),
        perpetual=True,
        hourly_rates=True,
        reports_delisted=True,
        rate_jitter_ms=80,
        trim=True,
        keep_rows=_MOST_BARS,
    ),
    "SPOT": Kind(
        name="SPOT",
        prefix="HYPERLIQUID/SPOT/",
        name_instrument=_name_spot,
        quotes=("USDC", "USDC"),
        trim=True,
        keep_rows=_MOST_BARS,
    ),
}
INTERVALS: Final = {
    **{f"{count}m": Interval(f"PT{count}M") for count in (1, 3, 5, 15, 30)},
    **{f"{count}h": Interval(f"PT{count}H") for count in (1, 2, 4, 8, 12)},
    "1d": Interval("P1D"),
    "3d": Interval("P3D"),
    "1w": Interval("P1W"),
    "1M": Interval("P1M"),
}


def refuse(kind: str, call: Call, seconds: int) -> Answer:
    match kind:
        case "rate_limit":
            return Answer("null", 429)
        case "banned":
            return Answer("null", 429, {"Retry-After": str(seconds)})
        case "inside_200":
            return Answer(dump({"status": "err", "response": "Internal error, please try again"}))
    return Answer("Failed to deserialize the JSON body into the target type", 422, content_type="text/plain")


def render_bar(instrument: Instrument, row: Row, closed: bool) -> str:
    created_ms, closed_ms, opened, high, low, close, volume = row
    # Which length it has is added for each page: that is not the bar's own.
    head = f'"t":{created_ms},"T":{closed_ms - 1},"s":"{instrument.instrument_id}"'
    return f'{{{head},"o":"{opened}","c":"{close}","h":"{high}","l":"{low}","v":"{volume}","n":40}}'


def _find(call: Call, coin: str, *kinds: str) -> Instrument:
    found = (call.source.find(kind, coin) for kind in kinds)
    if (instrument := next((each for each in found if each), None)) is None:
        raise Refused(Answer("null", 500))
    return instrument


def _candles(call: Call) -> Answer:
    asked: dict[str, Any] = call.query.get("req", {})
    if not isinstance(asked.get("startTime"), int) or asked.get("interval") not in INTERVALS:
        raise Refused(refuse("unknown", call, 0))
    instrument = _find(call, asked.get("coin", ""), *KINDS)
    texts = call.bars(
        instrument,
        asked["interval"],
        start_ms=asked["startTime"],
        end_ms=asked.get("endTime", call.now_ms) + 1,
        limit=_MOST_BARS,
        newest=True,
    )
    word = asked["interval"]
    return Answer(join_rows([f'{text[:-1]},"i":"{word}"}}' for text in texts]), rows=len(texts))


def _funding_history(call: Call) -> Answer:
    if not isinstance(call.query.get("startTime"), int):
        raise Refused(refuse("unknown", call, 0))
    instrument = _find(call, call.query.get("coin", ""), "PERPETUAL")
    end_ms = call.query.get("endTime")
    found = call.rates(
        call.source.rates(instrument, call.now_ms),
        start_ms=call.query["startTime"],
        end_ms=None if end_ms is None else end_ms + 1,
        limit=_MOST_RATES,
        newest=False,
    )
    rows = [
        {"coin": instrument.instrument_id, "fundingRate": rate, "premium": "0.00057962", "time": time_ms}
        for time_ms, rate, _ in found
    ]
    return Answer(dump(rows), rows=len(rows))


def _describe_perpetuals(call: Call) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    universe, contexts = [], []
    for each in call.source.listed("PERPETUAL"):
        if each.listed_ms > call.now_ms:
            continue
        decimals = len(each.volume_step.partition(".")[2])
        delisted = {} if each.is_alive(call.now_ms) else {"isDelisted": True}
        universe.append({"szDecimals": decimals, "name": each.instrument_id, "maxLeverage": 50} | delisted)
        contexts.append(_describe_context(each) | {"funding": "0.0000125", "oraclePx": str(each.price)})
    return {"universe": universe}, contexts


def _describe_spot(call: Call) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    tokens: list[dict[str, Any]] = [_describe_token("USDC", 0, 8)]
    universe, contexts = [], []
    for number, each in enumerate(call.source.listed("SPOT")):
        if not each.is_alive(call.now_ms):
            continue
        tokens.append(_describe_token(each.base, len(tokens), len(each.volume_step.partition(".")[2])))
        universe.append(
            {"name": each.instrument_id, "tokens": [len(tokens) - 1, 0], "index": number, "isCanonical": number == 0}
        )
        contexts.append(_describe_context(each) | {"coin": each.instrument_id})
    return {"tokens": tokens, "universe": universe}, contexts


def _describe_token(name: str, index: int, decimals: int) -> dict[str, Any]:
    return {
        "name": name,
        "szDecimals": decimals,
        "weiDecimals": 8,
        "index": index,
        "tokenId": f"0x{crc32(name.encode()):032x}",
        "isCanonical": True,
        "evmContract": None,
        "fullName": None,
    }


def _describe_context(instrument: Instrument) -> dict[str, Any]:
    price = str(instrument.price)
    return {"dayNtlVlm": "9450588.2273", "markPx": price, "midPx": price, "prevDayPx": price}


def _meta_and_contexts(call: Call) -> Answer:
    return Answer(dump(_describe_perpetuals(call) if not call.query.get("dex") else ({"universe": []}, [])))


_TYPES: Final = {
    "exchangeStatus": lambda call: Answer(dump({"specialStatuses": None, "time": call.now_ms})),
    "perpDexs": lambda call: Answer("[null]"),
    "meta": lambda call: Answer(dump(_describe_perpetuals(call)[0])),
    "metaAndAssetCtxs": _meta_and_contexts,
    "spotMeta": lambda call: Answer(dump(_describe_spot(call)[0])),
    "spotMetaAndAssetCtxs": lambda call: Answer(dump(_describe_spot(call))),
    "candleSnapshot": _candles,
    "fundingHistory": _funding_history,
}


def _weigh(call: Call) -> tuple[str, int]:
    """Most questions weigh 20 of 1200 a minute; pages weigh more with the rows asked for."""
    kind, now_ms = call.query.get("type"), call.now_ms
    if kind == "exchangeStatus":
        return "info", 2
    if kind == "candleSnapshot":
        asked = call.query.get("req", {})
        step_ms = parse_duration(INTERVALS.get(asked.get("interval", ""), INTERVALS["1m"]).duration).nominal_ms
        rows = (min(asked.get("endTime") or now_ms, now_ms) - (asked.get("startTime") or 0)) // step_ms
        return "info", 20 + min(max(rows, 0), _MOST_BARS) // 60
    return "info", 20


EXCHANGE: Final = Exchange(
    name="hyperliquid",
    kinds=KINDS,
    intervals=INTERVALS,
    routes={f"/info#{kind}": handler for kind, handler in _TYPES.items()},
    render_bar=render_bar,
    refuse=refuse,
    weigh=_weigh,
)
