"""Series ids: an OHLC series is `product_id/duration`, an interest-rate series is its product_id.

A product_id contains `/` itself, so decoding takes the last segment as the duration. Every id is also a Dagster
partition key, so what Dagster forbids in a key is refused here, at the door.
"""

import re
from typing import Final, Literal, NamedTuple

from series_pipelines.core.duration import parse_duration
from series_pipelines.errors import InvalidDuration, InvalidSeriesId

TableName = Literal["ohlc_v2", "interest_rate"]
TABLE_NAMES: Final[tuple[TableName, ...]] = ("ohlc_v2", "interest_rate")

# Dagster's own list holds these and some control characters; all control characters are refused anyway.
FORBIDDEN_SUBSTRINGS: Final = ("...",)
# Keys of Postgres hold about 2,700 bytes: an id of four bytes a character and its duration stay far below.
LONGEST_PRODUCT_ID: Final = 250
# Almost every id is plain; the universe checks tens of thousands at a time.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_:-]+(?:/[A-Za-z0-9_:-]+)*")


class OhlcSeries(NamedTuple):
    product_id: str
    duration: str


def check_product_id(product_id: str) -> str:
    """Return the product_id, or say what is wrong with it."""
    if len(product_id) > LONGEST_PRODUCT_ID:
        raise InvalidSeriesId(
            f"product_id {product_id[:40]!r}… has {len(product_id)} characters, more than {LONGEST_PRODUCT_ID}"
        )
    if _PLAIN.fullmatch(product_id):
        return product_id
    if not product_id or not product_id.strip():
        raise InvalidSeriesId("a product_id must not be empty")
    if any(not segment.strip() for segment in product_id.split("/")):
        raise InvalidSeriesId(f"product_id {product_id!r} has an empty part between its slashes")
    if product_id != product_id.strip():
        raise InvalidSeriesId(f"product_id {product_id!r} begins or ends with white space")
    if any(ord(char) < 32 or 127 <= ord(char) < 160 for char in product_id):
        raise InvalidSeriesId(f"product_id {product_id!r} contains a control character")
    if any("\ud800" <= char <= "\udfff" for char in product_id):
        raise InvalidSeriesId(f"product_id {product_id!r} contains half of a surrogate pair")
    for forbidden in FORBIDDEN_SUBSTRINGS:
        if forbidden in product_id:
            raise InvalidSeriesId(f"product_id {product_id!r} contains {forbidden!r}, which a partition key can't")
    return product_id


def encode_ohlc_series_id(product_id: str, duration: str) -> str:
    """Return `product_id/duration`, with the duration in its ISO form."""
    return f"{check_product_id(product_id)}/{parse_duration(duration).text}"


def decode_ohlc_series_id(series_id: str) -> OhlcSeries:
    """Split an OHLC series id; its last segment is the duration."""
    product_id, slash, duration = series_id.rpartition("/")
    if not slash:
        raise InvalidSeriesId(f"series id {series_id!r} has no duration: expected PRODUCT_ID/DURATION")
    try:
        parsed = parse_duration(duration)
    except InvalidDuration as error:
        raise InvalidSeriesId(f"series id {series_id!r} does not end in a duration: {error}") from error
    if parsed.text != duration:
        raise InvalidSeriesId(f"series id {series_id!r} must spell its duration {parsed.text!r}")
    return OhlcSeries(check_product_id(product_id), duration)


def encode_interest_rate_series_id(product_id: str) -> str:
    """Return the product_id: it is the series id of its rate."""
    return check_product_id(product_id)


def decode_interest_rate_series_id(series_id: str) -> str:
    """Return the product_id of an interest-rate series."""
    return check_product_id(series_id)
