"""The digests of closed months as certificates carry them: written by `certify`, read by `cursors verify`."""

import json
from typing import TYPE_CHECKING, Any

from series_pipelines.errors import InvalidInput

if TYPE_CHECKING:
    from series_pipelines.store.ledger_months import MonthDigest

_PREFIX = "sha256:"


def describe_digest(digest: "MonthDigest") -> dict[str, Any]:
    """Return a digest as JSON."""
    return {
        "month": digest.month,
        "after_event": digest.after_id,
        "until_event": digest.until_id,
        "events": digest.events,
        "digest": f"{_PREFIX}{digest.digest}",
    }


def read_ledger_months(text: bytes, name: str) -> "list[MonthDigest]":
    """Return the months of what `series certify --json` printed."""
    from series_pipelines.store.ledger_months import MonthDigest

    try:
        return [
            MonthDigest(
                str(month["month"]),
                int(month["after_event"]),
                int(month["until_event"]),
                int(month["events"]),
                str(month["digest"]).removeprefix(_PREFIX),
            )
            for certificate in json.loads(text)
            for month in certificate["ledger_months"]
        ]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InvalidInput(f"{name} is not what `series certify --json` prints") from error
