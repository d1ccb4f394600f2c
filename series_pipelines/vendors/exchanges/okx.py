"""OKX."""

from dataclasses import replace
from typing import Final

from series_pipelines.core.duration import HOUR_MS
from series_pipelines.vendors.exchanges.klines import name_intervals
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
    Recent,
    Segment,
)

_CANDLES: Final = Endpoint(
    call="public_get_market_history_candles",
    direction="backward",
    limit=300,
    rows=("data",),
    columns=BarColumns(0, 1, 2, 3, 4, 5, flag=8),
    params={"instId": "{id}", "bar": "{interval}", "limit": "{limit}"},
    low=Bound("before", -1),
    high=Bound("after"),
    group="history-candles",
    recent=Recent("public_get_market_candles", "candles", 300, reach_bars=1_430),
    # Without "utc" bars of six hours and more begin with Hong Kong's day.
    intervals=name_intervals(
        "1 3 5 15 30",
        "1 2 4",
        {"PT6H": "6Hutc", "PT12H": "12Hutc", "P1D": "1Dutc", "P1W": "1Wutc", "P1M": "1Mutc"},
        hour="{}H",
    ),
)
OKX: Final = Exchange(
    name="okx",
    offers=(
        Segment(
            "OKX/SWAP/",
            "swap",
            "swap",
            replace(_CANDLES, columns=BarColumns(0, 1, 2, 3, 4, 6, flag=8)),
            Endpoint(
                call="public_get_public_funding_rate_history",
                direction="backward",
                limit=400,
                rows=("data",),
                columns=RateColumns("fundingTime", ("realizedRate", "fundingRate")),
                params={"instId": "{id}", "limit": "{limit}"},
                low=Bound("before", -1),
                high=Bound("after"),
                group="funding",
                span_ms=YEAR_MS,
            ),
        ),
        Segment("OKX/SPOT/", "spot", "spot", _CANDLES),
        Segment(
            "OKX/MARGIN/",
            "margin",
            "spot",
            _CANDLES,
            Endpoint(
                call="public_get_finance_savings_lending_rate_history",
                direction="backward",
                limit=100,
                rows=("data",),
                columns=RateColumns("ts", ("rate",)),
                params={"limit": "{limit}"},
                low=Bound("before", -1),
                high=Bound("after"),
                group="lending",
                paging="lending",
                span_ms=100 * HOUR_MS,
            ),
        ),
    ),
    pools={
        "candles": Pool(36, 2_000),
        "history-candles": Pool(18, 2_000),
        "funding": Pool(9, 2_000),
        "lending": Pool(5, 1_000),
        "public": Pool(9, 2_000),
    },
    costs=(Cost("", "public"),),
    envelope=Envelope(("code",), ("0",), required=True),
    codes=Codes(
        busy=("50011", "50040", "50061"),
        unavailable=("50001", "50005", "50013", "50026"),
        timeout=("50004",),
        rejected=("50014", "51000", "51001", "51014", "51015"),
    ),
    listed=("listTime", "contTdSwTime"),
    delisted=("expTime",),
)
