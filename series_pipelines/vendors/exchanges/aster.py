"""Aster, which speaks as Binance does."""

from dataclasses import replace
from typing import Final

from series_pipelines.vendors.exchanges.binance import CODES, SPOT_KLINES
from series_pipelines.vendors.exchanges.spec import (
    YEAR_MS,
    Bound,
    Cost,
    Endpoint,
    Envelope,
    Exchange,
    Pool,
    RateColumns,
    Segment,
    UsedHeader,
)

ASTER: Final = Exchange(
    name="aster",
    offers=(
        Segment(
            "ASTER/PERP/",
            "swap",
            "swap",
            replace(SPOT_KLINES, call="fapipublic_get_v3_klines", group="fapi", weight=5),
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
        Segment("ASTER/SPOT/", "spot", "spot", replace(SPOT_KLINES, call="sapipublic_get_v3_klines", weight=5)),
    ),
    pools={"spot": Pool(72, 2_000, "spot"), "fapi": Pool(72, 2_000, "fapi")},
    costs=(Cost("/fapi/", "fapi"), Cost("", "spot", 1)),
    envelope=Envelope(("code",), ("0", "200")),
    codes=CODES,
    used=(
        UsedHeader("spot", "X-MBX-USED-WEIGHT-1M", 2_400, 60_000),
        UsedHeader("fapi", "X-MBX-USED-WEIGHT-1M", 2_400, 60_000),
    ),
    listed=("onboardDate",),
    delisted=("deliveryDate",),
    keys=False,
)
