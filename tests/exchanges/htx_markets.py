"""What HTX says about its instruments: spot in two dialects, swaps, and the coin-margined ones that ccxt asks for."""

from datetime import UTC, datetime
from typing import Final

from series_pipelines.core.duration import HOUR_MS

from .wire import Answer, Call, dump, join_rows

_SINGAPORE_MS: Final = 8 * HOUR_MS


def _decimals(step: str) -> int:
    return len(step.partition(".")[2])


def list_symbols(call: Call) -> Answer:
    """Answer with the spot instruments, in the words that ccxt reads."""
    data = [
        {
            "base-currency": each.base.lower(),
            "quote-currency": each.quote.lower(),
            "price-precision": _decimals(each.price_step),
            "amount-precision": _decimals(each.volume_step),
            "symbol-partition": "main",
            "symbol": each.instrument_id,
            "state": "online" if each.is_alive(call.now_ms) else "offline",
            "value-precision": 8,
            "min-order-amt": 0.0001,
            "max-order-amt": 1000000,
            "min-order-value": 10,
            "leverage-ratio": 5,
            "api-trading": "enabled",
            "tags": "",
        }
        for each in call.source.listed("SPOT")
        if each.listed_ms <= call.now_ms
    ]
    return Answer(dump({"status": "ok", "data": data}))


def list_short_symbols(call: Call) -> Answer:
    """Answer with the same in short names, and when trading opened (`toa`)."""
    data = [
        {
            "symbol": each.instrument_id,
            "sc": each.instrument_id,
            "bc": each.base.lower(),
            "qc": each.quote.lower(),
            "state": "online" if each.is_alive(call.now_ms) else "offline",
            "sp": "main",
            "pp": _decimals(each.price_step),
            "tpp": _decimals(each.price_step),
            "ap": _decimals(each.volume_step),
            "tap": _decimals(each.volume_step),
            "toa": each.listed_ms,
            "tags": "",
        }
        for each in call.source.listed("SPOT")
        if each.listed_ms <= call.now_ms
    ]
    return Answer(dump({"status": "ok", "data": data, "ts": str(call.now_ms), "full": 1}))


def list_currencies(call: Call) -> Answer:
    """Answer with the currencies of the spot instruments."""
    names = sorted({name.lower() for each in call.source.listed("SPOT") for name in (each.base, each.quote)})
    data = [{"currency": name, "assetType": 1, "chains": [], "instStatus": "normal"} for name in names]
    return Answer(dump({"code": 200, "data": data}))


def list_swaps(call: Call) -> Answer:
    """Answer with the swaps that trade; their steps are JSON numbers, and only the day of a listing is told."""
    texts = []
    for each in call.source.listed("SWAP"):
        if not each.is_alive(call.now_ms):
            continue
        created = datetime.fromtimestamp((each.listed_ms + _SINGAPORE_MS) / 1_000, UTC)
        words = dump(
            {
                "symbol": each.base,
                "contract_code": each.instrument_id,
                "delivery_date": "",
                "delivery_time": "",
                "create_date": f"{created:%Y%m%d}",
                "contract_status": 1,
                "settlement_date": str(call.now_ms - call.now_ms % (8 * HOUR_MS) + 8 * HOUR_MS),
                "support_margin_mode": "all",
                "business_type": "swap",
                "pair": each.instrument_id,
                "contract_type": "swap",
                "trade_partition": each.quote,
            }
        )
        texts.append(f'{words[:-1]},"contract_size":{each.contract_size:f},"price_tick":{each.price_step}}}')
    return Answer(f'{{"status":"ok","data":{join_rows(texts)},"ts":{call.now_ms}}}')


def list_coin_contract(call: Call, code: str, delivery_date: str) -> Answer:
    """Coin-margined contracts are not traded here, but ccxt takes an empty list for an outage."""
    data = {
        "symbol": "BTC",
        "contract_code": code,
        "contract_type": "quarter" if delivery_date else "swap",
        "contract_size": 100,
        "price_tick": 0.1,
        "delivery_date": delivery_date,
        "delivery_time": "1798185600000" if delivery_date else "",
        "create_date": "20200325",
        "contract_status": 1,
        "settlement_date": str(call.now_ms),
    }
    return Answer(dump({"status": "ok", "data": [data], "ts": call.now_ms}))
