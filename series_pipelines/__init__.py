"""Market-data series kept complete and fresh in Postgres, and the two functions that read them."""

from typing import Any

__all__ = ["read_interest_rate", "read_ohlc"]


def __getattr__(name: str) -> Any:
    # pandas costs every run process 0.8 s, so it is imported only by whoever reads.
    if name in __all__:
        from series_pipelines.api import reading

        return getattr(reading, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
