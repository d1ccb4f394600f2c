"""HTX."""

from typing import Final

from series_pipelines.core.duration import DAY_MS, HOUR_MS
from series_pipelines.vendors.exchanges.klines import name_intervals
from series_pipelines.vendors.exchanges.spec import (
    BarColumns,
    Bound,
    Codes,
    Cost,
    Endpoint,
    Envelope,
    Exchange,
    LongerBars,
    Pool,
    RateColumns,
    Segment,
)

HTX: Final = Exchange(
    name="htx",
    offers=(
        Segment(
            "HTX/SWAP/",
            "linear",
            "linear",
            Endpoint(
                call="contract_public_get_linear_swap_ex_market_history_kline",
                direction="backward",
                limit=2_000,
                rows=("data",),
                columns=BarColumns("id", "open", "high", "low", "close", "amount", unit_ms=1_000),
                # With a size the bounds are ignored, and one bound alone is refused.
                params={"contract_code": "{id}", "period": "{interval}"},
                low=Bound("from", unit_ms=1_000),
                high=Bound("to", -1, 1_000),
                group="swap-market",
                open_ended=False,
                longer_bars=LongerBars("1day", DAY_MS),
                # Longer bars begin with Singapore's day.
                intervals=name_intervals("1 5 15 30", "4", {"PT1H": "60min"}, minute="{}min", hour="{}hour"),
            ),
            Endpoint(
                # ccxt has no method for it: its successor at /v5 is not documented to take an end.
                call="contract/public linear-swap-api/v1/swap_historical_funding_rate",
                direction="backward",
                limit=50,
                rows=("data", "data"),
                columns=RateColumns("funding_time", ("realized_rate", "funding_rate")),
                params={"contract_code": "{id}", "page_size": "{limit}"},
                group="swap-public",
                paging="numbered",
                page="page_index",
                cuts=True,
            ),
        ),
        Segment(
            "HTX/SPOT/",
            "spot",
            "spot",
            Endpoint(
                call="spot_public_get_market_history_kline",
                direction="backward",
                limit=2_000,
                rows=("data",),
                columns=BarColumns("id", "open", "high", "low", "close", "amount", unit_ms=1_000),
                params={"symbol": "{id}", "period": "{interval}", "size": "{limit}"},
                group="spot-market",
                paging="latest",
                cuts=True,
                intervals=name_intervals("1 5 15 30", "4", {"PT1H": "60min"}, minute="{}min", hour="{}hour"),
            ),
        ),
    ),
    pools={
        "swap-market": Pool(90, 1_000, "swap"),
        "swap-public": Pool(36, 1_000, "swap"),
        "spot-market": Pool(9, 1_000, "spot"),
    },
    costs=(Cost("/linear-swap-", "swap-public"), Cost("", "spot-market")),
    envelope=Envelope(
        ("err-code", "err_code", "code", "status"),
        ("200", "ok"),
        ("err-msg", "err_msg", "message"),
        required=True,
        clock="ts",
    ),
    codes=Codes(
        busy=("base-request-exceed-frequency-limit", "rate-too-many-requests", "request limit", "1032", "429"),
        unavailable=(
            "gateway-internal-error",
            "system-maintenance",
            "maintain",
            "system-busy",
            "1000",
            "1001",
            "1002",
            "1004",
        ),
        timeout=("timeout", "api-timeout"),
        rejected=("base-symbol-error", "invalid-parameter", "bad-request", "1013", "1014", "1066", "1030", "1067"),
    ),
    # Its listing dates are days in Singapore.
    created_shift_ms=-8 * HOUR_MS,
    types_as_flags=True,
)
