"""Binance. Spot and margin trade the same pairs; Aster speaks as it does."""

from dataclasses import replace
from typing import Final

from series_pipelines.vendors.exchanges.klines import KLINE, name_intervals
from series_pipelines.vendors.exchanges.spec import (
    YEAR_MS,
    Bound,
    Codes,
    Cost,
    Endpoint,
    Envelope,
    Exchange,
    Pool,
    RateColumns,
    Segment,
    UsedHeader,
)

_INTERVALS: Final = name_intervals("1 3 5 15 30", "1 2 4 6 8 12", {"P1D": "1d", "P1W": "1w", "P1M": "1M"})
SPOT_KLINES: Final = Endpoint(
    call="public_get_klines",
    direction="forward",
    limit=1_000,
    rows=(),
    columns=KLINE,
    params={"symbol": "{id}", "interval": "{interval}", "limit": "{limit}"},
    low=Bound("startTime"),
    high=Bound("endTime", -1),
    group="spot",
    weight=2,
    intervals=_INTERVALS,
)
CODES: Final = Codes(
    busy=("-1003", "-1015"),
    unavailable=("-1000", "-1001", "-1004", "-1008", "-1016"),
    timeout=("-1007",),
    rejected=("-1100", "-1102", "-1120", "-1121", "-1130"),
)
BINANCE: Final = Exchange(
    name="binance",
    offers=(
        Segment(
            "BINANCE/USDT-FUTURE/",
            "linear",
            "linear",
            replace(SPOT_KLINES, call="fapipublic_get_klines", group="fapi", weight=5),
            Endpoint(
                call="fapipublic_get_fundingrate",
                direction="forward",
                limit=1_000,
                rows=(),
                columns=RateColumns("fundingTime", ("fundingRate",), "markPrice"),
                params={"symbol": "{id}", "limit": "{limit}"},
                low=Bound("startTime"),
                high=Bound("endTime", -1),
                group="fapi-funding",
                span_ms=YEAR_MS,
            ),
        ),
        Segment("BINANCE/SPOT/", "spot", "spot", SPOT_KLINES),
        Segment("BINANCE/MARGIN/", "margin", "spot", SPOT_KLINES),
    ),
    pools={
        "spot": Pool(180, 2_000, "spot"),
        "fapi": Pool(72, 2_000, "fapi"),
        "fapi-funding": Pool(3, 2_000, "fapi"),
    },
    costs=(
        Cost("/fapi/v1/time", "fapi"),
        Cost("/fapi/", "fapi", 1),
        Cost("/api/v3/exchangeInfo", "spot", 20),
        Cost("", "spot"),
    ),
    envelope=Envelope(("code",), ("0", "200")),
    codes=CODES,
    used=(
        UsedHeader("spot", "X-MBX-USED-WEIGHT-1M", 6_000, 60_000),
        UsedHeader("fapi", "X-MBX-USED-WEIGHT-1M", 2_400, 60_000),
    ),
    listed=("onboardDate",),
    delisted=("deliveryDate",),
)
