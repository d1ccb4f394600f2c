"""Product ids, which series ids begin with. Each is part of a Dagster partition key, so what Dagster forbids in one is
refused here, at the door. What a series id says stands in `core.tables`.
"""

import re
from typing import Final

from series_pipelines.errors import InvalidSeriesId

# Dagster's own list holds these and some control characters; all control characters are refused anyway.
FORBIDDEN_SUBSTRINGS: Final = ("...",)
# Keys of Postgres hold about 2,700 bytes: an id of four bytes a character and its duration stay far below.
LONGEST_PRODUCT_ID: Final = 250
# Almost every id is plain; the universe checks tens of thousands at a time.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_:-]+(?:/[A-Za-z0-9_:-]+)*")


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
