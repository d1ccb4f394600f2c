"""Real exchanges behind one adapter: ccxt's clients, the differences between exchanges as data in `table`."""

from series_pipelines.vendors.exchanges.vendor import ExchangeVendor, create

__all__ = ["ExchangeVendor", "create"]
