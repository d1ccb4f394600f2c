"""Gate."""

from dataclasses import replace
from typing import Final

from series_pipelines.vendors.exchanges.klines import name_intervals
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
    Segment,
    UsedHeader,
)

_CANDLES: Final = Endpoint(
    call="public_futures_get_settle_candlesticks",
    direction="backward",
    limit=1_999,
    rows=(),
    # A futures bar's volume is counted in contracts.
    columns=BarColumns("t", "o", "h", "l", "c", "v", unit_ms=1_000),
    # A limit beside both bounds is refused.
    params={"settle": "{settle}", "contract": "{id}", "interval": "{interval}"},
    low=Bound("from", unit_ms=1_000),
    high=Bound("to", -1, 1_000),
    group="futures-candles",
    # 10000, less one for the time a request takes; an older window is refused.
    keep_bars=9_999,
    intervals=name_intervals("1 5 15 30", "1 4 8", {"P1D": "1d"}),
)
GATE: Final = Exchange(
    name="gate",
    offers=(
        Segment(
            "GATE/FUTURE/",
            "swap",
            "swap",
            _CANDLES,
            Endpoint(
                call="public_futures_get_settle_funding_rate",
                direction="backward",
                limit=1_000,
                rows=(),
                columns=RateColumns("t", ("r",), unit_ms=1_000),
                params={"settle": "{settle}", "contract": "{id}", "limit": "{limit}"},
                low=Bound("from", unit_ms=1_000),
                high=Bound("to", -1, 1_000),
                group="funding",
            ),
        ),
        Segment(
            "GATE/SPOT/",
            "spot",
            "spot",
            replace(
                _CANDLES,
                call="public_spot_get_candlesticks",
                limit=999,
                columns=BarColumns(0, 5, 3, 4, 2, 6, unit_ms=1_000),
                params={"currency_pair": "{id}", "interval": "{interval}"},
                group="spot-candles",
            ),
        ),
    ),
    pools={group: Pool(36, 2_000) for group in ("futures-candles", "funding", "spot-candles", "public")},
    costs=(Cost("", "public"),),
    envelope=Envelope(("label",), message=("message", "detail")),
    codes=Codes(
        busy=("TOO_MANY_REQUESTS", "TOO_FAST"),
        unavailable=("INTERNAL", "SERVER_ERROR", "TOO_BUSY"),
        rejected=("INVALID_CURRENCY_PAIR", "CONTRACT_NOT_FOUND", "INVALID_PARAM_VALUE"),
    ),
    used=tuple(
        UsedHeader(group, "X-Gate-RateLimit-Requests-Remain", 200, 10_000, remaining=True)
        for group in ("futures-candles", "funding", "spot-candles")
    ),
    listed=("create_time:s", "launch_time:s", "buy_start:s"),
    delisted=("delisted_time:s", "delisting_time:s"),
    settle_coins={"_USDT": "usdt", "_USD": "btc"},
    keys=False,
)
