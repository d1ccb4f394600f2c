"""The table: every exchange as data. What an exchange does differently is said here and nowhere else.

Pools hold nine tenths of the documented limits, cut to short windows so that no lane bursts and then stalls: a limit
of L in W becomes 0.9 L w / W in w. Intervals are left out where the exchange's bars do not begin where UTC's do.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from series_pipelines.core.duration import DAY_MS, HOUR_MS
from series_pipelines.vendors.exchanges.spec import (
    YEAR_MS,
    BarColumns,
    Bound,
    Codes,
    Cost,
    Endpoint,
    Envelope,
    Exchange,
    Offer,
    Pool,
    Probe,
    RateColumns,
    Recent,
    UsedHeader,
)


def _intervals(
    minutes: str, hours: str, other: Mapping[str, str], minute: str = "{}m", hour: str = "{}h"
) -> dict[str, str]:
    named = {f"PT{count}M": minute.format(count) for count in minutes.split()}
    named |= {f"PT{count}H": hour.format(count) for count in hours.split()}
    return named | dict(other)


_BINANCE_INTERVALS: Final = _intervals("1 3 5 15 30", "1 2 4 6 8 12", {"P1D": "1d", "P1W": "1w", "P1M": "1M"})
_KLINE: Final = BarColumns(0, 1, 2, 3, 4, 5)

_OKX_CANDLES: Final = Endpoint(
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
    intervals=_intervals(
        "1 3 5 15 30",
        "1 2 4",
        {"PT6H": "6Hutc", "PT12H": "12Hutc", "P1D": "1Dutc", "P1W": "1Wutc", "P1M": "1Mutc"},
        hour="{}H",
    ),
)
_OKX: Final = Exchange(
    name="okx",
    offers=(
        Offer(
            "OKX/SWAP/",
            "swap",
            "swap",
            replace(_OKX_CANDLES, columns=BarColumns(0, 1, 2, 3, 4, 6, flag=8)),
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
        Offer("OKX/SPOT/", "spot", "spot", _OKX_CANDLES),
        Offer(
            "OKX/MARGIN/",
            "margin",
            "spot",
            _OKX_CANDLES,
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

_BINANCE_SPOT: Final = Endpoint(
    call="public_get_klines",
    direction="forward",
    limit=1_000,
    rows=(),
    columns=_KLINE,
    params={"symbol": "{id}", "interval": "{interval}", "limit": "{limit}"},
    low=Bound("startTime"),
    high=Bound("endTime", -1),
    group="spot",
    weight=2,
    intervals=_BINANCE_INTERVALS,
)
_BINANCE_CODES: Final = Codes(
    busy=("-1003", "-1015"),
    unavailable=("-1000", "-1001", "-1004", "-1008", "-1016"),
    timeout=("-1007",),
    rejected=("-1100", "-1102", "-1120", "-1121", "-1130"),
)
_BINANCE: Final = Exchange(
    name="binance",
    offers=(
        Offer(
            "BINANCE/USDT-FUTURE/",
            "linear",
            "linear",
            replace(_BINANCE_SPOT, call="fapipublic_get_klines", group="fapi", weight=5),
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
        Offer("BINANCE/SPOT/", "spot", "spot", _BINANCE_SPOT),
        Offer("BINANCE/MARGIN/", "margin", "spot", _BINANCE_SPOT),
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
    codes=_BINANCE_CODES,
    used=(
        UsedHeader("spot", "X-MBX-USED-WEIGHT-1M", 6_000, 60_000),
        UsedHeader("fapi", "X-MBX-USED-WEIGHT-1M", 2_400, 60_000),
    ),
    listed=("onboardDate",),
    delisted=("deliveryDate",),
)

_BYBIT_KLINE: Final = Endpoint(
    call="public_get_v5_market_kline",
    direction="backward",
    limit=1_000,
    rows=("result", "list"),
    columns=_KLINE,
    params={"category": "linear", "symbol": "{id}", "interval": "{interval}", "limit": "{limit}"},
    low=Bound("start"),
    high=Bound("end", -1),
    group="ip",
    intervals=_intervals(
        "1 3 5 15 30",
        "",
        {"PT1H": "60", "PT2H": "120", "PT4H": "240", "PT6H": "360", "PT12H": "720", "P1D": "D", "P1W": "W", "P1M": "M"},
        minute="{}",
    ),
)
_BYBIT_FUNDING: Final = Endpoint(
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


def _bybit_params(endpoint: Endpoint, category: str) -> dict[str, str]:
    return {**endpoint.params, "category": category}


_BYBIT: Final = Exchange(
    name="bybit",
    offers=(
        Offer("BYBIT/LINEAR/", "linear", "linear", _BYBIT_KLINE, _BYBIT_FUNDING),
        Offer(
            "BYBIT/INVERSE/",
            "inverse",
            "inverse",
            # Of an inverse contract the turnover is what is counted in base currency.
            replace(_BYBIT_KLINE, params=_bybit_params(_BYBIT_KLINE, "inverse"), columns=BarColumns(0, 1, 2, 3, 4, 6)),
            replace(_BYBIT_FUNDING, params=_bybit_params(_BYBIT_FUNDING, "inverse")),
        ),
        Offer("BYBIT/SPOT/", "spot", "spot", replace(_BYBIT_KLINE, params=_bybit_params(_BYBIT_KLINE, "spot"))),
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

_BITGET_REACH: Final = {
    **{f"PT{minutes}M": 29 for minutes in (1, 3, 5, 15, 30)},
    "PT1H": 59,
    "PT2H": 119,
    "PT4H": 239,
    "PT6H": 359,
    "PT12H": 719,
    "P1D": 1_439,
}
_BITGET_CANDLES: Final = Endpoint(
    call="public_mix_get_v2_mix_market_history_candles",
    direction="backward",
    limit=200,
    rows=("data",),
    columns=_KLINE,
    params={"symbol": "{id}", "productType": "USDT-FUTURES", "granularity": "{interval}", "limit": "{limit}"},
    low=Bound("startTime"),
    high=Bound("endTime"),
    group="history-candles",
    max_span_ms=90 * DAY_MS,
    # The documentation does not say whether the bar at the bound belongs to the reply.
    cuts=True,
    recent=Recent("public_mix_get_v2_mix_market_candles", "candles", 1_000, reach_days=_BITGET_REACH),
    intervals=_intervals(
        "1 3 5 15 30",
        "1 2 4",
        {"PT6H": "6Hutc", "PT12H": "12Hutc", "P1D": "1Dutc", "P1W": "1Wutc", "P1M": "1Mutc"},
        hour="{}H",
    ),
)
_BITGET_FUNDING: Final = Endpoint(
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
_BITGET_COIN: Final = {"productType": "COIN-FUTURES"}
_BITGET: Final = Exchange(
    name="bitget",
    offers=(
        Offer("BITGET/USDT-FUTURES/", "linear", "swap", _BITGET_CANDLES, _BITGET_FUNDING, ("USDT",)),
        Offer(
            "BITGET/COIN-FUTURES/",
            "inverse",
            "swap",
            # As in ccxt: of an inverse contract the second amount is the one in base currency.
            replace(
                _BITGET_CANDLES,
                params={**_BITGET_CANDLES.params, **_BITGET_COIN},
                columns=BarColumns(0, 1, 2, 3, 4, 6),
            ),
            replace(_BITGET_FUNDING, params={**_BITGET_FUNDING.params, **_BITGET_COIN}),
            ("USD",),
        ),
        Offer(
            "BITGET/SPOT/",
            "spot",
            "spot",
            replace(
                _BITGET_CANDLES,
                call="public_spot_get_v2_spot_market_history_candles",
                params={"symbol": "{id}", "granularity": "{interval}", "limit": "{limit}"},
                low=None,
                group="spot-history-candles",
                max_span_ms=None,
                recent=Recent(
                    "public_spot_get_v2_spot_market_candles", "spot-candles", 1_000, reach_days=_BITGET_REACH
                ),
                intervals=_intervals(
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

_GATE_CANDLES: Final = Endpoint(
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
    intervals=_intervals("1 5 15 30", "1 4 8", {"P1D": "1d"}),
)
_GATE: Final = Exchange(
    name="gate",
    offers=(
        Offer(
            "GATE/FUTURE/",
            "swap",
            "swap",
            _GATE_CANDLES,
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
        Offer(
            "GATE/SPOT/",
            "spot",
            "spot",
            replace(
                _GATE_CANDLES,
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
    settles={"_USDT": "usdt", "_USD": "btc"},
    keys=False,
)

_HTX: Final = Exchange(
    name="htx",
    offers=(
        Offer(
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
                probe=Probe("1day", DAY_MS),
                # Longer bars begin with Singapore's day.
                intervals=_intervals("1 5 15 30", "4", {"PT1H": "60min"}, minute="{}min", hour="{}hour"),
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
        Offer(
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
                intervals=_intervals("1 5 15 30", "4", {"PT1H": "60min"}, minute="{}min", hour="{}hour"),
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

_HYPERLIQUID_CANDLES: Final = Endpoint(
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
    intervals=_intervals("1 3 5 15 30", "1 2 4 8 12", {"P1D": "1d"}),
)
_HYPERLIQUID: Final = Exchange(
    name="hyperliquid",
    offers=(
        Offer(
            "HYPERLIQUID/PERPETUAL/",
            "swap",
            "swap",
            _HYPERLIQUID_CANDLES,
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
        Offer("HYPERLIQUID/SPOT/", "spot", "spot", _HYPERLIQUID_CANDLES),
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

_ASTER: Final = Exchange(
    name="aster",
    offers=(
        Offer(
            "ASTER/PERP/",
            "swap",
            "swap",
            replace(_BINANCE_SPOT, call="fapipublic_get_v3_klines", group="fapi", weight=5),
            Endpoint(
                call="fapipublic_get_v3_fundingrate",
                direction="forward",
                limit=1_000,
                rows=(),
                columns=RateColumns("fundingTime", ("fundingRate",)),
                params={"symbol": "{id}", "limit": "{limit}"},
                low=Bound("startTime"),
                high=Bound("endTime", -1),
                group="fapi",
                span_ms=YEAR_MS,
            ),
        ),
        Offer("ASTER/SPOT/", "spot", "spot", replace(_BINANCE_SPOT, call="sapipublic_get_v3_klines", weight=5)),
    ),
    pools={"spot": Pool(72, 2_000, "spot"), "fapi": Pool(72, 2_000, "fapi")},
    costs=(Cost("/fapi/", "fapi"), Cost("", "spot", 1)),
    envelope=Envelope(("code",), ("0", "200")),
    codes=_BINANCE_CODES,
    used=(
        UsedHeader("spot", "X-MBX-USED-WEIGHT-1M", 2_400, 60_000),
        UsedHeader("fapi", "X-MBX-USED-WEIGHT-1M", 2_400, 60_000),
    ),
    listed=("onboardDate",),
    delisted=("deliveryDate",),
    keys=False,
)

EXCHANGES: Final[Mapping[str, Exchange]] = {
    exchange.name: exchange for exchange in (_OKX, _BINANCE, _BYBIT, _BITGET, _GATE, _HTX, _HYPERLIQUID, _ASTER)
}
