"""The tables of series: all that differs between them stands here, and nowhere else.

A new table, or a new column of one, is a change here, a migration, and the vendors that fill it. Rows of a table with
durations are bars: they begin and end, and their first four values are open, high, low and close. Other rows take
effect at a moment.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from series_pipelines.core.duration import HOUR_MS, parse_duration
from series_pipelines.core.series import check_product_id
from series_pipelines.errors import InvalidDuration, InvalidSeriesId


@dataclass(frozen=True, slots=True)
class Column:
    """One value of a row: an exact decimal."""

    name: str
    is_required: bool = False
    may_be_negative: bool = False


class SeriesName(NamedTuple):
    """What a series id says."""

    product_id: str
    duration: str | None


@dataclass(frozen=True, slots=True)
class SeriesTable:
    """One table of series."""

    name: str
    """In Postgres and in Dagster."""
    method: str
    """What a vendor's service that fills it is called."""
    noun: str
    """What one row is called."""
    has_durations: bool
    columns: tuple[Column, ...]
    shown: tuple[str, ...]
    """The values that fit where the newest rows are shown beside other things."""
    partitions: str
    """What Dagster calls its set of partitions."""
    description: str
    left_out_by: str | None = None
    """The flag of a product that has no series here."""
    unknown_interval_ms: int = HOUR_MS
    """How often moments are looked for while fewer than two have been seen: as often as the fastest known ones come."""
    long_interval_ms: int = HOUR_MS
    """How far apart moments are taken to be when stepping back: a step too long only leaves a gap to fill."""

    @property
    def nouns(self) -> str:
        """What its rows are called."""
        return f"{self.noun}s"

    @property
    def times(self) -> tuple[str, ...]:
        """The times that a row begins with, in Postgres and in a vendor's reply."""
        return ("created_at", "closed_at") if self.has_durations else ("created_at",)

    @property
    def values(self) -> tuple[str, ...]:
        """The values that come behind the times."""
        return tuple(column.name for column in self.columns)

    def encode(self, product_id: str, duration: str | None = None) -> str:
        """Return the series id: `product_id/duration`, with the duration in its ISO form, or the product_id."""
        if not self.has_durations:
            return check_product_id(product_id)
        if duration is None:
            raise InvalidDuration(f"a series of {self.name} has a duration")
        return f"{check_product_id(product_id)}/{parse_duration(duration).text}"

    def decode(self, series_id: str) -> SeriesName:
        """Split a series id; where there are durations its last segment is one."""
        if not self.has_durations:
            return SeriesName(check_product_id(series_id), None)
        product_id, slash, duration = series_id.rpartition("/")
        if not slash:
            raise InvalidSeriesId(f"series id {series_id!r} has no duration: expected PRODUCT_ID/DURATION")
        try:
            parsed = parse_duration(duration)
        except InvalidDuration as error:
            raise InvalidSeriesId(f"series id {series_id!r} does not end in a duration: {error}") from error
        if parsed.text != duration:
            raise InvalidSeriesId(f"series id {series_id!r} must spell its duration {parsed.text!r}")
        return SeriesName(check_product_id(product_id), duration)

    def list_series(self, product_id: str, durations: Iterable[str]) -> Iterator[str]:
        """Yield the series that a service with these durations has of a product."""
        if self.has_durations:
            yield from (self.encode(product_id, duration) for duration in durations)
        else:
            yield self.encode(product_id)

    def leaves_out(self, product: Any) -> bool:
        """Whether a product, as its vendor or our table describes it, has no series here."""
        return self.left_out_by is not None and getattr(product, self.left_out_by)


OHLC: Final = SeriesTable(
    name="ohlc_v2",
    method="IngestOHLC",
    noun="bar",
    has_durations=True,
    columns=(
        *(Column(name, is_required=True, may_be_negative=True) for name in ("open", "high", "low", "close")),
        Column("volume"),
        Column("open_interest"),
    ),
    shown=("open", "high", "low", "close", "volume"),
    partitions="ohlc_series",
    description=(
        "OHLC bars, one partition a series (`PRODUCT_ID/DURATION`). The sensors keep heads fresh and fill history "
        "behind them. Launch a backfill to bring chosen series up to date: head first, then tail."
    ),
)
INTEREST_RATE: Final = SeriesTable(
    name="interest_rate",
    method="IngestInterestRate",
    noun="rate",
    has_durations=False,
    columns=(
        Column("long_rate", is_required=True, may_be_negative=True),
        Column("short_rate", is_required=True, may_be_negative=True),
        Column("settlement_price", may_be_negative=True),
    ),
    shown=("long_rate", "short_rate", "settlement_price"),
    partitions="interest_rate_series",
    description=(
        "Interest and funding rates, one partition a product. The sensors keep heads fresh and fill history behind "
        "them. Launch a backfill to bring chosen series up to date."
    ),
    left_out_by="no_interest_rate",
    long_interval_ms=8 * HOUR_MS,
)

TABLES: Final = {table.name: table for table in (OHLC, INTEREST_RATE)}


def find_table_of(method: str) -> SeriesTable:
    """Return the table that services of this method fill."""
    return next(table for table in TABLES.values() if table.method == method)


def list_methods() -> list[str]:
    """Return what vendors' services may be called."""
    return [table.method for table in TABLES.values()]
