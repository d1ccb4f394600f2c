"""Rows as a DataFrame indexed by UTC time. pandas is imported by who asks for one."""

import io
from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from series_pipelines.core.tables import TABLES

if TYPE_CHECKING:
    import pandas as pd


def make_frame(table_name: str, lines: Iterable[bytes], *, exact: bool) -> "pd.DataFrame":
    """Make a DataFrame of exported lines; it has the same types when there are no rows."""
    import pandas as pd

    times, values = TABLES[table_name].times, TABLES[table_name].values
    types: dict[str, Any] = dict.fromkeys(times, "int64") | dict.fromkeys(values, object if exact else "float64")
    frame = pd.read_csv(io.BytesIO(b"".join(lines)), dtype=types, keep_default_na=not exact)
    for name in times:
        # Microseconds are what pandas itself makes of times, so joins with other frames need no conversion.
        frame[name] = pd.DatetimeIndex(frame[name].to_numpy().astype("datetime64[ms]")).as_unit("us").tz_localize("UTC")
    for name in values if exact else ():
        frame[name] = pd.Series([Decimal(text) if text else None for text in frame[name].tolist()], dtype=object)
    return frame.set_index("created_at")
