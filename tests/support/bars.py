"""Rows of ohlc_v2 as wide as the table is, so that a new column is no concern of tests that say nothing of it."""

from typing import Any, Final

from series_pipelines.core.tables import OHLC

BAR_NAMES: Final = (*OHLC.times, *OHLC.values)


def make_bar(*begin: Any, **others: Any) -> tuple[Any, ...]:
    """Return a bar that begins with these times and values; what is not given, in order or by name, is null."""
    given = dict(zip(BAR_NAMES[: len(begin)], begin, strict=True)) | others
    assert given.keys() <= set(BAR_NAMES)
    return tuple(map(given.get, BAR_NAMES))
