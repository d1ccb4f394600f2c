"""Bitget."""

from dataclasses import replace
from typing import Final

from series_pipelines.core.duration import DAY_MS
from series_pipelines.vendors.exchanges.klines import KLINE, name_intervals
from series_pipelines.vendors.exchanges.spec import (
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

_REACH: Final = {
    **{f"PT{minutes}M": 29 for minutes in (1, 3, 5, 15, 30)},
    "PT1H": 59,
    "PT2H": 119,
    "PT4H": 239,
    "PT6H": 359,
    "PT12H": 719,
    "P1D": 1_439,
}
_CANDLES: Final = Endpoint(
    call="public_mix_get_v2_mix_market_history_candles",
    direction="backward",
    limit=200,
    rows=("data",),
    columns=KLINE,
    params={"symbol": "{id}", "productType": "USDT-FUTURES", "granularity": "{interval}", "limit": "{limit}"},
    low=Bound("startTime"),
    high=Bound("endTime"),
    group="history-candles",
    max_span_ms=90 * DAY_MS,
    # The documentation does not say whether the bar at the bound belongs to the reply.
    cuts=True,
    recent=Recent("public_mix_get_v2_mix_market_candles", "candles", 1_000, reach_days=_REACH),
    intervals=name_intervals(
        "1 3 5 15 30",
        "1 2 4",
        {"PT6H": "6Hutc", "PT12H": "12Hutc", "P1D": "1Dutc", "P1W": "1Wutc", "P1M": "1Mutc"},
        hour="{}H",
    ),
)
_FUNDING: Final = Endpoint(
    call="public_mix_get_v2_mix_market_history_fund_rate",
    direction="backward",
    limit=100,
    rows=("data",),
    columns=RateColumns("fundingTime", ("fundingRate",)),
    params={"symbol": "{id}", "productType": "USDT-FUTURES", "pageSize": "{limit}"},
    group="fund-rate",
    paging="numbered",
    page="pageNo",
    cuts=True,
)
_COIN: Final = {"productType": "COIN-FUTURES"}
BITGET: Final = Exchange(
    name="bitget",
    offers=(
        Segment("BITGET/USDT-FUTURES/", "linear", "swap", _CANDLES, _FUNDING, ("USDT",)),
        Segment(
            "BITGET/COIN-FUTURES/",
            "inverse",
            "swap",
            # As in ccxt: of an inverse contract the second amount is the one in base currency.
            replace(
                _CANDLES,
                params={**_CANDLES.params, **_COIN},
                columns=BarColumns(0, 1, 2, 3, 4, 6),
            ),
            replace(_FUNDING, params={**_FUNDING.params, **_COIN}),
            ("USD",),
        ),
        Segment(
            "BITGET/SPOT/",
            "spot",
            "spot",
            replace(
                _CANDLES,
                call="public_spot_get_v2_spot_market_history_candles",
                params={"symbol": "{id}", "granularity": "{interval}", "limit": "{limit}"},
                low=None,
                group="spot-history-candles",
                max_span_ms=None,
                recent=Recent("public_spot_get_v2_spot_market_candles", "spot-candles", 1_000, reach_days=_REACH),
                intervals=name_intervals(
                    "1 3 5 15 30",
                    "1 4",
                    {"PT6H": "6Hutc", "PT12H": "12Hutc", "P1D": "1Dutc", "P1W": "1Wutc", "P1M": "1Mutc"},
                    minute="{}min",
                ),
            ),
        ),
    ),
    pools={
        group: Pool(18, 1_000)
        for group in ("candles", "history-candles", "fund-rate", "spot-candles", "spot-history-candles", "public")
    },
    costs=(Cost("", "public"),),
    envelope=Envelope(("code",), ("00000",), required=True, clock="requestTime"),
    codes=Codes(
        busy=("429", "30014", "30026", "50009", "Request Frequency Is Too High"),
        unavailable=("40015", "40200", "40308", "40604", "40725", "45001", "500"),
        timeout=("40010", "50008"),
        rejected=("40034", "40309", "40019", "40017", "400172"),
    ),
    listed=("launchTime", "openTime"),
    delisted=("offTime",),
)
