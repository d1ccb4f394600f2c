"""Bybit."""

from dataclasses import replace
from typing import Final

from series_pipelines.vendors.exchanges.klines import KLINE, name_intervals
from series_pipelines.vendors.exchanges.spec import (
    YEAR_MS,
    BarColumns,
    Bound,
    Codes,
    Cost,
    Endpoint,
    Envelope,
    Exchange,
    Pool,
    RateColumns,
    Segment,
)

_KLINES: Final = Endpoint(
    call="public_get_v5_market_kline",
    direction="backward",
    limit=1_000,
    rows=("result", "list"),
    columns=KLINE,
    params={"category": "linear", "symbol": "{id}", "interval": "{interval}", "limit": "{limit}"},
    low=Bound("start"),
    high=Bound("end", -1),
    group="ip",
    intervals=name_intervals(
        "1 3 5 15 30",
        "",
        {"PT1H": "60", "PT2H": "120", "PT4H": "240", "PT6H": "360", "PT12H": "720", "P1D": "D", "P1W": "W", "P1M": "M"},
        minute="{}",
    ),
)
_FUNDING: Final = Endpoint(
    call="public_get_v5_market_funding_history",
    direction="backward",
    limit=200,
    rows=("result", "list"),
    columns=RateColumns("fundingRateTimestamp", ("fundingRate",)),
    params={"category": "linear", "symbol": "{id}", "limit": "{limit}"},
    low=Bound("startTime"),
    high=Bound("endTime", -1),
    group="ip",
    span_ms=YEAR_MS,
)


def _params(endpoint: Endpoint, category: str) -> dict[str, str]:
    return {**endpoint.params, "category": category}


BYBIT: Final = Exchange(
    name="bybit",
    offers=(
        Segment("BYBIT/LINEAR/", "linear", "linear", _KLINES, _FUNDING),
        Segment(
            "BYBIT/INVERSE/",
            "inverse",
            "inverse",
            # Of an inverse contract the turnover is what is counted in base currency.
            replace(_KLINES, params=_params(_KLINES, "inverse"), columns=BarColumns(0, 1, 2, 3, 4, 6)),
            replace(_FUNDING, params=_params(_FUNDING, "inverse")),
        ),
        Segment("BYBIT/SPOT/", "spot", "spot", replace(_KLINES, params=_params(_KLINES, "spot"))),
    ),
    pools={"ip": Pool(540, 5_000)},
    costs=(Cost("", "ip"),),
    envelope=Envelope(("retCode", "ret_code"), ("0",), ("retMsg", "ret_msg"), required=True, clock="time"),
    codes=Codes(
        busy=("10006", "10429"),
        unavailable=("10016", "10019"),
        timeout=("10000", "170007"),
        banned=("10018", "access too frequent"),
        rejected=("10001",),
        ban_ms=600_000,
    ),
    listed=("launchTime",),
    delisted=("deliveryTime",),
)
