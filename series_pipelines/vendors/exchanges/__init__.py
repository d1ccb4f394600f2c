"""Real exchanges behind one adapter: ccxt's clients, the differences between exchanges as data in `table`."""

from series_pipelines.vendors.exchanges.vendor import ExchangeVendor, Finding, check, create

__all__ = ["ExchangeVendor", "Finding", "check", "create"]
