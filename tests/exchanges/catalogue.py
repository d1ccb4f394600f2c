"""The exchanges there are, by name; each is loaded when it is asked for."""

from importlib import import_module
from typing import Final

from .wire import Exchange

NAMES: Final = ("okx", "binance", "bybit", "bitget", "gate", "htx", "hyperliquid", "aster")


def load_exchange(name: str) -> Exchange:
    """Return an exchange by its ccxt name."""
    if name not in NAMES:
        raise KeyError(f"no loopback exchange {name!r}: there are {', '.join(NAMES)}")
    exchange: Exchange = import_module(f".{name}", __package__).EXCHANGE
    return exchange
