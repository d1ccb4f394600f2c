"""Loopback exchanges: servers that speak the wire formats of real exchanges, and the truth behind them.

`launch.start_exchange` runs one in a process of its own; `market.Truth` says, without asking it, what it can give.
By hand: `python -m tests.exchanges --exchange okx`.
"""
