"""Hyperliquid."""

from typing import Final

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
    Segment,
)

_CANDLES: Final = Endpoint(
    call="public_post_info",
    direction="forward",
    limit=5_000,
    rows=(),
    columns=BarColumns("t", "o", "h", "l", "c", "v"),
    params={"type": "candleSnapshot", "coin": "{id}", "interval": "{interval}"},
    low=Bound("startTime"),
    high=Bound("endTime", -1),
    nest="req",
    group="info",
    weight=20,
    rows_per_weight=60,
    open_ended=False,
    # It keeps 5000 bars of a series, so any window up to now holds one page.
    span_ms=50 * YEAR_MS,
    intervals=name_intervals("1 3 5 15 30", "1 2 4 8 12", {"P1D": "1d"}),
)
HYPERLIQUID: Final = Exchange(
    name="hyperliquid",
    offers=(
        Segment(
            "HYPERLIQUID/PERPETUAL/",
            "swap",
            "swap",
            _CANDLES,
            Endpoint(
                call="public_post_info",
                direction="forward",
                limit=500,
                rows=(),
                columns=RateColumns("time", ("fundingRate",)),
                params={"type": "fundingHistory", "coin": "{id}"},
                low=Bound("startTime"),
                high=Bound("endTime", -1),
                group="info",
                weight=20,
                rows_per_weight=20,
                span_ms=YEAR_MS,
            ),
        ),
        Segment("HYPERLIQUID/SPOT/", "spot", "spot", _CANDLES),
    ),
    # 1200 a minute; a page of 5000 bars costs 104, so a window of two seconds could never let one leave.
    pools={"info": Pool(180, 10_000)},
    costs=(Cost("", "info", 20),),
    envelope=Envelope(("status", "error"), ("ok",), ("response", "error")),
    codes=Codes(
        busy=("Too many cumulative requests sent", "rate limited"),
        unavailable=("Internal error",),
        rejected_text="null",
    ),
    id_field="baseName",
    keys=False,
)
