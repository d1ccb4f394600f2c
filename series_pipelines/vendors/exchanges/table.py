"""The table: every exchange as data. What an exchange does differently is said in its file and nowhere else.

Pools hold nine tenths of the documented limits, cut to short windows so that no lane bursts and then stalls: a limit
of L in W becomes 0.9 L w / W in w. Intervals are left out where the exchange's bars do not begin where UTC's do.
"""

from collections.abc import Mapping
from typing import Final

from series_pipelines.vendors.exchanges.aster import ASTER
from series_pipelines.vendors.exchanges.binance import BINANCE
from series_pipelines.vendors.exchanges.bitget import BITGET
from series_pipelines.vendors.exchanges.bybit import BYBIT
from series_pipelines.vendors.exchanges.gate import GATE
from series_pipelines.vendors.exchanges.htx import HTX
from series_pipelines.vendors.exchanges.hyperliquid import HYPERLIQUID
from series_pipelines.vendors.exchanges.okx import OKX
from series_pipelines.vendors.exchanges.spec import Exchange

EXCHANGES: Final[Mapping[str, Exchange]] = {
    exchange.name: exchange for exchange in (OKX, BINANCE, BYBIT, BITGET, GATE, HTX, HYPERLIQUID, ASTER)
}
